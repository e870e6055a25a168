/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Completion queues of verbs (mlx5_ib: cq.c, create_cq_user()).
 */

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/log.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_pages.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/file/pinned.h"
#include "front/uverbs/obj/uverbs_uar.h"
#include "front/uverbs/queue/uverbs_cq.h"

/* Minimum driver part: up to the CQE size and its padding. */
#define UCQ_MIN_LEN offsetof(struct mlx5_ib_create_cq, uar_page_index)

/* enum ib_uverbs_ex_create_cq_flags of the kernel; IBV_CREATE_CQ_ATTR_* have other values. */
#define CQ_FLAG_TIMESTAMP_COMPLETION	(1u << 0)
#define CQ_FLAG_IGNORE_OVERRUN		(1u << 1)

/* mlx5_ib: mini_cqe_res_format_to_hw(). @return false: invalid. */
static bool
mini_format_to_prm(uint8_t format, uint8_t *prm)
{
	switch (format) {
	case MLX5_IB_CQE_RES_FORMAT_HASH:
		*prm = PRM_CQC_MINI_CQE_HASH;
		return true;
	case MLX5_IB_CQE_RES_FORMAT_CSUM:
		*prm = PRM_CQC_MINI_CQE_CSUM;
		return true;
	case MLX5_IB_CQE_RES_FORMAT_CSUM_STRIDX:
		*prm = PRM_CQC_MINI_CQE_CSUM_STRIDX;
		return true;
	default:
		return false;
	}
}

static int
ucmd_check_formats(const struct swhca_udev *dev, const struct mlx5_ib_create_cq *ucmd)
{
	struct prm_field comp = ucmd->cqe_size == 128 ? PRM_CAP_CQE_COMPRESSION_128B :
							PRM_CAP_CQE_COMPRESSION;
	bool is_padded = (ucmd->flags & MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD) != 0;
	uint8_t format;

	if (ucmd->cqe_comp_en > 1)
		return -EINVAL;
	if (ucmd->cqe_comp_en == 1 && swhca_udev_cap(dev, comp) == 0)
		return -EOPNOTSUPP;
	if (ucmd->cqe_comp_en == 1 && !mini_format_to_prm(ucmd->cqe_comp_res_format, &format)) {
		SWHCA_LOG(WARNING, "CREATE_CQ: compression format 0x%x: not one of 1, 2, 4",
			  ucmd->cqe_comp_res_format);
		return -EINVAL;
	}
	if (is_padded &&
	    (ucmd->cqe_size != 128 || swhca_udev_cap(dev, PRM_CAP_CQE_128_ALWAYS) == 0))
		return -EOPNOTSUPP;
	return 0;
}

static int
ucmd_read(struct swhca_ureq *req, struct mlx5_ib_create_cq *ucmd)
{
	const uint32_t known = MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD |
			       MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX |
			       MLX5_IB_CREATE_CQ_FLAGS_REAL_TIME_TS;
	int ret;

	ret = swhca_uattr_in(req, UVERBS_ATTR_UHW_IN, ucmd, sizeof(*ucmd), UCQ_MIN_LEN);
	if (ret != 0)
		return ret;
	if ((ucmd->flags & ~known) != 0 || ucmd->reserved0 != 0 || ucmd->reserved1 != 0)
		return -EINVAL;
	if (ucmd->cqe_size != 64 && ucmd->cqe_size != 128)
		return -EINVAL;
	return ucmd_check_formats(req->file->dev, ucmd);
}

static uint8_t
cqe_sz_of(const struct mlx5_ib_create_cq *ucmd)
{
	if (ucmd->cqe_size == 64)
		return PRM_CQC_CQE_SZ_64;
	return (ucmd->flags & MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD) != 0 ? PRM_CQC_CQE_SZ_128_PAD :
									    PRM_CQC_CQE_SZ_128;
}

static int
uar_find(struct swhca_ufile *file, const struct mlx5_ib_create_cq *ucmd, uint32_t *uar)
{
	if ((ucmd->flags & MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX) != 0) {
		*uar = ucmd->uar_page_index;
		return swhca_uuar_check(file, *uar);
	}
	if (file->has_dyn_uar)
		return -EINVAL;
	return swhca_uuar_of_bfreg(file, 0, false, uar);
}

