/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A storage target like that of NVMe over Fabrics: a host sends commands; the target reads the data
 * of a write from the memory of the host, and writes the data of a read there. Blocks are stored
 * encrypted, each followed by a T10-DIF, which the host does not see:
 *
 *     host's memory    | block | block | block | ...
 *     stored           | ciphertext | DIF | ciphertext | DIF | ciphertext | DIF | ...
 *
 * Three ways are compared: a bounce buffer, with encryption and checksums by the CPU; a request for
 * each block, which avoids the copy, with the rest done in place by the CPU; and one key over the
 * stored data, which encrypts and inserts fields on input, and checks, strips and decrypts on
 * output. Finally some stored data is corrupted, which the key must detect.
 *
 *   umr_storage [EAL option]... -- [option]... [device[,option...]]
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "target.h"

#define FIRST_LBA 0x123456789

/* Before a round: prepare memory and the command of the host. */
static int
command_send(struct storage *s, enum opcode opcode)
{
	const struct pair_mem *mem = opcode == OPCODE_WRITE ? &s->data : &s->landing;
	const struct command command = {
		.opcode = (uint8_t)opcode, .nb_blocks = s->nb_blocks, .lba = FIRST_LBA,
		.addr = (uintptr_t)mem->addr, .rkey = mem->mr->rkey,
	};

	s->error = (struct rte_umr_mkey_error){ 0 };
	return pair_send(&s->pair, PAIR_FAR, &command, sizeof(command), &s->command);
}

static int
write_prepare(void *arg)
{
	struct storage *s = arg;

	memset(s->stored.addr, 0xee, s->stored.len);
	return command_send(s, OPCODE_WRITE);
}

static int
read_prepare(void *arg)
{
	struct storage *s = arg;

	memcpy(s->stored.addr, s->sealed, s->stored.len);
	memset(s->landing.addr, 0xee, s->landing.len);
	return command_send(s, OPCODE_READ);
}

/* After a round: check the response to the host and the memory. */
static int
response_hear(struct storage *s, uint32_t *fault)
{
	struct response response = { .fault = s->error.type };
	int ret = pair_send(&s->pair, PAIR_NEAR, &response, sizeof(response), &response);

	*fault = response.fault;
	return ret;
}

static int
io_verify(void *arg)
{
	struct storage *s = arg;
	uint32_t fault;
	int ret = response_hear(s, &fault);

	if (ret != 0 || fault != RTE_UMR_MKEY_ERROR_NONE)
		return ret != 0 ? ret : -EIO;
	if (s->command.opcode == OPCODE_WRITE)
		return memcmp(s->stored.addr, s->sealed, s->stored.len) == 0 ? 0 : -EBADMSG;
	return memcmp(s->landing.addr, s->data.addr, s->data.len) == 0 ? 0 : -EBADMSG;
}

static int
compare(struct storage *s, const char *what, int (*prepare)(void *arg))
{
	static const struct cost_way ways[] = {
		{ "bounce buffer, CPU", serve_by_bounce },
		{ "a request for each block, CPU", serve_by_block },
		{ "one key", serve_by_key },
	};
	const struct cost_ways all = {
		.ways = ways, .nb_ways = RTE_DIM(ways), .nb_rounds = s->nb_rounds, .arg = s,
		.prepare = prepare, .verify = io_verify, .unit = "block",
		.nb_units = s->nb_blocks,
	};

	printf("%s of %" PRIu32 " bytes\n", what, s->nb_blocks * s->block_len);
	return cost_compare(&s->pair, &all);
}

/* Corrupt a stored byte or its DIF: the key must report the block and the kind of error. */
static int
corrupt(struct storage *s, uint32_t block, uint32_t offset, enum blocks_fault want)
{
	static const char *const names[] = { "nothing", "guard", "application tag",
					     "reference tag" };
	uint8_t *stored = s->stored.addr + (size_t)block * s->stored_len;
	struct cost cost = { .pair = &s->pair };
	enum blocks_fault by_cpu;
	uint32_t fault;
	int ret = read_prepare(s);

	stored[offset] ^= 0x10;
	if (ret == 0)
		ret = serve_by_key(s, &cost);
	if (ret == 0)
		ret = response_hear(s, &fault);
	if (ret != 0)
		return ret;
	printf("byte %" PRIu32 " of block %" PRIu32 ": %s, block %" PRIu64
	       ", stored 0x%" PRIx64 ", computed 0x%" PRIx64 "\n", offset, block,
	       fault < RTE_DIM(names) ? names[fault] : "unknown",
	       s->error.offset / s->stored_len, s->error.expected, s->error.actual);
	by_cpu = blocks_open(&s->blocks, FIRST_LBA + block, stored, s->bounce.addr);
	return fault == (uint32_t)want && by_cpu == want && !s->error.is_wire &&
	       s->error.offset == (uint64_t)block * s->stored_len ? 0 : -EBADMSG;
}

/* Print the missing feature of the device, if any. */
static int
device_check(const struct storage *s)
{
	const struct rte_umr_dev_info *info = &s->pair.info;
	const uint32_t size = s->block_len == 512 ? RTE_UMR_SIG_BLOCK_512 : RTE_UMR_SIG_BLOCK_4096;
	const char *lack = NULL;

	if ((info->sig_types & RTE_BIT32(RTE_UMR_SIG_T10DIF_CRC)) == 0 ||
	    (info->sig_block_sizes & size) == 0)
		lack = "T10-DIF behind blocks of this size";
	else if (s->has_cipher && ((info->dev_capa & RTE_UMR_CAPA_DEK_PLAIN) == 0 ||
				   (info->crypto_unit_sizes & size) == 0))
		lack = "AES-XTS by a plain key, with data units of this size";
	else if (s->has_cipher && s->nb_blocks > 1 &&
		 (info->dev_capa & RTE_UMR_CAPA_CRYPTO_MULTI_UNIT) == 0)
		lack = "more than one data unit in a key";
	if (lack == NULL)
		return 0;
	fprintf(stderr, "%s has not: %s; see --cipher, --block-size, --blocks\n", info->dev_name,
		lack);
	return -ENOTSUP;
}

