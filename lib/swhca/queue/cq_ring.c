/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * CQ rings: space, ownership, 128-byte entries, compressed sessions, failure of a ring.
 *
 * Where a CQ requests compression, successful receive completions that differ only in length,
 * checksum and hash are held back until the engine has no more of them, and written as a session
 * (Linux: mlx5e_decompress_cqes_start()): a title CQE with the number of completions in its byte
 * count, and in the slots after it arrays of eight mini CQEs, the title's own first. A session
 * occupies as many slots as it has completions; unused ones are not written.
 */

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "queue/cq_event.h"
#include "queue/cq_ring.h"
#include "queue/eq.h"

/* Width of the consumer counter in the doorbell record. */
#define COUNTER_MASK 0xffffffu

static uint32_t
cq_size(const struct swhca_cq *cq)
{
	return UINT32_C(1) << cq->log_size;
}

/*
 * Read the consumer counter. The record has 24 bits; pi has 32. Software consumes the CQE that ends
 * a ring when it switches to the next, but updates its counter with the next poll.
 */
static int
ci_update(const struct swhca_fabric *fabric, struct swhca_cq *cq)
{
	uint32_t ci;
	int ret;

	ret = swhca_dbr_read(fabric, &cq->dbr, PRM_DBR_RQ, &ci);
	if (ret != 0)
		return ret;
	ci &= COUNTER_MASK;
	if (ci != cq->resize_ci)
		cq->nb_resizes = 0;
	cq->ci = cq->pi - ((cq->pi - ci) & COUNTER_MASK) + cq->nb_resizes;
	return 0;
}

/* Check for space for one more CQE; only re-read the consumer counter when the ring seems full. */
static bool
has_room(const struct swhca_fabric *fabric, struct swhca_cq *cq)
{
	uint32_t pi = cq->pi + cq->session.nb + cq->nb_held;

	if (cq->ignore_overrun || pi - cq->ci < cq_size(cq))
		return true;
	return ci_update(fabric, cq) == 0 && pi - cq->ci < cq_size(cq);
}

uint32_t
swhca_cq_nb_used(const struct swhca_fabric *fabric, struct swhca_cq *cq)
{
	ci_update(fabric, cq);
	return cq->pi - cq->ci;
}

void
swhca_cq_fail(struct swhca_hca *hca, struct swhca_cq *cq, uint8_t syndrome)
{
	cq->failed = true;
	swhca_event_raise_cq_error(hca, cq->obj.num, syndrome);
}

/* Address of 64 bytes of slot `index`; the second half of a 128-byte entry is the CQE. */
static int
slot_span(const struct swhca_cq *cq, uint32_t index, bool is_head, uint64_t *addr)
{
	uint64_t offset = (uint64_t)(index & (cq_size(cq) - 1)) << cq->log_cqe;
	uint64_t span;
	int ret;

	if (!is_head)
		offset += (UINT64_C(1) << cq->log_cqe) - sizeof(struct mlx5_cqe64);
	ret = swhca_buf_span(&cq->buf, offset, addr, &span);
	return ret != 0 || span < sizeof(struct mlx5_cqe64) ? -1 : 0;
}

/* Write an entry at pi, its ownership last. */
static bool
entry_write(struct swhca_hca *hca, struct swhca_cq *cq, struct mlx5_cqe64 *cqe,
	    const uint8_t *head)
{
	static const uint8_t padding[sizeof(*cqe)];
	const struct swhca_dma *dma = hca->fabric->dma;
	uint64_t addr;
	int ret = 0;

	cqe->op_own |= (cq->pi >> cq->log_size) & 1;
	if (swhca_trace_is_on())
		swhca_trace_cqe(cq->obj.num, cq->pi & (cq_size(cq) - 1), cqe);
	if (head == NULL && cq->is_padded)
		head = padding;
	if (head != NULL) {
		ret = slot_span(cq, cq->pi, true, &addr);
		if (ret == 0)
			ret = dma->write(dma, addr, head, sizeof(*cqe));
	}
	if (ret == 0)
		ret = slot_span(cq, cq->pi, false, &addr);
	if (ret == 0)
		ret = dma->write_last(dma, addr, cqe, sizeof(*cqe));
	if (ret == 0)
		return true;
	SWHCA_LOG(ERR, "CQ 0x%x: entry %u is not mapped; no more CQEs are written", cq->obj.num,
		  cq->pi & (cq_size(cq) - 1));
	swhca_cq_fail(hca, cq, PRM_CQ_ERROR_ACCESS);
	return false;
}

