/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Transfers through signed keys, compared with an oracle; and what happens to data whose signature
 * is wrong.
 */

#include "budget.h"
#include "sig_world.h"

#define MAX_DATA	12288u
#define MAX_IMAGE	16384u
/* Where things are in the memory of a world. */
#define MEM_IMAGE	0u

/* A signed key of device 0 and its values. */
struct signed_key {
	uint32_t key;
	bool sigerr;		/* parity of errors that the next UMR expects */
	struct sig_conf conf;
};

static uint64_t
transient_of(const struct oracle_domain *d)
{
	if (d->type == ORACLE_CRC64)
		return d->seed_ones ? UINT64_MAX : 0;
	if (d->type == ORACLE_CRC32 || d->type == ORACLE_CRC32C)
		return d->seed_ones ? UINT64_C(0xffffffff00000000) : 0;
	return (uint64_t)(d->seed_ones ? 0xffff : 0) << 48 | (uint64_t)d->app_tag << 32 |
	       d->ref_tag;
}

/* Lay the key over len bytes at addr, in up to four pieces that follow each other. */
static void
configure(struct pair *p, struct signed_key *k, const uint8_t *addr, uint32_t len)
{
	struct world_klm klms[4];
	uint8_t bsf[64];
	uint32_t nb = 1 + rnd(4), i, part, at = 0;

	for (i = 0; i < nb; i++) {
		part = i + 1 == nb ? len - at : rnd(len - at);
		klms[i] = (struct world_klm){ part, p->w.mem_key[0], (uintptr_t)addr + at };
		at += part;
	}
	sig_bsf(bsf, &k->conf);
	sig_post_umr(&p->a, k->key, len, klms, nb, bsf, sizeof(bsf), k->sigerr);
	if (k->conf.mem.type != ORACLE_NONE)
		sig_post_psv(&p->a, k->conf.mem.psv, transient_of(&k->conf.mem));
	if (k->conf.wire.type != ORACLE_NONE)
		sig_post_psv(&p->a, k->conf.wire.psv, transient_of(&k->conf.wire));
}

static struct signed_key
key_create(struct pair *p)
{
	struct signed_key k = { .key = sig_key(p, 0, 4, 4, false), .sigerr = true };

	k.conf.mem.psv = sig_psv(p, 0);
	k.conf.wire.psv = sig_psv(p, 0);
	k.conf.check_mask = 0xff;
	return k;
}

/* Wire bytes [offset, offset + len) of the key. */
static void
move(struct pair *p, uint32_t key, uint8_t op, uint64_t offset, uint32_t len)
{
	sig_move(p, key, op, p->w.mem + WIRE_IMAGE + offset, offset, len);
}

static void
random_domain(struct oracle_domain *d)
{
	static const uint32_t blocks[] = { 512, 520, 4048, 4096, 4160 };
	uint32_t psv = d->psv;

	*d = (struct oracle_domain){
		.type = rnd(ORACLE_NB_TYPES), .block = blocks[rnd(5)], .seed_ones = rnd(2),
		.inc_ref = rnd(2), .app_tag = (uint16_t)rnd(0xffff),
		.ref_tag = (uint32_t)random() * 2, .psv = psv,
	};
}

/* Bytes of a copied signature come from the other domain; the oracle mixes them in. */
static void
oracle_mix(const struct sig_conf *conf, uint8_t *to, const uint8_t *from, size_t len)
{
	uint32_t field = oracle_field_len(conf->mem.type), full = conf->mem.block + field;

	for (size_t block = 0; (block + 1) * full <= len; block++) {
		for (size_t i = 0; i < field; i++) {
			uint8_t *byte = &to[block * full + conf->mem.block + i];
			/* T10-DIF counts from its first byte, a CRC from its highest, the last. */
			uint32_t bit = conf->mem.type <= ORACLE_T10_CSUM ?
					       7 - (uint32_t)i :
					       8 - field + (uint32_t)i;

			if (conf->copy_mask >> bit & 1)
				*byte = from[block * full + conf->mem.block + i];
		}
	}
}

