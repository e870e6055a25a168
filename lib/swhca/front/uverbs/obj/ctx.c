/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * User context (mlx5_ib: mlx5_ib_alloc_ucontext()) and its event file.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/conf.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_fd_table.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/obj/uverbs_clock.h"
#include "front/uverbs/obj/ctx.h"
#include "front/uverbs/obj/uverbs_uar.h"

#define CACHE_LINE_SIZE 64u

/* Requests of version 0 end after the number of low latency registers. */
#define UCTX_REQ_V0_LEN offsetof(struct mlx5_ib_alloc_ucontext_req_v2, flags)
#define UCTX_REQ_V2_MIN_LEN offsetof(struct mlx5_ib_alloc_ucontext_req_v2, max_cqe_version)

static int
uctx_req_read(struct swhca_ureq *req, struct mlx5_ib_alloc_ucontext_req_v2 *ucmd)
{
	size_t len = swhca_uattr_len(req, UVERBS_ATTR_UHW_IN);
	int ret;

	if (len != UCTX_REQ_V0_LEN && len < UCTX_REQ_V2_MIN_LEN)
		return -EINVAL;
	ret = swhca_uattr_in(req, UVERBS_ATTR_UHW_IN, ucmd, sizeof(*ucmd), UCTX_REQ_V0_LEN);
	if (ret != 0)
		return ret;
	if ((ucmd->flags & ~(uint32_t)MLX5_IB_ALLOC_UCTX_DEVX) != 0)
		return -EOPNOTSUPP;
	if (ucmd->comp_mask != 0 || ucmd->reserved0 != 0 || ucmd->reserved1 != 0 ||
	    ucmd->reserved2 != 0)
		return -EOPNOTSUPP;
	if (ucmd->total_num_bfregs == 0)
		return -EINVAL;
	if (ucmd->total_num_bfregs > SWHCA_MAX_STATIC_BFREGS)
		return -ENOMEM;
	ucmd->total_num_bfregs = (ucmd->total_num_bfregs + SWHCA_BFREGS_PER_UAR - 1) /
				 SWHCA_BFREGS_PER_UAR * SWHCA_BFREGS_PER_UAR;
	if (ucmd->num_low_latency_bfregs > ucmd->total_num_bfregs - 1)
		return -EINVAL;
	return 0;
}

static void
uctx_resp_fill(const struct swhca_ufile *file, struct mlx5_ib_alloc_ucontext_resp *resp)
{
	const struct swhca_udev *dev = file->dev;

	*resp = (struct mlx5_ib_alloc_ucontext_resp){
		.qp_tab_size = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_QP),
		.bf_reg_size = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_BF_REG_SIZE),
		.tot_bfregs = file->nb_static_bfregs,
		.cache_line_size = CACHE_LINE_SIZE,
		.max_sq_desc_sz = (uint16_t)swhca_udev_cap(dev, PRM_CAP_MAX_WQE_SZ_SQ),
		.max_rq_desc_sz = (uint16_t)swhca_udev_cap(dev, PRM_CAP_MAX_WQE_SZ_RQ),
		.max_send_wqebb = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_QP_SZ),
		.max_recv_wr = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_QP_SZ),
		.max_srq_recv_wr = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_SRQ_SZ),
		.num_ports = (uint16_t)swhca_udev_cap(dev, PRM_CAP_NUM_PORTS),
		.comp_mask = MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_MKEY_UPDATE_TAG |
			     MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_SQD2RTS,
		.response_length = sizeof(*resp),
		.cqe_version = file->cqe_version,
		.cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE |
				 MLX5_USER_CMDS_SUPP_UHW_CREATE_AH,
		.eth_min_inline = MLX5_USER_INLINE_MODE_NONE,
		.num_dyn_bfregs = file->nb_dyn_bfregs,
	};
	swhca_uclock_resp_fill(dev, resp);
	if (swhca_udev_cap(dev, PRM_CAP_DUMP_FILL_MKEY) != 0) {
		resp->comp_mask |= MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_DUMP_FILL_MKEY;
		resp->dump_fill_mkey = dev->dump_fill_mkey;
	}
	if ((file->lib_caps & MLX5_LIB_CAP_4K_UAR) != 0) {
		resp->log_uar_size = PRM_ADAPTER_PAGE_SHIFT;
		resp->num_uars_per_page = 1;
	}
}

static void
uctx_destroy(struct swhca_ufile *file)
{
	swhca_uuar_fini(file);
	swhca_uclock_fini(file);
	if (file->uid != 0)
		swhca_udev_exec_obj(file->dev, PRM_CMD_DESTROY_UCTX, 0, file->uid);
	file->uid = 0;
	file->has_context = false;
}

