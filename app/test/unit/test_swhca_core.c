/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "swhca_log.h"
#include "swhca_world.h"

#define CE	0x08	/* completion always */
#define FENCE	0x20	/* initiator small fence */
#define OP_NOP	0x00
#define OP_WRITE 0x08
#define OP_WRITE_IMM 0x09
#define OP_SEND 0x0a
#define OP_SEND_IMM 0x0b
#define OP_READ 0x10
#define OP_UMR	0x25

#define ALL_RIGHTS (WORLD_LW | WORLD_RR | WORLD_RW)

struct pair {
	struct world w;
	struct world_qp a;	/* on device 0 */
	struct world_qp b;	/* on device 1 */
};

static int
setup(void **state)
{
	struct pair *p = calloc(1, sizeof(*p));

	swhca_log_level = SWHCA_LOG_NONE;
	assert_non_null(p);
	world_create(&p->w);
	world_qp_create(&p->w, 0, &p->a);
	world_qp_create(&p->w, 1, &p->b);
	world_qp_connect(&p->w, &p->a, &p->b);
	*state = p;
	return 0;
}

static int
teardown(void **state)
{
	struct pair *p = *state;

	world_qp_destroy(&p->a);
	world_qp_destroy(&p->b);
	world_destroy(&p->w);
	free(p);
	return 0;
}

static void
fill(uint8_t *mem, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		mem[i] = (uint8_t)(i * 7 + i / 251);
}

static void
expect_error(const struct mlx5_cqe64 *cqe, uint8_t opcode, uint8_t syndrome)
{
	assert_non_null(cqe);
	assert_int_equal(cqe->op_own >> 4, opcode);
	assert_int_equal(((const struct mlx5_err_cqe *)cqe)->syndrome, syndrome);
}

static void
expect_done(const struct mlx5_cqe64 *cqe, uint16_t index)
{
	assert_non_null(cqe);
	assert_int_equal(cqe->op_own >> 4, 0);
	assert_int_equal(be16toh(cqe->wqe_counter), index);
}

static void
post_umr(struct pair *p, uint32_t key, uint8_t access, uint64_t len, const struct world_klm *klms,
	 uint32_t nb)
{
	uint8_t body[1008];
	uint32_t nb_ds = world_umr_list(body, key, access, len, klms, nb);

	world_post(&p->a, OP_UMR, 0, key, body, nb_ds);
}

static void
post_transfer(struct world_qp *qp, uint8_t op, uint8_t flags, uint64_t raddr, uint32_t rkey,
	      const void *addr, uint32_t lkey, uint32_t len)
{
	uint8_t body[32];

	world_rdma_body(body, raddr, rkey, addr, lkey, len);
	world_post(qp, op, flags, 0, body, 2);
}

static void
write_through_a_list_gathers_its_pieces(void **state)
{
	struct pair *p = *state;
	uint8_t *mem = p->w.mem, *dst = mem + 65536;
	uint32_t key = world_klm_key(&p->w, 0, 4) | 0x5a;
	const struct world_klm klms[3] = {
		{ 3, p->w.mem_key[0], (uintptr_t)mem + 10 },
		{ 5000, p->w.mem_key[0], (uintptr_t)mem + 4090 },
		{ 1, p->w.mem_key[0], (uintptr_t)mem + 11 },
	};

	fill(mem, 16384);
	post_umr(p, key, ALL_RIGHTS, 5004, klms, 3);
	post_transfer(&p->a, OP_WRITE, CE | FENCE, (uintptr_t)dst, p->w.mem_key[1], NULL, key,
		      5004);
	world_ring(&p->a);
	world_run(&p->w);
	expect_done(world_send_cqe(&p->a), p->a.last);
	assert_null(world_send_cqe(&p->a));
	assert_memory_equal(dst, mem + 10, 3);
	assert_memory_equal(dst + 3, mem + 4090, 5000);
	assert_int_equal(dst[5003], mem[11]);
	assert_int_equal(dst[5004], 0);
}

