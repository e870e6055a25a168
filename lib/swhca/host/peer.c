/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "host/peer.h"

int
swhca_peer_get(int fd, struct ucred *peer)
{
	socklen_t len = sizeof(*peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &len) == 0 ? 0 : -errno;
}

bool
swhca_peer_is_trusted(const struct ucred *peer)
{
	return peer->uid == geteuid() || peer->uid == 0;
}

/* Check the effective user of a process: the second number after "Uid:" of proc(5). */
static bool
process_has_user(pid_t pid, uid_t uid)
{
	char path[64], line[256];
	unsigned int real, effective;
	bool is_it = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "Uid: %u %u", &real, &effective) == 2)
			is_it = effective == uid;
	}
	fclose(f);
	return is_it;
}

bool
swhca_peer_is_process(const struct ucred *peer, pid_t pid)
{
	/*
	 * The number alone may be that of an earlier process, whose socket another process still
	 * has.
	 */
	if (peer->pid != pid)
		return false;
	return swhca_peer_is_trusted(peer) || (geteuid() == 0 && process_has_user(pid, peer->uid));
}

int
swhca_peer_of_addr(int type, const struct sockaddr *addr, socklen_t addr_len, struct ucred *peer)
{
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int ret;

	if (fd < 0)
		return -errno;
	ret = connect(fd, addr, addr_len) == 0 ? swhca_peer_get(fd, peer) : -errno;
	close(fd);
	return ret;
}
