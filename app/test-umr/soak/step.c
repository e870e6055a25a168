/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <rte_cycles.h>

#include "soak/faults.h"
#include "soak/ops.h"
#include "soak/recover.h"
#include "soak/remote.h"
#include "soak/settle.h"
#include "soak/step.h"

/* Rate of ringing lost doorbells again. */
#define KICKS_PER_SECOND	200u
#define FILL_BURST		32u

bool
soak_step_is_quiet(const struct soak_lane *lane)
{
	return lane->state == SOAK_AT_PLAN || lane->state == SOAK_AT_END;
}

static void
state_set(struct soak_lane *lane, enum soak_state state)
{
	lane->state = state;
	lane->deadline = rte_get_timer_cycles() + SOAK_DEADLINE_S * rte_get_timer_hz();
}

static void
option_print(const char *name, const char *value)
{
	if (value != NULL)
		fprintf(stderr, " --%s %s", name, value);
}

static void
report(struct soak_lane *lane, const char *why)
{
	const struct soak_conf *conf = lane->device->conf;

	if (lane->has_reported)
		return;
	lane->has_reported = true;
	tool_error("soak: queue %u, step %" PRIu64 ": %s", lane->number, lane->plan.step, why);
	fprintf(stderr, "again: " TOOL_NAME " ... -- soak");
	option_print("peer", conf->peer);
	option_print("device", conf->devices.nb_names != 0 ? conf->devices.names[0] : NULL);
	option_print("faults", conf->faults_text);
	option_print("transport", conf->transports_text);
	fprintf(stderr, " --seed %" PRIu64 " --queues %u --queue %u --step %" PRIu64 "\n",
		conf->seed, conf->nb_queues, lane->number, lane->plan.step);
	soak_plan_print(stderr, &lane->plan);
	rte_umr_dump(lane->device->dev_id, stderr);
}

/* Report the first error of a lane. */
static void
report_wrongs(struct soak_lane *lane)
{
	const struct soak_ledger *ledger;
	unsigned int i;

	if (lane->why[0] != '\0')
		report(lane, lane->why);
	SOAK_FOREACH_LEDGER(ledger, i, lane)
		if (ledger->why[0] != '\0')
			report(lane, ledger->why);
}

static bool
control_take(struct soak_lane *lane)
{
	if (!lane->has_control)
		lane->has_control = pthread_mutex_trylock(&lane->device->control) == 0;
	return lane->has_control;
}

static void
control_give(struct soak_lane *lane)
{
	if (lane->has_control)
		pthread_mutex_unlock(&lane->device->control);
	lane->has_control = false;
}

/* Check that an empty ring always has the same number of descriptors. */
static void
rings_check(struct soak_lane *lane)
{
	for (unsigned int i = 0; i < lane->nb_own; i++) {
		struct soak_queue *q = lane->own[i];
		uint16_t nb;

		if (!q->has_sends)
			continue;
		nb = rte_umr_desc_avail(q->dev_id, q->queue_id);
		if (q->nb_free == 0)
			q->nb_free = nb;
		if (nb != q->nb_free)
			soak_lane_odd(lane, "an empty ring has %u descriptors, not %u", nb,
				      q->nb_free);
	}
}

static void
plan(struct soak_lane *lane)
{
	const struct soak_conf *conf = lane->device->conf;
	const uint64_t step = conf->has_one_step ? conf->one_step : lane->next_step;

	/* The plan may exist already if it waited for the lock. */
	if (lane->plan.nb_ops == 0 || lane->plan.step != step)
		soak_plan_make(&lane->plan, &lane->plan_conf, step);
	if ((soak_fault_is_exclusive(lane->plan.fault) || lane->plan.has_reregister) &&
	    !control_take(lane))
		return;
	/* Check after taking the lock: its previous holder may have made the device fail. */
	if (soak_lane_is_lost(lane)) {
		control_give(lane);
		return;
	}
	if (lane->plan.has_reregister)
		soak_settle_reregister(lane);
	if (!soak_fault_is_exclusive(lane->plan.fault))
		control_give(lane);
	if (conf->is_verbose) {
		fprintf(stderr, "queue %u ", lane->number);
		soak_plan_print(stderr, &lane->plan);
	}
	lane->next_op = 0;
	lane->has_left = false;
	lane->must_recover = false;
	lane->rejected = 0;
	rings_check(lane);
	soak_ops_begin(lane);
	soak_settle_before(lane);
	if (lane->plan.fault == SOAK_COMMAND)
		soak_fault_command(lane);
	state_set(lane, SOAK_AT_FAR);
}

