/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rc_qp.h"
#include "wire.h"

#define TIMEOUT_MS 60000
#define MAX_WR 128u
/* Bytes in flight: two halves; the last request of each half requests a completion. */
#define HALF_BYTES (1u << 20)
#define ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE)

/* Information that the processes exchange. */
struct end {
	struct ibv_ah_attr ah;
	uint32_t qpn;
	uint32_t rkey;
	uint64_t addr;
};

struct wire_bed {
	struct ibv_context *ibv;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	void *memory;
	struct end peer;
};

static bool
bed_error(const char *what)
{
	fprintf(stderr, "swhca-speed: %s: %s\n", what, strerror(errno));
	return false;
}

static bool
device_open(struct wire_bed *bed)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	errno = ENODEV;
	if (list != NULL && list[0] != NULL)
		bed->ibv = ibv_open_device(list[0]);
	if (list != NULL)
		ibv_free_device_list(list);
	if (bed->ibv == NULL)
		return bed_error("no device can be opened (start it as 'swhca-run --wire udp "
				 "swhca-speed --wire')");
	return true;
}

static bool
objects_create(struct wire_bed *bed)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .cap = {
		.max_send_wr = 2 * MAX_WR, .max_send_sge = 1, .max_inline_data = 64 } };

	bed->memory = aligned_alloc(4096, WIRE_MAX_LEN);
	if (bed->memory == NULL)
		return bed_error("aligned_alloc");
	memset(bed->memory, 0x5a, WIRE_MAX_LEN);
	bed->pd = ibv_alloc_pd(bed->ibv);
	if (bed->pd == NULL)
		return bed_error("ibv_alloc_pd");
	bed->mr = ibv_reg_mr(bed->pd, bed->memory, WIRE_MAX_LEN, ACCESS);
	if (bed->mr == NULL)
		return bed_error("ibv_reg_mr");
	bed->channel = ibv_create_comp_channel(bed->ibv);
	if (bed->channel == NULL)
		return bed_error("ibv_create_comp_channel");
	bed->cq = ibv_create_cq(bed->ibv, 2 * MAX_WR, NULL, bed->channel, 0);
	if (bed->cq == NULL)
		return bed_error("ibv_create_cq");
	attr.send_cq = attr.recv_cq = bed->cq;
	bed->qp = ibv_create_qp(bed->pd, &attr);
	return bed->qp != NULL || bed_error("ibv_create_qp");
}

static bool
ends_meet(struct wire_bed *bed, int peer)
{
	const struct rc_qp_conf conf = { .access = ACCESS, .mtu = IBV_MTU_4096, .rd_atomic = 16,
					 .min_rnr_timer = 12, .timeout = 14, .retry_cnt = 7,
					 .rnr_retry = 7 };
	struct end own = { .qpn = bed->qp->qp_num, .rkey = bed->mr->rkey,
			   .addr = (uintptr_t)bed->memory };
	uint8_t word = 0;

	errno = rc_qp_own_address(bed->ibv, &own.ah);
	if (errno != 0)
		return bed_error("address of the port");
	if (!wire_tell(peer, &own, sizeof(own)) || !wire_hear(peer, &bed->peer, sizeof(own)))
		return false;
	errno = rc_qp_connect(bed->qp, &conf, &bed->peer.ah, bed->peer.qpn);
	if (errno != 0)
		return bed_error("connecting the queue pair");
	/* Do not start before the other process can receive. */
	return wire_tell(peer, &word, sizeof(word)) && wire_hear(peer, &word, sizeof(word));
}

struct wire_bed *
wire_bed_open(int peer)
{
	struct wire_bed *bed = calloc(1, sizeof(*bed));

	if (bed == NULL) {
		bed_error("calloc");
		return NULL;
	}
	if (device_open(bed) && objects_create(bed) && ends_meet(bed, peer))
		return bed;
	wire_bed_close(bed);
	return NULL;
}

void
wire_bed_close(struct wire_bed *bed)
{
	if (bed == NULL)
		return;
	if (bed->qp != NULL)
		ibv_destroy_qp(bed->qp);
	if (bed->cq != NULL)
		ibv_destroy_cq(bed->cq);
	if (bed->channel != NULL)
		ibv_destroy_comp_channel(bed->channel);
	if (bed->mr != NULL)
		ibv_dereg_mr(bed->mr);
	if (bed->pd != NULL)
		ibv_dealloc_pd(bed->pd);
	if (bed->ibv != NULL)
		ibv_close_device(bed->ibv);
	free(bed->memory);
	free(bed);
}

