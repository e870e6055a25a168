/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Plain libibverbs on the software ConnectX: datagrams and multicast groups, XRC domains that
 * contexts share, shared receive queues and their events, UC. Nothing knows of swhca here.
 */

#include <fcntl.h>

#include "../world.h"

#define BUF_SIZE 65536u
#define GRH_SIZE 40u
#define QKEY 0x11111111u
#define PSN 0x123456u
#define MGID_LID 0xc001u

struct ends {
	struct end a;	/* mlx5_0 */
	struct end b;	/* mlx5_1 */
	struct end c;	/* mlx5_1 once more */
};

static int
setup(void **state)
{
	struct ends *ends = calloc(1, sizeof(*ends));

	assert_non_null(ends);
	end_open(&ends->a, device_open("mlx5_0"), BUF_SIZE);
	end_open(&ends->b, device_open("mlx5_1"), BUF_SIZE);
	end_open(&ends->c, device_open("mlx5_1"), BUF_SIZE);
	*state = ends;
	return 0;
}

static int
teardown(void **state)
{
	struct ends *ends = *state;

	end_close(&ends->a);
	end_close(&ends->b);
	end_close(&ends->c);
	free(ends);
	return 0;
}

static struct ibv_port_attr
port_of(const struct end *end)
{
	struct ibv_port_attr port;

	assert_int_equal(ibv_query_port(end->ctx, 1, &port), 0);
	return port;
}

static union ibv_gid
gid_of(const struct end *end)
{
	union ibv_gid gid;

	assert_int_equal(ibv_query_gid(end->ctx, 1, 0, &gid), 0);
	return gid;
}

static void
expect_quiet(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	assert_int_equal(ibv_poll_cq(cq, 1, &wc), 0);
}

static void
post_srq(struct ibv_srq *srq, const struct end *end, size_t offset, uint32_t len)
{
	struct ibv_sge sge = sge_of(end, offset, len);
	struct ibv_recv_wr wr = { .wr_id = offset, .sg_list = &sge, .num_sge = 1 }, *bad;

	assert_int_equal(ibv_post_srq_recv(srq, &wr, &bad), 0);
}

static struct ibv_qp *
end_qp(struct end *end, enum ibv_qp_type type, struct ibv_srq *srq)
{
	return qp_create(end->pd, (struct ibv_qp_init_attr){ .qp_type = type, .send_cq = end->cq,
							      .srq = srq });
}

/* One receive, or one signaled send. */
static void
post_recv(struct ibv_qp *qp, const struct end *end, size_t offset, uint32_t len)
{
	struct ibv_sge sge = sge_of(end, offset, len);

	recv_post(qp, 0, &sge, 1);
}

static void
post_send(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	wr->send_flags |= IBV_SEND_SIGNALED;
	send_post(qp, wr);
}

static struct ibv_qp *
ud_create(struct end *end)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY };
	const int init = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	struct ibv_qp *qp = end_qp(end, IBV_QPT_UD, NULL);

	/* Without a Q_Key it does not go. */
	assert_int_equal(ibv_modify_qp(qp, &attr, init), EINVAL);
	assert_int_equal(ibv_modify_qp(qp, &attr, init | IBV_QP_QKEY), 0);
	attr.qp_state = IBV_QPS_RTR;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	attr.qp_state = IBV_QPS_RTS;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN), 0);
	return qp;
}

static struct ibv_ah *
ah_create(struct end *from, const union ibv_gid *gid, uint16_t lid, uint8_t sgid_index)
{
	struct ibv_ah_attr attr = {
		.dlid = lid, .port_num = 1, .is_global = 1,
		.grh = { .dgid = *gid, .sgid_index = sgid_index, .hop_limit = 7,
			 .traffic_class = 3, .flow_label = 0x12345 },
	};

	return ibv_create_ah(from->pd, &attr);
}