static void
random_conf(struct sig_conf *conf)
{
	random_domain(&conf->mem);
	random_domain(&conf->wire);
	conf->sbs = conf->mem.type != ORACLE_NONE && rnd(3) == 0;
	if (!conf->sbs)
		return;
	conf->wire.type = conf->mem.type;
	conf->wire.block = conf->mem.block;
	conf->copy_mask = (uint8_t)random();
}

/* Wire offset of a random place where a transfer may begin, in a wire of wire_len bytes. */
static uint32_t
random_start(const struct sig_conf *conf, size_t wire_len)
{
	const struct oracle_domain *d = conf->mem.type != ORACLE_NONE ? &conf->mem : &conf->wire;
	uint32_t wire_block = d->block;

	if (d->type == ORACLE_NONE)
		return rnd((uint32_t)wire_len);
	if (conf->wire.type != ORACLE_NONE && conf->wire.block != d->block)
		return 0;
	wire_block += oracle_field_len(conf->wire.type);
	/* Not at the end: no bytes are 2 GiB to a data segment. */
	return rnd(((uint32_t)wire_len - 1) / wire_block + 1) * wire_block;
}

/* The same again from somewhere in the middle on. */
static void
transmit_rest(struct pair *p, struct signed_key *k, const uint8_t *wire, size_t wire_len)
{
	uint8_t *far = p->w.mem + WIRE_IMAGE;
	uint32_t start = random_start(&k->conf, wire_len);

	memset(far, 0x55, wire_len + 1);
	move(p, k->key, OP_WRITE, start, (uint32_t)wire_len - start);
	expect_last(&p->a, 0);
	assert_memory_equal(far + start, wire + start, wire_len - start);
	assert_int_equal(far[wire_len], 0x55);
	if (start > 0)
		assert_int_equal(far[start - 1], 0x55);
}

static void
round_trip(struct pair *p, struct signed_key *k)
{
	static uint8_t data[MAX_DATA], memory[MAX_IMAGE], wire[MAX_IMAGE], back[MAX_IMAGE];
	uint8_t *mem = p->w.mem + MEM_IMAGE, *far = p->w.mem + WIRE_IMAGE;
	uint32_t len = 1 + rnd(MAX_DATA - 1), i;
	size_t mem_len, wire_len;

	random_conf(&k->conf);
	for (i = 0; i < len; i++)
		data[i] = (uint8_t)random();
	mem_len = oracle_image(&k->conf.mem, data, len, memory);
	wire_len = oracle_image(&k->conf.wire, data, len, wire);
	memcpy(back, memory, mem_len);
	if (k->conf.sbs) {
		oracle_mix(&k->conf, back, wire, mem_len);
		oracle_mix(&k->conf, wire, memory, wire_len);
	}
	/* Transmit. */
	configure(p, k, mem, (uint32_t)mem_len);
	memcpy(mem, memory, mem_len);
	memset(far, 0x55, wire_len + 1);
	move(p, k->key, OP_WRITE, 0, (uint32_t)wire_len);
	expect_last(&p->a, 0);
	assert_memory_equal(far, wire, wire_len);
	assert_int_equal(far[wire_len], 0x55);
	transmit_rest(p, k, wire, wire_len);
	/* Receive what a peer sends: the wire as its own domain would have it. */
	oracle_image(&k->conf.wire, data, len, far);
	memset(mem, 0xaa, mem_len + 1);
	move(p, k->key, OP_READ, 0, (uint32_t)wire_len);
	expect_last(&p->a, 0);
	assert_memory_equal(mem, back, mem_len);
	assert_int_equal(mem[mem_len], 0xaa);
}

PAIR_CASE(random_domains_transform_as_the_oracle_says)
{
	struct signed_key k = key_create(p);
	const uint32_t nb = test_nb_cases();

	srandom(test_seed());
	for (uint32_t i = 0; i < nb; i++)
		round_trip(p, &k);
	assert_null(world_send_cqe(&p->a));
}

