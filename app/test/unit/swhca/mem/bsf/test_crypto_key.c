/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Transfers through encrypting keys, with and without signatures, compared with an oracle that
 * knows only AES; and the objects that hold the keys.
 */

#include <openssl/evp.h>

#include "budget.h"
#include "sig_world.h"

#define MAX_DATA	8192u
#define MAX_IMAGE	12288u

enum order { WIRE_SIG, MEM_SIG, RAW_WIRE, RAW_MEM };

struct crypto_conf {
	enum order order;
	uint32_t unit;
	uint8_t key[64];
	size_t key_len;
	uint64_t tweak[2];	/* low and high half */
};

static void
aes_block(const uint8_t *key, size_t key_len, bool encrypt, const uint8_t *in, uint8_t *out)
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	int len = 0;

	assert_non_null(ctx);
	assert_int_equal(EVP_CipherInit_ex(ctx, key_len == 32 ? EVP_aes_256_ecb() :
								EVP_aes_128_ecb(),
					   NULL, key, NULL, encrypt), 1);
	EVP_CIPHER_CTX_set_padding(ctx, 0);
	assert_int_equal(EVP_CipherUpdate(ctx, out, &len, in, 16), 1);
	assert_int_equal(len, 16);
	EVP_CIPHER_CTX_free(ctx);
}

/* Multiply by x in GF(2^128), IEEE 1619 5.2. */
static void
mask_next(uint8_t *mask)
{
	unsigned int carry = 0, next, i;

	for (i = 0; i < 16; i++) {
		next = mask[i] >> 7;
		mask[i] = (uint8_t)(mask[i] << 1 | carry);
		carry = next;
	}
	if (carry)
		mask[0] ^= 0x87;
}

static void
xts_block(const struct crypto_conf *c, const uint8_t *mask, const uint8_t *in, uint8_t *out)
{
	uint8_t x[16];

	for (unsigned int i = 0; i < 16; i++)
		x[i] = in[i] ^ mask[i];
	aes_block(c->key, c->key_len / 2, true, x, out);
	for (unsigned int i = 0; i < 16; i++)
		out[i] ^= mask[i];
}

/* Encrypt one data unit, in place; the last block of one that is no multiple of 16 steals. */
static void
oracle_unit(const struct crypto_conf *c, uint64_t index, uint8_t *data, size_t len)
{
	uint8_t tweak[16], mask[16], last[16];
	uint64_t low = c->tweak[0] + index, high = c->tweak[1] + (low < index);
	size_t at, rest = len % 16;

	for (unsigned int i = 0; i < 8; i++) {
		tweak[i] = (uint8_t)(low >> (8 * i));
		tweak[8 + i] = (uint8_t)(high >> (8 * i));
	}
	aes_block(c->key + c->key_len / 2, c->key_len / 2, true, tweak, mask);
	for (at = 0; at + 16 <= len; at += 16) {
		xts_block(c, mask, data + at, data + at);
		mask_next(mask);
	}
	if (rest == 0)
		return;
	memcpy(last, data + at, rest);
	memcpy(last + rest, data + at - 16 + rest, 16 - rest);
	memcpy(data + at, data + at - 16, rest);
	xts_block(c, mask, last, data + at - 16);
}

static void
oracle_encrypt(const struct crypto_conf *c, uint8_t *data, size_t len)
{
	size_t at, nb;

	for (at = 0; at < len; at += nb) {
		nb = len - at < c->unit ? len - at : c->unit;
		oracle_unit(c, at / c->unit, data + at, nb);
	}
}

/* Whether the cipher can end there: whole units, or a last one of whole AES blocks. */
static bool
is_job_size(const struct crypto_conf *c, size_t len)
{
	size_t rest = len % c->unit;

	return rest == 0 || (len % 16 == 0 && rest >= 16 && rest <= c->unit - 16);
}