/* The header in front of a datagram names both ends, in the way of its protocol. */
static void
expect_header(const uint8_t *head, const union ibv_gid *from, const union ibv_gid *to)
{
	if (head[0] >> 4 == 6) {
		assert_memory_equal(head + 8, from, 16);
		assert_memory_equal(head + 24, to, 16);
		assert_int_equal(head[7], 7);
	} else {
		assert_int_equal(head[20], 0x45);
		assert_int_equal(head[28], 7);
		assert_memory_equal(head + 32, from->raw + 12, 4);
		assert_memory_equal(head + 36, to->raw + 12, 4);
	}
}

static void
dgram_send(struct end *from, struct ibv_qp *qp, struct ibv_ah *ah, uint32_t qpn, uint32_t len)
{
	struct ibv_sge sge = sge_of(from, 0, len);
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND_WITH_IMM, .imm_data = 0x1234,
		.wr = { .ud = { .ah = ah, .remote_qpn = qpn, .remote_qkey = QKEY } },
	};

	post_send(qp, &wr);
	expect_success(from->cq);
}

static void
expect_dgram(struct end *at, size_t offset, uint32_t src_qpn, uint32_t len)
{
	struct ibv_wc wc = wc_wait(at->cq);
	uint32_t i;

	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.byte_len, len + GRH_SIZE);
	assert_int_equal(wc.src_qp, src_qpn);
	assert_int_equal(wc.imm_data, 0x1234);
	assert_int_equal(wc.wc_flags & (IBV_WC_GRH | IBV_WC_WITH_IMM),
			 IBV_WC_GRH | IBV_WC_WITH_IMM);
	for (i = 0; i < len; i++)
		assert_int_equal(at->buf[offset + GRH_SIZE + i], 0x5a);
}

CASE_OF(struct ends, ends, datagram_goes_by_every_gid, setup, teardown)
{
	struct ibv_qp *qa = ud_create(&ends->a), *qb = ud_create(&ends->b);
	union ibv_gid from, to, none = { 0 };
	struct ibv_ah *ah;
	int i, nb = 0;

	memset(ends->a.buf, 0x5a, 100);
	for (i = 0; i < port_of(&ends->a).gid_tbl_len; i++) {
		if (ibv_query_gid(ends->a.ctx, 1, i, &from) != 0 ||
		    ibv_query_gid(ends->b.ctx, 1, i, &to) != 0 ||
		    memcmp(&from, &none, sizeof(none)) == 0)
			continue;
		ah = ah_create(&ends->a, &to, port_of(&ends->b).lid, (uint8_t)i);
		assert_non_null(ah);
		post_recv(qb, &ends->b, 4096, 200);
		dgram_send(&ends->a, qa, ah, qb->qp_num, 100);
		expect_dgram(&ends->b, 4096, qa->qp_num, 100);
		expect_header(ends->b.buf + 4096, &from, &to);
		assert_int_equal(ibv_destroy_ah(ah), 0);
		nb++;
	}
	assert_true(nb >= 1);
	assert_int_equal(ibv_destroy_qp(qa), 0);
	assert_int_equal(ibv_destroy_qp(qb), 0);
}

