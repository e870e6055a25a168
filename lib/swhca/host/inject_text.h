/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_HOST_INJECT_TEXT_H
#define SWHCA_HOST_INJECT_TEXT_H

/**
 * @file
 * Faults of the data path as text: CLASS[+CLASS]...[,KEY=VALUE]... (doc/guides/tools/swhca.rst).
 */

#include <stddef.h>

#include "include/inject.h"

/** Maximum size of a text, including its end. */
#define SWHCA_INJECT_TEXT_MAX 256u

/** Error message for a word that is not a class. */
extern const char swhca_inject_no_class[];

/** Name of a class, e.g. "error-cqe". */
const char *swhca_inject_class_name(enum swhca_inject_class cls);
/** Find a class by name. @return SWHCA_NB_INJECT_CLASSES if there is none. */
enum swhca_inject_class swhca_inject_class_find(const char *name);

/**
 * Parse a text.
 *
 * @param injects
 *   One per class; written on success, like nb.
 * @return
 *   Error message, valid until the next call of the thread, or NULL.
 */
const char *swhca_inject_read(const char *text,
			      struct swhca_inject injects[SWHCA_NB_INJECT_CLASSES],
			      unsigned int *nb);
/** @return Error message for a text, as of swhca_inject_read(), or NULL. */
const char *swhca_inject_check(const char *text);

/** Arm a device with a text, which may be empty. @return 0, -EINVAL (the text) or -ENOSPC. */
int swhca_inject_arm(struct swhca_hca *hca, const char *text);

/**
 * Print a fault in parsable form, without default values, and the number of times that it fired.
 *
 * @return
 *   As snprintf(3).
 */
size_t swhca_inject_print(const struct swhca_inject_state *state, char *text, size_t size);

#endif /* SWHCA_HOST_INJECT_TEXT_H */
