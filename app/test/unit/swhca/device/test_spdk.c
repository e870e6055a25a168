/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What SPDK's accel_mlx5 does with its three kinds of keys, on the model: the work requests have
 * the bytes of its builders, keys are created by its mailboxes, and a queue pair is connected to
 * itself, as its are.
 */

#include <openssl/evp.h>

#include "../../mlx5_umr/spdk_wqe.h"
#include "sig_world.h"

#define SRC	0u		/* places in the memory of the world */
#define DST	131072u
#define CRC	262144u
#define RAW_WIRE 2		/* SPDK_MLX5_ENCRYPTION_ORDER_ENCRYPTED_RAW_WIRE */
#define RAW_MEMORY 3

/* A loopback queue and a pool of one key. */
struct spdk {
	struct pair p;
	struct world_qp qp;
	uint32_t mkey;
	uint32_t psv;
	uint32_t sigerr_count;	/* mlx5_set_mkey_in_pool(): begins with 1 */
};

/*
 * What lib/mlx5/mlx5_umr.c of SPDK 3230130e6 wrote for these arguments, with a queue pair of number
 * 0x1234, from a program that was linked with it.
 */
static const struct spdk_sge golden_sges[] = {
	{ 0x1122334455667788, 0x1000, 0xaabbcc00 }, { 0x99, 0x10, 0x77 },
};
#define GOLDEN_MKEY 0x00abcd42
#define GOLDEN_LEN 0x1010
#define ZERO_8	0, 0, 0, 0, 0, 0, 0, 0
#define ZERO_16	ZERO_8, ZERO_8
#define GOLDEN_KLMS                                                                                \
	0x00, 0x00, 0x10, 0x00, 0xaa, 0xbb, 0xcc, 0x00,                                            \
	0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,                                            \
	0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x77,                                            \
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x99, ZERO_16, ZERO_16

static const uint8_t golden_plain[] = {
	0x00, 0x00, 0x00, 0x25, 0x00, 0x12, 0x34, 0x0c,
	0x00, 0x00, 0x00, 0x04, 0x00, 0xab, 0xcd, 0x42,
	0x80, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x01, ZERO_16, ZERO_16,
	ZERO_16, ZERO_8, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x10, ZERO_16, ZERO_16,
	GOLDEN_KLMS,
};

static const uint8_t golden_crypto_be[] = {
	0x00, 0x00, 0x03, 0x25, 0x00, 0x12, 0x34, 0x10,
	0x00, 0x00, 0x00, 0x04, 0x00, 0xab, 0xcd, 0x42,
	0x80, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x04,
	0x00, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x01, ZERO_16, ZERO_16,
	ZERO_16, ZERO_8, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x10, ZERO_16, ZERO_16,
	GOLDEN_KLMS,
	0x81, 0x02, 0x00, 0x00, 0x00, 0x00, 0x10, 0x10, 0x01, 0, 0, 0, 0, 0, 0, 0,
	ZERO_8, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
	0x00, 0x11, 0x22, 0x33, 0, 0, 0, 0, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
	ZERO_16,
};

static const uint8_t golden_sig_wire[] = {
	0x00, 0x00, 0x0b, 0x25, 0x00, 0x12, 0x34, 0x10,
	0x00, 0x00, 0x00, 0x08, 0x00, 0xab, 0xcd, 0x42,
	0x80, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x04,
	0x00, 0x00, 0x00, 0x00, 0x20, 0x00, 0x02, 0x01, ZERO_16, ZERO_16,
	ZERO_8, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00,
	ZERO_8, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x10, ZERO_16, ZERO_16,
	GOLDEN_KLMS,
	0x40, 0xff, 0x00, 0x00, 0x00, 0x00, 0x10, 0x10, ZERO_8,
	0x30, 0x00, 0x00, 0x00, 0, 0, 0, 0, 0x40, 0x44, 0x55, 0x66, 0, 0, 0, 0,
	ZERO_16, ZERO_16,
};

static const uint8_t golden_sig_mem_bsf[] = {
	0x40, 0xff, 0x00, 0x00, 0x00, 0x00, 0x10, 0x10, ZERO_8,
	0x02, 0x00, 0x00, 0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0x44, 0x55, 0x66,
	ZERO_16, ZERO_16,
};

