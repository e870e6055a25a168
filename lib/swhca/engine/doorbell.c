/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "engine/doorbell.h"
#include "swhca_cq.h"
#include "swhca_engine.h"
#include "swhca_eq.h"
#include "swhca_log.h"

/* One half of a BlueField register. */
#define HALF_SIZE (PRM_UAR_BF_REG_SIZE / 2)

struct swhca_rung
swhca_rung_decode(uint64_t value)
{
	const struct {
		uint32_t opmod_idx_opcode;
		uint32_t qpn_ds;
	} *ctrl = (const void *)&value;
	uint32_t word = be32toh(ctrl->opmod_idx_opcode);
	uint32_t qpn_ds = be32toh(ctrl->qpn_ds);

	return (struct swhca_rung){
		.qpn = qpn_ds >> 8,
		.nb_bb = prm_ds_to_wqebb(qpn_ds & PRM_WQE_MAX_DS),
		.index = (uint16_t)(word >> 8),
		.opcode = (uint8_t)word,
	};
}

struct swhca_qp *
swhca_uar_qp_find(const struct swhca_uar *uar, uint32_t qpn)
{
	struct swhca_qp *qp;

	LIST_FOREACH(qp, &uar->qps, uar_link)
		if (qp->obj.num == qpn)
			return qp;
	return NULL;
}

/*
 * Take the doorbells of one page. A queue writes its record before it rings, so whatever was rung
 * before the exchange is in a record that is read after it: queues that overwrite each other's
 * doorbell lose nothing, because one doorbell makes the engine look at all queues of the page.
 * Queues that are executed need no more, so the values are not used; a BlueField write begins with
 * the same 8 bytes, in either half of a register.
 */
unsigned int
swhca_doorbells_take(struct swhca_hca *hca, struct swhca_uar *uar)
{
	uint64_t values[PRM_UAR_NB_BF * 2];
	unsigned int i, nb_rung = 0;
	struct swhca_qp *qp;
	uint64_t *doorbell;

	if (LIST_EMPTY(&uar->qps))
		return 0;

	for (i = 0; i < PRM_UAR_NB_BF * 2; i++) {
		doorbell = (uint64_t *)((uint8_t *)uar->page + PRM_UAR_BF_OFFSET + i * HALF_SIZE);
		if (__atomic_load_n(doorbell, __ATOMIC_RELAXED) == 0)
			continue;
		values[nb_rung++] = __atomic_exchange_n(doorbell, 0, __ATOMIC_SEQ_CST);
	}
	if (nb_rung == 0)
		return 0;
	hca->stats.nb_doorbells += nb_rung;
	if (hca->conf.is_ack_only) {
		swhca_ack_doorbells(uar, values, nb_rung);
		return nb_rung;
	}
	LIST_FOREACH(qp, &uar->qps, uar_link)
		swhca_qp_schedule(qp);
	return nb_rung;
}