static uint8_t
dek_cmd(struct swhca_hca *hca, const struct crypto_conf *c, uint32_t pdn, const uint8_t *keytag,
	uint32_t *num)
{
	uint8_t in[16 + 256] = { 0 };

	world_put(in, 0, 16, 0xa00);
	world_put(in, 1, 0, 0x0c);
	world_put(in, 6, 8, c->key_len == 64);
	world_put(in, 6, 7, keytag != NULL);
	world_put(in, 6, 0, 3);			/* AES-XTS */
	world_put(in, 7, 0, pdn);
	memcpy(in + 16 + 0x30, "opaque!", 8);
	memcpy(in + 16 + 0x40, c->key, c->key_len);
	if (keytag != NULL)
		memcpy(in + 16 + 0x40 + c->key_len, keytag, 8);
	return world_exec_num(hca, in, sizeof(in), num);
}

static uint32_t
dek_create(struct pair *p, const struct crypto_conf *c)
{
	uint32_t num;

	assert_int_equal(dek_cmd(p->w.dev[0].hca, c, p->w.dev[0].pdn, NULL, &num), 0);
	return num;
}

static void
dek_destroy(struct swhca_hca *hca, uint32_t num)
{
	uint8_t out[16];

	assert_int_equal(world_query(hca, 0xa03, 0x0c, num, out, sizeof(out)), 0);
}

/* A crypto BSF; the tweak is big endian. */
static void
crypto_bsf(uint8_t *bsf, const struct crypto_conf *c, uint32_t dek, bool has_sig,
	   const uint8_t *keytag)
{
	memset(bsf, 0, 64);
	bsf[0] = has_sig ? 0xc1 : 0x81;
	bsf[1] = (uint8_t)c->order;
	memset(bsf + 4, 0xff, 4);
	bsf[8] = sig_bs_selector(c->unit);
	world_put64(bsf, 4, c->tweak[1]);
	world_put64(bsf, 6, c->tweak[0]);
	world_put(bsf, 8, 0, dek);
	if (keytag != NULL)
		memcpy(bsf + 40, keytag, 8);
}

static uint32_t
random_block(void)
{
	static const uint32_t blocks[] = { 512, 520, 4048, 4096, 4160 };

	return blocks[rnd(5)];
}

static void
random_bytes(uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		data[i] = (uint8_t)random();
}

static void
random_conf(struct crypto_conf *c, struct sig_conf *sig)
{
	c->order = rnd(4);
	c->unit = random_block();
	c->key_len = rnd(2) ? 64 : 32;
	random_bytes(c->key, sizeof(c->key));
	random_bytes((uint8_t *)c->tweak, sizeof(c->tweak));
	if (rnd(4) == 0)
		c->tweak[0] = UINT64_MAX;
	sig->mem.type = rnd(ORACLE_NB_TYPES);
	sig->wire.type = rnd(ORACLE_NB_TYPES);
	sig->mem.block = random_block();
	sig->wire.block = random_block();
	sig->mem.seed_ones = rnd(2);
	sig->wire.inc_ref = true;
	/* Rows B and J of mlx5dv_wr_set_mkey_crypto(3): one signature beside encrypted data. */
	if (c->order == RAW_WIRE)
		sig->mem.type = ORACLE_NONE;
	if (c->order == RAW_MEM)
		sig->wire.type = ORACLE_NONE;
}

/* What memory and wire look like. @return false if the cipher cannot end there. */
static bool
oracle_both(const struct crypto_conf *c, const struct sig_conf *sig, const uint8_t *data,
	    size_t len, uint8_t *mem, size_t *mem_len, uint8_t *wire, size_t *wire_len)
{
	static uint8_t secret[MAX_DATA];

	memcpy(secret, data, len);
	oracle_encrypt(c, secret, is_job_size(c, len) ? len : 0);
	*mem_len = oracle_image(&sig->mem, c->order == RAW_MEM ? secret : data, len, mem);
	*wire_len = oracle_image(&sig->wire, c->order == RAW_WIRE ? secret : data, len, wire);
	switch (c->order) {
	case WIRE_SIG:
		if (!is_job_size(c, *wire_len))
			return false;
		oracle_encrypt(c, wire, *wire_len);
		return true;
	case MEM_SIG:
		if (!is_job_size(c, *mem_len))
			return false;
		oracle_encrypt(c, mem, *mem_len);
		return true;
	default:
		return is_job_size(c, len);
	}
}