static bool
has_failed(const struct soak_lane *lane)
{
	const struct soak_ledger *ledger;
	unsigned int i;

	SOAK_FOREACH_LEDGER(ledger, i, lane)
		if (ledger->has_failed)
			return true;
	return lane->must_recover;
}

/* After a lost doorbell, the next doorbell also covers its operations. */
static void
kick(struct soak_lane *lane)
{
	const uint64_t now = rte_get_timer_cycles();

	if (lane->plan.fault != SOAK_DOORBELL || now < lane->next_kick)
		return;
	lane->next_kick = now + rte_get_timer_hz() / KICKS_PER_SECOND;
	soak_ops_fill(lane, true);
}

/* A full ring has no room for another doorbell, and would wait for the next heartbeat. */
static bool
is_kept_free(const struct soak_lane *lane, enum soak_side side)
{
	const struct soak_queue *q = lane->queues[side];

	return lane->plan.fault == SOAK_DOORBELL && side == SOAK_NEAR &&
	       rte_umr_desc_avail(q->dev_id, q->queue_id) < q->nb_free / 4;
}

/* Enqueue the remaining operations of one side; true: complete, or no more are possible. */
static bool
post_side(struct soak_lane *lane, enum soak_side side)
{
	uint32_t nb = 0;
	int ret;

	while (lane->next_op < lane->plan.nb_ops) {
		if (lane->plan.ops[lane->next_op].by != side) {
			lane->next_op++;
			continue;
		}
		if (nb >= lane->plan.chunk)
			return false;
		if (side == SOAK_NEAR && lane->plan.fault == SOAK_PEER_RESET && !lane->has_left &&
		    lane->next_op >= lane->plan.fault_at) {
			if (!control_take(lane))
				return false;
			rte_umr_submit(lane->queues[side]->dev_id, lane->queues[side]->queue_id);
			soak_fault_leave(lane, lane->plan.leaver);
			control_give(lane);
		}
		ret = is_kept_free(lane, side) ? -ENOSPC : soak_ops_post(lane, lane->next_op);
		if (ret == -ENOSPC) {
			rte_umr_submit(lane->queues[side]->dev_id, lane->queues[side]->queue_id);
			if (side == SOAK_NEAR)
				kick(lane);
			return false;
		}
		if (ret < 0) {
			/* The queue has failed; the ledger gets the failure later. */
			if (lane->rejected == 0)
				lane->rejected_op = lane->next_op;
			lane->rejected = ret;
			return true;
		}
		lane->next_op += (uint32_t)ret;
		nb += (uint32_t)ret;
	}
	return true;
}

static void
near_begin(struct soak_lane *lane)
{
	if (lane->plan.fault == SOAK_PEER_GONE && !lane->has_left) {
		if (!control_take(lane))
			return;
		soak_fault_leave(lane, SOAK_FAR);
		control_give(lane);
	} else {
		soak_ops_post_recvs(lane);
	}
	soak_fault_arm(lane);
	lane->next_op = 0;
	state_set(lane, SOAK_AT_NEAR);
}

/* The far queue configures all of its keys before the near one starts. */
static void
far_go_on(struct soak_lane *lane)
{
	struct soak_queue *q = lane->queues[SOAK_FAR];

	if (lane->transport == SOAK_PEER) {
		near_begin(lane);
		return;
	}
	if (lane->transport == SOAK_RC && !post_side(lane, SOAK_FAR))
		return;
	if (lane->transport == SOAK_RC)
		rte_umr_submit(q->dev_id, q->queue_id);
	if (!q->has_sends || soak_ledger_nb_out(&q->sends) == 0)
		near_begin(lane);
}

static bool
fills(const struct soak_lane *lane)
{
	return lane->plan.fault == SOAK_RING_FULL || lane->plan.fault == SOAK_CQ_FULL;
}

/* Fill the ring without collecting completions. */
static void
fill(struct soak_lane *lane)
{
	for (uint32_t i = 0; i < FILL_BURST; i++) {
		const int ret = soak_ops_fill(lane, lane->plan.fault == SOAK_CQ_FULL);

		if (ret >= 0)
			continue;
		if (ret == -ENOSPC)
			lane->tally.faults[lane->plan.fault]++;
		else if (!soak_lane_is_lost(lane))
			soak_lane_odd(lane, "filling the ring: %s", rte_strerror(-ret));
		state_set(lane, SOAK_AT_DRAIN);
		return;
	}
}

