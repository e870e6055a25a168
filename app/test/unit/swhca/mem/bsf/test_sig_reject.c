/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* What signed keys reject: formats, sizes, places in a transfer, PSVs. */

#include "mem/bsf/bsf.h"
#include "sig_world.h"

/* Of the case: a key, and blocks of 512 bytes with T10-DIF in memory. */
static struct pair *p;
static uint32_t key;
static struct sig_conf t10dif;

static void
case_set(struct pair *pair)
{
	p = pair;
	key = sig_key(p, 0, 4, 4, false);
	t10dif = (struct sig_conf){
		.mem = { .type = ORACLE_T10_CRC, .block = 512, .psv = sig_psv(p, 0) },
		.check_mask = 0xff,
	};
}

static int
pair_setup(void **state)
{
	setup(state);
	case_set(*state);
	return 0;
}

/* A key of len bytes of memory at the beginning of the world's. */
static void
configure(uint32_t of, const struct sig_conf *conf, uint32_t len)
{
	const struct world_klm klm = { len, p->w.mem_key[0], (uintptr_t)p->w.mem };
	uint8_t bsf[64];

	sig_bsf(bsf, conf);
	sig_post_umr(&p->a, of, len, &klm, 1, bsf, sizeof(bsf), false);
}

static void
expect_umr_rejected(uint8_t syndrome)
{
	expect_run(p, &p->a, syndrome);
}

CASE(sums_of_the_same_structure_are_the_same)
{
	static const struct {
		const char *name;
		enum oracle_type mem, wire;
		bool is_good;
	} rows[] = {
		{ "the same", ORACLE_CRC32, ORACLE_CRC32, true },
		{ "another CRC", ORACLE_CRC32, ORACLE_CRC32C, false },
		{ "guards of T10-DIF", ORACLE_T10_CRC, ORACLE_T10_CSUM, true },
		{ "T10-DIF and CRC", ORACLE_T10_CRC, ORACLE_CRC64, false },
	};
	struct sig_conf conf = { .mem.block = 512, .wire.block = 512, .sbs = true };
	struct swhca_bsf bsf;
	uint8_t raw[64];

	for (size_t i = 0; i < NB_OF(rows); i++) {
		conf.mem.type = rows[i].mem;
		conf.wire.type = rows[i].wire;
		sig_bsf(raw, &conf);
		row_check(rows[i].name, swhca_bsf_parse(raw, 64, &bsf) == NULL, rows[i].is_good);
	}
}

/* The model's parser by itself: one byte of a good format changed. */
CASE(bad_formats_are_rejected)
{
	static const struct {
		uint8_t at, value;
	} cases[] = {
		{ 0, 0x00 },	/* size: basic only */
		{ 0, 0xc0 },	/* size: with crypto, which is not there */
		{ 0, 0x82 },	/* unknown type */
		{ 0, 0x90 },	/* same structure, but the wire has none */
		{ 3, 0x00 },	/* no block size */
		{ 3, 0x07 },	/* unknown block size */
		{ 0x10, 0x01 },	/* transaction signature */
		{ 0x0c, 0x10 },	/* unknown sum */
		{ 0x0c, 0x20 },	/* CRC32 that does not begin anew */
		{ 0x38, 0x03 },	/* unknown guard */
		{ 0x08, 0x22 },	/* CRC32 on the wire without a block size */
		{ 0x39, 0x00 },	/* guard that does not begin anew */
	};
	struct sig_conf conf = { .mem = { .type = ORACLE_T10_CRC, .block = 512 } };
	struct swhca_bsf bsf;
	uint8_t raw[128] = { 0 };

	sig_bsf(raw, &conf);
	assert_null(swhca_bsf_parse(raw, 64, &bsf));
	assert_non_null(swhca_bsf_parse(raw, 48, &bsf));
	assert_non_null(swhca_bsf_parse(raw, 128, &bsf));
	for (size_t i = 0; i < NB_OF(cases); i++) {
		sig_bsf(raw, &conf);
		raw[cases[i].at] = cases[i].value;
		row_check_at(i, swhca_bsf_parse(raw, 64, &bsf) == NULL, false);
	}
}

