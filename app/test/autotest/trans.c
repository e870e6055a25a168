/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Transaction signatures: one CRC32C over all the data of a key, as digests of iSCSI and NVMe/TCP.
 * What is put behind, what is checked, what an error tells, what is rejected.
 */

#include <string.h>

#include <rte_byteorder.h>

#include "autotest.h"
#include "env.h"

/* Plain data at the beginning of the peer's buffer; what a key covers in the middle of ours. */
#define PLAIN	0u
#define COVERED	(AT_BUF_LEN / 2)
#define LEN	5000u
#define FIELD	4u

#define TRANS(seed) {                                                                              \
	.type = RTE_UMR_SIG_CRC32C,                                                                \
	.flags = RTE_UMR_SIG_DOMAIN_F_TRANSACTION | (seed),                                        \
}

static const struct rte_umr_sig on_wire = {
	.wire = TRANS(RTE_UMR_SIG_DOMAIN_F_SEED_ONES), .check_mask = RTE_UMR_SIG_MASK_CRC32,
};

static const struct rte_umr_sig in_memory = {
	.mem = TRANS(RTE_UMR_SIG_DOMAIN_F_SEED_ONES), .check_mask = RTE_UMR_SIG_MASK_CRC32,
};

static int
build_keys(struct at_env *env, enum at_topology topology)
{
	return at_env_build_capable(env, RTE_UMR_CAPA_MKEY_SIG, &(struct at_conf){
		.topology = topology, .mkey_flags = RTE_UMR_MKEY_POOL_F_SIG });
}

static int
build(struct at_env *env, enum at_topology topology)
{
	TEST_NEED(build_keys(env, topology));
	if ((env->tx->info.sig_trans_types & RTE_BIT32(RTE_UMR_SIG_CRC32C)) == 0)
		TEST_SKIP("needs transaction signatures");
	return TEST_SUCCESS;
}

/** Lay len bytes of a side's memory under a key, with a signature or, if NULL, as it was. */
static int
configure(struct at_side *side, uint16_t queue, struct rte_umr_mkey *mkey, uint32_t len,
	  const struct rte_umr_sig *sig)
{
	const struct rte_umr_seg segs[] = { at_seg(side, COVERED, len / 2),
					    at_seg(side, COVERED + len / 2, len - len / 2) };
	const struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT |
			   (sig != NULL ? RTE_UMR_MKEY_SET_SIG : 0),
		.access = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE |
			  RTE_UMR_ACCESS_REMOTE_READ,
		.nb_entries = RTE_DIM(segs),
		.segs = segs,
		.sig = sig,
	};

	return at_mkey_configure(side->dev_id, queue, mkey, &conf, 0);
}

/** Bytes [from, to) of the wire of a local key, from and to the peer's plain memory. */
static int
write_part(struct at_env *env, const struct rte_umr_mkey *mkey, uint32_t from, uint32_t to)
{
	return at_write(env, at_key_seg(mkey, from, to - from), PLAIN + from, RTE_UMR_OP_F_FENCE);
}

static int
read_part(struct at_env *env, const struct rte_umr_mkey *mkey, uint32_t from, uint32_t to)
{
	return at_read(env, at_key_seg(mkey, from, to - from), PLAIN + from, RTE_UMR_OP_F_FENCE);
}

/** Configure a local key, then write len bytes of its wire. */
static int
write_as(struct at_env *env, struct rte_umr_mkey *mkey, uint32_t covered,
	 const struct rte_umr_sig *sig, uint32_t len)
{
	TEST_ACCEPT(configure(env->tx, 0, mkey, covered, sig));
	TEST_ACCEPT(write_part(env, mkey, 0, len));
	return at_finish(env, 2);
}

/** The same for a read. */
static int
read_as(struct at_env *env, struct rte_umr_mkey *mkey, uint32_t covered,
	const struct rte_umr_sig *sig, uint32_t len)
{
	TEST_ACCEPT(configure(env->tx, 0, mkey, covered, sig));
	TEST_ACCEPT(read_part(env, mkey, 0, len));
	return at_finish(env, 2);
}