static const uint8_t golden_set_psv[] = {
	0x00, 0x00, 0x13, 0x20, 0x00, 0x12, 0x34, 0x02,
	0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x44, 0x55, 0x66, 0x00, 0x00, 0x00, 0x00,
	0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, ZERO_16, ZERO_16,
};

CASE(requests_have_the_bytes_of_its_builders)
{
	const struct spdk_crypto crypto = {
		RAW_WIRE, 1, true, 0x112233, 0x0102030405060708,
		{ 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18 },
	};
	struct spdk_sig sig = { UINT32_MAX, 0x445566, true, 1, GOLDEN_LEN, true, true };
	struct spdk_ctrl ctrl = { 0, 0x1234, SPDK_CE_NO_FLUSH_ERROR };
	uint8_t wqe[SPDK_MAX_WQE];

	assert_int_equal(spdk_umr_plain(wqe, &ctrl, GOLDEN_MKEY, GOLDEN_LEN, golden_sges, 2),
			 sizeof(golden_plain));
	assert_memory_equal(wqe, golden_plain, sizeof(golden_plain));
	ctrl.pi = 3;
	assert_int_equal(spdk_umr_crypto(wqe, &ctrl, GOLDEN_MKEY, GOLDEN_LEN, golden_sges, 2,
					 &crypto), sizeof(golden_crypto_be));
	assert_memory_equal(wqe, golden_crypto_be, sizeof(golden_crypto_be));
	ctrl.pi = 11;
	ctrl.fm_ce_se = SPDK_CE_CQ_UPDATE;
	assert_int_equal(spdk_umr_sig(wqe, &ctrl, GOLDEN_MKEY, GOLDEN_LEN, golden_sges, 2, &sig),
			 sizeof(golden_sig_wire));
	assert_memory_equal(wqe, golden_sig_wire, sizeof(golden_sig_wire));
	sig = (struct spdk_sig){ 0, 0x445566, false, 2, GOLDEN_LEN, true, false };
	spdk_umr_sig(wqe, &ctrl, GOLDEN_MKEY, GOLDEN_LEN, golden_sges, 2, &sig);
	assert_memory_equal(wqe + 192, golden_sig_mem_bsf, sizeof(golden_sig_mem_bsf));
	assert_int_equal(wqe[64 + 12], 0);
	ctrl.pi = 19;
	ctrl.fm_ce_se = SPDK_CE_NO_FLUSH_ERROR;
	assert_int_equal(spdk_set_psv(wqe, &ctrl, 0x445566, UINT32_MAX), sizeof(golden_set_psv));
	assert_memory_equal(wqe, golden_set_psv, sizeof(golden_set_psv));
}

/* mlx5_mkey_create(), without relaxed ordering. */
static uint32_t
mkey_create(struct pair *p, uint32_t nb_bsf, bool crypto_en)
{
	uint8_t in[WORLD_BOX];

	world_mkey_box(&p->w, 0, in, WORLD_FREE | WORLD_UMR_EN | WORLD_ALL | WORLD_KLMS);
	world_put(in, 5, 0, 0x42);		/* mkey_7_0 */
	world_put(in, 7, 30, nb_bsf != 0);	/* bsf_en */
	world_put(in, 12, 0, nb_bsf);		/* bsf_octword_size */
	world_put(in, 17, 0, 128);		/* SPDK_KLM_MAX_TRANSLATION_ENTRIES_NUM */
	world_put(in, 19, 27, crypto_en);
	return world_exec_create(p->w.dev[0].hca, in, sizeof(in)) << 8 | 0x42;
}

static void
spdk_destroy(void *arg)
{
	struct spdk *s = arg;

	world_qp_destroy(&s->qp);
	pair_destroy(&s->p);
}

