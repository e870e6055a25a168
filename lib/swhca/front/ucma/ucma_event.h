/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_EVENT_H
#define SWHCA_UCMA_EVENT_H

/**
 * @file
 * Handling of connection events.
 */

#include "front/cm/cm_conn.h"

struct swhca_ucm_event;

/** Event function of connections; its argument is the identifier. The lock is held. */
void swhca_ucm_conn_event(void *arg, enum swhca_cm_event event, const struct swhca_cm_msg *msg);

/** Fill an event from a REQ or SIDR_REQ, without the first "skip" bytes of private data. */
void swhca_ucm_event_set_request(struct swhca_ucm_event *event, const struct swhca_cm_msg *msg,
				 size_t skip);

#endif /* SWHCA_UCMA_EVENT_H */