static void
read_through_an_interleaved_key_scatters(void **state)
{
	struct pair *p = *state;
	uint8_t *mem = p->w.mem, *src = mem + 65536;
	uint32_t key = world_klm_key(&p->w, 0, 4), i;
	struct world_klm klms[3] = { { 0 } };
	uint8_t body[1008];
	uint32_t nb_ds;

	/* Repeat block, 3 times {2 of every 10 bytes at 0, 1 of every 100 at 1000}. */
	nb_ds = world_umr_list(body, key, ALL_RIGHTS, 9, klms, 3);
	memcpy(body + 112,
	       "\0\0\0\3\0\0\4\0\0\0\0\3\0\0\0\2"
	       "\0\12\0\2\0\0\0\0\0\0\0\0\0\0\0\0"
	       "\0\144\0\1\0\0\0\0\0\0\0\0\0\0\0\0", 48);
	for (i = 0; i < 2; i++) {
		uint32_t be_key = htobe32(p->w.mem_key[0]);
		uint64_t be_addr = htobe64((uintptr_t)mem + i * 1000);

		memcpy(body + 128 + i * 16 + 4, &be_key, 4);
		memcpy(body + 128 + i * 16 + 8, &be_addr, 8);
	}
	memcpy(src, "abcdefghi", 9);
	world_post(&p->a, OP_UMR, 0, key, body, nb_ds);
	post_transfer(&p->a, OP_READ, CE | FENCE, (uintptr_t)src, p->w.mem_key[1], NULL, key, 9);
	world_ring(&p->a);
	world_run(&p->w);
	expect_done(world_send_cqe(&p->a), p->a.last);
	assert_memory_equal(mem, "ab\0\0\0\0\0\0\0\0de\0\0\0\0\0\0\0\0gh\0", 23);
	assert_int_equal(mem[1000], 'c');
	assert_int_equal(mem[1100], 'f');
	assert_int_equal(mem[1200], 'i');
}

/* A write through `lkey` must end in the given error and put the QP in error. */
static void
expect_write_refused(struct pair *p, uint32_t lkey, uint64_t addr, uint32_t len, uint32_t rkey,
		     uint8_t syndrome)
{
	post_transfer(&p->a, OP_WRITE, FENCE, (uintptr_t)p->w.mem, rkey, (void *)(uintptr_t)addr,
		      lkey, len);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, syndrome);
	assert_int_equal(world_qp_state(&p->a), 6);
}

