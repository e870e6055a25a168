/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CHECK_RUN_H
#define CHECK_RUN_H

/**
 * @file
 * Run checks on a device in sequence, each with its own bed.
 *
 * Report of results and of the system they come from. The guide describes the JSON members.
 */

#include <infiniband/verbs.h>
#include <jansson.h>

#include "check/check.h"
#include "tool/tool.h"

/** Most checks of all themes. */
#define CHECK_MAX 128u

/** Available checks, in the order of the themes. */
struct check_entry {
	const struct check_theme *theme;
	const struct check *check;
	bool is_wanted;
	struct check_result result;
};

struct check_table {
	size_t nb;
	struct check_entry entries[CHECK_MAX];
};

/** Add all checks and select them. */
void check_table_init(struct check_table *table);

/** The same, but only those in a list are selected. Print an error and return false on failure. */
bool check_table_only(struct check_table *table, const char *names);

/**
 * Run the selected checks on a port of a device.
 *
 * @param print
 *   Called with each result as it arrives.
 * @return
 *   0, or the errno of a failure to open the device.
 */
int check_table_run(struct check_table *table, struct ibv_device *device, uint8_t port,
		    void (*print)(const struct check_entry *entry, void *arg), void *arg);

/** Count results by verdict. */
void check_table_count(const struct check_table *table, unsigned int nb[CHECK_NB_VERDICTS]);

/** PCI address of a device, or an empty string. */
void check_pci_address(const struct ibv_device *device, char *text, size_t size);

/** Describe the kernel and the libraries. */
json_t *check_report_host(void);

/**
 * Describe a device before its checks run, because it may vanish. @return NULL: an error was
 * printed.
 */
json_t *check_report_device(struct ibv_device *device, uint8_t port);

/** Add the results to what check_report_device() returned. */
void check_report_results(json_t *device, const struct check_table *table);

/*
 * Tables and CSV are printed while checks run, so that results survive an abnormal exit. These
 * functions do nothing for JSON.
 */

void check_print_host(const json_t *report, enum tool_format format);
void check_print_device(const json_t *device, enum tool_format format);
void check_print_entry(const json_t *device, const struct check_entry *entry,
		       enum tool_format format);
/** Print the totals of a device with results. */
void check_print_totals(const json_t *device, enum tool_format format);

/** List the checks and their assumptions. */
void check_list_print(const struct check_table *table, enum tool_format format);

#endif /* CHECK_RUN_H */