struct secret_key {
	uint32_t key, nb_used;
	struct sig_conf sig;
};

static struct secret_key
key_create(struct pair *p)
{
	struct secret_key k = { .key = sig_key(p, 0, 4, 8, true) };

	k.sig.mem.psv = sig_psv(p, 0);
	k.sig.wire.psv = sig_psv(p, 0);
	k.sig.check_mask = 0xff;
	return k;
}

static void
configure(struct pair *p, struct secret_key *k, const struct crypto_conf *c, uint32_t dek,
	  const uint8_t *keytag, uint32_t len)
{
	const struct world_klm klm = { len, p->w.mem_key[0], (uintptr_t)p->w.mem };
	uint8_t bsf[128];

	sig_bsf(bsf, &k->sig);
	bsf[0] |= 0xc0;
	crypto_bsf(bsf + 64, c, dek, true, keytag);
	sig_post_umr(&p->a, k->key, len, &klm, 1, bsf, sizeof(bsf), true);
}

static void
round_trip(struct pair *p, struct secret_key *k)
{
	static uint8_t data[MAX_DATA], memory[MAX_IMAGE], wire[MAX_IMAGE];
	uint8_t *mem = p->w.mem, *far = p->w.mem + WIRE_IMAGE;
	size_t len, mem_len, wire_len;
	struct crypto_conf c;
	uint32_t dek;

	random_conf(&c, &k->sig);
	len = (1 + rnd(MAX_DATA / 16)) * 16;
	if (rnd(2))
		len = (len / c.unit + 1) * c.unit;
	if (len > MAX_DATA)
		return;
	random_bytes(data, len);
	if (!oracle_both(&c, &k->sig, data, len, memory, &mem_len, wire, &wire_len))
		return;
	k->nb_used++;
	dek = dek_create(p, &c);
	configure(p, k, &c, dek, NULL, (uint32_t)mem_len);
	memcpy(mem, memory, mem_len);
	memset(far, 0x55, wire_len + 1);
	sig_move(p, k->key, OP_WRITE, p->w.mem + WIRE_IMAGE, 0, (uint32_t)wire_len);
	expect_last(&p->a, 0);
	assert_memory_equal(far, wire, wire_len);
	assert_int_equal(far[wire_len], 0x55);
	memset(mem, 0xaa, mem_len + 1);
	sig_move(p, k->key, OP_READ, p->w.mem + WIRE_IMAGE, 0, (uint32_t)wire_len);
	expect_last(&p->a, 0);
	assert_memory_equal(mem, memory, mem_len);
	assert_int_equal(mem[mem_len], 0xaa);
	dek_destroy(p->w.dev[0].hca, dek);
}

PAIR_CASE(all_orders_transform_as_the_oracle_says)
{
	struct secret_key k = key_create(p);
	const uint32_t nb = test_nb_cases();

	srandom(test_seed());
	for (uint32_t i = 0; i < nb; i++)
		round_trip(p, &k);
	assert_null(world_send_cqe(&p->a));
	/* Not all random sizes are ones of the cipher. */
	assert_true(k.nb_used > nb / 4);
}

static struct crypto_conf
plain_conf(void)
{
	struct crypto_conf c = { .order = WIRE_SIG, .unit = 512, .key_len = 32 };

	fill(c.key, sizeof(c.key));
	return c;
}

/* A transfer may begin with any data unit; the tweak counts from the beginning of the key. */
PAIR_CASE(later_units_have_later_tweaks)
{
	struct secret_key k = key_create(p);
	struct crypto_conf c = plain_conf();
	uint8_t want[2048];

	fill(p->w.mem, sizeof(want));
	memcpy(want, p->w.mem, sizeof(want));
	oracle_encrypt(&c, want, sizeof(want));
	configure(p, &k, &c, dek_create(p, &c), NULL, sizeof(want));
	sig_move(p, k.key, OP_WRITE, p->w.mem + WIRE_IMAGE, 1024, 528);
	expect_last(&p->a, 0);
	assert_memory_equal(p->w.mem + WIRE_IMAGE, want + 1024, 512);
	oracle_unit(&c, 3, p->w.mem + 1536, 16);
	assert_memory_equal(p->w.mem + WIRE_IMAGE + 512, p->w.mem + 1536, 16);
}

