/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <sys/mman.h>

#include "fuzz_check.h"
#include "fuzz_dma.h"
#include "base/log.h"
#include "mlx5_prm_hca.h"

/*
 * Passes of the engine after which it must have nothing left to do: a ring holds fewer WQEs, and
 * each is retried seven times at most.
 */
#define MAX_PASSES 4096u
/* Times that a queue which waits may look again, and how long it waits at most. */
#define NB_WAITS 12u
#define WAIT_NS	 UINT64_C(700000000)
/* As many as INIT_HCA wants. */
#define FUZZ_DRIVER_PAGES 576u

uint8_t
fuzz_cmd(struct fuzz_hca *h, const void *in, size_t in_len, void *out, size_t out_len)
{
	uint8_t status;

	fuzz_grants_begin(h, in, in_len);
	status = fuzz_objects_exec(h, in, in_len, out, out_len);
	fuzz_grants_end(h, in, in_len, status == PRM_CMD_OK ? out : NULL);

	/* The mailbox says the same. */
	FUZZ_NEED(out_len < 8 || prm_get(out, PRM_CMD_OUT_STATUS) == status);
	if (status == PRM_CMD_OK)
		fuzz_cqes_cmd(h, in, in_len, out);
	return status;
}

uint32_t
fuzz_must(struct fuzz_hca *h, const void *in, size_t in_len)
{
	uint8_t out[32];
	uint8_t status = fuzz_cmd(h, in, in_len, out, sizeof(out));

	if (status != PRM_CMD_OK) {
		fprintf(stderr, "opcode 0x%x: status 0x%x, syndrome 0x%x\n",
			prm_dword_get(in, 0) >> 16, status, prm_dword_get(out, 1));
		abort();
	}
	return prm_dword_get(out, 2);
}

uint64_t
fuzz_pages_get(struct fuzz_world *w, uint32_t nb)
{
	uint64_t addr = FUZZ_BUS + (uint64_t)w->nb_pages * FUZZ_PAGE;

	w->nb_pages += nb;
	FUZZ_NEED(w->nb_pages <= FUZZ_PAGE_RO);
	return addr;
}

void
fuzz_put_pages(uint8_t *pas, uint64_t addr, uint32_t nb)
{
	for (uint32_t i = 0; i < nb; i++)
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
interrupt(void *arg, unsigned int vector)
{
	(void)arg;
	(void)vector;
}

/* Enable, pages, begin: by hand the input would not get there. */
static void
hca_bring_up(struct fuzz_hca *h)
{
	static uint8_t box[0x10 + FUZZ_DRIVER_PAGES * 8];
	static const uint16_t ops[] = { PRM_CMD_ENABLE_HCA, PRM_CMD_SET_ISSI, PRM_CMD_MANAGE_PAGES,
					PRM_CMD_INIT_HCA };

	for (unsigned int i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		memset(box, 0, sizeof(box));
		prm_set(box, PRM_CMD_IN_OPCODE, ops[i]);
		if (ops[i] == PRM_CMD_SET_ISSI)
			prm_set(box, PRM_SET_ISSI_IN_CURRENT_ISSI, 1);
		if (ops[i] == PRM_CMD_MANAGE_PAGES) {
			prm_set(box, PRM_CMD_IN_OP_MOD, PRM_MANAGE_PAGES_OP_MOD_GIVE);
			prm_set(box, PRM_MANAGE_PAGES_IN_INPUT_NUM_ENTRIES, FUZZ_DRIVER_PAGES);
			fuzz_put_pages(box + PRM_MANAGE_PAGES_IN_PAS_BYTE, FUZZ_BUS,
				       FUZZ_DRIVER_PAGES);
		}
		fuzz_must(h, box, sizeof(box));
	}
}

static void
hca_create(struct fuzz_world *w, uint8_t kind, unsigned int i)
{
	const struct swhca_hca_conf conf = {
		.vhca_id = (uint16_t)i, .lid = w->is_eth ? 0 : (uint16_t)(i + 1),
		.port_guid = 0x1000 + i,
		.model = kind & FUZZ_KIND_OLD ? SWHCA_MODEL_CX5 : SWHCA_MODEL_CX7,
		.has_wrapped_keys = (kind & FUZZ_KIND_WRAPPED) != 0, .has_memic_ops = true,
		.has_driver = (kind & FUZZ_KIND_DRIVER) != 0,
		.has_page_fault_events = w->has_faults,
		.link_layer = w->is_eth ? SWHCA_LINK_ETH : SWHCA_LINK_IB,
		.mac = { 0x02, 0, 0, 0, 0, (uint8_t)(i + 1) }, .log_max_uar = FUZZ_LOG_UARS,
		.interrupt = interrupt,
	};
	struct fuzz_hca *h = &w->hcas[i];

	FUZZ_NEED(swhca_hca_create(w->fabric, &conf, &h->hca) == 0);
	h->bar = mmap(NULL, swhca_hca_bar_size(h->hca), PROT_READ | PROT_WRITE, MAP_SHARED,
		      swhca_hca_bar_fd(h->hca), 0);
	FUZZ_NEED(h->bar != MAP_FAILED);
	if (conf.has_driver)
		hca_bring_up(h);
}

/* A device has read or written. */
static void
dma_check(struct fuzz_world *w, uint64_t addr, uint64_t len, bool writes)
{
	fuzz_grants_check(addr, len, writes);
	if (writes)
		fuzz_cqes_written(w, addr, len);
}

void
fuzz_world_create(struct fuzz_world *w, uint8_t kind)
{
	swhca_log_level = SWHCA_LOG_NONE;
	swhca_log_init();
	fuzz_clock_reset();
	memset(w, 0, sizeof(*w));
	fuzz_objects_reset();
	fuzz_grants_reset();
	fuzz_cqes_reset();
	w->nb_process = fuzz_process_count();
	w->is_open = (kind & FUZZ_KIND_OPEN) != 0;
	w->is_eth = (kind & FUZZ_KIND_ETH) != 0;
	w->has_faults = (kind & FUZZ_KIND_FAULTS) != 0;
	fuzz_dma_init(&w->dma);
	w->on_dma = dma_check;
	FUZZ_NEED(swhca_fabric_create(&w->dma, &w->fabric) == 0);
	for (unsigned int i = 0; i < FUZZ_NB_HCAS; i++)
		hca_create(w, kind, i);
}

void
fuzz_world_destroy(struct fuzz_world *w)
{
	fuzz_objects_end(w);
	/* Nobody has memory for them any more. */
	fuzz_grants_revoke();
	for (unsigned int i = 0; i < FUZZ_NB_HCAS; i++)
		munmap(w->hcas[i].bar, swhca_hca_bar_size(w->hcas[i].hca));
	swhca_fabric_destroy(w->fabric);
	FUZZ_NEED(fuzz_process_settle(w->nb_process) == w->nb_process);
}

void
fuzz_world_run(struct fuzz_world *w)
{
	unsigned int nb_passes = 0;

	for (unsigned int i = 0; i < NB_WAITS; i++) {
		while (swhca_fabric_poll(w->fabric) != 0)
			FUZZ_NEED(nb_passes++ < MAX_PASSES);
		fuzz_world_wait(WAIT_NS);
	}
}
