/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Queue pair by which the kernel changes keys in use (mlx5_ib: umr.c).
 *
 * One per device, created when first needed. A change is one UMR at a time: post, ring, wait for
 * its completion. After an error the queue is destroyed, and the next change creates a new one.
 */

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "mlx5_prm_wqe.h"
#include "base/array.h"
#include "base/log.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/obj/uverbs_umr.h"

#define LOG_SQ_BB	6u
#define LOG_CQ_SIZE	6u
#define SQ_BYTES	(PRM_WQE_BB_SIZE << LOG_SQ_BB)
#define CQ_BYTES	((uint32_t)sizeof(struct mlx5_cqe64) << LOG_CQ_SIZE)
#define CQ_OFFSET	SQ_BYTES
#define QP_DBR_OFFSET	(CQ_OFFSET + CQ_BYTES)
#define CQ_DBR_OFFSET	(QP_DBR_OFFSET + 64)
#define BUF_BYTES	(QP_DBR_OFFSET + PRM_ADAPTER_PAGE_SIZE)

/* Octowords of a UMR before the translation: control, UMR control, context. */
#define UMR_HEAD_DS	8u
/* Time limit for the engine: it answers in microseconds unless the machine is stuck. */
#define TIMEOUT_S	10

struct swhca_uumr {
	uint8_t *buf;		/* SQ, CQ, doorbell records */
	uint8_t *uar_page;
	uint32_t pdn;
	uint32_t uar;
	uint32_t cqn;
	uint32_t qpn;
	uint16_t pi;
	uint32_t ci;
};

static int
cq_create(struct swhca_udev *dev, struct swhca_uumr *umr)
{
	uint8_t in[PRM_CREATE_CQ_IN_PAS_BYTE + PRM_MTT_SIZE] = { 0 };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	uint8_t *cqc = &in[PRM_CREATE_CQ_IN_CQC_BYTE];
	uint64_t pas = htobe64((uintptr_t)umr->buf + CQ_OFFSET);
	uint32_t i;
	int ret;

	for (i = 0; i < 1u << LOG_CQ_SIZE; i++)
		umr->buf[CQ_OFFSET + i * sizeof(struct mlx5_cqe64) +
			 offsetof(struct mlx5_cqe64, op_own)] = PRM_CQE_OPCODE_INVALID << 4 | 1;
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_CQ);
	prm_set(cqc, PRM_CQC_LOG_CQ_SIZE, LOG_CQ_SIZE);
	prm_set(cqc, PRM_CQC_UAR_PAGE, umr->uar);
	prm_set(cqc, PRM_CQC_C_EQN, swhca_ueq_of_comp_vector(dev, 0));
	prm_set(cqc, PRM_CQC_DBR_ADDR, (uintptr_t)umr->buf + CQ_DBR_OFFSET);
	memcpy(&in[PRM_CREATE_CQ_IN_PAS_BYTE], &pas, sizeof(pas));
	ret = swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
	if (ret == 0)
		umr->cqn = (uint32_t)prm_get(out, PRM_CREATE_CQ_OUT_CQN);
	return ret;
}

static int
qp_create(struct swhca_udev *dev, struct swhca_uumr *umr)
{
	uint8_t in[PRM_CREATE_QP_IN_PAS_BYTE + PRM_MTT_SIZE] = { 0 };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	uint8_t *qpc = &in[PRM_CREATE_QP_IN_QPC_BYTE];
	uint64_t pas = htobe64((uintptr_t)umr->buf);
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_QP);
	prm_set(qpc, PRM_QPC_ST, PRM_QP_ST_REG_UMR);
	prm_set(qpc, PRM_QPC_PM_STATE, PRM_QPC_PM_STATE_MIGRATED);
	prm_set(qpc, PRM_QPC_PD, umr->pdn);
	prm_set(qpc, PRM_QPC_LOG_SQ_SIZE, LOG_SQ_BB);
	prm_set(qpc, PRM_QPC_RQ_TYPE, PRM_RQ_TYPE_ZERO_SIZE);
	prm_set(qpc, PRM_QPC_UAR_PAGE, umr->uar);
	prm_set(qpc, PRM_QPC_USER_INDEX, 0xffffff);
	prm_set(qpc, PRM_QPC_CQN_SND, umr->cqn);
	prm_set(qpc, PRM_QPC_CQN_RCV, umr->cqn);
	prm_set(qpc, PRM_QPC_DBR_ADDR, (uintptr_t)umr->buf + QP_DBR_OFFSET);
	memcpy(&in[PRM_CREATE_QP_IN_PAS_BYTE], &pas, sizeof(pas));
	ret = swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
	if (ret == 0)
		umr->qpn = (uint32_t)prm_get(out, PRM_CREATE_QP_OUT_QPN);
	return ret;
}

