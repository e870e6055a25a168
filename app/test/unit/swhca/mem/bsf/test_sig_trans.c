/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Transaction signatures: one CRC32C over all the data of a key, maybe in pieces, in either domain;
 * compared with an oracle that goes bit by bit. What is rejected, and what ends in a fault.
 */

#include "budget.h"
#include "mem/bsf/bsf.h"
#include "sig_world.h"

#define MAX_DATA	200000u
#define FAR		524288u		/* place of the wire in the memory of the world */

/* BSF bytes, typed: Linux, struct mlx5_bsf; SPDK, struct mlx5_sig_bsf_ext. */
struct trans {
	bool is_wire, seed_ones, init, check_gen;
	uint32_t size;		/* of the data */
	uint32_t psv;
	uint8_t mask;
};

static void
trans_bsf(uint8_t *bsf, const struct trans *t)
{
	uint8_t bits = (uint8_t)(t->init << 1 | t->check_gen);

	memset(bsf, 0, 64);
	bsf[0] = 0x40;
	bsf[1] = t->mask;
	world_put(bsf, 1, 0, t->size);
	bsf[16] = t->is_wire ? (uint8_t)(bits << 4) : bits;
	world_put(bsf, t->is_wire ? 6 : 7, 0, (t->seed_ones ? 0x40u : 0x41u) << 24 | t->psv);
}

/* A key of device 0 with a PSV; sigerr is the parity that waits for an error. */
struct trans_key {
	uint32_t key;
	bool sigerr;
	struct trans t;
};

static struct trans_key
key_create(struct pair *p)
{
	return (struct trans_key){
		.key = sig_key(p, 0, 4, 4, false),
		.sigerr = true,
		.t = { .init = true, .check_gen = true, .psv = sig_psv(p, 0), .mask = 0xff },
	};
}

/* Lay the key over its data at the beginning of memory, with the field behind if that is there. */
static void
configure(struct pair *p, const struct trans_key *k)
{
	uint32_t len = k->t.size + (!k->t.is_wire && k->t.check_gen ? 4 : 0), first = rnd(len);
	const struct world_klm klms[2] = {
		{ first, p->w.mem_key[0], (uintptr_t)p->w.mem },
		{ len - first, p->w.mem_key[0], (uintptr_t)p->w.mem + first },
	};
	uint8_t bsf[64];

	trans_bsf(bsf, &k->t);
	sig_post_umr(&p->a, k->key, len, first == 0 ? klms + 1 : klms, first == 0 ? 1 : 2, bsf,
		     sizeof(bsf), k->sigerr);
}

static uint32_t
crc_of(const struct trans_key *k, const uint8_t *data, uint32_t len)
{
	return (uint32_t)oracle_crc_reflected(0x82f63b78, 32, k->t.seed_ones, data, len);
}

static uint32_t
crc_at(const uint8_t *at)
{
	return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
}

static void
crc_set(uint8_t *at, uint32_t crc)
{
	for (unsigned int i = 0; i < 4; i++)
		at[i] = (uint8_t)(crc >> (8 * i));
}

/* Wire bytes [from, to) between the key and plain memory of the other device. */
static void
move(struct pair *p, const struct trans_key *k, uint8_t op, uint64_t from, uint64_t to)
{
	sig_move(p, k->key, op, p->w.mem + FAR + from, from, (uint32_t)(to - from));
}

static void
move_done(struct pair *p, const struct trans_key *k, uint8_t op, uint64_t from, uint64_t to)
{
	move(p, k, op, from, to);
	expect_last(&p->a, 0);
}

/* All of the wire, in up to three transfers of random size. */
static void
move_all(struct pair *p, const struct trans_key *k, uint8_t op)
{
	uint32_t field = k->t.is_wire && k->t.check_gen ? 4 : 0;
	uint32_t cuts[4] = { 0, rnd(k->t.size + 1), rnd(k->t.size + 1), k->t.size + field }, i;

	if (cuts[1] > cuts[2]) {
		i = cuts[1];
		cuts[1] = cuts[2];
		cuts[2] = i;
	}
	for (i = 0; i < 3; i++)
		if (cuts[i] != cuts[i + 1])
			move_done(p, k, op, cuts[i], cuts[i + 1]);
	assert_null(world_send_cqe(&p->a));
}

