/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_PLAN_SIG_H
#define SOAK_PLAN_SIG_H

/**
 * @file
 * Plan transfers through keys with block signatures. One of the two views is such a key; the other
 * one has exactly its wire size. No other transfer uses these views.
 */

#include "soak/plan_view.h"

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

#endif /* SOAK_PLAN_SIG_H */
