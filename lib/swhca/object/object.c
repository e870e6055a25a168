/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mlx5_prm_wqe.h"
#include "base/alloc.h"
#include "queue/cq.h"
#include "xport/dc.h"
#include "queue/eq.h"
#include "mem/bsf/dek.h"
#include "object/object.h"
#include "mem/odp.h"

void
swhca_table_init(struct swhca_table *table, uint32_t first, uint32_t max)
{
	*table = (struct swhca_table){ .first = first, .max = max };
}

void
swhca_table_fini(struct swhca_table *table)
{
	free(table->slots);
	*table = (struct swhca_table){ 0 };
}

static int
table_grow(struct swhca_table *table)
{
	uint32_t nb_slots = table->nb_slots == 0 ? 64 : table->nb_slots * 2;
	struct swhca_obj **slots;

	if (nb_slots > table->max)
		nb_slots = table->max;
	slots = realloc(table->slots, nb_slots * sizeof(*slots));
	if (slots == NULL)
		return -ENOMEM;
	memset(&slots[table->nb_slots], 0, (nb_slots - table->nb_slots) * sizeof(*slots));
	table->next = table->nb_slots;
	table->slots = slots;
	table->nb_slots = nb_slots;
	return 0;
}

int
swhca_table_add(struct swhca_table *table, struct swhca_obj *obj)
{
	int ret;

	if (table->nb_used == table->max)
		return -ENOSPC;
	/* Half of the slots stay free, so that the search is short and numbers rest. */
	if (table->nb_used >= table->nb_slots / 2 && table->nb_slots < table->max) {
		ret = table_grow(table);
		if (ret != 0)
			return ret;
	}
	while (table->slots[table->next] != NULL)
		table->next = (table->next + 1) % table->nb_slots;
	table->slots[table->next] = obj;
	obj->num = table->first + table->next;
	table->next = (table->next + 1) % table->nb_slots;
	table->nb_used++;
	return 0;
}

void
swhca_table_remove(struct swhca_table *table, const struct swhca_obj *obj)
{
	table->slots[obj->num - table->first] = NULL;
	table->nb_used--;
}

struct swhca_obj *
swhca_table_get(const struct swhca_table *table, uint32_t num)
{
	if (num < table->first || num - table->first >= table->nb_slots)
		return NULL;
	return table->slots[num - table->first];
}

/* The user context that an object belongs to, or NULL: it is the kernel's. */
static struct swhca_obj *
uctx_of(const struct swhca_hca *hca, const struct swhca_obj *obj)
{
	return obj->uid == 0 ? NULL : swhca_table_get(&hca->tables[SWHCA_OBJ_UCTX], obj->uid);
}

/* What the engine writes to while it works. */
static bool
is_busy(enum swhca_obj_type type)
{
	return type == SWHCA_OBJ_QP || type == SWHCA_OBJ_DCT || type == SWHCA_OBJ_SRQ ||
	       type == SWHCA_OBJ_CQ || type == SWHCA_OBJ_EQ || type == SWHCA_OBJ_UAR;
}

void *
swhca_obj_create(struct swhca_hca *hca, enum swhca_obj_type type, uint16_t uid, size_t size)
{
	struct swhca_obj *obj = is_busy(type) ? swhca_alloc(size) : calloc(1, size);
	struct swhca_obj *uctx;

	if (obj == NULL)
		return NULL;
	obj->type = type;
	obj->uid = uid;
	if (swhca_table_add(&hca->tables[type], obj) != 0) {
		free(obj);
		return NULL;
	}
	uctx = uctx_of(hca, obj);
	if (uctx != NULL)
		swhca_obj_ref(uctx);
	return obj;
}

void
swhca_uar_ref(struct swhca_hca *hca, struct swhca_uar *uar)
{
	swhca_obj_ref(&uar->obj);
	if (uar->nb_queues++ == 0)
		LIST_INSERT_HEAD(&hca->active_uars, uar, active);
}

void
swhca_uar_unref(struct swhca_uar *uar)
{
	if (--uar->nb_queues == 0)
		LIST_REMOVE(uar, active);
	swhca_obj_unref(&uar->obj);
}

static void
mkey_fini(struct swhca_mkey *mkey)
{
	free(mkey->bsf);
	swhca_obj_unref(mkey->pd);
	swhca_obj_unref(mkey->umem);
	swhca_obj_unref(mkey->memic);
	swhca_odp_fini(mkey->odp);
	free(mkey->xlt);
}

static void
cq_fini(struct swhca_cq *cq)
{
	if (cq->eq != NULL)
		swhca_obj_unref(&cq->eq->obj);
	if (cq->uar != NULL)
		swhca_cq_event_fini(cq);
	if (cq->session.nb != 0)
		LIST_REMOVE(cq, open_link);
	swhca_cq_ring_fini(cq);
	if (cq->dbr.umem != NULL)
		swhca_obj_unref(&cq->dbr.umem->obj);
}

