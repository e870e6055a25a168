/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "include/dma.h"
#include "base/log.h"
#include "host/ask.h"
#include "host/deadline.h"
#include "host/peer.h"
#include "host/server.h"
#include "front/uverbs/file/fork.h"

/* A parent that is busy answers late; one that is stopped, or hung, does not. */
#define CALL_TIMEOUT_MS 30000

struct answer {
	int ret;
	off_t offset;
};

/*
 * Name of the socket of the process that opened the files: abstract, so that no file is left
 * behind. A child knows it by having been a copy of its parent.
 */
static struct sockaddr_un owner;
static socklen_t owner_len;
static swhca_ufork_handler owner_handler;

/* Whose call this thread executes, or 0. */
static _Thread_local pid_t caller;

static int
foreign_read(const struct swhca_dma *dma, void *dst, uint64_t addr, size_t len)
{
	const struct iovec local = { .iov_base = dst, .iov_len = len };
	const struct iovec remote = { .iov_base = (void *)(uintptr_t)addr, .iov_len = len };

	(void)dma;
	return process_vm_readv(caller, &local, 1, &remote, 1, 0) == (ssize_t)len ? 0 : -EFAULT;
}

static int
foreign_write(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	const struct iovec local = { .iov_base = (void *)(uintptr_t)src, .iov_len = len };
	const struct iovec remote = { .iov_base = (void *)(uintptr_t)addr, .iov_len = len };

	(void)dma;
	return process_vm_writev(caller, &local, 1, &remote, 1, 0) == (ssize_t)len ? 0 : -EFAULT;
}

/* Requests are read and answered; no engine works through it. */
static const struct swhca_dma dma_foreign = {
	.read = foreign_read,
	.write = foreign_write,
};

bool
swhca_ufork_is_foreign(void)
{
	return caller != 0;
}

const struct swhca_dma *
swhca_ufork_dma(void)
{
	return caller != 0 ? &dma_foreign : swhca_dma_process();
}

/* The server has turned away other users: whoever may trace us could do as much. */
static void
call_serve(int fd, const struct ucred *peer, const void *request, size_t len)
{
	struct swhca_ufork_call call;
	struct answer answer;

	if (len != sizeof(call))
		return;
	memcpy(&call, request, sizeof(call));
	caller = peer->pid;
	memset(&answer, 0, sizeof(answer));
	answer.ret = owner_handler(&call);
	answer.offset = call.offset;
	caller = 0;
	(void)send(fd, &answer, sizeof(answer), MSG_NOSIGNAL);
}

static struct swhca_server server = {
	.name = "swhca-fork",
	.type = SOCK_SEQPACKET,
	.serve = call_serve,
	.listener = -1,
};

/* A name that nobody takes by chance, and whose users find out who listens there. */
static int
serve_start(void)
{
	uint64_t nonce;
	int len;

	if (getrandom(&nonce, sizeof(nonce), 0) != sizeof(nonce))
		return -errno;
	owner = (struct sockaddr_un){ .sun_family = AF_UNIX };
	len = snprintf(owner.sun_path + 1, sizeof(owner.sun_path) - 1, "swhca-%d-%016llx",
		       (int)getpid(), (unsigned long long)nonce);
	owner_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
	return swhca_server_start(&server, &owner, owner_len);
}

void
swhca_ufork_prepare(swhca_ufork_handler handler)
{
	int saved = errno;
	int ret;

	if (atomic_load(&server.listener) >= 0)
		return;
	owner_handler = handler;
	ret = serve_start();
	if (ret != 0) {
		SWHCA_LOG(WARNING, "fork: files of the parent are dead in the child: %s",
			  strerror(-ret));
		owner_len = 0;
	}
	errno = saved;
}

void
swhca_ufork_child(void)
{
	swhca_server_forget(&server);
	caller = 0;
}

/* The parent may be gone, and its address somebody else's by now. */
static bool
is_owner(int fd)
{
	struct ucred peer = { 0 };

	if (swhca_peer_get(fd, &peer) == 0 && swhca_peer_is_trusted(&peer))
		return true;
	SWHCA_LOG(ERR, "fork: process %ld of user %ld has the address @%s of the parent",
		  (long)peer.pid, (long)peer.uid, owner.sun_path + 1);
	return false;
}

int
swhca_ufork_call(struct swhca_ufork_call *call)
{
	const int64_t deadline = swhca_deadline_in(CALL_TIMEOUT_MS);
	struct answer answer = { .ret = -EIO };
	int fd;

	if (owner_len == 0)
		return -EIO;
	fd = swhca_ask_connect(SOCK_SEQPACKET, (const struct sockaddr *)&owner, owner_len,
			       deadline);
	if (fd < 0)
		return -EIO;
	if (!is_owner(fd) || swhca_ask(fd, call, sizeof(*call), &answer, sizeof(answer),
				       deadline) != sizeof(answer))
		answer.ret = -EIO;
	close(fd);
	call->offset = answer.offset;
	return answer.ret;
}