static int
uctx_create(struct swhca_ufile *file, const struct mlx5_ib_alloc_ucontext_req_v2 *ucmd)
{
	uint32_t uid = 0;
	uint32_t max_version = swhca_udev_cap(file->dev, PRM_CAP_CQE_VERSION);
	int ret = 0;

	if ((ucmd->flags & MLX5_IB_ALLOC_UCTX_DEVX) != 0)
		ret = swhca_udev_exec_alloc(file->dev, PRM_CMD_CREATE_UCTX, 0, &uid);
	if (ret != 0)
		return ret;
	/* uid has 16 bits; a larger one would be an error of the core. */
	file->uid = (uint16_t)uid;
	file->lib_caps = (uint32_t)ucmd->lib_caps;
	file->cqe_version = ucmd->max_cqe_version < max_version ? ucmd->max_cqe_version :
							    (uint8_t)max_version;
	file->has_dyn_uar = (ucmd->lib_caps & MLX5_LIB_CAP_DYN_UAR) != 0 &&
			    swhca_conf_get()->is_uar_static == 0;
	ret = swhca_uclock_init(file);
	if (ret == 0 && !file->has_dyn_uar)
		ret = swhca_uuar_init(file, ucmd->total_num_bfregs, ucmd->num_low_latency_bfregs);
	if (ret != 0)
		uctx_destroy(file);
	return ret;
}

void
swhca_uctx_close(struct swhca_ufile *file)
{
	swhca_uobj_destroy_all(file);
	swhca_uevent_files_disconnect(file);
	swhca_uevent_file_put(file->default_async);
	file->default_async = NULL;
	if (file->has_context)
		uctx_destroy(file);
}

/* The core part of GET_CONTEXT and QUERY_CONTEXT; their attributes have the same numbers. */
static int
uctx_core_out(struct swhca_ureq *req)
{
	uint32_t nb_vectors = SWHCA_NB_COMP_VECTORS;
	uint64_t support = IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS;
	int ret;

	ret = swhca_uattr_out(req, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, &nb_vectors,
			      sizeof(nb_vectors));
	if (ret == 0)
		ret = swhca_uattr_out(req, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, &support,
				      sizeof(support));
	return ret;
}

static void
uctx_resp_clip(struct mlx5_ib_alloc_ucontext_resp *resp, size_t len)
{
	if (resp->response_length > len)
		resp->response_length = (uint32_t)len;
}

/* Driver part of both ways to get a context. */
static int
uctx_get(struct swhca_ureq *req)
{
	struct mlx5_ib_alloc_ucontext_req_v2 ucmd;
	struct mlx5_ib_alloc_ucontext_resp resp;
	struct swhca_ufile *file = req->file;
	int ret;

	if (file->has_context)
		return -EINVAL;
	ret = uctx_req_read(req, &ucmd);
	if (ret != 0)
		return ret;
	ret = uctx_create(file, &ucmd);
	if (ret != 0)
		return ret;
	uctx_resp_fill(file, &resp);
	uctx_resp_clip(&resp, swhca_uattr_len(req, UVERBS_ATTR_UHW_OUT));
	ret = swhca_uattr_out(req, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	if (ret != 0) {
		uctx_destroy(file);
		return ret;
	}
	file->has_context = true;
	return 0;
}

int
swhca_uctx_get_req(struct swhca_ureq *req)
{
	int ret;

	ret = uctx_get(req);
	if (ret != 0)
		return ret;
	ret = uctx_core_out(req);
	if (ret != 0)
		uctx_destroy(req->file);
	return ret;
}

int
swhca_uctx_query_req(struct swhca_ureq *req)
{
	struct mlx5_ib_alloc_ucontext_resp resp;
	int ret;

	uctx_resp_fill(req->file, &resp);
	uctx_resp_clip(&resp, swhca_uattr_len(req, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX));
	ret = swhca_uattr_out(req, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, &resp, sizeof(resp));
	return ret != 0 ? ret : uctx_core_out(req);
}

/* The first file of a context is the default for objects (ib_core: default_async_file). */
static int
async_fd_create(struct swhca_ufile *ctx)
{
	struct swhca_uevent_file *file;
	int fd;

	fd = swhca_uevent_file_create(ctx, SWHCA_UEVENT_ASYNC, &file);
	if (fd < 0)
		return fd;
	if (ctx->default_async == NULL)
		ctx->default_async = file;
	else
		swhca_uevent_file_put(file);
	return fd;
}

int
swhca_uctx_async_fd_req(struct swhca_ureq *req)
{
	int fd, ret;

	fd = async_fd_create(req->file);
	if (fd < 0)
		return fd;
	ret = swhca_uattr_out_handle(req, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, fd);
	if (ret != 0)
		swhca_ufd_drop(fd);
	return ret;
}

int
swhca_uctx_get_write(struct swhca_ureq *req)
{
	struct ib_uverbs_get_context_resp resp = { .num_comp_vectors = SWHCA_NB_COMP_VECTORS };
	int fd, ret;

	ret = uctx_get(req);
	if (ret != 0)
		return ret;
	fd = async_fd_create(req->file);
	if (fd < 0) {
		uctx_destroy(req->file);
		return fd;
	}
	resp.async_fd = (uint32_t)fd;
	ret = swhca_uattr_out(req, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
	if (ret != 0) {
		swhca_ufd_drop(fd);
		swhca_uctx_close(req->file);
	}
	return ret;
}