/* Errors are also solicited completions (IBTA 11.4.2.2). */
static bool
is_solicited(const struct mlx5_cqe64 *cqe)
{
	uint8_t opcode = PRM_CQE_OPCODE(cqe->op_own);

	return (cqe->op_own & PRM_CQE_SE) != 0 || opcode == MLX5_CQE_REQ_ERR ||
	       opcode == MLX5_CQE_RESP_ERR || opcode == PRM_CQE_OPCODE_SIGERR;
}

/* Write the mini CQEs of a session, after the slot of its title. */
static bool
session_write_minis(struct swhca_hca *hca, struct swhca_cq *cq)
{
	const struct swhca_dma *dma = hca->fabric->dma;
	uint8_t block[PRM_MINI_CQES_PER_SLOT * PRM_MINI_CQE_SIZE];
	uint32_t i, nb;
	uint64_t addr;

	for (i = 0; i < cq->session.nb; i += nb) {
		nb = cq->session.nb - i;
		if (nb > PRM_MINI_CQES_PER_SLOT)
			nb = PRM_MINI_CQES_PER_SLOT;
		memset(block, 0, sizeof(block));
		memcpy(block, cq->session.minis[i], (size_t)nb * PRM_MINI_CQE_SIZE);
		if (slot_span(cq, cq->pi + 1 + i / PRM_MINI_CQES_PER_SLOT, false, &addr) != 0 ||
		    dma->write(dma, addr, block, sizeof(block)) != 0) {
			SWHCA_LOG(ERR, "CQ 0x%x: mini CQEs behind entry %u are not mapped",
				  cq->obj.num, cq->pi & (cq_size(cq) - 1));
			swhca_cq_fail(hca, cq, PRM_CQ_ERROR_ACCESS);
			return false;
		}
	}
	return true;
}

void
swhca_cq_flush(struct swhca_hca *hca, struct swhca_cq *cq)
{
	struct swhca_cq_session *session = &cq->session;
	struct mlx5_cqe64 *title = (struct mlx5_cqe64 *)session->title;
	uint32_t nb = session->nb;

	if (nb == 0)
		return;
	LIST_REMOVE(cq, open_link);
	if (!cq->failed && nb > 1) {
		title->byte_cnt = htobe32(nb);
		title->op_own |= PRM_CQE_FORMAT_COMPRESSED;
		session_write_minis(hca, cq);
	}
	session->nb = 0;
	if (cq->failed || !entry_write(hca, cq, title, NULL))
		return;
	cq->pi += nb;
	hca->stats.nb_cqes += nb;
	swhca_cq_notify(hca, cq, nb, is_solicited(title));
}

void
swhca_cq_flush_all(struct swhca_hca *hca)
{
	while (!LIST_EMPTY(&hca->open_cqs))
		swhca_cq_flush(hca, LIST_FIRST(&hca->open_cqs));
}

/* Not with payload in the CQE. */
static bool
may_compress(const struct swhca_cq *cq, const struct mlx5_cqe64 *cqe)
{
	uint8_t opcode = PRM_CQE_OPCODE(cqe->op_own);

	if (!cq->is_compressed || (cqe->op_own & PRM_CQE_FORMAT_MASK) != 0)
		return false;
	return opcode == MLX5_CQE_RESP_SEND || opcode == MLX5_CQE_RESP_SEND_IMM;
}

/* Equal except for the content of a mini CQE, the time and the WQE, which must be the next. */
static bool
is_mergeable(const struct swhca_cq *cq, const struct mlx5_cqe64 *cqe)
{
	const struct mlx5_cqe64 *title = (const struct mlx5_cqe64 *)cq->session.title;
	uint16_t next = (uint16_t)(be16toh(title->wqe_counter) + cq->session.nb);

	return cq->session.nb != 0 && cqe->op_own == title->op_own &&
	       cqe->sop_drop_qpn == title->sop_drop_qpn && cqe->srqn_uidx == title->srqn_uidx &&
	       cqe->flags_rqpn == title->flags_rqpn && cqe->slid == title->slid &&
	       cqe->imm_inval_pkey == title->imm_inval_pkey && be16toh(cqe->wqe_counter) == next;
}

