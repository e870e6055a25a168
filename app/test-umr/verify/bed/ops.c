/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_pause.h>

#include "verify/bed/ops.h"
#include "verify/bed/remote.h"

#define POLLS_BEFORE_SLEEP 1024u

static bool __attribute__((format(printf, 2, 3)))
ops_fail(struct verify_ops *ops, const char *format, ...)
{
	va_list args;
	int len;

	if (ops->has_failed)
		return false;
	ops->has_failed = true;
	len = snprintf(ops->why, sizeof(ops->why), "%s queue %u: ", ops->side->info.dev_name,
		       ops->queue_id);
	va_start(args, format);
	vsnprintf(ops->why + len, sizeof(ops->why) - (size_t)len, format, args);
	va_end(args);
	return false;
}

void
verify_result_set(struct case_result *result, enum case_outcome outcome, const char *format, ...)
{
	va_list args;

	result->outcome = outcome;
	va_start(args, format);
	vsnprintf(result->why, sizeof(result->why), format, args);
	va_end(args);
}

void
verify_ops_report(const struct verify_ops *ops, struct case_result *result)
{
	verify_result_set(result, ops->has_timed_out ? CASE_TIMEOUT : CASE_ERROR, "%s", ops->why);
}

void
verify_path_recover(const struct bed_path *path, struct case_result *result)
{
	if (!bed_path_recover(path))
		verify_result_set(result, CASE_ERROR, "the queues could not be recovered");
}

void
verify_mismatch_set(struct case_result *result, const struct bed_side *side,
		    const struct bed_area *area, uint32_t nb, uint32_t first, const char *where)
{
	verify_result_set(result, CASE_MISMATCH,
			  "%u bytes differ, first at 0x%05x of the %s area of %s%s: expected "
			  "0x%02x, found 0x%02x", nb, first, area->name, side->info.dev_name, where,
			  area->expected[first], area->memory[first]);
}

void
verify_area_compare(const struct bed_side *side, const struct bed_area *area,
		    struct case_result *result)
{
	uint32_t first, nb = bed_area_compare(area, &first);

	if (nb != 0)
		verify_mismatch_set(result, side, area, nb, first, "");
}

void
verify_ops_init(struct verify_ops *ops, const struct bed_end *end, bool by_status)
{
	memset(ops, 0, sizeof(*ops));
	ops->side = end->side;
	ops->dev_id = end->side->dev_id;
	ops->queue_id = end->queue_id;
	ops->by_status = by_status;
}

bool
verify_ops_add(struct verify_ops *ops, int ret, enum rte_umr_op_type type, uint32_t length)
{
	struct verify_op *op = &ops->pending[ops->nb_pending];
	uint16_t expected;

	if (ops->has_failed)
		return false;
	if (ops->nb_pending == VERIFY_OPS_MAX)
		return ops_fail(ops, "more than %u operations in a case", VERIFY_OPS_MAX);
	if (ret < 0)
		return ops_fail(ops, "%s was rejected: %s", rte_umr_op_name(type),
				rte_strerror(-ret));
	if (ops->nb_pending > 0) {
		expected = (uint16_t)(op[-1].idx + 1);
		if (ret != expected)
			return ops_fail(ops, "%s got ring index %d behind %u",
					rte_umr_op_name(type), ret, op[-1].idx);
	}
	*op = (struct verify_op){
		.idx = (uint16_t)ret, .type = type, .length = length,
		.status = ops->is_error_due ? RTE_UMR_STATUS_FLUSHED : RTE_UMR_STATUS_SUCCESS,
	};
	ops->nb_pending++;
	return true;
}

bool
verify_ops_rejected(struct verify_ops *ops, int ret, int expected, const char *what)
{
	if (ops->has_failed)
		return false;
	if (ret >= 0)
		return ops_fail(ops, "%s was accepted", what);
	if (ret != expected)
		/* rte_strerror() has a single buffer. */
		return ops_fail(ops, "%s was rejected as %d (%s), expected %d", what, ret,
				rte_strerror(-ret), expected);
	return true;
}

void
verify_rejection_print(FILE *f, const char *prefix, const char *name)
{
	if (name != NULL)
		fprintf(f, "%s%s is rejected before\n", prefix, name);
}

bool
verify_ops_check(struct verify_ops *ops, bool is_good, const char *why)
{
	return is_good ? !ops->has_failed : ops_fail(ops, "%s", why);
}