static int
cq_exec(struct swhca_ufile *file, struct swhca_uobj *cq, const struct mlx5_ib_create_cq *ucmd,
	unsigned int log_size, uint32_t comp_vector, bool ignores_overrun)
{
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	uint64_t len = (uint64_t)ucmd->cqe_size << log_size;
	struct swhca_upages pages;
	uint8_t *in, *cqc, mini;
	uint32_t uar;
	int ret;

	ret = uar_find(file, ucmd, &uar);
	if (ret == 0)
		ret = swhca_upin(cq, ucmd->buf_addr, len, true);
	if (ret == 0)
		ret = swhca_upin_dbr(file, cq, ucmd->db_addr);
	if (ret == 0)
		ret = swhca_upages_queue(ucmd->buf_addr, len, &pages);
	if (ret != 0)
		return ret;
	in = calloc(1, PRM_CREATE_CQ_IN_PAS_BYTE + (size_t)pages.nb * PRM_MTT_SIZE);
	if (in == NULL)
		return -ENOMEM;
	cqc = &in[PRM_CREATE_CQ_IN_CQC_BYTE];
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_CQ);
	prm_set(in, PRM_CMD_IN_UID, file->uid);
	prm_set(cqc, PRM_CQC_CQE_SZ, cqe_sz_of(ucmd));
	if (mini_format_to_prm(ucmd->cqe_comp_res_format, &mini) && ucmd->cqe_comp_en != 0) {
		prm_set(cqc, PRM_CQC_CQE_COMP_EN, 1);
		prm_set(cqc, PRM_CQC_MINI_CQE_RES_FORMAT, mini);
	}
	prm_set(cqc, PRM_CQC_OI, ignores_overrun);
	prm_set(cqc, PRM_CQC_PAGE_OFFSET, pages.offset_64th);
	prm_set(cqc, PRM_CQC_LOG_CQ_SIZE, log_size);
	prm_set(cqc, PRM_CQC_UAR_PAGE, uar);
	prm_set(cqc, PRM_CQC_C_EQN, swhca_ueq_of_comp_vector(file->dev, comp_vector));
	prm_set(cqc, PRM_CQC_LOG_PAGE_SIZE, pages.log_page - PRM_ADAPTER_PAGE_SHIFT);
	prm_set(cqc, PRM_CQC_DBR_ADDR, ucmd->db_addr);
	swhca_upages_write(&pages, &in[PRM_CREATE_CQ_IN_PAS_BYTE], 0);
	ret = swhca_udev_exec(file->dev, in,
			      PRM_CREATE_CQ_IN_PAS_BYTE + (size_t)pages.nb * PRM_MTT_SIZE, out,
			      sizeof(out));
	free(in);
	if (ret == 0)
		cq->num = (uint32_t)prm_get(out, PRM_CREATE_CQ_OUT_CQN);
	return ret;
}

/* The device has a power of two of entries, at least one more than requested. */
static int
cq_log_size(const struct swhca_udev *dev, uint32_t nb_cqe, unsigned int *log_size)
{
	uint32_t max = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_CQ_SZ);

	if (nb_cqe == 0 || nb_cqe >= max) {
		SWHCA_LOG(WARNING, "CREATE_CQ: %u entries: not in [1, %u]", nb_cqe, max - 1);
		return -EINVAL;
	}
	*log_size = 32u - (unsigned int)__builtin_clz(nb_cqe);
	return 0;
}

int
swhca_ucq_create(struct swhca_ureq *req, const struct swhca_ucq_attr *attr,
		 struct swhca_uobj **obj, uint32_t *nb_cqe)
{
	struct swhca_ufile *file = req->file;
	struct mlx5_ib_create_cq_resp resp = { 0 };
	struct mlx5_ib_create_cq ucmd;
	struct swhca_uobj *cq;
	unsigned int log_size;
	int ret;

