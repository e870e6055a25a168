/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Block signature: what is rejected, what an error tells, how a key is made ready for the next one.
 * That data and fields are right for all signatures is the business of "dpdk-test-umr verify".
 */

#include <string.h>

#include <rte_byteorder.h>
#include <rte_cycles.h>

#include "../patience.h"
#include "autotest.h"
#include "control.h"
#include "env.h"

/* Plain data at the beginning of the peer's buffer; what a key covers in the middle of ours. */
#define PLAIN	0u
#define COVERED	(AT_BUF_LEN / 2)
#define BLOCK	512u
#define FULL	(BLOCK + 8u)

#define APP_TAG	0x1234u
#define REF_TAG	1000u

static const struct rte_umr_sig t10dif = {
	.mem = { .type = RTE_UMR_SIG_T10DIF_CRC, .flags = RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT,
		 .block_size = BLOCK, .app_tag = APP_TAG, .ref_tag = REF_TAG },
	.check_mask = RTE_UMR_SIG_MASK_T10DIF,
};

static const struct rte_umr_sig t10dif_wire = {
	.wire = { .type = RTE_UMR_SIG_T10DIF_CRC, .flags = RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT,
		  .block_size = BLOCK, .app_tag = APP_TAG, .ref_tag = REF_TAG },
	.check_mask = RTE_UMR_SIG_MASK_T10DIF,
};

static int
build(struct at_env *env, enum at_topology topology)
{
	return at_env_build_capable(env, RTE_UMR_CAPA_MKEY_SIG, &(struct at_conf){
		.topology = topology, .mkey_flags = RTE_UMR_MKEY_POOL_F_SIG });
}

/** Lay len bytes of a side's memory under a key, with a signature or, if NULL, as it was. */
static int
configure(struct at_side *side, uint16_t queue, struct rte_umr_mkey *mkey, uint32_t len,
	  const struct rte_umr_sig *sig)
{
	const struct rte_umr_seg seg = at_seg(side, COVERED, len);
	const struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT |
			   (sig != NULL ? RTE_UMR_MKEY_SET_SIG : 0),
		.access = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE |
			  RTE_UMR_ACCESS_REMOTE_READ,
		.nb_entries = 1,
		.segs = &seg,
		.sig = sig,
	};

	return at_mkey_configure(side->dev_id, queue, mkey, &conf, 0);
}

/** The peer's plain memory to a local key, and back. */
static int
read_to(struct at_env *env, const struct rte_umr_mkey *mkey, uint32_t len)
{
	return at_read(env, at_key_seg(mkey, 0, len), PLAIN, RTE_UMR_OP_F_FENCE);
}

static int
write_from(struct at_env *env, const struct rte_umr_mkey *mkey, uint32_t len)
{
	return at_write(env, at_key_seg(mkey, 0, len), PLAIN, RTE_UMR_OP_F_FENCE);
}

static int
check(struct rte_umr_mkey *mkey, uint8_t type, uint64_t expected, uint64_t actual, uint64_t offset)
{
	struct rte_umr_mkey_error error;

	TEST_ASSERT_SUCCESS(rte_umr_mkey_check(mkey, &error));
	TEST_ASSERT_EQUAL(error.type, type);
	if (type == RTE_UMR_MKEY_ERROR_NONE)
		return TEST_SUCCESS;
	TEST_ASSERT_EQUAL(error.expected, expected);
	TEST_ASSERT_EQUAL(error.actual, actual);
	TEST_ASSERT_EQUAL(error.offset, offset);
	/* It is told once. */
	return check(mkey, RTE_UMR_MKEY_ERROR_NONE, 0, 0, 0);
}

static int
check_none(struct rte_umr_mkey *mkey)
{
	return check(mkey, RTE_UMR_MKEY_ERROR_NONE, 0, 0, 0);
}

