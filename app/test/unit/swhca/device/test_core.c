/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <unistd.h>

#include "pair.h"

PAIR_CASE(write_through_a_list_gathers_its_pieces)
{
	uint8_t *mem = p->w.mem, *dst = mem + 65536;
	uint32_t key = world_klm_key(&p->w, 0, 4) | 0x5a;
	const struct world_klm klms[3] = {
		{ 3, p->w.mem_key[0], (uintptr_t)mem + 10 },
		{ 5000, p->w.mem_key[0], (uintptr_t)mem + 4090 },
		{ 1, p->w.mem_key[0], (uintptr_t)mem + 11 },
	};

	fill(mem, 16384);
	post_umr(p, key, ALL_ACCESS, 5004, klms, 3);
	post_transfer(&p->a, OP_WRITE, CE | FENCE, (uintptr_t)dst, p->w.mem_key[1], NULL, key,
		      5004);
	expect_run(p, &p->a, 0);
	assert_null(world_send_cqe(&p->a));
	assert_memory_equal(dst, mem + 10, 3);
	assert_memory_equal(dst + 3, mem + 4090, 5000);
	assert_int_equal(dst[5003], mem[11]);
	assert_int_equal(dst[5004], 0);
}

PAIR_CASE(read_through_an_interleaved_key_scatters)
{
	uint8_t *mem = p->w.mem, *src = mem + 65536;
	uint32_t key = world_klm_key(&p->w, 0, 4), nb_ds, i;
	struct world_klm klms[3] = { { 0 } };
	uint8_t body[1008];

	/* Repeat block, 3 times {2 of every 10 bytes at 0, 1 of every 100 at 1000}. */
	nb_ds = world_umr_list(body, key, ALL_ACCESS, 9, klms, 3);
	memcpy(body + 112,
	       "\0\0\0\3\0\0\4\0\0\0\0\3\0\0\0\2"
	       "\0\12\0\2\0\0\0\0\0\0\0\0\0\0\0\0"
	       "\0\144\0\1\0\0\0\0\0\0\0\0\0\0\0\0", 48);
	for (i = 0; i < 2; i++) {
		world_put(body, 33 + i * 4, 0, p->w.mem_key[0]);
		world_put64(body, 34 + i * 4, (uintptr_t)mem + i * 1000);
	}
	memcpy(src, "abcdefghi", 9);
	world_post(&p->a, OP_UMR, 0, key, body, nb_ds);
	post_transfer(&p->a, OP_READ, CE | FENCE, (uintptr_t)src, p->w.mem_key[1], NULL, key, 9);
	expect_run(p, &p->a, 0);
	assert_memory_equal(mem, "ab\0\0\0\0\0\0\0\0de\0\0\0\0\0\0\0\0gh\0", 23);
	assert_int_equal(mem[1000], 'c');
	assert_int_equal(mem[1100], 'f');
	assert_int_equal(mem[1200], 'i');
}

/* Two pages. */
static uint8_t *
map_pages(void)
{
	void *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	return pages;
}

/* A key of pages that are not there any more. */
static uint32_t
hole_key(struct pair *p, uint8_t access, uint8_t **hole)
{
	uint32_t key;

	*hole = map_pages();
	key = world_mtt_key(&p->w, 0, *hole, 8192, access);
	munmap(*hole, 8192);
	return key;
}

CASES(unmapped_memory_is_an_error_not_a_crash)
{
	struct pair *p = next_case(state, "local");
	uint8_t *hole;
	uint32_t key = hole_key(p, WORLD_LR | WORLD_LW, &hole);

	expect_write_rejected(p, key, (uintptr_t)hole, 8, p->w.mem_key[1],
			      MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);

	p = next_case(state, "remote");
	hole = map_pages();
	key = world_mtt_key(&p->w, 1, hole, 8192, WORLD_LR | WORLD_LW | WORLD_RW);
	assert_int_equal(mprotect(hole, 8192, PROT_READ), 0);
	post_transfer(&p->a, OP_WRITE, CE, (uintptr_t)hole, key, p->w.mem, p->w.mem_key[0], 8);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
	assert_int_equal(world_qp_state(&p->b), 6);
	munmap(hole, 8192);

	p = next_case(state, "a send leaves the receiver alone");
	key = hole_key(p, WORLD_LR, &hole);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem, 100);
	post_send(&p->a, key, hole, 8);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	assert_null(world_recv_cqe(&p->b));
	assert_int_equal(world_qp_state(&p->b), 3);
}

