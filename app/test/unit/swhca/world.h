/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WORLD_H
#define SWHCA_WORLD_H

/**
 * @file
 * Two HCAs driven only by PRM commands and doorbells, for unit tests without rdma-core.
 *
 * The environment variable SWHCA_WORLD runs a test in another world: "bus" has bus addresses that
 * are not pointers, "space" has addresses in an address space of the device, and in "packet"
 * devices send packets to each other.
 *
 * Mailboxes are typed here by dword and bit, not through mlx5_prm.h, so that a wrong offset in the
 * shared header does not hide. Each queue has its own page.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <infiniband/mlx5dv.h>

#include "include/hca.h"

#define WORLD_SQ_BB	64u
#define WORLD_RQ_WQES	16u
#define WORLD_CQ_CQES	64u
#define WORLD_MEM	(1u << 20)

/* A queue pair with its CQs. Offsets in `page` are those of its umem. */
struct world_qp {
	struct swhca_hca *hca;
	uint8_t *page;		/* RQ, SQ, send CQ, receive CQ, doorbell records */
	uint32_t umem;
	uint32_t scqn;
	uint32_t rcqn;
	uint32_t qpn;
	uint16_t pi;
	uint16_t rq_pi;
	uint32_t scq_ci;
	uint32_t rcq_ci;
	uint8_t *uar;
	uint16_t last;		/* index of the last WQE posted */
};

#define WORLD_RQ_OFF	0u
#define WORLD_SQ_OFF	(WORLD_RQ_WQES * 64u)
#define WORLD_SCQ_OFF	8192u
#define WORLD_RCQ_OFF	16384u
#define WORLD_DBR_OFF	24576u	/* QP at 0, send CQ at 64, receive CQ at 128 */
#define WORLD_QP_BYTES	32768u

struct world_dev {
	struct swhca_hca *hca;
	uint8_t *bar;
	uint32_t pdn;
	uint32_t uarn;
	uint32_t eqn;
	uint32_t eq_uarn;
	uint32_t eq_ci;
	uint8_t *eq;		/* WORLD_EQ_EQES entries; receives all events, not auto-armed */
	unsigned int nb_interrupts;
};

#define WORLD_EQ_EQES	64u
#define WORLD_SM_LID	0xbfffu
#define WORLD_EQE_BYTES	64u

struct world {
	struct swhca_fabric *fabric;
	struct world_dev dev[2];
	uint8_t *mem;		/* WORLD_MEM bytes */
	uint32_t mem_key[2];	/* key of mem on each device, with full access */
	uint32_t cqc_dw0;	/* set in the context of CQs created from now on */
};

