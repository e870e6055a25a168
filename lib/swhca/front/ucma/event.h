/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_EVENT_H
#define SWHCA_UCMA_EVENT_H

/**
 * @file
 * What becomes of the events of a connection.
 */

#include "front/cm/conn.h"

struct swhca_ucm_event;

/** The event function of connections; its argument is the identifier. The lock is held. */
void swhca_ucm_conn_event(void *arg, enum swhca_cm_event event, const struct swhca_cm_msg *msg);

/** Put what a REQ or SIDR_REQ asks for into an event, but for "skip" bytes of private data. */
void swhca_ucm_event_set_request(struct swhca_ucm_event *event, const struct swhca_cm_msg *msg,
				 size_t skip);

#endif /* SWHCA_UCMA_EVENT_H */