static void
drain(struct soak_lane *lane)
{
	struct soak_queue *q = lane->queues[SOAK_NEAR];

	rte_umr_submit(q->dev_id, q->queue_id);
	if (soak_ledger_nb_out(&q->sends) != 0) {
		kick(lane);
		return;
	}
	if (has_failed(lane)) {
		lane->recovery_start = 0;
		state_set(lane, SOAK_AT_RECOVER);
	} else if (soak_lane_nb_out(lane) == 0) {
		/* If the device was just lost, the next check detects that. */
		if (lane->rejected != 0 && !soak_device_is_lost(lane->device))
			soak_lane_odd(lane, "[%u] was rejected by a queue that is well: %s",
				      lane->rejected_op, rte_strerror(-lane->rejected));
		state_set(lane, SOAK_AT_SETTLE);
	}
}

static void
recover(struct soak_lane *lane)
{
	/*
	 * The device must work during recovery, so end an armed fault and hold the lock until it is
	 * done.
	 */
	if (!lane->has_control && !control_take(lane))
		return;
	soak_fault_disarm(lane);
	if (soak_recover(lane))
		state_set(lane, SOAK_AT_SETTLE);
}

static void
settle(struct soak_lane *lane)
{
	struct soak_ledger *ledger;
	unsigned int i;

	/* Check that nothing completes twice. */
	soak_ops_collect(lane);
	soak_fault_disarm(lane);
	soak_settle(lane);
	soak_settle_keys(lane);
	control_give(lane);
	SOAK_FOREACH_LEDGER(ledger, i, lane)
		ledger->anywhere = 0;
	report_wrongs(lane);
	lane->tally.nb_steps++;
	lane->next_step++;
	state_set(lane, lane->device->conf->has_one_step ? SOAK_AT_END : SOAK_AT_PLAN);
}

/* Outstanding operations are lost, and the state of the queue is unknown. */
static void
give_up(struct soak_lane *lane)
{
	struct soak_ledger *ledger;
	unsigned int i;

	SOAK_FOREACH_LEDGER(ledger, i, lane)
		soak_ledger_give_up(ledger);
	soak_lane_odd(lane, "%s in %u s", lane->state == SOAK_AT_RECOVER ?
		      "the queue does not recover" :
		      lane->state == SOAK_AT_FAR || lane->state == SOAK_AT_NEAR ?
		      "the ring has no room, or the lock is not given up" :
		      "the step does not come to its end", SOAK_DEADLINE_S);
	report_wrongs(lane);
	soak_fault_disarm(lane);
	control_give(lane);
	lane->state = SOAK_AT_END;
}

/* End the step of a lost device when no operation is outstanding. */
static void
lose(struct soak_lane *lane)
{
	if (soak_lane_nb_out(lane) == 0)
		state_set(lane, SOAK_AT_SETTLE);
}

bool
soak_step_go_on(struct soak_lane *lane)
{
	if (lane->state >= SOAK_AT_FAR && lane->state <= SOAK_AT_RECOVER && soak_lane_is_lost(lane))
		state_set(lane, SOAK_AT_LOST);
	/* Do not collect while a ring is being filled. */
	if (lane->state != SOAK_AT_PLAN && lane->state != SOAK_AT_SETTLE &&
	    !(fills(lane) && (lane->state == SOAK_AT_NEAR || lane->state == SOAK_AT_FILL)))
		soak_ops_collect(lane);
	switch (lane->state) {
	case SOAK_AT_PLAN:
		plan(lane);
		break;
	case SOAK_AT_FAR:
		far_go_on(lane);
		break;
	case SOAK_AT_NEAR:
		if (post_side(lane, SOAK_NEAR))
			state_set(lane, fills(lane) ? SOAK_AT_FILL : SOAK_AT_DRAIN);
		else if (fills(lane))
			soak_ops_collect(lane);
		break;
	case SOAK_AT_FILL:
		fill(lane);
		break;
	case SOAK_AT_DRAIN:
		drain(lane);
		break;
	case SOAK_AT_RECOVER:
		recover(lane);
		break;
	case SOAK_AT_LOST:
		lose(lane);
		break;
	case SOAK_AT_SETTLE:
		settle(lane);
		break;
	default:
		return false;
	}
	/* Operations of a server that is gone are not waited for. */
	if (soak_remote_is_gone(lane->device)) {
		control_give(lane);
		return false;
	}
	if (!soak_step_is_quiet(lane) && rte_get_timer_cycles() > lane->deadline)
		give_up(lane);
	return lane->state != SOAK_AT_END;
}
