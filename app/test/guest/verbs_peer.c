/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* A side of the scenario that is a queue pair of libibverbs, of whatever device. */

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "../patience.h"
#include "scenario.h"

#define NB_WRS		64
#define GRH_LEN		40u
#define MAX_RD_ATOMIC	8
#define OWN_PSN		0xfffff0u	/* Numbers begin again soon. */

struct verbs_side {
	struct side side;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_mr *shared_mr;
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	struct ibv_qp *qp;
	struct ibv_ah *ah;
	uint8_t *arena;
	uint8_t gid_index;
	struct side_place own;
	struct side_place other;
	/* Receives in the order in which they were posted. */
	const uint8_t *receives[NB_WRS];
	uint32_t nb_posted;
	uint32_t nb_received;
};

static struct verbs_side peer;

static void
post_receive(struct side *side, uint8_t *buf, uint32_t len)
{
	struct verbs_side *v = (struct verbs_side *)side;
	struct ibv_sge sge = { .addr = (uintptr_t)buf, .length = len, .lkey = v->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = len != 0 ? 1 : 0 }, *bad;
	uint32_t slot = v->nb_posted++ % NB_WRS;

	/* A datagram comes behind its network header: these are kept apart from the messages. */
	if (side->service == SIDE_UD) {
		buf = v->arena + 3 * SIDE_MEMORY + slot * (side->mtu + GRH_LEN);
		sge = (struct ibv_sge){ .addr = (uintptr_t)buf, .length = len + GRH_LEN,
					.lkey = v->mr->lkey };
		wr.num_sge = 1;
		buf += GRH_LEN;
	}
	v->receives[slot] = buf;
	if (ibv_post_recv(v->qp, &wr, &bad) != 0)
		fail("ibv_post_recv: %s", strerror(errno));
}

static void
remote_fill(const struct verbs_side *v, const struct side_request *request, struct ibv_send_wr *wr)
{
	uint64_t addr = v->other.addr + request->offset;
	uint32_t rkey = v->other.rkey ^ (request->has_wrong_key ? 0xff : 0);

	switch (request->op) {
	case SIDE_SEND:
		if (v->side.service != SIDE_UD)
			break;
		wr->wr.ud.ah = v->ah;
		wr->wr.ud.remote_qpn = v->other.qpn;
		wr->wr.ud.remote_qkey = SIDE_QKEY;
		break;
	case SIDE_WRITE:
	case SIDE_READ:
		wr->wr.rdma.remote_addr = addr;
		wr->wr.rdma.rkey = rkey;
		break;
	case SIDE_CMP_SWAP:
	case SIDE_FETCH_ADD:
		wr->wr.atomic.remote_addr = addr;
		wr->wr.atomic.rkey = rkey;
		wr->wr.atomic.compare_add =
			request->op == SIDE_CMP_SWAP ? request->compare : request->swap_add;
		wr->wr.atomic.swap = request->swap_add;
		break;
	}
}