	if (attr->comp_vector >= SWHCA_NB_COMP_VECTORS) {
		SWHCA_LOG(ERR, "CQ: completion vector %u of %u", attr->comp_vector,
			  SWHCA_NB_COMP_VECTORS);
		return -EINVAL;
	}
	if ((attr->flags & ~(CQ_FLAG_TIMESTAMP_COMPLETION | CQ_FLAG_IGNORE_OVERRUN)) != 0)
		return -EOPNOTSUPP;
	ret = cq_log_size(file->dev, attr->nb_cqe, &log_size);
	if (ret == 0)
		ret = ucmd_read(req, &ucmd);
	if (ret != 0)
		return ret;
	cq = swhca_uobj_alloc(file, UVERBS_OBJECT_CQ);
	if (cq == NULL)
		return -ENOMEM;
	ret = cq_exec(file, cq, &ucmd, log_size, attr->comp_vector,
		      (attr->flags & CQ_FLAG_IGNORE_OVERRUN) != 0);
	if (ret != 0) {
		swhca_uobj_free(file, cq);
		return ret;
	}
	cq->create_op = PRM_CMD_CREATE_CQ;
	cq->cq.nb_cqe = (1u << log_size) - 1;
	cq->cq.cqe_sz = cqe_sz_of(&ucmd);
	cq->cq.has_real_time = (ucmd.flags & MLX5_IB_CREATE_CQ_FLAGS_REAL_TIME_TS) != 0;
	swhca_uevent_attach(file, cq, SWHCA_UEVENT_OBJ_CQ, &attr->events);
	cq->cq.cqe_size = ucmd.cqe_size;
	resp.cqn = cq->num;
	ret = swhca_uattr_out(req, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	if (ret != 0) {
		swhca_uobj_destroy(file, cq);
		return ret;
	}
	*nb_cqe = cq->cq.nb_cqe;
	*obj = cq;
	return 0;
}

/* mlx5_ib: mlx5_ib_resize_cq() */
static int
resize_exec(struct swhca_ufile *file, struct swhca_uobj *cq, const struct mlx5_ib_resize_cq *ucmd,
	    unsigned int log_size)
{
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	uint64_t len = (uint64_t)ucmd->cqe_size << log_size;
	struct swhca_upages pages;
	uint8_t *in, *cqc;
	size_t in_len;
	int ret;

	ret = swhca_upin(cq, ucmd->buf_addr, len, true);
	if (ret == 0)
		ret = swhca_upages_queue(ucmd->buf_addr, len, &pages);
	if (ret != 0)
		return ret;
	in_len = PRM_MODIFY_CQ_IN_PAS_BYTE + (size_t)pages.nb * PRM_MTT_SIZE;
	in = calloc(1, in_len);
	if (in == NULL)
		return -ENOMEM;
	cqc = &in[PRM_MODIFY_CQ_IN_CQC_BYTE];
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_MODIFY_CQ);
	prm_set(in, PRM_CMD_IN_UID, file->uid);
	prm_set(in, PRM_CMD_IN_OP_MOD, PRM_MODIFY_CQ_OP_MOD_RESIZE);
	prm_set(in, PRM_CMD_IN_OBJ, cq->num);
	prm_set(in, PRM_MODIFY_CQ_IN_FIELD_SELECT,
		PRM_RESIZE_CQ_LOG_SIZE | PRM_RESIZE_CQ_PAGE_OFFSET | PRM_RESIZE_CQ_PAGE_SIZE);
	prm_set(cqc, PRM_CQC_CQE_SZ, cq->cq.cqe_sz);
	prm_set(cqc, PRM_CQC_PAGE_OFFSET, pages.offset_64th);
	prm_set(cqc, PRM_CQC_LOG_CQ_SIZE, log_size);
	prm_set(cqc, PRM_CQC_LOG_PAGE_SIZE, pages.log_page - PRM_ADAPTER_PAGE_SHIFT);
	swhca_upages_write(&pages, &in[PRM_MODIFY_CQ_IN_PAS_BYTE], 0);
	ret = swhca_udev_exec(file->dev, in, in_len, out, sizeof(out));
	free(in);
	return ret;
}

int
swhca_ucq_resize(struct swhca_ureq *req, struct swhca_uobj *cq, uint32_t *nb_cqe)
{
	struct mlx5_ib_resize_cq ucmd;
	unsigned int log_size;
	uint64_t nb_pinned;
	int ret;

	if (swhca_udev_cap(req->file->dev, PRM_CAP_CQ_RESIZE) == 0)
		return -EOPNOTSUPP;
	ret = cq_log_size(req->file->dev, *nb_cqe, &log_size);
	if (ret != 0)
		return ret;
	*nb_cqe = (1u << log_size) - 1;
	if (*nb_cqe == cq->cq.nb_cqe)
		return 0;
	ret = swhca_uattr_in(req, UVERBS_ATTR_UHW_IN, &ucmd, sizeof(ucmd), sizeof(ucmd));
	if (ret != 0)
		return ret;
	if (ucmd.reserved0 != 0 || ucmd.reserved1 != 0 ||
	    ucmd.cqe_size != cq->cq.cqe_size)
		return -EINVAL;
	/* Both rings are pinned until the device uses the new one. */
	nb_pinned = cq->nb_pinned;
	ret = resize_exec(req->file, cq, &ucmd, log_size);
	if (ret == 0)
		cq->cq.nb_cqe = *nb_cqe;
	swhca_uunpin(cq, ret == 0 ? nb_pinned : cq->nb_pinned - nb_pinned);
	return ret;
}

