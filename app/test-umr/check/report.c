/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <infiniband/mlx5dv.h>

#include <rte_common.h>

#include "tool/print.h"
#include "check/run.h"

/* Increment when a member changes its meaning or disappears. */
#define SCHEMA "umr-check-1"

static const char *const verdict_names[CHECK_NB_VERDICTS] = {
	[CHECK_AS_EXPECTED] = "as expected",
	[CHECK_DIFFERS] = "differs",
	[CHECK_NOT_AVAILABLE] = "not available",
	[CHECK_BROKEN] = "broken",
};

void
check_pci_address(const struct ibv_device *device, char *text, size_t size)
{
	char path[PATH_MAX + 16], *real;
	const char *name = "";

	snprintf(path, sizeof(path), "%s/device", device->ibdev_path);
	real = realpath(path, NULL);
	if (real != NULL && strrchr(real, '/') != NULL)
		name = strrchr(real, '/') + 1;
	snprintf(text, size, "%s", name);
	free(real);
}

/* Library file that contains a symbol; its name includes the version. */
static json_t *
library_of(void *symbol)
{
	json_t *name = NULL;
	Dl_info info;
	char *real;

	if (dladdr(symbol, &info) == 0 || info.dli_fname == NULL)
		return json_null();
	real = realpath(info.dli_fname, NULL);
	if (real != NULL)
		name = json_string(strrchr(real, '/') + 1);
	free(real);
	return name != NULL ? name : json_null();
}

json_t *
check_report_host(void)
{
	struct utsname uts = { 0 };

	uname(&uts);
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "schema", SCHEMA,
			 "system", uts.sysname, "kernel", uts.release, "machine", uts.machine,
			 "libibverbs", library_of((void *)(uintptr_t)ibv_get_device_list),
			 "libmlx5", library_of((void *)(uintptr_t)mlx5dv_open_device));
}

/* Read a sysfs attribute of the device without the trailing newline. */
static json_t *
attribute_read(const struct ibv_device *device, const char *name)
{
	char path[PATH_MAX + 32], text[128] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", device->ibdev_path, name);
	f = fopen(path, "r");
	if (f == NULL)
		return json_null();
	if (fgets(text, sizeof(text), f) == NULL)
		text[0] = '\0';
	fclose(f);
	text[strcspn(text, "\n")] = '\0';
	return json_string(text);
}

static json_t *
entry_to_json(const struct check_entry *entry)
{
	const struct check_result *result = &entry->result;
	const struct check *check = entry->check;
	json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "name", check->name,
				 "theme", entry->theme->name,
				 "verdict", verdict_names[result->verdict],
				 "assumed", check->assumed, "depends", check->depends,
				 "expected", check->expected);

	if (result->observed[0] != '\0')
		json_object_set_new(json, "observed", json_string(result->observed));
	if (result->detail[0] != '\0')
		json_object_set_new(json, "detail", json_string(result->detail));
	return json;
}

static json_t *
entries_to_json(const struct check_table *table)
{
	json_t *array = json_array();

	for (size_t i = 0; i < table->nb; i++)
		if (table->entries[i].is_wanted)
			json_array_append_new(array, entry_to_json(&table->entries[i]));
	return array;
}

json_t *
check_report_device(struct ibv_device *device, uint8_t port_num)
{
	struct ibv_context *ctx = ibv_open_device(device);
	struct ibv_port_attr port = { 0 };
	struct ibv_device_attr attr;
	char pci[64];
	bool has_port;
	int ret;

	if (ctx == NULL) {
		tool_error("check: %s: cannot be opened", ibv_get_device_name(device));
		return NULL;
	}
	ret = ibv_query_device(ctx, &attr);
	has_port = ret == 0 && port_num <= attr.phys_port_cnt;
	if (has_port)
		ret = ibv_query_port(ctx, port_num, &port);
	ibv_close_device(ctx);
	if (ret != 0 || !has_port) {
		tool_error("check: %s: port %u: %s", ibv_get_device_name(device), port_num,
			   ret != 0 ? strerror(ret) : "there is none");
		return NULL;
	}
	check_pci_address(device, pci, sizeof(pci));
	return json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:s, s:o, s:s}",
			 "name", ibv_get_device_name(device), "pci", pci, "port", (int)port_num,
			 "vendor_id", (int)attr.vendor_id,
			 "vendor_part_id", (int)attr.vendor_part_id, "hw_ver", (int)attr.hw_ver,
			 "fw_version", attr.fw_ver, "board_id", attribute_read(device, "board_id"),
			 "link_layer", port.link_layer == IBV_LINK_LAYER_ETHERNET ?
				 "ethernet" : "infiniband");
}

