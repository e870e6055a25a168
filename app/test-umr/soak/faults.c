/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_memory.h>

#include "soak/faults.h"
#include "soak/ops.h"
#include "soak/remote.h"
#include "swhca_control.h"

#define LINE_SIZE	128u
/* Maximum number of commands of a call; one of them fails. */
#define MAX_COMMAND	3u

#define WIRE		(SOAK_FAULT_BIT(SOAK_WIRE_LOSS) | SOAK_FAULT_BIT(SOAK_WIRE_DUP) |         \
			 SOAK_FAULT_BIT(SOAK_WIRE_REORDER))
/* Faults that require the control interface of a software device. */
#define CONTROLLED	(SOAK_FAULT_BIT(SOAK_STALL) | SOAK_FAULT_BIT(SOAK_ERROR_CQE) |            \
			 SOAK_FAULT_BIT(SOAK_DOORBELL) | SOAK_FAULT_BIT(SOAK_CQE_DELAY) |         \
			 SOAK_FAULT_BIT(SOAK_REMOVED) | WIRE)

static const struct {
	enum soak_fault fault;
	const char *name;
} device_faults[] = {
	{ SOAK_STALL, "engine-stall" },
	{ SOAK_ERROR_CQE, "error-cqe" },
	{ SOAK_DOORBELL, "doorbell-drop" },
	{ SOAK_CQE_DELAY, "cqe-delay" },
	/* A position that is never reached, because the driver may post its own work requests. */
	{ SOAK_REMOVED, "fatal,nth=4294967295" },
};

static const struct {
	const char *name;
	enum rte_umr_status status;
} syndromes[] = {
	{ "local-length", RTE_UMR_STATUS_LOCAL_LENGTH },
	{ "local-qp-op", RTE_UMR_STATUS_LOCAL_QP_OP },
	{ "local-prot", RTE_UMR_STATUS_LOCAL_PROT },
	{ "mw-bind", RTE_UMR_STATUS_MKEY_CONFIG },
	{ "bad-resp", RTE_UMR_STATUS_BAD_RESPONSE },
	{ "remote-inval-req", RTE_UMR_STATUS_REMOTE_INVALID },
	{ "remote-access", RTE_UMR_STATUS_REMOTE_ACCESS },
	{ "remote-op", RTE_UMR_STATUS_REMOTE_OP },
	{ "remote-aborted", RTE_UMR_STATUS_REMOTE_ABORTED },
};

unsigned int
soak_device_number(const struct soak_device *device)
{
	const char *name = device->info.dev_name;
	size_t len = strlen(name);

	while (len > 0 && name[len - 1] >= '0' && name[len - 1] <= '9')
		len--;
	return (unsigned int)strtoul(name + len, NULL, 10);
}

/* Only a device with a wire supports such faults. */
static bool
impair(const struct soak_device *device, const char *faults)
{
	char line[2 * LINE_SIZE];

	snprintf(line, sizeof(line), "impair %u %s", soak_device_number(device), faults);
	return swhca_control_do(getpid(), line, NULL, 0) == 0;
}

static bool
can_be_armed(const struct soak_device *device, const char *name)
{
	if (swhca_control_fault_arm(getpid(), soak_device_number(device), name, NULL, 0) != 0)
		return false;
	return swhca_control_fault_off(getpid(), soak_device_number(device), NULL) == 0;
}