/* As next_case(), with a key of so many octowords of BSFs. */
static struct spdk *
spdk_case(void **state, const char *name, uint32_t nb_bsf, bool crypto_en)
{
	struct spdk *s;

	case_name(state, name);
	s = pair_create(sizeof(*s), NULL);
	world_qp_create(&s->p.w, 0, &s->qp);
	world_qp_connect(&s->p.w, &s->qp, &s->qp);
	fill(s->p.w.mem, DST);
	memset(s->p.w.mem + DST, 0x55, DST);
	memset(s->p.w.mem + CRC, 0x55, 64);
	s->sigerr_count = 1;
	s->mkey = mkey_create(&s->p, nb_bsf, crypto_en);
	s->psv = sig_psv(&s->p, 0);
	return case_begin(state, s, spdk_destroy);
}

static struct spdk_sge
sge_of(const struct spdk *s, uint32_t place, uint32_t length)
{
	return (struct spdk_sge){ (uintptr_t)s->p.w.mem + place, length, s->p.w.mem_key[0] };
}

static struct spdk_ctrl
ctrl_of(const struct spdk *s, uint8_t fm_ce_se)
{
	return (struct spdk_ctrl){ s->qp.pi, s->qp.qpn, fm_ce_se };
}

/* mlx5_qp_wqe_submit() */
static void
submit(struct spdk *s, const uint8_t *wqe, uint32_t len)
{
	for (uint32_t i = 0; i < len / 64; i++)
		memcpy(s->qp.page + WORLD_SQ_OFF + (size_t)((s->qp.pi + i) % WORLD_SQ_BB) * 64,
		       wqe + (size_t)i * 64, 64);
	s->qp.last = s->qp.pi;
	s->qp.pi = (uint16_t)(s->qp.pi + len / 64);
}

static void
umr_sig(struct spdk *s, uint32_t mkey, const struct spdk_sge *sges, uint32_t nb, uint32_t len,
	const struct spdk_sig *sig)
{
	struct spdk_ctrl ctrl = ctrl_of(s, SPDK_CE_NO_FLUSH_ERROR);
	uint8_t wqe[SPDK_MAX_WQE];

	submit(s, wqe, spdk_umr_sig(wqe, &ctrl, mkey, len, sges, nb, sig));
}

static void
rdma_op(struct spdk *s, uint8_t opcode, uint8_t fm_ce_se, uint64_t raddr, uint32_t rkey,
	const struct spdk_sge *sges, uint32_t nb)
{
	struct spdk_ctrl ctrl = ctrl_of(s, fm_ce_se);
	uint8_t wqe[SPDK_MAX_WQE];

	submit(s, wqe, spdk_xfer(wqe, &ctrl, opcode, raddr, rkey, sges, nb));
}

/* All that was posted is done, and only the last request says so. */
static void
finish(struct spdk *s)
{
	expect_run(&s->p, &s->qp, 0);
	assert_null(world_send_cqe(&s->qp));
}

static uint32_t
crc32c(uint32_t seed, const uint8_t *data, size_t len)
{
	return (uint32_t)oracle_crc_reflected(0x82f63b78, 32, seed != 0, data, len);
}

static uint32_t
crc_there(const struct spdk *s)
{
	uint32_t le;

	memcpy(&le, s->p.w.mem + CRC, sizeof(le));
	return le32toh(le);
}

static struct spdk_sig
sig_of(const struct spdk *s, uint32_t seed, uint32_t len)
{
	return (struct spdk_sig){ seed, s->psv, true, s->sigerr_count, len, true, true };
}

/* accel_mlx5_copy: gather by a UMR, then read it. */
CASES(plain_key_gathers)
{
	struct spdk *s = spdk_case(state, "plain", 0, false);
	struct spdk_sge src[2], dst[2];
	struct spdk_ctrl ctrl;
	uint8_t wqe[SPDK_MAX_WQE];

	src[0] = sge_of(s, SRC + 5000, 3000);
	src[1] = sge_of(s, SRC, 96);
	dst[0] = sge_of(s, DST, 1000);
	dst[1] = sge_of(s, DST + 1000, 2096);
	ctrl = ctrl_of(s, SPDK_CE_NO_FLUSH_ERROR);
	submit(s, wqe, spdk_umr_plain(wqe, &ctrl, s->mkey, 3096, src, 2));
	rdma_op(s, SPDK_OP_READ, SPDK_SMALL_FENCE | SPDK_CE_CQ_UPDATE, 0, s->mkey, dst, 2);
	finish(s);
	assert_memory_equal(s->p.w.mem + DST, s->p.w.mem + SRC + 5000, 3000);
	assert_memory_equal(s->p.w.mem + DST + 3000, s->p.w.mem + SRC, 96);
}

