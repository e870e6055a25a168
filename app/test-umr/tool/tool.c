/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"

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