void
check_report_results(json_t *device, const struct check_table *table)
{
	unsigned int nb[CHECK_NB_VERDICTS];

	check_table_count(table, nb);
	json_object_set_new(device, "totals",
			    json_pack("{s:i, s:i, s:i, s:i}",
				      "as_expected", (int)nb[CHECK_AS_EXPECTED],
				      "differs", (int)nb[CHECK_DIFFERS],
				      "not_available", (int)nb[CHECK_NOT_AVAILABLE],
				      "broken", (int)nb[CHECK_BROKEN]));
	json_object_set_new(device, "checks", entries_to_json(table));
}

static const char *
member(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text != NULL ? text : "";
}

static int
number(const json_t *object, const char *name)
{
	return (int)json_integer_value(json_object_get(object, name));
}

static void
line_print(const char *name, const char *text)
{
	if (text[0] != '\0')
		printf("    %-9s %s\n", name, text);
}

/* Print one line if the result is as expected, all details otherwise. */
static void
check_print(const struct check_entry *entry)
{
	const struct check_result *result = &entry->result;
	const struct check *check = entry->check;

	printf("  %-22s %-13s %s\n", check->name, verdict_names[result->verdict],
	       result->observed);
	if (result->verdict == CHECK_DIFFERS) {
		line_print("assumed", check->assumed);
		line_print("expected", check->expected);
		line_print("depends", check->depends);
	}
	line_print("detail", result->detail);
	fflush(stdout);
}

static const struct tool_column columns[] = {
	{ .name = "device", NULL, TOOL_TEXT }, { .name = "check", NULL, TOOL_TEXT },
	{ .name = "verdict", NULL, TOOL_TEXT }, { .name = "expected", NULL, TOOL_TEXT },
	{ .name = "observed", NULL, TOOL_TEXT }, { .name = "detail", NULL, TOOL_TEXT }, { 0 },
};

void
check_print_host(const json_t *report, enum tool_format format)
{
	if (format == TOOL_FORMAT_TEXT)
		printf("%s %s, %s, %s, %s\n", member(report, "system"), member(report, "kernel"),
		       member(report, "machine"), member(report, "libibverbs"),
		       member(report, "libmlx5"));
	else
		tool_head_print(columns, format, "");
}

void
check_print_device(const json_t *device, enum tool_format format)
{
	if (format != TOOL_FORMAT_TEXT)
		return;
	printf("%s: %s, device 0x%04x:0x%04x, hardware 0x%x, firmware %s, board %s, %s\n",
	       member(device, "name"), member(device, "pci"),
	       (unsigned int)number(device, "vendor_id"),
	       (unsigned int)number(device, "vendor_part_id"),
	       (unsigned int)number(device, "hw_ver"), member(device, "fw_version"),
	       member(device, "board_id"), member(device, "link_layer"));
	fflush(stdout);
}

void
check_print_entry(const json_t *device, const struct check_entry *entry, enum tool_format format)
{
	const struct check_result *result = &entry->result;
	const union tool_cell cells[] = {
		{ .text = member(device, "name") }, { .text = entry->check->name },
		{ .text = verdict_names[result->verdict] }, { .text = entry->check->expected },
		{ .text = result->observed }, { .text = result->detail },
	};

	if (format == TOOL_FORMAT_TEXT)
		check_print(entry);
	else
		tool_line_print(columns, cells, format);
}

void
check_print_totals(const json_t *device, enum tool_format format)
{
	const json_t *totals = json_object_get(device, "totals");

	if (format == TOOL_FORMAT_TEXT)
		printf("%s: %zu checks: %d as expected, %d differ, %d not available, %d broken\n",
		       member(device, "name"), json_array_size(json_object_get(device, "checks")),
		       number(totals, "as_expected"), number(totals, "differs"),
		       number(totals, "not_available"), number(totals, "broken"));
}

static const struct tool_column list_columns[] = {
	{ .name = "check", NULL, TOOL_TEXT | TOOL_NO_JSON },
	{ .name = "name", "", TOOL_TEXT | TOOL_NO_CSV, -22 }, { .name = "theme", NULL, TOOL_TEXT },
	{ .name = "assumed", "", TOOL_TEXT }, { .name = "depends", NULL, TOOL_TEXT },
	{ .name = "expected", NULL, TOOL_TEXT }, { 0 },
};

void
check_list_print(const struct check_table *table, enum tool_format format)
{
	json_t *array = json_array();

	tool_head_print(list_columns, format, "");
	for (size_t i = 0; i < table->nb; i++) {
		const struct check_entry *entry = &table->entries[i];
		const struct check *check = entry->check;
		const union tool_cell cells[] = {
			{ .text = check->name }, { .text = check->name },
			{ .text = entry->theme->name }, { .text = check->assumed },
			{ .text = check->depends }, { .text = check->expected },
		};

		if (!entry->is_wanted)
			continue;
		tool_line_print(list_columns, cells, format);
		json_array_append_new(array, tool_line_to_json(list_columns, cells));
	}
	tool_report_print(json_pack("{s:o}", "checks", array), format);
}
