/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What a device answers: its attributes, and the error of each call that it has to refuse. A line
 * each, "name: value", to be compared between a kernel's device and the one of swhca-run.
 *
 * Usage: answers DEVICE
 */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#define PAGE 4096u

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;

static void
tell(const char *name, uint64_t value)
{
	printf("%s: 0x%" PRIx64 "\n", name, value);
}

/* A call that gives an object, or NULL and errno. */
static void
tell_object(const char *name, const void *object)
{
	int err = errno;

	printf("%s: %s\n", name, object != NULL ? "an object" : strerrorname_np(err));
}

/* A call that gives 0 or an errno. */
static void
tell_error(const char *name, int err)
{
	printf("%s: %s\n", name, err == 0 ? "0" : strerrorname_np(err < 0 ? errno : err));
}

#define TELL(attr, field) tell(#field, (attr).field)
#define TELL_OBJECT(name, call) do { errno = 0; tell_object(name, call); } while (0)

static void
tell_device(void)
{
	struct ibv_device_attr_ex ex = { 0 };
	const struct ibv_device_attr *attr = &ex.orig_attr;

	tell_error("query_device_ex", ibv_query_device_ex(ctx, NULL, &ex));
	printf("fw_ver: %s\n", attr->fw_ver);
	TELL(*attr, node_guid);
	TELL(*attr, sys_image_guid);
	TELL(*attr, max_mr_size);
	TELL(*attr, page_size_cap);
	TELL(*attr, vendor_id);
	TELL(*attr, vendor_part_id);
	TELL(*attr, hw_ver);
	TELL(*attr, max_qp);
	TELL(*attr, max_qp_wr);
	TELL(*attr, device_cap_flags);
	TELL(*attr, max_sge);
	TELL(*attr, max_sge_rd);
	TELL(*attr, max_cq);
	TELL(*attr, max_cqe);
	TELL(*attr, max_mr);
	TELL(*attr, max_pd);
	TELL(*attr, max_qp_rd_atom);
	TELL(*attr, max_res_rd_atom);
	TELL(*attr, max_qp_init_rd_atom);
	TELL(*attr, atomic_cap);
	TELL(*attr, max_mw);
	TELL(*attr, max_mcast_grp);
	TELL(*attr, max_mcast_qp_attach);
	TELL(*attr, max_total_mcast_qp_attach);
	TELL(*attr, max_ah);
	TELL(*attr, max_srq);
	TELL(*attr, max_srq_wr);
	TELL(*attr, max_srq_sge);
	TELL(*attr, max_pkeys);
	TELL(*attr, local_ca_ack_delay);
	TELL(*attr, phys_port_cnt);
	TELL(ex, completion_timestamp_mask);
	TELL(ex, hca_core_clock);
	TELL(ex, device_cap_flags_ex);
	TELL(ex, odp_caps.general_caps);
	TELL(ex, odp_caps.per_transport_caps.rc_odp_caps);
	TELL(ex, odp_caps.per_transport_caps.uc_odp_caps);
	TELL(ex, odp_caps.per_transport_caps.ud_odp_caps);
	TELL(ex, xrc_odp_caps);
	TELL(ex, packet_pacing_caps.qp_rate_limit_min);
	TELL(ex, packet_pacing_caps.qp_rate_limit_max);
	TELL(ex, packet_pacing_caps.supported_qpts);
	TELL(ex, cq_mod_caps.max_cq_count);
	TELL(ex, cq_mod_caps.max_cq_period);
	TELL(ex, max_dm_size);
	TELL(*ctx, num_comp_vectors);
}

static void
tell_mlx5(void)
{
	struct mlx5dv_context attr = {
		.comp_mask = MLX5DV_CONTEXT_MASK_CQE_COMPRESION | MLX5DV_CONTEXT_MASK_DYN_BFREGS |
			     MLX5DV_CONTEXT_MASK_DCI_STREAMS |
			     MLX5DV_CONTEXT_MASK_CLOCK_INFO_UPDATE |
			     MLX5DV_CONTEXT_MASK_STRIDING_RQ | MLX5DV_CONTEXT_MASK_DC_ODP_CAPS |
			     MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD,
	};

	tell_error("mlx5dv_query_device", mlx5dv_query_device(ctx, &attr));
	TELL(attr, version);
	TELL(attr, flags);
	TELL(attr, comp_mask);
	TELL(attr, cqe_comp_caps.max_num);
	TELL(attr, cqe_comp_caps.supported_format);
	TELL(attr, max_dynamic_bfregs);
	TELL(attr, dc_odp_caps);
	TELL(attr, dci_streams_caps.max_log_num_concurent);
	TELL(attr, dci_streams_caps.max_log_num_errored);
	TELL(attr, sig_caps.block_size);
	TELL(attr, sig_caps.block_prot);
	TELL(attr, sig_caps.t10dif_bg);
	TELL(attr, sig_caps.crc_type);
}

