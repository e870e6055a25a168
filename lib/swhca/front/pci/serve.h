/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_SERVE_H
#define SWHCA_PCI_SERVE_H

/**
 * @file
 * A function at a socket, with one client at a time. When a client leaves, in any way, the function
 * is reset and waits for the next one. A client is dropped if it does not send VERSION in time,
 * leaves a message unfinished or an answer unread; after VERSION it may be silent for any time, as
 * VMMs are while their guests are idle. The socket is only accessible to this user (mode 0600);
 * change its mode to admit others.
 */

#include <pthread.h>
#include <sys/un.h>

#include "front/pci/pci_conn.h"
#include "front/pci/pci_function.h"

struct swhca_pci_server {
	struct swhca_pci_function *function;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	int listen_fd;
	int stop_fd;		/**< Borrowed. */
	unsigned int rest_ms;	/**< SWHCA_VFU_REST_MS; less in tests. */
	struct swhca_vfu_msg msg;
	struct swhca_vfu_reply reply;
	pthread_t thread;
};

/**
 * Create the socket, and a thread that serves the function there.
 *
 * @param stop_fd
 *   The thread ends when it is readable.
 * @return
 *   0, -ENAMETOOLONG, -EADDRINUSE (another server has the name, or is starting),
 *   -ENOMEM, or a negative errno of open(2), flock(2), socket(2), bind(2), pthread_create(3).
 */
int swhca_pci_server_start(struct swhca_pci_server *server, struct swhca_pci_function *function,
			   const char *path, int stop_fd);
/**
 * Remove the socket, and wait for the thread to end.
 *
 * @param deadline_ns
 *   Deadline (swhca_now_ns()).
 * @return
 *   0, or -ETIMEDOUT after a log line: a client blocks the thread in an uninterruptible call
 *   (closing a FUSE file). The process must then exit without freeing what the thread uses.
 */
int swhca_pci_server_join(struct swhca_pci_server *server, uint64_t deadline_ns);

/** Serve a connected client, until it leaves or stop_fd is readable. Resets the function. */
void swhca_pci_client_serve(struct swhca_pci_server *server, int sock);

#endif /* SWHCA_PCI_SERVE_H */
