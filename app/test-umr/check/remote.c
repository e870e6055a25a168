/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* How the responder processes a request. */

#include <endian.h>
#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "check/bed.h"

#define PIECE		64u
#define DONE		"done"
#define BAD_KEY		0xffffff42u
#define NB_RECVS	2u

static bool
recv_post(struct check_bed *bed, struct check_qp *qp, struct check_result *result)
{
	struct ibv_sge sge = {
		.addr = check_out(bed, 4096), .length = PIECE, .lkey = bed->mr->lkey,
	};
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	int ret = ibv_post_recv(qp->qp, &wr, &bad);

	if (ret != 0)
		check_break(result, "ibv_post_recv: %s", strerror(ret));
	return ret == 0;
}

/* Create a key of one piece that a peer may or may not invalidate. */
static struct check_key *
piece_key(struct check_bed *bed, struct check_result *result, bool has_rinval)
{
	const struct check_key_attr attr = { .nb_klm = 4, .has_rinval = has_rinval };
	struct check_key *key = check_key_create(bed, result, &attr);
	const struct check_klm klm = {
		.addr = check_src(bed, 4096), .key = bed->mr->lkey, .len = PIECE,
	};

	return key != NULL && check_list(bed, result, key, &klm, 1) ? key : NULL;
}

/* Send with invalidate. @return The completion word, and whether the key is free afterwards. */
static const char *
send_inv(struct check_bed *bed, struct check_result *result, const struct check_key *key,
	 bool *is_free)
{
	uint8_t mkc[PRM_MKC_SIZE];
	struct check_wqe wqe;
	const char *word;

	*is_free = false;
	if (!recv_post(bed, &bed->qp, result))
		return NULL;
	check_wqe_init(&wqe, MLX5_OPCODE_SEND_INVAL, bed->fence);
	wqe.imm = key->key;
	check_wqe_add_data(&wqe, bed->mr->lkey, check_src(bed, 0), PIECE);
	word = check_do(bed, result, &wqe);
	if (!check_key_query(key, result, mkc))
		return NULL;
	*is_free = prm_get(mkc, PRM_MKC_FREE) != 0;
	return word;
}

static void
send_inv_run(struct check_bed *bed, struct check_result *result)
{
	bool has_cap = prm_get(bed->caps, PRM_CAP_IMAICL) != 0, is_free;
	struct check_key *key = piece_key(bed, result, true);
	const char *word = key != NULL ? send_inv(bed, result, key, &is_free) : NULL;

	if (word == NULL)
		return;
	if (has_cap == (strcmp(word, DONE) == 0 && is_free))
		check_observe(result, "the device does what imaicl says");
	else
		check_observe(result, "imaicl %u, but the send: %s, the key: %s", has_cap, word,
			      is_free ? "free" : "not free");
}

static void
send_inv_unmarked_run(struct check_bed *bed, struct check_result *result)
{
	struct check_key *key;
	const char *word;
	bool is_free;

	if (prm_get(bed->caps, PRM_CAP_IMAICL) == 0) {
		check_lacks(result, "imaicl");
		return;
	}
	key = piece_key(bed, result, false);
	word = key != NULL ? send_inv(bed, result, key, &is_free) : NULL;
	if (word != NULL)
		check_observe(result, "%s, the key: %s", word, is_free ? "free" : "not free");
}

static void
empty_run(struct check_bed *bed, struct check_result *result)
{
	struct check_wqe wqe;

	check_wqe_init(&wqe, MLX5_OPCODE_RDMA_WRITE, PRM_CTRL_FM_NONE);
	check_wqe_add_raddr(&wqe, BAD_KEY, 0);
	check_observe(result, "%s", check_do(bed, result, &wqe));
}

/* Prepare a write from the queue of the bed to its peer. */
static void
write_init(const struct check_bed *bed, struct check_wqe *wqe, uint32_t lkey, uint32_t rkey)
{
	check_wqe_init(wqe, MLX5_OPCODE_RDMA_WRITE, PRM_CTRL_FM_NONE);
	check_wqe_add_raddr(wqe, rkey, check_out(bed, 0));
	check_wqe_add_data(wqe, lkey, check_src(bed, 0), PIECE);
}

/* Report the result of a write and the vendor syndrome. */
static void
vendor_observe(struct check_bed *bed, struct check_result *result, uint32_t lkey, uint32_t rkey)
{
	struct check_wqe wqe;
	struct check_cqe cqe;

	write_init(bed, &wqe, lkey, rkey);
	check_qp_post(&bed->qp, &wqe);
	check_qp_ring(&bed->qp);
	if (!check_cq_wait(&bed->qp.send_cq, &cqe))
		check_observe(result, "no completion");
	else
		check_observe(result, "%s, vendor 0x%02x", check_cqe_word(&cqe), cqe.vendor);
}

static void
local_vendor_run(struct check_bed *bed, struct check_result *result)
{
	vendor_observe(bed, result, BAD_KEY, bed->mr->rkey);
}

static void
remote_vendor_run(struct check_bed *bed, struct check_result *result)
{
	vendor_observe(bed, result, bed->mr->lkey, BAD_KEY);
}

/* Write through a key that does not exist. */
static const char *
bad_write(struct check_bed *bed, struct check_result *result)
{
	struct check_wqe wqe;

	write_init(bed, &wqe, bed->mr->lkey, BAD_KEY);
	return check_do(bed, result, &wqe);
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
pair_create(struct check_bed *bed, struct check_qp *peer, struct check_result *result)
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
		check_break(result, "a pair of queues: %s", strerror(ret));
	return ret == 0;
}