static int
write_done(struct at_env *env, const struct rte_umr_mkey *mkey, uint32_t len)
{
	TEST_ACCEPT(write_from(env, mkey, len));
	return at_finish(env, 1);
}

/** Configure a local key, then write len bytes from it. */
static int
write_as(struct at_env *env, struct rte_umr_mkey *mkey, uint32_t covered,
	 const struct rte_umr_sig *sig, uint32_t len)
{
	TEST_ACCEPT(configure(env->tx, 0, mkey, covered, sig));
	TEST_ACCEPT(write_from(env, mkey, len));
	return at_finish(env, 2);
}

/** These bits of the application tag of block 0 are wrong. */
static int
check_app_tag(struct rte_umr_mkey *mkey, uint16_t bits)
{
	return check(mkey, RTE_UMR_MKEY_ERROR_APP_TAG, APP_TAG ^ bits, APP_TAG, 0);
}

/** Configure, fill memory with good fields, and configure again. */
static int
prepare(struct at_env *env, struct rte_umr_mkey *mkey, uint32_t nb_blocks)
{
	TEST_ACCEPT(configure(env->tx, 0, mkey, nb_blocks * FULL, &t10dif));
	TEST_ACCEPT(read_to(env, mkey, nb_blocks * BLOCK));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	return check_none(mkey);
}

/* The sum of 4096 times 'a' is 26c74ca2, whoever computes it. */
AT_CASE(sig, known_sum_is_inserted_and_stripped)
{
	const struct rte_umr_sig sig = {
		.mem = { .type = RTE_UMR_SIG_CRC32C, .flags = RTE_UMR_SIG_DOMAIN_F_SEED_ONES,
			 .block_size = 4096 },
		.check_mask = RTE_UMR_SIG_MASK_CRC32,
	};
	uint32_t sum;

	TEST_NEED(build(env, AT_TWO_DEVICES));
	if ((env->tx->info.sig_types & RTE_BIT32(RTE_UMR_SIG_CRC32C)) == 0)
		TEST_SKIP("%s has no CRC32C", env->tx->info.dev_name);
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	memset(env->rx->buf + PLAIN, 'a', 4096);
	TEST_ASSERT_EQUAL(configure(env->tx, 0, mkey, 4100, &sig), 0);
	TEST_ASSERT_EQUAL(read_to(env, mkey, 4096), 1);
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_SAME(env->tx->buf + COVERED, env->rx->buf + PLAIN, 4096);
	memcpy(&sum, env->tx->buf + COVERED + 4096, sizeof(sum));
	TEST_ASSERT_EQUAL(rte_le_to_cpu_32(sum), 0x26c74ca2);
	memset(env->rx->buf + PLAIN, 0, 4100);
	TEST_ASSERT_SUCCESS(write_done(env, mkey, 4096));
	TEST_ASSERT_EQUAL(env->rx->buf[PLAIN + 4095], 'a');
	TEST_ASSERT_EQUAL(env->rx->buf[PLAIN + 4096], 0);
	return check_none(mkey);
}

AT_CASE(sig, errors_tell_type_values_and_offset)
{
	TEST_NEED(build(env, AT_TWO_DEVICES));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	uint8_t *const covered = env->tx->buf + COVERED;
	TEST_ASSERT_SUCCESS(prepare(env, mkey, 3));
	covered[2 * FULL - 1] = 7;	/* reference tag of block 1 */
	TEST_ASSERT_SUCCESS(write_done(env, mkey, 3 * BLOCK));
	TEST_ASSERT_SUCCESS(check(mkey, RTE_UMR_MKEY_ERROR_REF_TAG, ((REF_TAG + 1) & ~0xffu) | 7,
				  REF_TAG + 1, FULL));
	/* A signature that stays is armed by any configuration. */
	TEST_ACCEPT(configure(env->tx, 0, mkey, 3 * FULL, NULL));
	covered[2 * FULL - 1] = (REF_TAG + 1) & 0xff;
	covered[2 * FULL + BLOCK + 2] ^= 1;	/* application tag of block 2 */
	TEST_ACCEPT(write_from(env, mkey, 3 * BLOCK));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_SUCCESS(check(mkey, RTE_UMR_MKEY_ERROR_APP_TAG, APP_TAG ^ 0x100, APP_TAG,
				  2 * FULL));
	TEST_ACCEPT(configure(env->tx, 0, mkey, 3 * FULL, &t10dif));
	covered[2 * FULL + BLOCK + 2] ^= 1;
	const uint16_t guard = covered[BLOCK] << 8 | covered[BLOCK + 1];
	covered[BLOCK] ^= 0x80;
	TEST_ACCEPT(write_from(env, mkey, 3 * BLOCK));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	return check(mkey, RTE_UMR_MKEY_ERROR_GUARD, guard ^ 0x8000, guard, 0);
}

