/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "swhca_fd.h"
#include "swhca_keep.h"
#include "swhca_log.h"
#include "swhca_thread.h"
#include "swhca_uverbs_fork.h"

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
/* Where this process listens, or -1. */
static int listener = -1;
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

/* Only processes of the same user are answered; whoever may trace us could do as much. */
static void
call_serve(int fd)
{
	struct swhca_ufork_call call;
	struct answer answer = { .ret = -EACCES };
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (recv(fd, &call, sizeof(call), 0) != sizeof(call))
		return;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0 && cred.uid == getuid()) {
		caller = cred.pid;
		answer.ret = owner_handler(&call);
		answer.offset = call.offset;
		caller = 0;
	}
	(void)send(fd, &answer, sizeof(answer), MSG_NOSIGNAL);
}

static void *
serve_main(void *arg)
{
	int fd;

	(void)arg;
	while ((fd = swhca_fd_accept(listener)) >= 0) {
		call_serve(fd);
		close(fd);
	}
	return NULL;
}

/* A name that nobody else guesses or has. */
static int
owner_bind(void)
{
	uint64_t nonce;
	int fd, len;

	if (getrandom(&nonce, sizeof(nonce), 0) != sizeof(nonce))
		return -errno;
	fd = swhca_fd_raise(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	if (fd < 0)
		return -errno;
	owner = (struct sockaddr_un){ .sun_family = AF_UNIX };
	len = snprintf(owner.sun_path + 1, sizeof(owner.sun_path) - 1, "swhca-%d-%016llx",
		       (int)getpid(), (unsigned long long)nonce);
	owner_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
	if (bind(fd, (const struct sockaddr *)&owner, owner_len) != 0 || listen(fd, 16) != 0) {
		len = -errno;
		close(fd);
		return len;
	}
	return fd;
}

static int
serve_start(void)
{
	pthread_t thread;
	int ret;

	listener = owner_bind();
	if (listener < 0)
		return listener;
	ret = swhca_thread_start(&thread, NULL, "swhca-fork", serve_main, NULL);
	if (ret != 0) {
		close(listener);
		return ret;
	}
	swhca_fd_keep(listener);
	pthread_detach(thread);
	return 0;
}

void
swhca_ufork_prepare(swhca_ufork_handler handler)
{
	int saved = errno;
	int ret;

	if (listener >= 0)
		return;
	owner_handler = handler;
	ret = serve_start();
	if (ret != 0) {
		SWHCA_LOG(WARNING, "fork: files of the parent are dead in the child: %s",
			  strerror(-ret));
		listener = -1;
		owner_len = 0;
	}
	errno = saved;
}

void
swhca_ufork_child(void)
{
	swhca_fd_unkeep(listener);
	if (listener >= 0)
		close(listener);
	listener = -1;
	caller = 0;
}

int
swhca_ufork_call(struct swhca_ufork_call *call)
{
	struct answer answer = { .ret = -EIO };
	int fd;

	if (owner_len == 0)
		return -EIO;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -EIO;
	if (connect(fd, (const struct sockaddr *)&owner, owner_len) != 0 ||
	    send(fd, call, sizeof(*call), MSG_NOSIGNAL) != sizeof(*call) ||
	    recv(fd, &answer, sizeof(answer), 0) != sizeof(answer))
		answer.ret = -EIO;
	close(fd);
	call->offset = answer.offset;
	return answer.ret;
}
