/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>

#include "target.h"

static uint8_t *
stored_at(const struct storage *s, uint32_t block)
{
	return s->stored.addr + (size_t)block * s->stored_len;
}

/* Enqueue a read or write of the target for the command, or a block of it. */
static int
transfer(struct storage *s, const struct rte_umr_seg *local, uint64_t offset, struct cost *cost)
{
	const bool is_write = s->command.opcode == OPCODE_WRITE;
	const struct rte_umr_op_shape shape = {
		.op = is_write ? RTE_UMR_OP_READ : RTE_UMR_OP_WRITE, .length = local->length,
	};
	const uint64_t addr = s->command.addr + offset, start = rte_rdtsc();
	int ret;

	if (is_write)
		ret = rte_umr_read(s->pair.dev_id, QUEUE, local, addr, s->command.rkey, 0);
	else
		ret = rte_umr_write(s->pair.dev_id, QUEUE, local, addr, s->command.rkey, 0);
	return cost_enqueued(cost, QUEUE, &shape, ret < 0 ? ret : 1, start);
}

/* The CPU seals or opens all blocks; plaintext blocks are step bytes apart. */
static int
cpu_work(struct storage *s, uint8_t *plain, size_t step, struct cost *cost)
{
	const uint64_t start = rte_rdtsc();
	enum blocks_fault fault = BLOCKS_GOOD;
	uint32_t i;

	for (i = 0; i < s->nb_blocks && fault == BLOCKS_GOOD; i++, plain += step)
		if (s->command.opcode == OPCODE_WRITE)
			blocks_seal(&s->blocks, s->command.lba + i, plain, stored_at(s, i));
		else
			fault = blocks_open(&s->blocks, s->command.lba + i, stored_at(s, i), plain);
	cost_since(cost, start);
	return fault == BLOCKS_GOOD ? 0 : -EBADMSG;
}

/* The CPU, and one transfer. */
int
serve_by_bounce(void *arg, struct cost *cost)
{
	struct storage *s = arg;
	const struct rte_umr_seg local = pair_seg(&s->bounce, 0, s->nb_blocks * s->block_len);
	int ret = 0;

	if (s->command.opcode == OPCODE_READ)
		ret = cpu_work(s, s->bounce.addr, s->block_len, cost);
	if (ret == 0)
		ret = transfer(s, &local, 0, cost);
	if (ret == 0)
		ret = pair_collect(&s->pair, QUEUE);
	if (s->command.opcode == OPCODE_WRITE && ret == 0)
		ret = cpu_work(s, s->bounce.addr, s->block_len, cost);
	cost->nb_copied = local.length;
	return ret;
}

/* The CPU, and many transfers. */
int
serve_by_block(void *arg, struct cost *cost)
{
	struct storage *s = arg;
	struct rte_umr_seg local;
	uint32_t i;
	int ret = 0;

	if (s->command.opcode == OPCODE_READ)
		ret = cpu_work(s, s->stored.addr, s->stored_len, cost);
	for (i = 0; i < s->nb_blocks && ret == 0; i++) {
		local = pair_seg(&s->stored, (size_t)i * s->stored_len, s->block_len);
		ret = transfer(s, &local, (uint64_t)i * s->block_len, cost);
	}
	if (ret == 0)
		ret = pair_collect(&s->pair, QUEUE);
	if (s->command.opcode == OPCODE_WRITE && ret == 0)
		ret = cpu_work(s, s->stored.addr, s->stored_len, cost);
	return ret;
}

/* Lay a key over what is stored: its wire domain has the blocks of the host. */
static int
key_configure(struct storage *s, struct cost *cost)
{
	const struct rte_umr_seg all = pair_seg(&s->stored, 0, s->nb_blocks * s->stored_len);
	const struct rte_umr_sig sig = {
		.mem = { .type = RTE_UMR_SIG_T10DIF_CRC, .block_size = (uint16_t)s->block_len,
			 .flags = RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT,
			 .app_tag = BLOCKS_APP_TAG, .ref_tag = (uint32_t)s->command.lba },
		.check_mask = RTE_UMR_SIG_MASK_T10DIF,
	};
	/* Memory has ciphertext, and the signature covers the ciphertext: enc(data)+sig. */
	struct rte_umr_crypto crypto = {
		.dek = s->dek, .standard = RTE_UMR_CRYPTO_AES_XTS,
		.order = RTE_UMR_CRYPTO_SIG_BEFORE, .encrypt_on_tx = false,
		.data_unit_size = (uint16_t)s->block_len,
	};
	const struct rte_umr_mkey_op op = {
		.mkey = s->keys.mkeys[0],
		.setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT | RTE_UMR_MKEY_SET_SIG |
			   (s->dek != NULL ? RTE_UMR_MKEY_SET_CRYPTO : 0),
		.access = RTE_UMR_ACCESS_LOCAL_WRITE,
		.nb_entries = 1, .segs = &all, .sig = &sig, .crypto = &crypto,
	};
	const struct rte_umr_op_shape shape = {
		.op = RTE_UMR_OP_MKEY_CONFIGURE, .setters = op.setters, .nb_sig_domains = 1,
		.pool_flags = op.mkey->flags, .nb_entries = 1,
	};
	const uint64_t lba_le = rte_cpu_to_le_64(s->command.lba), start = rte_rdtsc();
	int ret;

	memcpy(crypto.tweak, &lba_le, sizeof(lba_le));
	ret = rte_umr_mkey_configure(s->pair.dev_id, QUEUE, &op, 0);
	return cost_enqueued(cost, QUEUE, &shape, ret < 0 ? ret : 1, start);
}

/* No CPU, and one transfer. */
int
serve_by_key(void *arg, struct cost *cost)
{
	struct storage *s = arg;
	struct rte_umr_mkey *mkey = s->keys.mkeys[0];
	const struct rte_umr_seg local = { 0, s->nb_blocks * s->block_len, mkey->key };
	int ret = key_configure(s, cost);

	if (ret == 0)
		ret = transfer(s, &local, 0, cost);
	if (ret == 0)
		ret = pair_collect(&s->pair, QUEUE);
	/* A bad block does not fail the transfer: check before using the data. */
	return ret != 0 ? ret : rte_umr_mkey_check(mkey, &s->error);
}