CASE_OF(struct ends, ends, group_reaches_its_members, setup, teardown)
{
	struct ibv_qp *qa = ud_create(&ends->a), *qb = ud_create(&ends->b);
	struct ibv_qp *qc = ud_create(&ends->c), *rc = end_qp(&ends->a, IBV_QPT_RC, NULL);
	union ibv_gid group = { .raw = { 0xff, 0x12, [15] = 9 } }, gid = gid_of(&ends->b);
	struct ibv_ah *ah = ah_create(&ends->a, &group, MGID_LID, 0);

	assert_non_null(ah);
	memset(ends->a.buf, 0x5a, 100);
	assert_int_equal(ibv_attach_mcast(rc, &group, MGID_LID), EINVAL);
	assert_int_equal(ibv_attach_mcast(qb, &gid, MGID_LID), EINVAL);
	assert_int_equal(ibv_attach_mcast(qb, &group, MGID_LID), 0);
	assert_int_equal(ibv_attach_mcast(qb, &group, MGID_LID), 0);
	assert_int_equal(ibv_attach_mcast(qc, &group, MGID_LID), 0);
	post_recv(qb, &ends->b, 4096, 200);
	post_recv(qc, &ends->c, 4096, 200);
	dgram_send(&ends->a, qa, ah, 0xffffff, 100);
	expect_dgram(&ends->b, 4096, qa->qp_num, 100);
	expect_dgram(&ends->c, 4096, qa->qp_num, 100);
	assert_int_equal(ibv_destroy_qp(qb), EBUSY);
	assert_int_equal(ibv_detach_mcast(qb, &group, MGID_LID), 0);
	assert_int_equal(ibv_detach_mcast(qb, &group, MGID_LID), EINVAL);
	post_recv(qb, &ends->b, 4096, 200);
	post_recv(qc, &ends->c, 4096, 200);
	dgram_send(&ends->a, qa, ah, 0xffffff, 100);
	expect_dgram(&ends->c, 4096, qa->qp_num, 100);
	expect_quiet(ends->b.cq);
	assert_int_equal(ibv_detach_mcast(qc, &group, MGID_LID), 0);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	assert_int_equal(ibv_destroy_qp(rc), 0);
	assert_int_equal(ibv_destroy_qp(qa), 0);
	assert_int_equal(ibv_destroy_qp(qb), 0);
	assert_int_equal(ibv_destroy_qp(qc), 0);
}

/* To RTS in one go, with all that any connected type may need; masks tell what each wants. */
static void
connect_qp(struct ibv_qp *qp, const struct end *peer, uint32_t qpn, int rtr_extra, int rts_extra)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
		.path_mtu = IBV_MTU_1024, .dest_qp_num = qpn, .rq_psn = PSN, .sq_psn = PSN,
		.max_dest_rd_atomic = 1, .max_rd_atomic = 1, .min_rnr_timer = 1, .timeout = 14,
		.retry_cnt = 2, .rnr_retry = 2,
		.ah_attr = { .dlid = port_of(peer).lid, .port_num = 1, .is_global = 1,
			     .grh = { .dgid = gid_of(peer), .hop_limit = 7 } },
	};
	const int rtr = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN;

	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
							  IBV_QP_ACCESS_FLAGS), 0);
	attr.qp_state = IBV_QPS_RTR;
	if (rtr_extra != 0)
		assert_int_equal(ibv_modify_qp(qp, &attr, rtr), EINVAL);
	assert_int_equal(ibv_modify_qp(qp, &attr, rtr | rtr_extra), 0);
	attr.qp_state = IBV_QPS_RTS;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE), EINVAL);
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | rts_extra), 0);
}

#define RESPOND	(IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define REQUEST	(IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)

CASE_OF(struct ends, ends, uc_writes_and_loses, setup, teardown)
{
	struct ibv_qp *qa = end_qp(&ends->a, IBV_QPT_UC, NULL);
	struct ibv_qp *qb = end_qp(&ends->b, IBV_QPT_UC, NULL);
	struct ibv_sge sge = sge_of(&ends->a, 0, 100);
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.imm_data = 0x1234,
		.wr = { .rdma = { .remote_addr = (uintptr_t)ends->b.buf + 4096,
				  .rkey = ends->b.mr->rkey } },
	};
	struct ibv_wc wc;

	connect_qp(qa, &ends->b, qb->qp_num, 0, 0);
	connect_qp(qb, &ends->a, qa->qp_num, 0, 0);
	memset(ends->a.buf, 0x5a, 100);
	post_send(qa, &wr);		/* nobody waits: the immediate is lost */
	expect_success(ends->a.cq);
	expect_quiet(ends->b.cq);
	post_recv(qb, &ends->b, 0, 1);
	post_send(qa, &wr);
	expect_success(ends->a.cq);
	wc = wc_wait(ends->b.cq);
	assert_int_equal(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(wc.byte_len, 100);
	assert_memory_equal(ends->b.buf + 4096, ends->a.buf, 100);
	assert_int_equal(ibv_destroy_qp(qa), 0);
	assert_int_equal(ibv_destroy_qp(qb), 0);
}

static void
send_plain(struct end *end, struct ibv_qp *qp, uint32_t len)
{
	struct ibv_sge sge = sge_of(end, 0, len);
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };

	post_send(qp, &wr);
	expect_success(end->cq);
}

