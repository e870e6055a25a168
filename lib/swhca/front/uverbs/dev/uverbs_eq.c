/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Event queues of a device (mlx5_core: eq.c): one for asynchronous events, one for each completion
 * vector. Their entries are consumed in the interrupt, which the HCA calls with its lock held.
 */

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_eq.h"
#include "front/uverbs/dev/uverbs_pages.h"

/* log2 of the entries of an EQ. The interrupt empties it, so few are in use. */
#define EQ_LOG_SIZE 6u
#define EQ_NB_EQES (1u << EQ_LOG_SIZE)
#define EQ_BYTES (EQ_NB_EQES * PRM_EQE_SIZE)

/* Event types of the asynchronous EQ (mlx5_core: gather_async_events_mask()). */
#define ASYNC_EVENTS                                                                               \
	(UINT64_C(1) << PRM_EVENT_PATH_MIG | UINT64_C(1) << PRM_EVENT_COMM_EST |                   \
	 UINT64_C(1) << PRM_EVENT_SQ_DRAINED | UINT64_C(1) << PRM_EVENT_CQ_ERROR |                 \
	 UINT64_C(1) << PRM_EVENT_WQ_CATAS_ERROR | UINT64_C(1) << PRM_EVENT_PATH_MIG_FAILED |      \
	 UINT64_C(1) << PRM_EVENT_INTERNAL_ERROR | UINT64_C(1) << PRM_EVENT_PORT_CHANGE |          \
	 UINT64_C(1) << PRM_EVENT_WQ_INVAL_REQ_ERROR |                                             \
	 UINT64_C(1) << PRM_EVENT_WQ_ACCESS_ERROR | UINT64_C(1) << PRM_EVENT_SRQ_CATAS_ERROR |     \
	 UINT64_C(1) << PRM_EVENT_SRQ_LAST_WQE | UINT64_C(1) << PRM_EVENT_SRQ_RQ_LIMIT |           \
	 UINT64_C(1) << PRM_EVENT_DCT_DRAINED | UINT64_C(1) << PRM_EVENT_DCT_KEY_VIOLATION)

static const uint8_t *
eqe_next(const struct swhca_ueq *eq)
{
	const uint8_t *eqe = eq->buf + (eq->ci & (EQ_NB_EQES - 1)) * PRM_EQE_SIZE;
	uint64_t owner = prm_get(eqe, PRM_EQE_OWNER);

	if (owner != (eq->ci >> EQ_LOG_SIZE & 1))
		return NULL;
	/* The HCA writes the owner last. */
	atomic_thread_fence(memory_order_acquire);
	return eqe;
}

/* Report the consumed entries to the HCA, and allow the next interrupt. */
static void
eq_arm(struct swhca_ueq *eq)
{
	uint32_t *doorbell = (uint32_t *)(eq->uar + PRM_UAR_EQ_DB_OFFSET);

	__atomic_store_n(doorbell, htobe32(eq->eqn << 24 | (eq->ci & 0xffffff)), __ATOMIC_RELEASE);
}

void
swhca_ueq_interrupt(void *arg, unsigned int vector)
{
	struct swhca_udev *dev = arg;
	struct swhca_ueq *eq = &dev->eqs[vector];
	const uint8_t *eqe;

	while ((eqe = eqe_next(eq)) != NULL) {
		dev->event(dev, eqe);
		eq->ci++;
	}
	eq_arm(eq);
}

static int
eq_exec(struct swhca_udev *dev, struct swhca_ueq *eq, unsigned int vector)
{
	uint8_t in[PRM_CREATE_EQ_IN_PAS_BYTE + EQ_BYTES / PRM_ADAPTER_PAGE_SIZE * PRM_MTT_SIZE] = {
		0
	};
	uint8_t *eqc = &in[PRM_CREATE_EQ_IN_EQC_BYTE];
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	struct swhca_upages pages;
	int ret;

	swhca_upages_queue((uintptr_t)eq->buf, EQ_BYTES, &pages);
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_EQ);
	prm_set(eqc, PRM_EQC_LOG_EQ_SIZE, EQ_LOG_SIZE);
	prm_set(eqc, PRM_EQC_UAR_PAGE, eq->uarn);
	prm_set(eqc, PRM_EQC_INTR, vector);
	prm_set(eqc, PRM_EQC_LOG_PAGE_SIZE, pages.log_page - PRM_ADAPTER_PAGE_SHIFT);
	/* Completion EQs are also for DevX users (mlx5_core: eq.c, create_map_eq()). */
	if (vector == SWHCA_ASYNC_VECTOR)
		prm_set(in, PRM_CREATE_EQ_IN_EVENT_BITMASK(0), ASYNC_EVENTS);
	else
		prm_set(in, PRM_CMD_IN_UID, PRM_UID_SHARED);
	swhca_upages_write(&pages, &in[PRM_CREATE_EQ_IN_PAS_BYTE], 0);
	ret = swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
	if (ret == 0)
		eq->eqn = (uint32_t)prm_get(out, PRM_CREATE_EQ_OUT_EQN);
	return ret;
}

static int
eq_create(struct swhca_udev *dev, unsigned int vector)
{
	struct swhca_ueq *eq = &dev->eqs[vector];
	uint32_t i;
	int ret;

	eq->buf = aligned_alloc(PRM_ADAPTER_PAGE_SIZE, EQ_BYTES);
	if (eq->buf == NULL)
		return -ENOMEM;
	memset(eq->buf, 0, EQ_BYTES);
	for (i = 0; i < EQ_NB_EQES; i++)
		prm_set(eq->buf + i * PRM_EQE_SIZE, PRM_EQE_OWNER, 1);
	ret = swhca_udev_exec_alloc(dev, PRM_CMD_ALLOC_UAR, 0, &eq->uarn);
	if (ret != 0)
		goto free_buf;
	eq->uar = mmap(NULL, SWHCA_UAR_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
		       swhca_hca_bar_fd(dev->hca), (off_t)eq->uarn * SWHCA_UAR_SIZE);
	if (eq->uar == MAP_FAILED) {
		ret = -errno;
		goto dealloc_uar;
	}
	ret = eq_exec(dev, eq, vector);
	if (ret != 0)
		goto unmap_uar;
	eq_arm(eq);
	return 0;

unmap_uar:
	munmap(eq->uar, SWHCA_UAR_SIZE);
dealloc_uar:
	swhca_udev_exec_obj(dev, PRM_CMD_DEALLOC_UAR, 0, eq->uarn);
free_buf:
	free(eq->buf);
	return ret;
}

static void
eq_destroy(struct swhca_udev *dev, struct swhca_ueq *eq)
{
	swhca_udev_exec_obj(dev, PRM_CMD_DESTROY_EQ, 0, eq->eqn);
	munmap(eq->uar, SWHCA_UAR_SIZE);
	swhca_udev_exec_obj(dev, PRM_CMD_DEALLOC_UAR, 0, eq->uarn);
	free(eq->buf);
}

int
swhca_ueqs_create(struct swhca_udev *dev)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; ret == 0 && i < SWHCA_NB_EQS; i++)
		ret = eq_create(dev, i);
	if (ret == 0)
		return 0;
	for (i--; i > 0; i--)
		eq_destroy(dev, &dev->eqs[i - 1]);
	return ret;
}
