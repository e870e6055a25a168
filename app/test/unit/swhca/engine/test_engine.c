/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* What the engine does at once is bounded, and others have their turn in between. */

#include <assert.h>
#include <unistd.h>

#include "../../../patience.h"
#include "pair.h"

#define DUMP_FILL_KEY	0x300u
#define LARGE		(16u << 20)
#define NB_LARGE	6u

/* Memory on device 1 that is as large as one likes. */
static uint32_t
large_key(struct pair *p)
{
	const struct world_klm klm = { .len = LARGE, .key = DUMP_FILL_KEY };
	uint32_t key = world_klm_key(&p->w, 1, 4);
	uint8_t body[1008];
	uint32_t nb_ds = world_umr_list(body, key, ALL_ACCESS, LARGE, &klm, 1);

	world_post(&p->b, OP_UMR, CE, key, body, nb_ds);
	expect_run(p, &p->b, 0);
	return key;
}

static void
post_large(struct pair *p, uint32_t key)
{
	for (uint32_t i = 0; i < NB_LARGE; i++)
		post_transfer(&p->a, OP_WRITE, CE, 0, key, NULL, DUMP_FILL_KEY, LARGE);
	world_ring(&p->a);
}

CASES(large_transfer_ends_the_turn)
{
	struct pair *p = next_case(state, "one by one");
	uint32_t key = large_key(p), i;

	post_large(p, key);
	for (i = 0; i < NB_LARGE; i++) {
		assert_int_not_equal(swhca_fabric_poll(p->w.fabric), 0);
		assert_non_null(world_send_cqe(&p->a));
		assert_null(world_send_cqe(&p->a));
	}
	world_run(&p->w);
	assert_int_equal(swhca_fabric_poll(p->w.fabric), 0);

	p = next_case(state, "others in between");
	key = large_key(p);
	post_large(p, key);
	world_post(&p->b, OP_NOP, CE, 0, NULL, 0);
	world_ring(&p->b);
	assert_int_not_equal(swhca_fabric_poll(p->w.fabric), 0);
	assert_int_not_equal(swhca_fabric_poll(p->w.fabric), 0);
	expect_done(world_send_cqe(&p->b), p->b.last);
	assert_non_null(world_send_cqe(&p->a));
	world_run(&p->w);
	expect_done(world_send_cqe(&p->a), 1);
}

/* Entries that have no bytes cost something, too. */
PAIR_CASE(long_translation_ends_the_turn)
{
	uint32_t key = world_klm_key(&p->w, 0, 4);
	struct {
		struct mlx5_wqe_umr_repeat_block_seg block;
		struct mlx5_wqe_umr_repeat_ent_seg empty;
		struct mlx5_wqe_umr_klm_seg one;
		uint8_t padding[16];
	} list = {
		.block = { .op = htobe32(0x400), .repeat_count = htobe32(1u << 20),
			   .byte_count = htobe32(1), .num_ent = htobe16(1) },
		.empty = { .memkey = htobe32(p->w.mem_key[0]) },
		.one = { .byte_count = htobe32(8), .mkey = htobe32(p->w.mem_key[0]),
			 .address = htobe64((uintptr_t)p->w.mem) },
	};
	const struct world_klm klms[4] = { { 0 } };
	uint8_t body[1008];
	uint32_t nb_ds = world_umr_list(body, key, ALL_ACCESS, 8, klms, 4), i;

	static_assert(sizeof(list) == 64, "four octowords");
	memcpy(body + 48 + 64, &list, sizeof(list));
	world_post(&p->a, OP_UMR, 0, key, body, nb_ds);
	for (i = 0; i < 3; i++)
		post_transfer(&p->a, OP_WRITE, CE | FENCE, (uintptr_t)p->w.mem + 4096,
			      p->w.mem_key[1], NULL, key, 8);
	world_ring(&p->a);
	for (i = 0; i < 3; i++) {
		assert_int_not_equal(swhca_fabric_poll(p->w.fabric), 0);
		assert_int_equal(world_send_cqe(&p->a)->op_own >> 4, MLX5_CQE_REQ);
		assert_null(world_send_cqe(&p->a));
	}
}

/* Lines with a word that the device logs in some time, in which a queue may try again. */
static unsigned int
nb_lines(struct pair *p, enum swhca_log_level level, const char *word)
{
	FILE *log = tmpfile();
	int old = dup(STDERR_FILENO);
	unsigned int i, nb = 0;
	char line[512];

	assert_non_null(log);
	assert_true(old >= 0);
	fflush(stderr);
	dup2(fileno(log), STDERR_FILENO);
	swhca_log_level = level;
	for (i = 0; i < 1000; i++) {
		swhca_fabric_poll(p->w.fabric);
		world_wait(1000000);
	}
	swhca_log_level = SWHCA_LOG_NONE;
	dup2(old, STDERR_FILENO);
	close(old);
	rewind(log);
	while (fgets(line, sizeof(line), log) != NULL)
		nb += strstr(line, word) != NULL;
	fclose(log);
	return nb;
}

