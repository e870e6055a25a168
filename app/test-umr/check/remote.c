/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* How the responder processes a request. */

#include <endian.h>
#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "check/bed.h"

#define NB_RECVS	2u

static bool
recv_post(struct check_bed *bed, struct check_qp *qp)
{
	struct ibv_sge sge = {
		.addr = check_out(bed, 4096), .length = CHECK_PIECE, .lkey = bed->mr->lkey,
	};
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	int ret = ibv_post_recv(qp->qp, &wr, &bad);

	if (ret != 0)
		check_break(bed, "ibv_post_recv: %s", strerror(ret));
	return ret == 0;
}

/* Create a key of one piece that a peer may or may not invalidate. */
static struct check_key *
piece_key(struct check_bed *bed, bool has_rinval)
{
	const struct check_key_attr attr = { .nb_klm = 4, .has_rinval = has_rinval };
	struct check_key *key = check_key_create(bed, &attr);
	const struct check_klm klm = check_piece(bed, 4096);

	return key != NULL && check_list(bed, key, &klm, 1) ? key : NULL;
}

/* Send with invalidate. @return The completion word, and whether the key is free afterwards. */
static const char *
send_inv(struct check_bed *bed, const struct check_key *key, bool *is_free)
{
	uint8_t mkc[PRM_MKC_SIZE];
	struct check_wqe wqe;
	const char *word;

	*is_free = false;
	if (!recv_post(bed, &bed->qp))
		return NULL;
	check_wqe_init(&wqe, MLX5_OPCODE_SEND_INVAL, bed->fence);
	wqe.imm = key->key;
	check_wqe_add_data(&wqe, bed->mr->lkey, check_src(bed, 0), CHECK_PIECE);
	word = check_do(bed, &wqe);
	if (!check_key_query(bed, key, mkc))
		return NULL;
	*is_free = prm_get(mkc, PRM_MKC_FREE) != 0;
	return word;
}

static void
send_inv_run(struct check_bed *bed)
{
	bool has_cap = prm_get(bed->caps, PRM_CAP_IMAICL) != 0, is_free;
	struct check_key *key = piece_key(bed, true);
	const char *word = key != NULL ? send_inv(bed, key, &is_free) : NULL;

	if (word == NULL)
		return;
	if (has_cap == (check_is_done(word) && is_free))
		check_observe(bed, "the device does what imaicl says");
	else
		check_observe(bed, "imaicl %u, but the send: %s, the key: %s", has_cap, word,
			      is_free ? "free" : "not free");
}

static void
send_inv_unmarked_run(struct check_bed *bed)
{
	struct check_key *key;
	const char *word;
	bool is_free;

	if (!check_has(bed, PRM_CAP_IMAICL, "imaicl"))
		return;
	key = piece_key(bed, false);
	word = key != NULL ? send_inv(bed, key, &is_free) : NULL;
	if (word != NULL)
		check_observe(bed, "%s, the key: %s", word, is_free ? "free" : "not free");
}

static void
empty_run(struct check_bed *bed)
{
	struct check_wqe wqe;

	check_wqe_init(&wqe, MLX5_OPCODE_RDMA_WRITE, PRM_CTRL_FM_NONE);
	check_wqe_add_raddr(&wqe, CHECK_BAD_KEY, 0);
	check_do_observe(bed, &wqe);
}

/* Report the result of a write and the vendor syndrome. */
static void
vendor_observe(struct check_bed *bed, uint32_t lkey, uint32_t rkey)
{
	struct check_wqe wqe;
	struct check_cqe cqe;

	check_write_init(bed, &wqe, lkey, rkey);
	check_qp_start(&bed->qp, &wqe);
	if (check_completion(bed, &bed->qp.send_cq, &cqe))
		check_observe(bed, "%s, vendor 0x%02x", check_cqe_word(&cqe), cqe.vendor);
}

static void
local_vendor_run(struct check_bed *bed)
{
	vendor_observe(bed, CHECK_BAD_KEY, bed->mr->rkey);
}

static void
remote_vendor_run(struct check_bed *bed)
{
	vendor_observe(bed, bed->mr->lkey, CHECK_BAD_KEY);
}

static bool
is_in_error(const struct check_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = { 0 };

	return ibv_query_qp(qp->qp, &attr, IBV_QP_STATE, &init) == 0 &&
	       attr.qp_state == IBV_QPS_ERR;
}

/* Create a pair of queues instead of one queue connected to itself. */
static bool
pair_create(struct check_bed *bed, struct check_qp *peer)
{
	int ret;

	check_qp_destroy(&bed->qp);
	ret = check_qp_create(bed, &bed->qp);
	if (ret == 0)
		ret = check_qp_create(bed, peer);
	if (ret == 0)
		ret = check_qp_connect(bed, &bed->qp, peer->qp->qp_num);
	if (ret == 0)
		ret = check_qp_connect(bed, peer, bed->qp.qp->qp_num);
	if (ret != 0)
		check_break(bed, "a pair of queues: %s", strerror(ret));
	return ret == 0;
}

