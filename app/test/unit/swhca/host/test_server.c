/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The thread that answers other processes: who is served, who is not, and that neither silence nor
 * a lack of descriptors stops it. accept4(2) fails as a case says.
 */

#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "../../../patience.h"
#include "host/client.h"
#include "host/deadline.h"
#include "host/peer.h"
#include "host/server.h"

#define NOBODY 65534
/* How often a case that another program on this machine held up is tried again. */
#define NB_TRIES 10

/* A server of a case; servers end with the process. */
struct bed {
	struct swhca_server server;
	struct sockaddr_un addr;
	socklen_t addr_len;
};

static atomic_uint nb_served;
/* How often accept4() is to fail yet, and with what. */
static atomic_uint nb_failures;
static atomic_int failure;

int __real_accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags);

int
__wrap_accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	unsigned int nb = atomic_load(&nb_failures);

	/* A case may set it meanwhile, to none. */
	while (nb != 0 && !atomic_compare_exchange_weak(&nb_failures, &nb, nb - 1))
		;
	if (nb == 0)
		return __real_accept4(fd, addr, len, flags);
	errno = atomic_load(&failure);
	return -1;
}

/* The answer is the request, backwards. */
static void
serve(int fd, const struct ucred *peer, const void *request, size_t len)
{
	const char *text = request;
	char answer[SWHCA_SERVER_REQUEST_MAX];

	assert_true(swhca_peer_is_trusted(peer));
	for (size_t i = 0; i < len; i++)
		answer[i] = text[len - 1 - i];
	atomic_fetch_add(&nb_served, 1);
	send(fd, answer, len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static struct bed *
bed_start(void)
{
	static unsigned int nb_beds;
	struct bed *bed = calloc(1, sizeof(*bed));
	int len;

	assert_non_null(bed);
	bed->server = (struct swhca_server){ .name = "unit", .type = SOCK_STREAM, .serve = serve,
					     .listener = -1 };
	bed->addr.sun_family = AF_UNIX;
	len = snprintf(bed->addr.sun_path + 1, sizeof(bed->addr.sun_path) - 1,
		       "swhca-unit-%ld-%u", (long)getpid(), nb_beds++);
	bed->addr_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
	assert_int_equal(swhca_server_start(&bed->server, &bed->addr, bed->addr_len), 0);
	return bed;
}

static int
bed_connect(const struct bed *bed)
{
	int fd = swhca_ask_connect(SOCK_STREAM, (const struct sockaddr *)&bed->addr,
				   bed->addr_len, swhca_deadline_in(patience_ms()));

	assert_true(fd >= 0);
	return fd;
}

static void
fd_asks(int fd)
{
	char answer[16] = "";

	assert_int_equal(swhca_ask(fd, "abc", 3, answer, sizeof(answer),
				   swhca_deadline_in(patience_ms())), 3);
	assert_string_equal(answer, "cba");
	close(fd);
}

static void
bed_is_alive(const struct bed *bed)
{
	fd_asks(bed_connect(bed));
}

/* Has the server closed a connection? */
static bool
is_closed(int fd, int wait_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, wait_ms) == 1;
}

CASE(requests_are_answered)
{
	struct bed *bed = bed_start();
	int fd = bed_connect(bed);
	struct ucred peer;

	assert_int_equal(swhca_peer_get(fd, &peer), 0);
	assert_true(swhca_peer_is_process(&peer, getpid()));
	assert_false(swhca_peer_is_process(&peer, getppid()));
	fd_asks(fd);
	bed_is_alive(bed);
}

CASE(silent_clients_hold_up_nobody)
{
	struct bed *bed = bed_start();
	int silent[SWHCA_SERVER_MAX_CONNS - 1], i, try;
	bool is_open = false;

	for (try = 0; try < NB_TRIES && !is_open; try++) {
		for (i = 0; i < SWHCA_SERVER_MAX_CONNS - 1; i++)
			silent[i] = bed_connect(bed);
		bed_is_alive(bed);
		/* Answered, while the others are still waited for. */
		is_open = !is_closed(silent[SWHCA_SERVER_MAX_CONNS - 2], 0);
		for (i = 0; i < SWHCA_SERVER_MAX_CONNS - 1; i++) {
			assert_true(is_closed(silent[i], patience_ms()));
			close(silent[i]);
		}
	}
	assert_true(is_open);
}

CASE(more_silent_clients_than_places_end)
{
	struct bed *bed = bed_start();
	int silent[2 * SWHCA_SERVER_MAX_CONNS], i;

	for (i = 0; i < 2 * SWHCA_SERVER_MAX_CONNS; i++)
		silent[i] = bed_connect(bed);
	bed_is_alive(bed);
	for (i = 0; i < 2 * SWHCA_SERVER_MAX_CONNS; i++)
		close(silent[i]);
	bed_is_alive(bed);
}

CASE(who_hung_up_is_not_served)
{
	struct bed *bed = bed_start();
	unsigned int before = atomic_load(&nb_served);
	int fd;

	/* The connection waits until both its request and its end are there. */
	atomic_store(&failure, EMFILE);
	atomic_store(&nb_failures, UINT_MAX);
	fd = bed_connect(bed);
	assert_int_equal(send(fd, "abc", 3, 0), 3);
	close(fd);
	atomic_store(&nb_failures, 0);
	bed_is_alive(bed);
	assert_int_equal(atomic_load(&nb_served), before + 1);
}

/* As another user: connect, say something or nothing. The exit status tells how it ended. */
enum ending { TURNED_AWAY = 1, ANSWERED, LEFT_WAITING, NOT_TRUSTED = 8 };

static int
other_user_asks(const struct bed *bed, const char *request)
{
	int64_t deadline = swhca_deadline_in(patience_ms());
	struct ucred peer;
	char answer[16];
	ssize_t len;
	int fd, ret;

	if (setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0)
		return 0;
	fd = swhca_ask_connect(SOCK_STREAM, (const struct sockaddr *)&bed->addr, bed->addr_len,
			       deadline);
	if (fd < 0 || swhca_peer_get(fd, &peer) != 0)
		return 0;
	len = swhca_ask(fd, request, strlen(request), answer, sizeof(answer), deadline);
	ret = len == -ECONNRESET ? TURNED_AWAY : len > 0 ? ANSWERED : LEFT_WAITING;
	/* The other side is root, which everybody trusts; but it is not just any process. */
	return ret | (swhca_peer_is_process(&peer, getpid()) ? 0 : NOT_TRUSTED);
}

static int
other_user_ends(const struct bed *bed, const char *request)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(other_user_asks(bed, request));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

CASE(other_users_are_turned_away_unheard)
{
	struct bed *bed = bed_start();
	unsigned int before = atomic_load(&nb_served);
	bool is_open = false;
	int silent, try;

	if (geteuid() != 0) {
		print_message("needs root, to become another user\n");
		skip();
	}
	assert_int_equal(other_user_ends(bed, "abc"), TURNED_AWAY | NOT_TRUSTED);
	/* At once, not when its time for a request is over as that of our own. */
	for (try = 0; try < NB_TRIES && !is_open; try++) {
		silent = bed_connect(bed);
		assert_int_equal(other_user_ends(bed, ""), TURNED_AWAY | NOT_TRUSTED);
		is_open = !is_closed(silent, 0);
		close(silent);
	}
	assert_true(is_open);
	assert_int_equal(atomic_load(&nb_served), before);
	bed_is_alive(bed);
}

CASE(root_is_served_and_serves)
{
	struct ucred peer = { .pid = getpid(), .uid = 0 };

	assert_true(swhca_peer_is_trusted(&peer));
	assert_true(swhca_peer_is_process(&peer, getpid()));
	peer.uid = geteuid();
	assert_true(swhca_peer_is_trusted(&peer));
	/* Neither root nor this user, whoever that is. */
	peer.uid = geteuid() + 1;
	assert_false(swhca_peer_is_trusted(&peer));
	/* Root asks any user's process, but not one that only has its number. */
	assert_false(swhca_peer_is_process(&peer, getpid()));
}

CASE(what_passes_does_not_end_the_thread)
{
	static const int errs[] = { EINTR, ECONNABORTED, EAGAIN, EPROTO, EPERM, EMFILE, ENFILE,
				    ENOBUFS, ENOMEM };
	struct bed *bed = bed_start();

	for (size_t i = 0; i < NB_OF(errs); i++) {
		atomic_store(&failure, errs[i]);
		atomic_store(&nb_failures, 3);
		bed_is_alive(bed);
		assert_int_equal(atomic_load(&nb_failures), 0);
	}
}

/* 1 + 2 + 4 + ... + 128 ms lie between nine attempts, however slow the machine is. */
CASE(lack_of_descriptors_is_waited_out)
{
	struct bed *bed = bed_start();
	int64_t begin = swhca_deadline_in(0);

	atomic_store(&failure, EMFILE);
	atomic_store(&nb_failures, 8);
	bed_is_alive(bed);
	assert_true(swhca_deadline_in(0) - begin >= 200);
}

static void
fill_descriptors(void)
{
	while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0)
		;
	assert_int_equal(errno, EMFILE);
}