/* What the cipher cannot begin or end with, and DEKs that are not there. */
CASES(transfers_that_cannot_be_encrypted_are_rejected)
{
	enum { OWN, DESTROYED, OF_ANOTHER_PD };
	static const struct {
		const char *name;
		uint32_t unit, len;
		uint32_t good_len;	/* of a transfer that may be, or 0 */
		uint32_t bad_offset, bad_len;
		unsigned int dek;
	} rows[] = {
		{ "start within a unit", 512, 2048, 0, 16, 512, OWN },
		{ "end within an AES block", 512, 2048, 0, 0, 47, OWN },
		/* A unit of 520 bytes ends with half an AES block: its rest must reach that far. */
		{ "end in the stolen block", 520, 2080, 496, 0, 512, OWN },
		/* Less than an AES block of a unit, even if all bytes make whole blocks. */
		{ "end in the first block of a unit", 520, 2080, 544, 0, 528, OWN },
		{ "destroyed DEK", 512, 512, 0, 0, 512, DESTROYED },
		{ "DEK of another PD", 512, 512, 0, 0, 512, OF_ANOTHER_PD },
	};

	for (size_t i = 0; i < NB_OF(rows); i++) {
		struct pair *p = next_case(state, rows[i].name);
		struct secret_key k = key_create(p);
		struct crypto_conf c = plain_conf();
		uint32_t pdn = p->w.dev[0].pdn, dek;

		c.unit = rows[i].unit;
		if (rows[i].dek == OF_ANOTHER_PD)
			pdn = world_alloc(p->a.hca, 0x800);
		assert_int_equal(dek_cmd(p->a.hca, &c, pdn, NULL, &dek), 0);
		configure(p, &k, &c, dek, NULL, rows[i].len);
		if (rows[i].dek == DESTROYED)
			dek_destroy(p->a.hca, dek);
		if (rows[i].good_len != 0) {
			sig_move(p, k.key, OP_WRITE, p->w.mem + WIRE_IMAGE, 0, rows[i].good_len);
			expect_last(&p->a, 0);
		}
		expect_local_fault(p, k.key, rows[i].bad_offset, rows[i].bad_len);
	}
}

PAIR_CASE(key_without_format_is_rejected)
{
	struct secret_key k = key_create(p);
	const struct world_klm klm = { 512, p->w.mem_key[0], (uintptr_t)p->w.mem };

	post_umr(p, k.key, ALL_ACCESS, 512, &klm, 1);
	expect_local_fault(p, k.key, 0, 512);
}

PAIR_CASE(key_tag_must_be_that_of_the_dek)
{
	struct secret_key k = key_create(p);
	struct crypto_conf c = plain_conf();
	const uint8_t *tag = (const uint8_t *)"key tag!";
	uint32_t dek;

	assert_int_equal(dek_cmd(p->w.dev[0].hca, &c, p->w.dev[0].pdn, tag, &dek), 0);
	configure(p, &k, &c, dek, tag, 512);
	sig_move(p, k.key, OP_WRITE, p->w.mem + WIRE_IMAGE, 0, 512);
	expect_last(&p->a, 0);
	configure(p, &k, &c, dek, (const uint8_t *)"key tag?", 512);
	expect_local_fault(p, k.key, 0, 512);
}