static void
free_key_is_refused(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 4);

	expect_write_refused(p, key, 0, 1, p->w.mem_key[1], MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static void
stale_tag_is_refused(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 4);
	const struct world_klm klm = { 64, p->w.mem_key[0], (uintptr_t)p->w.mem };

	post_umr(p, key | 1, ALL_RIGHTS, 64, &klm, 1);
	post_umr(p, key | 2, ALL_RIGHTS, 64, &klm, 1);
	expect_write_refused(p, key | 1, 0, 1, p->w.mem_key[1], MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static void
access_beyond_the_length_is_refused(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 4);
	const struct world_klm klm = { 64, p->w.mem_key[0], (uintptr_t)p->w.mem };

	post_umr(p, key, ALL_RIGHTS, 64, &klm, 1);
	expect_write_refused(p, key, 60, 5, p->w.mem_key[1], MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static void
layout_shorter_than_its_length_is_refused(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 4);
	const struct world_klm klm = { 64, p->w.mem_key[0], (uintptr_t)p->w.mem };

	post_umr(p, key, ALL_RIGHTS, 100, &klm, 1);
	expect_write_refused(p, key, 0, 65, p->w.mem_key[1], MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static void
remote_key_without_write_access_is_refused(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_mtt_key(&p->w, 1, p->w.mem, 4096, WORLD_LR | WORLD_LW | WORLD_RR);

	expect_write_refused(p, p->w.mem_key[0], (uintptr_t)p->w.mem, 8, key,
			     MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	assert_int_equal(world_qp_state(&p->b), 6);
}

static void
local_key_without_write_access_is_refused(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_mtt_key(&p->w, 0, p->w.mem, 4096, WORLD_LR);

	post_transfer(&p->a, OP_READ, CE, (uintptr_t)p->w.mem, p->w.mem_key[1], p->w.mem, key, 8);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static void
key_of_another_pd_is_refused(void **state)
{
	struct pair *p = *state;
	uint32_t pdn = p->w.dev[0].pdn, key;

	assert_int_equal(world_cmd(p->w.dev[0].hca, 0x800, 0, &p->w.dev[0].pdn), 0);
	key = world_mtt_key(&p->w, 0, p->w.mem, 4096, WORLD_LR | WORLD_LW);
	p->w.dev[0].pdn = pdn;
	expect_write_refused(p, key, (uintptr_t)p->w.mem, 8, p->w.mem_key[1],
			     MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

/* Two pages. */
static uint8_t *
map_pages(void)
{
	void *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	return pages;
}

static void
unmapped_memory_is_an_error_not_a_crash(void **state)
{
	struct pair *p = *state;
	uint8_t *hole = map_pages();
	uint32_t lkey;

	lkey = world_mtt_key(&p->w, 0, hole, 8192, WORLD_LR | WORLD_LW);
	munmap(hole, 8192);
	expect_write_refused(p, lkey, (uintptr_t)hole, 8, p->w.mem_key[1],
			     MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static void
unmapped_remote_memory_is_an_error_not_a_crash(void **state)
{
	struct pair *p = *state;
	uint8_t *hole = map_pages();
	uint32_t rkey;

	rkey = world_mtt_key(&p->w, 1, hole, 8192, WORLD_LR | WORLD_LW | WORLD_RW);
	assert_int_equal(mprotect(hole, 8192, PROT_READ), 0);
	post_transfer(&p->a, OP_WRITE, CE, (uintptr_t)hole, rkey, p->w.mem, p->w.mem_key[0], 8);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
	assert_int_equal(world_qp_state(&p->b), 6);
	munmap(hole, 8192);
}

static void
errors_come_back_for_every_wqe_signaled_or_not(void **state)
{
	struct pair *p = *state;
	const struct mlx5_cqe64 *cqe;
	int i;

	world_post(&p->a, OP_NOP, 0, 0, NULL, 0);	/* good and unsignaled: no CQE */
	post_transfer(&p->a, OP_WRITE, 0, (uintptr_t)p->w.mem, 0xbad00, p->w.mem, p->w.mem_key[0],
		      4);
	for (i = 0; i < 5; i++)
		world_post(&p->a, OP_NOP, i == 4 ? CE : 0, 0, NULL, 0);
	world_ring(&p->a);
	world_run(&p->w);
	cqe = world_send_cqe(&p->a);
	expect_error(cqe, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	assert_int_equal(be16toh(cqe->wqe_counter), 1);
	for (i = 0; i < 5; i++) {
		cqe = world_send_cqe(&p->a);
		expect_error(cqe, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
		assert_int_equal(be16toh(cqe->wqe_counter), 2 + i);
	}
	assert_null(world_send_cqe(&p->a));
	/* What is posted to a queue in error is flushed too. */
	world_post(&p->a, OP_NOP, 0, 0, NULL, 0);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
}

static void
send_with_immediate_arrives(void **state)
{
	struct pair *p = *state;
	const struct mlx5_cqe64 *cqe;
	uint8_t body[32];

	memcpy(p->w.mem, "hello", 5);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 4096, 100);
	world_rdma_body(body, 0, 0, p->w.mem, p->w.mem_key[0], 5);
	world_post(&p->a, OP_SEND_IMM, CE, 0xcafe, body + 16, 1);
	world_ring(&p->a);
	world_run(&p->w);
	expect_done(world_send_cqe(&p->a), p->a.last);
	cqe = world_recv_cqe(&p->b);
	assert_non_null(cqe);
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_RESP_SEND_IMM);
	assert_int_equal(be32toh(cqe->byte_cnt), 5);
	assert_int_equal(be32toh(cqe->imm_inval_pkey), 0xcafe);
	assert_int_equal(be32toh(cqe->srqn_uidx), 0x123);
	assert_memory_equal(p->w.mem + 4096, "hello\0", 6);
}

static void
post_send(struct world_qp *qp, uint32_t key, const void *addr, uint32_t len)
{
	uint8_t body[32];

	world_rdma_body(body, 0, 0, addr, key, len);
	world_post(qp, OP_SEND, CE, 0, body + 16, 1);
}

/* Poll until a CQE is there: waits of the device are real time. */
static const struct mlx5_cqe64 *
wait_send_cqe(struct pair *p, struct world_qp *qp)
{
	const struct mlx5_cqe64 *cqe = NULL;
	time_t deadline = time(NULL) + 10;

	while (cqe == NULL && time(NULL) < deadline) {
		swhca_fabric_poll(p->w.fabric);
		cqe = world_send_cqe(qp);
	}
	return cqe;
}

static void
send_without_a_receive_ends_after_its_retries(void **state)
{
	struct pair *p = *state;

	post_send(&p->a, p->w.mem_key[0], p->w.mem, 8);
	world_ring(&p->a);
	expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR,
		     MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR);
	assert_int_equal(world_qp_state(&p->b), 3);
}

static void
send_longer_than_the_receive_fails_both_ends(void **state)
{
	struct pair *p = *state;

	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 4096, 7);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 4096, 7);
	post_send(&p->a, p->w.mem_key[0], p->w.mem, 8);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR,
		     MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	expect_error(world_recv_cqe(&p->b), MLX5_CQE_RESP_ERR, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	expect_error(world_recv_cqe(&p->b), MLX5_CQE_RESP_ERR, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(world_qp_state(&p->b), 6);
}

static void
silent_peer_ends_in_retry_exceeded(void **state)
{
	struct pair *p = *state;
	uint8_t in[16] = { 0x05, 0x0a }, out[16];

	memcpy(in + 8, &(uint32_t){ htobe32(p->b.qpn) }, 4);
	assert_int_equal(swhca_hca_cmd_exec(p->b.hca, in, 16, out, 16), 0);
	post_transfer(&p->a, OP_WRITE, CE, (uintptr_t)p->w.mem, p->w.mem_key[1], p->w.mem,
		      p->w.mem_key[0], 8);
	world_ring(&p->a);
	expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR,
		     MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
}

static void
queues_that_share_a_uar_lose_no_doorbell(void **state)
{
	struct pair *p = *state;
	struct world_qp more[3];
	int i;

	for (i = 0; i < 3; i++) {
		world_qp_create(&p->w, 0, &more[i]);
		world_qp_connect(&p->w, &more[i], &more[i]);
		world_post(&more[i], OP_NOP, CE, 0, NULL, 0);
	}
	/* Each overwrites the doorbell of the one before. */
	for (i = 0; i < 3; i++)
		world_ring(&more[i]);
	world_run(&p->w);
	for (i = 0; i < 3; i++) {
		expect_done(world_send_cqe(&more[i]), 0);
		world_qp_destroy(&more[i]);
	}
}

static void
umr_may_begin_at_every_slot_of_the_ring(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 52), start;
	struct world_klm klms[52];
	uint32_t i;

	fill(p->w.mem, 4096);
	for (i = 0; i < 52; i++)
		klms[i] = (struct world_klm){ i + 1, p->w.mem_key[0],
					      (uintptr_t)p->w.mem + i * 17 };
	for (start = 0; start < WORLD_SQ_BB; start++) {
		uint8_t *dst = p->w.mem + 8192;

		while (p->a.pi % WORLD_SQ_BB != start)
			world_post(&p->a, OP_NOP, 0, 0, NULL, 0);
		world_ring(&p->a);
		world_run(&p->w);
		memset(dst, 0, 2048);
		post_umr(p, key, ALL_RIGHTS, 1378, klms, 52);
		post_transfer(&p->a, OP_WRITE, CE | FENCE, (uintptr_t)dst, p->w.mem_key[1], NULL,
			      key, 1378);
		world_ring(&p->a);
		world_run(&p->w);
		expect_done(world_send_cqe(&p->a), p->a.last);
		for (i = 0; i < 52; i++) {
			assert_memory_equal(dst, p->w.mem + i * 17, i + 1);
			dst += i + 1;
		}
	}
}

static void
wqe_longer_than_what_is_posted_is_refused(void **state)
{
	struct pair *p = *state;

	world_post(&p->a, OP_NOP, CE, 0, NULL, 0);
	p->a.page[WORLD_SQ_OFF + 7] = 63;	/* DS */
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

static void
unknown_opcode_is_refused(void **state)
{
	struct pair *p = *state;

	world_post(&p->a, 0x3e, CE, 0, NULL, 0);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

static void
umr_of_more_klms_than_the_key_holds_is_refused(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 4);
	struct world_klm klms[5] = { { 0 } };

	post_umr(p, key, ALL_RIGHTS, 5, klms, 5);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

static void
umr_of_a_registered_region_is_refused(void **state)
{
	struct pair *p = *state;
	const struct world_klm klm = { 64, p->w.mem_key[0], (uintptr_t)p->w.mem };

	post_umr(p, p->w.mem_key[0], ALL_RIGHTS, 64, &klm, 1);
	world_ring(&p->a);
	world_run(&p->w);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

static void
keys_nest_to_the_limit_and_no_deeper(void **state)
{
	struct pair *p = *state;
	uint32_t inner = p->w.mem_key[0];
	uint64_t addr = (uintptr_t)p->w.mem;
	int depth;

	memcpy(p->w.mem, "nested", 6);
	for (depth = 1; depth <= 5; depth++) {
		uint32_t key = world_klm_key(&p->w, 0, 4);
		const struct world_klm klm = { 6, inner, addr };

		post_umr(p, key, ALL_RIGHTS, 6, &klm, 1);
		post_transfer(&p->a, OP_WRITE, CE | FENCE, (uintptr_t)p->w.mem + 4096 * depth,
			      p->w.mem_key[1], NULL, key, 6);
		world_ring(&p->a);
		world_run(&p->w);
		if (depth <= 4) {
			expect_done(world_send_cqe(&p->a), p->a.last);
			assert_memory_equal(p->w.mem + 4096 * depth, "nested", 6);
		} else {
			expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR,
				     MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
		}
		inner = key;
		addr = 0;
	}
}

static void
key_that_points_to_itself_does_not_hang(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 52), i;
	struct world_klm klms[52];

	for (i = 0; i < 52; i++)
		klms[i] = (struct world_klm){ i == 51 ? 1u << 20 : 0, key, 0 };
	post_umr(p, key, ALL_RIGHTS, 1u << 20, klms, 52);
	expect_write_refused(p, key, 0, 1u << 20, p->w.mem_key[1],
			     MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static void
full_cq_stops_and_overwrites_nothing(void **state)
{
	struct pair *p = *state;
	uint8_t first[64];
	uint32_t i, nb = 0;

	for (i = 0; i < WORLD_CQ_CQES; i++)
		world_post(&p->a, OP_NOP, CE, 0, NULL, 0);
	world_ring(&p->a);
	world_run(&p->w);
	memcpy(first, p->a.page + WORLD_SCQ_OFF, 64);
	world_post(&p->a, OP_NOP, CE, 0, NULL, 0);
	world_ring(&p->a);
	world_run(&p->w);
	assert_memory_equal(first, p->a.page + WORLD_SCQ_OFF, 64);
	while (world_send_cqe(&p->a) != NULL)
		nb++;
	assert_int_equal(nb, WORLD_CQ_CQES);
}

static void
commands_are_refused_with_a_status(void **state)
{
	struct pair *p = *state;
	struct swhca_hca *hca = p->w.dev[0].hca;
	uint8_t in[16] = { 0x02, 0x00 }, out[16];

	assert_int_equal(world_cmd(hca, 0x7ff, 0, NULL), 0x02);			/* BAD_OP */
	assert_int_equal(world_cmd(hca, 0x801, 0xfff, NULL), 0x05);		/* BAD_RES */
	assert_int_equal(world_cmd(hca, 0x801, p->w.dev[0].pdn, NULL), 0x06);	/* RES_BUSY */
	assert_int_equal(world_cmd(hca, 0x401, p->a.scqn, NULL), 0x06);
	assert_int_equal(world_cmd(hca, 0xa0a, p->a.umem, NULL), 0x06);
	assert_int_equal(world_cmd(hca, 0x803, p->w.dev[0].uarn, NULL), 0x06);
	/* CREATE_MKEY in 16 bytes: BAD_INP_LEN, with a syndrome, for any shorter output too. */
	assert_int_equal(swhca_hca_cmd_exec(hca, in, 16, out, 16), 0x50);
	assert_int_equal(out[0], 0x50);
	assert_int_equal(swhca_hca_cmd_exec(hca, in, 3, out, 16), 0x50);
	assert_int_equal(swhca_hca_cmd_exec(hca, in, 16, out, 4), 0x51);
}

static void
qp_transitions_out_of_order_are_refused(void **state)
{
	struct pair *p = *state;
	uint8_t in[0x110] = { 0x05, 0x03 }, out[16];

	memcpy(in + 8, &(uint32_t){ htobe32(p->a.qpn) }, 4);
	/* INIT2RTR of a QP in RTS: BAD_QP_STATE */
	assert_int_equal(swhca_hca_cmd_exec(p->a.hca, in, sizeof(in), out, sizeof(out)), 0x10);
	assert_int_equal(world_qp_state(&p->a), 3);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(write_through_a_list_gathers_its_pieces),
		CASE(read_through_an_interleaved_key_scatters),
		CASE(free_key_is_refused),
		CASE(stale_tag_is_refused),
		CASE(access_beyond_the_length_is_refused),
		CASE(layout_shorter_than_its_length_is_refused),
		CASE(remote_key_without_write_access_is_refused),
		CASE(local_key_without_write_access_is_refused),
		CASE(key_of_another_pd_is_refused),
		CASE(unmapped_memory_is_an_error_not_a_crash),
		CASE(unmapped_remote_memory_is_an_error_not_a_crash),
		CASE(errors_come_back_for_every_wqe_signaled_or_not),
		CASE(send_with_immediate_arrives),
		CASE(send_without_a_receive_ends_after_its_retries),
		CASE(send_longer_than_the_receive_fails_both_ends),
		CASE(silent_peer_ends_in_retry_exceeded),
		CASE(queues_that_share_a_uar_lose_no_doorbell),
		CASE(umr_may_begin_at_every_slot_of_the_ring),
		CASE(wqe_longer_than_what_is_posted_is_refused),
		CASE(unknown_opcode_is_refused),
		CASE(umr_of_more_klms_than_the_key_holds_is_refused),
		CASE(umr_of_a_registered_region_is_refused),
		CASE(keys_nest_to_the_limit_and_no_deeper),
		CASE(key_that_points_to_itself_does_not_hang),
		CASE(full_cq_stops_and_overwrites_nothing),
		CASE(commands_are_refused_with_a_status),
		CASE(qp_transitions_out_of_order_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
