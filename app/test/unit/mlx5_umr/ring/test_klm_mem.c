/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Lists that a WQE points to: where they go, when their memory is free again, the WQE itself. */

#include "test_queue.h"

#define NB_CHUNKS	4u

static uint8_t memory[(NB_CHUNKS + 1) * MLX5_UMR_KLM_CHUNK_SIZE]
	__rte_aligned(MLX5_UMR_KLM_CHUNK_SIZE);

static int
setup(void **state)
{
	*state = test_queue_new();
	memset(memory, TEST_POISON, sizeof(memory));
	test_klm_mem_set(*state, memory, NB_CHUNKS);
	return 0;
}

static int
list_enqueue(struct test_queue *t, uint32_t nb)
{
	static struct rte_umr_seg segs[NB_CHUNKS * MLX5_UMR_KLM_CHUNK_NB + 1];
	struct rte_umr_mkey mkey = test_mkey(UINT16_MAX);

	for (uint32_t i = 0; i < nb; i++)
		segs[i] = (struct rte_umr_seg){ 0x1000000000 + i, 1 + i, 0x100 + i };
	return test_isa->mkey_list(&t->queue, &mkey, RTE_UMR_ACCESS_REMOTE_READ, segs, nb, 0);
}

/* The device has executed everything; the program collects it. */
static void
complete_all(struct test_queue *t)
{
	const mlx5_umr_idx_t end = t->queue.op_pi;

	mlx5_umr_submit(&t->queue);
	test_cqe_write(t, t->ops[(end - 1) % TEST_NB_WQEBB].pi, MLX5_CQE_REQ, 0);
	TEST_COMPLETED(t, UINT16_MAX, end - t->queue.op_ci, end - 1, false);
}

/* Where the WQE at a block points to. */
static uint64_t
pointer_at(const struct test_queue *t, uint32_t block)
{
	uint64_t addr;

	memcpy(&addr, t->sq + block * 64 + 8, sizeof(addr));
	return rte_be_to_cpu_64(addr);
}

QUEUE_CASE_WITH(wqe_points_to_the_list, setup, test_queue_teardown)
{
	assert_int_equal(list_enqueue(t, 53), 0);
	/* Typed by hand: 9 DS, not inline, 56 octowords, the key context of any list, a pointer. */
	TEST_BYTES(t->sq,
		   0, 0, 0, 0x25, 0x12, 0x34, 0x56, 0x09, 0, 0, 0, 0, 0, 0xab, 0xcd, 0x07,
		   0, 0, 0, 0, 0, 0x38, 0, 0, 0, 0, 0, 0, 0x20, 0x3c, 0x20, 0x01);
	TEST_BYTES(t->sq + 64,
		   0x00, 0x00, 0x10, 0x00, 0xff, 0xff, 0xff, 0x07, 0, 0, 0, 0, 0, 0, 0, 0,
		   0, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x97);
	TEST_BYTES(t->sq + 128, 0x00, 0x00, 0x03, 0x80, 0x00, 0xaa, 0xbb, 0x00);
	assert_int_equal(pointer_at(t, 2), (uintptr_t)memory);
	TEST_BYTES(memory + 16, 0, 0, 0, 0x02, 0, 0, 0x01, 0x01, 0, 0, 0, 0x10, 0, 0, 0, 0x01);
	test_filled(memory + 53 * 16, 0, 48);
	assert_int_equal(memory[56 * 16], TEST_POISON);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), TEST_NB_WQEBB - 3);
}

QUEUE_CASE_WITH(memory_comes_back_with_the_completion, setup, test_queue_teardown)
{
	assert_int_equal(list_enqueue(t, 129), 0);	/* chunks 0, 1 */
	assert_int_equal(list_enqueue(t, 200), 1);	/* chunks 2, 3 */
	assert_int_equal(list_enqueue(t, 53), -ENOSPC);
	assert_int_equal(t->queue.nb_rejects[RTE_UMR_REJECT_LIST_FULL], 1);
	assert_int_equal(list_enqueue(t, 12), 2);	/* inline needs none */
	complete_all(t);
	assert_int_equal(t->queue.klm_mem.tail, t->queue.klm_mem.head);
	assert_int_equal(list_enqueue(t, 512), 3);
	assert_int_equal(list_enqueue(t, 53), -ENOSPC);
	complete_all(t);
	assert_int_equal(t->queue.klm_mem.head, t->queue.klm_mem.tail);
}

