/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Requests of swhca-ctl: an input is some, each of a length (u8) and its bytes. Whatever one says,
 * there is one answer, which fits and, unless it is a table of resources, is text that ends with
 * a line. One that says "error:" has not come to a device, and what comes has its number.
 *
 * The linker has calls of what starts the server, and of what would not go away, come here.
 */

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "front/preload/control.h"
#include "front/uverbs/call/uverbs.h"
#include "front/uverbs/dev/dev.h"
#include "fuzz_check.h"
#include "fuzz_uverbs.h"
#include "host/control_addr.h"
#include "host/server.h"

#define MAX_STEPS 32u

static const struct swhca_server *server;
static int fds[2];
/* Devices that a request came to. */
static unsigned int nb_acts;

int __wrap_swhca_server_start(struct swhca_server *started, const struct sockaddr_un *addr,
			      socklen_t len);
int __wrap_swhca_uverbs_remove(unsigned int index);
int __wrap_swhca_uverbs_crash(unsigned int index);
int __wrap_swhca_uverbs_halt(unsigned int index);
int __wrap_swhca_uverbs_credential_delete(unsigned int index);

int
__wrap_swhca_server_start(struct swhca_server *started, const struct sockaddr_un *addr,
			  socklen_t len)
{
	(void)addr;
	(void)len;
	server = started;
	return 0;
}

static int
act(unsigned int index)
{
	FUZZ_NEED(index < swhca_uverbs_nb_devices());
	nb_acts++;
	return 0;
}

int
__wrap_swhca_uverbs_remove(unsigned int index)
{
	return act(index);
}

int
__wrap_swhca_uverbs_crash(unsigned int index)
{
	return act(index);
}

int
__wrap_swhca_uverbs_halt(unsigned int index)
{
	return act(index);
}

int
__wrap_swhca_uverbs_credential_delete(unsigned int index)
{
	return act(index);
}

static void
answer_check(const uint8_t *request, const char *answer, ssize_t len)
{
	FUZZ_NEED(len >= 0 && (size_t)len <= SWHCA_CONTROL_MAX);
	if (strncmp((const char *)request, "resources ", 10) == 0)
		return;
	FUZZ_NEED(memchr(answer, '\0', (size_t)len) == NULL);
	/* A table of devices may be cut where there is no more room. */
	FUZZ_NEED(len == 0 || answer[len - 1] == '\n' || (size_t)len == SWHCA_CONTROL_MAX - 1);
	if (len >= 6 && memcmp(answer, "error:", 6) == 0)
		FUZZ_NEED(nb_acts == 0);
}

static void
request_serve(const uint8_t *request, size_t len)
{
	static char answer[SWHCA_CONTROL_MAX + 1];
	const struct ucred peer = { .pid = getpid(), .uid = getuid(), .gid = getgid() };
	ssize_t got;

	nb_acts = 0;
	server->serve(fds[0], &peer, request, len);
	got = recv(fds[1], answer, sizeof(answer), MSG_DONTWAIT);
	/* Of no bytes nothing is sent. */
	answer_check(request, answer, got < 0 && errno == EAGAIN ? 0 : got);
	FUZZ_NEED(recv(fds[1], answer, sizeof(answer), MSG_DONTWAIT) < 0);
}

static void
control_init(void)
{
	uverbs_host_init();
	swhca_control_start();
	FUZZ_NEED(server != NULL);
	FUZZ_NEED(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { .data = data, .left = size };
	/* Behind what was received there is nothing that may be read. */
	uint8_t request[UINT8_MAX + 1];
	unsigned int nb_process;
	uint8_t len;

	if (server == NULL)
		control_init();
	nb_process = fuzz_process_count();
	uverbs_host_begin(fuzz_u8(&in));
	for (unsigned int i = 0; i < MAX_STEPS && in.left > 0; i++) {
		len = fuzz_u8(&in);
		memset(request, 0, sizeof(request));
		fuzz_bytes(&in, request, len);
		request_serve(request, len);
	}
	uverbs_host_end();
	FUZZ_NEED(fuzz_process_settle(nb_process) == nb_process);
	return 0;
}
