/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include <jansson.h>

#include <umr_version.h>

#include "main.h"
#include "tool/print.h"

struct info_conf {
	struct tool_devices devices;
	enum tool_format format;
};

static const struct tool_bit_name access_names[] = {
	{ RTE_UMR_ACCESS_LOCAL_WRITE, "local_write" },
	{ RTE_UMR_ACCESS_REMOTE_READ, "remote_read" },
	{ RTE_UMR_ACCESS_REMOTE_WRITE, "remote_write" },
	{ RTE_UMR_ACCESS_REMOTE_ATOMIC, "remote_atomic" },
	{ RTE_UMR_ACCESS_RELAXED_ORDERING, "relaxed_ordering" },
	{ RTE_UMR_ACCESS_MW_BIND, "mw_bind" },
};

static const struct tool_bit_name odp_names[] = {
	{ RTE_UMR_ODP_CAPA_SEND, "send" },
	{ RTE_UMR_ODP_CAPA_RECV, "recv" },
	{ RTE_UMR_ODP_CAPA_WRITE, "write" },
	{ RTE_UMR_ODP_CAPA_READ, "read" },
	{ RTE_UMR_ODP_CAPA_ATOMIC, "atomic" },
};

static const struct tool_bit_name sig_names[] = {
	{ RTE_BIT32(RTE_UMR_SIG_T10DIF_CRC), "t10dif_crc" },
	{ RTE_BIT32(RTE_UMR_SIG_T10DIF_CSUM), "t10dif_csum" },
	{ RTE_BIT32(RTE_UMR_SIG_CRC32), "crc32" },
	{ RTE_BIT32(RTE_UMR_SIG_CRC32C), "crc32c" },
	{ RTE_BIT32(RTE_UMR_SIG_CRC64_XP10), "crc64_xp10" },
};

static void
print_help(FILE *f)
{
	fprintf(f,
		"Usage: " TOOL_NAME " [EAL options] -- info [--device NAME]... "
		"[--format FORMAT]\n"
		"\n"
		"Print capabilities and limits of devices.\n"
		"\n"
		"  --device NAME    device to open, e.g. mlx5_0 or 0000:08:00.0, optionally with\n"
		"                   devargs after a comma; may be repeated (default: all devices)\n"
		"  --format FORMAT  table (default), json or csv (one line for each property)\n"
		"\n"
		TOOL_EXIT_HELP);
}

static json_t *
bits_to_json(uint64_t bits, const struct tool_bit_name *names, size_t nb)
{
	json_t *array = json_array();

	for (size_t i = 0; i < nb; i++)
		if (bits & names[i].bit)
			json_array_append_new(array, json_string(names[i].name));
	return array;
}

/* JSON integers are signed here; clamp larger values, which mean unlimited. */
static json_t *
u64_to_json(uint64_t value)
{
	return json_integer((json_int_t)RTE_MIN(value, (uint64_t)INT64_MAX));
}

/* Convert a bit mask of block sizes to an array of numbers. */
static json_t *
block_sizes_to_json(uint32_t bits)
{
	/* Sizes of RTE_UMR_CRYPTO_UNIT_* and RTE_UMR_SIG_BLOCK_*, which are identical. */
	static const uint16_t sizes[] = { 512, 520, 4048, 4096, 4160 };
	json_t *array = json_array();

	static_assert(RTE_UMR_CRYPTO_UNIT_4160 == RTE_BIT32(4) &&
		      RTE_UMR_SIG_BLOCK_4160 == RTE_BIT32(4), "the last one");
	for (size_t i = 0; i < RTE_DIM(sizes); i++)
		if (bits & RTE_BIT32(i))
			json_array_append_new(array, json_integer(sizes[i]));
	return array;
}

/* A member of info and its name. */
#define LIMIT(member)	{ #member, info->member }

static json_t *
limits_to_json(const struct rte_umr_dev_info *info)
{
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {
		LIMIT(max_queues), LIMIT(min_desc), LIMIT(max_desc), LIMIT(max_recv_desc),
		LIMIT(max_recv_segs), LIMIT(max_dct_recv_desc), LIMIT(max_dct_recv_segs),
		LIMIT(max_dci_inline), LIMIT(max_list_inline), LIMIT(max_list),
		LIMIT(max_interleaved_inline), LIMIT(max_interleaved), LIMIT(min_log_entry_size),
		LIMIT(max_log_entry_size), LIMIT(max_nesting), LIMIT(max_inline),
		LIMIT(max_segs), LIMIT(max_read_segs), LIMIT(max_dci_segs),
		LIMIT(max_dci_read_segs), LIMIT(max_bf_desc), LIMIT(max_recv_inline),
		LIMIT(max_entries), LIMIT(max_mkeys), LIMIT(max_mws), LIMIT(max_mw_len),
		LIMIT(max_entry_len), LIMIT(max_interleaved_stride), LIMIT(max_msg_len),
		LIMIT(max_mr_len),
	};
	json_t *limits = json_object();

	for (size_t i = 0; i < RTE_DIM(numbers); i++)
		json_object_set_new(limits, numbers[i].name, u64_to_json(numbers[i].value));
	json_object_set_new(limits, "sig_types",
			    bits_to_json(info->sig_types, sig_names, RTE_DIM(sig_names)));
	json_object_set_new(limits, "sig_trans_types",
			    bits_to_json(info->sig_trans_types, sig_names, RTE_DIM(sig_names)));
	json_object_set_new(limits, "sig_block_sizes",
			    block_sizes_to_json(info->sig_block_sizes));
	json_object_set_new(limits, "max_sig_mkeys", json_integer(info->max_sig_mkeys));
	json_object_set_new(limits, "max_deks", json_integer(info->max_deks));
	json_object_set_new(limits, "crypto_unit_sizes",
			    block_sizes_to_json(info->crypto_unit_sizes));
	return limits;
}

