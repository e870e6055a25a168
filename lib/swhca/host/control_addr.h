/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CONTROL_ADDR_H
#define SWHCA_CONTROL_ADDR_H

/**
 * @file
 * Control of the devices of a running process, by swhca-ctl.
 *
 * A process that has devices listens at the abstract Unix address "swhca-<pid>", which leaves no
 * file behind, and obeys processes of its own user and of root (host/server.h). A connection
 * carries one line, "remove N", "crash N", "halt N", "resume N", "delete-credential N",
 * "fail-command N K", "fault N ...", "list", "stats", and one answer: "ok", lines of a list, or
 * "error: ...".
 * Processes of a run ask each other with "resources ..." (front/uverbs/nl/resource.h).
 * Whoever asks looks first whether it is this process that listens there (host/peer.h).
 */

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

/** Longest line and answer. */
#define SWHCA_CONTROL_MAX 8192

/** Address of a process. @return Length for bind(2) and connect(2). */
socklen_t swhca_control_addr(pid_t pid, struct sockaddr_un *addr);

#endif /* SWHCA_CONTROL_ADDR_H */
