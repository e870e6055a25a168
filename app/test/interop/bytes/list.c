/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Writes, reads and sends of several segments, also inline and with empty segments, as libmlx5
 * posts them.
 */

#include "bytes.h"

#define NB_RECV_DESC	16u
/* More are not offered by libmlx5 on RC queues: get_send_sge(). */
#define MAX_SEGS	30u
#define MAX_LEN		600u
/* Bytes at the end of the memory that receives are posted for. */
#define RECV_LEN	(MAX_SEGS * MAX_LEN / 4)

enum op { OP_WRITE, OP_WRITE_INLINE, OP_READ, OP_SEND, OP_SEND_INLINE, NB_OPS };

static uint16_t max_read_segs;

/* A list, for either side. */
struct list {
	enum op op;
	uint32_t nb;
	uint64_t raddr;
	struct ibv_sge sges[MAX_SEGS];
	struct rte_umr_seg segs[MAX_SEGS];
};

static bool
is_inline(enum op op)
{
	return op == OP_WRITE_INLINE || op == OP_SEND_INLINE;
}

static bool
has_raddr(enum op op)
{
	return op < OP_SEND;
}

static void
list_draw(struct list *list, enum op op, uint32_t nb)
{
	const uint32_t max_len = is_inline(op) ? 12 : MAX_LEN;
	uint32_t i;

	list->op = op;
	list->nb = nb;
	list->raddr = (uintptr_t)wb.mem + 8192 + wb_random32() % 4096;
	for (i = 0; i < nb; i++) {
		list->sges[i] = (struct ibv_sge){
			.addr = (uintptr_t)wb.mem + wb_random32() % 4096,
			.length = wb_random32() % 8 == 0 ? 0 : wb_random32() % max_len + 1,
			.lkey = wb.mr->lkey,
		};
		/* The receive has room for a quarter. */
		if (!has_raddr(op))
			list->sges[i].length /= 4;
		list->segs[i] = (struct rte_umr_seg){
			list->sges[i].addr, list->sges[i].length, wb.umr_mr->lkey,
		};
	}
}

static void
libmlx5_post(const struct list *list, struct wb_wqe *wqe)
{
	struct ibv_data_buf bufs[MAX_SEGS];
	uint32_t i;

	wb_libmlx5_begin(false);
	if (!has_raddr(list->op))
		ibv_wr_send(wb.qpx);
	else if (list->op == OP_READ)
		ibv_wr_rdma_read(wb.qpx, wb.mr->rkey, list->raddr);
	else
		ibv_wr_rdma_write(wb.qpx, wb.mr->rkey, list->raddr);
	for (i = 0; i < list->nb; i++)
		bufs[i] = (struct ibv_data_buf){
			(void *)(uintptr_t)list->sges[i].addr, list->sges[i].length,
		};
	if (is_inline(list->op))
		ibv_wr_set_inline_data_list(wb.qpx, list->nb, bufs);
	else
		ibv_wr_set_sge_list(wb.qpx, list->nb, list->sges);
	wb_libmlx5_end(wqe);
}

static int
driver_post(const struct list *list)
{
	const uint64_t flags = is_inline(list->op) ? RTE_UMR_OP_F_INLINE : 0;

	if (!has_raddr(list->op))
		return rte_umr_send_list(wb.dev_id, 0, list->segs, list->nb, flags);
	if (list->op == OP_READ)
		return rte_umr_read_list(wb.dev_id, 0, list->segs, list->nb, list->raddr,
					 wb.umr_mr->rkey, flags);
	return rte_umr_write_list(wb.dev_id, 0, list->segs, list->nb, list->raddr,
				  wb.umr_mr->rkey, flags);
}

/* The keys of each side, and what libmlx5 leaves behind bytes in the last octoword. */
static void
mask(const struct list *list, struct wb_pair *pair)
{
	size_t at = has_raddr(list->op) ? 32 : 16;
	uint32_t i, len = 0;

	if (has_raddr(list->op))
		wb_pair_mask_be32(pair, 24, wb.mr->rkey, wb.umr_mr->rkey);
	for (i = 0; i < list->nb; i++) {
		len += list->sges[i].length;
		if (!is_inline(list->op) && list->sges[i].length != 0) {
			wb_pair_mask_be32(pair, at + 4, wb.mr->lkey, wb.umr_mr->lkey);
			at += 16;
		}
	}
	if (is_inline(list->op) && len != 0)
		at += sizeof(uint32_t) + len;
	assert_uint_in_range(pair->theirs.len - at, 0, 15);
	memset(pair->theirs.bytes + at, 0, pair->theirs.len - at);
}

static void
compare(enum op op, uint32_t nb)
{
	struct wb_pair pair;
	struct list list;

	list_draw(&list, op, nb);
	if (!has_raddr(op))
		wb_receives_post(RECV_LEN);
	wb_pair_begin(&pair);
	libmlx5_post(&list, &pair.theirs);
	wb_driver_end(driver_post(&list), pair.our_pi, &pair.ours);
	if (!has_raddr(op))
		wb_receives_wait();
	wb_pair_mask_ctrls(&pair);
	((struct mlx5_wqe_ctrl_seg *)pair.theirs.bytes)->imm = 0;
	mask(&list, &pair);
	wb_assert_same(&pair.theirs, &pair.ours);
}

CASE(lists_have_the_same_bytes)
{
	const uint32_t rounds = test_nb_cases() / 50 + 1;
	uint32_t round, nb, max;

	for (enum op op = 0; op < NB_OPS; op++) {
		max = op == OP_READ ? max_read_segs : MAX_SEGS;
		for (nb = 0; nb <= max; nb++)
			for (round = 0; round < rounds; round++)
				compare(op, nb);
	}
}

static int
setup(void **state)
{
	const struct wb_conf conf = {
		.ibv_ops = IBV_QP_EX_WITH_SEND, .nb_recv_desc = NB_RECV_DESC, .max_sge = MAX_SEGS,
	};
	struct rte_umr_dev_info info;

	wb_setup(&conf);
	assert_int_equal(rte_umr_dev_info_get(wb.dev_id, &info), 0);
	assert_true(info.max_segs >= MAX_SEGS);
	max_read_segs = info.max_read_segs;
	return 0;
}

int
main(int argc, char **argv)
{
	return wb_run(argc, argv, setup, wb_teardown);
}