QUEUE_CASE_WITH(list_is_never_cut_at_the_end, setup, test_queue_teardown)
{
	assert_int_equal(list_enqueue(t, 256), 0);	/* chunks 0, 1 */
	mlx5_umr_submit(&t->queue);
	assert_int_equal(list_enqueue(t, 128), 1);	/* chunk 2 */
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	TEST_COMPLETED(t, 1, 1, 0, false);
	assert_int_equal(list_enqueue(t, 256), 2);	/* not 3 and 4: 0 and 1 */
	assert_int_equal(pointer_at(t, 8), (uintptr_t)memory);
	assert_int_equal(memory[NB_CHUNKS * MLX5_UMR_KLM_CHUNK_SIZE], TEST_POISON);
	/* Chunk 3 was passed over, 2 is in use. */
	assert_int_equal(list_enqueue(t, 53), -ENOSPC);
	complete_all(t);
	assert_int_equal(t->queue.klm_mem.head, t->queue.klm_mem.tail);
}

/* Wherever the last one ended, as long as nothing is on its way. */
QUEUE_CASE_WITH(empty_memory_takes_the_longest_list, setup, test_queue_teardown)
{
	for (uint32_t nb = 1; nb < NB_CHUNKS; nb++) {
		assert_true(list_enqueue(t, nb * MLX5_UMR_KLM_CHUNK_NB) >= 0);
		complete_all(t);
		assert_true(list_enqueue(t, NB_CHUNKS * MLX5_UMR_KLM_CHUNK_NB) >= 0);
		complete_all(t);
	}
}

QUEUE_CASE_WITH(what_can_never_fit_is_too_big, setup, test_queue_teardown)
{
	assert_int_equal(list_enqueue(t, 513), -E2BIG);
	t->queue.klm_mem.nb_chunks = 0;
	assert_int_equal(list_enqueue(t, 53), -E2BIG);
	assert_int_equal(t->queue.sq_pi, 0);
	assert_int_equal(t->queue.nb_rejects[RTE_UMR_REJECT_ENTRIES], 2);
}

QUEUE_CASE_WITH(bad_length_takes_no_memory, setup, test_queue_teardown)
{
	struct rte_umr_seg segs[200];
	struct rte_umr_mkey mkey = test_mkey(UINT16_MAX);

	for (uint32_t i = 0; i < 200; i++)
		segs[i] = (struct rte_umr_seg){ 0x1000, 1, 0x100 };
	segs[199].length = 0;
	assert_int_equal(test_isa->mkey_list(&t->queue, &mkey, 0, segs, 200, 0), -EINVAL);
	segs[199].length = 1;
	segs[7].length = UINT32_MAX;
	assert_int_equal(test_isa->mkey_list(&t->queue, &mkey, 0, segs, 200, 0), -ERANGE);
	assert_int_equal(t->queue.klm_mem.head, 0);
	assert_int_equal(t->queue.sq_pi, 0);
}

/*
 * However many lists go by without a rest, a list is never put where another one is; with numbers
 * of chunks that do not divide what indices hold, too.
 */
QUEUE_CASE_WITH(lists_do_not_meet_in_any_round, setup, test_queue_teardown)
{
	struct mlx5_umr_klm_mem *mem = &t->queue.klm_mem;
	mlx5_umr_idx_t owner[NB_CHUNKS], op_pi, op_ci;
	uint32_t i, j, end, nb, first;
	const uint8_t *klms;

	for (mem->nb_chunks = 1; mem->nb_chunks <= NB_CHUNKS; mem->nb_chunks++) {
		mlx5_umr_klm_mem_reset(mem);
		/* Operations and lists are counted over their wrap on the way. */
		mem->use_pi = mem->use_ci = UINT32_MAX - 500;
		op_pi = op_ci = UINT32_MAX - 1000;
		for (j = 0; j < NB_CHUNKS; j++)
			owner[j] = op_ci - 1;
		for (i = 0; i < 10000; i++) {
			nb = 1 + i * 2654435761u / 65536 % mem->nb_chunks;
			klms = mlx5_umr_klm_mem_peek(mem, nb, &end);
			if (klms == NULL) {
				assert_true(op_pi != op_ci);
				mlx5_umr_klm_mem_collect(mem, ++op_ci);
				continue;
			}
			first = (klms - memory) / MLX5_UMR_KLM_CHUNK_SIZE;
			assert_true(first + nb <= mem->nb_chunks);
			for (j = first; j < first + nb; j++) {
				assert_true(mlx5_umr_idx_is_before(owner[j], op_ci));
				owner[j] = op_pi;
			}
			mlx5_umr_klm_mem_take(mem, op_pi++, end);
			assert_true(mem->head < MLX5_UMR_KLM_ROUNDS * mem->nb_chunks);
			assert_uint_in_range(mlx5_umr_klm_mem_used(mem, mem->head), 1,
					     mem->nb_chunks);
		}
	}
}

int
main(void)
{
	return test_run_isas();
}
