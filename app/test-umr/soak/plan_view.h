/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_PLAN_VIEW_H
#define SOAK_PLAN_VIEW_H

/**
 * @file
 * Plan the views of transfers: parts of areas with keys, and the operations that configure the
 * keys.
 *
 * Plan transfers through keys with block signatures. One of the two views is such a key; the other
 * one has exactly its wire size. No other transfer uses these views.
 */

#include "soak/plan.h"

/** State of planning a step. */
struct soak_planner {
	struct soak_plan *plan;
	const struct soak_plan_conf *conf;
	struct prng prng;
	uint32_t nb_recvs;
	bool has_no_recvs;	/**< No more receives are posted. */
	bool has_doubt;		/**< A failing transfer may have been executed. */
	bool is_revoked;	/**< The key of the last transfer was invalidated. */
};

/** Requirements of a view. */
struct soak_wish {
	enum soak_side side;
	enum soak_memory memory;
	uint32_t max_total;
	bool is_source;
	bool is_word;		/**< 8 bytes, aligned to 8. */
	bool is_plain;		/**< Memory that the CPU can read. */
	bool is_receive;
	bool is_private;	/**< Not shared with another transfer. */
	bool is_keyed;
	bool is_window;
	bool is_exact;		/**< A receive of exactly max_total. */
	bool lacks_access;
};

/** Whether there is room for another transfer and everything it needs. */
bool soak_planner_has_room(const struct soak_planner *p);
/** Whether keys of this queue support updates and invalidation by peers. */
bool soak_planner_has_updates(const struct soak_planner *p);
/** Whether the far end is another process, which creates no keys. */
bool soak_planner_has_server(const struct soak_planner *p);
/** Add an operation without views. */
struct soak_op *soak_planner_op(struct soak_planner *p, enum soak_kind kind, enum soak_side by);
/** Side of the queue that configures the key of a view. */
enum soak_side soak_planner_by(const struct soak_planner *p, const struct soak_view *view);
/**
 * Choose an existing view, or add one with the operations that configure it. Returns its number.
 */
int soak_planner_view(struct soak_planner *p, const struct soak_wish *wish);

const char *soak_how_name(enum soak_how how);

/** Whether a transfer of a kind may use a signature. */
bool soak_planner_can_sign(const struct soak_planner *p, enum soak_kind kind);

/** Add a key with a signature and the operations that configure it. Returns its number. */
int soak_planner_sig_view(struct soak_planner *p, const struct soak_wish *wish);

/** Choose the range of a transfer in one of its views and, for a fault, the damage. */
void soak_planner_sig_range(struct soak_planner *p, struct soak_op *op, bool is_damaged);

/** Side of the view with a signature, or -1. */
int soak_op_signed(const struct soak_plan *plan, const struct soak_op *op);

/** Whether the data moves from memory to the wire on the side of the signature. */
bool soak_op_is_to_wire(const struct soak_plan *plan, const struct soak_op *op);

/** Convert bytes of a domain to bytes of data; whole blocks. */
uint64_t soak_sig_data(const struct rte_umr_sig *sig, uint64_t wire_len);

#endif /* SOAK_PLAN_VIEW_H */