/* From memory to the wire and back, with a good field wherever one is to be checked. */
static void
round_trip(struct pair *p, struct trans_key *k)
{
	static uint8_t data[MAX_DATA];
	uint8_t *mem = p->w.mem, *far = p->w.mem + FAR;
	uint32_t size = rnd(3) == 0 ? 1 + rnd(MAX_DATA - 1) : 1 + rnd(6000), i, crc;
	uint8_t *field;

	for (i = 0; i < size; i++)
		data[i] = (uint8_t)random();
	k->t.size = size;
	k->t.is_wire = rnd(2);
	k->t.seed_ones = rnd(2);
	k->t.init = true;
	field = k->t.is_wire ? far + size : mem + size;
	crc = crc_of(k, data, size);
	memcpy(mem, data, size);
	memset(far, 0x55, size + 8);
	memset(mem + size, 0x55, 8);
	if (!k->t.is_wire)
		crc_set(field, crc);
	configure(p, k);
	move_all(p, k, OP_WRITE);
	assert_memory_equal(far, data, size);
	assert_int_equal(crc_at(field), crc);
	assert_int_equal(far[size + (k->t.is_wire ? 4 : 0)], 0x55);
	memset(mem, 0x66, size + 8);
	move_all(p, k, OP_READ);
	assert_memory_equal(mem, data, size);
	assert_int_equal(crc_at(field), crc);
	assert_int_equal(mem[size + (k->t.is_wire ? 0 : 4)], 0x66);
}

PAIR_CASE(random_transactions_have_the_crc_of_the_oracle)
{
	struct trans_key k = key_create(p);
	const uint32_t nb = test_nb_cases();

	srandom(test_seed());
	for (uint32_t i = 0; i < nb; i++)
		round_trip(p, &k);
}

/* Without init the PSV says where the sum begins; without check_gen there is no field. */
PAIR_CASE(psv_holds_the_sum_between_keys)
{
	struct trans_key k = key_create(p);
	uint8_t *mem = p->w.mem, *far = mem + FAR, data[1000];
	uint32_t crc;

	fill(data, sizeof(data));
	memcpy(mem, data, 600);
	k.t = (struct trans){ true, true, false, false, 600, k.t.psv, 0xff };
	sig_post_psv(&p->a, k.t.psv, UINT64_C(0xffffffff00000000));
	configure(p, &k);
	move_done(p, &k, OP_WRITE, 0, 600);
	memset(far, 0, 600);
	memcpy(mem, data + 600, 400);
	k.t.size = 400;
	k.t.check_gen = true;
	configure(p, &k);
	move_done(p, &k, OP_WRITE, 0, 404);
	assert_int_equal(crc_at(far + 400), crc_of(&k, data, sizeof(data)));
	/* A value that is no seed: the sum of 1000 zero bits more, say. */
	crc = (uint32_t)~oracle_crc_reflected(0x82f63b78, 32, false, data, 100);
	sig_post_psv(&p->a, k.t.psv, (uint64_t)crc << 32);
	memcpy(mem, data + 100, 400);
	move_done(p, &k, OP_WRITE, 0, 404);
	k.t.seed_ones = false;
	assert_int_equal(crc_at(far + 400), crc_of(&k, data, 500));
}

/* An error of that domain was told, in front of the completion of the transfer. */
static void
expect_sig_error(struct pair *p, struct trans_key *k, uint32_t there, uint32_t computed)
{
	const struct mlx5_cqe64 *cqe = NOT_NULL(world_send_cqe(&p->a));

	assert_int_equal(cqe->op_own >> 4, 0xc);
	assert_int_equal(world_get(cqe, 4), there);
	assert_int_equal(world_get(cqe, 5), computed);
	assert_int_equal(world_get(cqe, 8), 0x20000100 | !k->t.is_wire);
	assert_int_equal(world_get(cqe, 9), k->key);
	assert_int_equal(world_get(cqe, 10) | world_get(cqe, 11), 0);
	expect_last(&p->a, 0);
	assert_null(world_send_cqe(&p->a));
	k->sigerr = !k->sigerr;
}