/** Bit by bit: RFC 3720, 12.1. */
static uint32_t
crc32c(uint32_t seed, const uint8_t *data, uint32_t len)
{
	uint32_t crc = seed, i, bit;

	for (i = 0; i < len; i++) {
		crc ^= data[i];
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return ~crc;
}

static uint32_t
digest_at(const uint8_t *at)
{
	uint32_t le;

	memcpy(&le, at, sizeof(le));
	return rte_le_to_cpu_32(le);
}

static void
digest_put(uint8_t *at, uint32_t digest)
{
	const uint32_t le = rte_cpu_to_le_32(digest);

	memcpy(at, &le, sizeof(le));
}

static int
check_none(struct rte_umr_mkey *mkey)
{
	struct rte_umr_mkey_error error;

	TEST_ASSERT_SUCCESS(rte_umr_mkey_check(mkey, &error));
	TEST_ASSERT_EQUAL(error.type, RTE_UMR_MKEY_ERROR_NONE);
	return TEST_SUCCESS;
}

static int
check_digest(struct rte_umr_mkey *mkey, bool is_wire, uint32_t expected, uint32_t actual)
{
	struct rte_umr_mkey_error error;

	TEST_ASSERT_SUCCESS(rte_umr_mkey_check(mkey, &error));
	TEST_ASSERT_EQUAL(error.type, RTE_UMR_MKEY_ERROR_GUARD);
	TEST_ASSERT_EQUAL(error.is_wire, is_wire);
	TEST_ASSERT_EQUAL(error.expected, expected);
	TEST_ASSERT_EQUAL(error.actual, actual);
	TEST_ASSERT_EQUAL(error.offset, 0);
	return check_none(mkey);
}

/* RFC 3720, B.4, and both seeds of other data; memory has no field, the wire has. */
AT_CASE(trans, digest_of_the_wire_is_put_behind_the_data)
{
	const struct rte_umr_sig zeros = {
		.wire = TRANS(0), .check_mask = RTE_UMR_SIG_MASK_T10DIF,
	};

	TEST_NEED(build(env, AT_TWO_DEVICES));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	const uint8_t *const plain = env->rx->buf + PLAIN;
	const uint8_t *const covered = env->tx->buf + COVERED;
	TEST_ASSERT_SUCCESS(write_as(env, mkey, LEN, &on_wire, LEN + FIELD));
	TEST_ASSERT_SAME(plain, covered, LEN);
	TEST_ASSERT_EQUAL(digest_at(plain + LEN), crc32c(UINT32_MAX, covered, LEN));
	TEST_ASSERT_SUCCESS(write_as(env, mkey, LEN, &zeros, LEN + FIELD));
	TEST_ASSERT_EQUAL(digest_at(plain + LEN), crc32c(0, covered, LEN));
	memset(env->tx->buf + COVERED, 0, 32);
	TEST_ASSERT_SUCCESS(write_as(env, mkey, 32, &on_wire, 32 + FIELD));
	TEST_ASSERT_EQUAL(digest_at(plain + 32), 0x8a9136aa);
	return check_none(mkey);
}

/* As SPDK does it: a queue that is connected to itself reads its own key, the digest at last. */
AT_CASE(trans, digest_is_computed_by_reading_a_key)
{
	TEST_NEED(build(env, AT_LOOPBACK));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	const uint8_t *const buf = env->tx->buf;
	TEST_ACCEPT(configure(env->tx, 0, mkey, LEN, &on_wire));
	const struct rte_umr_seg local = at_seg(env->tx, 0, LEN + FIELD);
	TEST_ACCEPT(rte_umr_read(env->tx->dev_id, 0, &local, 0, mkey->key, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_SAME(buf, buf + COVERED, LEN);
	TEST_ASSERT_EQUAL(digest_at(buf + LEN), crc32c(UINT32_MAX, buf, LEN));
	return check_none(mkey);
}

AT_CASE(trans, digest_of_the_wire_is_checked_and_stripped)
{
	TEST_NEED(build(env, AT_TWO_DEVICES));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	uint8_t *const plain = env->rx->buf + PLAIN;
	uint8_t *const covered = env->tx->buf + COVERED;
	const uint32_t digest = crc32c(UINT32_MAX, plain, LEN);
	digest_put(plain + LEN, digest);
	covered[LEN] = 0x77;
	TEST_ASSERT_SUCCESS(read_as(env, mkey, LEN, &on_wire, LEN + FIELD));
	TEST_ASSERT_SAME(plain, covered, LEN);
	TEST_ASSERT_EQUAL(covered[LEN], 0x77);
	TEST_ASSERT_SUCCESS(check_none(mkey));
	/* A bit of the data, then one of the digest; each configuration waits for an error. */
	for (unsigned int i = 0; i < 3; i++) {
		plain[LEN - 1] ^= i % 2 == 0;
		plain[LEN + 3] ^= i % 2;
		TEST_ASSERT_SUCCESS(read_as(env, mkey, LEN, i == 0 ? &on_wire : NULL, LEN + FIELD));
		TEST_ASSERT_SUCCESS(check_digest(mkey, true, digest_at(plain + LEN),
						 crc32c(UINT32_MAX, plain, LEN)));
		TEST_ASSERT_SAME(plain, covered, LEN);
		/* Told once. */
		TEST_ACCEPT(read_part(env, mkey, 0, LEN + FIELD));
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
		TEST_ASSERT_SUCCESS(check_none(mkey));
	}
	return TEST_SUCCESS;
}

/* Memory has the field, the wire the data alone. */
AT_CASE(trans, digest_of_memory_is_written_and_checked)
{
	TEST_NEED(build(env, AT_TWO_DEVICES));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	uint8_t *const plain = env->rx->buf + PLAIN;
	uint8_t *const covered = env->tx->buf + COVERED;
	const uint32_t digest = crc32c(UINT32_MAX, plain, LEN);
	covered[LEN + FIELD] = 0x77;
	TEST_ASSERT_SUCCESS(read_as(env, mkey, LEN + FIELD, &in_memory, LEN));
	TEST_ASSERT_EQUAL(digest_at(covered + LEN), digest);
	TEST_ASSERT_EQUAL(covered[LEN + FIELD], 0x77);
	memset(plain, 0, LEN);
	plain[LEN] = 0x66;
	TEST_ACCEPT(write_part(env, mkey, 0, LEN));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SAME(plain, covered, LEN);
	TEST_ASSERT_EQUAL(plain[LEN], 0x66);
	TEST_ASSERT_SUCCESS(check_none(mkey));
	covered[17] ^= 0x20;
	TEST_ACCEPT(write_part(env, mkey, 0, LEN));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	return check_digest(mkey, false, digest, crc32c(UINT32_MAX, covered, LEN));
}

/* One transfer behind the other, the last one has the field alone. */
AT_CASE(trans, transaction_takes_several_transfers)
{
	static const uint32_t ends[] = { 1, 2000, LEN, LEN + FIELD };
	uint32_t i, from = 0;

	TEST_NEED(build(env, AT_TWO_DEVICES));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	const uint8_t *const plain = env->rx->buf + PLAIN;
	const uint8_t *const covered = env->tx->buf + COVERED;
	TEST_ACCEPT(configure(env->tx, 0, mkey, LEN, &on_wire));
	for (i = 0; i < RTE_DIM(ends); from = ends[i++])
		TEST_ACCEPT(write_part(env, mkey, from, ends[i]));
	TEST_ASSERT_SUCCESS(at_finish(env, 1 + RTE_DIM(ends)));
	TEST_ASSERT_SAME(plain, covered, LEN);
	TEST_ASSERT_EQUAL(digest_at(plain + LEN), crc32c(UINT32_MAX, covered, LEN));
	for (i = 0, from = 0; i < RTE_DIM(ends); from = ends[i++])
		TEST_ACCEPT(read_part(env, mkey, from, ends[i]));
	TEST_ASSERT_SUCCESS(at_finish(env, RTE_DIM(ends)));
	return check_none(mkey);
}

/* The signature stays, the layouts change: by the functions for lists, patterns, long lists. */
AT_CASE(trans, digest_follows_the_layout)
{
	struct rte_umr_seg segs[52];
	const struct rte_umr_mkey_op only_sig = {
		.setters = RTE_UMR_MKEY_SET_SIG, .sig = &on_wire,
	};
	struct rte_umr_interleaved pattern;

	TEST_NEED(build(env, AT_TWO_DEVICES));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	const uint8_t *const plain = env->rx->buf + PLAIN;
	/* In front of any layout; then a short one. */
	TEST_ACCEPT(at_mkey_configure(env->tx->dev_id, 0, mkey, &only_sig, 0));
	segs[0] = at_seg(env->tx, 0, 300);
	TEST_ACCEPT(at_list(env, mkey, 0, segs, 1, 0));
	TEST_ACCEPT(write_part(env, mkey, 0, 300 + FIELD));
	TEST_ASSERT_SUCCESS(at_finish(env, 3));
	TEST_ASSERT_EQUAL(digest_at(plain + 300), crc32c(UINT32_MAX, plain, 300));
	/* So long that the format has an UMR of its own. */
	for (unsigned int i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(env->tx, (RTE_DIM(segs) - i) * 64, 61);
	TEST_ACCEPT(at_list(env, mkey, 0, segs, RTE_DIM(segs), 0));
	TEST_ACCEPT(write_part(env, mkey, 0, RTE_DIM(segs) * 61 + FIELD));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_EQUAL(digest_at(plain + RTE_DIM(segs) * 61),
			  crc32c(UINT32_MAX, plain, RTE_DIM(segs) * 61));
	pattern = (struct rte_umr_interleaved){
		.addr = at_addr(env->tx, COVERED), .bytes_count = 10, .bytes_skip = 20,
		.lkey = env->tx->mr->lkey,
	};
	TEST_ACCEPT(rte_umr_mkey_interleaved(env->tx->dev_id, 0, mkey, 0, 77, &pattern, 1, 0));
	TEST_ACCEPT(write_part(env, mkey, 0, 770 + FIELD));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_EQUAL(digest_at(plain + 770), crc32c(UINT32_MAX, plain, 770));
	TEST_ASSERT_EQUAL(plain[769], env->tx->buf[COVERED + 76 * 30 + 9]);
	return check_none(mkey);
}

/* What a flushed configuration was to do has not been done; the next one does it all. */
AT_CASE(trans, flushed_configuration_is_made_up_for)
{
	const struct rte_umr_seg bad = { .addr = 0, .length = 8, .lkey = 0x55555500 };
	const struct rte_umr_mkey_op nothing = { .setters = 0 };
	struct rte_umr_completion done[2];

	TEST_NEED(build(env, AT_LOOPBACK));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	const uint8_t *const plain = env->rx->buf + PLAIN;
	TEST_ACCEPT(configure(env->tx, 0, mkey, LEN, &on_wire));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ACCEPT(at_write(env, bad, PLAIN, 0));
	TEST_ACCEPT(configure(env->tx, 0, mkey, LEN + FIELD, &in_memory));
	TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, done, 2), 2);
	TEST_ASSERT_EQUAL(done[1].status, RTE_UMR_STATUS_FLUSHED);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	TEST_ACCEPT(configure(env->tx, 0, mkey, LEN + FIELD, NULL));
	TEST_ACCEPT(read_part(env, mkey, 0, LEN));
	TEST_ACCEPT(at_mkey_configure(env->tx->dev_id, 0, mkey, &nothing, 0));
	TEST_ACCEPT(write_part(env, mkey, 0, LEN));
	TEST_ASSERT_SUCCESS(at_finish(env, 4));
	TEST_ASSERT_EQUAL(digest_at(env->tx->buf + COVERED + LEN), crc32c(UINT32_MAX, plain, LEN));
	return check_none(mkey);
}

/* Blocks, a transaction, nothing: each takes the place of the one before. */
AT_CASE(trans, signatures_of_all_kinds_take_turns)
{
	const struct rte_umr_sig block = {
		.wire = { .type = RTE_UMR_SIG_CRC32, .block_size = 512 },
		.check_mask = RTE_UMR_SIG_MASK_CRC32,
	};
	const struct rte_umr_mkey_op reset = { .setters = RTE_UMR_MKEY_RESET_SIG };

	TEST_NEED(build(env, AT_LOOPBACK));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	const uint8_t *const plain = env->rx->buf + PLAIN;
	for (unsigned int i = 0; i < 3; i++) {
		TEST_ASSERT_SUCCESS(write_as(env, mkey, 1024, &on_wire, 1024 + FIELD));
		TEST_ASSERT_EQUAL(digest_at(plain + 1024), crc32c(UINT32_MAX, plain, 1024));
		TEST_ACCEPT(configure(env->tx, 0, mkey, 1024, &block));
		TEST_ACCEPT(write_part(env, mkey, 0, 2 * (512 + FIELD)));
		TEST_ACCEPT(read_part(env, mkey, 0, 2 * (512 + FIELD)));
		TEST_ASSERT_SUCCESS(at_finish(env, 3));
		TEST_ACCEPT(at_mkey_configure(env->tx->dev_id, 0, mkey, &reset, 0));
		TEST_ACCEPT(write_part(env, mkey, 0, 1024));
		TEST_ASSERT_SUCCESS(at_finish(env, 2));
		TEST_ASSERT_SAME(plain, env->tx->buf + COVERED, 1024);
		TEST_ASSERT_SUCCESS(check_none(mkey));
	}
	return TEST_SUCCESS;
}

/* Beyond the field, or within it. */
AT_CASE(trans, transfer_that_cuts_the_field_fails)
{
	static const struct { uint32_t from, to; } bad[] = {
		{ 0, LEN + FIELD + 1 }, { 0, LEN + 2 }, { LEN + 1, LEN + FIELD },
	};

	TEST_NEED(build(env, AT_LOOPBACK));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	for (unsigned int i = 0; i < RTE_DIM(bad); i++) {
		TEST_ACCEPT(configure(env->tx, 0, mkey, LEN, &on_wire));
		TEST_ACCEPT(write_part(env, mkey, bad[i].from, bad[i].to));
		TEST_ASSERT_SUCCESS(at_finish_status(env, 2, RTE_UMR_STATUS_LOCAL_PROT));
		TEST_ASSERT_SUCCESS(check_none(mkey));
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	}
	return write_as(env, mkey, LEN, &on_wire, LEN + FIELD);
}

static int
rejected(struct at_env *env, struct rte_umr_mkey *mkey, const struct rte_umr_sig *sig, int error)
{
	const uint16_t avail = rte_umr_desc_avail(env->tx->dev_id, 0);

	TEST_ASSERT_EQUAL(configure(env->tx, 0, mkey, LEN, sig), error);
	TEST_ASSERT_EQUAL(rte_umr_desc_avail(env->tx->dev_id, 0), avail);
	return TEST_SUCCESS;
}

/* Also on devices without: what they lack is rejected as such. */
AT_CASE(trans, bad_transactions_leave_no_trace)
{
	const struct rte_umr_sig_domain block = { .type = RTE_UMR_SIG_CRC32, .block_size = 512 };
	struct rte_umr_sig good = on_wire;

	TEST_NEED(build_keys(env, AT_LOOPBACK));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	const bool has = env->tx->info.sig_trans_types != 0;
	const int lacking = has ? -EINVAL : -ENOTSUP;
	TEST_BAD(good, wire.block_size, 512, rejected(env, mkey, &bad, -EINVAL), 0);
	TEST_BAD(good, wire.flags, good.wire.flags | RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT,
		 rejected(env, mkey, &bad, -EINVAL), 0);
	TEST_BAD(good, check_mask, RTE_UMR_SIG_MASK_GUARD, rejected(env, mkey, &bad, lacking), 0);
	TEST_BAD(good, flags, RTE_UMR_SIG_F_COPY_MASK, rejected(env, mkey, &bad, lacking), 0);
	TEST_BAD(good, wire.type, RTE_UMR_SIG_CRC32, rejected(env, mkey, &bad, -ENOTSUP), 0);
	TEST_BAD(good, mem, in_memory.mem, rejected(env, mkey, &bad, -ENOTSUP), 0);
	TEST_BAD(good, mem, block, rejected(env, mkey, &bad, -ENOTSUP), 0);
	if (!has)
		return rejected(env, mkey, &on_wire, -ENOTSUP);
	TEST_ASSERT_EQUAL(configure(env->tx, 0, mkey, FIELD, &in_memory), -ERANGE);
	return write_as(env, mkey, LEN, &on_wire, LEN + FIELD);
}