static void
srq_fini(struct swhca_srq *srq)
{
	swhca_obj_unref(srq->rq.pd);
	swhca_obj_unref(srq->xrcd);
	if (srq->cq != NULL)
		swhca_obj_unref(&srq->cq->obj);
	if (srq->umem != NULL)
		swhca_obj_unref(&srq->umem->obj);
	else
		swhca_buf_fini(&srq->rq.buf);
	if (srq->rq.dbr.umem != NULL)
		swhca_obj_unref(&srq->rq.dbr.umem->obj);
}

static void
qp_fini(struct swhca_qp *qp)
{
	if (qp->is_queued)
		TAILQ_REMOVE(&qp->hca->fabric->ready, qp, ready);
	if (qp->uar != NULL) {
		LIST_REMOVE(qp, uar_link);
		swhca_uar_unref(qp->uar);
	}
	if (qp->send_cq != NULL)
		swhca_obj_unref(&qp->send_cq->obj);
	if (qp->recv_cq != NULL)
		swhca_obj_unref(&qp->recv_cq->obj);
	if (qp->umem != NULL)
		swhca_obj_unref(&qp->umem->obj);
	else
		swhca_buf_fini(&qp->buf);
	if (qp->dbr.umem != NULL)
		swhca_obj_unref(&qp->dbr.umem->obj);
	free(qp->dci);
	if (qp->req_group != NULL)
		swhca_obj_unref(&qp->req_group->obj);
	if (qp->resp_group != NULL)
		swhca_obj_unref(&qp->resp_group->obj);
	swhca_obj_unref(qp->srq);
	swhca_obj_unref(qp->xrcd);
	swhca_obj_unref(qp->pd);
}

void
swhca_obj_destroy(struct swhca_hca *hca, struct swhca_obj *obj)
{
	switch (obj->type) {
	case SWHCA_OBJ_MKEY:
		mkey_fini((struct swhca_mkey *)obj);
		break;
	case SWHCA_OBJ_PSV:
		swhca_obj_unref(((struct swhca_psv *)obj)->pd);
		break;
	case SWHCA_OBJ_DEK:
		swhca_dek_fini((struct swhca_dek *)obj);
		break;
	case SWHCA_OBJ_CQ:
		cq_fini((struct swhca_cq *)obj);
		break;
	case SWHCA_OBJ_QP:
		qp_fini((struct swhca_qp *)obj);
		break;
	case SWHCA_OBJ_DCT:
		swhca_dct_fini((struct swhca_dct *)obj);
		break;
	case SWHCA_OBJ_SCHED:
		swhca_sched_fini(hca, (struct swhca_sched *)obj);
		break;
	case SWHCA_OBJ_EQ:
		swhca_eq_fini(hca, (struct swhca_eq *)obj);
		break;
	case SWHCA_OBJ_SRQ:
		srq_fini((struct swhca_srq *)obj);
		break;
	case SWHCA_OBJ_UMEM:
		swhca_buf_fini(&((struct swhca_umem *)obj)->buf);
		break;
	default:
		break;
	}
	swhca_obj_unref(uctx_of(hca, obj));
	swhca_table_remove(&hca->tables[obj->type], obj);
	free(obj);
}

/*
 * Objects of the kernel that users name in their commands although they have uid 0: pages of the
 * BAR, and what mlx5_ib creates so whoever asks for it (XRC domains and the SRQs in them). Else
 * what many share has a uid for that, and what is created for a user has the user's, so that no
 * other can name it.
 */
static bool
is_for_users(const struct swhca_obj *obj)
{
	switch (obj->type) {
	case SWHCA_OBJ_UAR:
	case SWHCA_OBJ_XRCD:
		return true;
	case SWHCA_OBJ_SRQ:
		return ((const struct swhca_srq *)obj)->xrcd != NULL;
	default:
		return false;
	}
}

struct swhca_obj *
swhca_obj_find(const struct swhca_hca *hca, enum swhca_obj_type type, uint32_t num, uint16_t uid)
{
	struct swhca_obj *obj = swhca_table_get(&hca->tables[type], num);

	if (obj == NULL || uid == 0 || obj->uid == uid || obj->uid == PRM_UID_SHARED ||
	    (obj->uid == 0 && is_for_users(obj)))
		return obj;
	return NULL;
}

int
swhca_buf_init(struct swhca_buf *buf, const uint8_t *pas, uint32_t nb, uint8_t log_page,
	       uint64_t offset)
{
	uint64_t mask = (UINT64_C(1) << log_page) - 1;
	uint64_t page;
	uint32_t i;

	*buf = (struct swhca_buf){ .nb_pages = nb, .log_page = log_page, .offset = offset };
	buf->pages = calloc(nb == 0 ? 1 : nb, sizeof(*buf->pages));
	if (buf->pages == NULL)
		return -ENOMEM;
	for (i = 0; i < nb; i++) {
		memcpy(&page, pas + (size_t)i * PRM_MTT_SIZE, sizeof(page));
		/* Low bits hold access rights or nothing. */
		buf->pages[i] = be64toh(page) & ~mask;
	}
	return 0;
}

