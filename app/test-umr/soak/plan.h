/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_PLAN_H
#define SOAK_PLAN_H

/**
 * @file
 * What a step does: a few layouts, the operations that make them and move data through them, and
 * what goes wrong. It follows from a seed, the number of the queue and that of the step alone, and
 * knows no addresses and no keys.
 *
 * A step has a near end, whose queue starts the transfers, and a far end. Destinations of a step do
 * not overlap, and are no sources, but for atomics and reads of what was written before, which the
 * transport orders.
 */

#include "model/layout.h"
#include "model/prng.h"
#include "soak/kinds.h"
#include "soak/soak.h"
#include "verify/bed/sig.h"

#define SOAK_MAX_OPS		96u
#define SOAK_MAX_VIEWS		32u
/** Keys of an end that a step may use, of each of its pools. */
#define SOAK_MAX_KEYS		32u
/** Likewise, of those with signatures. */
#define SOAK_MAX_SIGS		4u
/** Most bytes of a transfer. */
#define SOAK_MAX_LEN		8192u
/** Areas of an end: memory that is pinned, and memory that comes on demand. */
#define SOAK_AREA_SIZE		(256u << 10)
#define SOAK_MAX_RECV_SEGS	3u

enum soak_side { SOAK_NEAR, SOAK_FAR };

/** Memory that a view shows. */
enum soak_memory {
	SOAK_PINNED,
	SOAK_DEMAND,
	SOAK_GONE,	/**< Unmapped behind the back of the device. */
	SOAK_HOLE,	/**< On demand, but nothing is there. */
};

/** How a view is named. */
enum soak_how {
	SOAK_BY_REGION,		/**< One piece, by the key of its region. */
	SOAK_BY_CLOSED,		/**< The same, of a region that is not open to peers. */
	SOAK_BY_RECEIVE,	/**< Pieces of a receive. */
	SOAK_BY_LIST,
	SOAK_BY_INTERLEAVED,
	SOAK_BY_CONFIGURE,
	SOAK_BY_UPDATE,		/**< A list of which some entries are exchanged. */
	SOAK_BY_NESTED,		/**< Two lists, below a list of them. */
	SOAK_BY_MBUFS,		/**< A chain, which is a list. */
	SOAK_BY_WINDOW_1,
	SOAK_BY_WINDOW_2B,
	SOAK_BY_SIGNATURE,	/**< A list or a pattern, with a block signature. */
};

/** A part of an area under a key. */
struct soak_view {
	enum soak_side side;
	enum soak_memory memory;
	enum soak_how how;
	uint32_t access;	/**< Of its key. */
	uint32_t base;		/**< Where its layout begins in the area. */
	uint64_t total;		/**< Bytes that it shows; SIGNATURE: of the wire. */
	uint32_t first_key;	/**< Of the keys, or windows, of its side. */
	/**
	 * NESTED: pieces of the first key; UPDATE: first exchanged; MBUFS: bytes of the
	 * chain are left out in front; SIGNATURE: comes first.
	 */
	uint32_t split;
	uint32_t nb_exchanged;	/**< UPDATE */
	bool is_source;
	struct layout layout;
	struct rte_umr_sig sig;	/**< SIGNATURE */
};

/** How an operation names a key wrongly. */
enum soak_twist {
	SOAK_AS_IS,
	SOAK_NO_SUCH_KEY,
	SOAK_OLD_TAG,
};

struct soak_op {
	enum soak_kind kind;
	enum soak_side by;	/**< Whose queue does it. */
	/** By side; -1: none. What makes a key has the one that it makes. */
	int view[2];
	uint32_t part;		/**< Of several operations that make a view: which. */
	enum soak_twist twist[2];
	uint64_t from[2];	/**< First byte of the views. */
	uint32_t len;
	uint16_t may;		/**< Set of statuses it may have while its queue is well. */
	bool is_match;		/**< CMP_SWAP: the word is what it is compared with. */
	bool is_fenced;
	bool is_submitted;
	bool has_no_recv;	/**< A message for which no receive is posted. */
	uint32_t imm;
	uint64_t operands[2];	/**< Of an atomic. */
	struct sig_damage damage; /**< To its source, if a view of it has a signature. */
};

struct soak_plan {
	uint64_t step;
	enum soak_fault fault;	/**< SOAK_NB_FAULTS: none. */
	uint32_t fault_at;	/**< Operation that meets it, or from which on. */
	enum soak_side leaver;	/**< PEER_RESET: who leaves. */
	bool is_cheap;		/**< Collect by rte_umr_completed() first. */
	bool has_bursts;
	bool has_reregister;	/**< Regions get other keys in front of it. */
	uint32_t chunk;		/**< Operations between two looks at completions. */
	uint32_t fault_arg;	/**< What else is drawn for it: a time in us, or a choice. */
	uint32_t nb_views;
	uint32_t nb_ops;
	uint32_t nb_keys[2];
	uint32_t nb_windows[2];	/**< Of the far side: by type. */
	uint32_t nb_sigs[2];	/**< Keys with signatures. */
	uint32_t next[2][2];	/**< Next free byte of the areas, by side and memory. */
	struct soak_view views[SOAK_MAX_VIEWS];
	struct soak_op ops[SOAK_MAX_OPS];
};

struct soak_plan_conf {
	uint64_t seed;
	uint32_t queue;		/**< Its number among those that start operations. */
	uint32_t faults;	/**< Those that are possible here. */
	unsigned int transport;	/**< SOAK_LOOPBACK and so on, one of them. */
	bool has_demand;
	bool has_sig;
	bool has_recv_inline;	/**< Short messages come in completions. */
	const struct rte_umr_dev_info *info;
};

/** Plan a step. */
void soak_plan_make(struct soak_plan *plan, const struct soak_plan_conf *conf, uint64_t step);

/** Whether the queue's device asks a peer to do something. */
bool soak_kind_is_transfer(enum soak_kind kind);
/** Whether it takes a receive of the peer. */
bool soak_kind_takes_recv(enum soak_kind kind);
/** Its type when it comes back. */
enum rte_umr_op_type soak_kind_type(enum soak_kind kind);

/** Tell a step, a line for each operation. */
void soak_plan_print(FILE *f, const struct soak_plan *plan);

#endif /* SOAK_PLAN_H */