static const uint8_t dek_bytes[] = "spdk's key one..spdk's key two..";

/* CREATE_GENERAL_OBJECT of a DEK in plaintext: AES-128-XTS. */
static uint32_t
dek_create(struct pair *p)
{
	uint8_t in[16 + 256] = { 0 };

	world_put(in, 0, 16, 0xa00);
	world_put(in, 1, 0, 0x0c);
	world_put(in, 6, 0, 3);			/* AES-XTS */
	world_put(in, 7, 0, p->w.dev[0].pdn);
	memcpy(in + 16 + 0x40, dek_bytes, sizeof(dek_bytes) - 1);
	return world_exec_create(p->w.dev[0].hca, in, sizeof(in));
}

/* Data units of 512 bytes from that number on, by OpenSSL. */
static void
xts_encrypt(uint64_t iv, const uint8_t *in, uint8_t *out, uint32_t nb_units)
{
	int nb;

	for (uint32_t unit = 0; unit < nb_units; unit++) {
		EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
		uint8_t tweak[16] = { 0 };

		for (uint32_t i = 0; i < 8; i++)
			tweak[i] = (uint8_t)((iv + unit) >> (8 * i));
		assert_int_equal(EVP_EncryptInit_ex(ctx, EVP_aes_128_xts(), NULL, dek_bytes,
						    tweak), 1);
		assert_int_equal(EVP_EncryptUpdate(ctx, out + unit * 512, &nb, in + unit * 512,
						   512), 1);
		EVP_CIPHER_CTX_free(ctx);
	}
}

/* accel_mlx5_crypto_task_process(): the wire of the key is encrypted, and read. */
CASES(crypto_key_encrypts)
{
	struct spdk *s = spdk_case(state, "crypto", 4, true);
	struct spdk_crypto crypto = { .enc_order = RAW_WIRE, .bs_selector = 1, .is_be = true };
	struct spdk_sge src, dst;
	struct spdk_ctrl ctrl;
	uint8_t wqe[SPDK_MAX_WQE], want[4096];

	src = sge_of(s, SRC, 4096);
	dst = sge_of(s, DST, 4096);
	crypto.dek = dek_create(&s->p);
	crypto.iv = 0xfffffffffffffffe >> 1;
	ctrl = ctrl_of(s, SPDK_CE_NO_FLUSH_ERROR);
	submit(s, wqe, spdk_umr_crypto(wqe, &ctrl, s->mkey, 4096, &src, 1, &crypto));
	rdma_op(s, SPDK_OP_READ, SPDK_SMALL_FENCE | SPDK_CE_CQ_UPDATE, 0, s->mkey, &dst, 1);
	finish(s);
	xts_encrypt(crypto.iv, s->p.w.mem + SRC, want, 8);
	assert_memory_equal(s->p.w.mem + DST, want, 4096);
}

/* accel_mlx5_crc_task_process_one_req(): a key and a read, the CRC behind the data. */
static void
one_request(struct spdk *s, uint32_t seed, uint32_t len, bool is_inplace)
{
	const struct spdk_sig sig = sig_of(s, seed, len);
	uint32_t first = len / 3 + 1;
	const struct spdk_sge src[2] = { sge_of(s, SRC, first), sge_of(s, SRC + first,
								      len - first) };
	struct spdk_sge dst[3] = { src[0], src[1], sge_of(s, CRC, 4) };

	if (!is_inplace) {
		dst[0] = sge_of(s, DST, first);
		dst[1] = sge_of(s, DST + first, len - first);
	}
	memset(s->p.w.mem + DST, 0x55, len);
	umr_sig(s, s->mkey, src, 2, len, &sig);
	rdma_op(s, SPDK_OP_READ, SPDK_STRONG_ORDERING | SPDK_CE_CQ_UPDATE, 0, s->mkey, dst, 3);
	finish(s);
	assert_int_equal(crc_there(s), crc32c(seed, s->p.w.mem + SRC, len));
	assert_int_equal(s->p.w.mem[CRC + 4], 0x55);
	if (!is_inplace)
		assert_memory_equal(s->p.w.mem + DST, s->p.w.mem + SRC, len);
}

