/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdio.h>
#include <string.h>

#include "ring/peek.h"
#include "ring/queue.h"
#include "ring/reject.h"
#include "ring/stats.h"

void
mlx5_umr_queue_stats_get(const struct mlx5_umr_queue *queue, struct rte_umr_queue_stats *stats)
{
	uint32_t i;

	*stats = (struct rte_umr_queue_stats){
		.nb_submitted = MLX5_UMR_PEEK(queue->nb_submitted),
		.nb_completed = MLX5_UMR_PEEK(queue->nb_completed),
		.nb_errors = MLX5_UMR_PEEK(queue->nb_errors),
		.nb_doorbells = MLX5_UMR_PEEK(queue->nb_doorbells),
		.nb_bf = MLX5_UMR_PEEK(queue->nb_bf),
		.nb_recv_posted = MLX5_UMR_PEEK(queue->rq.nb_posted),
		.nb_recv_completed = MLX5_UMR_PEEK(queue->rq.nb_completed),
		.nb_recv_errors = MLX5_UMR_PEEK(queue->rq.nb_errors),
		.nb_recoveries = MLX5_UMR_PEEK(queue->nb_recoveries),
		.nb_auto_recoveries = MLX5_UMR_PEEK(queue->nb_auto_recoveries),
		.last_recovery_ns = MLX5_UMR_PEEK(queue->last_recovery_ns),
		.nb_auto_recovery_failures = MLX5_UMR_PEEK(queue->nb_auto_recovery_failures),
		.max_recovery_ns = MLX5_UMR_PEEK(queue->max_recovery_ns),
	};
	/* Sum the values that were read, so that the parts match the totals. */
	for (i = 0; i < RTE_UMR_REJECT_MAX; i++) {
		stats->nb_rejects[i] = MLX5_UMR_PEEK(queue->nb_rejects[i]);
		if (mlx5_umr_is_full((enum rte_umr_reject)i))
			stats->nb_full += stats->nb_rejects[i];
		else
			stats->nb_rejected += stats->nb_rejects[i];
	}
}

/* Counters specific to this driver. New ones are added at the end of the list. */
static const struct {
	const char *name;
	size_t offset;
} counters[] = {
	{ "empty_polls", offsetof(struct mlx5_umr_queue, nb_empty_polls) },
	{ "recv_empty_polls", offsetof(struct mlx5_umr_queue, rq.nb_empty_polls) },
	{ "layouts_in_memory", offsetof(struct mlx5_umr_queue, klm_mem.nb_lists) },
	{ "sg_inline", offsetof(struct mlx5_umr_queue, sg.nb_ops[MLX5_UMR_SG_INLINE]) },
	{ "sg_wqe", offsetof(struct mlx5_umr_queue, sg.nb_ops[MLX5_UMR_SG_WQE]) },
	{ "sg_wqes", offsetof(struct mlx5_umr_queue, sg.nb_ops[MLX5_UMR_SG_WQES]) },
	{ "sg_key", offsetof(struct mlx5_umr_queue, sg.nb_ops[MLX5_UMR_SG_KEY]) },
};

/** Write name and value of a counter; counter names do not contain '-'. */
static void
xstat_set(struct rte_umr_drv_xstat *xstat, const char *prefix, const char *name, uint64_t value)
{
	char *c;

	snprintf(xstat->name, sizeof(xstat->name), "%s%s", prefix, name);
	for (c = xstat->name; *c != '\0'; c++)
		if (*c == '-')
			*c = '_';
	xstat->value = value;
}

uint32_t
mlx5_umr_queue_xstats_get(const void *q, struct rte_umr_drv_xstat *xstats, uint32_t nb_max)
{
	/* Success is not an error. */
	const uint32_t nb_statuses = MLX5_UMR_NB_STATUSES - 1;
	const uint32_t nb = RTE_DIM(counters) + 2 * nb_statuses;
	const struct mlx5_umr_queue *queue = q;
	const uint64_t *counter;
	uint32_t i;

	if (nb > nb_max)
		return nb;
	for (i = 0; i < RTE_DIM(counters); i++) {
		counter = (const uint64_t *)((const uint8_t *)queue + counters[i].offset);
		xstat_set(xstats++, "", counters[i].name, mlx5_umr_peek_u64(counter));
	}
	for (i = 1; i <= nb_statuses; i++)
		xstat_set(xstats++, "errors_", rte_umr_status_name(i),
			  MLX5_UMR_PEEK(queue->nb_statuses[i]));
	for (i = 1; i <= nb_statuses; i++)
		xstat_set(xstats++, "recv_errors_", rte_umr_status_name(i),
			  MLX5_UMR_PEEK(queue->rq.nb_statuses[i]));
	return nb;
}