/* A field of one bit wrong, on the side that data come from; the data move all the same. */
PAIR_CASE(wrong_field_is_told)
{
	const uint32_t size = 70001;
	struct trans_key k = key_create(p);
	uint8_t *mem = p->w.mem, *far = mem + FAR;
	uint32_t crc, bad, i;

	k.t.size = size;
	for (i = 0; i < 2; i++) {
		k.t.is_wire = i != 0;
		fill(mem, size);
		memset(far, 0, size);
		crc = crc_of(&k, mem, size);
		bad = crc ^ 1u << (i ? 0 : 31);
		crc_set((i ? far : mem) + size, bad);
		if (i)
			fill(far, size);
		configure(p, &k);
		sig_post_psv(&p->a, k.t.psv, 0);
		move(p, &k, i ? OP_READ : OP_WRITE, 0, size + (i ? 4 : 0));
		expect_sig_error(p, &k, bad, crc);
		assert_memory_equal(mem, far, size);
	}
	/* Nobody looks at bytes that are masked out. */
	k.t.mask = 0x70;
	crc_set(far + size, crc ^ 0x80000000);
	configure(p, &k);
	sig_post_psv(&p->a, k.t.psv, 0);
	move_done(p, &k, OP_READ, 0, size + 4);
	assert_null(world_send_cqe(&p->a));
}

/* What does not reach the end has nothing to be checked. */
PAIR_CASE(field_is_checked_at_the_end_only)
{
	struct trans_key k = key_create(p);

	k.t.size = 1000;
	memset(p->w.mem, 0, 1004);
	configure(p, &k);
	move_done(p, &k, OP_WRITE, 0, 999);
	assert_null(world_send_cqe(&p->a));
	move(p, &k, OP_WRITE, 999, 1000);
	expect_sig_error(p, &k, 0, crc_of(&k, p->w.mem, 1000));
}

/* Sends and receives are transfers as well. */
PAIR_CASE(messages_are_signed)
{
	struct trans_key k = key_create(p);
	uint8_t *mem = p->w.mem, *far = mem + FAR;

	k.t.is_wire = true;
	k.t.size = 5000;
	fill(mem, 5000);
	configure(p, &k);
	world_recv(&p->b, p->w.mem_key[1], far, 5004);
	post_send(&p->a, k.key, NULL, 5004);
	expect_run(p, &p->a, 0);
	assert_int_equal(world_recv_cqe(&p->b)->op_own >> 4, 2);
	assert_int_equal(crc_at(far + 5000), crc_of(&k, mem, 5000));
	memset(mem, 0, 5000);
	world_recv(&p->a, k.key, NULL, 5004);
	post_send(&p->b, p->w.mem_key[1], far, 5004);
	expect_run(p, &p->b, 0);
	assert_int_equal(world_recv_cqe(&p->a)->op_own >> 4, 2);
	assert_null(world_recv_cqe(&p->a));
	assert_memory_equal(mem, far, 5000);
}

