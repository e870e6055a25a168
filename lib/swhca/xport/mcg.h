/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_MCG_H
#define SWHCA_MCG_H

/**
 * @file
 * Multicast groups: the queue pairs of an HCA that receive messages to a group's GID.
 */

#include "queue/qp.h"

/** log2 of the maximum number of members of all groups. */
#define SWHCA_LOG_MAX_MCG 10u
/** Maximum members of one group. */
#define SWHCA_MAX_QP_MCG 64u

/** A queue pair in a group, which holds a reference on it. */
struct swhca_mcg_member {
	uint8_t gid[16];
	struct swhca_qp *qp;
	LIST_ENTRY(swhca_mcg_member) link;
};

/** @return Membership of a queue pair in a group, or NULL. */
struct swhca_mcg_member *swhca_mcg_find(const struct swhca_hca *hca, const uint8_t gid[16],
					const struct swhca_qp *qp);
/** Count the members of one group, and of all. */
void swhca_mcg_count(const struct swhca_hca *hca, const uint8_t gid[16], unsigned int *nb,
		     unsigned int *nb_all);
/** @return 0 or -ENOMEM. */
int swhca_mcg_join(struct swhca_hca *hca, const uint8_t gid[16], struct swhca_qp *qp);
void swhca_mcg_leave(struct swhca_mcg_member *member);
/** Remove all members of an HCA that is destroyed. */
void swhca_mcg_fini(struct swhca_hca *hca);

#endif /* SWHCA_MCG_H */