/* mlx5_ib: mlx5_ib_modify_cq() */
int
swhca_ucq_moderate(struct swhca_ufile *file, struct swhca_uobj *cq, uint16_t count,
		   uint16_t period_us)
{
	uint8_t in[PRM_MODIFY_CQ_IN_PAS_BYTE] = { 0 };
	uint8_t *cqc = &in[PRM_MODIFY_CQ_IN_CQC_BYTE];
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];

	if (swhca_udev_cap(file->dev, PRM_CAP_CQ_MODERATION) == 0)
		return -EOPNOTSUPP;
	if (period_us > SWHCA_MAX_CQ_PERIOD_US) {
		SWHCA_LOG(WARNING, "CQ 0x%x: moderation period of %u us, at most %u", cq->num,
			  period_us, SWHCA_MAX_CQ_PERIOD_US);
		return -EINVAL;
	}
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_MODIFY_CQ);
	prm_set(in, PRM_CMD_IN_UID, file->uid);
	prm_set(in, PRM_CMD_IN_OBJ, cq->num);
	prm_set(in, PRM_MODIFY_CQ_IN_FIELD_SELECT, PRM_MODIFY_CQ_PERIOD | PRM_MODIFY_CQ_COUNT);
	prm_set(cqc, PRM_CQC_CQ_PERIOD, period_us);
	prm_set(cqc, PRM_CQC_CQ_MAX_COUNT, count);
	return swhca_udev_exec(file->dev, in, sizeof(in), out, sizeof(out));
}

#define CREATE_ATTR(name, kind, member)                                                            \
	SWHCA_UATTR(UVERBS_ATTR_CREATE_CQ_##name, kind, struct swhca_ucq_attr, member)

static const struct swhca_uattr_spec create_attrs[] = {
	{ CREATE_ATTR(CQE, U32, nb_cqe) },
	{ CREATE_ATTR(COMP_VECTOR, U32, comp_vector) },
	{ CREATE_ATTR(FLAGS, U32, flags), .is_optional = true },
	{ CREATE_ATTR(USER_HANDLE, U64, events.user_handle) },
	{ CREATE_ATTR(COMP_CHANNEL, EVENTS, events.comp), .type = SWHCA_UEVENT_COMP,
	  .is_optional = true },
	{ CREATE_ATTR(EVENT_FD, EVENTS, events.async), .type = SWHCA_UEVENT_ASYNC,
	  .is_optional = true },
};

static int
create_out(struct swhca_ureq *req, struct swhca_uobj *cq, uint32_t nb_cqe)
{
	const struct swhca_uattr_answer answer = { UVERBS_ATTR_CREATE_CQ_RESP_CQE, &nb_cqe,
						   sizeof(nb_cqe) };

	return swhca_uattrs_out_obj(req, cq, UVERBS_ATTR_CREATE_CQ_HANDLE, &answer, 1);
}

int
swhca_ucq_create_req(struct swhca_ureq *req)
{
	struct swhca_ucq_attr attr = { 0 };
	struct swhca_uobj *cq;
	uint32_t nb_cqe;
	int ret;

	ret = swhca_uattrs_in(req, create_attrs, SWHCA_ARRAY_SIZE(create_attrs), &attr);
	if (ret == 0)
		ret = swhca_ucq_create(req, &attr, &cq, &nb_cqe);
	swhca_uevent_attr_fini(&attr.events);
	if (ret != 0)
		return ret;
	return create_out(req, cq, nb_cqe);
}

int
swhca_ucq_destroy_req(struct swhca_ureq *req)
{
	struct ib_uverbs_destroy_cq_resp resp = { 0 };
	struct swhca_uevent_counts counts;
	struct swhca_uobj *cq;
	int ret;

	ret = swhca_uattr_obj(req, UVERBS_ATTR_DESTROY_CQ_HANDLE, UVERBS_OBJECT_CQ, &cq);
	if (ret == 0)
		ret = swhca_uobj_destroy_counted(req->file, cq, &counts);
	if (ret != 0)
		return ret;
	resp.comp_events_reported = counts.nb_comp;
	resp.async_events_reported = counts.nb_async;
	return swhca_uattr_out(req, UVERBS_ATTR_DESTROY_CQ_RESP, &resp, sizeof(resp));
}