static void
post(struct side *side, const struct side_request *request)
{
	static const enum ibv_wr_opcode opcodes[] = {
		[SIDE_SEND] = IBV_WR_SEND,
		[SIDE_WRITE] = IBV_WR_RDMA_WRITE,
		[SIDE_READ] = IBV_WR_RDMA_READ,
		[SIDE_CMP_SWAP] = IBV_WR_ATOMIC_CMP_AND_SWP,
		[SIDE_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	struct verbs_side *v = (struct verbs_side *)side;
	struct ibv_sge sge = { .addr = (uintptr_t)request->local, .length = request->len,
			       .lkey = v->mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = request->len != 0 ? 1 : 0,
				  .opcode = opcodes[request->op],
				  .send_flags = IBV_SEND_SIGNALED }, *bad;

	if (request->has_imm) {
		wr.opcode = request->op == SIDE_SEND ? IBV_WR_SEND_WITH_IMM :
						       IBV_WR_RDMA_WRITE_WITH_IMM;
		wr.imm_data = htonl(request->imm);
	}
	remote_fill(v, request, &wr);
	if (ibv_post_send(v->qp, &wr, &bad) != 0)
		fail("ibv_post_send: %s", strerror(errno));
}

static struct ibv_wc
wait_for(struct ibv_cq *cq)
{
	uint64_t end = patience_end();
	struct ibv_wc wc;
	int ret;

	do {
		ret = ibv_poll_cq(cq, 1, &wc);
		if (ret < 0)
			fail("ibv_poll_cq fails");
		if (patience_is_over(end))
			fail("no completion for %u s", patience_s());
	} while (ret == 0);
	return wc;
}

static bool
complete(struct side *side)
{
	struct ibv_wc wc = wait_for(((struct verbs_side *)side)->send_cq);

	if (wc.status != IBV_WC_SUCCESS)
		printf("completion: %s\n", ibv_wc_status_str(wc.status));
	return wc.status == IBV_WC_SUCCESS;
}

static struct side_received
receive(struct side *side)
{
	struct verbs_side *v = (struct verbs_side *)side;
	struct ibv_wc wc = wait_for(v->recv_cq);
	struct side_received got = { .data = v->receives[v->nb_received++ % NB_WRS] };

	if (wc.status != IBV_WC_SUCCESS)
		fail("a receive completes with %s", ibv_wc_status_str(wc.status));
	got.len = wc.byte_len - (side->service == SIDE_UD ? GRH_LEN : 0);
	got.has_imm = (wc.wc_flags & IBV_WC_WITH_IMM) != 0;
	got.imm = ntohl(wc.imm_data);
	return got;
}

static const struct side_ops verbs_ops = {
	.post_receive = post_receive, .post = post, .complete = complete, .receive = receive,
};

static void
device_open(struct verbs_side *v, const char *name)
{
	struct ibv_device **devices = ibv_get_device_list(NULL);
	unsigned int i;

	for (i = 0; devices != NULL && devices[i] != NULL && v->context == NULL; i++) {
		if (name == NULL || strcmp(ibv_get_device_name(devices[i]), name) == 0)
			v->context = ibv_open_device(devices[i]);
	}
	if (v->context == NULL)
		fail("no device %s", name != NULL ? name : "at all");
	ibv_free_device_list(devices);
}

/* The RoCE v2 address of IPv4: others on the link have none but that. */
static void
gid_find(struct verbs_side *v)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct ibv_gid_entry entries[64];
	ssize_t i, nb = ibv_query_gid_table(v->context, entries, 64, 0);

	for (i = 0; i < nb; i++) {
		if (entries[i].gid_type != IBV_GID_TYPE_ROCE_V2 ||
		    memcmp(entries[i].gid.raw, mapped, sizeof(mapped)) != 0)
			continue;
		v->gid_index = (uint8_t)entries[i].gid_index;
		memcpy(v->own.gid, entries[i].gid.raw, 16);
		return;
	}
	fail("no RoCE v2 address of IPv4");
}

static void
memory_create(struct verbs_side *v)
{
	size_t len = 3 * SIDE_MEMORY + NB_WRS * (v->side.mtu + GRH_LEN);

	if (posix_memalign((void **)&v->arena, 4096, len + SIDE_MEMORY) != 0)
		fail("out of memory");
	memset(v->arena, 0, len);
	v->side.local = v->arena;
	v->side.inbox = v->arena + SIDE_MEMORY;
	v->side.memory = v->arena + 2 * SIDE_MEMORY;
	v->pd = ibv_alloc_pd(v->context);
	if (v->pd == NULL)
		fail("ibv_alloc_pd: %s", strerror(errno));
	v->mr = ibv_reg_mr(v->pd, v->arena, len, IBV_ACCESS_LOCAL_WRITE);
	v->shared_mr = ibv_reg_mr(v->pd, v->side.memory, SIDE_MEMORY,
				  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				  IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	if (v->mr == NULL || v->shared_mr == NULL)
		fail("ibv_reg_mr: %s", strerror(errno));
}

static void
qp_create(struct verbs_side *v)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	struct ibv_qp_init_attr init = {
		.qp_type = types[v->side.service],
		.cap = { .max_send_wr = NB_WRS, .max_recv_wr = NB_WRS, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = SIDE_QKEY };
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	v->send_cq = ibv_create_cq(v->context, NB_WRS, NULL, NULL, 0);
	v->recv_cq = ibv_create_cq(v->context, NB_WRS, NULL, NULL, 0);
	if (v->send_cq == NULL || v->recv_cq == NULL)
		fail("ibv_create_cq: %s", strerror(errno));
	init.send_cq = v->send_cq;
	init.recv_cq = v->recv_cq;
	v->qp = ibv_create_qp(v->pd, &init);
	if (v->qp == NULL)
		fail("ibv_create_qp: %s", strerror(errno));
	attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	if (v->side.service == SIDE_RC)
		attr.qp_access_flags |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	mask |= v->side.service == SIDE_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	if (ibv_modify_qp(v->qp, &attr, mask) != 0)
		fail("ibv_modify_qp to INIT: %s", strerror(errno));
	v->own.qpn = v->qp->qp_num;
	v->own.psn = OWN_PSN;
	v->own.rkey = v->shared_mr->rkey;
	v->own.addr = (uintptr_t)v->side.memory;
}

static enum ibv_mtu
path_mtu_of(uint32_t bytes)
{
	enum ibv_mtu mtu;

	for (mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++) {
		if (128u << mtu == bytes)
			return mtu;
	}
	fail("path MTU %u is none of 256, 512, 1024, 2048, 4096", bytes);
}

static void
qp_to_rtr(struct verbs_side *v)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = path_mtu_of(v->side.mtu),
		.dest_qp_num = v->other.qpn, .rq_psn = v->other.psn,
		.max_dest_rd_atomic = MAX_RD_ATOMIC,
		.min_rnr_timer = 14,	/* 1 ms */
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .sgid_index = v->gid_index, .hop_limit = 64 } },
	};
	int mask = IBV_QP_STATE;

	memcpy(attr.ah_attr.grh.dgid.raw, v->other.gid, 16);
	if (v->side.service != SIDE_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (v->side.service == SIDE_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	if (ibv_modify_qp(v->qp, &attr, mask) != 0)
		fail("ibv_modify_qp to RTR: %s", strerror(errno));
	if (v->side.service != SIDE_UD)
		return;
	v->ah = ibv_create_ah(v->pd, &attr.ah_attr);
	if (v->ah == NULL)
		fail("ibv_create_ah: %s", strerror(errno));
}

static void
qp_to_rts(struct verbs_side *v)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .sq_psn = v->own.psn,
		.timeout = 17,		/* 0.5 s: an emulated processor takes its time. */
		.retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = MAX_RD_ATOMIC,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (v->side.service == SIDE_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	if (ibv_modify_qp(v->qp, &attr, mask) != 0)
		fail("ibv_modify_qp to RTS: %s", strerror(errno));
}

/* What the port has dropped for its ICRC, if the device counts that. */
static void
icrc_print(const struct verbs_side *v)
{
	char path[256];
	unsigned int value;
	FILE *file;

	snprintf(path, sizeof(path),
		 "/sys/class/infiniband/%s/ports/1/hw_counters/rx_icrc_encapsulated",
		 ibv_get_device_name(v->context->device));
	file = fopen(path, "r");
	if (file == NULL)
		return;
	if (fscanf(file, "%u", &value) == 1)
		printf("rx_icrc_encapsulated %u\n", value);
	fclose(file);
}

static void
destroy(struct verbs_side *v)
{
	if (v->ah != NULL)
		ibv_destroy_ah(v->ah);
	ibv_destroy_qp(v->qp);
	ibv_destroy_cq(v->send_cq);
	ibv_destroy_cq(v->recv_cq);
	ibv_dereg_mr(v->mr);
	ibv_dereg_mr(v->shared_mr);
	ibv_dealloc_pd(v->pd);
	ibv_close_device(v->context);
	free(v->arena);
	close(v->side.channel.fd);
}

int
main(int argc, char **argv)
{
	const char *device = NULL, *host = NULL;
	bool is_refusal = false;
	int opt;

	peer.side.mtu = 1024;
	while ((opt = getopt(argc, argv, "c:d:m:t:x")) != -1) {
		switch (opt) {
		case 'c': host = optarg; break;
		case 'd': device = optarg; break;
		case 'm': peer.side.mtu = (uint32_t)atoi(optarg); break;
		case 't': peer.side.service = side_service_of(optarg); break;
		case 'x': is_refusal = true; break;
		default: optind = argc + 1;
		}
	}
	if (optind != argc - 1)
		fail("usage: verbs-peer [-c HOST] [-d DEVICE] [-m MTU] [-t SERVICE] [-x] PORT");
	peer.side.ops = &verbs_ops;
	device_open(&peer, device);
	gid_find(&peer);
	memory_create(&peer);
	qp_create(&peer);
	if (host != NULL)
		channel_connect(&peer.side.channel, host, argv[optind]);
	else
		channel_listen(&peer.side.channel, argv[optind]);
	side_exchange(&peer.side, &peer.own, &peer.other);
	qp_to_rtr(&peer);
	qp_to_rts(&peer);
	/* Whoever sends first may do so now. */
	channel_say(&peer.side.channel, "connected");
	channel_expect(&peer.side.channel, "connected");
	if (is_refusal)
		scenario_refusal(&peer.side, host == NULL);
	else
		scenario_run(&peer.side, host == NULL);
	icrc_print(&peer);
	destroy(&peer);
	printf("passed\n");
	return 0;
}
