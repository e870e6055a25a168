/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_REQUEST_H
#define SWHCA_PCI_REQUEST_H

/**
 * @file
 * vfio-user requests of a VMM to a function.
 */

#include "front/pci/pci_conn.h"
#include "front/pci/pci_function.h"

/** A client of a function. */
struct swhca_vfu_session {
	struct swhca_pci_function *function;
	bool has_version;	/**< No other request is accepted before VERSION. */
};

/**
 * Execute a message.
 *
 * @param msg
 *   Descriptors that are used are removed from it.
 * @param reply
 *   data is borrowed; the rest is written.
 * @return
 *   0; after a log line -EINVAL (invalid message), -ENOTSUP (no such command), -EPROTO (end the
 *   session), or an errno of the command.
 */
int swhca_vfu_request(struct swhca_vfu_session *session, struct swhca_vfu_msg *msg,
		      struct swhca_vfu_reply *reply);

#endif /* SWHCA_PCI_REQUEST_H */