void
swhca_buf_fini(struct swhca_buf *buf)
{
	free(buf->pages);
	*buf = (struct swhca_buf){ 0 };
}

uint64_t
swhca_buf_len(const struct swhca_buf *buf)
{
	uint64_t bytes = (uint64_t)buf->nb_pages << buf->log_page;

	return bytes > buf->offset ? bytes - buf->offset : 0;
}

int
swhca_buf_span(const struct swhca_buf *buf, uint64_t offset, uint64_t *addr, uint64_t *len)
{
	uint64_t page_size = UINT64_C(1) << buf->log_page;
	uint64_t at = buf->offset + offset;
	uint64_t index = at >> buf->log_page;

	if (at < offset || index >= buf->nb_pages)
		return -EFAULT;
	*addr = buf->pages[index] + (at & (page_size - 1));
	*len = page_size - (at & (page_size - 1));
	return 0;
}

int
swhca_buf_read(const struct swhca_fabric *fabric, const struct swhca_buf *buf, uint64_t offset,
	       void *dst, size_t len)
{
	uint8_t *to = dst;
	uint64_t addr, span;
	int ret;

	while (len > 0) {
		ret = swhca_buf_span(buf, offset, &addr, &span);
		if (ret != 0)
			return ret;
		if (span > len)
			span = len;
		ret = fabric->dma->read(fabric->dma, to, addr, span);
		if (ret != 0)
			return ret;
		to += span;
		offset += span;
		len -= span;
	}
	return 0;
}

int
swhca_dbr_read(const struct swhca_fabric *fabric, const struct swhca_dbr *dbr, unsigned int dword,
	       uint32_t *value)
{
	uint64_t addr = dbr->addr, span;
	uint32_t be[PRM_DBR_SIZE / sizeof(uint32_t)];
	int ret;

	if (dbr->umem != NULL) {
		ret = swhca_buf_span(&dbr->umem->buf, dbr->addr, &addr, &span);
		if (ret != 0)
			return ret;
	}
	/* The whole record at once: a copy of 8 aligned bytes is not torn. */
	ret = fabric->dma->read(fabric->dma, be, addr, sizeof(be));
	if (ret != 0)
		return ret;
	/* Partner of the driver's barrier between its WQEs or its poll and the record. */
	atomic_thread_fence(memory_order_acquire);
	*value = be32toh(be[dword]);
	return 0;
}

int
swhca_dbr_write(const struct swhca_fabric *fabric, const struct swhca_dbr *dbr, unsigned int dword,
		uint32_t value)
{
	uint64_t offset = dword * sizeof(uint32_t);
	uint64_t addr = dbr->addr + offset, span;
	uint32_t be = htobe32(value);
	int ret;

	if (dbr->umem != NULL) {
		ret = swhca_buf_span(&dbr->umem->buf, dbr->addr + offset, &addr, &span);
		if (ret != 0)
			return ret;
	}
	return fabric->dma->write(fabric->dma, addr, &be, sizeof(be));
}

int
swhca_spans_add(struct swhca_spans *spans, uint64_t addr, uint64_t len)
{
	struct iovec *iov;
	size_t max;

	if (len == 0)
		return 0;
	if (spans->nb == spans->max) {
		max = spans->max == 0 ? 64 : spans->max * 2;
		iov = realloc(spans->iov, max * sizeof(*iov));
		if (iov == NULL)
			return -ENOMEM;
		spans->iov = iov;
		spans->max = max;
	}
	spans->iov[spans->nb].iov_base = (void *)(uintptr_t)addr;
	spans->iov[spans->nb].iov_len = len;
	spans->nb++;
	spans->len += len;
	return 0;
}

int
swhca_spans_add_xform(struct swhca_spans *spans, const struct swhca_xform *xform)
{
	struct swhca_xform *xforms;
	size_t max;

	if (spans->nb_xforms == SWHCA_MAX_XFORMS)
		return -E2BIG;
	if (spans->nb_xforms == spans->max_xforms) {
		max = spans->max_xforms == 0 ? 8 : spans->max_xforms * 2;
		xforms = realloc(spans->xforms, max * sizeof(*xforms));
		if (xforms == NULL)
			return -ENOMEM;
		spans->xforms = xforms;
		spans->max_xforms = max;
	}
	spans->xforms[spans->nb_xforms++] = *xform;
	return 0;
}

/* A list that one WQE has blown up is not kept for all others. */
#define MAX_KEPT_SPANS 65536u
#define MAX_KEPT_XFORMS 1024u

void
swhca_spans_reset(struct swhca_spans *spans)
{
	if (spans->max > MAX_KEPT_SPANS || spans->max_xforms > MAX_KEPT_XFORMS)
		swhca_spans_fini(spans);
	spans->nb = 0;
	spans->nb_xforms = 0;
	spans->len = 0;
	spans->nb_steps = 0;
}

void
swhca_spans_fini(struct swhca_spans *spans)
{
	free(spans->iov);
	free(spans->xforms);
	*spans = (struct swhca_spans){ 0 };
}