/* Whether devices send packets; world_use_packets() enables this before a world is created. */
bool world_is_packet(void);
void world_use_packets(void);
/* A case of what packets do not carry. */
#define FABRIC_CASE(f, before, after) \
	static void f(void **state); \
	CASE_ADD(!world_is_packet(), f, #f, f, before, after) \
	static void f(void **state)

void world_create(struct world *w);
/* The same with devices other than those of world_conf(). */
void world_conf(struct swhca_hca_conf conf[2]);
void world_create_conf(struct world *w, const struct swhca_hca_conf conf[2]);
void world_destroy(struct world *w);

/* The name of what a test of several cases does, or NULL, and the function that ends it. */
extern const char *world_case;
extern void (*world_case_destroy)(void *arg);

/* Zeroed memory at a page; free() it. */
uint8_t *world_pages(size_t len);

/* Run the engine until it is idle. No time passes. */
void world_run(struct world *w);

/* Advance the clock of the devices, which is independent of real time and machine load. */
void world_wait(uint64_t ns);
uint64_t world_now_ns(void);

/* Execute a command with the given dwords; returns its status and dword 2 of the output. */
uint8_t world_cmd(struct swhca_hca *hca, uint16_t opcode, uint32_t dw2, uint32_t *out_dw2);
/* The same of a short command that must succeed; returns the number of the object. */
uint32_t world_alloc(struct swhca_hca *hca, uint16_t opcode);
/* The same for a user context. */
uint8_t world_user_cmd(struct swhca_hca *hca, uint16_t opcode, uint32_t uid, uint32_t dw2,
		       uint32_t *out_dw2);

/* A command of 16 bytes with these dwords, and its answer; returns its status. */
uint8_t world_query(struct swhca_hca *hca, uint16_t opcode, uint32_t dw1, uint32_t dw2, void *out,
		    size_t out_len);

/* Create a page-list key of mem, or an empty KLM key of nb_klm entries for UMR. */
uint32_t world_mtt_key(struct world *w, int dev, void *addr, uint64_t len, uint8_t access);
uint32_t world_klm_key(struct world *w, int dev, uint32_t nb_klm);

/* Access rights and, in mailboxes, mode and flags of keys: from bit 8 of their context on. */
#define WORLD_MTT 0x01u
#define WORLD_KLMS 0x02u
#define WORLD_LR 0x04u
#define WORLD_LW 0x08u
#define WORLD_RR 0x10u
#define WORLD_RW 0x20u
#define WORLD_ATOMIC 0x40u
#define WORLD_UMR_EN 0x80u
#define WORLD_FREE 0x400000u
#define WORLD_ALL (WORLD_LR | WORLD_LW | WORLD_RR | WORLD_RW)

/* Mailboxes of 0x110 bytes for rings in that umem, which may be changed before execution. */
#define WORLD_BOX 0x110u
void world_cq_box(struct world *w, int dev, uint8_t *in, uint32_t umem, uint32_t offset,
		  uint64_t dbr);
void world_qp_box(struct world *w, int dev, uint8_t *in, const struct world_qp *qp);
void world_mkey_box(struct world *w, int dev, uint8_t *in, uint32_t access_mode);
/* Page addresses of [addr, addr + len) behind byte `at` of a mailbox; returns their number. */
uint32_t world_put_pages(uint8_t *box, size_t at, const void *addr, uint64_t len);
/* Addresses of pages behind that mailbox, with their number, size and range. */
void world_mkey_pages(uint8_t *in, const void *addr, uint64_t len);
#define WORLD_EQ_BOX 0x118u
void world_eq_box(const struct world_dev *dev, uint8_t *in, uint32_t log_size, const void *ring);
uint8_t world_exec(struct swhca_hca *hca, const uint8_t *in, size_t len);
/* The same with dword 2 of the output, if it succeeds: the number of an object. */
uint8_t world_exec_num(struct swhca_hca *hca, const uint8_t *in, size_t len, uint32_t *num);
/* The same of what must succeed; returns the number of the created object. */
uint32_t world_exec_create(struct swhca_hca *hca, const uint8_t *in, size_t len);
/* Set bits of big-endian dword dw, which must be 0, from lsb on. */
void world_put(uint8_t *box, unsigned int dw, unsigned int lsb, uint32_t value);
void world_put64(uint8_t *box, unsigned int dw, uint64_t value);
uint32_t world_get(const void *box, unsigned int dw);
uint64_t world_get64(const void *box, unsigned int dw);
/* Write a big-endian dword at once, as to a doorbell or its record. */
void world_store(void *dst, uint32_t value);
/* Bus address of memory of this process: a pointer, except with SWHCA_WORLD=bus. */
uint64_t world_bus(const void *ptr);
/* The same for such an address. */
void world_put_bus(uint8_t *box, unsigned int dw, const void *ptr);

void world_qp_create(struct world *w, int dev, struct world_qp *qp);
void world_qp_connect(struct world *w, struct world_qp *a, struct world_qp *b);
/* Another queue pair, by that mailbox, with the same rings and CQs; returns the status. */
uint8_t world_qp_replace(struct world_qp *qp, const uint8_t *in);
void world_qp_destroy(struct world_qp *qp);
uint8_t world_qp_state(struct world_qp *qp);

/* Build a WQE of nb_ds octowords and return it; body follows the control segment. */
void world_post(struct world_qp *qp, uint8_t opcode, uint8_t fm_ce_se, uint32_t imm,
		const void *body, uint32_t nb_body_ds);
void world_ring(struct world_qp *qp);
void world_recv(struct world_qp *qp, uint32_t key, void *addr, uint32_t len);

/* The next EQE, or NULL; does not report the consumer counter to the HCA. */
const uint8_t *world_eqe(struct world *w, int dev);
/* Ring the doorbell of the EQ with its consumer counter, and arm it if asked. */
void world_eq_ring(struct world *w, int dev, bool arm);

/* The next CQE, or NULL. */
const struct mlx5_cqe64 *world_send_cqe(struct world_qp *qp);
const struct mlx5_cqe64 *world_recv_cqe(struct world_qp *qp);
/* The next CQE of either kind, with some waiting; NULL after a second. */
const struct mlx5_cqe64 *world_wait_cqe(struct world *w, struct world_qp *qp,
					const struct mlx5_cqe64 *(*next)(struct world_qp *qp));

/* Body of a UMR with a list of KLMs; returns its size in octowords. */
struct world_klm {
	uint32_t len;
	uint32_t key;
	uint64_t addr;
};
uint32_t world_umr_list(uint8_t *body, uint32_t key, uint8_t access, uint64_t len,
			const struct world_klm *klms, uint32_t nb);

/* Move a QP to the next state: opcode of the command, peer, its LID, qpc rre << 1 | rwe. */
void world_qp_modify(struct world_qp *qp, uint16_t opcode, uint32_t remote_qpn, uint16_t lid,
		     uint32_t access);
void world_qp_to_rts(struct world_qp *qp, uint32_t remote_qpn, uint16_t lid, uint32_t access);

/* Body of a transfer with one segment: remote address, local segment. 2 octowords. */
void world_rdma_body(uint8_t *body, uint64_t raddr, uint32_t rkey, const void *addr, uint32_t lkey,
		     uint32_t len);

#endif /* SWHCA_WORLD_H */