AT_CASE(sig, second_error_waits_for_a_configuration)
{
	TEST_NEED(build(env, AT_LOOPBACK));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	uint8_t *const covered = env->tx->buf + COVERED;
	TEST_ASSERT_SUCCESS(prepare(env, mkey, 1));
	covered[BLOCK + 3] ^= 1;
	for (unsigned int i = 0; i < 5; i++)
		TEST_ACCEPT(write_from(env, mkey, BLOCK));
	TEST_ASSERT_SUCCESS(at_finish(env, 5));
	TEST_ASSERT_SUCCESS(check_app_tag(mkey, 1));
	/* The bit of the key counts: it works any number of times. */
	for (unsigned int i = 0; i < 5; i++) {
		TEST_ASSERT_SUCCESS(write_as(env, mkey, FULL, i % 2 == 0 ? NULL : &t10dif, BLOCK));
		TEST_ASSERT_SUCCESS(check_app_tag(mkey, 1));
	}
	/* In front of an error's completion it is none: both are one, and nothing gets stuck. */
	for (unsigned int i = 0; i < 2; i++) {
		TEST_ACCEPT(configure(env->tx, 0, mkey, FULL, NULL));
		TEST_ACCEPT(write_from(env, mkey, BLOCK));
	}
	TEST_ASSERT_SUCCESS(at_finish(env, 4));
	TEST_ASSERT_SUCCESS(check_app_tag(mkey, 1));
	TEST_ASSERT_SUCCESS(write_as(env, mkey, FULL, NULL, BLOCK));
	return check_app_tag(mkey, 1);
}

AT_CASE(sig, masks_decide_what_is_checked_and_copied)
{
	const struct rte_umr_sig sig = {
		.mem = t10dif.mem, .wire = t10dif.mem, .flags = RTE_UMR_SIG_F_COPY_MASK,
		.check_mask = RTE_UMR_SIG_MASK_GUARD, .copy_mask = RTE_UMR_SIG_MASK_APP_TAG,
	};

	TEST_NEED(build(env, AT_TWO_DEVICES));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	uint8_t *const covered = env->tx->buf + COVERED;
	TEST_ASSERT_SUCCESS(prepare(env, mkey, 1));
	covered[BLOCK + 2] = 0xab;	/* application tag: not checked, copied */
	covered[BLOCK + 7] ^= 1;	/* reference tag: not checked, generated */
	TEST_ASSERT_SUCCESS(write_as(env, mkey, FULL, &sig, FULL));
	covered[BLOCK + 7] ^= 1;
	TEST_ASSERT_SAME(env->rx->buf + PLAIN, covered, FULL);
	return check_none(mkey);
}

