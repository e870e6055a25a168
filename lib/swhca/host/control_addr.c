/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "host/control_addr.h"

/* unix(7): an abstract address starts with a null byte, and is delimited by its length. */
socklen_t
swhca_control_addr(pid_t pid, struct sockaddr_un *addr)
{
	int len;

	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	len = snprintf(addr->sun_path + 1, sizeof(addr->sun_path) - 1, "swhca-%ld", (long)pid);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
}