/* Several times what the device holds at once, blocks that fit neither it nor each other. */
PAIR_CASE(long_transfers_go_in_pieces)
{
	const uint32_t len = 300000;
	struct signed_key k = key_create(p);
	uint8_t *mem = p->w.mem, *far = mem + 400000;
	uint8_t *data = malloc(len), *memory = malloc(2 * len), *wire = malloc(2 * len);
	size_t mem_len, wire_len;

	assert_true(data != NULL && memory != NULL && wire != NULL);
	fill(data, len);
	k.conf.mem = (struct oracle_domain){
		.type = ORACLE_T10_CSUM, .block = 520, .inc_ref = true, .ref_tag = 0xffffff00,
		.psv = k.conf.mem.psv,
	};
	k.conf.wire = (struct oracle_domain){
		.type = ORACLE_CRC64, .block = 4160, .seed_ones = true, .psv = k.conf.wire.psv,
	};
	mem_len = oracle_image(&k.conf.mem, data, len, memory);
	wire_len = oracle_image(&k.conf.wire, data, len, wire);
	memcpy(mem, memory, mem_len);
	configure(p, &k, mem, (uint32_t)mem_len);
	sig_move(p, k.key, OP_WRITE, far, 0, (uint32_t)wire_len);
	expect_last(&p->a, 0);
	assert_memory_equal(far, wire, wire_len);
	memset(mem, 0, mem_len + 1);
	sig_move(p, k.key, OP_READ, far, 0, (uint32_t)wire_len);
	expect_last(&p->a, 0);
	assert_memory_equal(mem, memory, mem_len);
	assert_int_equal(mem[mem_len], 0);
	free(data);
	free(memory);
	free(wire);
}

/* What libmlx5 does when a key gets a new layout and keeps its signature. */
PAIR_CASE(umr_without_format_keeps_the_old_one)
{
	struct signed_key k = key_create(p);
	uint8_t *mem = p->w.mem, data[512], image[520];
	const struct world_klm klm = { 520, p->w.mem_key[0], (uintptr_t)mem + 4096 };

	k.conf.mem = (struct oracle_domain){
		.type = ORACLE_T10_CRC, .block = 512, .ref_tag = 9, .psv = k.conf.mem.psv,
	};
	fill(data, sizeof(data));
	oracle_image(&k.conf.mem, data, sizeof(data), image);
	configure(p, &k, mem, 520);
	post_umr(p, k.key, ALL_ACCESS, 520, &klm, 1);
	memcpy(p->w.mem + WIRE_IMAGE, data, sizeof(data));
	move(p, k.key, OP_READ, 0, 512);
	expect_last(&p->a, 0);
	assert_memory_equal(mem + 4096, image, sizeof(image));
}

/* A key on each side, and a peer's read of it: rkey and lkey are transformed alike. */
PAIR_CASE(both_sides_may_be_signed)
{
	struct signed_key k = key_create(p);
	uint8_t *mem = p->w.mem, data[1024], wire[2 * 520];
	uint8_t *far = mem + WIRE_IMAGE;

	k.conf.wire = (struct oracle_domain){
		.type = ORACLE_T10_CRC, .block = 512, .inc_ref = true, .app_tag = 0x1234,
		.ref_tag = 0xfffffffe, .psv = k.conf.wire.psv,
	};
	fill(data, sizeof(data));
	memcpy(mem, data, sizeof(data));
	configure(p, &k, mem, sizeof(data));
	ring_run(p, &p->a);
	/* B reads through the key of A into plain memory. */
	post_transfer(&p->b, OP_READ, CE, 0, k.key, far, p->w.mem_key[1], sizeof(wire));
	expect_run(p, &p->b, 0);
	oracle_image(&k.conf.wire, data, sizeof(data), wire);
	assert_memory_equal(far, wire, sizeof(wire));
	/* B writes it back: the signatures are checked and taken away. */
	memset(mem, 0, sizeof(data));
	post_transfer(&p->b, OP_WRITE, CE, 0, k.key, far, p->w.mem_key[1], sizeof(wire));
	expect_run(p, &p->b, 0);
	assert_memory_equal(mem, data, sizeof(data));
	assert_null(world_recv_cqe(&p->a));
}