static void
mini_fill(const struct swhca_cq *cq, const struct mlx5_cqe64 *cqe, uint8_t *mini)
{
	const uint8_t *bytes = (const uint8_t *)cqe;

	memset(mini, 0, PRM_MINI_CQE_SIZE);
	if (cq->mini_format == PRM_CQC_MINI_CQE_HASH)
		memcpy(mini, bytes + PRM_CQE_RX_HASH_BYTE, sizeof(uint32_t));
	else
		memcpy(mini, bytes + PRM_CQE_CHECK_SUM_BYTE, sizeof(uint16_t));
	if (cq->mini_format == PRM_CQC_MINI_CQE_CSUM_STRIDX)
		memcpy(mini + 2, &cqe->wqe_counter, sizeof(cqe->wqe_counter));
	memcpy(mini + 4, &cqe->byte_cnt, sizeof(cqe->byte_cnt));
}

static void
session_add(struct swhca_hca *hca, struct swhca_cq *cq, const struct mlx5_cqe64 *cqe)
{
	struct swhca_cq_session *session = &cq->session;

	if (session->nb == 0) {
		memcpy(session->title, cqe, sizeof(*cqe));
		LIST_INSERT_HEAD(&hca->open_cqs, cq, open_link);
	}
	mini_fill(cq, cqe, session->minis[session->nb]);
	session->nb++;
	/* Its mini CQEs must not exceed its own slots, which wrap around the ring. */
	if (session->nb == SWHCA_CQ_SESSION_MAX || session->nb == cq_size(cq))
		swhca_cq_flush(hca, cq);
}

/* Write a CQE that fits. @return false: the ring is not mapped. */
static bool
cqe_put(struct swhca_hca *hca, struct swhca_cq *cq, struct mlx5_cqe64 *cqe, const uint8_t *head)
{
	if (!is_mergeable(cq, cqe))
		swhca_cq_flush(hca, cq);
	if (may_compress(cq, cqe)) {
		session_add(hca, cq, cqe);
		return !cq->failed;
	}
	if (cq->failed || !entry_write(hca, cq, cqe, head))
		return false;
	cq->pi++;
	hca->stats.nb_cqes++;
	swhca_cq_notify(hca, cq, 1, is_solicited(cqe));
	return true;
}

/* Write CQEs that are due, up to the first that is not: the order is kept. */
static unsigned int
held_write(struct swhca_hca *hca, struct swhca_cq *cq, uint64_t until_ns)
{
	struct swhca_cq_held *held;
	unsigned int nb = 0;

	while ((held = TAILQ_FIRST(&cq->held)) != NULL && held->due_ns <= until_ns) {
		TAILQ_REMOVE(&cq->held, held, link);
		cq->nb_held--;
		if (!cq->failed)
			cqe_put(hca, cq, (struct mlx5_cqe64 *)held->cqe,
				held->has_head ? held->head : NULL);
		free(held);
		nb++;
	}
	if (nb != 0 && cq->nb_held == 0)
		LIST_REMOVE(cq, held_link);
	return nb;
}

void
swhca_cq_release(struct swhca_hca *hca, struct swhca_cq *cq)
{
	held_write(hca, cq, UINT64_MAX);
}

void
swhca_cq_release_all(struct swhca_hca *hca)
{
	while (!LIST_EMPTY(&hca->held_cqs))
		swhca_cq_release(hca, LIST_FIRST(&hca->held_cqs));
}

static uint32_t
cqe_qpn(const struct mlx5_cqe64 *cqe)
{
	return be32toh(cqe->sop_drop_qpn) & 0xffffff;
}

static void
held_drop(struct swhca_cq *cq)
{
	struct swhca_cq_held *held;

	if (cq->nb_held != 0)
		LIST_REMOVE(cq, held_link);
	cq->nb_held = 0;
	while ((held = TAILQ_FIRST(&cq->held)) != NULL) {
		TAILQ_REMOVE(&cq->held, held, link);
		free(held);
	}
}

void
swhca_cq_drop_qp(struct swhca_cq *cq, uint32_t qpn)
{
	struct swhca_cq_held *held, *next;

	for (held = TAILQ_FIRST(&cq->held); held != NULL; held = next) {
		next = TAILQ_NEXT(held, link);
		if (cqe_qpn((const struct mlx5_cqe64 *)held->cqe) != qpn)
			continue;
		TAILQ_REMOVE(&cq->held, held, link);
		free(held);
		if (--cq->nb_held == 0)
			LIST_REMOVE(cq, held_link);
	}
}

void
swhca_cq_drop_all(struct swhca_hca *hca)
{
	while (!LIST_EMPTY(&hca->held_cqs))
		held_drop(LIST_FIRST(&hca->held_cqs));
}