uint32_t
soak_faults_possible(struct soak_device *device)
{
	const struct rte_umr_dev_info *info = &device->info;
	uint32_t possible = SOAK_ALL_FAULTS & ~(CONTROLLED | SOAK_FAULT_BIT(SOAK_COMMAND) |
						SOAK_FAULT_BIT(SOAK_UNMAPPED));

	if ((info->dev_capa & (RTE_UMR_CAPA_MW_TYPE_1 | RTE_UMR_CAPA_MW_TYPE_2B)) == 0 ||
	    (info->mr_access_capa & RTE_UMR_ACCESS_MW_BIND) == 0)
		possible &= ~SOAK_FAULT_BIT(SOAK_REVOKED_WINDOW);
	if ((info->dev_capa & RTE_UMR_CAPA_SEND) == 0)
		possible &= ~(SOAK_FAULT_BIT(SOAK_LENGTH) | SOAK_FAULT_BIT(SOAK_RNR));
	if ((info->dev_capa & RTE_UMR_CAPA_MR_ODP) == 0)
		possible &= ~(SOAK_FAULT_BIT(SOAK_ODP) | SOAK_FAULT_BIT(SOAK_ODP_HOLE));
	if ((info->dev_capa & RTE_UMR_CAPA_MKEY_SIG) == 0 ||
	    (info->dev_capa & RTE_UMR_CAPA_MKEY_CONFIGURE) == 0)
		possible &= ~SOAK_FAULT_BIT(SOAK_SIGNATURE);
	device->has_control = swhca_control_is_there(getpid());
	if (!device->has_control)
		return possible;
	/* An adapter keeps the pages of a region, whatever the process maps instead. */
	possible |= SOAK_FAULT_BIT(SOAK_COMMAND) | SOAK_FAULT_BIT(SOAK_UNMAPPED);
	if (impair(device, "off"))
		possible |= WIRE;
	for (unsigned int i = 0; i < RTE_DIM(device_faults); i++)
		if (can_be_armed(device, device_faults[i].name))
			possible |= SOAK_FAULT_BIT(device_faults[i].fault);
	return possible;
}

uint32_t
soak_faults_of_transport(unsigned int transport)
{
	const uint32_t peers = SOAK_FAULT_BIT(SOAK_PEER_RESET) | SOAK_FAULT_BIT(SOAK_PEER_GONE);
	/* On-demand pages, and a defined state of the receiver after an error, require RC. */
	const uint32_t not_dc = peers | SOAK_FAULT_BIT(SOAK_LENGTH) | SOAK_FAULT_BIT(SOAK_ODP) |
				SOAK_FAULT_BIT(SOAK_ODP_HOLE);
	/* A server accepts no messages, binds no windows, and never replaces its device. */
	const uint32_t not_peer = SOAK_FAULT_BIT(SOAK_LENGTH) | SOAK_FAULT_BIT(SOAK_RNR) |
				  SOAK_FAULT_BIT(SOAK_REVOKED_WINDOW) |
				  SOAK_FAULT_BIT(SOAK_REMOVED);

	switch (transport) {
	case SOAK_LOOPBACK:
		return SOAK_ALL_FAULTS & ~(peers | WIRE);
	case SOAK_DC:
		return SOAK_ALL_FAULTS & ~(not_dc | WIRE);
	case SOAK_PEER:
		return SOAK_ALL_FAULTS & ~not_peer;
	default:
		/* Devices of one process exchange data without packets. */
		return SOAK_ALL_FAULTS & ~WIRE;
	}
}

bool
soak_fault_is_exclusive(enum soak_fault fault)
{
	return fault == SOAK_COMMAND ||
	       (fault != SOAK_NB_FAULTS && (CONTROLLED & SOAK_FAULT_BIT(fault)) != 0);
}

/* Number of faults of the device since it was opened. */
static uint64_t
nb_fired(const struct soak_device *device)
{
	uint64_t nb = 0;

	swhca_control_fault_fired(getpid(), soak_device_number(device), NULL, &nb);
	return nb;
}

static void
arm(struct soak_lane *lane, const char *spec)
{
	char why[LINE_SIZE] = "";

	lane->nb_fired = nb_fired(lane->device);
	if (swhca_control_fault_arm(getpid(), soak_device_number(lane->device), spec, why,
				    sizeof(why)) == 0)
		lane->is_armed = true;
	else
		soak_lane_odd(lane, "arming %s: %s", spec, why);
}

/* No call returns the number of an initiator; the queue dump contains it. */
static uint32_t
dumped_qpn(const struct soak_queue *q)
{
	char *text = NULL, *at = NULL;
	uint32_t qpn = 0;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		return 0;
	rte_umr_queue_dump(q->dev_id, q->queue_id, 0, f);
	fclose(f);
	if (text != NULL)
		at = strstr(text, "qpn 0x");
	if (at != NULL)
		qpn = (uint32_t)strtoul(at + strlen("qpn "), NULL, 16);
	free(text);
	return qpn;
}

