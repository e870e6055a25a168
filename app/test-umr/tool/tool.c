/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "tool/tool.h"

const struct tool_bit_name tool_capa_names[] = {
	{ RTE_UMR_CAPA_MKEY_LIST, "mkey_list" },
	{ RTE_UMR_CAPA_MKEY_INTERLEAVED, "mkey_interleaved" },
	{ RTE_UMR_CAPA_MKEY_INVALIDATE, "mkey_invalidate" },
	{ RTE_UMR_CAPA_MKEY_TAG, "mkey_tag" },
	{ RTE_UMR_CAPA_MKEY_NESTED, "mkey_nested" },
	{ RTE_UMR_CAPA_MKEY_CONFIGURE, "mkey_configure" },
	{ RTE_UMR_CAPA_MKEY_UPDATE, "mkey_update" },
	{ RTE_UMR_CAPA_MKEY_FIXED, "mkey_fixed" },
	{ RTE_UMR_CAPA_WRITE, "write" },
	{ RTE_UMR_CAPA_READ, "read" },
	{ RTE_UMR_CAPA_SEND, "send" },
	{ RTE_UMR_CAPA_ATOMIC, "atomic" },
	{ RTE_UMR_CAPA_SEND_INV, "send_inv" },
	{ RTE_UMR_CAPA_INLINE, "inline" },
	{ RTE_UMR_CAPA_RECV_INLINE, "recv_inline" },
	{ RTE_UMR_CAPA_QUEUE_EVENT, "queue_event" },
	{ RTE_UMR_CAPA_LOOPBACK, "loopback" },
	{ RTE_UMR_CAPA_RC, "rc" },
	{ RTE_UMR_CAPA_QUEUE_RECOVER, "queue_recover" },
	{ RTE_UMR_CAPA_MW_TYPE_1, "mw_type_1" },
	{ RTE_UMR_CAPA_MW_TYPE_2B, "mw_type_2b" },
	{ RTE_UMR_CAPA_MKEY_BASE, "mkey_base" },
	{ RTE_UMR_CAPA_DC, "dc" },
	{ RTE_UMR_CAPA_DOORBELL_BF, "doorbell_bf" },
	{ RTE_UMR_CAPA_BF, "bf" },
	{ RTE_UMR_CAPA_PD, "pd" },
	{ RTE_UMR_CAPA_MR_REREGISTER, "mr_reregister" },
	{ RTE_UMR_CAPA_MR_ODP, "mr_odp" },
	{ RTE_UMR_CAPA_MR_ODP_IMPLICIT, "mr_odp_implicit" },
	{ RTE_UMR_CAPA_MR_ODP_STATS, "mr_odp_stats" },
	{ RTE_UMR_CAPA_MR_DMABUF, "mr_dmabuf" },
	{ RTE_UMR_CAPA_MKEY_QUERY, "mkey_query" },
	{ RTE_UMR_CAPA_MKEY_SIG, "mkey_sig" },
	{ RTE_UMR_CAPA_MKEY_CRYPTO, "mkey_crypto" },
	{ RTE_UMR_CAPA_CRYPTO_MULTI_UNIT, "crypto_multi_unit" },
	{ RTE_UMR_CAPA_DEK_PLAIN, "dek_plain" },
	{ RTE_UMR_CAPA_DEK_WRAPPED, "dek_wrapped" },
};

const size_t tool_nb_capa_names = RTE_DIM(tool_capa_names);

static const char *
name_of(uint64_t bit)
{
	for (size_t i = 0; i < tool_nb_capa_names; i++)
		if (tool_capa_names[i].bit == bit)
			return tool_capa_names[i].name;
	return "unknown";
}

void
tool_capa_print(char *text, size_t size, uint64_t bits)
{
	size_t len = 0;

	for (; bits != 0 && len < size; bits &= bits - 1)
		len += (size_t)snprintf(text + len, size - len, "%s%s", len == 0 ? "" : ", ",
					name_of(bits & -bits));
}

void
tool_error(const char *format, ...)
{
	va_list args;

	fprintf(stderr, TOOL_NAME ": ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

void *
tool_calloc(const char *command, size_t nb, size_t size)
{
	void *memory = calloc(nb, size);

	if (memory == NULL)
		tool_error("%s: out of memory", command);
	return memory;
}

bool
tool_devices_add(struct tool_devices *devices, const char *name)
{
	if (devices->nb_names == TOOL_MAX_DEVICES) {
		tool_error("--device: more than %u devices", TOOL_MAX_DEVICES);
		return false;
	}
	devices->names[devices->nb_names++] = name;
	return true;
}

bool
tool_devices_check(const char *command, const struct tool_devices *devices)
{
	if (devices->nb_names > 1)
		tool_error("%s: takes one device, not %u", command, devices->nb_names);
	return devices->nb_names <= 1;
}

static bool
device_open(struct tool_devices *devices, const char *name)
{
	const bool is_bare = devices->args != NULL && strchr(name, ',') == NULL;
	char devargs[TOOL_MAX_DEVARGS];
	int16_t dev_id;
	int ret;

	ret = snprintf(devargs, sizeof(devargs), "%s%s%s", name, is_bare ? "," : "",
		       is_bare ? devices->args : "");
	if ((size_t)ret >= sizeof(devargs)) {
		tool_error("--device: %d characters, at most %zu", ret, sizeof(devargs) - 1);
		return false;
	}
	ret = rte_umr_dev_probe(devargs, &dev_id);
	if (ret != 0) {
		tool_error("device %s: %s%s", devargs, strerror(-ret),
			   ret == -ENODEV ? "; 'info' lists the devices" : "");
		return false;
	}
	devices->ids[devices->nb_ids++] = dev_id;
	return true;
}

bool
tool_devices_open(struct tool_devices *devices, uint16_t nb_max)
{
	char names[TOOL_MAX_DEVICES][RTE_UMR_DEV_NAME_LEN];
	uint16_t nb_found;

	devices->nb_ids = 0;
	if (devices->nb_names != 0) {
		for (uint16_t i = 0; i < devices->nb_names; i++)
			if (!device_open(devices, devices->names[i]))
				return false;
		return true;
	}
	nb_found = rte_umr_dev_scan(names, TOOL_MAX_DEVICES);
	nb_found = RTE_MIN(nb_found, TOOL_MAX_DEVICES);
	for (uint16_t i = 0; i < nb_found && devices->nb_ids < nb_max; i++)
		if (!device_open(devices, names[i]))
			return false;
	if (devices->nb_ids == 0)
		tool_error("no device found; on a machine without one, start it as "
			   "'swhca-run " TOOL_NAME " ...'");
	return devices->nb_ids != 0;
}

void
tool_devices_close(struct tool_devices *devices)
{
	for (uint16_t i = 0; i < devices->nb_ids; i++) {
		int ret;

		rte_umr_dev_stop(devices->ids[i]);
		ret = rte_umr_dev_close(devices->ids[i]);
		if (ret != 0)
			tool_error("closing device %d: %s", devices->ids[i], strerror(-ret));
	}
	devices->nb_ids = 0;
}
