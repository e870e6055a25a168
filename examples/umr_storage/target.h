/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef TARGET_H
#define TARGET_H

/* A target serves a command of a host, in three ways. */

#include <assert.h>
#include <stdint.h>

#include "blocks.h"
#include "cost.h"
#include "pair.h"

#define QUEUE 0 /* of the target: the near side */

enum opcode { OPCODE_WRITE = 1, OPCODE_READ = 2 };

/* What a host sends: no more than the target needs of the 64 bytes of an NVMe command. */
struct command {
	uint8_t opcode;
	uint8_t reserved[3];
	uint32_t nb_blocks;
	uint64_t lba;
	uint64_t addr; /* of the data, in the host's memory */
	uint32_t rkey;
	uint32_t reserved2[9];
};
static_assert(sizeof(struct command) == 64, "a submission queue entry of NVMe");

/* What it gets back. */
struct response {
	uint32_t reserved[3];
	uint32_t fault; /* enum rte_umr_mkey_error_type */
};
static_assert(sizeof(struct response) == 16, "a completion queue entry of NVMe");

/* Both sides. */
struct storage {
	struct pair pair;
	struct blocks blocks;
	uint32_t nb_blocks, block_len, stored_len; /* of a block, without and with its DIF */
	uint32_t nb_rounds, has_cipher;
	struct pair_mem data, landing; /* of the host: what it writes, and reads back */
	struct pair_mem stored, bounce; /* of the target */
	uint8_t *sealed; /* what is to be stored, by the CPU */
	struct pair_keys keys;
	struct rte_umr_dek *dek;
	struct command command; /* as the target got it */
	struct rte_umr_mkey_error error; /* the first one that the key has found */
};

/*
 * Ways to serve storage::command; the argument is a struct storage. They return 0 or a negative
 * errno, and leave what a key has found in storage::error.
 */

/* A transfer from or to a bounce buffer; the CPU encrypts and sums. */
int serve_by_bounce(void *arg, struct cost *cost);

/* A transfer for each block, from or to where it is stored; the CPU encrypts and sums there. */
int serve_by_block(void *arg, struct cost *cost);

/* One key over what is stored, one transfer; the device encrypts and sums. */
int serve_by_key(void *arg, struct cost *cost);

#endif /* TARGET_H */
