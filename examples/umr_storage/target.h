/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef TARGET_H
#define TARGET_H

/* Three ways for a target to serve a command of a host. */

#include <assert.h>
#include <stdint.h>

#include "blocks.h"
#include "cost.h"
#include "pair.h"

#define QUEUE 0 /* of the target: the near side */

enum opcode { OPCODE_WRITE = 1, OPCODE_READ = 2 };

/* Command of a host: the required part of the 64 bytes of an NVMe command. */
struct command {
	uint8_t opcode;
	uint8_t reserved[3];
	uint32_t nb_blocks;
	uint64_t lba;
	uint64_t addr; /* address of the data in the memory of the host */
	uint32_t rkey;
	uint32_t reserved2[9];
};
static_assert(sizeof(struct command) == 64, "a submission queue entry of NVMe");

/* Response to the host. */
struct response {
	uint32_t reserved[3];
	uint32_t fault; /* enum rte_umr_mkey_error_type */
};
static_assert(sizeof(struct response) == 16, "a completion queue entry of NVMe");

/* Both sides. */
struct storage {
	struct pair pair;
	struct blocks blocks;
	uint32_t nb_blocks, block_len, stored_len; /* size of a block without and with its DIF */
	uint32_t nb_rounds, has_cipher;
	struct pair_mem data, landing; /* of the host: data to write, and data read back */
	struct pair_mem stored, bounce; /* of the target */
	uint8_t *sealed; /* contents to be stored, computed by the CPU */
	struct pair_keys keys;
	struct rte_umr_dek *dek;
	struct command command; /* as received by the target */
	struct rte_umr_mkey_error error; /* first error found by the key */
};

/*
 * Ways to serve storage::command; the argument is a struct storage. They return 0 or a negative
 * errno, and report an error found by a key in storage::error.
 */

/* One transfer from or to a bounce buffer; the CPU encrypts and computes checksums. */
int serve_by_bounce(void *arg, struct cost *cost);

/*
 * A transfer per block from or to its stored place; the CPU encrypts and computes checksums there.
 */
int serve_by_block(void *arg, struct cost *cost);

/* One key over the stored data, one transfer; the device encrypts and computes checksums. */
int serve_by_key(void *arg, struct cost *cost);

#endif /* TARGET_H */