AT_CASE(sig, signature_is_kept_and_reset)
{
	struct rte_umr_mkey_op reset = { .setters = RTE_UMR_MKEY_RESET_SIG };

	TEST_NEED(build(env, AT_TWO_DEVICES));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	uint8_t *const plain = env->rx->buf + PLAIN;
	TEST_ASSERT_SUCCESS(write_as(env, mkey, BLOCK, &t10dif_wire, FULL));
	TEST_ASSERT_SAME(plain + BLOCK + 4, "\0\0\x03\xe8", 4);
	/* Another layout, the same signature: also when the fast functions lay it. */
	memset(plain, 0, FULL);
	TEST_ACCEPT(at_list(env, mkey, 0, &(struct rte_umr_seg){ at_addr(env->tx, 0), 2 * BLOCK,
								 env->tx->mr->lkey }, 1, 0));
	TEST_ACCEPT(write_from(env, mkey, 2 * FULL));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_SAME(plain + FULL + BLOCK + 4, "\0\0\x03\xe9", 4);
	/* None: the wire is as long as memory. */
	TEST_ACCEPT(at_mkey_configure(env->tx->dev_id, 0, mkey, &reset, 0));
	TEST_ACCEPT(write_from(env, mkey, 2 * BLOCK));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_SAME(plain, env->tx->buf, 2 * BLOCK);
	/* And it stays so. */
	TEST_ASSERT_SUCCESS(write_as(env, mkey, BLOCK, NULL, BLOCK));
	TEST_ASSERT_SAME(plain, env->tx->buf + COVERED, BLOCK);
	return check_none(mkey);
}

AT_CASE(sig, new_owner_of_a_key_has_no_signature)
{
	TEST_NEED(build(env, AT_TWO_DEVICES));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	TEST_ASSERT_SUCCESS(prepare(env, mkey, 1));
	env->tx->buf[COVERED + 5] ^= 1;
	TEST_ASSERT_SUCCESS(write_done(env, mkey, BLOCK));
	/* The only key that is left in the pool. */
	while (at_key(env->tx) != NULL)
		;
	rte_umr_mkey_put(env->tx->pool, mkey);
	TEST_ASSERT(rte_umr_mkey_get(env->tx->pool) == mkey);
	TEST_ASSERT_SUCCESS(check_none(mkey));
	TEST_ASSERT_SUCCESS(write_as(env, mkey, FULL, NULL, FULL));
	TEST_ASSERT_SAME(env->rx->buf + PLAIN, env->tx->buf + COVERED, FULL);
	return check_none(mkey);
}

