/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_PLAN_VIEW_H
#define SOAK_PLAN_VIEW_H

/**
 * @file
 * Planning of what transfers go through: parts of areas under keys, and the operations that make
 * these keys.
 */

#include "soak/plan.h"

/** A step that is being planned. */
struct soak_planner {
	struct soak_plan *plan;
	const struct soak_plan_conf *conf;
	struct prng prng;
	uint32_t nb_recvs;
	bool has_no_recvs;	/**< From here on none are posted. */
	bool has_doubt;		/**< A transfer that fails may have been executed. */
	bool is_revoked;	/**< The key of the last transfer is one that is invalidated. */
};

/** What a view is to be. */
struct soak_wish {
	enum soak_side side;
	enum soak_memory memory;
	uint32_t max_total;
	bool is_source;
	bool is_word;		/**< 8 bytes at a multiple of 8. */
	bool is_plain;		/**< Memory that the CPU can read. */
	bool is_receive;
	bool is_private;	/**< Not to be used by another transfer. */
	bool is_keyed;
	bool is_window;
	bool is_exact;		/**< A receive of all of max_total. */
	bool lacks_access;
};

/** Whether there is room for another transfer with all that it takes. */
bool soak_planner_has_room(const struct soak_planner *p);
/** Whether keys of this queue can be updated, and invalidated by peers. */
bool soak_planner_has_updates(const struct soak_planner *p);
/** Whether the far end is another process, which makes no keys. */
bool soak_planner_has_server(const struct soak_planner *p);
/** Add an operation without views. */
struct soak_op *soak_planner_op(struct soak_planner *p, enum soak_kind kind, enum soak_side by);
/** Whose queue makes the key of a view. */
enum soak_side soak_planner_by(const struct soak_planner *p, const struct soak_view *view);
/** A view, an older one or one with the operations that make it. Returns its number. */
int soak_planner_view(struct soak_planner *p, const struct soak_wish *wish);

/** Access for a key that is to be used so; rights that are not needed come by chance. */
uint32_t soak_planner_access(struct soak_planner *p, const struct soak_wish *wish);
/** Take memory of the view's kind for it. */
void soak_planner_place(struct soak_planner *p, struct soak_view *view, uint32_t len);
/** An operation that makes the key of a view, or a part of it. */
void soak_planner_config(struct soak_planner *p, const struct soak_view *view, enum soak_kind kind,
			 uint32_t part);

const char *soak_how_name(enum soak_how how);

#endif /* SOAK_PLAN_VIEW_H */
