/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_PLAN_SIG_H
#define SOAK_PLAN_SIG_H

/**
 * @file
 * Planning of transfers through keys with block signatures. One of the two views is such a key,
 * the other one is exactly as long as what it shows of the wire; nobody else uses either.
 */

#include "soak/plan_view.h"

/** Whether a transfer of a kind may have a signature. */
bool soak_planner_can_sign(const struct soak_planner *p, enum soak_kind kind);

/** A key with a signature, and the operations that make it. Returns its number. */
int soak_planner_sig_view(struct soak_planner *p, const struct soak_wish *wish);

/** The range of a transfer through one of its views, and, with a fault, what is wrong about it. */
void soak_planner_sig_range(struct soak_planner *p, struct soak_op *op, bool is_damaged);

/** Side of a transfer whose view has a signature, or -1. */
int soak_op_signed(const struct soak_plan *plan, const struct soak_op *op);

/** Whether data go from memory to the wire where the signature is. */
bool soak_op_is_to_wire(const struct soak_plan *plan, const struct soak_op *op);

/** Bytes of a domain to bytes of data; whole blocks. */
uint64_t soak_sig_data(const struct rte_umr_sig *sig, uint64_t wire_len);

#endif /* SOAK_PLAN_SIG_H */