/* A write that is tried for ever: no time-out, and a PSN that the peer does not expect. */
static void
post_in_vain(struct pair *p)
{
	uint8_t in[0x110] = { 0 };

	assert_int_equal(world_cmd(p->a.hca, 0x50a, p->a.qpn, NULL), 0);
	world_qp_modify(&p->a, 0x502, 0, 0, 3);
	world_qp_modify(&p->a, 0x503, p->b.qpn, 2, 3);
	world_put(in, 0, 16, 0x504);
	world_put(in, 2, 0, p->a.qpn);
	world_put(in, 36, 0, 5);
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0);
	post_mem(p, &p->a, OP_WRITE, 0, 0, 64);
	world_ring(&p->a);
}

CASES(retries_for_ever_are_told_and_traced_once)
{
	struct pair *p = next_case(state, "warning");

	post_in_vain(p);
	assert_int_equal(nb_lines(p, SWHCA_LOG_WARNING, ""), 1);
	assert_null(world_send_cqe(&p->a));

	p = next_case(state, "trace of the WQE");
	post_in_vain(p);
	assert_int_equal(nb_lines(p, SWHCA_LOG_WQE, "swhca wqe:"), 1);
}

/* A driver that forgets it works here, and not with hardware. */
PAIR_CASE(fence_that_is_missing_behind_a_umr_is_told)
{
	static const uint8_t fences[] = { 0, FENCE, 0x40, 0x60, 0x80 };
	const struct world_klm klm = { 64, p->w.mem_key[0], (uintptr_t)p->w.mem };
	uint32_t key = world_klm_key(&p->w, 0, 4);

	for (unsigned int i = 0; i < sizeof(fences); i++) {
		post_umr(p, key, ALL_ACCESS, 64, &klm, 1);
		post_transfer(&p->a, OP_WRITE, (uint8_t)(CE | fences[i]), (uintptr_t)p->w.mem,
			      p->w.mem_key[1], NULL, key, 8);
		/* One fence is for all that is behind it. */
		post_transfer(&p->a, OP_WRITE, CE, (uintptr_t)p->w.mem, p->w.mem_key[1], NULL,
			      key, 8);
		world_ring(&p->a);
		assert_int_equal(nb_lines(p, SWHCA_LOG_WARNING, "no fence behind a UMR"),
				 fences[i] == 0);
		assert_non_null(world_send_cqe(&p->a));
		expect_done(world_send_cqe(&p->a), p->a.last);
	}
}

/* What is in the ring of a queue is for that queue. */
PAIR_CASE(wqe_of_another_queue_is_an_error)
{
	post_nops(&p->a, 1);
	world_store(p->a.page + WORLD_SQ_OFF + 4, (p->a.qpn + 1) << 8 | 1);
	post_nops(&p->a, 1);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	assert_int_equal(world_qp_state(&p->a), 6);
}

/* Host memory of which some goes away whenever it is written. */
struct leaky_dma {
	struct swhca_dma dma;
	struct swhca_hca *hca;
	unsigned int nb_writes;
};

static int
leaky_write(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	struct leaky_dma *leaky = (struct leaky_dma *)(uintptr_t)dma;

	leaky->nb_writes++;
	swhca_hca_pages_invalidate(leaky->hca, 0x1000, 0x1000);
	return swhca_dma_process()->write(swhca_dma_process(), addr, src, len);
}

/* As with an allocator that calls munmap(2) when the device frees what it had. */
CASE(pages_may_go_while_the_device_is_at_work)
{
	struct leaky_dma leaky = { .dma = *swhca_dma_process() };
	uint8_t eq[WORLD_EQ_BOX] = { 0 }, cq[0x118] = { 0 };
	struct swhca_hca_conf conf[2];
	struct swhca_fabric *fabric;
	uint32_t uarn;
	uint8_t *page = NOT_NULL(aligned_alloc(4096, 4096));

	leaky.dma.write = leaky_write;
	world_conf(conf);
	assert_int_equal(swhca_fabric_create(&leaky.dma, &fabric), 0);
	assert_int_equal(swhca_hca_create(fabric, &conf[0], &leaky.hca), 0);
	uarn = world_alloc(leaky.hca, 0x802);
	world_put(eq, 0, 16, 0x301);
	world_put(eq, 7, 24, 4);
	world_put(eq, 7, 0, uarn);
	world_put64(eq, 68, (uintptr_t)page);
	world_put(cq, 0, 16, 0x400);
	world_put(cq, 7, 24, 4);
	world_put(cq, 7, 0, uarn);
	world_put(cq, 9, 0, world_exec_create(leaky.hca, eq, sizeof(eq)));
	world_put64(cq, 18, (uintptr_t)page + 2048);
	world_put64(cq, 68, (uintptr_t)page);
	/* It writes the record of the queue, with the lock held. */
	alarm(patience_s());
	world_exec_create(leaky.hca, cq, sizeof(cq));
	alarm(0);
	assert_int_not_equal(leaky.nb_writes, 0);
	swhca_fabric_destroy(fabric);
	free(page);
}
