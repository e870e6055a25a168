/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "fuzz.h"
#include "fuzz_dma.h"
#include "swhca_cmd.h"
#include "swhca_log.h"

/*
 * Passes of the engine after which it must have nothing left to do: a ring holds fewer WQEs, and
 * each is retried seven times at most.
 */
#define MAX_PASSES 4096u
/* Times that a queue which waits may look again, and how long it waits at most. */
#define NB_WAITS 12u
#define WAIT_NS	 UINT64_C(700000000)

#define NEED(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

uint8_t
fuzz_cmd(struct fuzz_hca *h, const void *in, size_t in_len, void *out, size_t out_len)
{
	uint8_t status = swhca_hca_cmd_exec(h->hca, in, in_len, out, out_len);

	/* The mailbox says the same, and nothing stays of an object that was refused. */
	NEED(out_len < 8 || prm_get(out, PRM_CMD_OUT_STATUS) == status);
	return status;
}

/* A command that the world is made of. @return Dword 2 of the output. */
static uint32_t
must(struct fuzz_hca *h, const void *in, size_t in_len)
{
	uint8_t out[16];
	uint8_t status = fuzz_cmd(h, in, in_len, out, sizeof(out));

	if (status != PRM_CMD_OK) {
		fprintf(stderr, "opcode 0x%x: status 0x%x, syndrome 0x%x\n",
			prm_dword_get(in, 0) >> 16, status, prm_dword_get(out, 1));
		abort();
	}
	return prm_dword_get(out, 2);
}

static uint32_t
must_alloc(struct fuzz_hca *h, uint16_t opcode)
{
	uint8_t in[16] = { 0 };

	prm_set(in, PRM_CMD_IN_OPCODE, opcode);
	return must(h, in, sizeof(in));
}

static uint64_t
pages_get(struct fuzz_world *w, uint32_t nb)
{
	uint64_t addr = FUZZ_BUS + (uint64_t)w->nb_pages * FUZZ_PAGE;

	w->nb_pages += nb;
	NEED(w->nb_pages <= FUZZ_PAGE_RO);
	return addr;
}

static void
put_pages(uint8_t *pas, uint64_t addr, uint32_t nb)
{
	uint32_t i;

	for (i = 0; i < nb; i++)
		prm_set(pas, PRM_FIELD((uint16_t)(2 * i), 0, 64), addr + (uint64_t)i * FUZZ_PAGE);
}

void
fuzz_edit(struct fuzz_input *in, uint8_t *box, size_t len)
{
	unsigned int nb = fuzz_u8(in) % 32;
	uint32_t dw, value;

	for (; nb > 0; nb--) {
		dw = fuzz_u16(in);
		value = fuzz_u32(in);
		if (dw < len / 4)
			prm_dword_set(box, dw, value);
	}
}

/* ---- Devices ---- */

static void
hca_create(struct fuzz_world *w, unsigned int i)
{
	const struct swhca_hca_conf conf = {
		.vhca_id = (uint16_t)i,
		.lid = (uint16_t)(i + 1),
		.port_guid = 0x1000 + i,
		.log_max_uar = 8,
	};
	struct fuzz_hca *h = &w->hcas[i];

	NEED(swhca_hca_create(w->fabric, &conf, &h->hca) == 0);
	h->bar = mmap(NULL, swhca_hca_bar_size(h->hca), PROT_READ | PROT_WRITE, MAP_SHARED,
		      swhca_hca_bar_fd(h->hca), 0);
	NEED(h->bar != MAP_FAILED);
}

void
fuzz_world_create(struct fuzz_world *w)
{
	unsigned int i;

	swhca_log_level = SWHCA_LOG_NONE;
	fuzz_clock_reset();
	memset(w, 0, sizeof(*w));
	fuzz_dma_init(&w->dma);
	NEED(swhca_fabric_create(&w->dma, &w->fabric) == 0);
	for (i = 0; i < FUZZ_NB_HCAS; i++)
		hca_create(w, i);
}

void
fuzz_world_destroy(struct fuzz_world *w)
{
	unsigned int i;

	for (i = 0; i < FUZZ_NB_HCAS; i++)
		munmap(w->hcas[i].bar, swhca_hca_bar_size(w->hcas[i].hca));
	swhca_fabric_destroy(w->fabric);
}

void
fuzz_world_run(struct fuzz_world *w)
{
	unsigned int i, nb_passes = 0;

	for (i = 0; i < NB_WAITS; i++) {
		while (swhca_fabric_poll(w->fabric) != 0)
			NEED(nb_passes++ < MAX_PASSES);
		fuzz_world_wait(WAIT_NS);
	}
}

