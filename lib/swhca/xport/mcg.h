/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_MCG_H
#define SWHCA_MCG_H

/**
 * @file
 * Multicast groups: which queue pairs of an HCA receive what is sent to a group's GID.
 */

#include "queue/qp.h"

/** log2 of the members of all groups together. */
#define SWHCA_LOG_MAX_MCG 10u
/** Members of one group. */
#define SWHCA_MAX_QP_MCG 64u

/** A queue pair in a group; it holds a reference of it. */
struct swhca_mcg_member {
	uint8_t gid[16];
	struct swhca_qp *qp;
	LIST_ENTRY(swhca_mcg_member) link;
};

/** @return Membership of a queue pair in a group, or NULL. */
struct swhca_mcg_member *swhca_mcg_find(const struct swhca_hca *hca, const uint8_t gid[16],
					const struct swhca_qp *qp);
/** Members of one group, and of all. */
void swhca_mcg_count(const struct swhca_hca *hca, const uint8_t gid[16], unsigned int *nb,
		     unsigned int *nb_all);
/** @return 0 or -ENOMEM. */
int swhca_mcg_join(struct swhca_hca *hca, const uint8_t gid[16], struct swhca_qp *qp);
void swhca_mcg_leave(struct swhca_mcg_member *member);
/** Forget all members of an HCA that goes away. */
void swhca_mcg_fini(struct swhca_hca *hca);

#endif /* SWHCA_MCG_H */
