/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A program that has objects of every kind, tells what libibverbs says of them, and runs commands
 * while it has them:
 *
 *   interop-resources [-q N] COMMAND...
 *
 * The commands find the number of a queue pair in RC_QPN. The first line of output is a JSON
 * object, the others are what the commands write. Status 0 if all of them end with 0. -q: make N
 * more queue pairs.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "../check.h"

#define LEN 8192

struct objects {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_qp *rc;
	struct ibv_qp *ud;
	struct ibv_mr *mr;
	struct ibv_mr *odp_mr;
};

static struct ibv_qp *
qp_create(const struct objects *objects, enum ibv_qp_type type, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = objects->cq, .recv_cq = objects->cq, .srq = srq, .qp_type = type,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	return ibv_create_qp(objects->pd, &attr);
}

/* To RTS, connected to itself. */
static void
rc_connect(struct ibv_qp *qp)
{
	const int init = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
	const int rtr = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	const int rts = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_port_attr port;

	CHECK(ibv_query_port(qp->context, 1, &port) == 0);
	CHECK(ibv_modify_qp(qp, &attr, init) == 0);
	attr.qp_state = IBV_QPS_RTR;
	attr.path_mtu = IBV_MTU_1024;
	attr.dest_qp_num = qp->qp_num;
	attr.rq_psn = 0x123;
	attr.ah_attr.port_num = 1;
	attr.ah_attr.dlid = port.lid;
	if (port.link_layer == IBV_LINK_LAYER_ETHERNET) {
		attr.ah_attr.is_global = 1;
		attr.ah_attr.grh.sgid_index = 1;
		CHECK(ibv_query_gid(qp->context, 1, 1, &attr.ah_attr.grh.dgid) == 0);
	}
	CHECK(ibv_modify_qp(qp, &attr, rtr) == 0);
	attr.qp_state = IBV_QPS_RTS;
	attr.sq_psn = 0x456;
	CHECK(ibv_modify_qp(qp, &attr, rts) == 0);
}

static void
objects_create(struct objects *objects, struct ibv_device *dev)
{
	const int odp = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND;
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 4, .max_sge = 1 } };
	uint8_t *buf = aligned_alloc(4096, 2 * LEN);

	CHECK(buf != NULL);
	objects->ctx = ibv_open_device(dev);
	CHECK(objects->ctx != NULL);
	objects->pd = ibv_alloc_pd(objects->ctx);
	objects->cq = ibv_create_cq(objects->ctx, 5, NULL, NULL, 0);
	CHECK(objects->pd != NULL && objects->cq != NULL);
	objects->srq = ibv_create_srq(objects->pd, &srq);
	objects->rc = qp_create(objects, IBV_QPT_RC, NULL);
	objects->mr = ibv_reg_mr(objects->pd, buf, LEN, IBV_ACCESS_LOCAL_WRITE);
	objects->odp_mr = ibv_reg_mr(objects->pd, buf + LEN, LEN, odp);
	CHECK(objects->srq != NULL && objects->rc != NULL);
	objects->ud = qp_create(objects, IBV_QPT_UD, objects->srq);
	CHECK(objects->ud != NULL && objects->mr != NULL && objects->odp_mr != NULL);
	rc_connect(objects->rc);
}

static void
gids_tell(struct ibv_context *ctx, const struct ibv_port_attr *port)
{
	union ibv_gid gid;
	int i, j;

	printf("\"gids\": [");
	for (i = 0; i < port->gid_tbl_len; i++) {
		if (ibv_query_gid(ctx, 1, i, &gid) != 0 || gid.global.subnet_prefix +
		    gid.global.interface_id == 0)
			continue;
		printf("%s\"", i == 0 ? "" : ", ");
		for (j = 0; j < 16; j++)
			printf("%02x", gid.raw[j]);
		printf("\"");
	}
	printf("], ");
}

static void
device_tell(struct ibv_context *ctx)
{
	struct ibv_device_attr attr;
	struct ibv_port_attr port;

	CHECK(ibv_query_device(ctx, &attr) == 0 && ibv_query_port(ctx, 1, &port) == 0);
	gids_tell(ctx, &port);
	printf("\"name\": \"%s\", \"fw\": \"%s\", \"caps\": %u, \"lid\": %u, \"sm_lid\": %u, "
	       "\"lmc\": %u, \"state\": %d, \"phys_state\": %u, \"guid\": \"%016" PRIx64 "\", ",
	       ibv_get_device_name(ctx->device), attr.fw_ver, attr.device_cap_flags, port.lid,
	       port.sm_lid, port.lmc, port.state, port.phys_state,
	       (uint64_t)be64toh(ibv_get_device_guid(ctx->device)));
}

static void
objects_tell(const struct objects *objects)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	CHECK(ibv_query_qp(objects->rc, &attr, IBV_QP_STATE, &init) == 0);
	printf("{");
	device_tell(objects->ctx);
	printf("\"pid\": %ld, \"rc\": %u, \"rc_state\": %d, \"rqpn\": %u, \"rq_psn\": %u, "
	       "\"sq_psn\": %u, \"ud\": %u, \"lkey\": %u, \"odp_lkey\": %u, \"len\": %d, "
	       "\"cqe\": %d}\n",
	       (long)getpid(), objects->rc->qp_num, attr.qp_state, attr.dest_qp_num, attr.rq_psn,
	       attr.sq_psn, objects->ud->qp_num, objects->mr->lkey, objects->odp_mr->lkey, LEN,
	       objects->cq->cqe);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct objects objects;
	int i, nb_qps = 0, status = 0;
	char qpn[16];

	if (argc > 2 && strcmp(argv[1], "-q") == 0) {
		nb_qps = atoi(argv[2]);
		argv += 2;
		argc -= 2;
	}
	CHECK(list != NULL && list[0] != NULL);
	objects_create(&objects, list[0]);
	for (i = 0; i < nb_qps; i++)
		CHECK(qp_create(&objects, IBV_QPT_UC, NULL) != NULL);
	objects_tell(&objects);
	snprintf(qpn, sizeof(qpn), "%u", objects.rc->qp_num);
	setenv("RC_QPN", qpn, 1);
	for (i = 1; i < argc; i++)
		status |= system(argv[i]);
	return status != 0;
}
