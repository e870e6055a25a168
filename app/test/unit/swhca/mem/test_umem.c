/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * User memory: rings and keys of it, mailboxes typed by dword and bit (Linux: devx.c,
 * devx_umem_reg_cmd_build(), and mlx5_ifc.h).
 */

#include "object/buf.h"
#include "object/bus.h"
#include "object/hca_state.h"
#include "pair.h"

#define PAGE		4096u
#define NB_PAGES	4u
#define DESTROY_MKEY	0x202
#define CREATE_UMEM	0xa08
#define DESTROY_UMEM	0xa0a
#define BAD_PARAM	0x03
#define RD_EN		0x1u
#define WR_EN		0x2u
#define ALL		(RD_EN | WR_EN)

/* Of the second device, over the first pages of the world's memory; access bits of each page. */
static uint32_t
umem_create(struct pair *p, const uint8_t access[NB_PAGES])
{
	uint8_t in[0x30 + 8 * NB_PAGES] = { 0 };

	world_put(in, 0, 16, CREATE_UMEM);
	world_put(in, 11, 0, NB_PAGES);
	for (unsigned int i = 0; i < NB_PAGES; i++) {
		world_put_bus(in, 12 + 2 * i, p->w.mem + (size_t)i * PAGE);
		world_put(in, 13 + 2 * i, 0, access[i]);
	}
	return world_exec_create(p->b.hca, in, sizeof(in));
}

/* All of it, with all rights. */
static uint32_t
key_create(struct pair *p, uint32_t umem)
{
	uint8_t in[WORLD_BOX] = { 0 };

	world_mkey_box(&p->w, 1, in, WORLD_ALL | WORLD_MTT);
	world_put(in, 3, 30, 1);	/* mkey_umem_valid */
	world_put(in, 11, 0, NB_PAGES * PAGE);
	world_put(in, 17, 0, NB_PAGES / 2);
	world_put(in, 18, 0, 12);
	world_put(in, 25, 0, umem);
	return world_exec_create(p->b.hca, in, sizeof(in)) << 8;
}

/* A transfer of the second page, whose address is 0 at the beginning of the first, to the last. */
static const struct mlx5_cqe64 *
transfer(struct pair *p, uint8_t op, uint32_t key)
{
	uint8_t *own = p->w.mem + WORLD_MEM - PAGE;

	post_transfer(&p->a, op, CE, PAGE, key, own, p->w.mem_key[0], PAGE);
	world_ring(&p->a);
	return wait_send_cqe(p, &p->a);
}

static void
expect_readable(struct pair *p, uint32_t key)
{
	const struct mlx5_cqe64 *cqe;

	fill(p->w.mem, (size_t)NB_PAGES * PAGE);
	memset(p->w.mem + WORLD_MEM - PAGE, 0, PAGE);
	cqe = transfer(p, OP_READ, key);
	expect_done(cqe, p->a.last);
	assert_memory_equal(p->w.mem + WORLD_MEM - PAGE, p->w.mem + PAGE, PAGE);
}

static void
give_back(struct pair *p, uint32_t key, uint32_t umem)
{
	assert_int_equal(world_cmd(p->b.hca, DESTROY_UMEM, umem, NULL), 0x06);
	assert_int_equal(world_cmd(p->b.hca, DESTROY_MKEY, key >> 8, NULL), 0);
	assert_int_equal(world_cmd(p->b.hca, DESTROY_UMEM, umem, NULL), 0);
}

PAIR_CASE(key_reads_and_writes_its_umem)
{
	static const uint8_t access[NB_PAGES] = { ALL, ALL, ALL, ALL };
	uint32_t umem = umem_create(p, access), key = key_create(p, umem);
	const struct mlx5_cqe64 *cqe;

	expect_readable(p, key);
	memset(p->w.mem + PAGE, 0, PAGE);
	cqe = transfer(p, OP_WRITE, key);
	expect_done(cqe, p->a.last);
	assert_memory_equal(p->w.mem + WORLD_MEM - PAGE, p->w.mem + PAGE, PAGE);
	give_back(p, key, umem);
}