/* Number of the queue pair of the near queue. */
static uint32_t
near_qpn(const struct soak_lane *lane)
{
	const struct soak_queue *q = lane->queues[SOAK_NEAR];
	struct rte_umr_endpoint local;

	if (rte_umr_queue_endpoint_get(q->dev_id, q->queue_id, &local) != 0)
		return dumped_qpn(q);
	return rte_be_to_cpu_32(local.qpn);
}

static const struct {
	const char *name;
	const char *counter;	/* counter of the faults */
} wire_faults[] = {
	[SOAK_WIRE_LOSS - SOAK_WIRE_LOSS] = { "loss", "wire_lost" },
	[SOAK_WIRE_DUP - SOAK_WIRE_LOSS] = { "dup", "wire_duplicated" },
	[SOAK_WIRE_REORDER - SOAK_WIRE_LOSS] = { "reorder", "wire_reordered" },
};

/*
 * Affect a share of the packets of all queues. A transfer fails if all of its retries are lost;
 * duplicated or reordered packets are no reason to fail.
 */
static void
wire_arm(struct soak_lane *lane)
{
	char faults[LINE_SIZE];

	snprintf(faults, sizeof(faults), "%s=%u%%,seed=%u",
		 wire_faults[lane->plan.fault - SOAK_WIRE_LOSS].name, 1 + lane->plan.fault_arg % 10,
		 lane->plan.fault_at + 1);
	lane->is_armed = impair(lane->device, faults);
	if (lane->plan.fault == SOAK_WIRE_LOSS)
		lane->queues[SOAK_NEAR]->sends.anywhere |= SOAK_STATUS(RETRY_EXCEEDED);
	if (!lane->is_armed)
		soak_lane_odd(lane, "no %s", faults);
}

/* Whether the armed fault occurred; the step may not have reached it. */
static bool
has_fired(const struct soak_lane *lane)
{
	uint64_t nb = 0;

	if (!soak_fault_is_wire(lane->plan.fault))
		return nb_fired(lane->device) != lane->nb_fired;
	swhca_control_counter(getpid(), soak_device_number(lane->device),
			      wire_faults[lane->plan.fault - SOAK_WIRE_LOSS].counter, &nb);
	return nb != 0;
}

static bool
disarm(const struct soak_lane *lane)
{
	if (soak_fault_is_wire(lane->plan.fault))
		return impair(lane->device, "off");
	return swhca_control_fault_off(getpid(), soak_device_number(lane->device), NULL) == 0;
}

void
soak_fault_arm(struct soak_lane *lane)
{
	struct soak_queue *q = lane->queues[SOAK_NEAR];
	const struct soak_plan *plan = &lane->plan;
	const unsigned int n = (unsigned int)(plan->fault_arg % RTE_DIM(syndromes));
	char spec[LINE_SIZE];

	if (soak_fault_is_wire(plan->fault)) {
		wire_arm(lane);
		return;
	}
	switch (plan->fault) {
	case SOAK_STALL:
		snprintf(spec, sizeof(spec), "engine-stall,time=%u", plan->fault_arg);
		break;
	case SOAK_ERROR_CQE:
		snprintf(spec, sizeof(spec), "error-cqe,qp=%u,nth=%u,syndrome=%s", near_qpn(lane),
			 plan->fault_at + 1, syndromes[n].name);
		q->sends.anywhere = (uint16_t)(1u << syndromes[n].status);
		break;
	case SOAK_DOORBELL:
		snprintf(spec, sizeof(spec), "doorbell-%s,qp=%u",
			 (plan->fault_arg & 1) != 0 ? "drop" : "delay", near_qpn(lane));
		break;
	case SOAK_CQE_DELAY:
		snprintf(spec, sizeof(spec), "cqe-delay,qp=%u,one-of=3,seed=%u,time=%u",
			 near_qpn(lane), plan->fault_at + 1, plan->fault_arg);
		break;
	case SOAK_REMOVED:
		snprintf(spec, sizeof(spec), "fatal,qp=%u,nth=%u", near_qpn(lane),
			 plan->fault_at + 1);
		break;
	default:
		return;
	}
	if (plan->fault == SOAK_REMOVED)
		__atomic_store_n(&lane->device->is_to_be_lost, true, __ATOMIC_RELEASE);
	arm(lane, spec);
}