/* ---- Queues ---- */

static void
eq_create(struct fuzz_world *w, struct fuzz_hca *h)
{
	uint8_t box[FUZZ_BOX] = { 0 };
	uint8_t *eqc = box + PRM_CREATE_EQ_IN_EQC_BYTE;
	uint64_t ring = pages_get(w, 1);
	unsigned int i;

	prm_set(box, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_EQ);
	prm_set(eqc, PRM_EQC_LOG_EQ_SIZE, (unsigned int)__builtin_ctz(FUZZ_EQ_EQES));
	prm_set(eqc, PRM_EQC_UAR_PAGE, h->uarn);
	for (i = 0; i < PRM_EQ_NB_MASKS; i++)
		prm_set(box, PRM_CREATE_EQ_IN_EVENT_BITMASK(i), UINT64_MAX);
	put_pages(box + PRM_CREATE_EQ_IN_PAS_BYTE, ring, 1);
	h->eqn = must(h, box, PRM_CREATE_EQ_IN_PAS_BYTE + PRM_MTT_SIZE) & 0xff;
}

void
fuzz_cq_box(const struct fuzz_hca *h, const struct fuzz_cq *cq, uint8_t *box)
{
	uint8_t *cqc = box + PRM_CREATE_CQ_IN_CQC_BYTE;

	memset(box, 0, FUZZ_BOX);
	prm_set(box, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_CQ);
	/* The last has entries of 128 bytes. */
	if (cq == &h->cqs[FUZZ_NB_CQS - 1])
		prm_set(cqc, PRM_CQC_CQE_SZ, PRM_CQC_CQE_SZ_128);
	prm_set(cqc, PRM_CQC_LOG_CQ_SIZE, (unsigned int)__builtin_ctz(FUZZ_CQ_CQES));
	prm_set(cqc, PRM_CQC_UAR_PAGE, h->uarn);
	prm_set(cqc, PRM_CQC_C_EQN, h->eqn);
	prm_set(cqc, PRM_CQC_DBR_ADDR, cq->dbr);
	put_pages(box + PRM_CREATE_CQ_IN_PAS_BYTE, cq->ring, 1);
}

static void
cqs_create(struct fuzz_world *w, struct fuzz_hca *h, uint64_t dbrs)
{
	uint8_t box[FUZZ_BOX];
	struct fuzz_cq *cq;
	unsigned int i;

	for (i = 0; i < FUZZ_NB_CQS; i++) {
		cq = &h->cqs[i];
		cq->dbr = dbrs + (uint64_t)i * 64;
		cq->ring = pages_get(w, 1);
		memset(fuzz_mem(w, cq->ring), 0xf1, FUZZ_PAGE);
		fuzz_cq_box(h, cq, box);
		cq->num = must(h, box, PRM_CREATE_CQ_IN_PAS_BYTE + PRM_MTT_SIZE);
	}
}

void
fuzz_qp_box(const struct fuzz_hca *h, const struct fuzz_qp *qp, uint8_t *box)
{
	uint8_t *qpc = box + PRM_CREATE_QP_IN_QPC_BYTE;
	size_t i = (size_t)(qp - h->qps);

	memset(box, 0, FUZZ_BOX);
	prm_set(box, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_QP);
	prm_set(qpc, PRM_QPC_ST, qp->type);
	prm_set(qpc, PRM_QPC_PM_STATE, PRM_QPC_PM_STATE_MIGRATED);
	prm_set(qpc, PRM_QPC_PD, h->pdn);
	prm_set(qpc, PRM_QPC_LOG_RQ_SIZE, (unsigned int)__builtin_ctz(FUZZ_RQ_WQES));
	prm_set(qpc, PRM_QPC_LOG_RQ_STRIDE, 2);
	prm_set(qpc, PRM_QPC_LOG_SQ_SIZE, (unsigned int)__builtin_ctz(FUZZ_SQ_BB));
	prm_set(qpc, PRM_QPC_UAR_PAGE, h->uarn);
	prm_set(qpc, PRM_QPC_USER_INDEX, i);
	prm_set(qpc, PRM_QPC_CQN_SND, h->cqs[i % FUZZ_NB_CQS].num);
	prm_set(qpc, PRM_QPC_CQN_RCV, h->cqs[(i + 1) % FUZZ_NB_CQS].num);
	prm_set(qpc, PRM_QPC_DBR_ADDR, qp->dbr);
	put_pages(box + PRM_CREATE_QP_IN_PAS_BYTE, qp->ring, 1);
}