PAIR_CASE(dek_commands_reject_what_they_cannot_use)
{
	struct swhca_hca *hca = p->w.dev[0].hca;
	struct crypto_conf c = plain_conf();
	uint8_t in[16 + 256] = { 0 };
	uint32_t num;

	assert_int_equal(dek_cmd(hca, &c, 0x7777, NULL, &num), 0x05);
	memset(c.key, 0x11, sizeof(c.key));
	assert_int_equal(dek_cmd(hca, &c, p->w.dev[0].pdn, NULL, &num), 0x03);
	world_put(in, 0, 16, 0xa00);
	world_put(in, 1, 0, 0x0c);
	world_put(in, 6, 0, 1);			/* TLS */
	world_put(in, 7, 0, p->w.dev[0].pdn);
	assert_int_equal(world_exec(hca, in, sizeof(in)), 0x03);
	world_put(in, 6, 1, 1);			/* AES-XTS of 4 * 128 bits */
	world_put(in, 6, 8, 2);
	assert_int_equal(world_exec(hca, in, sizeof(in)), 0x03);
	/* A login, where keys come in plaintext. */
	memset(in, 0, sizeof(in));
	world_put(in, 0, 16, 0xa00);
	world_put(in, 1, 0, 0x1f);
	assert_int_equal(world_exec(hca, in, sizeof(in)), 0x03);
}

PAIR_CASE(query_gives_all_but_the_key)
{
	struct crypto_conf c = plain_conf();
	uint8_t out[16 + 256];

	assert_int_equal(world_query(p->a.hca, 0xa02, 0x0c, dek_create(p, &c), out, sizeof(out)),
			 0);
	assert_int_equal(out[16 + 8], 0);
	assert_memory_equal(out + 16 + 0x30, "opaque!", 8);
	for (size_t i = 16 + 0x38; i < sizeof(out); i++)
		assert_int_equal(out[i], 0);
}

static int
setup_model(void **state, enum swhca_model model)
{
	struct swhca_hca_conf conf[2];

	world_conf(conf);
	conf[0].model = model;
	*state = pair_create(sizeof(struct pair), conf);
	return 0;
}

static int
setup_cx6dx(void **state)
{
	return setup_model(state, SWHCA_MODEL_CX6DX);
}

static int
setup_cx5(void **state)
{
	return setup_model(state, SWHCA_MODEL_CX5);
}

/* It has the tweak little endian and does not count: one data unit a key, at its beginning. */
CASE_OF(struct pair, p, single_block_engine_takes_one_unit, setup_cx6dx, teardown)
{
	struct secret_key k = key_create(p);
	struct crypto_conf c = plain_conf(), swapped;
	uint8_t want[512];

	c.tweak[0] = UINT64_C(0x0807060504030201);
	c.tweak[1] = UINT64_C(0x100f0e0d0c0b0a09);
	fill(p->w.mem, sizeof(want));
	memcpy(want, p->w.mem, sizeof(want));
	oracle_encrypt(&c, want, sizeof(want));
	swapped = c;
	swapped.tweak[0] = be64toh(htole64(c.tweak[1]));
	swapped.tweak[1] = be64toh(htole64(c.tweak[0]));
	configure(p, &k, &swapped, dek_create(p, &c), NULL, 1024);
	sig_move(p, k.key, OP_WRITE, p->w.mem + WIRE_IMAGE, 0, 512);
	expect_last(&p->a, 0);
	assert_memory_equal(p->w.mem + WIRE_IMAGE, want, sizeof(want));
	expect_local_fault(p, k.key, 0, 1024);
}

CASE_OF(struct pair, p, model_without_crypto_has_nothing_of_it, setup_cx5, teardown)
{
	struct crypto_conf c = plain_conf();
	uint8_t in[WORLD_BOX];
	uint32_t num;

	assert_int_equal(dek_cmd(p->w.dev[0].hca, &c, p->w.dev[0].pdn, NULL, &num), 0x03);
	world_mkey_box(&p->w, 0, in, WORLD_FREE | WORLD_UMR_EN | WORLD_KLMS);
	world_put(in, 12, 0, 4);
	world_put(in, 17, 0, 4);
	assert_int_equal(world_exec(p->w.dev[0].hca, in, sizeof(in)), 0);
	world_put(in, 19, 27, 1);
	assert_int_equal(world_exec(p->w.dev[0].hca, in, sizeof(in)), 0x03);
}
