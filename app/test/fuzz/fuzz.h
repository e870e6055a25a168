/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef FUZZ_H
#define FUZZ_H

/**
 * @file
 * Shared by the fuzz targets: an input reader, and a world of two HCAs without threads.
 *
 * Nothing depends on the machine or on time: host memory is an arena that only the DMA of the
 * fuzzer accesses, and only the world advances the clock. An input thus always has the same effect,
 * and a sanitizer detects any access of the model outside its own memory.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlx5_prm_cmd.h"
#include "mlx5_prm_wqe.h"
#include "include/hca.h"

/** Entry point of a target, called by libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- Reading the input: what is beyond its end is zero. ---- */

struct fuzz_input {
	const uint8_t *data;
	size_t left;
};

static inline void
fuzz_bytes(struct fuzz_input *in, void *dst, size_t len)
{
	size_t nb = len < in->left ? len : in->left;

	memset(dst, 0, len);
	if (nb == 0)
		return;
	memcpy(dst, in->data, nb);
	in->data += nb;
	in->left -= nb;
}

static inline uint8_t
fuzz_u8(struct fuzz_input *in)
{
	uint8_t value;

	fuzz_bytes(in, &value, sizeof(value));
	return value;
}

static inline uint16_t
fuzz_u16(struct fuzz_input *in)
{
	uint16_t value;

	fuzz_bytes(in, &value, sizeof(value));
	return le16toh(value);
}

static inline uint32_t
fuzz_u32(struct fuzz_input *in)
{
	uint32_t value;

	fuzz_bytes(in, &value, sizeof(value));
	return le32toh(value);
}

/* ---- Host memory ---- */

#define FUZZ_PAGE	4096u
#define FUZZ_NB_PAGES	64u
#define FUZZ_ARENA	(FUZZ_NB_PAGES * FUZZ_PAGE)
/** Of the last pages, one is read-only and one is not mapped. */
#define FUZZ_PAGE_RO	62u
#define FUZZ_PAGE_HOLE	63u
/** Bus address of the arena, which repeats in the whole address space except the first page. */
#define FUZZ_BUS	UINT64_C(0x40000000)

struct fuzz_world;

/** Bytes of the arena at a bus address. */
uint8_t *fuzz_mem(struct fuzz_world *w, uint64_t addr);

/* ---- The world ---- */

#define FUZZ_NB_HCAS	2u
#define FUZZ_LOG_UARS	8u	/**< log2 of the UAR pages. */
#define FUZZ_NB_QPS	9u	/**< Per device: see qp_plans in fuzz_queues.c. */
#define FUZZ_NB_CQS	4u
#define FUZZ_NB_SRQS	2u	/**< Basic, XRC. */
#define FUZZ_NB_KEYS	15u
#define FUZZ_NB_TRAPS	4u	/**< Keys that must not be usable: fuzz_keys.c. */
#define FUZZ_SQ_BB	32u
#define FUZZ_RQ_WQES	16u
#define FUZZ_RQ_BYTES	(FUZZ_RQ_WQES * 64u)
#define FUZZ_CQ_CQES	32u
#define FUZZ_EQ_EQES	32u
#define FUZZ_KLMS	64u

/** dc_access_key of the targets: 0x1234 in place of the Q_Key in an address vector. */
#define FUZZ_DC_KEY UINT64_C(0x123400000000)

struct fuzz_qp {
	uint32_t num;
	uint64_t ring;		/**< Bus address; a receive queue is at its start. */
	uint64_t sq;
	uint64_t dbr;
	uint16_t pi;		/**< WQEBBs posted. */
	uint16_t rq_pi;
};

struct fuzz_cq {
	uint32_t num;
	uint64_t ring;
	uint64_t dbr;
	uint32_t ci;
};

struct fuzz_srq {
	uint32_t num;
	uint64_t ring;
	uint64_t dbr;
	uint16_t pi;
};

struct fuzz_hca {
	struct swhca_hca *hca;
	uint8_t *bar;
	uint32_t pdn;
	uint32_t uarn;
	uint32_t eqn;
	struct fuzz_cq cqs[FUZZ_NB_CQS];
	struct fuzz_srq srqs[FUZZ_NB_SRQS];
	struct fuzz_qp qps[FUZZ_NB_QPS];
	uint32_t xrcdn;
	uint32_t dctn;
	uint32_t group;		/**< Of scheduled queues. */
	uint32_t keys[FUZZ_NB_KEYS];
	uint32_t traps[FUZZ_NB_TRAPS];
	uint64_t traps_data;	/**< One page for each of these. */
	uint64_t data;		/**< Bus address of its data pages. */
};

#define FUZZ_DATA_PAGES	8u
#define FUZZ_DATA	(FUZZ_DATA_PAGES * FUZZ_PAGE)

struct fuzz_world {
	struct swhca_dma dma;	/**< First member, so that the DMA finds the world. */
	struct swhca_fabric *fabric;
	struct fuzz_hca hcas[FUZZ_NB_HCAS];
	uint8_t arena[FUZZ_ARENA];
	uint32_t nb_pages;	/**< Allocated pages of the arena. */
	/** Called for each access to the arena; NULL: none. */
	void (*on_dma)(struct fuzz_world *w, uint64_t addr, uint64_t len, bool writes);
	bool is_eth;		/**< RoCE, not InfiniBand. */
	bool has_faults;	/**< Page faults are reported, and resumed by steps. */
	bool is_open;		/**< FUZZ_KIND_OPEN */
	unsigned int nb_process;	/**< Initial number of descriptors and threads. */
};