static void
both_run(struct check_bed *bed)
{
	struct check_qp peer = { 0 };
	struct check_wqe wqe;
	const char *word;

	if (pair_create(bed, &peer)) {
		check_write_init(bed, &wqe, bed->mr->lkey, CHECK_BAD_KEY);
		word = check_do(bed, &wqe);
		check_observe(bed, "%s; in error: %s%s", word, is_in_error(&bed->qp) ? "requester"
			      : "", is_in_error(&peer) ? ", responder" : "");
	}
	check_qp_destroy(&peer);
}

/* A connected peer that no longer responds. */
static void
retry_vendor_run(struct check_bed *bed)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct check_qp peer = { 0 };
	int ret;

	if (pair_create(bed, &peer)) {
		ret = ibv_modify_qp(peer.qp, &attr, IBV_QP_STATE);
		if (ret != 0)
			check_break(bed, "RESET: %s", strerror(ret));
		else
			vendor_observe(bed, bed->mr->lkey, bed->mr->rkey);
	}
	check_qp_destroy(&peer);
}

static void
recv_flush_run(struct check_bed *bed)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct check_cqe cqe;
	uint32_t nb = 0;
	int ret;

	for (uint32_t i = 0; i < NB_RECVS; i++)
		if (!recv_post(bed, &bed->qp))
			return;
	ret = ibv_modify_qp(bed->qp.qp, &attr, IBV_QP_STATE);
	if (ret != 0) {
		check_break(bed, "ERR: %s", strerror(ret));
		return;
	}
	while (nb < NB_RECVS && check_cq_wait_ms(&bed->qp.recv_cq, &cqe, 1000) &&
	       strcmp(check_cqe_word(&cqe), "flushed") == 0)
		nb++;
	check_observe(bed, "%u of %u receives flushed", nb, NB_RECVS);
}

static void
rnr_run(struct check_bed *bed)
{
	struct check_wqe wqe;

	check_wqe_init(&wqe, MLX5_OPCODE_SEND, PRM_CTRL_FM_NONE);
	check_wqe_add_data(&wqe, bed->mr->lkey, check_src(bed, 0), CHECK_PIECE);
	check_do_observe(bed, &wqe);
}

static void
recv_inline_run(struct check_bed *bed)
{
	const uint32_t len = 32;
	struct check_wqe wqe;
	struct check_cqe cqe;
	bool is_inline;

	if (!check_has(bed, PRM_CAP_SCTR_DATA_CQE, "sctr_data_cqe"))
		return;
	check_bed_blank(bed);
	if (!recv_post(bed, &bed->qp))
		return;
	check_wqe_init(&wqe, MLX5_OPCODE_SEND, PRM_CTRL_FM_NONE);
	check_wqe_add_data(&wqe, bed->mr->lkey, check_src(bed, 0), len);
	check_do(bed, &wqe);
	if (!check_completion(bed, &bed->qp.recv_cq, &cqe))
		return;
	is_inline = (cqe.bytes[sizeof(cqe.bytes) - 1] & MLX5_INLINE_SCATTER_32) != 0;
	check_note(bed, "the kernel's driver turns it on; MLX5_SCATTER_TO_CQE=0 turns it off");
	if (!is_inline)
		check_observe(bed, "not in the CQE");
	else
		check_observe(bed, "in the first 32 bytes of the CQE%s%s",
			      memcmp(cqe.bytes, bed->src, len) == 0 ? "" : ", but other bytes",
			      check_bed_is_blank(bed, 4096, len) ? "" : ", and in memory");
}

static const struct check checks[] = {
	{ "send-inv-imaicl", "imaicl is the capability of SEND with invalidate.",
	  "RTE_UMR_CAPA_SEND_INV", "the device does what imaicl says", .run = send_inv_run },
	{ "send-inv-unmarked", "A peer can only invalidate keys that were created for it.",
	  "RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE", "remote-access, the key: not free",
	  .run = send_inv_unmarked_run },
	{ "write-of-zero", "The device does not check the key of a transfer of 0 bytes.",
	  "transfers of 0 bytes", "done", .run = empty_run },
	{ "local-vendor", "The vendor syndrome of a wrong local key is 0x52.",
	  "error texts in logs and guides", "local-protection, vendor 0x52",
	  .run = local_vendor_run },
	{ "remote-vendor", "The vendor syndrome of a wrong remote key is 0x88.",
	  "error texts in logs and guides", "remote-access, vendor 0x88",
	  .run = remote_vendor_run },
	{ "retry-vendor", "The vendor syndrome of a peer that does not respond is 0x81.",
	  "error texts in logs and guides", "retry-exceeded, vendor 0x81",
	  .run = retry_vendor_run },
	{ "remote-both-ends", "A wrong remote key moves both QPs to error.",
	  "rte_umr_queue_recover() on both ends", "remote-access; in error: requester, responder",
	  .run = both_run },
	{ "receive-flush", "Receives of a queue that enters error are flushed.",
	  "receives with status flushed", "2 of 2 receives flushed", .run = recv_flush_run },
	{ "receive-missing", "A send without a receive fails when its retries are exhausted.",
	  "the devarg rnr_retry", "rnr-retry-exceeded", .run = rnr_run },
	{ "receive-inline", "Up to 32 bytes arrive in the CQE, not in memory.",
	  "RTE_UMR_CAPA_RECV_INLINE", "in the first 32 bytes of the CQE", .run = recv_inline_run },
};

const struct check_theme check_remote = { "remote", checks, RTE_DIM(checks) };