void
verify_ops_expect(struct verify_ops *ops, enum rte_umr_status status)
{
	if (ops->has_failed)
		return;
	ops->pending[ops->nb_pending - 1].status = status;
	ops->is_error_due = true;
}

bool
verify_ops_room(struct verify_ops *ops)
{

	/* After an error, operations enqueued later are not collected. */
	if (ops->is_error_due ||
	    rte_umr_desc_avail(ops->dev_id, ops->queue_id) >= ops->side->info.min_desc)
		return !ops->has_failed;
	return verify_ops_wait(ops);
}

/* Operations of another process have completed on return. */
static bool
remote_check(struct verify_ops *ops, bool is_good)
{
	return verify_ops_check(ops, is_good, bed_remote_why(ops->side));
}

bool
verify_ops_list(struct verify_ops *ops, struct rte_umr_mkey *mkey, uint32_t access,
		const struct rte_umr_seg *segs, uint32_t nb_segs)
{
	int ret;

	if (ops->side->remote != NULL)
		return remote_check(ops, bed_remote_list(ops->side, mkey, access, segs, nb_segs));
	if (!verify_ops_room(ops))
		return false;
	ret = rte_umr_mkey_list(ops->dev_id, ops->queue_id, mkey, access, segs, nb_segs, 0);
	return verify_ops_add(ops, ret, RTE_UMR_OP_MKEY_LIST, 0);
}

bool
verify_ops_interleaved(struct verify_ops *ops, struct rte_umr_mkey *mkey, uint32_t access,
		       uint32_t repeat, const struct rte_umr_interleaved *entries,
		       uint32_t nb_entries)
{
	int ret;

	if (ops->side->remote != NULL)
		return remote_check(ops, bed_remote_interleaved(ops->side, mkey, access, repeat,
								entries, nb_entries));
	if (!verify_ops_room(ops))
		return false;
	ret = rte_umr_mkey_interleaved(ops->dev_id, ops->queue_id, mkey, access, repeat,
				       entries, nb_entries, 0);
	return verify_ops_add(ops, ret, RTE_UMR_OP_MKEY_INTERLEAVED, 0);
}

bool
verify_ops_invalidate(struct verify_ops *ops, struct rte_umr_mkey *mkey)
{
	int ret;

	if (ops->side->remote != NULL)
		return remote_check(ops, bed_remote_invalidate(ops->side, mkey));
	if (!verify_ops_room(ops))
		return false;
	ret = rte_umr_mkey_invalidate(ops->dev_id, ops->queue_id, mkey, 0);
	return verify_ops_add(ops, ret, RTE_UMR_OP_MKEY_INVALIDATE, 0);
}

bool
verify_ops_move(struct verify_ops *ops, bool is_read, const struct rte_umr_seg *local,
		uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	int ret;

	if (!verify_ops_room(ops))
		return false;
	if (is_read)
		ret = rte_umr_read(ops->dev_id, ops->queue_id, local, remote_addr, rkey, flags);
	else
		ret = rte_umr_write(ops->dev_id, ops->queue_id, local, remote_addr, rkey, flags);
	return verify_ops_add(ops, ret, is_read ? RTE_UMR_OP_READ : RTE_UMR_OP_WRITE,
			      local->length);
}

/* Compare results with the operations from index n on. */
static bool
results_check(struct verify_ops *ops, uint32_t n, const struct rte_umr_completion *done,
	      uint16_t nb)
{
	for (uint16_t i = 0; i < nb; i++) {
		const struct verify_op *op = &ops->pending[n + i];

		if (done[i].status != op->status)
			return ops_fail(ops, "%s %u ended with '%s', syndrome 0x%02x, vendor "
					"syndrome 0x%02x; expected '%s'", rte_umr_op_name(op->type),
					op->idx, rte_umr_status_name(done[i].status),
					done[i].syndrome, done[i].vendor_syndrome,
					rte_umr_status_name(op->status));
		/* The length of a failed operation is undefined. */
		if (done[i].idx != op->idx || done[i].op != op->type ||
		    (op->status == RTE_UMR_STATUS_SUCCESS && done[i].length != op->length))
			return ops_fail(ops, "%s %u of %u bytes came back as %s %u of %u bytes",
					rte_umr_op_name(op->type), op->idx, op->length,
					rte_umr_op_name(done[i].op), done[i].idx, done[i].length);
	}
	return true;
}