/* A process with descriptors for nothing else; then a single one becomes free. */
static void
use_up_descriptors(struct bed *bed)
{
	const struct rlimit limit = { 64, 64 };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int second = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int spare = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	fill_descriptors();
	assert_int_equal(connect(fd, (const struct sockaddr *)&bed->addr, bed->addr_len), 0);
	assert_int_equal(connect(second, (const struct sockaddr *)&bed->addr, bed->addr_len), 0);
	assert_false(is_closed(fd, 50));
	assert_int_equal(close(spare), 0);
	fd_asks(fd);
	fd_asks(second);
}

CASE(server_goes_on_when_descriptors_are_free_again)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		use_up_descriptors(bed_start());
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* poll(2) rejects more descriptors than the limit is, whatever their numbers are. */
CASE(no_limit_is_too_low_for_long)
{
	struct bed *bed = bed_start();
	struct rlimit limit, low;
	int fd = bed_connect(bed);

	bed_is_alive(bed);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	low = limit;
	low.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	assert_int_equal(send(fd, "abc", 3, 0), 3);
	usleep(50000);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	bed_is_alive(bed);
	close(fd);
}

CASE(taken_address_is_an_error)
{
	struct bed *bed = bed_start();
	struct swhca_server other = { .name = "unit", .type = SOCK_STREAM, .serve = serve,
				      .listener = -1 };
	struct ucred peer;

	assert_int_equal(swhca_server_start(&other, &bed->addr, bed->addr_len), -EADDRINUSE);
	assert_int_equal(atomic_load(&other.listener), -1);
	assert_int_equal(swhca_peer_of_addr(SOCK_STREAM, (const struct sockaddr *)&bed->addr,
					    bed->addr_len, &peer), 0);
	assert_int_equal(peer.pid, getpid());
	bed_is_alive(bed);
}