static int
qp_start(struct swhca_udev *dev, const struct swhca_uumr *umr)
{
	static const uint16_t ops[] = { PRM_CMD_RST2INIT_QP, PRM_CMD_INIT2RTR_QP,
					PRM_CMD_RTR2RTS_QP };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	size_t i;
	int ret = 0;

	for (i = 0; i < SWHCA_ARRAY_SIZE(ops) && ret == 0; i++) {
		uint8_t in[PRM_MODIFY_QP_IN_SIZE] = { 0 };
		uint8_t *qpc = &in[PRM_MODIFY_QP_IN_QPC_BYTE];

		prm_set(in, PRM_CMD_IN_OPCODE, ops[i]);
		prm_set(in, PRM_MODIFY_QP_IN_QPN, umr->qpn);
		prm_set(qpc, PRM_QPC_ST, PRM_QP_ST_REG_UMR);
		prm_set(qpc, PRM_QPC_PM_STATE, PRM_QPC_PM_STATE_MIGRATED);
		prm_set(qpc, PRM_QPC_MTU, PRM_QPC_MTU_256);
		ret = swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
	}
	return ret;
}

/* Undo a partial creation: objects with number 0 do not exist. */
static void
umr_destroy(struct swhca_udev *dev, struct swhca_uumr *umr)
{
	if (umr->qpn != 0)
		swhca_udev_exec_obj(dev, PRM_CMD_DESTROY_QP, 0, umr->qpn);
	if (umr->cqn != 0)
		swhca_udev_exec_obj(dev, PRM_CMD_DESTROY_CQ, 0, umr->cqn);
	if (umr->uar_page != NULL)
		munmap(umr->uar_page, SWHCA_UAR_SIZE);
	if (umr->uar != 0)
		swhca_udev_exec_obj(dev, PRM_CMD_DEALLOC_UAR, 0, umr->uar);
	if (umr->pdn != 0)
		swhca_udev_exec_obj(dev, PRM_CMD_DEALLOC_PD, 0, umr->pdn);
	free(umr->buf);
	free(umr);
}

static int
uar_map(struct swhca_udev *dev, struct swhca_uumr *umr)
{
	void *page;

	int ret;

	/* A file may have used it before. */
	ret = swhca_hca_bar_restore(dev->hca, (uint64_t)umr->uar * SWHCA_UAR_SIZE, SWHCA_UAR_SIZE);
	if (ret != 0)
		return ret;
	page = mmap(NULL, SWHCA_UAR_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
		    swhca_hca_bar_fd(dev->hca), (off_t)umr->uar * SWHCA_UAR_SIZE);
	if (page == MAP_FAILED)
		return -errno;
	umr->uar_page = page;
	return 0;
}

static int
umr_create(struct swhca_udev *dev, struct swhca_uumr **out)
{
	struct swhca_uumr *umr = calloc(1, sizeof(*umr));
	int ret = -ENOMEM;

	if (umr == NULL)
		return -ENOMEM;
	umr->buf = aligned_alloc(PRM_ADAPTER_PAGE_SIZE, BUF_BYTES);
	if (umr->buf != NULL) {
		memset(umr->buf, 0, BUF_BYTES);
		ret = swhca_udev_exec_alloc(dev, PRM_CMD_ALLOC_PD, 0, &umr->pdn);
	}
	if (ret == 0)
		ret = swhca_udev_exec_alloc(dev, PRM_CMD_ALLOC_UAR, 0, &umr->uar);
	if (ret == 0)
		ret = uar_map(dev, umr);
	if (ret == 0)
		ret = cq_create(dev, umr);
	if (ret == 0)
		ret = qp_create(dev, umr);
	if (ret == 0)
		ret = qp_start(dev, umr);
	if (ret != 0) {
		umr_destroy(dev, umr);
		return ret;
	}
	*out = umr;
	return 0;
}