/* Poll once for results and add their number to *n. */
static bool
poll_status(struct verify_ops *ops, uint32_t *n, uint16_t nb_max)
{
	struct rte_umr_completion done[VERIFY_OPS_MAX];
	uint16_t nb;

	nb = rte_umr_completed_status(ops->dev_id, ops->queue_id, nb_max, done);
	if (nb > nb_max)
		return ops_fail(ops, "%u operations came back, %u asked for", nb, nb_max);
	if (!results_check(ops, *n, done, nb))
		return false;
	*n += nb;
	return true;
}

/* Poll once for the index of the last success. */
static bool
poll_index(struct verify_ops *ops, uint32_t *n, uint16_t nb_max)
{
	bool has_error = false;
	uint16_t nb, last_idx = 0;

	nb = rte_umr_completed(ops->dev_id, ops->queue_id, nb_max, &last_idx, &has_error);
	if (nb > nb_max)
		return ops_fail(ops, "%u operations came back, %u asked for", nb, nb_max);
	if (nb > 0 && last_idx != ops->pending[*n + nb - 1].idx)
		return ops_fail(ops, "last index is %u after %u operations, expected %u", last_idx,
				nb, ops->pending[*n + nb - 1].idx);
	for (uint32_t i = *n; i < *n + nb; i++)
		if (ops->pending[i].status != RTE_UMR_STATUS_SUCCESS)
			return ops_fail(ops, "%s %u succeeded; expected '%s'",
					rte_umr_op_name(ops->pending[i].type), ops->pending[i].idx,
					rte_umr_status_name(ops->pending[i].status));
	*n += nb;
	if (!has_error)
		return true;
	/* The failed operation and the following ones are reported by status. */
	nb = (uint16_t)*n;
	if (!poll_status(ops, n, 1))
		return false;
	if (*n == nb || ops->pending[nb].status == RTE_UMR_STATUS_SUCCESS)
		return ops_fail(ops, "has_error was set, but the next operation has no error");
	ops->by_status = true;
	return true;
}

static bool
ops_poll(struct verify_ops *ops, uint32_t *n)
{
	uint16_t nb_max = (uint16_t)(ops->nb_pending - *n);

	return ops->by_status ? poll_status(ops, n, nb_max) : poll_index(ops, n, nb_max);
}

static bool
ops_time_out(struct verify_ops *ops, uint32_t n)
{

	ops_fail(ops, "%u of %u operations did not complete within %u ms, first %s %u",
		 ops->nb_pending - n, ops->nb_pending, VERIFY_TIMEOUT_MS,
		 rte_umr_op_name(ops->pending[n].type), ops->pending[n].idx);
	ops->has_timed_out = true;
	rte_umr_dump(ops->dev_id, stderr);
	return false;
}

bool
verify_ops_wait(struct verify_ops *ops)
{
	uint64_t deadline = rte_get_timer_cycles() + rte_get_timer_hz() * VERIFY_TIMEOUT_MS / 1000;
	uint32_t n = 0;
	int ret;

	if (ops->has_failed)
		return false;
	/* Nothing is outstanding there, see remote_check(). */
	if (ops->side->remote != NULL)
		return true;
	ret = rte_umr_submit(ops->dev_id, ops->queue_id);
	if (ret != 0)
		return ops_fail(ops, "submit failed: %s", rte_strerror(-ret));
	for (uint32_t polls = 1; n < ops->nb_pending; polls++) {
		if (!ops_poll(ops, &n))
			return false;
		if (n == ops->nb_pending)
			break;
		if (rte_get_timer_cycles() > deadline)
			return ops_time_out(ops, n);
		verify_rest(polls);
	}
	ops->nb_pending = 0;
	return true;
}

void
verify_rest(uint32_t polls)
{
	const struct timespec nap = { .tv_nsec = 20000 };

	if (polls > POLLS_BEFORE_SLEEP)
		nanosleep(&nap, NULL);
	else
		rte_pause();
}

bool
verify_ops_recv_wait(struct verify_ops *ops, struct rte_umr_completion *done, uint16_t nb)
{
	uint64_t deadline = rte_get_timer_cycles() + rte_get_timer_hz() * VERIFY_TIMEOUT_MS / 1000;
	uint16_t n = 0;

	if (ops->has_failed)
		return false;
	for (uint32_t polls = 1; n < nb; polls++) {
		n += rte_umr_recv_completed(ops->dev_id, ops->queue_id, nb - n, &done[n]);
		if (n < nb && rte_get_timer_cycles() > deadline) {
			ops->has_timed_out = true;
			return ops_fail(ops, "%u of %u receives did not complete within %u ms",
					nb - n, nb, VERIFY_TIMEOUT_MS);
		}
		verify_rest(polls);
	}
	return true;
}