/* A child has copies of all descriptors, for as long as it lives. */
CASE(child_neither_serves_nor_holds_answers_back)
{
	struct bed *bed = bed_start();
	int silent = bed_connect(bed), pipe_fds[2], status;
	pid_t pid;
	char c;

	bed_is_alive(bed);
	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(pipe_fds[1]);
		_exit(read(pipe_fds[0], &c, 1) == 0 ? 0 : 1);
	}
	bed_is_alive(bed);
	assert_true(is_closed(silent, patience_ms()));
	close(silent);
	close(pipe_fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(pipe_fds[0]);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		swhca_server_forget(&bed->server);
		_exit(atomic_load(&bed->server.listener) == -1 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	bed_is_alive(bed);
}

/* Nobody listens, nobody takes the connection, nobody answers. */
CASE(asking_ends_in_time)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX, .sun_path = "\0swhca-unit-silent" };
	const socklen_t len = sizeof(addr);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), client;
	char answer[4];

	snprintf(addr.sun_path + 24, sizeof(addr.sun_path) - 24, "%ld", (long)getpid());
	assert_int_equal(swhca_ask_connect(SOCK_STREAM, (const struct sockaddr *)&addr, len,
					   swhca_deadline_in(10)), -ECONNREFUSED);
	assert_int_equal(bind(fd, (const struct sockaddr *)&addr, len), 0);
	assert_int_equal(listen(fd, 0), 0);
	client = swhca_ask_connect(SOCK_STREAM, (const struct sockaddr *)&addr, len,
				       swhca_deadline_in(patience_ms()));
	assert_true(client >= 0);
	assert_int_equal(swhca_ask_connect(SOCK_STREAM, (const struct sockaddr *)&addr, len,
					   swhca_deadline_in(30)), -ETIMEDOUT);
	assert_int_equal(swhca_ask(client, "x", 1, answer, sizeof(answer),
				   swhca_deadline_in(30)), -ETIMEDOUT);
	close(client);
	close(fd);
}
