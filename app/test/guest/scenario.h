/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef GUEST_SCENARIO_H
#define GUEST_SCENARIO_H

/**
 * @file
 * What two queue pairs do to each other, whatever they are made of: a list of steps that both sides
 * know, each done in both directions. Bytes follow from the step, so that the other side can tell.
 *
 *   initiator                         target
 *                <---- ready ----     memory is filled, receives are posted
 *   posts, waits for completions
 *                ----- done ---->     looks at receives and memory
 *                <------ ok -----
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "channel.h"

/** Bytes that each side has for its own operations, and for those of the other. */
#define SIDE_MEMORY		(512u << 10)
/** Operations of a step, at most. */
#define SIDE_BURST		32u
/** The service of a side, as the list of steps knows it. */
enum side_service { SIDE_RC, SIDE_UC, SIDE_UD };

enum side_op { SIDE_SEND, SIDE_WRITE, SIDE_READ, SIDE_CMP_SWAP, SIDE_FETCH_ADD };

struct side_request {
	enum side_op op;
	bool has_imm;
	bool has_wrong_key;
	uint8_t *local;		/**< In the side's local memory. */
	uint32_t len;
	uint32_t offset;	/**< In the other side's memory. */
	uint32_t imm;
	uint64_t compare;
	uint64_t swap_add;
};

/** What came. */
struct side_received {
	const uint8_t *data;
	uint32_t len;
	bool has_imm;
	uint32_t imm;
};

struct side;

/** What a queue pair is made of. All of them fail() if they cannot. */
struct side_ops {
	/** Room for one message, in front of what was posted before. */
	void (*post_receive)(struct side *side, uint8_t *buf, uint32_t len);
	void (*post)(struct side *side, const struct side_request *request);
	/** Wait for the next of what was posted. @return whether it succeeded. */
	bool (*complete)(struct side *side);
	/** Wait for the next message. */
	struct side_received (*receive)(struct side *side);
};

struct side {
	const struct side_ops *ops;
	struct channel channel;
	enum side_service service;
	uint32_t mtu;
	uint8_t *local;		/**< SIDE_MEMORY for requests, */
	uint8_t *inbox;		/**< for messages, */
	uint8_t *memory;	/**< and what the other side may write, read and change. */
};

/** How a queue pair is reached: a line of both programs. */
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

/** Tell one's own place, and hear of the other's. */
void side_exchange(struct side *side, const struct side_place *own, struct side_place *other);
/** All steps; a line to stdout for each. @param is_first One of both sides begins. */
void scenario_run(struct side *side, bool is_first);
/** A write with a key that nobody has: it is refused, and the connection is over. */
void scenario_refusal(struct side *side, bool is_first);

#endif /* GUEST_SCENARIO_H */
