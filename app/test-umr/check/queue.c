/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* What a send queue reports on success and on failure. */

#include <endian.h>
#include <string.h>

#include <rte_common.h>
#include <rte_io.h>

#include "check/bed.h"

#define NB_BEHIND	4u
#define NB_COPIES	8u
/* Wait after the last completion that is certain to arrive. */
#define SETTLE_MS	100u
#define OPERAND		UINT64_C(0x0102030405060708)

static void
write_post(struct check_bed *bed, uint32_t lkey, bool is_signaled)
{
	struct check_wqe wqe;

	check_write_init(bed, &wqe, lkey, bed->mr->rkey);
	if (!is_signaled)
		wqe.fm_ce_se &= (uint8_t)~PRM_CTRL_CE_MASK;
	check_qp_post(&bed->qp, &wqe);
}

/* Take the first completion of what was posted, or observe that there is none. */
static bool
first_completion(struct check_bed *bed, struct check_cqe *cqe)
{
	check_qp_ring(&bed->qp);
	return check_completion(bed, &bed->qp.send_cq, cqe);
}

static void
counter_run(struct check_bed *bed)
{
	struct check_key *key = check_key_create(bed, &(struct check_key_attr){ .nb_klm = 1 });
	const struct check_klm klm = check_piece(bed, 0);
	struct check_umr umr = {
		.access = CHECK_ACCESS_ALL, .len = CHECK_PIECE, .klms = &klm, .nb_klm = 1,
	};
	struct check_wqe wqe;
	struct check_cqe cqe;

	if (key == NULL)
		return;
	write_post(bed, bed->mr->lkey, false);
	umr.key = key->key;
	umr.tag = (uint8_t)key->key;
	/* Three blocks, from 1 to 3. */
	check_wqe_umr(&wqe, &umr);
	check_qp_post(&bed->qp, &wqe);
	if (first_completion(bed, &cqe))
		check_observe(bed, "%s, block %u of 1 to 3", check_cqe_word(&cqe), cqe.counter);
}

static void
unsignaled_run(struct check_bed *bed)
{
	struct check_cqe cqe;

	write_post(bed, CHECK_BAD_KEY, false);
	write_post(bed, bed->mr->lkey, true);
	if (first_completion(bed, &cqe))
		check_observe(bed, "first completion: %s of WQE %u", check_cqe_word(&cqe),
			      cqe.counter);
}

static void
flush_run(struct check_bed *bed)
{
	uint32_t nb_flushed = 0, nb_other = 0, nb_late = 0;
	struct check_cqe cqe;

	write_post(bed, CHECK_BAD_KEY, true);
	for (uint32_t i = 0; i < NB_BEHIND; i++)
		write_post(bed, bed->mr->lkey, i == NB_BEHIND - 1);
	if (!first_completion(bed, &cqe))
		return;
	while (nb_flushed + nb_other < NB_BEHIND &&
	       check_cq_wait_ms(&bed->qp.send_cq, &cqe, 10 * SETTLE_MS)) {
		if (strcmp(check_cqe_word(&cqe), "flushed") != 0)
			nb_other++;
		else if (cqe.counter != ++nb_flushed)
			nb_late++;
	}
	check_observe(bed, "%u of %u flushed, %u of them out of order", nb_flushed, NB_BEHIND,
		      nb_late);
}

static void
late_run(struct check_bed *bed)
{
	struct check_wqe wqe;

	check_write_init(bed, &wqe, CHECK_BAD_KEY, bed->mr->rkey);
	check_do(bed, &wqe);
	check_write_init(bed, &wqe, bed->mr->lkey, bed->mr->rkey);
	check_do_observe(bed, &wqe);
}

static void
reset_run(struct check_bed *bed)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct check_wqe wqe;
	struct check_cqe cqe;
	int ret;

	check_write_init(bed, &wqe, bed->mr->lkey, bed->mr->rkey);
	for (uint32_t i = 0; i < 3; i++)
		check_do(bed, &wqe);
	ret = ibv_modify_qp(bed->qp.qp, &attr, IBV_QP_STATE);
	if (ret == 0)
		ret = check_qp_connect(bed, &bed->qp, bed->qp.qp->qp_num);
	if (ret != 0) {
		check_break(bed, "RESET: %s", strerror(ret));
		return;
	}
	bed->qp.pi = 0;
	bed->qp.asked = 0;
	check_qp_post(&bed->qp, &wqe);
	if (first_completion(bed, &cqe))
		check_observe(bed, "%s, block %u", check_cqe_word(&cqe), cqe.counter);
}

/* Fetch and add on the word at an offset of out; the old value goes to another word. */
static void
add_make(struct check_bed *bed, struct check_wqe *wqe, uint64_t add)
{
	check_wqe_init(wqe, MLX5_OPCODE_ATOMIC_FA, bed->fence);
	check_wqe_add_raddr(wqe, bed->mr->rkey, check_out(bed, 0));
	check_wqe_add_atomic(wqe, add, 0);
	check_wqe_add_data(wqe, bed->mr->lkey, check_out(bed, CHECK_PIECE), sizeof(uint64_t));
}