CASE_OF(struct ends, ends, shared_queue_tells_of_its_limit_and_last_wqe, setup, teardown)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 4, .max_sge = 2 } };
	struct ibv_srq *srq = ibv_create_srq(ends->b.pd, &init);
	struct ibv_srq_attr attr = { .srq_limit = 2 };
	struct ibv_qp *qa, *qb;
	unsigned int i;

	assert_non_null(srq);
	qa = end_qp(&ends->a, IBV_QPT_RC, NULL);
	qb = end_qp(&ends->b, IBV_QPT_RC, srq);
	connect_qp(qa, &ends->b, qb->qp_num, RESPOND, REQUEST);
	connect_qp(qb, &ends->a, qa->qp_num, RESPOND, REQUEST);
	for (i = 0; i < 3; i++)
		post_srq(srq, &ends->b, 4096 * (i + 1), 100);
	assert_int_equal(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), 0);
	assert_int_equal(ibv_query_srq(srq, &attr), 0);
	assert_int_equal(attr.srq_limit, 2);
	assert_true(attr.max_wr >= 4 && attr.max_sge >= 2);
	for (i = 0; i < 2; i++) {
		send_plain(&ends->a, qa, 100);
		assert_int_equal(wc_wait(ends->b.cq).wr_id, 4096 * (i + 1));
	}
	expect_async(ends->b.ctx, IBV_EVENT_SRQ_LIMIT_REACHED);
	qp_to(qb, IBV_QPS_ERR);
	expect_async(ends->b.ctx, IBV_EVENT_QP_LAST_WQE_REACHED);
	assert_int_equal(ibv_destroy_srq(srq), EBUSY);
	assert_int_equal(ibv_destroy_qp(qa), 0);
	assert_int_equal(ibv_destroy_qp(qb), 0);
	assert_int_equal(ibv_destroy_srq(srq), 0);
	init.attr.max_wr = 1u << 20;
	assert_null(ibv_create_srq(ends->b.pd, &init));
}

static struct ibv_xrcd *
xrcd_open(struct end *end, int fd, int oflags)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = fd, .oflags = oflags,
	};

	return ibv_open_xrcd(end->ctx, &attr);
}

static struct ibv_qp *
xrc_target_create(struct end *end, struct ibv_xrcd *xrcd)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD, .xrcd = xrcd,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(end->ctx, &attr);

	assert_non_null(qp);
	return qp;
}

static struct ibv_qp *
xrc_target_open(struct end *end, struct ibv_xrcd *xrcd, uint32_t qpn)
{
	struct ibv_qp_open_attr attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE,
		.qp_num = qpn, .xrcd = xrcd, .qp_type = IBV_QPT_XRC_RECV,
	};

	return ibv_open_qp(end->ctx, &attr);
}

static struct ibv_qp *
xrc_initiator_create(struct end *end)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_SEND, .comp_mask = IBV_QP_INIT_ATTR_PD, .pd = end->pd,
		.send_cq = end->cq, .cap = { .max_send_wr = 8, .max_send_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp_ex(end->ctx, &attr);

	assert_non_null(qp);
	return qp;
}

static struct ibv_srq *
xrc_srq_create(struct end *end, struct ibv_xrcd *xrcd)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 4, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC, .pd = end->pd, .xrcd = xrcd, .cq = end->cq,
	};
	struct ibv_srq *srq = ibv_create_srq_ex(end->ctx, &attr);

	assert_non_null(srq);
	return srq;
}