/* The key is the peer's: it is the peer's device that checks what comes in. */
AT_CASE(sig, error_of_a_peers_transfer_comes_to_the_receive_side)
{
	struct rte_umr_completion done;

	TEST_NEED(build(env, AT_TWO_DEVICES));
	struct rte_umr_mkey *const mkey = AT_KEY(env->rx);
	TEST_ASSERT_EQUAL(configure(env->rx, env->rx_queue, mkey, BLOCK, &t10dif_wire), 0);
	TEST_ASSERT_SUCCESS(rte_umr_submit(env->rx->dev_id, env->rx_queue));
	TEST_ASSERT_SUCCESS(at_expect_rx(env, RTE_UMR_STATUS_SUCCESS, &done));
	/* Good fields from a read of the key, then a bad one. */
	const struct rte_umr_seg local = at_seg(env->tx, 0, FULL);
	TEST_ACCEPT(rte_umr_read(env->tx->dev_id, 0, &local, 0, mkey->key, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	env->tx->buf[BLOCK + 7] ^= 0x10;
	TEST_ACCEPT(rte_umr_write(env->tx->dev_id, 0, &local, 0, mkey->key, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SUCCESS(check_none(mkey));
	/* No receive was posted, and none comes back. */
	TEST_ASSERT_EQUAL(rte_umr_recv_completed(env->rx->dev_id, env->rx_queue, 1, &done), 0);
	return check(mkey, RTE_UMR_MKEY_ERROR_REF_TAG, REF_TAG ^ 0x10, REF_TAG, 0);
}

/* Errors of all keys at once, and a full ring of transfers: none of either is lost. */
AT_CASE(sig, errors_of_many_keys_fit_the_completion_ring)
{
	struct rte_umr_mkey *mkeys[16];
	unsigned int i, nb = 0;

	TEST_NEED(build(env, AT_LOOPBACK));
	for (i = 0; i < RTE_DIM(mkeys); i++) {
		mkeys[i] = AT_KEY(env->tx);
		TEST_ASSERT_SUCCESS(prepare(env, mkeys[i], 1));
	}
	env->tx->buf[COVERED + BLOCK + 2] ^= 1;
	/* Each one is submitted by itself, so that each has a CQE. */
	for (i = 0; rte_umr_desc_avail(env->tx->dev_id, 0) > 1; i++, nb++) {
		TEST_ACCEPT(write_from(env, mkeys[i % RTE_DIM(mkeys)], BLOCK));
		TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
	}
	TEST_ASSERT(nb > 200);
	for (i = 0; i < nb; i++) {
		TEST_ASSERT_SUCCESS(at_expect_tx(env, RTE_UMR_STATUS_SUCCESS, NULL));
	}
	for (i = 0; i < RTE_DIM(mkeys); i++)
		TEST_ASSERT_SUCCESS(check_app_tag(mkeys[i], 0x100));
	return TEST_SUCCESS;
}

/* Wait until the device has found the error of a key, without a look at what it tells. */
static int
fail_unseen(struct at_env *env, const struct rte_umr_mkey *mkey)
{
	const uint64_t end = patience_end();
	const struct rte_umr_seg byte = at_seg(env->tx, PLAIN + 3 * BLOCK, 1);
	volatile uint8_t *last = &env->rx->buf[PLAIN + 2 * BLOCK];

	/* Transfers are in order: it has told of the first when the second is there. */
	*last = 0;
	env->tx->buf[PLAIN + 3 * BLOCK] = 1;
	TEST_ACCEPT(write_from(env, mkey, BLOCK));
	TEST_ACCEPT(at_write(env, byte, PLAIN + 2 * BLOCK, RTE_UMR_OP_F_SUBMIT));
	while (*last == 0)
		TEST_ASSERT(!patience_is_over(end));
	return TEST_SUCCESS;
}

/* Also of a queue that is not brought to rest since a command of the stop has failed. */
AT_CASE(sig, errors_that_nobody_saw_outlive_their_queue)
{
	const struct rte_umr_queue_conf conf = {
		.transport = RTE_UMR_TRANSPORT_LOOPBACK, .nb_desc = 64, .socket_id = -1,
		.nb_sig_mkeys = 16,
	};

	TEST_NEED(build(env, AT_LOOPBACK));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	/* To ERR and to RESET, of the driver's own queue and this one. */
	const unsigned int nb = at_has_control() ? 5 : 1;
	for (unsigned int fail_at = 0; fail_at < nb; fail_at++) {
		TEST_ASSERT_SUCCESS(prepare(env, mkey, 1));
		env->tx->buf[COVERED + BLOCK + 2] ^= 1;
		TEST_ASSERT_SUCCESS(fail_unseen(env, mkey));
		if (fail_at != 0)
			TEST_ASSERT_SUCCESS(at_command_fail(fail_at));
		TEST_ASSERT_EQUAL(rte_umr_dev_stop(env->tx->dev_id) != 0, fail_at != 0);
		if (fail_at != 0)
			TEST_ASSERT_SUCCESS(at_command_fail(0));
		TEST_ASSERT_SUCCESS(rte_umr_queue_setup(env->tx->dev_id, 0, &conf));
		TEST_ASSERT_SUCCESS(rte_umr_dev_start(env->tx->dev_id));
		TEST_ASSERT_SUCCESS(check_app_tag(mkey, 0x100));
	}
	return TEST_SUCCESS;
}

/* What a flushed configuration was to do has not been done; the next one does it all. */
AT_CASE(sig, flushed_configuration_is_made_up_for)
{
	const struct rte_umr_seg bad = { .addr = 0, .length = 8, .lkey = 0x55555500 };

	TEST_NEED(build(env, AT_LOOPBACK));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	TEST_ASSERT_SUCCESS(prepare(env, mkey, 1));
	env->tx->buf[COVERED + BLOCK + 2] ^= 1;
	TEST_ASSERT_SUCCESS(write_done(env, mkey, BLOCK));
	TEST_ASSERT_SUCCESS(check_app_tag(mkey, 0x100));
	/* This one would arm the key, but is flushed. */
	TEST_ACCEPT(at_write(env, bad, PLAIN, 0));
	TEST_ACCEPT(configure(env->tx, 0, mkey, FULL, NULL));
	TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
	for (unsigned int i = 0; i < 2; i++) {
		TEST_ASSERT_SUCCESS(at_expect_tx(env, i == 0 ? RTE_UMR_STATUS_LOCAL_PROT :
						 RTE_UMR_STATUS_FLUSHED, NULL));
	}
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	TEST_ASSERT_SUCCESS(write_as(env, mkey, FULL, NULL, BLOCK));
	return check_app_tag(mkey, 0x100);
}

/* A transfer that begins within a block, or goes beyond the key, fails. */
AT_CASE(sig, transfer_of_other_than_blocks_fails)
{
	static const struct { uint32_t offset, len; } bad[] = { { 8, BLOCK }, { 0, 3 * BLOCK } };
	struct rte_umr_seg local;

	TEST_NEED(build(env, AT_LOOPBACK));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	for (unsigned int i = 0; i < RTE_DIM(bad); i++) {
		TEST_ASSERT_SUCCESS(prepare(env, mkey, 2));
		local = at_key_seg(mkey, bad[i].offset, bad[i].len);
		TEST_ACCEPT(at_write(env, local, PLAIN, RTE_UMR_OP_F_SUBMIT));
		TEST_ASSERT_SUCCESS(at_expect_tx(env, RTE_UMR_STATUS_LOCAL_PROT, NULL));
		TEST_ASSERT_SUCCESS(check_none(mkey));
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	}
	return prepare(env, mkey, 2);
}

static int
rejected(struct at_env *env, struct rte_umr_mkey *mkey, const struct rte_umr_sig *sig)
{
	const uint16_t avail = rte_umr_desc_avail(env->tx->dev_id, 0);

	TEST_ASSERT_EQUAL(configure(env->tx, 0, mkey, 4 * FULL, sig), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_desc_avail(env->tx->dev_id, 0), avail);
	return TEST_SUCCESS;
}

AT_CASE(sig, bad_signatures_leave_no_trace)
{
	struct rte_umr_mkey_op conf = { .setters = RTE_UMR_MKEY_SET_SIG };
	struct rte_umr_sig none = { 0 }, unmasked = { .mem = t10dif.mem };
	struct rte_umr_sig masked = t10dif;

	TEST_NEED(build(env, AT_LOOPBACK));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	TEST_ASSERT_SUCCESS(rejected(env, mkey, &none));
	TEST_BAD(unmasked, mem.type, 6, rejected(env, mkey, &bad), 0);
	TEST_BAD(unmasked, mem.block_size, 1024, rejected(env, mkey, &bad), 0);
	TEST_BAD(unmasked, flags, RTE_UMR_SIG_F_COPY_MASK, rejected(env, mkey, &bad), 0);
	/* It has no reference tag to increment. */
	TEST_BAD(masked, mem.type, RTE_UMR_SIG_CRC32, rejected(env, mkey, &bad), 0);
	TEST_ASSERT_EQUAL(at_mkey_configure(env->tx->dev_id, 0, mkey, &conf, 0), -EINVAL);
	conf.sig = &t10dif;
	conf.setters |= RTE_UMR_MKEY_RESET_SIG;
	TEST_ASSERT_EQUAL(at_mkey_configure(env->tx->dev_id, 0, mkey, &conf, 0), -EINVAL);
	/* The key is as before: without a signature. */
	TEST_ASSERT_SUCCESS(write_as(env, mkey, FULL, NULL, FULL));
	return prepare(env, mkey, 1);
}

/* Every type and block size is taken, or is one that the device says it has not. */
AT_CASE(sig, what_the_device_lacks_is_rejected)
{
	static const uint16_t sizes[] = { 512, 520, 4048, 4096, 4160 };
	struct rte_umr_sig sig = { .check_mask = 0xff };
	struct rte_umr_mkey_op conf = { .setters = RTE_UMR_MKEY_SET_SIG, .sig = &sig };
	bool has;
	int ret;

	TEST_NEED(build(env, AT_LOOPBACK));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	for (sig.wire.type = 1; sig.wire.type <= RTE_UMR_SIG_CRC64_XP10; sig.wire.type++) {
		for (unsigned int i = 0; i < RTE_DIM(sizes); i++) {
			sig.wire.block_size = sizes[i];
			has = (env->tx->info.sig_types & RTE_BIT32(sig.wire.type)) != 0 &&
			      (env->tx->info.sig_block_sizes & RTE_BIT32(i)) != 0;
			ret = at_mkey_configure(env->tx->dev_id, 0, mkey, &conf, 0);
			if (!has) {
				TEST_ASSERT_EQUAL(ret, -ENOTSUP);
				continue;
			}
			TEST_ASSERT(ret >= 0);
			TEST_ASSERT_SUCCESS(at_finish(env, 1));
		}
	}
	return TEST_SUCCESS;
}

/* A burst of lists: plain keys by the fast functions, and between them one with a signature. */
AT_CASE(sig, burst_keeps_the_signature)
{
	const struct rte_umr_mkey_op only_sig = {
		.setters = RTE_UMR_MKEY_SET_SIG, .sig = &t10dif_wire,
	};
	struct rte_umr_mkey *mkeys[3];
	struct rte_umr_mkey_op ops[3];
	struct rte_umr_seg segs[3];

	TEST_NEED(build(env, AT_TWO_DEVICES));
	mkeys[0] = AT_OWN_KEY(env->tx, .max_entries = 4);
	mkeys[1] = AT_KEY(env->tx);
	mkeys[2] = AT_OWN_KEY(env->tx, .max_entries = 4);
	for (unsigned int i = 0; i < 3; i++) {
		segs[i] = at_seg(env->tx, i * 1024, BLOCK);
		ops[i] = (struct rte_umr_mkey_op){
			.mkey = mkeys[i], .setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT,
			.segs = &segs[i], .nb_entries = 1,
		};
	}
	TEST_ACCEPT(at_mkey_configure(env->tx->dev_id, 0, mkeys[1], &only_sig, 0));
	TEST_ASSERT_EQUAL(rte_umr_mkey_configure_burst(env->tx->dev_id, 0, ops, 3, 0), 3);
	for (unsigned int i = 0; i < 3; i++)
		TEST_ACCEPT(at_write(env, at_key_seg(mkeys[i], 0, i == 1 ? FULL : BLOCK),
				     i * 1024, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 7));
	for (unsigned int i = 0; i < 3; i++)
		TEST_ASSERT_SAME(env->rx->buf + i * 1024, env->tx->buf + i * 1024, BLOCK);
	TEST_ASSERT_SAME(env->rx->buf + 1024 + BLOCK + 2, "\x12\x34\0\0\x03\xe8", 6);
	return check_none(mkeys[1]);
}

/* Fields of 32 bits hold the length of a key with a signature. */
AT_CASE(sig, key_of_4_gib_can_have_no_signature)
{
	struct rte_umr_seg segs[2];
	struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_LAYOUT | RTE_UMR_MKEY_SET_SIG,
		.nb_entries = 2, .segs = segs, .sig = &t10dif,
	};

	TEST_NEED(build(env, AT_LOOPBACK));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	segs[0] = segs[1] = (struct rte_umr_seg){ .length = env->tx->info.max_entry_len,
						  .lkey = 0x100 };
	TEST_ASSERT_EQUAL(at_mkey_configure(env->tx->dev_id, 0, mkey, &conf, 0), -ERANGE);
	/* In two steps, too: the length is kept. */
	conf.setters = RTE_UMR_MKEY_SET_LAYOUT;
	TEST_ACCEPT(at_mkey_configure(env->tx->dev_id, 0, mkey, &conf, 0));
	conf.setters = RTE_UMR_MKEY_SET_SIG;
	TEST_ASSERT_EQUAL(at_mkey_configure(env->tx->dev_id, 0, mkey, &conf, 0), -ERANGE);
	return at_finish(env, 1);
}

AT_CASE(sig, plain_keys_have_no_signature)
{
	struct rte_umr_mkey_error error;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	TEST_ASSERT_EQUAL(configure(env->tx, 0, mkey, FULL, &t10dif), -ENOTSUP);
	TEST_ASSERT_EQUAL(rte_umr_mkey_check(mkey, &error), -ENOTSUP);
	return TEST_SUCCESS;
}

AT_CASE(sig, keys_beyond_the_room_of_a_queue_are_rejected)
{
	struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = 1, .max_entries = 4, .flags = RTE_UMR_MKEY_POOL_F_SIG, .socket_id = -1,
	};
	struct rte_umr_queue_conf conf = {
		.transport = RTE_UMR_TRANSPORT_LOOPBACK, .nb_desc = 64, .socket_id = -1,
		.nb_sig_mkeys = 15,
	};

	/* 16 keys, and a queue with room for them. */
	TEST_NEED(build(env, AT_LOOPBACK));
	const int16_t dev_id = env->tx->dev_id;
	TEST_ASSERT_ERRNO(rte_umr_mkey_pool_create(dev_id, &pool_conf), ENOSPC);
	pool_conf.nb_mkeys = env->tx->info.max_sig_mkeys - 15;
	TEST_ASSERT_ERRNO(rte_umr_mkey_pool_create(dev_id, &pool_conf), ERANGE);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev_id));
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev_id, 0, &conf), -ERANGE);
	conf.nb_sig_mkeys = env->tx->info.max_sig_mkeys + 1;
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev_id, 0, &conf), -ERANGE);
	conf.nb_sig_mkeys = 17;
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 0, &conf));
	pool_conf.nb_mkeys = 1;
	return rte_umr_mkey_pool_destroy(rte_umr_mkey_pool_create(dev_id, &pool_conf));
}

/* A list that is not in the ring: the format has an UMR of its own, in the same operation. */
AT_CASE(sig, signature_goes_with_a_list_in_memory)
{
	struct rte_umr_seg segs[52];
	const struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_LAYOUT | RTE_UMR_MKEY_SET_SIG,
		.nb_entries = RTE_DIM(segs), .segs = segs, .sig = &t10dif_wire,
	};

	TEST_NEED(build(env, AT_TWO_DEVICES));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	for (unsigned int i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(env->tx, (RTE_DIM(segs) - i) * 600, BLOCK);
	TEST_ACCEPT(at_mkey_configure(env->tx->dev_id, 0, mkey, &conf, 0));
	TEST_ACCEPT(write_from(env, mkey, RTE_DIM(segs) * FULL));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	for (unsigned int i = 0; i < RTE_DIM(segs); i++) {
		const uint8_t *block = env->rx->buf + PLAIN + i * FULL;

		TEST_ASSERT_SAME(block, (uint8_t *)(uintptr_t)segs[i].addr, BLOCK);
		TEST_ASSERT_EQUAL(block[BLOCK + 7], (REF_TAG + i) & 0xff);
	}
	return check_none(mkey);
}