/* Everybody's peer is the queue of the same number on the other device. */
void
fuzz_modify_box(const struct fuzz_world *w, const struct fuzz_hca *h, const struct fuzz_qp *qp,
		uint16_t opcode, uint8_t *box)
{
	const struct fuzz_hca *peer = h == &w->hcas[0] ? &w->hcas[1] : &w->hcas[0];
	uint8_t *qpc = box + PRM_MODIFY_QP_IN_QPC_BYTE;
	uint8_t *path = qpc + PRM_QPC_PRIMARY_PATH_BYTE;

	memset(box, 0, FUZZ_BOX);
	prm_set(box, PRM_CMD_IN_OPCODE, opcode);
	prm_set(box, PRM_MODIFY_QP_IN_QPN, qp->num);
	prm_set(qpc, PRM_QPC_PM_STATE, PRM_QPC_PM_STATE_MIGRATED);
	prm_set(qpc, PRM_QPC_REMOTE_QPN, peer->qps[qp - h->qps].num);
	prm_set(qpc, PRM_QPC_LOG_MSG_MAX, 30);
	prm_set(qpc, PRM_QPC_MTU, 5);
	prm_set(path, PRM_ADS_RLID, peer == &w->hcas[0] ? 1 : 2);
	prm_set(path, PRM_ADS_ACK_TIMEOUT, 1);
	prm_set(path, PRM_ADS_VHCA_PORT_NUM, 1);
	prm_set(qpc, PRM_QPC_RETRY_COUNT, 1);
	prm_set(qpc, PRM_QPC_RNR_RETRY, 1);
	prm_set(qpc, PRM_QPC_RRE, 1);
	prm_set(qpc, PRM_QPC_RWE, 1);
	prm_set(qpc, PRM_QPC_RAE, 1);
	prm_set(qpc, PRM_QPC_ATOMIC_MODE, 3);
	prm_set(qpc, PRM_QPC_MIN_RNR_NAK, 1);
	prm_set(qpc, PRM_QPC_Q_KEY, 0x1234);
}

static void
qps_create(struct fuzz_world *w, struct fuzz_hca *h, uint64_t dbrs)
{
	static const uint8_t types[FUZZ_NB_QPS] = {
		PRM_QP_ST_RC, PRM_QP_ST_RC, PRM_QP_ST_RC, PRM_QP_ST_RC,
	};
	uint8_t box[FUZZ_BOX];
	struct fuzz_qp *qp;
	unsigned int i;

	for (i = 0; i < FUZZ_NB_QPS; i++) {
		qp = &h->qps[i];
		qp->type = types[i];
		qp->dbr = dbrs + (uint64_t)i * 64;
		qp->ring = pages_get(w, 1);
		fuzz_qp_box(h, qp, box);
		qp->num = must(h, box, PRM_CREATE_QP_IN_PAS_BYTE + PRM_MTT_SIZE);
	}
}

static void
qps_connect(struct fuzz_world *w, struct fuzz_hca *h)
{
	static const uint16_t steps[] = {
		PRM_CMD_RST2INIT_QP,
		PRM_CMD_INIT2RTR_QP,
		PRM_CMD_RTR2RTS_QP,
	};
	uint8_t box[FUZZ_BOX];
	unsigned int i, j;

	for (i = 0; i < FUZZ_NB_QPS; i++) {
		for (j = 0; j < sizeof(steps) / sizeof(steps[0]); j++) {
			fuzz_modify_box(w, h, &h->qps[i], steps[j], box);
			must(h, box, PRM_MODIFY_QP_IN_SIZE);
		}
	}
}

/* ---- Keys ---- */

struct key_plan {
	uint8_t mode;
	uint8_t rights;		/* a, rw, rr, lw, lr */
	bool is_free;
	bool length64;
	uint32_t nb_xlt;
};

#define ALL_RIGHTS 0x1fu

static const struct key_plan key_plans[FUZZ_NB_KEYS] = {
	{ PRM_MKC_ACCESS_MODE_MTT, ALL_RIGHTS, false, false, FUZZ_DATA_PAGES / 2 },
	{ PRM_MKC_ACCESS_MODE_MTT, 0x1, false, false, FUZZ_DATA_PAGES / 2 },
	{ PRM_MKC_ACCESS_MODE_PA, ALL_RIGHTS, false, true, 0 },
	{ PRM_MKC_ACCESS_MODE_KLMS, 0x1, true, false, FUZZ_KLMS },
	{ PRM_MKC_ACCESS_MODE_KLMS, 0x1, true, false, FUZZ_KLMS },
	{ PRM_MKC_ACCESS_MODE_KLMS, ALL_RIGHTS, false, false, 4 },
	{ PRM_MKC_ACCESS_MODE_KLMS, ALL_RIGHTS, false, false, 4 },
	{ PRM_MKC_ACCESS_MODE_KLMS, ALL_RIGHTS, false, false, 4 },
};

