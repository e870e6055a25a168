/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef GUEST_SCENARIO_H
#define GUEST_SCENARIO_H

/**
 * @file
 * Operations between two queue pairs of any implementation: a list of steps known to both sides,
 * each executed in both directions. Contents depend on the step, so that the other side can verify
 * them.
 *
 *   initiator                         target
 *                <---- ready ----     memory is filled, receives are posted
 *   posts, waits for completions
 *                ----- done ---->     checks receives and memory
 *                <------ ok -----
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "channel.h"

/** Bytes of each side for its own operations, and for those of the other side. */
#define SIDE_MEMORY		(512u << 10)
/** Maximum number of operations per step. */
#define SIDE_BURST		32u
/** Service of a side. */
enum side_service { SIDE_RC, SIDE_UC, SIDE_UD };

enum side_op { SIDE_SEND, SIDE_WRITE, SIDE_READ, SIDE_CMP_SWAP, SIDE_FETCH_ADD };

struct side_request {
	enum side_op op;
	bool has_imm;
	bool has_wrong_key;
	uint8_t *local;		/**< In the local memory of the side. */
	uint32_t len;
	uint32_t offset;	/**< In the memory of the other side. */
	uint32_t imm;
	uint64_t compare;
	uint64_t swap_add;
};

/** A received message. */
struct side_received {
	const uint8_t *data;
	uint32_t len;
	bool has_imm;
	uint32_t imm;
};

struct side;

/** Operations of a queue pair. All of them call fail() on errors. */
struct side_ops {
	/** Post a receive for one message. */
	void (*post_receive)(struct side *side, uint8_t *buf, uint32_t len);
	void (*post)(struct side *side, const struct side_request *request);
	/** Wait for the oldest posted request. @return whether it succeeded. */
	bool (*complete)(struct side *side);
	/** Wait for the next message. */
	struct side_received (*receive)(struct side *side);
};

struct side {
	const struct side_ops *ops;
	struct channel channel;
	enum side_service service;
	uint32_t mtu;
	uint8_t *local;		/**< SIDE_MEMORY bytes for requests. */
	uint8_t *inbox;		/**< The same for messages. */
	uint8_t *memory;	/**< The same for remote access by the other side. */
};

/** Address of a queue pair, exchanged as a line. */
struct side_place {
	uint8_t gid[16];
	uint32_t qpn;
	uint32_t psn;
	uint32_t rkey;
	uint64_t addr;
};

enum side_service side_service_of(const char *name);
/** Q_Key of datagrams. */
#define SIDE_QKEY 0x11111111u

/** Exchange addresses. */
void side_exchange(struct side *side, const struct side_place *own, struct side_place *other);
/** Run all steps and print a line to stdout for each. @param is_first Exactly one side starts. */
void scenario_run(struct side *side, bool is_first);
/** Write with an invalid key: it is rejected and ends the connection. */
void scenario_refusal(struct side *side, bool is_first);

#endif /* GUEST_SCENARIO_H */
