/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_SIG_WORLD_H
#define SWHCA_SIG_WORLD_H

/**
 * @file
 * Signed keys for unit tests: commands and WQEs typed by dword and bit, and an oracle that computes
 * signed bytes bit by bit, independent of the model.
 */

#include "pair.h"

#define OP_SET_PSV	0x20
#define WIRE_IMAGE	262144u	/* place of the wire in the memory of a world */

enum oracle_type {
	ORACLE_NONE,
	ORACLE_T10_CRC,
	ORACLE_T10_CSUM,
	ORACLE_CRC32,
	ORACLE_CRC32C,
	ORACLE_CRC64,
	ORACLE_NB_TYPES,
};

/* One domain, as described by an application. */
struct oracle_domain {
	enum oracle_type type;
	uint32_t block;
	bool seed_ones;
	bool inc_ref;
	uint8_t escape;		/* 1: application tag, 2: also reference tag */
	uint16_t app_tag;
	uint32_t ref_tag;
	uint32_t psv;
};

struct sig_conf {
	struct oracle_domain mem;
	struct oracle_domain wire;
	bool sbs;
	uint8_t check_mask;
	uint8_t copy_mask;
};

/* Bytes of a signature field. */
static inline uint32_t
oracle_field_len(enum oracle_type type)
{
	static const uint32_t lens[ORACLE_NB_TYPES] = { 0, 8, 8, 4, 4, 8 };

	return lens[type];
}

/* A reflected CRC, inverted at the end. */
static inline uint64_t
oracle_crc_reflected(uint64_t poly, unsigned int bits, bool seed_ones, const uint8_t *data,
		     size_t len)
{
	uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	uint64_t crc = seed_ones ? all : 0;

	for (size_t i = 0; i < len; i++) {
		for (unsigned int bit = 0; bit < 8; bit++) {
			uint64_t odd = (crc ^ data[i] >> bit) & 1;

			crc >>= 1;
			if (odd)
				crc ^= poly;
		}
	}
	return ~crc & all;
}

static inline uint16_t
oracle_crc16(bool seed_ones, const uint8_t *data, size_t len)
{
	uint16_t crc = seed_ones ? 0xffff : 0;

	for (size_t i = 0; i < len; i++) {
		for (unsigned int bit = 0; bit < 8; bit++) {
			bool high = ((crc >> 15) ^ (data[i] >> (7 - bit))) & 1;

			crc = (uint16_t)(crc << 1);
			if (high)
				crc ^= 0x8bb7;
		}
	}
	return crc;
}

static inline uint16_t
oracle_csum(bool seed_ones, const uint8_t *data, size_t len)
{
	uint32_t sum = seed_ones ? 0xffff : 0;

	for (size_t i = 0; i < len; i += 2) {
		sum += (uint32_t)data[i] << 8 | (i + 1 < len ? data[i + 1] : 0);
		if (sum > 0xffff)
			sum -= 0xffff;
	}
	return (uint16_t)~sum;
}

/* The signature field of one block. */
static inline void
oracle_field(const struct oracle_domain *d, uint64_t index, const uint8_t *data, uint8_t *field)
{
	uint32_t ref = d->ref_tag + (d->inc_ref ? (uint32_t)index : 0), i;
	uint64_t sum;

	switch (d->type) {
	case ORACLE_T10_CRC:
	case ORACLE_T10_CSUM:
		sum = d->type == ORACLE_T10_CRC ? oracle_crc16(d->seed_ones, data, d->block) :
						  oracle_csum(d->seed_ones, data, d->block);
		field[0] = (uint8_t)(sum >> 8);
		field[1] = (uint8_t)sum;
		field[2] = (uint8_t)(d->app_tag >> 8);
		field[3] = (uint8_t)d->app_tag;
		for (i = 0; i < 4; i++)
			field[4 + i] = (uint8_t)(ref >> (24 - 8 * i));
		return;
	case ORACLE_CRC32:
		sum = oracle_crc_reflected(0xedb88320, 32, d->seed_ones, data, d->block);
		break;
	case ORACLE_CRC32C:
		sum = oracle_crc_reflected(0x82f63b78, 32, d->seed_ones, data, d->block);
		break;
	case ORACLE_CRC64:
		sum = oracle_crc_reflected(UINT64_C(0x9a6c9329ac4bc9b5), 64, d->seed_ones, data,
					   d->block);
		break;
	default:
		return;
	}
	for (i = 0; i < oracle_field_len(d->type); i++)
		field[i] = (uint8_t)(sum >> (8 * i));
}

/* Data with a signature after each whole block. @return Its size. */
static inline size_t
oracle_image(const struct oracle_domain *d, const uint8_t *data, size_t len, uint8_t *out)
{
	uint8_t *at = out;
	uint64_t index = 0;

	if (d->type == ORACLE_NONE) {
		memcpy(out, data, len);
		return len;
	}
	for (; len >= d->block; data += d->block, len -= d->block) {
		memcpy(at, data, d->block);
		at += d->block;
		oracle_field(d, index++, data, at);
		at += oracle_field_len(d->type);
	}
	memcpy(at, data, len);
	return (size_t)(at + len - out);
}

static inline uint8_t
sig_bs_selector(uint32_t block)
{
	switch (block) {
	case 512: return 1;
	case 520: return 2;
	case 4096: return 3;
	case 4160: return 4;
	case 4048: return 6;
	default: return 0;
	}
}