/* From now on the key waits for the next error. */
static void
expect_sig_error(const struct mlx5_cqe64 *cqe, struct signed_key *k, uint16_t syndrome,
		 uint8_t domain, uint64_t offset)
{
	assert_non_null(cqe);
	assert_int_equal(cqe->op_own >> 4, 0xc);
	assert_int_equal(world_get(cqe, 8), (uint32_t)syndrome << 16 | domain);
	assert_int_equal(world_get(cqe, 9), k->key);
	assert_int_equal((uint64_t)world_get(cqe, 10) << 32 | world_get(cqe, 11), offset);
	k->sigerr = !k->sigerr;
}

/* Three signed blocks in memory, with one byte of the second changed. */
static void
send_with_bad_byte(struct pair *p, struct signed_key *k, uint32_t at)
{
	uint8_t *mem = p->w.mem, data[3 * 512], clean[3 * 520];
	size_t len;

	fill(data, sizeof(data));
	len = oracle_image(&k->conf.mem, data, sizeof(data), clean);
	memcpy(mem, clean, len);
	mem[(len / 3) + at] ^= 0x01;
	configure(p, k, mem, (uint32_t)len);
	move(p, k->key, OP_WRITE, 0, sizeof(data));
}

PAIR_CASE(wrong_signature_is_told_and_the_transfer_goes_on)
{
	static const struct {
		uint32_t at;
		uint16_t syndrome;
	} cases[] = {
		{ 100, 0x2000 }, { 512, 0x2000 }, { 514, 0x1000 }, { 516, 0x0800 }, { 519, 0x0800 },
	};
	struct signed_key k = key_create(p);
	const struct mlx5_cqe64 *cqe;

	k.conf.mem = (struct oracle_domain){
		.type = ORACLE_T10_CRC, .block = 512, .inc_ref = true, .app_tag = 0xabcd,
		.ref_tag = 100, .psv = k.conf.mem.psv,
	};
	for (size_t i = 0; i < NB_OF(cases); i++) {
		send_with_bad_byte(p, &k, cases[i].at);
		cqe = world_send_cqe(&p->a);
		expect_sig_error(cqe, &k, cases[i].syndrome, 1, 520);
		if (cases[i].syndrome == 0x0800) {
			assert_int_equal(world_get(cqe, 7), 101);	/* actual */
			assert_int_not_equal(world_get(cqe, 6), 101);	/* expected */
		}
		expect_last(&p->a, 0);
	}
	assert_int_equal(world_qp_state(&p->a), 3);
}

PAIR_CASE(second_error_is_quiet_until_it_is_armed_again)
{
	struct signed_key k = key_create(p);

	k.conf.mem = (struct oracle_domain){
		.type = ORACLE_CRC32C, .block = 512, .seed_ones = true, .psv = k.conf.mem.psv,
	};
	send_with_bad_byte(p, &k, 5);
	expect_sig_error(world_send_cqe(&p->a), &k, 0x2000, 1, 516);
	expect_last(&p->a, 0);
	move(p, k.key, OP_WRITE, 0, 3 * 512);
	expect_last(&p->a, 0);
	assert_null(world_send_cqe(&p->a));
	send_with_bad_byte(p, &k, 5);
	expect_sig_error(world_send_cqe(&p->a), &k, 0x2000, 1, 516);
}

PAIR_CASE(unchecked_bytes_may_be_wrong)
{
	struct signed_key k = key_create(p);

	k.conf.mem = (struct oracle_domain){
		.type = ORACLE_T10_CSUM, .block = 512, .app_tag = 1, .psv = k.conf.mem.psv,
	};
	k.conf.check_mask = 0xcf;
	send_with_bad_byte(p, &k, 515);
	expect_last(&p->a, 0);
	k.conf.check_mask = 0x30;
	send_with_bad_byte(p, &k, 3);
	expect_last(&p->a, 0);
	send_with_bad_byte(p, &k, 515);
	expect_sig_error(world_send_cqe(&p->a), &k, 0x1000, 1, 520);
}