static void
tell_port(void)
{
	struct ibv_port_attr attr;
	union ibv_gid gid;
	__be16 pkey;
	int i;

	tell_error("query_port", ibv_query_port(ctx, 1, &attr));
	TELL(attr, state);
	TELL(attr, max_mtu);
	TELL(attr, active_mtu);
	TELL(attr, gid_tbl_len);
	TELL(attr, port_cap_flags);
	TELL(attr, port_cap_flags2);
	TELL(attr, max_msg_sz);
	TELL(attr, bad_pkey_cntr);
	TELL(attr, qkey_viol_cntr);
	TELL(attr, pkey_tbl_len);
	TELL(attr, lid);
	TELL(attr, sm_lid);
	TELL(attr, lmc);
	TELL(attr, max_vl_num);
	TELL(attr, sm_sl);
	TELL(attr, subnet_timeout);
	TELL(attr, init_type_reply);
	TELL(attr, active_width);
	TELL(attr, active_speed);
	TELL(attr, phys_state);
	TELL(attr, link_layer);
	TELL(attr, flags);
	for (i = 0; i < 2; i++) {
		memset(&gid, 0, sizeof(gid));
		tell_error("query_gid", ibv_query_gid(ctx, 1, i, &gid));
		tell("gid", be64toh(gid.global.interface_id));
		pkey = 0;
		tell_error("query_pkey", ibv_query_pkey(ctx, 1, i, &pkey));
		tell("pkey", be16toh(pkey));
	}
	tell_error("query_port 0", ibv_query_port(ctx, 0, &attr));
	tell_error("query_port 2", ibv_query_port(ctx, 2, &attr));
	tell_error("query_gid of no entry", ibv_query_gid(ctx, 1, 9999, &gid));
	tell_error("query_pkey of no entry", ibv_query_pkey(ctx, 1, 9999, &pkey));
}

static void
refused_memory(void)
{
	struct ibv_alloc_dm_attr dm = { .length = UINT64_C(1) << 40 };
	uint8_t *mem = aligned_alloc(PAGE, PAGE);

	if (mem == NULL)
		exit(1);
	TELL_OBJECT("reg_mr of nothing", ibv_reg_mr(pd, (void *)(uintptr_t)(16 * PAGE), PAGE, 0));
	TELL_OBJECT("reg_mr remote write without local",
		    ibv_reg_mr(pd, mem, PAGE, IBV_ACCESS_REMOTE_WRITE));
	TELL_OBJECT("reg_mr remote atomic without local",
		    ibv_reg_mr(pd, mem, PAGE, IBV_ACCESS_REMOTE_ATOMIC));
	TELL_OBJECT("reg_mr of unknown access", ibv_reg_mr(pd, mem, PAGE, 1 << 12));
	TELL_OBJECT("reg_mr beyond the end of space", ibv_reg_mr(pd, mem, SIZE_MAX, 0));
	TELL_OBJECT("reg_mr of no bytes", ibv_reg_mr(pd, mem, 0, 0));
	TELL_OBJECT("reg_dmabuf_mr of no buffer", ibv_reg_dmabuf_mr(pd, 0, PAGE, 0, 0, 0));
	TELL_OBJECT("reg_dmabuf_mr of no bytes", ibv_reg_dmabuf_mr(pd, 0, 0, 0, -1, 0));
	TELL_OBJECT("alloc_dm of too much", ibv_alloc_dm(ctx, &dm));
	TELL_OBJECT("umem_reg of nothing",
		    mlx5dv_devx_umem_reg(ctx, (void *)(uintptr_t)(16 * PAGE), PAGE, 0));
	TELL_OBJECT("umem_reg of unknown access", mlx5dv_devx_umem_reg(ctx, mem, PAGE, 1 << 12));
	free(mem);
}

static void
refused_queue(const char *name, enum ibv_qp_type type, uint32_t nb_wr, uint32_t nb_sge,
	      uint32_t nb_inline)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = type, .send_cq = cq, .recv_cq = cq,
		.cap = { .max_send_wr = nb_wr, .max_recv_wr = nb_wr, .max_send_sge = nb_sge,
			 .max_recv_sge = nb_sge, .max_inline_data = nb_inline },
	};
	struct ibv_qp *qp;

	errno = 0;
	qp = ibv_create_qp(pd, &attr);
	tell_object(name, qp);
	if (qp != NULL)
		ibv_destroy_qp(qp);
}