/* Bring the encryption key to the device. */
static int
dek_create(struct storage *s, const uint8_t *key)
{
	const struct rte_umr_dek_conf conf = {
		.key = key, .key_len = BLOCKS_KEY_LEN, .size = RTE_UMR_DEK_256,
	};

	s->dek = rte_umr_dek_create(s->pair.dev_id, &conf);
	return s->dek != NULL ? 0 : -rte_errno;
}

/* Memory of both sides, the key of the target, and the data to store. */
static int
storage_create(struct storage *s)
{
	const uint32_t flags = RTE_UMR_MKEY_POOL_F_SIG |
			       (s->has_cipher ? RTE_UMR_MKEY_POOL_F_CRYPTO : 0);
	const size_t len = (size_t)s->nb_blocks * s->block_len;
	uint8_t key[BLOCKS_KEY_LEN];
	uint32_t i;
	int ret;

	for (i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)(i * 37 + 11);
	s->stored_len = s->block_len + BLOCKS_DIF_LEN;
	s->sealed = malloc((size_t)s->nb_blocks * s->stored_len);
	ret = s->sealed != NULL ? 0 : -ENOMEM;
	if (ret == 0)
		ret = blocks_init(&s->blocks, s->block_len, s->has_cipher ? key : NULL);
	if (ret == 0)
		ret = pair_mem_alloc(&s->pair, PAIR_FAR, len, &s->data);
	if (ret == 0)
		ret = pair_mem_alloc(&s->pair, PAIR_FAR, len, &s->landing);
	if (ret == 0)
		ret = pair_mem_alloc(&s->pair, PAIR_NEAR, len, &s->bounce);
	if (ret == 0)
		ret = pair_mem_alloc(&s->pair, PAIR_NEAR, (size_t)s->nb_blocks * s->stored_len,
				     &s->stored);
	if (ret == 0)
		ret = pair_keys_create(&s->pair, PAIR_NEAR, 1, 1, flags, &s->keys);
	if (ret == 0 && s->has_cipher)
		ret = dek_create(s, key);
	for (i = 0; i < s->nb_blocks && ret == 0; i++)
		blocks_seal(&s->blocks, FIRST_LBA + i, s->data.addr + (size_t)i * s->block_len,
			    s->sealed + (size_t)i * s->stored_len);
	return ret;
}

static void
storage_destroy(struct storage *s)
{
	rte_umr_dek_destroy(s->dek);
	pair_keys_destroy(&s->keys);
	pair_mem_free(&s->stored);
	pair_mem_free(&s->bounce);
	pair_mem_free(&s->landing);
	pair_mem_free(&s->data);
	blocks_fini(&s->blocks);
	free(s->sealed);
}

static int
run(void *arg)
{
	struct storage *s = arg;
	const uint32_t last = s->nb_blocks - 1;
	int ret = device_check(s);

	if (ret != 0)
		return ret;
	ret = storage_create(s);
	if (ret == 0)
		ret = compare(s, "write", write_prepare);
	if (ret == 0)
		ret = compare(s, "read", read_prepare);
	if (ret == 0)
		ret = corrupt(s, last / 2, 100, BLOCKS_GUARD);
	if (ret == 0)
		ret = corrupt(s, last, s->block_len + 3, BLOCKS_APP);
	if (ret == 0)
		ret = corrupt(s, 0, s->block_len + 7, BLOCKS_REF);
	storage_destroy(s);
	printf("%" PRIu32 " blocks of %" PRIu32 " bytes, %s: %s\n", s->nb_blocks, s->block_len,
	       s->has_cipher ? "AES-256-XTS" : "no cipher", ret == 0 ? "good" : strerror(-ret));
	return ret;
}

int
main(int argc, char **argv)
{
	struct storage s = { .nb_blocks = 31, .block_len = 512, .has_cipher = 1, .nb_rounds = 15 };
	const struct option_value values[] = {
		{ "blocks", "blocks of a write, and of a read", &s.nb_blocks, 1, 2048, NULL },
		{ "block-size", "bytes of a block, 512 or 4096", &s.block_len, 512, 4096, NULL },
		{ "cipher", "AES-256-XTS (1), or blocks are stored as they are (0)",
		  &s.has_cipher, 0, 1, NULL },
		{ "rounds", "rounds of each way", &s.nb_rounds, 1, COST_MAX_ROUNDS, NULL },
	};
	const struct pair_conf conf = {
		.msg_len = sizeof(struct command),
		.queue = { .nb_desc = 4096, .nb_sig_mkeys = 1 },
	};
	const char *device = NULL;
	int ret = options_parse(argc, argv, "Store blocks that are encrypted and protected.",
				values, RTE_DIM(values), &device);

	if (ret != 0)
		return ret == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
	if (s.block_len != 512 && s.block_len != 4096) {
		fprintf(stderr, "umr_storage: --block-size %" PRIu32 ": not 512 or 4096\n",
			s.block_len);
		return EXIT_FAILURE;
	}
	return pair_run(argc, argv, &s.pair, device, &conf, run, &s);
}