/* Tags of all ones mark a block that nobody has written. */
PAIR_CASE(escaped_blocks_are_not_checked)
{
	struct signed_key k = key_create(p);

	k.conf.mem = (struct oracle_domain){
		.type = ORACLE_T10_CRC, .block = 512, .app_tag = 0xffff, .ref_tag = 7, .escape = 1,
		.psv = k.conf.mem.psv,
	};
	send_with_bad_byte(p, &k, 9);
	expect_last(&p->a, 0);
	k.conf.mem.escape = 2;
	send_with_bad_byte(p, &k, 9);
	expect_sig_error(world_send_cqe(&p->a), &k, 0x2000, 1, 520);
	expect_last(&p->a, 0);
	k.conf.mem.ref_tag = 0xffffffff;
	send_with_bad_byte(p, &k, 9);
	expect_last(&p->a, 0);
}

/* The receiver's error is told where its receives complete. */
PAIR_CASE(receiver_is_told_of_its_own_errors)
{
	struct signed_key k = key_create(p);
	uint8_t *mem = p->w.mem, *far = mem + WIRE_IMAGE, data[512];

	k.conf.wire = (struct oracle_domain){
		.type = ORACLE_CRC64, .block = 512, .psv = k.conf.wire.psv,
	};
	fill(data, sizeof(data));
	oracle_image(&k.conf.wire, data, sizeof(data), far);
	far[0] ^= 0x80;
	configure(p, &k, mem, 512);
	ring_run(p, &p->a);
	world_recv(&p->a, k.key, NULL, 520);
	post_send(&p->b, p->w.mem_key[1], far, 520);
	ring_run(p, &p->b);
	expect_sig_error(world_recv_cqe(&p->a), &k, 0x2000, 0, 0);
	assert_int_equal(world_recv_cqe(&p->a)->op_own >> 4, 2);
	expect_last(&p->b, 0);
}

/* A queue that asked for it stops behind the error, in front of the next WQE. */
PAIR_CASE(pipelining_queue_drains_at_an_error)
{
	struct signed_key k = key_create(p);
	uint8_t box[0x110] = { 0 };
	struct world_qp qp;

	world_qp_create(&p->w, 0, &qp);
	world_qp_modify(&qp, 0x502, 0, 0, 3);
	world_put(box, 0, 16, 0x50e);		/* INIT2INIT */
	world_put(box, 2, 0, qp.qpn);
	world_put(box, 4, 0, 1 << 11);		/* drain_sigerr */
	world_put(box, 7, 26, 1);
	assert_int_equal(world_exec(qp.hca, box, sizeof(box)), 0);
	world_qp_modify(&qp, 0x503, qp.qpn, 1, 3);
	world_qp_modify(&qp, 0x504, 0, 0, 0);
	k.conf.mem = (struct oracle_domain){
		.type = ORACLE_CRC32, .block = 512, .psv = k.conf.mem.psv,
	};
	memset(p->w.mem, 0, 516);
	configure(p, &k, p->w.mem, 516);
	ring_run(p, &p->a);
	post_transfer(&qp, OP_WRITE, FENCE, (uintptr_t)p->w.mem + WIRE_IMAGE, p->w.mem_key[0],
		      NULL, k.key, 512);
	world_post(&qp, OP_NOP, CE | 0x40, 0, NULL, 0);
	ring_run(p, &qp);
	expect_sig_error(world_send_cqe(&qp), &k, 0x2000, 1, 0);
	assert_null(world_send_cqe(&qp));
	assert_int_equal(world_qp_state(&qp), 5);
	world_qp_modify(&qp, 0x50c, 0, 0, 0);
	world_run(&p->w);
	expect_last(&qp, 0);
	world_qp_destroy(&qp);
}
