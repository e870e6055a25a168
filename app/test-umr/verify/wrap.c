/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>

#include <rte_cycles.h>
#include <rte_errno.h>

#include "verify/wrap.h"
#include "verify/bed/ops.h"

/* Outstanding operations. */
#define BURST	64u

/* Configure a key with one byte. @return The ring index, or a negative errno. */
static int
op_enqueue(const struct bed_side *side, uint16_t queue_id, struct rte_umr_mkey *mkey, bool is_last)
{
	const struct rte_umr_seg seg = {
		.addr = (uintptr_t)side->flat.memory, .length = 1,
		.lkey = side->flat_mr->lkey,
	};

	return rte_umr_mkey_list(side->dev_id, queue_id, mkey, 0, &seg, 1,
				 is_last ? RTE_UMR_OP_F_SUBMIT : 0);
}

static bool
ops_wait(const struct bed_side *side, uint16_t queue_id, uint32_t nb)
{
	uint64_t deadline = rte_get_timer_cycles() + rte_get_timer_hz() * VERIFY_TIMEOUT_MS / 1000;
	bool has_error = false;
	uint32_t polls = 0;
	uint16_t last_idx;

	while (nb != 0 && !has_error && rte_get_timer_cycles() < deadline) {
		nb -= rte_umr_completed(side->dev_id, queue_id, (uint16_t)nb, &last_idx,
					&has_error);
		if (nb != 0)
			verify_rest(polls++);
	}
	if (nb != 0)
		tool_error("verify: %s queue %u: an operation before the cases %s",
			   side->info.dev_name, queue_id,
			   has_error ? "failed" : "did not complete");
	return nb == 0;
}

/* Number of operations that fit in the ring. */
static uint32_t
ops_fit(const struct bed_side *side, uint16_t queue_id)
{
	const struct rte_umr_op_shape shape = { .op = RTE_UMR_OP_MKEY_LIST, .nb_entries = 1 };
	struct rte_umr_op_size size = { .nb_desc = UINT16_MAX };

	rte_umr_op_desc(side->dev_id, queue_id, &shape, &size);
	return RTE_MIN(BURST, rte_umr_desc_avail(side->dev_id, queue_id) / (uint32_t)size.nb_desc);
}

static bool
queue_wrap(const struct bed_side *side, uint16_t queue_id, struct rte_umr_mkey *mkey)
{
	const uint16_t end = (uint16_t)(UINT16_MAX + 1 - VERIFY_WRAP_LEFT);
	uint32_t nb = 1, i;
	int ret;

	/* The index of the first operation shows the current position. */
	do {
		for (i = 1; i <= nb; i++) {
			ret = op_enqueue(side, queue_id, mkey, i == nb);
			/* A receive-only queue. */
			if (ret == -ENOTSUP)
				return true;
			if (ret < 0) {
				tool_error("verify: %s queue %u: %s", side->info.dev_name,
					   queue_id, rte_strerror(-ret));
				return false;
			}
		}
		if (!ops_wait(side, queue_id, nb))
			return false;
		nb = ops_fit(side, queue_id);
		nb = RTE_MIN(nb, (uint16_t)(end - 1 - ret));
	} while (nb != 0);
	return true;
}

static bool
side_wrap(const struct bed *bed, const struct bed_side *side)
{
	struct rte_umr_mkey *mkey = rte_umr_mkey_get(side->pool);
	const uint16_t nb_queues = bed_nb_queues(bed->transports, bed->conf);
	bool is_ok = mkey != NULL;

	if (mkey == NULL)
		tool_error("verify: no key left in the pool of %s", side->info.dev_name);
	for (uint16_t q = 0; q < nb_queues && is_ok; q++)
		is_ok = queue_wrap(side, q, mkey);
	if (mkey != NULL)
		rte_umr_mkey_put(side->pool, mkey);
	return is_ok;
}

bool
verify_wrap(const struct bed *bed)
{
	for (uint16_t i = 0; i < bed->nb_sides; i++)
		if (bed->sides[i].remote == NULL && !side_wrap(bed, &bed->sides[i]))
			return false;
	return true;
}
