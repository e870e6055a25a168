/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ODP_H
#define SWHCA_ODP_H

/**
 * @file
 * On-demand paging: pages of a key that the device may access now.
 *
 * Two kinds of keys are paged. An explicit key is a list of page addresses with pg_access, whose
 * entries initially grant no access. An implicit key is a KSM over the whole address space, whose
 * entries are initially the null key; the first access to an entry creates a child with the access
 * bits of each page of it. Only keys of the kernel (uid 0) are paged, as faults of others could not
 * be resolved.
 *
 * This is for a front end that is driver and kernel in one: a fault is resolved at once by checking
 * host memory, and swhca_hca_pages_invalidate() reports pages that go away. Below a driver
 * (swhca_hca_conf.has_page_fault_events) it is not used: the driver writes translations, and an
 * access without one raises an event; see queue/page_fault.h.
 */

#include "mem/mkey.h"

struct swhca_odp;

/** Make a new key paged if it is of either kind. @return 0 or -ENOMEM. */
int swhca_odp_init(struct swhca_hca *hca, struct swhca_mkey *mkey, bool pg_access);
/** Drop the pages of a key that is destroyed. NULL is accepted. */
void swhca_odp_fini(struct swhca_odp *odp);

/** Address of the first page in a translation that is not empty. */
uint64_t swhca_odp_first_page(const struct swhca_mkey *mkey);
/** Check whether the pages of a translation are contiguous, as memory of a process is. */
bool swhca_odp_is_linear(const struct swhca_mkey *mkey);

/** The translation of a key was written. */
void swhca_odp_changed(struct swhca_mkey *mkey);

/**
 * Resolve an access to an entry of page addresses that does not grant it.
 *
 * @return
 *   SWHCA_FAULT_NONE if the entry now grants the access; else the fault.
 */
enum swhca_fault swhca_odp_page_fault(const struct swhca_mkey *mkey, uint64_t index);

/**
 * Access a page of an entry of an implicit key.
 *
 * @param entry
 *   Number of the KSM entry.
 * @param page
 *   Number of the page in it.
 */
enum swhca_fault swhca_odp_implicit_access(const struct swhca_mkey *mkey, uint32_t entry,
					   uint64_t page, uint8_t need);

#endif /* SWHCA_ODP_H */
