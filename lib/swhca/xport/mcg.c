/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "xport/mcg.h"

struct swhca_mcg_member *
swhca_mcg_find(const struct swhca_hca *hca, const uint8_t gid[16], const struct swhca_qp *qp)
{
	struct swhca_mcg_member *member;

	LIST_FOREACH(member, &hca->mcg_members, link) {
		if (member->qp == qp && memcmp(member->gid, gid, sizeof(member->gid)) == 0)
			return member;
	}
	return NULL;
}

void
swhca_mcg_count(const struct swhca_hca *hca, const uint8_t gid[16], unsigned int *nb,
		unsigned int *nb_all)
{
	const struct swhca_mcg_member *member;

	*nb = 0;
	*nb_all = 0;
	LIST_FOREACH(member, &hca->mcg_members, link) {
		(*nb_all)++;
		if (memcmp(member->gid, gid, sizeof(member->gid)) == 0)
			(*nb)++;
	}
}

static bool
is_there(const struct swhca_hca *hca, const uint8_t gid[16])
{
	unsigned int nb, nb_all;

	swhca_mcg_count(hca, gid, &nb, &nb_all);
	return nb != 0;
}

int
swhca_mcg_join(struct swhca_hca *hca, const uint8_t gid[16], struct swhca_qp *qp)
{
	struct swhca_mcg_member *member = calloc(1, sizeof(*member));

	if (member == NULL)
		return -ENOMEM;
	memcpy(member->gid, gid, sizeof(member->gid));
	member->qp = qp;
	swhca_obj_ref(&qp->obj);
	if (!is_there(hca, gid))
		hca->fabric->wire->group(hca, gid, true);
	LIST_INSERT_HEAD(&hca->mcg_members, member, link);
	return 0;
}

void
swhca_mcg_leave(struct swhca_mcg_member *member)
{
	struct swhca_hca *hca = member->qp->hca;

	LIST_REMOVE(member, link);
	if (!is_there(hca, member->gid))
		hca->fabric->wire->group(hca, member->gid, false);
	swhca_obj_unref(&member->qp->obj);
	free(member);
}

void
swhca_mcg_fini(struct swhca_hca *hca)
{
	while (!LIST_EMPTY(&hca->mcg_members))
		swhca_mcg_leave(LIST_FIRST(&hca->mcg_members));
}