static void
expect_fault(struct pair *p, const struct trans_key *k, uint64_t from, uint64_t to)
{
	move(p, k, OP_WRITE, from, to);
	expect_last(&p->a, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

CASES(transfers_that_do_not_fit_the_field_are_faults)
{
	static const struct {
		const char *name;
		bool is_wire, check_gen;
		uint64_t from, to;
	} rows[] = {
		{ "beyond the field", true, true, 0, 1005 },
		{ "end within the field", true, true, 0, 1002 },
		{ "start within the field", true, true, 1001, 1004 },
		{ "start behind the field", true, true, 1004, 1005 },
		{ "field that does not end here", true, false, 0, 1004 },
		{ "wire of signed memory is as long as the data", false, true, 0, 1001 },
	};

	for (size_t i = 0; i < NB_OF(rows); i++) {
		struct pair *p = next_case(state, rows[i].name);
		struct trans_key k = key_create(p);

		k.t = (struct trans){ rows[i].is_wire, true, true, rows[i].check_gen, 1000, k.t.psv,
				      0xff };
		configure(p, &k);
		expect_fault(p, &k, rows[i].from, rows[i].to);
	}
}

PAIR_CASE(transaction_without_its_psv_is_a_fault)
{
	struct trans_key k = key_create(p);

	k.t.size = 100;
	configure(p, &k);
	assert_int_equal(world_cmd(p->w.dev[0].hca, 0x601, k.t.psv, NULL), 0);
	expect_fault(p, &k, 0, 100);
}

/* The model's parser by itself: one byte of a good format changed, or two. */
CASE(bad_formats_are_rejected)
{
	static const struct {
		uint8_t at, value;
	} cases[] = {
		{ 0, 0x00 },	/* basic: no place for a transaction */
		{ 0, 0xc0 },	/* with crypto, which is not there */
		{ 0, 0x50 },	/* same structure, of one domain */
		{ 17, 0x01 },	/* prologue */
		{ 21, 0x01 },	/* epilogue */
		{ 16, 0x31 },	/* the memory ends a transaction that it has not */
		{ 16, 0x32 },	/* or begins one */
		{ 24, 0x20 },	/* CRC32 */
		{ 24, 0x42 },	/* repeated: that is for blocks */
		{ 24, 0x50 },	/* CRC64 */
		{ 28, 0x40 },	/* both domains */
		{ 12, 0x42 },	/* blocks in memory, without a size */
	};
	struct trans t = { true, true, true, true, 4096, 1, 0xff };
	struct swhca_bsf bsf;
	uint8_t raw[64];

	trans_bsf(raw, &t);
	assert_null(swhca_bsf_parse(raw, 64, &bsf));
	assert_null(swhca_bsf_check_model(&bsf, SWHCA_MODEL_CX6DX));
	assert_non_null(swhca_bsf_check_model(&bsf, SWHCA_MODEL_CX5));
	/* What is behind the 32 bytes is nothing to it. */
	memset(raw + 32, 0xff, 32);
	assert_null(swhca_bsf_parse(raw, 64, &bsf));
	raw[0] = 0x80;
	assert_non_null(swhca_bsf_parse(raw, 64, &bsf));
	memset(raw + 32, 0, 32);
	assert_null(swhca_bsf_parse(raw, 64, &bsf));
	for (size_t i = 0; i < NB_OF(cases); i++) {
		trans_bsf(raw, &t);
		raw[cases[i].at] = cases[i].value;
		row_check_at(i, swhca_bsf_parse(raw, 64, &bsf) == NULL, false);
	}
	t.size = 0;
	trans_bsf(raw, &t);
	assert_non_null(swhca_bsf_parse(raw, 64, &bsf));
	/* Blocks of 512 with a CRC beside it, in the same domain and in the other. */
	t.size = 4096;
	trans_bsf(raw, &t);
	raw[2] = 1;
	raw[8] = 0x42;
	assert_non_null(swhca_bsf_parse(raw, 64, &bsf));
	trans_bsf(raw, &t);
	raw[3] = 1;
	raw[12] = 0x42;
	assert_non_null(swhca_bsf_parse(raw, 64, &bsf));
}

/* Beside an encryption, the two forms that adapters have. */
CASE(other_orders_of_crypto_are_rejected)
{
	uint8_t raw[128] = { 0 };
	struct swhca_bsf bsf;

	for (unsigned int wire = 0; wire < 2; wire++) {
		const struct trans t = { wire, true, true, true, 4096, 1, 0xff };

		for (unsigned int order = 0; order < 4; order++) {
			trans_bsf(raw, &t);
			raw[0] = 0xc0;
			raw[64] = 0xc1;
			raw[65] = (uint8_t)order;
			raw[72] = 1;
			assert_int_equal(swhca_bsf_parse(raw, 128, &bsf) == NULL,
					 order == (wire ? 2 : 3));
		}
	}
}