const char *
wire_bed_device(const struct wire_bed *bed)
{
	return ibv_get_device_name(bed->ibv->device);
}

static bool
post(struct wire_bed *bed, enum ibv_wr_opcode opcode, uint32_t len, uint32_t nb)
{
	struct ibv_sge sge = { .addr = (uintptr_t)bed->memory, .length = len,
			       .lkey = bed->mr->lkey };
	struct ibv_send_wr wrs[MAX_WR], *bad;
	uint32_t i;

	for (i = 0; i < nb; i++) {
		wrs[i] = (struct ibv_send_wr){ .next = i + 1 < nb ? &wrs[i + 1] : NULL,
			.sg_list = &sge, .num_sge = 1, .opcode = opcode,
			.send_flags = i + 1 < nb ? 0 : IBV_SEND_SIGNALED };
		wrs[i].wr.rdma.remote_addr = bed->peer.addr;
		wrs[i].wr.rdma.rkey = bed->peer.rkey;
	}
	errno = ibv_post_send(bed->qp, wrs, &bad);
	return errno == 0 || bed_error("ibv_post_send");
}

/* @return Number of completions, at most one; -1 after an error completion was printed. */
static int
take(struct wire_bed *bed)
{
	struct ibv_wc wc;
	int ret = ibv_poll_cq(bed->cq, 1, &wc);

	if (ret <= 0 || wc.status == IBV_WC_SUCCESS)
		return ret;
	fprintf(stderr, "swhca-speed: completion: %s%s\n", ibv_wc_status_str(wc.status),
		wc.status == IBV_WC_RETRY_EXC_ERR ?
			" (devices of two processes need 'swhca-run --wire udp')" : "");
	return -1;
}

/* Wait without using the CPU, which the devices of both ends need. */
static bool
sleep_for_one(struct wire_bed *bed)
{
	struct pollfd fd = { .fd = bed->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;
	int ret;

	for (;;) {
		ret = take(bed);
		if (ret != 0)
			return ret > 0;
		errno = ibv_req_notify_cq(bed->cq, 0);
		if (errno != 0)
			return bed_error("ibv_req_notify_cq");
		ret = take(bed);
		if (ret != 0)
			return ret > 0;
		errno = ETIMEDOUT;
		if (poll(&fd, 1, TIMEOUT_MS) != 1 ||
		    ibv_get_cq_event(bed->channel, &cq, &context) != 0)
			return bed_error("no completion");
		ibv_ack_cq_events(cq, 1);
	}
}

bool
wire_bed_probe(struct wire_bed *bed)
{
	return post(bed, IBV_WR_RDMA_WRITE, 64, 1) && sleep_for_one(bed);
}

double
wire_bed_stream(struct wire_bed *bed, bool is_read, uint32_t len, uint64_t ns)
{
	enum ibv_wr_opcode opcode = is_read ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
	uint32_t nb = len < HALF_BYTES / MAX_WR ? MAX_WR : (HALF_BYTES + len - 1) / len;
	uint64_t start = wire_now_ns(), now, nb_halves = 0;

	if (!post(bed, opcode, len, nb))
		return 0;
	do {
		if (!post(bed, opcode, len, nb) || !sleep_for_one(bed))
			return 0;
		nb_halves++;
		now = wire_now_ns();
	} while (now - start < ns);
	if (!sleep_for_one(bed))
		return 0;
	return (double)((nb_halves + 1) * nb * len) * 1e9 / (double)(wire_now_ns() - start);
}

double
wire_bed_round_trip(struct wire_bed *bed, uint32_t len, uint32_t nb)
{
	uint64_t start = wire_now_ns(), end = start + TIMEOUT_MS * UINT64_C(1000000);
	uint32_t i;
	int ret;

	for (i = 0; i < nb; i++) {
		if (!post(bed, IBV_WR_RDMA_WRITE, len, 1))
			return 0;
		while ((ret = take(bed)) == 0) {
			if (wire_now_ns() > end) {
				errno = ETIMEDOUT;
				bed_error("no completion");
				return 0;
			}
			/* The engine may have no other CPU. */
			sched_yield();
		}
		if (ret < 0)
			return 0;
	}
	return (double)(wire_now_ns() - start) / 1e9 / nb;
}
