/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_RESOURCE_ALL_H
#define SWHCA_RESOURCE_ALL_H

/**
 * @file
 * Objects of all processes of a run.
 */

#include <stddef.h>

struct swhca_resource;

/** Objects of a device. */
struct swhca_resources {
	struct swhca_resource *list;
	size_t nb;
};

/**
 * Get the objects of all processes of the run. A process that does not answer within a second is
 * skipped.
 *
 * @param resources
 *   Written on success; the caller frees the list.
 * @return
 *   0 or -ENOMEM.
 */
int swhca_resources_all(unsigned int dev_index, struct swhca_resources *resources);

#endif /* SWHCA_RESOURCE_ALL_H */
