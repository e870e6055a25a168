/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_PLAN_H
#define SOAK_PLAN_H

/**
 * @file
 * Plan of a step: a few layouts, the operations that configure them and move data through them, and
 * a fault. It only depends on a seed, the number of the queue and the number of the step, and
 * contains no addresses or keys.
 *
 * A step has a near end, whose queue starts the transfers, and a far end. Destinations of a step
 * neither overlap each other nor serve as sources. The exceptions are atomics and reads of data
 * written before, which the transport orders.
 */

#include "model/layout.h"
#include "model/prng.h"
#include "soak/kinds.h"
#include "soak/soak.h"
#include "verify/bed/sig.h"

#define SOAK_MAX_OPS		96u
#define SOAK_MAX_VIEWS		32u
/** Keys of an end for a step, in each of its pools. */
#define SOAK_MAX_KEYS		32u
/** The same for keys with signatures. */
#define SOAK_MAX_SIGS		4u
/** Maximum number of bytes of a transfer. */
#define SOAK_MAX_LEN		8192u
/** Size of the areas of an end: pinned and on-demand memory. */
#define SOAK_AREA_SIZE		(256u << 10)
#define SOAK_MAX_RECV_SEGS	3u

enum soak_side { SOAK_NEAR, SOAK_FAR };

/** Memory of a view. */
enum soak_memory {
	SOAK_PINNED,
	SOAK_DEMAND,
	SOAK_GONE,	/**< Unmapped without notifying the device. */
	SOAK_HOLE,	/**< On demand, but not mapped. */
};

/** How operations refer to a view. */
enum soak_how {
	SOAK_BY_REGION,		/**< One piece, by the key of its region. */
	SOAK_BY_CLOSED,		/**< The same with a region without remote access. */
	SOAK_BY_RECEIVE,	/**< Pieces of a receive. */
	SOAK_BY_LIST,
	SOAK_BY_INTERLEAVED,
	SOAK_BY_CONFIGURE,
	SOAK_BY_UPDATE,		/**< A list with some updated entries. */
	SOAK_BY_NESTED,		/**< Two lists below a list of them. */
	SOAK_BY_MBUFS,		/**< A chain, converted to a list. */
	SOAK_BY_WINDOW_1,
	SOAK_BY_WINDOW_2B,
	SOAK_BY_SIGNATURE,	/**< A list or pattern with a block signature. */
};

/** A part of an area with a key. */
struct soak_view {
	enum soak_side side;
	enum soak_memory memory;
	enum soak_how how;
	uint32_t access;	/**< Access of its key. */
	uint32_t base;		/**< Start of its layout in the area. */
	uint64_t key_base;	/**< CONFIGURE: address of the first byte of the key. */
	uint64_t total;		/**< Size in bytes; SIGNATURE: on the wire. */
	uint32_t first_key;	/**< First key or window of its side. */
	/**
	 * NESTED: pieces of the first key; UPDATE: first updated entry; MBUFS: bytes to skip at the
	 * start of the chain; SIGNATURE: the signature is set first.
	 */
	uint32_t split;
	uint32_t nb_exchanged;	/**< UPDATE */
	bool is_source;
	struct layout layout;
	struct rte_umr_sig sig;	/**< SIGNATURE */
};

/** Deliberately wrong references to a key. */
enum soak_twist {
	SOAK_AS_IS,
	SOAK_NO_SUCH_KEY,
	SOAK_OLD_TAG,
};

struct soak_op {
	enum soak_kind kind;
	enum soak_side by;	/**< Side of the executing queue. */
	/** By side; -1: none. An operation that configures a key refers to its view. */
	int view[2];
	uint32_t part;		/**< Index among the operations that configure a view. */
	enum soak_twist twist[2];
	uint64_t from[2];	/**< Start in the views. */
	uint32_t len;
	uint16_t may;		/**< Valid statuses while the queue is not in the error state. */
	bool is_match;		/**< CMP_SWAP: the comparand matches. */
	bool is_fenced;
	bool is_submitted;
	bool has_no_recv;	/**< A message without a receive. */
	uint32_t imm;
	uint64_t operands[2];	/**< Operands of an atomic. */
	struct sig_damage damage; /**< Damage of a source with a signature. */
};

struct soak_plan {
	uint64_t step;
	enum soak_fault fault;	/**< SOAK_NB_FAULTS: none. */
	uint32_t fault_at;	/**< Operation of the fault, or the first one. */
	enum soak_side leaver;	/**< PEER_RESET: side that leaves. */
	bool is_cheap;		/**< Try rte_umr_completed() first. */
	bool has_bursts;
	bool has_reregister;	/**< Regions are registered again first. */
	uint32_t chunk;		/**< Operations between two polls. */
	uint32_t fault_arg;	/**< Random parameter: a time in us, or a choice. */
	uint32_t nb_views;
	uint32_t nb_ops;
	uint32_t nb_keys[2];
	uint32_t nb_windows[2];	/**< Of the far side, by type. */
	uint32_t nb_sigs[2];	/**< Keys with signatures. */
	uint32_t next[2][2];	/**< Next free byte, by side and memory. */
	struct soak_view views[SOAK_MAX_VIEWS];
	struct soak_op ops[SOAK_MAX_OPS];
};

struct soak_plan_conf {
	uint64_t seed;
	uint32_t queue;		/**< Number among queues that start operations. */
	uint32_t faults;	/**< Supported classes. */
	unsigned int transport;	/**< One of SOAK_LOOPBACK etc. */
	bool has_demand;
	bool has_sig;
	bool has_recv_inline;	/**< Completions contain short messages. */
	const struct rte_umr_dev_info *info;
};

/** Plan a step. */
void soak_plan_make(struct soak_plan *plan, const struct soak_plan_conf *conf, uint64_t step);

/** Whether the operation sends a request to a peer. */
bool soak_kind_is_transfer(enum soak_kind kind);
/** Whether it consumes a receive of the peer. */
bool soak_kind_takes_recv(enum soak_kind kind);
/** Its type in the completion. */
enum rte_umr_op_type soak_kind_type(enum soak_kind kind);

/** Print a step, one line per operation. */
void soak_plan_print(FILE *f, const struct soak_plan *plan);

#endif /* SOAK_PLAN_H */