CASES(signature_key_computes_a_digest)
{
	static const uint32_t lens[] = { 4, 512, 4096, 4099, 65536, 100001 };
	struct spdk *s = spdk_case(state, "computed", 4, false);

	for (unsigned int i = 0; i < NB_OF(lens); i++) {
		one_request(s, UINT32_MAX, lens[i], false);
		one_request(s, 0, lens[i], false);
		one_request(s, UINT32_MAX, lens[i], true);
	}
	/* RFC 3720, B.4: bytes that everybody knows. */
	memset(s->p.w.mem, 0, 32);
	one_request(s, UINT32_MAX, 32, false);
	assert_int_equal(crc_there(s), 0x8a9136aa);
	memset(s->p.w.mem, 0xff, 32);
	one_request(s, UINT32_MAX, 32, false);
	assert_int_equal(crc_there(s), 0x62a8ab43);
}

/*
 * accel_mlx5_crc_task_process_multi_req(): the sum goes on from key to key by the PSV that they
 * share; the last read may have only the CRC.
 */
CASES(digest_goes_on_from_key_to_key)
{
	const uint32_t lens[] = { 5000, 1, 3072 }, len = 5000 + 1 + 3072;
	struct spdk *s = spdk_case(state, "several keys", 4, false);
	uint32_t keys[3], at, i;
	struct spdk_sge sge;

	for (i = 0, at = 0; i < 3; at += lens[i++]) {
		struct spdk_sig sig = sig_of(s, UINT32_MAX, lens[i]);

		keys[i] = mkey_create(&s->p, 4, false);
		sig.init = i == 0;
		sig.check_gen = i == 2;
		sge = sge_of(s, SRC + at, lens[i]);
		umr_sig(s, keys[i], &sge, 1, lens[i], &sig);
	}
	for (i = 0, at = 0; i < 3; at += lens[i++]) {
		sge = sge_of(s, DST + at, lens[i]);
		rdma_op(s, SPDK_OP_READ,
		     (i == 0 ? SPDK_SMALL_FENCE : SPDK_STRONG_ORDERING) | SPDK_CE_NO_FLUSH_ERROR,
		     0, keys[i], &sge, 1);
	}
	sge = sge_of(s, CRC, 4);
	rdma_op(s, SPDK_OP_READ, SPDK_STRONG_ORDERING | SPDK_CE_CQ_UPDATE, lens[2], keys[2], &sge,
	     1);
	finish(s);
	assert_memory_equal(s->p.w.mem + DST, s->p.w.mem + SRC, len);
	assert_int_equal(crc_there(s), crc32c(UINT32_MAX, s->p.w.mem + SRC, len));
}

/* Mellanox' SPDK checks so: data and CRC are written to a key over the same data. */
static void
check(struct spdk *s, uint32_t crc, uint32_t len)
{
	const struct spdk_sig sig = sig_of(s, UINT32_MAX, len);
	const struct spdk_sge src = sge_of(s, SRC, len), dst[2] = { src, sge_of(s, CRC, 4) };
	uint32_t le = htole32(crc);

	memcpy(s->p.w.mem + CRC, &le, sizeof(le));
	umr_sig(s, s->mkey, &src, 1, len, &sig);
	rdma_op(s, SPDK_OP_WRITE, SPDK_STRONG_ORDERING | SPDK_CE_CQ_UPDATE, 0, s->mkey, dst, 2);
	ring_run(&s->p, &s->qp);
}

/* No error is told, and the transfer is done whatever it moved. */
static void
expect_good(struct spdk *s)
{
	expect_last(&s->qp, 0);
	assert_null(world_send_cqe(&s->qp));
	assert_null(world_recv_cqe(&s->qp));
}

/*
 * struct mlx5_sigerr_cqe: transaction, wire, what was there and what should be. It comes to the
 * side whose key it is; SPDK has one CQ for both, a world has two.
 */
