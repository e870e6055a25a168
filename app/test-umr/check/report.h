/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CHECK_REPORT_H
#define CHECK_REPORT_H

/**
 * @file
 * What was found, and on what: a report that can be sent. The guide has the members of its JSON.
 */

#include <jansson.h>

#include "tool/tool.h"
#include "check/run.h"

/** PCI address of a device, or an empty text. */
void check_pci_address(const struct ibv_device *device, char *text, size_t size);

/** Kernel and libraries. */
json_t *check_report_host(void);

/** A device, without results: it may be gone when there are some. @return NULL: complains. */
json_t *check_report_device(struct ibv_device *device, uint8_t port);

/** Add the results to what check_report_device() returned. */
void check_report_results(json_t *device, const struct check_table *table);

/*
 * Tables and CSV are printed as they come, so that an end of the program leaves what was there
 * before. These do nothing for JSON.
 */

void check_print_host(const json_t *report, enum tool_format format);
void check_print_device(const json_t *device, enum tool_format format);
void check_print_entry(const json_t *device, const struct check_entry *entry,
		       enum tool_format format);
/** With its results. */
void check_print_totals(const json_t *device, enum tool_format format);

/** Print it, for JSON only, and release it. */
void check_report_print(json_t *report, enum tool_format format);

/** Print what there is, with what is assumed. */
void check_list_print(const struct check_table *table, enum tool_format format);

#endif /* CHECK_REPORT_H */
