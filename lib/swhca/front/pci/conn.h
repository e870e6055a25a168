/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_CONN_H
#define SWHCA_PCI_CONN_H

/**
 * @file
 * Transport of vfio-user: whole messages, with the descriptors that come with them.
 */

#include <stddef.h>

#include "front/pci/vfu.h"

/** How long the rest of a message may take, the first one of a client, and an answer to be read. */
#define SWHCA_VFU_REST_MS 10000u

/** A message, and room for one; zeroed before its first use. */
struct swhca_vfu_msg {
	struct swhca_vfu_header header;
	uint8_t *data;		/**< What follows the header: room for SWHCA_VFU_MAX_DATA. */
	size_t len;		/**< How much did. */
	int fds[SWHCA_VFU_MAX_FDS];
	unsigned int nb_fds;
};

/** @return 0 or -ENOMEM. */
int swhca_vfu_msg_init(struct swhca_vfu_msg *msg);
void swhca_vfu_msg_fini(struct swhca_vfu_msg *msg);
/** Close the descriptors that nobody took. */
void swhca_vfu_msg_close_fds(struct swhca_vfu_msg *msg);
/** Take a descriptor out of a message. @return The caller's, or -1: there is no such one. */
int swhca_vfu_msg_take_fd(struct swhca_vfu_msg *msg, unsigned int index);

/**
 * Wait for a message.
 *
 * @param sock
 *   Connected stream socket, non-blocking.
 * @param stop_fd
 *   When it can be read, the wait is over.
 * @param wait_ms
 *   How long a message may be awaited; -1: for ever.
 * @param rest_ms
 *   How long it may take from its first byte to its last one.
 * @return
 *   0; -ECANCELED (told to stop); -ENOTCONN (the other side has gone); or, after a log line,
 *   -EPROTO (no message), -ETIMEDOUT (it does not come), an errno of recvmsg(2).
 */
int swhca_vfu_receive(int sock, int stop_fd, int wait_ms, unsigned int rest_ms,
		      struct swhca_vfu_msg *msg);

/** What goes back. */
struct swhca_vfu_reply {
	uint8_t *data;		/**< Room for SWHCA_VFU_MAX_DATA. */
	size_t len;
	int fd;			/**< Goes along, and stays the sender's; -1: none. */
};

/**
 * Answer a message that wants an answer.
 *
 * @param stop_fd
 *   As above.
 * @param rest_ms
 *   How long the other side may take to read it.
 * @param ret
 *   0, or a negative errno, which goes alone.
 * @return
 *   0, -ECANCELED (told to stop), -ETIMEDOUT (nobody reads it), or a negative errno of sendmsg(2).
 */
int swhca_vfu_answer(int sock, int stop_fd, unsigned int rest_ms, const struct swhca_vfu_msg *msg,
		     int ret, const struct swhca_vfu_reply *reply);

#endif /* SWHCA_PCI_CONN_H */
