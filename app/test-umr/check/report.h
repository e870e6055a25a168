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

/** A device and its results. @return NULL: it cannot be asked any more. */
json_t *check_report_device(const struct check_table *table, struct ibv_device *device);

/** Print all of it and release it. */
void check_report_print(json_t *report, enum tool_format format);

/** Print what there is, with what is assumed. */
void check_list_print(const struct check_table *table, enum tool_format format);

#endif /* CHECK_REPORT_H */