CASE(bad_crypto_formats_are_rejected)
{
	static const struct {
		uint8_t at, value;
	} cases[] = {
		{ 1, 0x04 },	/* unknown order */
		{ 3, 0x01 },	/* unknown standard */
		{ 8, 0x00 },	/* no data unit */
		{ 8, 0x05 },	/* data units of 1 GiB */
	};
	struct sig_conf conf = {
		.mem = { .type = ORACLE_CRC32, .block = 512 },
		.wire = { .type = ORACLE_CRC32, .block = 512 },
	};
	uint8_t good[64] = { 0x81, [8] = 1 }, raw[128] = { 0 };
	struct swhca_bsf bsf;

	assert_null(swhca_bsf_parse(good, 64, &bsf));
	for (size_t i = 0; i < NB_OF(cases); i++) {
		memcpy(raw, good, sizeof(good));
		raw[cases[i].at] = cases[i].value;
		row_check_at(i, swhca_bsf_parse(raw, 64, &bsf) == NULL, false);
	}
	/* Both, then the orders that have no place between two signatures. */
	sig_bsf(raw, &conf);
	raw[0] = 0xc0;
	memcpy(raw + 64, good, sizeof(good));
	raw[64] = 0xc1;
	assert_null(swhca_bsf_parse(raw, 128, &bsf));
	raw[65] = 2;
	assert_non_null(swhca_bsf_parse(raw, 128, &bsf));
	raw[65] = 3;
	assert_non_null(swhca_bsf_parse(raw, 128, &bsf));
	raw[64] = 0xc0;
	raw[65] = 0;
	assert_non_null(swhca_bsf_parse(raw, 128, &bsf));
}

CASE(models_lack_what_they_do_not_report)
{
	static const struct {
		enum oracle_type type;
		uint32_t block;
		bool is_of_cx5;
	} rows[] = {
		{ ORACLE_T10_CRC, 4048, false },
		{ ORACLE_T10_CRC, 4096, true },
		{ ORACLE_CRC32C, 4096, false },
	};
	struct sig_conf conf = { .check_mask = 0 };
	uint8_t raw[64], crypto[64] = { 0x81, [8] = 1 };
	struct swhca_bsf bsf;

	for (size_t i = 0; i < NB_OF(rows); i++) {
		conf.mem = (struct oracle_domain){ .type = rows[i].type, .block = rows[i].block };
		sig_bsf(raw, &conf);
		row_check_at(i, swhca_bsf_parse(raw, 64, &bsf) == NULL, true);
		row_check_at(i, swhca_bsf_check_model(&bsf, SWHCA_MODEL_CX7) == NULL, true);
		row_check_at(i, swhca_bsf_check_model(&bsf, SWHCA_MODEL_CX5) == NULL,
			     rows[i].is_of_cx5);
	}
	assert_null(swhca_bsf_parse(crypto, 64, &bsf));
	assert_null(swhca_bsf_check_model(&bsf, SWHCA_MODEL_CX6DX));
	assert_non_null(swhca_bsf_check_model(&bsf, SWHCA_MODEL_CX5));
}

static uint8_t
create_mkey(uint32_t nb_bsf, bool bsf_en, uint32_t crypto_en)
{
	uint8_t in[WORLD_BOX];

	world_mkey_box(&p->w, 0, in, WORLD_FREE | WORLD_UMR_EN | WORLD_KLMS);
	world_put(in, 7, 30, bsf_en);
	world_put(in, 12, 0, nb_bsf);
	world_put(in, 17, 0, 4);
	world_put(in, 19, 27, crypto_en);
	return world_exec(p->w.dev[0].hca, in, sizeof(in));
}

CASE_WITH(keys_have_room_for_two_formats, pair_setup, teardown)
{
	assert_int_equal(create_mkey(8, true, 1), 0);
	assert_int_equal(create_mkey(12, true, 1), 0x08);
	assert_int_equal(create_mkey(3, true, 0), 0x08);
	assert_int_equal(create_mkey(0, true, 0), 0x03);
	assert_int_equal(create_mkey(0, false, 1), 0x03);
	assert_int_equal(create_mkey(4, true, 2), 0x03);
}

CASE_WITH(format_for_a_key_without_room_is_rejected, pair_setup, teardown)
{
	configure(world_klm_key(&p->w, 0, 4), &t10dif, 520);
	expect_umr_rejected(MLX5_CQE_SYNDROME_MW_BIND_ERR);
}