/** Kind of devices: bits of the first byte of an input. */
#define FUZZ_KIND_ETH		0x01u	/**< RoCE, not InfiniBand. */
#define FUZZ_KIND_WRAPPED	0x02u	/**< Wrapped data encryption keys: fuzz_cmd only. */
#define FUZZ_KIND_OLD		0x04u	/**< ConnectX-5 with fewer features: fuzz_cmd only. */
#define FUZZ_KIND_DRIVER	0x08u	/**< Controlled by a kernel driver: fuzz_cmd only. */
#define FUZZ_KIND_FAULTS	0x10u	/**< Page faults are events; not fuzz_cmd. */
#define FUZZ_KIND_OPEN		0x20u	/**< A key covers all of memory; not fuzz_cmd. */
/** Kinds of worlds with queues. */
#define FUZZ_KINDS		(FUZZ_KIND_ETH | FUZZ_KIND_FAULTS | FUZZ_KIND_OPEN)

#define FUZZ_NEED(condition)                                                                       \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/** Create only fabric and devices. Aborts on failure, which is a bug of the harness. */
void fuzz_world_create(struct fuzz_world *w, uint8_t kind);
void fuzz_world_destroy(struct fuzz_world *w);
/** Create connected queues: fuzz_queues.c. */
void fuzz_queues_create(struct fuzz_world *w);
/** Create keys when queues exist: fuzz_keys.c. */
void fuzz_keys_create(struct fuzz_world *w);

/** GID of a RoCE port. */
void fuzz_gid(const struct fuzz_world *w, const struct fuzz_hca *h, uint8_t *gid);

/** Allocate unused pages of the arena. @return Bus address. */
uint64_t fuzz_pages_get(struct fuzz_world *w, uint32_t nb);
void fuzz_put_pages(uint8_t *pas, uint64_t addr, uint32_t nb);

/** Run the engine, with passing time, until it is idle; abort if it never is. */
void fuzz_world_run(struct fuzz_world *w);
/** Advance the time. */
void fuzz_world_wait(uint64_t ns);

/** Execute a command with any status. @return The status. */
uint8_t fuzz_cmd(struct fuzz_hca *h, const void *in, size_t in_len, void *out, size_t out_len);
/** Execute a command that creates the world; aborts if rejected. @return Dword 2 of the output. */
uint32_t fuzz_must(struct fuzz_hca *h, const void *in, size_t in_len);
/** Change dwords of a mailbox as selected by the input. */
void fuzz_edit(struct fuzz_input *in, uint8_t *box, size_t len);

/* Mailboxes that create the world, which may be changed before execution. */
#define FUZZ_BOX    0x1d0u
/** Size of the output of fuzz_modify_box(), including the extension. */
#define FUZZ_MODIFY 0x1d0u
void fuzz_qp_box(const struct fuzz_hca *h, const struct fuzz_qp *qp, uint8_t *box);
void fuzz_cq_box(const struct fuzz_hca *h, const struct fuzz_cq *cq, uint8_t *box);
void fuzz_srq_box(const struct fuzz_hca *h, const struct fuzz_srq *srq, uint8_t *box);
void fuzz_dct_box(const struct fuzz_hca *h, uint8_t *box);
void fuzz_modify_box(const struct fuzz_world *w, const struct fuzz_hca *h,
		     const struct fuzz_qp *qp, uint16_t opcode, uint8_t *box);

/* Actions of a program, selected by the input: fuzz_post.c */
/** Post a send WQE. */
void fuzz_post_send(struct fuzz_world *w, struct fuzz_input *in);
/** Post a receive WQE. */
void fuzz_post_recv(struct fuzz_world *w, struct fuzz_input *in);
/** Notify the device of posted WQEs, or of another counter. */
void fuzz_ring(struct fuzz_world *w, struct fuzz_input *in);
/** Consume CQEs, or only pretend to. */
void fuzz_consume(struct fuzz_world *w, struct fuzz_input *in);
/** Resume a real or invalid page fault, if such events are enabled. */
void fuzz_resume(struct fuzz_world *w, struct fuzz_input *in);
/** Write anywhere in host memory, or to the BAR. */
void fuzz_scribble(struct fuzz_world *w, struct fuzz_input *in);
/** Run the engine, and resume. */
void fuzz_run(struct fuzz_world *w, struct fuzz_input *in);

typedef void (*fuzz_step)(struct fuzz_world *w, struct fuzz_input *in);
/** Run an input: kind of a world with queues and keys, then steps, each begins with its index. */
void fuzz_steps_run(struct fuzz_world *w, const uint8_t *data, size_t size, const fuzz_step *steps,
		    unsigned int nb, unsigned int max_steps);

struct fuzz_hca *fuzz_pick_hca(struct fuzz_world *w, struct fuzz_input *in);
struct fuzz_qp *fuzz_pick_qp(struct fuzz_hca *h, struct fuzz_input *in);
struct fuzz_cq *fuzz_pick_cq(struct fuzz_hca *h, struct fuzz_input *in);

#endif /* FUZZ_H */
