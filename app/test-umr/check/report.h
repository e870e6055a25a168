/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CHECK_REPORT_H
#define CHECK_REPORT_H

/**
 * @file
 * Report of results and of the system they come from. The guide describes the JSON members.
 */

#include <jansson.h>

#include "tool/tool.h"
#include "check/run.h"

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

/** Print the report, for JSON only, and release it. */
void check_report_print(json_t *report, enum tool_format format);

/** List the checks and their assumptions. */
void check_list_print(const struct check_table *table, enum tool_format format);

#endif /* CHECK_REPORT_H */
