/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_EQ_H
#define SWHCA_EQ_H

/**
 * @file
 * Event queues: asynchronous reports of the HCA. The fabric lock is held.
 *
 * An event is an entry (EQE) in the ring of an EQ. An armed EQ then raises its interrupt, which is
 * a call of swhca_hca_conf.interrupt, and is disarmed until software rings its doorbell.
 */

#include "object/buf.h"
#include "object/uar.h"

struct swhca_eq {
	struct swhca_obj obj;
	struct swhca_buf buf;
	struct swhca_uar *uar;
	uint8_t log_size;
	uint8_t vector;			/**< Number of its interrupt. */
	bool ignore_overrun;
	bool failed;			/**< Overrun or unmapped: no longer written. */
	bool is_armed;
	uint32_t pi;			/**< EQEs written, free-running. */
	uint32_t ci;			/**< Consumer counter of the last doorbell. */
	uint64_t mask[PRM_EQ_NB_MASKS];	/**< Event types of this EQ, bit by type. */
	uint8_t eqc[PRM_EQC_SIZE];
	LIST_ENTRY(swhca_eq) uar_link;
};

/**
 * Report an event in the EQ created for its type; without such an EQ it is lost.
 *
 * @param type
 *   enum prm_event_type; not PRM_EVENT_COMP, PRM_EVENT_CQ_ERROR or PRM_EVENT_PORT_CHANGE.
 * @param num
 *   Number of the QP, SRQ or DCT.
 */
void swhca_event_raise(struct swhca_hca *hca, uint8_t type, uint32_t num);

/**
 * Report any event.
 *
 * @param eqe
 *   PRM_EQE_SIZE bytes, complete except for type and owner.
 * @return
 *   false: the event is lost.
 */
bool swhca_event_raise_eqe(struct swhca_hca *hca, uint8_t type, uint8_t *eqe);

/** Report an event of a queue other than a QP. @param queue_type PRM_EQE_QUEUE_TYPE_*. */
void swhca_event_raise_queue(struct swhca_hca *hca, uint8_t type, uint8_t queue_type, uint32_t num);

/** Report a CQ error. @param syndrome PRM_CQ_ERROR_*. */
void swhca_event_raise_cq_error(struct swhca_hca *hca, uint32_t cqn, uint8_t syndrome);

/** Report a port change. @param subtype PRM_PORT_CHANGE_*. */
void swhca_event_raise_port(struct swhca_hca *hca, uint8_t port, uint8_t subtype);

/** Report a completion of an armed CQ, in the EQ that it was created with. */
void swhca_event_raise_completion(struct swhca_hca *hca, struct swhca_eq *eq, uint32_t cqn);

/** Report completed commands. @param slots One bit per slot of the command queue. */
void swhca_event_raise_cmd(struct swhca_hca *hca, uint32_t slots);

/** Poll the EQ doorbells of a page. @return Number of doorbells rung. */
unsigned int swhca_eq_poll(struct swhca_hca *hca, struct swhca_uar *uar);

/**
 * Execute an EQ doorbell when it is rung: none is lost, even if EQs share the page.
 *
 * @param value
 *   As stored, host byte order.
 * @param arms
 *   Whether the register also arms.
 */
void swhca_eq_doorbell(struct swhca_hca *hca, struct swhca_uar *uar, uint32_t value, bool arms);

/** Direct events of the types in its mask to this EQ. */
void swhca_eq_take_events(struct swhca_hca *hca, struct swhca_eq *eq);

/** Release the resources of an EQ. */
void swhca_eq_fini(struct swhca_hca *hca, struct swhca_obj *obj);

#endif /* SWHCA_EQ_H */
