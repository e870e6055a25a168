/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include <infiniband/mlx5dv.h>

#include "check/run.h"
#include "main.h"
#include "tool/print.h"

static void
print_help(FILE *f)
{
	fprintf(f,
		"Usage: " TOOL_NAME " check [--device NAME]... [--port N] [--only NAMES]\n"
		"                           [--list] [--format FORMAT]\n"
		"\n"
		"Check assumptions of this project about adapters that have no public source,\n"
		"and print the expected and the observed behavior. It is safe on a machine in\n"
		"use: it creates its own memory, keys and queues, and does not change ports or\n"
		"firmware.\n"
		"\n"
		"  --device NAME    adapter, e.g. mlx5_0 or 0000:08:00.0; may be repeated\n"
		"                   (default: the first device)\n"
		"  --port N         port of the queues (default 1)\n"
		"  --only NAMES     comma-separated checks to run (default: all)\n"
		"  --list           list the checks, and run none\n"
		"  --format FORMAT  table (default), json or csv\n"
		"\n"
		"Exit code: 0 all as expected or not available, 1 a difference was found, 2 wrong\n"
		"usage, 3 set-up failed or a check could not run.\n");
}

/* Options of the command line. */
struct conf {
	struct tool_devices devices;
	struct check_table table;
	enum tool_format format;
	uint8_t port;
	bool is_list;
};

static bool
is_named(struct ibv_device *device, const char *name)
{
	char pci[64];

	check_pci_address(device, pci, sizeof(pci));
	return strcmp(ibv_get_device_name(device), name) == 0 || strcmp(pci, name) == 0;
}

/* Find a device by name; NULL selects the first one. */
static struct ibv_device *
device_find(struct ibv_device **list, const char *name)
{
	for (; *list != NULL; list++)
		if (mlx5dv_is_supported(*list) && (name == NULL || is_named(*list, name)))
			return *list;
	tool_error("check: %s%s", name != NULL ? "no such adapter: " : "no adapter was found",
		   name != NULL ? name : "");
	return NULL;
}

/* State for printing results as they arrive. */
struct printer {
	const json_t *device;
	enum tool_format format;
};

static void
entry_print(const struct check_entry *entry, void *arg)
{
	const struct printer *printer = arg;

	check_print_entry(printer->device, entry, printer->format);
}

static enum tool_exit
device_check(struct conf *conf, struct ibv_device **list, const char *name, json_t *reports)
{
	struct ibv_device *device = device_find(list, name);
	json_t *report = device != NULL ? check_report_device(device, conf->port) : NULL;
	struct printer printer = { report, conf->format };
	unsigned int nb[CHECK_NB_VERDICTS];
	int ret;

	if (report == NULL)
		return TOOL_SETUP;
	check_print_device(report, conf->format);
	ret = check_table_run(&conf->table, device, conf->port, entry_print, &printer);
	if (ret != 0) {
		tool_error("check: %s: %s", ibv_get_device_name(device), strerror(ret));
		json_decref(report);
		return TOOL_SETUP;
	}
	check_report_results(report, &conf->table);
	check_print_totals(report, conf->format);
	json_array_append_new(reports, report);
	check_table_count(&conf->table, nb);
	if (nb[CHECK_DIFFERS] > 0)
		return TOOL_FAILED;
	return nb[CHECK_BROKEN] > 0 ? TOOL_SETUP : TOOL_OK;
}

/* CHECK_DIFFERS outweighs a check that could not run. */
static enum tool_exit
worse(enum tool_exit a, enum tool_exit b)
{
	if (a == TOOL_FAILED || b == TOOL_FAILED)
		return TOOL_FAILED;
	return a != TOOL_OK ? a : b;
}

static enum tool_exit
devices_check(struct conf *conf)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	json_t *report = check_report_host(), *reports = json_array();
	enum tool_exit ret = TOOL_OK;

	if (list == NULL) {
		tool_error("check: no adapter was found");
		json_decref(report);
		json_decref(reports);
		return TOOL_SETUP;
	}
	check_print_host(report, conf->format);
	if (conf->devices.nb_names == 0)
		ret = device_check(conf, list, NULL, reports);
	for (uint16_t i = 0; i < conf->devices.nb_names; i++)
		ret = worse(ret, device_check(conf, list, conf->devices.names[i], reports));
	ibv_free_device_list(list);
	json_object_set_new(report, "devices", reports);
	tool_report_print(report, conf->format);
	return ret;
}

static bool
parse_only(const char *names, void *conf)
{
	return check_table_only(&((struct conf *)conf)->table, names);
}

static const struct tool_option options[] = {
	{ "device", TOOL_OPTION_DEVICE, TOOL_AT(struct conf, devices), .letter = 'd' },
	{ "port", TOOL_OPTION_NUMBER, TOOL_AT(struct conf, port), .min = 1, .max = UINT8_MAX },
	{ "only", TOOL_OPTION_PARSE, .parse = parse_only },
	{ "list", TOOL_OPTION_FLAG, TOOL_AT(struct conf, is_list) },
	{ "format", TOOL_OPTION_WORD, TOOL_AT(struct conf, format), .letter = 'f',
	  .words = tool_formats },
	{ 0 },
};

static enum tool_exit
check_run(void *arg)
{
	struct conf *conf = arg;

	if (conf->table.nb == 0)
		check_table_init(&conf->table);
	if (!conf->is_list)
		return devices_check(conf);
	check_list_print(&conf->table, conf->format);
	return TOOL_OK;
}

static struct conf check_conf = { .port = 1 };

const struct tool_command cmd_check = {
	.name = "check",
	.summary = "check assumptions about adapters",
	.options = options,
	.conf = &check_conf,
	.print_help = print_help,
	.run = check_run,
};