/* The target is of one context, the shared queue of another: an inode makes them one domain. */
CASE_OF(struct ends, ends, xrc_domain_spans_contexts, setup, teardown)
{
	char path[] = "/tmp/verbs_types.XXXXXX";
	int fd = mkstemp(path);
	struct ibv_xrcd *db, *dc;
	struct ibv_qp *ini, *tgt, *also;
	struct ibv_sge sge = sge_of(&ends->a, 0, 100);
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };
	struct ibv_srq *srq;
	uint32_t num;

	assert_true(fd >= 0);
	unlink(path);
	assert_null(xrcd_open(&ends->b, fd, 0));
	db = xrcd_open(&ends->b, fd, O_CREAT);
	assert_non_null(db);
	assert_null(xrcd_open(&ends->c, fd, O_CREAT | O_EXCL));
	dc = xrcd_open(&ends->c, fd, 0);
	assert_non_null(dc);
	tgt = xrc_target_create(&ends->b, db);
	srq = xrc_srq_create(&ends->c, dc);
	ini = xrc_initiator_create(&ends->a);
	assert_int_equal(ibv_get_srq_num(srq, &num), 0);
	connect_qp(tgt, &ends->a, ini->qp_num, RESPOND, IBV_QP_TIMEOUT);
	connect_qp(ini, &ends->b, tgt->qp_num, 0, REQUEST);
	memset(ends->a.buf, 0x5a, 100);
	post_srq(srq, &ends->c, 4096, 100);
	wr.qp_type.xrc.remote_srqn = num;
	post_send(ini, &wr);
	expect_success(ends->a.cq);
	assert_int_equal(wc_wait(ends->c.cq).wr_id, 4096);
	assert_memory_equal(ends->c.buf + 4096, ends->a.buf, 100);
	assert_int_equal(ibv_close_xrcd(db), EBUSY);
	/* The target lives on for whoever has opened it. */
	also = xrc_target_open(&ends->c, dc, tgt->qp_num);
	assert_non_null(also);
	assert_null(xrc_target_open(&ends->c, dc, tgt->qp_num + 1000));
	assert_int_equal(ibv_destroy_qp(tgt), 0);
	post_srq(srq, &ends->c, 8192, 100);
	post_send(ini, &wr);
	expect_success(ends->a.cq);
	assert_int_equal(wc_wait(ends->c.cq).wr_id, 8192);
	/* Who only opened it hears of no events (ib_core: ib_uverbs_open_qp()). */
	qp_to(also, IBV_QPS_ERR);
	assert_false(is_readable(ends->c.ctx->async_fd, 20));
	assert_int_equal(ibv_close_xrcd(db), 0);
	assert_int_equal(ibv_destroy_srq(srq), 0);
	assert_int_equal(ibv_destroy_qp(ini), 0);
	/*
	 * libmlx5 44 crashes when it destroys what it has opened, over the doorbell record that it
	 * has not: target and domain go with their context.
	 */
	assert_int_equal(ibv_close_xrcd(dc), EBUSY);
	close(fd);
}

/* SPDK connects by the port that it is told so. */
CASE_OF(struct ends, ends, new_queue_pair_is_at_port_1, setup, teardown)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_qp *qp;
	size_t i;

	for (i = 0; i < NB_OF(types); i++) {
		qp = end_qp(&ends->a, types[i], NULL);
		memset(&attr, 0, sizeof(attr));
		assert_int_equal(ibv_query_qp(qp, &attr, IBV_QP_PKEY_INDEX | IBV_QP_PORT, &init),
				 0);
		assert_int_equal(attr.qp_state, IBV_QPS_RESET);
		assert_int_equal(attr.port_num, 1);
		assert_int_equal(attr.pkey_index, 0);
		assert_int_equal(ibv_destroy_qp(qp), 0);
	}
}

CASE_OF(struct ends, ends, device_tells_of_all_that, setup, teardown)
{
	struct ibv_device_attr attr;

	assert_int_equal(ibv_query_device(ends->a.ctx, &attr), 0);
	assert_int_equal(attr.atomic_cap, IBV_ATOMIC_HCA);
	assert_true(attr.device_cap_flags & IBV_DEVICE_XRC);
	assert_true(attr.max_srq > 0 && attr.max_srq_wr > 0 && attr.max_srq_sge > 0);
	assert_true(attr.max_ah > 0 && attr.max_mcast_grp > 0 && attr.max_mcast_qp_attach > 0);
	print_message("link layer: %s\n", port_of(&ends->a).link_layer ==
		      IBV_LINK_LAYER_ETHERNET ? "Ethernet" : "InfiniBand");
}