unsigned int
swhca_cq_poll_held(struct swhca_hca *hca)
{
	struct swhca_cq *cq, *next;
	uint64_t now = swhca_now_ns();
	unsigned int nb = 0;

	for (cq = LIST_FIRST(&hca->held_cqs); cq != NULL; cq = next) {
		next = LIST_NEXT(cq, held_link);
		nb += held_write(hca, cq, now);
	}
	return nb;
}

/* Time until which a CQE is held back, 0: none. To keep the order, it waits for earlier ones. */
static uint64_t
cqe_due_ns(struct swhca_hca *hca, const struct swhca_cq *cq, const struct mlx5_cqe64 *cqe)
{
	uint32_t qpn = cqe_qpn(cqe);
	const struct swhca_cq_held *last;
	const struct swhca_inject *inject = NULL;
	uint64_t due_ns = 0;

	if (swhca_inject_is_armed(&hca->injects, SWHCA_INJECT_AT_CQE))
		inject = swhca_inject_at(hca, SWHCA_INJECT_AT_CQE, qpn);
	if (inject != NULL)
		due_ns = swhca_now_ns() + inject->time_us * UINT64_C(1000);
	last = TAILQ_LAST(&cq->held, swhca_held_list);
	return last != NULL && last->due_ns > due_ns ? last->due_ns : due_ns;
}

/* @return false: no reason to hold it back, or no memory; it is then written next. */
static bool
cqe_hold(struct swhca_hca *hca, struct swhca_cq *cq, const struct mlx5_cqe64 *cqe,
	 const uint8_t *head)
{
	uint64_t due_ns = cqe_due_ns(hca, cq, cqe);
	struct swhca_cq_held *held;

	if (due_ns == 0)
		return false;
	/* A CQ that ignores overruns could hold back more CQEs than it has entries. */
	if (cq->nb_held == cq_size(cq)) {
		SWHCA_LOG(WARNING, "CQ 0x%x: %u CQEs are held back, as many as it has entries: "
			  "all are written now", cq->obj.num, cq->nb_held);
		swhca_cq_release(hca, cq);
		return false;
	}
	held = malloc(sizeof(*held));
	if (held == NULL) {
		swhca_cq_release(hca, cq);
		return false;
	}
	held->due_ns = due_ns;
	held->has_head = head != NULL;
	memcpy(held->cqe, cqe, sizeof(*cqe));
	if (head != NULL)
		memcpy(held->head, head, sizeof(held->head));
	TAILQ_INSERT_TAIL(&cq->held, held, link);
	if (cq->nb_held++ == 0)
		LIST_INSERT_HEAD(&hca->held_cqs, cq, held_link);
	return true;
}

bool
swhca_cq_write(struct swhca_hca *hca, struct swhca_cq *cq, struct mlx5_cqe64 *cqe,
	       const uint8_t *head)
{
	if (cq->failed)
		return false;
	if (!has_room(hca->fabric, cq)) {
		swhca_cq_release(hca, cq);
		swhca_cq_flush(hca, cq);
		SWHCA_LOG(ERR, "CQ 0x%x: overrun, %u entries; no more CQEs are written",
			  cq->obj.num, cq_size(cq));
		swhca_cq_fail(hca, cq, PRM_CQ_ERROR_OVERRUN);
		return false;
	}
	if ((cq->nb_held != 0 || swhca_inject_is_armed(&hca->injects, SWHCA_INJECT_AT_CQE)) &&
	    cqe_hold(hca, cq, cqe, head))
		return true;
	return cqe_put(hca, cq, cqe, head);
}

bool
swhca_cq_write_resize(struct swhca_hca *hca, struct swhca_cq *cq)
{
	struct mlx5_cqe64 cqe = { .op_own = MLX5_CQE_RESIZE_CQ << 4 };

	swhca_cq_release(hca, cq);
	swhca_cq_flush(hca, cq);
	if (cq->failed || !entry_write(hca, cq, &cqe, NULL))
		return false;
	/* Store the current counter, and the number of resizes not counted in it. */
	ci_update(hca->fabric, cq);
	cq->resize_ci = (cq->ci - cq->nb_resizes) & COUNTER_MASK;
	cq->nb_resizes++;
	cq->pi++;
	return true;
}

void
swhca_cq_ring_fini(struct swhca_cq *cq)
{
	held_drop(cq);
	if (cq->umem != NULL)
		swhca_obj_unref(&cq->umem->obj);
	else
		swhca_buf_fini(&cq->buf);
}
