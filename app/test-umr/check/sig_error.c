/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * How the device handles a wrong signature in memory. Only the guards of the blocks in src are
 * wrong. A key with a signature in its memory domain thus finds an error in the first block, which
 * all devices report in the same way.
 */

#include <stdio.h>
#include <string.h>

#include <rte_common.h>

#include "check/sig_key.h"

#define BLOCK		512u
#define DIF		8u
#define NB_BLOCKS	2u
/* Application tag in a field of T10-DIF; the guard precedes it. */
#define DIF_APP_TAG	PRM_FIELD(0, 0, 16)
#define DIF_REF_TAG	PRM_FIELD(1, 0, 32)
/* Wait after the last completion that is certain to arrive. */
#define SETTLE_MS	100u

static const struct check_sig in_memory = {
	.inl_type = PRM_BSF_INL_T10DIF_CRC, .block = PRM_BSF_BS_512, .is_mem = true,
	.app_tag = 1, .ref_tag = 1,
};

/* Write correct tags after the blocks and leave their guards unchanged. */
static void
tags_write(struct check_bed *bed)
{
	for (uint32_t i = 0; i < NB_BLOCKS; i++) {
		uint8_t *dif = bed->src + i * (BLOCK + DIF) + BLOCK;

		prm_set(dif, DIF_APP_TAG, in_memory.app_tag);
		prm_set(dif, DIF_REF_TAG, in_memory.ref_tag + i);
	}
}

/* Create a key of two blocks; the wire domain has no fields. */
static struct check_key *
wrong_key(struct check_bed *bed)
{
	if (!check_sig_has(bed, PRM_CAP_SHO, "sho"))
		return NULL;
	tags_write(bed);
	return check_sig_key(bed, &in_memory, NB_BLOCKS * (BLOCK + DIF), true);
}

/* Read a block of the key as local memory of a write, or as remote memory of a read. */
static void
transfer_post(struct check_bed *bed, const struct check_key *key, bool is_remote)
{
	struct check_wqe wqe;

	if (is_remote) {
		check_wqe_init(&wqe, MLX5_OPCODE_RDMA_READ, bed->fence);
		check_wqe_add_raddr(&wqe, key->key, 0);
		check_wqe_add_data(&wqe, bed->mr->lkey, check_out(bed, 0), BLOCK);
	} else {
		check_wqe_init(&wqe, MLX5_OPCODE_RDMA_WRITE, bed->fence);
		check_wqe_add_raddr(&wqe, bed->mr->rkey, check_out(bed, 0));
		check_wqe_add_data(&wqe, key->key, 0, BLOCK);
	}
	check_qp_post(&bed->qp, &wqe);
	check_qp_ring(&bed->qp);
}

/*
 * Consume completions until none arrives; return the number of signature errors and the word of the
 * others.
 */
static uint32_t
errors_count(struct check_cq *cq, bool has_transfer, const char **word)
{
	unsigned int wait_ms = has_transfer ? CHECK_TIMEOUT_MS : SETTLE_MS;
	struct check_cqe cqe;
	uint32_t nb = 0;

	*word = "no completion";
	while (check_cq_wait_ms(cq, &cqe, wait_ms)) {
		if (cqe.opcode == PRM_CQE_OPCODE_SIGERR) {
			nb++;
			continue;
		}
		*word = check_cqe_word(&cqe);
		wait_ms = SETTLE_MS;
	}
	return nb;
}

static void
transfer_run(struct check_bed *bed)
{
	struct check_key *key = wrong_key(bed);
	const char *word;
	uint32_t nb;

	if (key == NULL)
		return;
	transfer_post(bed, key, false);
	nb = errors_count(&bed->qp.send_cq, true, &word);
	check_observe(bed, "transfer: %s, signature errors: %u", word, nb);
}

static void
responder_run(struct check_bed *bed)
{
	struct check_key *key = wrong_key(bed);
	uint32_t nb_send, nb_recv;
	const char *word, *ignored;

	if (key == NULL)
		return;
	transfer_post(bed, key, true);
	nb_send = errors_count(&bed->qp.send_cq, true, &word);
	nb_recv = errors_count(&bed->qp.recv_cq, false, &ignored);
	check_note(bed, "read: %s", word);
	check_observe(bed, "errors in the send CQ: %u, in the receive CQ: %u", nb_send, nb_recv);
}

static void
once_run(struct check_bed *bed)
{
	struct check_key *key = wrong_key(bed);
	uint32_t first, second;
	const char *word;

	if (key == NULL)
		return;
	transfer_post(bed, key, false);
	first = errors_count(&bed->qp.send_cq, true, &word);
	transfer_post(bed, key, false);
	second = errors_count(&bed->qp.send_cq, true, &word);
	check_observe(bed, "first transfer: %u, second: %u", first, second);
}

static void
contents_run(struct check_bed *bed)
{
	struct check_key *key = wrong_key(bed);
	struct check_cqe cqe;

	if (key == NULL)
		return;
	transfer_post(bed, key, false);
	while (check_cq_wait_ms(&bed->qp.send_cq, &cqe, CHECK_TIMEOUT_MS)) {
		if (cqe.opcode != PRM_CQE_OPCODE_SIGERR)
			continue;
		check_observe(bed, "guard expected %04x, actual %04x, %s, syndrome 0x%04x, "
			      "offset %u",
			      (unsigned int)(prm_get(cqe.bytes, PRM_SIGERR_EXPECTED) >> 16),
			      (unsigned int)(prm_get(cqe.bytes, PRM_SIGERR_ACTUAL) >> 16),
			      prm_get(cqe.bytes, PRM_SIGERR_DOMAIN) == PRM_SIGERR_DOMAIN_MEMORY ?
				      "memory" : "wire",
			      (unsigned int)prm_get(cqe.bytes, PRM_SIGERR_SYNDROME),
			      (unsigned int)prm_get(cqe.bytes, PRM_SIGERR_OFFSET));
		return;
	}
	check_observe(bed, "no signature error");
}

static const struct check checks[] = {
	{ "sigerr-transfer", "A signature error has a CQE of its own; the transfer succeeds.",
	  "rte_umr_mkey_check(), the status of transfers", "transfer: done, signature errors: 1",
	  .run = transfer_run },
	{ "sigerr-responder", "The error of a responder's key is reported on its receive CQ.",
	  "signed keys that a peer reads or writes",
	  "errors in the send CQ: 0, in the receive CQ: 1", .run = responder_run },
	{ "sigerr-once", "An error is reported once, until a UMR arms the key again.",
	  "rte_umr_mkey_check(), which arms a key again", "first transfer: 1, second: 0",
	  .run = once_run },
	{ "sigerr-contents",
	  "The CQE has the guards in the upper half, the domain, and the offset of the block.",
	  "rte_umr_mkey_check()",
	  "guard expected 9913, actual a470, memory, syndrome 0x2000, offset 0",
	  .run = contents_run },
};

const struct check_theme check_sig_error = { "signature errors", checks, RTE_DIM(checks) };