/* Check that the queue failed if and only if the fault occurred. */
static void
fired_check(struct soak_lane *lane, bool fired)
{
	if (lane->plan.fault == SOAK_REMOVED && !fired)
		__atomic_store_n(&lane->device->is_to_be_lost, false, __ATOMIC_RELEASE);
	if (lane->plan.fault == SOAK_ERROR_CQE && !lane->is_lost &&
	    fired != lane->queues[SOAK_NEAR]->sends.has_failed)
		soak_lane_odd(lane, "the device made %s fail, the queue reports %s",
			      fired ? "an operation" : "nothing", fired ? "none" : "a failure");
}

/* The device counts faults. */
void
soak_fault_disarm(struct soak_lane *lane)
{
	bool fired;

	if (!lane->is_armed)
		return;
	lane->is_armed = false;
	fired = has_fired(lane);
	lane->tally.faults[lane->plan.fault] += fired;
	fired_check(lane, fired);
	if (!disarm(lane))
		soak_lane_odd(lane, "a fault cannot be taken back");
}

static bool
command_arm(struct soak_lane *lane, unsigned int n)
{
	char line[LINE_SIZE];

	snprintf(line, sizeof(line), "fail-command %u %u", soak_device_number(lane->device), n);
	if (swhca_control_do(getpid(), line, NULL, 0) == 0)
		return true;
	soak_lane_odd(lane, "%s was rejected", line);
	return false;
}

/* Call a function that uses commands, and undo it. */
static bool
command_try(struct soak_lane *lane, unsigned int which)
{
	const int16_t dev_id = lane->device->dev_id;
	const struct rte_umr_mr_conf mr_conf = {
		.addr = lane->ends[SOAK_NEAR].twins[SOAK_PINNED].memory, .len = SOAK_AREA_SIZE,
	};
	const struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = 2, .max_entries = 4, .socket_id = SOCKET_ID_ANY,
	};
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mr *mr;
	struct rte_umr_pd *pd;

	switch (which) {
	case 0:
		mr = rte_umr_mr_register(dev_id, &mr_conf);
		return mr != NULL && rte_umr_mr_deregister(mr) == 0;
	case 1:
		pool = rte_umr_mkey_pool_create(dev_id, &pool_conf);
		return pool != NULL && rte_umr_mkey_pool_destroy(pool) == 0;
	default:
		pd = rte_umr_pd_alloc(dev_id);
		return pd != NULL && rte_umr_pd_free(pd) == 0;
	}
}

void
soak_fault_command(struct soak_lane *lane)
{
	const unsigned int which = lane->plan.fault_arg % 3;
	const unsigned int n = 1 + lane->plan.fault_at % (which == 1 ? MAX_COMMAND : 1);

	if (which == 2 && (lane->device->info.dev_capa & RTE_UMR_CAPA_PD) == 0)
		return;
	if (!command_arm(lane, n))
		return;
	if (!command_try(lane, which))
		lane->tally.faults[SOAK_COMMAND]++;
	if (command_arm(lane, 0) && !command_try(lane, which))
		soak_lane_odd(lane, "call %u fails again, behind a command that failed", which);
}

void
soak_fault_leave(struct soak_lane *lane, enum soak_side side)
{
	struct soak_queue *q = lane->queues[side], *peer = lane->queues[!side];
	int ret = 0;

	if (q == NULL) {
		soak_remote_leave(lane);
	} else {
		ret = rte_umr_queue_recover(q->dev_id, q->queue_id);
		q->sends.anywhere |= SOAK_STATUS(FLUSHED);
		q->recvs.anywhere |= SOAK_STATUS(FLUSHED);
	}
	if (peer != NULL) {
		peer->sends.anywhere |= SOAK_STATUS(RETRY_EXCEEDED);
		peer->recvs.anywhere |= SOAK_STATUS(FLUSHED);
	}
	lane->has_left = true;
	lane->must_recover = true;
	/* -EBUSY: outstanding operations must be collected. */
	if (ret == 0 || ret == -EBUSY)
		lane->tally.faults[lane->plan.fault]++;
	else
		soak_lane_odd(lane, "queue %u cannot leave its peer: %s", lane->number,
			      rte_strerror(-ret));
}