static void
expect_sigerr(struct spdk *s, uint32_t there, uint32_t computed)
{
	const struct mlx5_cqe64 *cqe = NOT_NULL(world_recv_cqe(&s->qp));

	assert_int_equal(cqe->op_own >> 4, 0xc);	/* MLX5_CQE_SIG_ERR */
	assert_int_equal(world_get(cqe, 4), there);
	assert_int_equal(world_get(cqe, 5), computed);
	assert_int_equal(world_get(cqe, 8), 0x20000100);	/* guard; transaction; wire */
	assert_int_equal(world_get(cqe, 9), s->mkey);
	expect_good(s);
}

CASES(signature_key_checks_a_digest)
{
	const uint32_t len = 9000;
	struct spdk_ctrl ctrl;
	struct spdk *s = spdk_case(state, "checked", 4, false);
	uint8_t wqe[SPDK_MAX_WQE];
	uint32_t good;

	good = crc32c(UINT32_MAX, s->p.w.mem + SRC, len);
	check(s, good, len);
	expect_good(s);
	check(s, good ^ 0x100, len);
	expect_sigerr(s, good ^ 0x100, good);
	/* The error is told; the next one not before key and PSV are renewed. */
	check(s, good ^ 0x100, len);
	expect_good(s);
	s->sigerr_count++;
	ctrl = ctrl_of(s, SPDK_CE_NO_FLUSH_ERROR);
	submit(s, wqe, spdk_set_psv(wqe, &ctrl, s->psv, 0x12345678));
	check(s, good ^ 0x80000000, len);
	expect_sigerr(s, good ^ 0x80000000, good);
	/* A digest is computed as before. */
	s->sigerr_count++;
	one_request(s, UINT32_MAX, 77, false);
}

/*
 * Mellanox' SPDK, accel_mlx5_encrypt_and_crc_task_process() and its counterpart: the digest is that
 * of the ciphertext, on the wire of one key and in memory of the other.
 */
CASES(digest_of_ciphertext_comes_with_it)
{
	const uint32_t len = 8 * 512;
	struct spdk *s = spdk_case(state, "ciphertext", 8, true);
	struct spdk_crypto crypto = { .enc_order = RAW_WIRE, .bs_selector = 1, .is_be = true,
				      .iv = 7 };
	struct spdk_sig sig;
	struct spdk_sge src[2], dst[2];
	struct spdk_ctrl ctrl;
	uint8_t wqe[SPDK_MAX_WQE], want[8 * 512];

	crypto.dek = dek_create(&s->p);
	xts_encrypt(7, s->p.w.mem + SRC, want, 8);
	sig = sig_of(s, UINT32_MAX, len);
	src[0] = sge_of(s, SRC, len);
	dst[0] = sge_of(s, DST, len);
	dst[1] = sge_of(s, CRC, 4);
	ctrl = ctrl_of(s, SPDK_CE_NO_FLUSH_ERROR);
	submit(s, wqe, spdk_umr_sig_crypto(wqe, &ctrl, s->mkey, len, src, 1, &sig, &crypto));
	rdma_op(s, SPDK_OP_READ, SPDK_SMALL_FENCE | SPDK_CE_CQ_UPDATE, 0, s->mkey, dst, 2);
	finish(s);
	assert_memory_equal(s->p.w.mem + DST, want, len);
	assert_int_equal(crc_there(s), crc32c(UINT32_MAX, want, len));
	/* And back: ciphertext and digest are in memory, the wire is plain. */
	memset(s->p.w.mem + SRC, 0, len);
	sig.is_wire = false;
	crypto.enc_order = RAW_MEMORY;
	ctrl = ctrl_of(s, SPDK_CE_NO_FLUSH_ERROR);
	submit(s, wqe, spdk_umr_sig_crypto(wqe, &ctrl, s->mkey, len + 4, dst, 2, &sig, &crypto));
	rdma_op(s, SPDK_OP_READ, SPDK_SMALL_FENCE | SPDK_CE_CQ_UPDATE, 0, s->mkey, src, 1);
	finish(s);
	xts_encrypt(7, s->p.w.mem + SRC, want, 8);
	assert_memory_equal(want, s->p.w.mem + DST, len);
	fill(want, sizeof(want));
	assert_memory_equal(s->p.w.mem + SRC, want, len);
}
