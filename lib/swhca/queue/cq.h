/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_CQ_H
#define SWHCA_QUEUE_CQ_H

/**
 * @file
 * Completion queues; cq_ring.h writes their CQEs, cq_event.h notifies. The fabric lock is held.
 */

#include "include/wire.h"
#include "mem/bsf/sig.h"
#include "object/dbr.h"
#include "object/hca_state.h"
#include "object/uar.h"
#include "queue/wqe.h"

struct swhca_qp;
struct swhca_responder;

/** Condition that an armed CQ waits for. */
enum swhca_cq_arm {
	SWHCA_CQ_ARM_NONE,
	SWHCA_CQ_ARM_SOLICITED,	/**< A solicited CQE, or an error CQE. */
	SWHCA_CQ_ARM_ANY,
};

/** Maximum completions of a compressed session. */
#define SWHCA_CQ_SESSION_MAX 64u

/** A delayed CQE, or one after it. */
struct swhca_cq_held {
	uint64_t due_ns;
	bool has_head;
	uint8_t head[64];
	_Alignas(8) uint8_t cqe[64];
	TAILQ_ENTRY(swhca_cq_held) link;
};

/** Completions to be written as one compressed session. */
struct swhca_cq_session {
	uint32_t nb;
	_Alignas(8) uint8_t title[64];	/**< CQE of the first completion. */
	uint8_t minis[SWHCA_CQ_SESSION_MAX][PRM_MINI_CQE_SIZE];
};

struct swhca_cq {
	struct swhca_obj obj;
	struct swhca_umem *umem;	/**< Contains the ring; NULL: it has its own pages. */
	struct swhca_buf buf;
	struct swhca_dbr dbr;
	struct swhca_uar *uar;
	struct swhca_eq *eq;
	uint8_t log_size;
	uint8_t log_cqe;		/**< log2 of the entry size: 6 or 7. */
	bool ignore_overrun;
	bool is_padded;			/**< All 128 bytes of an entry are written. */
	bool is_compressed;
	uint8_t mini_format;		/**< PRM_CQC_MINI_CQE_* */
	bool failed;			/**< Overrun or unmapped: no longer written. */
	uint32_t pi;			/**< CQEs written, free-running. */
	uint32_t ci;			/**< Consumer counter as last read from the DBR. */
	uint32_t resize_ci;		/**< DBR counter at the last resize. */
	uint32_t nb_resizes;		/**< Resizes at that counter. */
	enum swhca_cq_arm arm;
	uint8_t arm_sn;			/**< Events raised, modulo 4. */
	bool has_solicited;
	bool solicited_breaks;		/**< A solicited CQE does not wait for moderation. */
	uint16_t max_count;		/**< Moderation: CQEs and time that delay an event. */
	uint16_t period_us;
	uint32_t nb_moderated;		/**< CQEs since the last arming. */
	uint32_t arm_value;		/**< Arm dword in effect. */
	uint32_t solicited_pi;		/**< Index of the last solicited CQE. */
	bool period_from_cqe;		/**< Starts at the last CQE, else at the last event. */
	uint64_t last_event_ns;
	uint64_t event_due_ns;		/**< Latest time of a moderated event, or 0. */
	struct swhca_cq_session session;
	TAILQ_HEAD(swhca_held_list, swhca_cq_held) held;	/**< Delayed CQEs. */
	uint32_t nb_held;
	LIST_ENTRY(swhca_cq) held_link;	/**< In swhca_hca.held_cqs while held is not empty. */
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
/** Report a signature error found by a transfer; it completes no WQE. */
void swhca_cq_sig_error(const struct swhca_xform *xform, const struct swhca_sig_error *error);
/** Release the resources of a CQ. */
void swhca_cq_fini(struct swhca_hca *hca, struct swhca_obj *obj);

#endif /* SWHCA_QUEUE_CQ_H */