static uint32_t
wqe_build(const struct swhca_uumr *umr, const struct swhca_uumr_change *change, uint8_t *wqe)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)wqe;
	struct mlx5_wqe_umr_ctrl_seg *umr_ctrl = (void *)(ctrl + 1);
	uint8_t *mkc = (uint8_t *)(umr_ctrl + 1);
	uint32_t nb_ds = UMR_HEAD_DS + change->nb_xlt;

	memset(wqe, 0, UMR_HEAD_DS * PRM_WQE_DS_SIZE);
	ctrl->opmod_idx_opcode = htobe32((uint32_t)umr->pi << 8 | MLX5_OPCODE_UMR);
	ctrl->qpn_ds = htobe32(umr->qpn << 8 | nb_ds);
	ctrl->fm_ce_se = PRM_CTRL_CE_ALWAYS | PRM_CTRL_FM_INITIATOR_SMALL;
	ctrl->imm = htobe32(change->key);
	umr_ctrl->flags = change->flags | MLX5_WQE_UMR_CTRL_FLAG_INLINE;
	umr_ctrl->klm_octowords = htobe16((uint16_t)change->nb_xlt);
	umr_ctrl->mkey_mask = htobe64(change->mask);
	memcpy(mkc, change->mkc, sizeof(change->mkc));
	if (change->nb_xlt > 0)
		memcpy(mkc + sizeof(change->mkc), change->xlt,
		       (size_t)change->nb_xlt * PRM_KLM_SIZE);
	return nb_ds;
}

static void
wqe_post(struct swhca_uumr *umr, const uint8_t *wqe, uint32_t nb_ds)
{
	uint32_t nb_bb = prm_ds_to_wqebb(nb_ds), i;
	uint32_t be;
	uint64_t doorbell;

	for (i = 0; i < nb_bb; i++)
		memcpy(umr->buf + ((umr->pi + i) & ((1u << LOG_SQ_BB) - 1)) * PRM_WQE_BB_SIZE,
		       wqe + (size_t)i * PRM_WQE_BB_SIZE, PRM_WQE_BB_SIZE);
	umr->pi = (uint16_t)(umr->pi + nb_bb);
	be = htobe32(umr->pi);
	memcpy(&doorbell, wqe, sizeof(doorbell));
	/* WQE before its record, record before the doorbell: pairs with swhca_dbr_read(). */
	__atomic_store_n((uint32_t *)(umr->buf + QP_DBR_OFFSET) + PRM_DBR_SQ, be,
			 __ATOMIC_RELEASE);
	__atomic_store_n((uint64_t *)(umr->uar_page + PRM_UAR_BF_OFFSET), doorbell,
			 __ATOMIC_SEQ_CST);
}

/* @return 0, -EFAULT (completed in error) or -EIO (did not complete). */
static int
cqe_wait(struct swhca_uumr *umr)
{
	struct mlx5_cqe64 *cqe = (void *)(umr->buf + CQ_OFFSET +
					  (umr->ci & ((1u << LOG_CQ_SIZE) - 1)) * sizeof(*cqe));
	uint8_t owner = umr->ci >> LOG_CQ_SIZE & 1;
	time_t deadline = time(NULL) + TIMEOUT_S;
	uint8_t op_own;

	for (;;) {
		op_own = __atomic_load_n(&cqe->op_own, __ATOMIC_ACQUIRE);
		if (PRM_CQE_OPCODE(op_own) != PRM_CQE_OPCODE_INVALID && (op_own & 1) == owner)
			break;
		if (time(NULL) > deadline) {
			SWHCA_LOG(ERR, "UMR of the kernel: no completion in %d s", TIMEOUT_S);
			return -EIO;
		}
		sched_yield();
	}
	umr->ci++;
	__atomic_store_n((uint32_t *)(umr->buf + CQ_DBR_OFFSET), htobe32(umr->ci & 0xffffff),
			 __ATOMIC_RELEASE);
	return PRM_CQE_OPCODE(op_own) == MLX5_CQE_REQ ? 0 : -EFAULT;
}

int
swhca_uumr_exec(struct swhca_udev *dev, const struct swhca_uumr_change *change)
{
	uint8_t wqe[(UMR_HEAD_DS + SWHCA_UUMR_MAX_XLT) * PRM_WQE_DS_SIZE] = { 0 };
	uint32_t nb_ds;
	int ret = 0;

	pthread_mutex_lock(&dev->umr_lock);
	if (dev->umr == NULL)
		ret = umr_create(dev, &dev->umr);
	if (ret == 0) {
		nb_ds = wqe_build(dev->umr, change, wqe);
		wqe_post(dev->umr, wqe, nb_ds);
		ret = cqe_wait(dev->umr);
		if (ret != 0) {
			umr_destroy(dev, dev->umr);
			dev->umr = NULL;
		}
	}
	pthread_mutex_unlock(&dev->umr_lock);
	return ret;
}
