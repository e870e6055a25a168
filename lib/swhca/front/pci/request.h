/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_REQUEST_H
#define SWHCA_PCI_REQUEST_H

/**
 * @file
 * What a VMM asks of a function by vfio-user.
 */

#include "front/pci/conn.h"
#include "front/pci/function.h"

/** A client of a function. */
struct swhca_vfu_session {
	struct swhca_pci_function *function;
	bool has_version;	/**< Nothing else is answered before VERSION. */
};

/**
 * Do what a message says.
 *
 * @param msg
 *   Descriptors that are taken are not in it any more.
 * @param reply
 *   data is borrowed; the rest is written.
 * @return
 *   0; after a log line -EINVAL (the message is wrong), -ENOTSUP (no such command), -EPROTO
 *   (the session is to be ended), or an errno of what the command does.
 */
int swhca_vfu_request(struct swhca_vfu_session *session, struct swhca_vfu_msg *msg,
		      struct swhca_vfu_reply *reply);

#endif /* SWHCA_PCI_REQUEST_H */
