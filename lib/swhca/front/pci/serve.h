/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_SERVE_H
#define SWHCA_PCI_SERVE_H

/**
 * @file
 * A function at a socket: one client after the other. When a client goes, however it does, the
 * function is reset, and waits for the next. A client goes, too, if it does not say VERSION in
 * time, leaves a message unfinished or an answer unread; one that has said it may be silent for as
 * long as it likes, as VMMs are while their guests need nothing. The socket is this user's alone
 * (mode 0600): who is to let others in changes its mode.
 */

#include <pthread.h>
#include <sys/un.h>

#include "front/pci/conn.h"
#include "front/pci/function.h"

struct swhca_pci_server {
	struct swhca_pci_function *function;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	int listen_fd;
	int stop_fd;		/**< Borrowed. */
	unsigned int rest_ms;	/**< SWHCA_VFU_REST_MS; tests wait less. */
	struct swhca_vfu_msg msg;
	struct swhca_vfu_reply reply;
	pthread_t thread;
};

/**
 * Make the socket, and a thread that serves the function there.
 *
 * @param stop_fd
 *   When it can be read, the thread ends.
 * @return
 *   0; after a log line: -ENAMETOOLONG, -EADDRINUSE (somebody serves there), -ENOMEM, or a negative
 *   errno of socket(2), bind(2), pthread_create(3).
 */
int swhca_pci_server_start(struct swhca_pci_server *server, struct swhca_pci_function *function,
			   const char *path, int stop_fd);
/**
 * Remove the socket, and wait until the thread has ended.
 *
 * @param deadline_ns
 *   Until when (swhca_now_ns()).
 * @return
 *   0, or -ETIMEDOUT after a log line: a client holds it up, in a place where nothing helps (a file
 *   of FUSE that is closed). The process is to end without what the thread uses being freed.
 */
int swhca_pci_server_join(struct swhca_pci_server *server, uint64_t deadline_ns);

/** Serve a client that is connected, until it goes or stop_fd says so. Resets the function. */
void swhca_pci_client_serve(struct swhca_pci_server *server, int sock);

#endif /* SWHCA_PCI_SERVE_H */