static uint64_t
word_at(const struct check_bed *bed, uint32_t at)
{
	uint64_t word;

	memcpy(&word, bed->out + at, sizeof(word));
	return word;
}

static const char *
order_of(uint64_t value, uint64_t wanted)
{
	if (value == wanted)
		return "of the host";
	return value == htobe64(le64toh(wanted)) ? "swapped" : "another value";
}

static void
atomic_order_run(struct check_bed *bed)
{
	const uint64_t first = OPERAND;
	struct check_wqe wqe;
	const char *word;

	if (!check_has(bed, PRM_CAP_ATOMIC, "atomic"))
		return;
	check_bed_blank(bed);
	memcpy(bed->out, &first, sizeof(first));
	add_make(bed, &wqe, 1);
	word = check_do(bed, &wqe);
	if (!check_is_done(word))
		check_observe(bed, "%s", word);
	else
		check_observe(bed, "sum: %s, old value: %s",
			      order_of(word_at(bed, 0), OPERAND + 1),
			      order_of(word_at(bed, CHECK_PIECE), OPERAND));
}

/*
 * Write a complete WQE to the doorbell register in order, as bf=single of rte_umr does; "at" is the
 * current half in words.
 */
static void
ring_by_copy(struct check_qp *qp, size_t at)
{
	const uint8_t *wqe = qp->ring + (size_t)((qp->pi - 1) % qp->nb_bb) * PRM_WQE_BB_SIZE;
	volatile uint64_t *reg = qp->doorbell + at;
	uint64_t word;

	rte_io_wmb();	/* WQE before its record. */
	qp->dbr[MLX5_SND_DBR] = htobe32(qp->pi & UINT16_MAX);
	rte_wmb();	/* The record before the doorbell. */
	for (unsigned int i = 0; i < PRM_WQE_BB_SIZE / sizeof(word); i++) {
		memcpy(&word, wqe + i * sizeof(word), sizeof(word));
		reg[i] = word;
	}
	rte_wmb();	/* Flush the write-combining buffer. */
}

static void
copy_run(struct check_bed *bed)
{
	const char *word = "done";
	struct check_wqe wqe;
	struct check_cqe cqe;
	size_t half;

	if (prm_get(bed->caps, PRM_CAP_BF) == 0 || prm_get(bed->caps, PRM_CAP_ATOMIC) == 0) {
		check_lacks(bed, "bf, atomic");
		return;
	}
	/* The halves of the register alternate. */
	half = ((size_t)1 << prm_get(bed->caps, PRM_CAP_LOG_BF_REG_SIZE)) / 2 / sizeof(uint64_t);
	memset(bed->out, 0, CHECK_OUT_SIZE);
	/* A device may poll a new queue without a doorbell. */
	add_make(bed, &wqe, 0);
	check_do(bed, &wqe);
	add_make(bed, &wqe, 1);
	for (uint32_t i = 0; i < NB_COPIES && check_is_done(word); i++) {
		check_qp_post(&bed->qp, &wqe);
		ring_by_copy(&bed->qp, i % 2 * half);
		word = check_cq_wait(&bed->qp.send_cq, &cqe) ? check_cqe_word(&cqe) :
							       "no completion";
	}
	if (check_cq_wait_ms(&bed->qp.send_cq, &cqe, SETTLE_MS))
		word = "one completion more";
	check_observe(bed, "%s, %u of %u executed", word, (unsigned int)word_at(bed, 0),
		      NB_COPIES);
}

static const struct check checks[] = {
	{ "cqe-counter", "wqe_counter is the first WQEBB of a WQE, not the last.",
	  "matching completions to operations", "done, block 1 of 1 to 3", .run = counter_run },
	{ "error-unsignaled", "A failed WQE has a CQE even if it is unsignaled.",
	  "completion and status of every operation",
	  "first completion: local-protection of WQE 0", .run = unsignaled_run },
	{ "error-flush", "All WQEs after an error are flushed in order, signaled or not.",
	  "operations with status flushed", "4 of 4 flushed, 0 of them out of order",
	  .run = flush_run },
	{ "error-late", "WQEs posted to a queue in error are flushed, too.",
	  "rte_umr_queue_recover(), closing queues", "flushed", .run = late_run },
	{ "reset-counter", "After RESET a send queue starts at WQEBB 0.",
	  "rte_umr_queue_recover()", "done, block 0", .run = reset_run },
	{ "atomic-order", "Operands of atomics have host byte order.",
	  "rte_umr_fetch_add(), rte_umr_cmp_swap()", "sum: of the host, old value: of the host",
	  .run = atomic_order_run },
	{ "doorbell-copy",
	  "A WQE copied to either half of the doorbell register is executed once.",
	  "RTE_UMR_CAPA_BF, the devargs uar=bf and bf=", "done, 8 of 8 executed",
	  .run = copy_run },
};

const struct check_theme check_queue = { "queues", checks, RTE_DIM(checks) };