static inline void
sig_bsf_inline(uint8_t *inl, const struct oracle_domain *d)
{
	if (d->type != ORACLE_T10_CRC && d->type != ORACLE_T10_CSUM)
		return;
	inl[0] = 0xc0;				/* valid, refresh */
	inl[2] = (uint8_t)(d->app_tag >> 8);
	inl[3] = (uint8_t)d->app_tag;
	world_put(inl, 1, 0, d->ref_tag);
	inl[8] = d->type == ORACLE_T10_CRC ? 1 : 2;
	inl[9] = 0x80 | (d->seed_ones ? 0x08 : 0);
	inl[13] = (uint8_t)((d->inc_ref ? 0x40 : 0) | d->escape);
	inl[14] = 0xff;
	inl[15] = 0xff;
}

static inline uint32_t
sig_bfs_psv(const struct oracle_domain *d)
{
	static const uint8_t bases[ORACLE_NB_TYPES] = { 0, 0, 0, 0x20, 0x40, 0x50 };
	uint32_t bfs = bases[d->type];

	if (bfs != 0)
		bfs |= 0x2 | (d->seed_ones ? 0 : 0x1);
	return bfs << 24 | d->psv;
}

/* A signature BSF of 64 bytes. */
static inline void
sig_bsf(uint8_t *bsf, const struct sig_conf *conf)
{
	memset(bsf, 0, 64);
	bsf[0] = (uint8_t)(0x80 | (conf->sbs ? 0x10 : 0));
	bsf[1] = conf->check_mask;
	bsf[2] = conf->sbs ? conf->copy_mask :
		 conf->wire.type != ORACLE_NONE ? sig_bs_selector(conf->wire.block) : 0;
	bsf[3] = conf->mem.type != ORACLE_NONE ? sig_bs_selector(conf->mem.block) : 0;
	memset(bsf + 4, 0xff, 4);
	world_put(bsf, 2, 0, sig_bfs_psv(&conf->wire));
	world_put(bsf, 3, 0, sig_bfs_psv(&conf->mem));
	sig_bsf_inline(bsf + 32, &conf->wire);
	sig_bsf_inline(bsf + 48, &conf->mem);
}

/* Create an empty key of KLMs with room for formats. */
static inline uint32_t
sig_key(struct pair *p, int dev, uint32_t nb_klm, uint32_t nb_bsf, bool crypto_en)
{
	uint8_t in[WORLD_BOX];

	world_mkey_box(&p->w, dev, in, WORLD_FREE | WORLD_UMR_EN | WORLD_KLMS | WORLD_LR);
	world_put(in, 7, 30, nb_bsf != 0);	/* bsf_en */
	world_put(in, 12, 0, nb_bsf);
	world_put(in, 17, 0, nb_klm);
	world_put(in, 19, 27, crypto_en);
	return world_exec_create(p->w.dev[dev].hca, in, sizeof(in)) << 8;
}

static inline uint32_t
sig_psv(struct pair *p, int dev)
{
	uint8_t out[32];

	assert_int_equal(world_query(p->w.dev[dev].hca, 0x600, 0, 1u << 28 | p->w.dev[dev].pdn, out,
				     sizeof(out)), 0);
	return world_get(out, 4) & 0xffffff;
}

/* Post a UMR with formats after the KLMs; sigerr is the expected parity of signature errors. */
static inline void
sig_post_umr(struct world_qp *qp, uint32_t key, uint64_t len, const struct world_klm *klms,
	     uint32_t nb, const uint8_t *bsf, uint32_t bsf_len, bool sigerr)
{
	uint8_t body[1008];
	uint32_t nb_ds = world_umr_list(body, key, ALL_ACCESS, len, klms, nb);

	world_put(body, 1, 0, bsf_len / 16);
	world_put(body, 3, 9, 1);		/* mkey_mask: signature errors */
	world_put(body, 3, 12, 1);		/* mkey_mask: bsf_en */
	world_put(body, 15, 26, sigerr);
	world_put(body, 15, 30, bsf_len != 0);
	memcpy(body + (size_t)nb_ds * 16, bsf, bsf_len);
	world_post(qp, OP_UMR, 0, key, body, nb_ds + bsf_len / 16);
}

/* Bytes of a key of device 0 to memory of the other device, or back. */
static inline void
sig_move(struct pair *p, uint32_t key, uint8_t op, const uint8_t *far, uint64_t offset,
	 uint32_t len)
{
	post_transfer(&p->a, op, CE | FENCE, (uintptr_t)far, p->w.mem_key[1],
		      (void *)(uintptr_t)offset, key, len);
	ring_run(p, &p->a);
}

/* As a fault of the sender. */
static inline void
expect_local_fault(struct pair *p, uint32_t key, uint64_t offset, uint32_t len)
{
	sig_move(p, key, OP_WRITE, p->w.mem + WIRE_IMAGE, offset, len);
	expect_last(&p->a, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static inline uint32_t
rnd(uint32_t below)
{
	return (uint32_t)random() % below;
}

static inline void
sig_post_psv(struct world_qp *qp, uint32_t psv, uint64_t transient)
{
	uint8_t body[16] = { 0 };

	world_put(body, 0, 0, psv);
	world_put64(body, 2, transient);
	world_post(qp, OP_SET_PSV, FENCE, 0, body, 1);
}

#endif /* SWHCA_SIG_WORLD_H */
