/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_CONN_H
#define SWHCA_PCI_CONN_H

/**
 * @file
 * Transport of vfio-user: complete messages, with their descriptors.
 */

#include <stddef.h>

#include "front/pci/vfu.h"

/** Time limit for the rest of a message, the first one of a client, and reading of an answer. */
#define SWHCA_VFU_REST_MS 10000u

/** A message and its buffer; zeroed before its first use. */
struct swhca_vfu_msg {
	struct swhca_vfu_header header;
	uint8_t *data;		/**< Data after the header: SWHCA_VFU_MAX_DATA bytes. */
	size_t len;		/**< Bytes received. */
	int fds[SWHCA_VFU_MAX_FDS];
	unsigned int nb_fds;
};

/** @return 0 or -ENOMEM. */
int swhca_vfu_msg_init(struct swhca_vfu_msg *msg);
void swhca_vfu_msg_fini(struct swhca_vfu_msg *msg);
/** Close the descriptors that were not taken. */
void swhca_vfu_msg_close_fds(struct swhca_vfu_msg *msg);
/** Take a descriptor out of a message. @return It belongs to the caller, or -1: there is none. */
int swhca_vfu_msg_take_fd(struct swhca_vfu_msg *msg, unsigned int index);

/**
 * Wait for a message.
 *
 * @param sock
 *   Connected stream socket, non-blocking.
 * @param stop_fd
 *   The wait ends when it is readable.
 * @param wait_ms
 *   Time limit for the message to start; -1: none.
 * @param rest_ms
 *   Time limit from its first byte to its last one.
 * @return
 *   0; -ECANCELED (stopped); -ENOTCONN (the peer has left); or, after a log line, -EPROTO (invalid
 *   message), -ETIMEDOUT (it does not arrive), an errno of recvmsg(2).
 */
int swhca_vfu_receive(int sock, int stop_fd, int wait_ms, unsigned int rest_ms,
		      struct swhca_vfu_msg *msg);

/** Reply to a message. */
struct swhca_vfu_reply {
	uint8_t *data;		/**< SWHCA_VFU_MAX_DATA bytes. */
	size_t len;
	int fd;			/**< Sent along, and kept by the sender; -1: none. */
};

/**
 * Answer a message that requests an answer.
 *
 * @param stop_fd
 *   As above.
 * @param rest_ms
 *   Time limit for the peer to read it.
 * @param ret
 *   0, or a negative errno, which is sent alone.
 * @return
 *   0, -ECANCELED (stopped), -ETIMEDOUT (not read), or a negative errno of sendmsg(2).
 */
int swhca_vfu_answer(int sock, int stop_fd, unsigned int rest_ms, const struct swhca_vfu_msg *msg,
		     int ret, const struct swhca_vfu_reply *reply);

#endif /* SWHCA_PCI_CONN_H */