/* The only list of fields; the text output walks this tree. */
static json_t *
info_to_json(int16_t dev_id, const struct rte_umr_dev_info *info)
{
	const char *link = info->link_layer == RTE_UMR_LINK_INFINIBAND ? "infiniband" : "ethernet";

	return json_pack("{s:s, s:i, s:s, s:s, s:i, s:i, s:i, s:i, s:s, s:i, s:b, s:o, s:o, s:o, "
			 "s:o, s:o}", "name", info->dev_name, "dev_id", dev_id,
			 "driver", info->driver_name, "fw_version", info->fw_version,
			 "vendor_id", (int)info->vendor_id, "vendor_part_id",
			 (int)info->vendor_part_id, "numa_node", info->numa_node,
			 "port", info->port, "link_layer", link, "lid", info->lid,
			 "is_port_active", info->is_port_active, "capabilities",
			 bits_to_json(info->dev_capa, tool_capa_names, tool_nb_capa_names),
			 "access",
			 bits_to_json(info->access_capa, access_names, RTE_DIM(access_names)),
			 "mr_access",
			 bits_to_json(info->mr_access_capa, access_names, RTE_DIM(access_names)),
			 "odp", bits_to_json(info->odp_capa, odp_names, RTE_DIM(odp_names)),
			 "limits", limits_to_json(info));
}

static void
print_text_value(const char *name, json_t *value, int indent)
{
	const char *key;
	json_t *member;

	printf("%*s%s:", indent * 2, "", name);
	if (!json_is_object(value) && json_array_size(value) + !json_is_array(value) != 0)
		putchar(' ');
	if (!json_is_object(value))
		tool_leaf_print(stdout, value);
	putchar('\n');
	json_object_foreach(value, key, member)
		print_text_value(key, member, indent + 1);
}

static void
print_text(json_t *devices)
{
	json_t *device, *member;
	const char *key;
	size_t i;

	json_array_foreach(devices, i, device) {
		printf("%s%s\n", i == 0 ? "" : "\n",
		       json_string_value(json_object_get(device, "name")));
		json_object_foreach(device, key, member)
			if (strcmp(key, "name") != 0)
				print_text_value(key, member, 1);
	}
}

static enum tool_exit
info_print(const struct tool_devices *devices, enum tool_format format)
{
	json_t *array = json_array();
	json_t *device;
	size_t at;

	for (uint16_t i = 0; i < devices->nb_ids; i++) {
		struct rte_umr_dev_info info;
		int ret = rte_umr_dev_info_get(devices->ids[i], &info);

		if (ret != 0) {
			tool_error("device %d: %s", devices->ids[i], strerror(-ret));
			json_decref(array);
			return TOOL_SETUP;
		}
		json_array_append_new(array, info_to_json(devices->ids[i], &info));
	}
	if (format == TOOL_FORMAT_JSON) {
		result_print_json(json_pack("{s:O}", "devices", array));
	} else if (format == TOOL_FORMAT_CSV) {
		result_print_csv_head("device,property,value");
		json_array_foreach(array, at, device)
			tool_print_csv_leaves(json_string_value(json_object_get(device, "name")),
					      device);
	} else {
		print_text(array);
		printf("\n" TOOL_NAME " " UMR_VERSION_TEXT "\n");
	}
	json_decref(array);
	return TOOL_OK;
}

static enum tool_exit
info_run(void *arg)
{
	struct info_conf *conf = arg;
	enum tool_exit ret = TOOL_SETUP;

	if (tool_devices_open(&conf->devices, TOOL_MAX_DEVICES))
		ret = info_print(&conf->devices, conf->format);
	tool_devices_close(&conf->devices);
	return ret;
}

static const struct tool_option options[] = {
	{ "device", TOOL_OPTION_DEVICE, TOOL_AT(struct info_conf, devices), .letter = 'd' },
	{ "format", TOOL_OPTION_WORD, TOOL_AT(struct info_conf, format), .letter = 'f',
	  .words = tool_formats },
	{ 0 },
};

static struct info_conf info_conf;

const struct tool_command cmd_info = {
	.name = "info",
	.summary = "print capabilities and limits of devices",
	.needs_eal = true,
	.options = options,
	.conf = &info_conf,
	.print_help = print_help,
	.run = info_run,
};
