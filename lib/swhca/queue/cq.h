/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_CQ_H
#define SWHCA_QUEUE_CQ_H

/**
 * @file
 * Completion queues, and what their CQEs say; cq_ring.h has where they go, cq_event.h who is told.
 * The fabric lock is held in all of it.
 */

#include "include/wire.h"
#include "mem/bsf/sig.h"
#include "object/dbr.h"
#include "object/hca.h"
#include "object/uar.h"
#include "queue/wqe.h"

struct swhca_qp;
struct swhca_responder;

/** What an armed CQ waits for. */
enum swhca_cq_arm {
	SWHCA_CQ_ARM_NONE,
	SWHCA_CQ_ARM_SOLICITED,	/**< A solicited CQE, or one in error. */
	SWHCA_CQ_ARM_ANY,
};

/** Most completions of a compressed session. */
#define SWHCA_CQ_SESSION_MAX 64u

/** A CQE that somebody asked to come late, or that is behind one. */
struct swhca_cq_held {
	uint64_t due_ns;
	bool has_head;
	uint8_t head[64];
	_Alignas(8) uint8_t cqe[64];
	TAILQ_ENTRY(swhca_cq_held) link;
};

/** Completions that are to be written as one compressed session. */
struct swhca_cq_session {
	uint32_t nb;
	_Alignas(8) uint8_t title[64];	/**< CQE of the first. */
	uint8_t minis[SWHCA_CQ_SESSION_MAX][PRM_MINI_CQE_SIZE];
};

struct swhca_cq {
	struct swhca_obj obj;
	struct swhca_umem *umem;	/**< That the ring is in; NULL: it has its own pages. */
	struct swhca_buf buf;
	struct swhca_dbr dbr;
	struct swhca_uar *uar;
	struct swhca_eq *eq;
	uint8_t log_size;
	uint8_t log_cqe;		/**< log2 of the bytes of an entry: 6 or 7. */
	bool ignore_overrun;
	bool is_padded;			/**< All 128 bytes of an entry are written. */
	bool is_compressed;
	uint8_t mini_format;		/**< PRM_CQC_MINI_CQE_* */
	bool failed;			/**< Overrun or unmapped: nothing is written any more. */
	uint32_t pi;			/**< CQEs written, runs free. */
	uint32_t ci;			/**< Consumer counter as last read from the DBR. */
	uint32_t resize_ci;		/**< The record when the CQ was last resized ... */
	uint32_t nb_resizes;		/**< ... and how often while it had that value. */
	enum swhca_cq_arm arm;
	uint8_t arm_sn;			/**< Events raised, modulo 4. */
	bool has_solicited;
	bool solicited_breaks;		/**< A solicited CQE does not wait for moderation. */
	uint16_t max_count;		/**< Moderation: CQEs and time that an event may wait. */
	uint16_t period_us;
	uint32_t nb_moderated;		/**< CQEs since it was armed. */
	uint32_t arm_value;		/**< Arm dword that is in force. */
	uint32_t solicited_pi;		/**< Index of the last solicited CQE. */
	bool period_from_cqe;		/**< It runs from the last CQE, else from the last event. */
	uint64_t last_event_ns;
	uint64_t event_due_ns;		/**< When a moderated event comes at the latest, or 0. */
	struct swhca_cq_session session;
	TAILQ_HEAD(swhca_held_list, swhca_cq_held) held;	/**< CQEs that come late. */
	uint32_t nb_held;
	LIST_ENTRY(swhca_cq) held_link;	/**< In swhca_hca.held_cqs while there are some. */
	LIST_ENTRY(swhca_cq) open_link;	/**< In swhca_hca.open_cqs while the session has CQEs. */
	LIST_ENTRY(swhca_cq) uar_link;
	LIST_ENTRY(swhca_cq) due_link;	/**< In swhca_hca.due_cqs while event_due_ns is set. */
	uint8_t cqc[PRM_CQC_SIZE];
};

void swhca_cq_send_done(struct swhca_qp *qp, const struct swhca_wqe *wqe);
void swhca_cq_send_error(struct swhca_qp *qp, const struct swhca_wqe *wqe);
void swhca_cq_recv_done(const struct swhca_responder *to, uint16_t index,
			const struct swhca_wire_req *req, const struct swhca_scatter *scatter);
void swhca_cq_recv_error(const struct swhca_responder *to, uint16_t index,
			 struct swhca_wqe_error error);
/** Tell a signature error that a transfer has found; no WQE ends by it. */
void swhca_cq_sig_error(const struct swhca_xform *xform, const struct swhca_sig_error *error);
/** Release what a CQ holds. */
void swhca_cq_fini(struct swhca_hca *hca, struct swhca_obj *obj);

#endif /* SWHCA_QUEUE_CQ_H */