/* Rights of a key of its own do not help who has registered memory for reading. */
static void
expect_not_written(struct pair *p, const uint8_t access[NB_PAGES])
{
	uint32_t umem = umem_create(p, access), key = key_create(p, umem);
	uint8_t *before = NOT_NULL(malloc((size_t)NB_PAGES * PAGE));

	expect_readable(p, key);
	memcpy(before, p->w.mem, (size_t)NB_PAGES * PAGE);
	memset(p->w.mem + WORLD_MEM - PAGE, 0xee, PAGE);
	expect_error(transfer(p, OP_WRITE, key), MLX5_CQE_REQ_ERR,
		     MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	assert_memory_equal(before, p->w.mem, (size_t)NB_PAGES * PAGE);
	free(before);
	give_back(p, key, umem);
}

CASE_WITH(key_does_not_write_a_umem_for_reading, setup, teardown)
{
	static const uint8_t access[NB_PAGES] = { RD_EN, RD_EN, RD_EN, RD_EN };

	expect_not_written(*state, access);
}

/* Registrations have the same bits in all entries; what has not is taken for the least. */
CASE_WITH(key_does_not_write_a_umem_with_a_page_for_reading, setup, teardown)
{
	static const uint8_t access[NB_PAGES] = { ALL, ALL, ALL, RD_EN };

	expect_not_written(*state, access);
}

PAIR_CASE(completions_are_not_written_to_a_umem_for_reading)
{
	static const uint8_t access[NB_PAGES] = { RD_EN, RD_EN, RD_EN, RD_EN };
	static const uint8_t all[NB_PAGES] = { ALL, ALL, ALL, ALL };
	uint32_t umem = umem_create(p, access), good = umem_create(p, all);
	uint8_t in[WORLD_BOX];

	world_cq_box(&p->w, 1, in, umem, 0, 2 * PAGE);
	assert_int_equal(world_exec(p->b.hca, in, sizeof(in)), BAD_PARAM);
	/* The device's record, which is only read, may be there; nothing is written to it. */
	memset(p->w.mem, 0, (size_t)NB_PAGES * PAGE);
	world_cq_box(&p->w, 1, in, good, 0, 2 * PAGE);
	memset(in + 5 * 4, 0, 4);
	world_put(in, 5, 0, umem);
	assert_int_equal(world_exec(p->b.hca, in, sizeof(in)), 0);
	assert_int_equal(p->w.mem[2 * PAGE + 4], 0);
	/* As in one that is for both. */
	world_cq_box(&p->w, 1, in, good, 0, 2 * PAGE);
	assert_int_equal(world_exec(p->b.hca, in, sizeof(in)), 0);
	assert_int_not_equal(p->w.mem[2 * PAGE + 4], 0);
}

/*
 * A page larger than a space of bus addresses ends in another function's: it is nowhere, and so is
 * every byte of it. Added to an offset that address would be one of the first function's.
 */
CASE(page_larger_than_a_space_is_nowhere)
{
	const uint8_t no_page[8] = { 0 };
	struct swhca_hca hca = { .conf.bus_space = 2 };
	uint64_t addr, len, at;
	struct swhca_buf buf;

	for (at = 0; at < UINT64_C(1) << 62; at += UINT64_C(1) << 55) {
		assert_int_equal(swhca_buf_init(&buf, &hca, no_page, 1, 63, 0), 0);
		assert_int_equal(swhca_buf_span(&buf, at, &addr, &len), -EFAULT);
		swhca_buf_fini(&buf);
	}
	/* The largest that is not. */
	assert_int_equal(swhca_buf_init(&buf, &hca, no_page, 1, SWHCA_LOG_BUS_SPACE, 0), 0);
	assert_int_equal(swhca_buf_span(&buf, 5, &addr, &len), 0);
	assert_int_equal(addr, UINT64_C(2) << SWHCA_LOG_BUS_SPACE | 5);
	swhca_buf_fini(&buf);
}