static void
refused_steps(void)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	const int to_init = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
	struct ibv_qp *qp = ibv_create_qp(pd, &init);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS, .port_num = 1 };

	if (qp == NULL)
		exit(1);
	tell_error("modify from reset to RTS", ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_INIT;
	tell_error("modify to init without a port", ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	attr.port_num = 2;
	tell_error("modify to init at port 2", ibv_modify_qp(qp, &attr, to_init));
	attr.port_num = 1;
	attr.pkey_index = 9999;
	tell_error("modify to init of no P_Key", ibv_modify_qp(qp, &attr, to_init));
	attr.pkey_index = 0;
	tell_error("modify to init", ibv_modify_qp(qp, &attr, to_init));
	attr.qp_state = IBV_QPS_RTR;
	tell_error("modify to RTR without a path", ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_SQD;
	tell_error("modify from init to SQD", ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_ERR;
	tell_error("modify to error", ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	tell_error("attach an RC queue to a group",
		   ibv_attach_mcast(qp, &(union ibv_gid){ .raw = { 0xff, 0x12 } }, 0xc000));
	tell_error("dealloc_pd in use", ibv_dealloc_pd(pd));
	tell_error("destroy_cq in use", ibv_destroy_cq(cq));
	tell_error("destroy_qp", ibv_destroy_qp(qp));
}

static void
refused_queues(void)
{
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 1u << 20, .max_sge = 1 } };
	struct ibv_ah_attr ah = { .dlid = 1, .port_num = 2 };
	struct ibv_modify_cq_attr moderation = {
		.attr_mask = IBV_CQ_ATTR_MODERATE, .moderate = { .cq_period = 0x1000 },
	};

	TELL_OBJECT("create_cq of none", ibv_create_cq(ctx, 0, NULL, NULL, 0));
	TELL_OBJECT("create_cq of too many", ibv_create_cq(ctx, 1 << 23, NULL, NULL, 0));
	TELL_OBJECT("create_cq of no vector", ibv_create_cq(ctx, 1, NULL, NULL, 1000));
	tell_error("resize_cq to too many", ibv_resize_cq(cq, 1 << 23));
	tell_error("modify_cq by too much", ibv_modify_cq(cq, &moderation));
	refused_queue("create_qp of too many WQEs", IBV_QPT_RC, 1u << 20, 1, 0);
	refused_queue("create_qp of too many segments", IBV_QPT_RC, 1, 1000, 0);
	refused_queue("create_qp of too much inline", IBV_QPT_RC, 1, 1, 1u << 16);
	refused_queue("create_qp of no type", (enum ibv_qp_type)77, 1, 1, 0);
	refused_queue("create_qp without queues", IBV_QPT_RC, 0, 0, 0);
	TELL_OBJECT("create_srq of too many", ibv_create_srq(pd, &srq));
	TELL_OBJECT("create_ah of port 2", ibv_create_ah(pd, &ah));
	refused_steps();
}

/* A DevX command of 16 bytes that creates something, or is about nothing. */
static void
refused_command(const char *name, uint16_t opcode, bool is_general)
{
	uint8_t in[16] = { (uint8_t)(opcode >> 8), (uint8_t)opcode }, out[64] = { 0 };

	errno = 0;
	if (is_general)
		tell_error(name, mlx5dv_devx_general_cmd(ctx, in, sizeof(in), out, sizeof(out)));
	else
		tell_object(name, mlx5dv_devx_obj_create(ctx, in, sizeof(in), out, sizeof(out)));
	printf("%s, status: %s\n", name, out[0] != 0 ? "an error" : "0");
}

static void
refused_devx(void)
{
	uint32_t eqn;

	refused_command("devx create 0xa0a", 0xa0a, false);
	refused_command("devx ENABLE_HCA", 0x104, false);
	refused_command("devx CREATE_UMEM", 0xa08, false);
	refused_command("devx ALLOC_UAR", 0x802, false);
	refused_command("devx CREATE_EQ", 0x301, false);
	refused_command("devx CREATE_QP", 0x500, false);
	refused_command("devx CREATE_MKEY", 0x200, false);
	refused_command("devx general 0xa0a", 0xa0a, true);
	refused_command("devx general ACCESS_REG", 0x805, true);
	refused_command("devx general NOP", 0x80d, true);
	tell_error("devx_query_eqn of no vector", mlx5dv_devx_query_eqn(ctx, 1000, &eqn));
	TELL_OBJECT("devx_alloc_uar of no type", mlx5dv_devx_alloc_uar(ctx, 77));
	TELL_OBJECT("devx event channel of unknown flags",
		    mlx5dv_devx_create_event_channel(
			    ctx, (enum mlx5dv_devx_create_event_channel_flags)0x80));
}

int
main(int argc, char **argv)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; argc == 2 && list != NULL && list[i] != NULL; i++) {
		if (strcmp(ibv_get_device_name(list[i]), argv[1]) == 0)
			ctx = mlx5dv_open_device(list[i], &attr);
	}
	pd = ctx != NULL ? ibv_alloc_pd(ctx) : NULL;
	cq = pd != NULL ? ibv_create_cq(ctx, 16, NULL, NULL, 0) : NULL;
	if (cq == NULL) {
		fprintf(stderr, "usage: answers DEVICE, which must be one of mlx5\n");
		return 2;
	}
	tell_device();
	tell_mlx5();
	tell_port();
	refused_memory();
	refused_queues();
	refused_devx();
	tell_error("destroy_cq", ibv_destroy_cq(cq));
	tell_error("dealloc_pd", ibv_dealloc_pd(pd));
	tell_error("close_device", ibv_close_device(ctx));
	ibv_free_device_list(list);
	return 0;
}