CASE_WITH(crypto_format_for_a_key_of_signatures_is_rejected, pair_setup, teardown)
{
	const struct world_klm klm = { 512, p->w.mem_key[0], (uintptr_t)p->w.mem };
	uint8_t bsf[64] = { 0x81, [8] = 1 };

	sig_post_umr(&p->a, sig_key(p, 0, 4, 4, false), 512, &klm, 1, bsf, sizeof(bsf), false);
	expect_umr_rejected(MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

/* BSF octowords that the WQE says to have and has not. */
CASE_WITH(format_beyond_the_wqe_is_rejected, pair_setup, teardown)
{
	const struct world_klm klm = { 512, p->w.mem_key[0], (uintptr_t)p->w.mem };
	uint32_t nb_ds;
	uint8_t body[1008];

	nb_ds = world_umr_list(body, key, ALL_ACCESS, 512, &klm, 1);
	world_put(body, 1, 0, 4);
	world_post(&p->a, OP_UMR, 0, key, body, nb_ds);
	expect_umr_rejected(MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

/* A transfer begins and ends where a block does, or needs no signature of the one that it cuts. */
CASES(transfers_that_do_not_fit_blocks_are_rejected)
{
	static const struct {
		const char *name;
		bool is_wire;
		uint32_t len;
		uint32_t good_offset, good_len;	/* of a transfer that may be, or 0 */
		uint32_t bad_offset, bad_len;
	} rows[] = {
		{ "start within a block", false, 4 * 520, 1024, 600, 8, 512 },
		{ "start within a signature", true, 2048, 0, 0, 516, 512 },
		/* The last block needs its signature, which is beyond the memory of the key. */
		{ "no room for a signature", false, 1032, 0, 1023, 0, 1024 },
	};

	for (size_t i = 0; i < NB_OF(rows); i++) {
		struct sig_conf conf;

		case_set(next_case(state, rows[i].name));
		conf = t10dif;
		if (rows[i].is_wire) {
			conf.wire = conf.mem;
			conf.mem.type = ORACLE_NONE;
		}
		configure(key, &conf, rows[i].len);
		if (rows[i].good_len != 0) {
			sig_move(p, key, OP_WRITE, p->w.mem + WIRE_IMAGE, rows[i].good_offset,
				 rows[i].good_len);
			expect_last(&p->a, 0);
		}
		expect_local_fault(p, key, rows[i].bad_offset, rows[i].bad_len);
	}
}

CASE_WITH(data_beyond_the_format_are_rejected, pair_setup, teardown)
{
	const struct world_klm klm = { 2080, p->w.mem_key[0], (uintptr_t)p->w.mem };
	uint8_t bsf[64];

	sig_bsf(bsf, &t10dif);
	memset(bsf + 4, 0, 4);
	world_put(bsf, 1, 0, 1024);
	sig_post_umr(&p->a, key, 2080, &klm, 1, bsf, sizeof(bsf), false);
	sig_move(p, key, OP_WRITE, p->w.mem + WIRE_IMAGE, 0, 1024);
	expect_last(&p->a, 0);
	expect_local_fault(p, key, 0, 1025);
}

CASE_WITH(signature_below_signature_is_rejected, pair_setup, teardown)
{
	uint32_t outer = sig_key(p, 0, 4, 4, false);
	const struct world_klm klm = { 520, key, 0 };
	uint8_t bsf[64];

	configure(key, &t10dif, 1040);
	sig_bsf(bsf, &t10dif);
	sig_post_umr(&p->a, outer, 520, &klm, 1, bsf, sizeof(bsf), false);
	expect_local_fault(p, outer, 0, 512);
}

/* A list of keys may have signed ones in it: each part by itself. */
CASE_WITH(signature_below_a_list_is_followed, pair_setup, teardown)
{
	uint32_t outer = world_klm_key(&p->w, 0, 4);
	uint8_t *mem = p->w.mem, *far = mem + WIRE_IMAGE, data[1024], image[1040];
	const struct world_klm klms[3] = {
		{ 10, p->w.mem_key[0], (uintptr_t)mem + 8192 },
		{ 1024, key, 0 },
		{ 5, p->w.mem_key[0], (uintptr_t)mem + 8202 },
	};

	fill(data, sizeof(data));
	oracle_image(&t10dif.mem, data, sizeof(data), image);
	memcpy(mem, image, sizeof(image));
	memcpy(mem + 8192, "ten bytes, five", 15);
	configure(key, &t10dif, 1040);
	post_umr(p, outer, ALL_ACCESS, 1039, klms, 3);
	sig_move(p, outer, OP_WRITE, p->w.mem + WIRE_IMAGE, 0, 1039);
	expect_last(&p->a, 0);
	assert_memory_equal(far, "ten bytes,", 10);
	assert_memory_equal(far + 10, data, sizeof(data));
	assert_memory_equal(far + 1034, " five", 5);
	/* And back, into zeroed memory: the signature is made again. */
	memset(mem, 0, sizeof(image));
	memset(mem + 8192, 0, 15);
	post_transfer(&p->a, OP_READ, CE | FENCE, (uintptr_t)far, p->w.mem_key[1], NULL, outer,
		      1039);
	expect_run(p, &p->a, 0);
	assert_memory_equal(mem, image, sizeof(image));
	assert_memory_equal(mem + 8192, "ten bytes, five", 15);
}

CASE_WITH(unmapped_memory_of_a_signed_key_is_a_fault, pair_setup, teardown)
{
	uint32_t lost;
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);
	struct world_klm klm = { 520, 0, 0 };
	uint8_t bsf[64];

	assert_ptr_not_equal(page, MAP_FAILED);
	lost = world_mtt_key(&p->w, 0, page, 4096, WORLD_LR | WORLD_LW);
	klm.key = lost;
	klm.addr = (uintptr_t)page;
	sig_bsf(bsf, &t10dif);
	sig_post_umr(&p->a, key, 520, &klm, 1, bsf, sizeof(bsf), false);
	munmap(page, 4096);
	expect_local_fault(p, key, 0, 512);
}

CASE_WITH(destroyed_psv_is_rejected, pair_setup, teardown)
{
	configure(key, &t10dif, 520);
	assert_int_equal(world_cmd(p->w.dev[0].hca, 0x601, t10dif.mem.psv, NULL), 0);
	assert_int_equal(world_cmd(p->w.dev[0].hca, 0x601, t10dif.mem.psv, NULL), 0x05);
	expect_local_fault(p, key, 0, 512);
}

CASE_WITH(set_psv_of_nobody_is_rejected, pair_setup, teardown)
{
	sig_post_psv(&p->a, 0x7777, 0);
	expect_umr_rejected(MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

CASE_WITH(set_psv_of_another_size_is_rejected, pair_setup, teardown)
{
	uint8_t body[32] = { 0 };

	world_put(body, 0, 0, sig_psv(p, 0));
	world_post(&p->a, OP_SET_PSV, FENCE, 0, body, 2);
	expect_umr_rejected(MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

CASE_WITH(psvs_come_one_to_four_at_a_time, pair_setup, teardown)
{
	const uint32_t pdn = p->w.dev[0].pdn;
	uint8_t out[32];

	for (uint32_t nb = 0; nb <= 5; nb++)
		assert_int_equal(world_query(p->a.hca, 0x600, 0, nb << 28 | pdn, out, sizeof(out)),
				 nb >= 1 && nb <= 4 ? 0 : 0x03);
	assert_int_equal(world_query(p->a.hca, 0x600, 0, 4u << 28 | pdn, out, sizeof(out)), 0);
	for (uint32_t nb = 0; nb < 4; nb++)
		assert_int_equal(world_cmd(p->a.hca, 0x601, world_get(out, 4 + nb), NULL), 0);
	assert_int_equal(world_query(p->a.hca, 0x600, 0, 4u << 28 | 0x7fff, out, sizeof(out)),
			 0x05);
}

/* A key can be used without its format again, as libmlx5 does after a reset of signatures. */
CASE_WITH(format_can_be_switched_off, pair_setup, teardown)
{
	const struct world_klm klm = { 520, p->w.mem_key[0], (uintptr_t)p->w.mem };

	fill(p->w.mem, 520);
	configure(key, &t10dif, 520);
	sig_post_umr(&p->a, key, 520, &klm, 1, (const uint8_t *)"", 0, false);
	sig_move(p, key, OP_WRITE, p->w.mem + WIRE_IMAGE, 0, 520);
	expect_last(&p->a, 0);
	assert_memory_equal(p->w.mem + WIRE_IMAGE, p->w.mem, 520);
}
