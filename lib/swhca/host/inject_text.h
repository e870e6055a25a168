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

/** Longest text, with its end. */
#define SWHCA_INJECT_TEXT_MAX 256u

/** Name of a class: "error-cqe". */
const char *swhca_inject_class_name(enum swhca_inject_class cls);
/** Class of a name. @return SWHCA_NB_INJECT_CLASSES if there is none. */
enum swhca_inject_class swhca_inject_class_find(const char *name);

/**
 * Read a text.
 *
 * @param injects
 *   One for each class; written on success, as nb.
 * @return
 *   What is wrong with it, or NULL.
 */
const char *swhca_inject_read(const char *text,
			      struct swhca_inject injects[SWHCA_NB_INJECT_CLASSES],
			      unsigned int *nb);
/** @return What is wrong with a text, or NULL. */
const char *swhca_inject_check(const char *text);

/** Arm a device with a text, which may be empty. @return 0, -EINVAL (the text) or -ENOSPC. */
int swhca_inject_arm(struct swhca_hca *hca, const char *text);

/**
 * Write one as it could be read again, without what is as it would be anyway; and how often it has
 * fired.
 *
 * @return
 *   As snprintf(3).
 */
size_t swhca_inject_print(const struct swhca_inject_state *state, char *text, size_t size);

#endif /* SWHCA_HOST_INJECT_TEXT_H */
