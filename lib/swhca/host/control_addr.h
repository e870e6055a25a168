/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CONTROL_ADDR_H
#define SWHCA_CONTROL_ADDR_H

/**
 * @file
 * Control of the devices of a running process by swhca-ctl.
 *
 * A process with devices listens at the abstract Unix address "swhca-<pid>", which creates no file,
 * and serves processes of its own user and of root (host/server.h). A connection carries one line,
 * "remove N", "crash N", "halt N", "resume N", "delete-credential N", "fail-command N K", "fault N
 * ...", "list", "stats", and one answer: "ok", lines of a list, or "error: ...".
 * Processes of a run query each other with "resources ..." (front/uverbs/nl/resource.h). A client
 * first checks that the listener is that process (host/peer.h).
 */

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

/** Maximum size of a line and of an answer. */
#define SWHCA_CONTROL_MAX 8192

/** Get the address of a process. @return Length for bind(2) and connect(2). */
socklen_t swhca_control_addr(pid_t pid, struct sockaddr_un *addr);

#endif /* SWHCA_CONTROL_ADDR_H */
