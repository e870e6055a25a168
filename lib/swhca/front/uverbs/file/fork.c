/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/dma_direct.h"
#include "base/log.h"
#include "base/random.h"
#include "host/client.h"
#include "host/deadline.h"
#include "host/peer.h"
#include "host/server.h"
#include "front/uverbs/file/fork.h"

/* A busy parent answers late; a stopped or hung one does not. */
#define CALL_TIMEOUT_MS 30000

/* A child is in its call, and answers at once unless it is stopped. */
#define MEMORY_TIMEOUT_MS 2000
/* Bytes of the child's memory in one message. */
#define MEMORY_BYTES 2048u

/* Message of the parent: the answer, or before it a request for the child's memory. */
struct answer {
	enum {
		ANSWER,
		MEMORY_READ,
		MEMORY_WRITE,
	} kind;
	int ret;
	off_t offset;
	uint64_t addr;
	size_t len;
	uint8_t bytes[MEMORY_BYTES];
};

/* Message of the child about its memory. */
struct memory {
	int ret;
	uint8_t bytes[MEMORY_BYTES];
};

/*
 * Socket name of the process that opened the files: abstract, so that no file is left. A child has
 * it as a copy of its parent.
 */
static struct sockaddr_un owner;
static socklen_t owner_len;
static swhca_ufork_handler owner_handler;

/* Caller whose call this thread executes, or 0, and its connection. */
static _Thread_local pid_t caller;
static _Thread_local int caller_fd;

/*
 * The kernel denies access: it denies the call (seccomp(2) of a container), or tracing of a child
 * (Yama). Then the child, which waits for our answer, is asked to access its memory. Never access
 * it here: an address of the child is different memory in this process.
 */
static int
child_ask(struct answer *want, void *dst, const void *src, size_t len)
{
	const int64_t deadline = swhca_deadline_in(MEMORY_TIMEOUT_MS);
	struct memory memory;
	size_t done;

	for (done = 0; done < len; done += want->len, want->addr += want->len) {
		want->len = len - done < MEMORY_BYTES ? len - done : MEMORY_BYTES;
		if (src != NULL)
			memcpy(want->bytes, (const uint8_t *)src + done, want->len);
		if (swhca_ask(caller_fd, want, sizeof(*want), &memory, sizeof(memory), deadline) !=
		    sizeof(memory))
			return -EIO;
		if (memory.ret != 0)
			return memory.ret;
		if (dst != NULL)
			memcpy((uint8_t *)dst + done, memory.bytes, want->len);
	}
	return 0;
}

static int
foreign_read(const struct swhca_dma *dma, void *dst, uint64_t addr, size_t len)
{
	const struct iovec local = { .iov_base = dst, .iov_len = len };
	const struct iovec remote = { .iov_base = (void *)(uintptr_t)addr, .iov_len = len };
	struct answer want = { .kind = MEMORY_READ, .addr = addr };
	ssize_t done = process_vm_readv(caller, &local, 1, &remote, 1, 0);

	(void)dma;
	if (done >= 0 || errno == EFAULT)
		return done == (ssize_t)len ? 0 : -EFAULT;
	return child_ask(&want, dst, NULL, len);
}

static int
foreign_write(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	const struct iovec local = { .iov_base = (void *)(uintptr_t)src, .iov_len = len };
	const struct iovec remote = { .iov_base = (void *)(uintptr_t)addr, .iov_len = len };
	struct answer want = { .kind = MEMORY_WRITE, .addr = addr };
	ssize_t done = process_vm_writev(caller, &local, 1, &remote, 1, 0);

	(void)dma;
	if (done >= 0 || errno == EFAULT)
		return done == (ssize_t)len ? 0 : -EFAULT;
	return child_ask(&want, NULL, src, len);
}

/* Requests are read and answered; the engine does not use it. */
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
	return caller != 0 ? &dma_foreign : swhca_dma_direct();
}

/* The server has rejected other users: users that may trace us have the same power. */
static void
call_serve(int fd, const struct ucred *peer, const void *request, size_t len)
{
	struct swhca_ufork_call call;
	struct answer answer;

	if (len != sizeof(call))
		return;
	memcpy(&call, request, sizeof(call));
	caller = peer->pid;
	caller_fd = fd;
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

/* Choose a name that is unlikely to be in use; its users check the listener. */
static int
serve_start(void)
{
	uint64_t nonce;
	int len, ret;

	ret = swhca_random_fill(&nonce, sizeof(nonce));
	if (ret != 0)
		return ret;
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

/* The parent may be gone, and its address used by another process. */
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

/* The parent has a copy of this memory, and the call is ours: it may access the memory, too. */
static void
memory_serve(const struct answer *want, struct memory *memory)
{
	const struct swhca_dma *dma = swhca_dma_process();

	memset(memory, 0, sizeof(*memory));
	if (want->len > MEMORY_BYTES)
		memory->ret = -EFAULT;
	else if (want->kind == MEMORY_READ)
		memory->ret = dma->read(dma, memory->bytes, want->addr, want->len);
	else
		memory->ret = dma->write(dma, want->addr, want->bytes, want->len);
}

/* @return 0, or -EIO: there is no answer. */
static int
call_ask(int fd, const struct swhca_ufork_call *call, struct answer *answer, int64_t deadline)
{
	struct memory memory;
	ssize_t len = swhca_ask(fd, call, sizeof(*call), answer, sizeof(*answer), deadline);

	while (len == sizeof(*answer) && answer->kind != ANSWER) {
		memory_serve(answer, &memory);
		len = swhca_ask(fd, &memory, sizeof(memory), answer, sizeof(*answer), deadline);
	}
	return len == sizeof(*answer) ? 0 : -EIO;
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
	if (!is_owner(fd) || call_ask(fd, call, &answer, deadline) != 0)
		answer.ret = -EIO;
	close(fd);
	call->offset = answer.offset;
	return answer.ret;
}