static void
both_run(struct check_bed *bed, struct check_result *result)
{
	struct check_qp peer = { 0 };
	const char *word;

	if (pair_create(bed, &peer, result)) {
		word = bad_write(bed, result);
		check_observe(result, "%s; in error: %s%s", word,
			      is_in_error(&bed->qp) ? "requester" : "",
			      is_in_error(&peer) ? ", responder" : "");
	}
	check_qp_destroy(&peer);
}

/* A connected peer that no longer responds. */
static void
retry_vendor_run(struct check_bed *bed, struct check_result *result)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct check_qp peer = { 0 };
	int ret;

	if (pair_create(bed, &peer, result)) {
		ret = ibv_modify_qp(peer.qp, &attr, IBV_QP_STATE);
		if (ret != 0)
			check_break(result, "RESET: %s", strerror(ret));
		else
			vendor_observe(bed, result, bed->mr->lkey, bed->mr->rkey);
	}
	check_qp_destroy(&peer);
}

static void
recv_flush_run(struct check_bed *bed, struct check_result *result)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct check_cqe cqe;
	uint32_t nb = 0;
	int ret;

	for (uint32_t i = 0; i < NB_RECVS; i++)
		if (!recv_post(bed, &bed->qp, result))
			return;
	ret = ibv_modify_qp(bed->qp.qp, &attr, IBV_QP_STATE);
	if (ret != 0) {
		check_break(result, "ERR: %s", strerror(ret));
		return;
	}
	while (nb < NB_RECVS && check_cq_wait_ms(&bed->qp.recv_cq, &cqe, 1000) &&
	       strcmp(check_cqe_word(&cqe), "flushed") == 0)
		nb++;
	check_observe(result, "%u of %u receives flushed", nb, NB_RECVS);
}

static void
rnr_run(struct check_bed *bed, struct check_result *result)
{
	struct check_wqe wqe;

	check_wqe_init(&wqe, MLX5_OPCODE_SEND, PRM_CTRL_FM_NONE);
	check_wqe_add_data(&wqe, bed->mr->lkey, check_src(bed, 0), PIECE);
	check_observe(result, "%s", check_do(bed, result, &wqe));
}

static void
recv_inline_run(struct check_bed *bed, struct check_result *result)
{
	const uint32_t len = 32;
	struct check_wqe wqe;
	struct check_cqe cqe;
	bool is_inline;

	if (prm_get(bed->caps, PRM_CAP_SCTR_DATA_CQE) == 0) {
		check_lacks(result, "sctr_data_cqe");
		return;
	}
	check_bed_blank(bed);
	if (!recv_post(bed, &bed->qp, result))
		return;
	check_wqe_init(&wqe, MLX5_OPCODE_SEND, PRM_CTRL_FM_NONE);
	check_wqe_add_data(&wqe, bed->mr->lkey, check_src(bed, 0), len);
	check_do(bed, result, &wqe);
	if (!check_cq_wait(&bed->qp.recv_cq, &cqe)) {
		check_observe(result, "no completion");
		return;
	}
	is_inline = (cqe.bytes[sizeof(cqe.bytes) - 1] & MLX5_INLINE_SCATTER_32) != 0;
	check_note(result, "the kernel's driver turns it on; MLX5_SCATTER_TO_CQE=0 turns it off");
	if (!is_inline)
		check_observe(result, "not in the CQE");
	else
		check_observe(result, "in the first 32 bytes of the CQE%s%s",
			      memcmp(cqe.bytes, bed->src, len) == 0 ? "" : ", but other bytes",
			      check_bed_is_blank(bed, 4096, len) ? "" : ", and in memory");
}

static const struct check checks[] = {
	{ "send-inv-imaicl", "imaicl is the capability of SEND with invalidate.",
	  "RTE_UMR_CAPA_SEND_INV", "the device does what imaicl says", send_inv_run },
	{ "send-inv-unmarked", "A peer can only invalidate keys that were created for it.",
	  "RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE", "remote-access, the key: not free",
	  send_inv_unmarked_run },
	{ "write-of-zero", "The device does not check the key of a transfer of 0 bytes.",
	  "transfers of 0 bytes", "done", empty_run },
	{ "local-vendor", "The vendor syndrome of a wrong local key is 0x52.",
	  "error texts in logs and guides", "local-protection, vendor 0x52", local_vendor_run },
	{ "remote-vendor", "The vendor syndrome of a wrong remote key is 0x88.",
	  "error texts in logs and guides", "remote-access, vendor 0x88", remote_vendor_run },
	{ "retry-vendor", "The vendor syndrome of a peer that does not respond is 0x81.",
	  "error texts in logs and guides", "retry-exceeded, vendor 0x81", retry_vendor_run },
	{ "remote-both-ends", "A wrong remote key moves both QPs to error.",
	  "rte_umr_queue_recover() on both ends", "remote-access; in error: requester, responder",
	  both_run },
	{ "receive-flush", "Receives of a queue that enters error are flushed.",
	  "receives with status flushed", "2 of 2 receives flushed", recv_flush_run },
	{ "receive-missing", "A send without a receive fails when its retries are exhausted.",
	  "the devarg rnr_retry", "rnr-retry-exceeded", rnr_run },
	{ "receive-inline", "Up to 32 bytes arrive in the CQE, not in memory.",
	  "RTE_UMR_CAPA_RECV_INLINE", "in the first 32 bytes of the CQE", recv_inline_run },
};

const struct check_theme check_remote = { "remote", checks, RTE_DIM(checks) };
