/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_EQ_H
#define SWHCA_EQ_H

/**
 * @file
 * Event queues: what the HCA has to say without being asked. The fabric lock is held in all of it.
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
	bool failed;			/**< Overrun or unmapped: nothing is written any more. */
	bool is_armed;
	uint32_t pi;			/**< EQEs written, runs free. */
	uint32_t ci;			/**< Consumer counter as last seen at the doorbell. */
	uint64_t mask[PRM_EQ_NB_MASKS];	/**< Event types that come here, bit by type. */
	uint8_t eqc[PRM_EQC_SIZE];
	LIST_ENTRY(swhca_eq) uar_link;
};

/**
 * Tell software of an event, in the EQ that was created for its type; with no such EQ it is lost.
 *
 * @param type
 *   enum prm_event_type; not PRM_EVENT_COMP, PRM_EVENT_CQ_ERROR or PRM_EVENT_PORT_CHANGE.
 * @param num
 *   Number of the QP, SRQ or DCT that it is about.
 */
void swhca_event_raise(struct swhca_hca *hca, uint8_t type, uint32_t num);

/**
 * Any event.
 *
 * @param eqe
 *   PRM_EQE_SIZE bytes, filled but for type and owner.
 * @return
 *   false: nobody is told.
 */
bool swhca_event_raise_eqe(struct swhca_hca *hca, uint8_t type, uint8_t *eqe);

/** The same of a queue that is no QP. @param queue_type PRM_EQE_QUEUE_TYPE_*. */
void swhca_event_raise_queue(struct swhca_hca *hca, uint8_t type, uint8_t queue_type, uint32_t num);

/** A CQ is lost. @param syndrome PRM_CQ_ERROR_*. */
void swhca_event_raise_cq_error(struct swhca_hca *hca, uint32_t cqn, uint8_t syndrome);

/** A port changed. @param subtype PRM_PORT_CHANGE_*. */
void swhca_event_raise_port(struct swhca_hca *hca, uint8_t port, uint8_t subtype);

/** A CQ that was armed has something to tell; in the EQ that it was created with. */
void swhca_event_raise_completion(struct swhca_hca *hca, struct swhca_eq *eq, uint32_t cqn);

/** Commands are done. @param slots Of the command queue, a bit for each. */
void swhca_event_raise_cmd(struct swhca_hca *hca, uint32_t slots);

/** Look at the EQ doorbells of a page. @return How many were rung. */
unsigned int swhca_eq_poll(struct swhca_hca *hca, struct swhca_uar *uar);

/**
 * An EQ doorbell at a page, seen when it was rung: none is lost, whoever shares the page.
 *
 * @param value
 *   As stored, host byte order.
 * @param arms
 *   The register is the one that also arms.
 */
void swhca_eq_doorbell(struct swhca_hca *hca, struct swhca_uar *uar, uint32_t value, bool arms);

/** Events of the types in its mask come to this EQ from now on. */
void swhca_eq_take_events(struct swhca_hca *hca, struct swhca_eq *eq);

/** Release what an EQ holds. */
void swhca_eq_fini(struct swhca_hca *hca, struct swhca_obj *obj);

#endif /* SWHCA_EQ_H */
