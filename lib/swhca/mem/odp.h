/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ODP_H
#define SWHCA_ODP_H

/**
 * @file
 * On-demand paging: which pages of a key the device may touch right now.
 *
 * Two kinds of keys have pages that come and go. An explicit one is a list of page addresses with
 * pg_access, whose entries begin without a right. An implicit one is a KSM over all of the address
 * space, whose entries begin as the null key; the first access to an entry gives it a child, which
 * has the access bits of each page of it. Only keys of the kernel (uid 0) are paged: nobody would
 * resolve the faults of others.
 *
 * This is for a front end that is driver and kernel in one: a fault is resolved at once, by a look
 * at host memory, and the notice that a page goes away comes by swhca_hca_pages_invalidate().
 * Below a driver (swhca_hca_conf.has_page_fault_events) nothing of it is used: the driver writes
 * translations, and an access that finds none is an event; see queue/page_fault.h.
 */

#include "mem/mkey.h"

struct swhca_odp;

/** Make a new key paged if it is of one of the two kinds. @return 0 or -ENOMEM. */
int swhca_odp_init(struct swhca_hca *hca, struct swhca_mkey *mkey, bool pg_access);
/** A key goes: forget its pages. NULL is accepted. */
void swhca_odp_fini(struct swhca_odp *odp);

/** Address of the first page in a translation that has any. */
uint64_t swhca_odp_first_page(const struct swhca_mkey *mkey);
/** Do the pages of a translation follow each other, as memory of a process does? */
bool swhca_odp_is_linear(const struct swhca_mkey *mkey);

/** Somebody wrote to the translation of a key. */
void swhca_odp_changed(struct swhca_mkey *mkey);

/**
 * An access to an entry of page addresses that does not grant it.
 *
 * @return
 *   SWHCA_FAULT_NONE if the fault was resolved: the entry now grants the access; else why not.
 */
enum swhca_fault swhca_odp_page_fault(const struct swhca_mkey *mkey, uint64_t index);

/**
 * An access to a page of an entry of an implicit key.
 *
 * @param entry
 *   Number of the KSM entry.
 * @param page
 *   Number of the page in it.
 */
enum swhca_fault swhca_odp_implicit_access(const struct swhca_mkey *mkey, uint32_t entry,
					   uint64_t page, uint8_t need);

#endif /* SWHCA_ODP_H */
