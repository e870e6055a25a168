/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_FILE_H
#define SWHCA_UCMA_FILE_H

/**
 * @file
 * Event channels: open files of rdma_cm, and their queued events. The lock of id.h is held unless
 * noted.
 */

#include <sys/queue.h>

#include "front/ucma/ucma_abi.h"
#include "front/ucma/id.h"

struct swhca_ucm_event {
	TAILQ_ENTRY(swhca_ucm_event) link;
	struct swhca_ucm_id *id;	/**< Its identifier; for a request, the listener's. */
	struct swhca_ucm_mc *mc;	/**< Or NULL. */
	struct swhca_ucm_id *request;	/**< Identifier created by the event, or NULL. */
	struct rdma_ucm_event_resp resp;
};

struct swhca_ucm_file {
	TAILQ_HEAD(, swhca_ucm_event) events;
	int fd;			/**< Duplicate of the user's, to take the byte back. */
	int bell;		/**< Other end: the user's is readable while an event waits. */
	bool is_rung;
};

/** Create a file. Without the lock. @return The user's descriptor, or a negative errno. */
int swhca_ucm_file_create(int flags, struct swhca_ucm_file **file);
/** Destroy a file with its identifiers. Without the lock. */
void swhca_ucm_file_destroy(struct swhca_ucm_file *file);

/** Queue an event; NULL: no memory, it is lost. Its resp is zero except for the names. */
struct swhca_ucm_event *swhca_ucm_event_post(struct swhca_ucm_id *id,
					     enum swhca_ucm_event_type type, int status);
/** Get the first event, and make the changes of a read to the bell; or NULL. */
struct swhca_ucm_event *swhca_ucm_event_first(struct swhca_ucm_file *file);
/** Remove an event that was read. */
void swhca_ucm_event_take(struct swhca_ucm_file *file, struct swhca_ucm_event *event);
/** Drop events of an identifier, or of a membership. Requests among them are destroyed. */
void swhca_ucm_events_drop(struct swhca_ucm_file *file, const struct swhca_ucm_id *id,
			   const struct swhca_ucm_mc *mc);
/** Move an identifier and its events to another file. */
void swhca_ucm_events_move(struct swhca_ucm_id *id, struct swhca_ucm_file *to);
/**
 * Wait for an event, or not, depending on the user's descriptor. Without the lock; a cancellation
 * point. As in Linux, the wait continues if the descriptor is closed meanwhile.
 *
 * @return
 *   0: there may be one, -EAGAIN, -EINTR.
 */
int swhca_ucm_file_wait(struct swhca_ucm_file *file);

#endif /* SWHCA_UCMA_FILE_H */
