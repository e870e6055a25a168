/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "queue/sched.h"

static struct swhca_sched *
sched_parent(const struct swhca_hca *hca, const struct swhca_sched *sched)
{
	return sched->parent == 0 ?
		       NULL :
		       (struct swhca_sched *)swhca_table_get(&hca->tables[SWHCA_OBJ_SCHED],
							     sched->parent);
}

uint64_t
swhca_sched_wait_ns(const struct swhca_hca *hca, const struct swhca_sched *sched, uint64_t now)
{
	uint64_t wait_ns, longest = 0;

	for (; sched != NULL; sched = sched_parent(hca, sched)) {
		wait_ns = swhca_pacer_wait_ns(&sched->pacer, now);
		if (wait_ns > longest)
			longest = wait_ns;
	}
	return longest;
}

void
swhca_sched_charge(const struct swhca_hca *hca, struct swhca_sched *sched, uint64_t now,
		   uint64_t bytes)
{
	for (; sched != NULL; sched = sched_parent(hca, sched))
		swhca_pacer_charge(&sched->pacer, now, bytes);
}

/* Find the parent by number: when a whole HCA is destroyed, it may be gone already. */
void
swhca_sched_fini(struct swhca_hca *hca, struct swhca_obj *obj)
{
	struct swhca_sched *parent = sched_parent(hca, (struct swhca_sched *)obj);

	if (parent != NULL)
		swhca_obj_unref(&parent->obj);
}