/* Lists of two: of pages, of the list before it, of itself. */
static void
put_klms(const struct fuzz_hca *h, unsigned int key, uint8_t *xlt)
{
	unsigned int of = key == 5 ? 0 : key == 6 ? 5 : 7, i;
	/* Indices are given in order, so a key may name itself before it is there. */
	uint32_t name = of == key ? h->keys[key - 1] + 0x100 : h->keys[of];

	for (i = 0; i < 2; i++) {
		prm_dword_set(xlt + i * PRM_KLM_SIZE, 0, FUZZ_DATA / 4);
		prm_dword_set(xlt + i * PRM_KLM_SIZE, 1, name);
		prm_set(xlt + i * PRM_KLM_SIZE, PRM_FIELD(2, 0, 64), of == 0 ? h->data : 0);
	}
}

static void
key_create(struct fuzz_hca *h, unsigned int i)
{
	const struct key_plan *plan = &key_plans[i];
	uint8_t box[PRM_CREATE_MKEY_IN_XLT_BYTE + FUZZ_DATA_PAGES * PRM_MTT_SIZE] = { 0 };
	uint8_t *mkc = box + PRM_CREATE_MKEY_IN_MKC_BYTE;
	uint8_t *xlt = box + PRM_CREATE_MKEY_IN_XLT_BYTE;
	bool has_pages = plan->mode == PRM_MKC_ACCESS_MODE_MTT;

	prm_set(box, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_MKEY);
	prm_set(mkc, PRM_MKC_ACCESS_MODE_1_0, plan->mode);
	prm_dword_set(mkc, 0, prm_dword_get(mkc, 0) | (uint32_t)plan->rights << 10);
	prm_set(mkc, PRM_MKC_FREE, plan->is_free);
	prm_set(mkc, PRM_MKC_UMR_EN, plan->mode == PRM_MKC_ACCESS_MODE_KLMS);
	prm_set(mkc, PRM_MKC_EN_RINVAL, plan->mode == PRM_MKC_ACCESS_MODE_KLMS);
	prm_set(mkc, PRM_MKC_QPN, PRM_MKC_QPN_ANY);
	prm_set(mkc, PRM_MKC_PD, h->pdn);
	prm_set(mkc, PRM_MKC_LENGTH64, plan->length64);
	prm_set(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE, plan->nb_xlt);
	if (has_pages) {
		prm_set(mkc, PRM_MKC_LOG_PAGE_SIZE, 12);
		prm_set(mkc, PRM_MKC_START_ADDR, h->data);
		prm_set(mkc, PRM_MKC_LEN, FUZZ_DATA);
		put_pages(xlt, h->data, FUZZ_DATA_PAGES);
	} else if (!plan->is_free && plan->nb_xlt > 0) {
		prm_set(mkc, PRM_MKC_LEN, FUZZ_DATA / 2);
		put_klms(h, i, xlt);
	}
	if (has_pages || !plan->is_free)
		prm_set(box, PRM_CREATE_MKEY_IN_XLT_OCT_ACTUAL, plan->nb_xlt);
	h->keys[i] = must(h, box, sizeof(box)) << 8;
}

void
fuzz_world_fill(struct fuzz_world *w)
{
	struct fuzz_hca *h;
	unsigned int i, j;
	uint64_t dbrs;

	for (i = 0; i < FUZZ_NB_HCAS; i++) {
		h = &w->hcas[i];
		h->pdn = must_alloc(h, PRM_CMD_ALLOC_PD);
		h->uarn = must_alloc(h, PRM_CMD_ALLOC_UAR);
		dbrs = pages_get(w, 1);
		h->data = pages_get(w, FUZZ_DATA_PAGES);
		eq_create(w, h);
		cqs_create(w, h, dbrs);
		qps_create(w, h, dbrs + FUZZ_NB_CQS * 64);
		for (j = 0; j < FUZZ_NB_KEYS; j++)
			key_create(h, j);
	}
	for (i = 0; i < FUZZ_NB_HCAS; i++)
		qps_connect(w, &w->hcas[i]);
}