PAIR_CASE(errors_come_back_for_every_wqe_signaled_or_not)
{
	const struct mlx5_cqe64 *cqe;

	world_post(&p->a, OP_NOP, 0, 0, NULL, 0);	/* good and unsignaled: no CQE */
	post_transfer(&p->a, OP_WRITE, 0, (uintptr_t)p->w.mem, 0xbad00, p->w.mem, p->w.mem_key[0],
		      4);
	for (int i = 0; i < 5; i++)
		world_post(&p->a, OP_NOP, i == 4 ? CE : 0, 0, NULL, 0);
	ring_run(p, &p->a);
	for (int i = 0; i < 6; i++) {
		cqe = world_send_cqe(&p->a);
		expect_error(cqe, MLX5_CQE_REQ_ERR, i == 0 ? MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR :
							     MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
		assert_int_equal(be16toh(cqe->wqe_counter), 1 + i);
	}
	assert_null(world_send_cqe(&p->a));
	/* What is posted to a queue in error is flushed too. */
	world_post(&p->a, OP_NOP, 0, 0, NULL, 0);
	expect_later(p, &p->a, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	/* And receives, of which no doorbell tells. */
	world_recv(&p->a, p->w.mem_key[0], p->w.mem, 8);
	expect_error(world_wait_cqe(&p->w, &p->a, world_recv_cqe), MLX5_CQE_RESP_ERR,
		     MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
}

CASES(peers_that_do_not_answer_end_in_errors)
{
	struct pair *p = next_case(state, "no receive");
	struct world_qp qp;

	post_send(&p->a, p->w.mem_key[0], p->w.mem, 8);
	expect_later(p, &p->a, MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR);
	assert_int_equal(world_qp_state(&p->b), 3);

	p = next_case(state, "reset");
	assert_int_equal(world_cmd(p->b.hca, 0x50a, p->b.qpn, NULL), 0);
	post_mem(p, &p->a, OP_WRITE, 0, 0, 8);
	expect_later(p, &p->a, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);

	/* Numbers of the two devices are the same: only the address tells them apart. */
	p = next_case(state, "connected elsewhere");
	assert_int_equal(p->a.qpn, p->b.qpn);
	world_qp_create(&p->w, 1, &qp);
	world_qp_to_rts(&qp, p->b.qpn, 2, 3);
	post_transfer(&qp, OP_WRITE, CE, (uintptr_t)p->w.mem, p->w.mem_key[1], p->w.mem,
		      p->w.mem_key[1], 8);
	expect_later(p, &qp, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	world_qp_destroy(&qp);
}

PAIR_CASE(umr_may_begin_at_every_slot_of_the_ring)
{
	uint32_t key = world_klm_key(&p->w, 0, 52), start, i;
	struct world_klm klms[52];

	fill(p->w.mem, 4096);
	for (i = 0; i < 52; i++)
		klms[i] = (struct world_klm){ i + 1, p->w.mem_key[0],
					      (uintptr_t)p->w.mem + i * 17 };
	for (start = 0; start < WORLD_SQ_BB; start++) {
		uint8_t *dst = p->w.mem + 8192;

		while (p->a.pi % WORLD_SQ_BB != start)
			world_post(&p->a, OP_NOP, 0, 0, NULL, 0);
		ring_run(p, &p->a);
		memset(dst, 0, 2048);
		post_umr(p, key, ALL_ACCESS, 1378, klms, 52);
		post_transfer(&p->a, OP_WRITE, CE | FENCE, (uintptr_t)dst, p->w.mem_key[1], NULL,
			      key, 1378);
		expect_run(p, &p->a, 0);
		for (i = 0; i < 52; dst += ++i)
			assert_memory_equal(dst, p->w.mem + i * 17, i + 1);
	}
}

PAIR_CASE(keys_nest_to_the_limit_and_no_deeper)
{
	struct world_klm klm = { 6, p->w.mem_key[0], (uintptr_t)p->w.mem };
	uint32_t key;

	memcpy(p->w.mem, "nested", 6);
	for (int depth = 1; depth <= 5; depth++) {
		key = world_klm_key(&p->w, 0, 4);
		post_umr(p, key, ALL_ACCESS, 6, &klm, 1);
		post_transfer(&p->a, OP_WRITE, CE | FENCE, (uintptr_t)p->w.mem + 4096 * depth,
			      p->w.mem_key[1], NULL, key, 6);
		expect_run(p, &p->a, depth <= 4 ? 0 : MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
		if (depth <= 4)
			assert_memory_equal(p->w.mem + 4096 * depth, "nested", 6);
		klm.key = key;
		klm.addr = 0;
	}
}

CASES(queues_lose_no_doorbell_and_overwrite_nothing)
{
	struct pair *p = next_case(state, "shared UAR");
	struct world_qp more[3];
	uint8_t first[64];
	uint32_t nb;

	for (int i = 0; i < 3; i++) {
		world_qp_create(&p->w, 0, &more[i]);
		world_qp_connect(&p->w, &more[i], &more[i]);
		post_nops(&more[i], 1);
	}
	/* Each overwrites the doorbell of the one before. */
	for (int i = 0; i < 3; i++)
		world_ring(&more[i]);
	world_run(&p->w);
	for (int i = 0; i < 3; i++) {
		expect_done(world_send_cqe(&more[i]), 0);
		world_qp_destroy(&more[i]);
	}

	p = next_case(state, "full CQ");
	nb = 0;
	run_nops(p, &p->a, WORLD_CQ_CQES);
	memcpy(first, p->a.page + WORLD_SCQ_OFF, 64);
	run_nops(p, &p->a, 1);
	assert_memory_equal(first, p->a.page + WORLD_SCQ_OFF, 64);
	while (world_send_cqe(&p->a) != NULL)
		nb++;
	assert_int_equal(nb, WORLD_CQ_CQES);
}

CASES(messages_arrive_in_receives_that_fit)
{
	struct pair *p = next_case(state, "immediate");
	const struct mlx5_cqe64 *cqe;
	uint8_t body[32];
	uint32_t key;

	memcpy(p->w.mem, "hello", 5);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 4096, 100);
	world_rdma_body(body, 0, 0, p->w.mem, p->w.mem_key[0], 5);
	world_post(&p->a, OP_SEND_IMM, CE, 0xcafe, body + 16, 1);
	expect_run(p, &p->a, 0);
	cqe = NOT_NULL(world_recv_cqe(&p->b));
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_RESP_SEND_IMM);
	assert_int_equal(be32toh(cqe->byte_cnt), 5);
	assert_int_equal(be32toh(cqe->imm_inval_pkey), 0xcafe);
	assert_int_equal(be32toh(cqe->srqn_uidx), 0x123);
	assert_memory_equal(p->w.mem + 4096, "hello\0", 6);

	p = next_case(state, "too long");
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 4096, 7);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 4096, 7);
	post_send(&p->a, p->w.mem_key[0], p->w.mem, 8);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	expect_error(world_recv_cqe(&p->b), MLX5_CQE_RESP_ERR, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	expect_error(world_recv_cqe(&p->b), MLX5_CQE_RESP_ERR, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(world_qp_state(&p->b), 6);

	p = next_case(state, "memory of the message");
	key = world_mtt_key(&p->w, 1, p->w.mem + 4096, 1000, WORLD_LR | WORLD_LW);
	memcpy(p->w.mem, "short", 5);
	world_recv(&p->b, key, p->w.mem + 4096, 4096);
	post_send(&p->a, p->w.mem_key[0], p->w.mem, 5);
	expect_run(p, &p->a, 0);
	assert_memory_equal(p->w.mem + 4096, "short", 5);

	p = next_case(state, "counter beyond the ring");
	p->b.rq_pi = WORLD_RQ_WQES;
	world_recv(&p->b, p->w.mem_key[1], p->w.mem, 8);
	post_send(&p->a, p->w.mem_key[0], p->w.mem, 5);
	ring_run(p, &p->a);
	assert_int_equal(world_qp_state(&p->b), 6);
}

PAIR_CASE(key_of_the_pages_of_a_umem_translates)
{
	uint8_t in[WORLD_BOX];
	uint32_t key;

	world_mkey_box(&p->w, 0, in, WORLD_LR | WORLD_LW | WORLD_MTT);
	world_put(in, 3, 30, 1);			/* mkey_umem_valid */
	world_put(in, 11, 0, 8192);			/* len; start_addr is 0 */
	world_put(in, 17, 0, 1);
	world_put(in, 18, 0, 12);
	world_put(in, 25, 0, p->a.umem);
	world_put(in, 27, 0, WORLD_DBR_OFF);
	key = world_exec_create(p->a.hca, in, sizeof(in)) << 8;
	p->a.page[WORLD_DBR_OFF + 1000] = 0x77;
	post_transfer(&p->a, OP_WRITE, CE, (uintptr_t)p->w.mem, p->w.mem_key[1], (void *)1000, key,
		      1);
	expect_run(p, &p->a, 0);
	assert_int_equal(p->w.mem[0], 0x77);
	/* The umem is busy as long as the key is there. */
	assert_int_equal(world_cmd(p->a.hca, 0x202, key >> 8, NULL), 0);
	world_put(in, 27, 0, WORLD_QP_BYTES * 2);	/* pages that it does not have */
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0x03);
}

/* Counters of 16 bits, with receives on both sides of the wrap. */
PAIR_CASE(receives_go_on_behind_65536)
{
	const struct mlx5_cqe64 *cqe;
	uint32_t nb_posted = 0, nb_sent = 0;

	while (nb_sent < 0x10000 + WORLD_RQ_WQES) {
		for (; nb_posted < nb_sent + WORLD_RQ_WQES; nb_posted++)
			world_recv(&p->b, p->w.mem_key[1], p->w.mem, 1);
		/* Not a divisor of the wrap. */
		for (int i = 0; i < 7; i++, nb_sent++)
			post_send(&p->a, p->w.mem_key[0], p->w.mem, 1);
		ring_run(p, &p->a);
		for (uint32_t i = nb_sent - 7; i < nb_sent; i++) {
			expect_done(world_send_cqe(&p->a), (uint16_t)i);
			cqe = NOT_NULL(world_recv_cqe(&p->b));
			assert_int_equal(cqe->op_own >> 4, MLX5_CQE_RESP_SEND);
			assert_int_equal(be16toh(cqe->wqe_counter), i & 0xffff);
		}
	}
}

/* Whoever still has the number of an object that is gone does not meet the next one. */
CASES(numbers_and_pages_stay_with_their_owner)
{
	struct pair *p = next_case(state, "numbers");
	uint32_t first, next;
	int fd;

	first = world_alloc(p->a.hca, 0x800);
	assert_int_equal(world_cmd(p->a.hca, 0x801, first, NULL), 0);
	for (unsigned int i = 0; i < 20; i++) {
		next = world_alloc(p->a.hca, 0x800);
		assert_int_equal(next, first + 1 + i);
		assert_int_equal(world_cmd(p->a.hca, 0x801, next, NULL), 0);
		assert_int_equal(world_cmd(p->a.hca, 0x801, next, NULL), 0x05);
	}

	/* Whoever gets it to map it, a VMM say, takes no page away below the device. */
	p = next_case(state, "BAR");
	fd = swhca_hca_bar_fd(p->a.hca);
	assert_int_equal(ftruncate(fd, 4096), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(ftruncate(fd, (off_t)swhca_hca_bar_size(p->a.hca) * 2), -1);
	assert_int_equal(errno, EPERM);
}
