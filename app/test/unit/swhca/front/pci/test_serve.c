/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Where a function is served: a socket of this user alone, and nothing else is removed for it. */

#include <fcntl.h>
#include <limits.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"
#include "base/clock.h"
#include "fuse.h"

static struct {
	char folder[64], path[96];
	struct sockaddr_un addr;	/* that path */
	int stop_fd;
	struct swhca_pci_mem mem;
	struct swhca_fabric *fabric;
	/* Who only looks whether somebody serves is a client, too. */
	struct swhca_pci_function function;
	struct swhca_pci_server server;
} place;

static int
setup(void **state)
{
	const struct swhca_hca_conf conf = { .lid = 1, .port_guid = 1 };

	strcpy(place.folder, "/tmp/swhca-serve.XXXXXX");
	assert_non_null(mkdtemp(place.folder));
	snprintf(place.path, sizeof(place.path), "%s/socket", place.folder);
	place.addr.sun_family = AF_UNIX;
	strcpy(place.addr.sun_path, place.path);
	place.stop_fd = eventfd(0, EFD_CLOEXEC);
	swhca_pci_mem_init(&place.mem);
	assert_int_equal(swhca_fabric_create(&place.mem.dma, &place.fabric), 0);
	assert_int_equal(swhca_pci_function_init(&place.function, 0, place.fabric, &place.mem,
						 &conf), 0);
	return 0;
}

static int
teardown(void **state)
{
	swhca_pci_function_fini(&place.function);
	swhca_fabric_destroy(place.fabric);
	swhca_pci_mem_fini(&place.mem);
	close(place.stop_fd);
	unlink(place.path);
	return rmdir(place.folder);
}

static int
begin(void)
{
	return swhca_pci_server_start(&place.server, &place.function, place.path, place.stop_fd);
}

static void
end(void)
{
	assert_int_equal(eventfd_write(place.stop_fd, 1), 0);
	assert_int_equal(swhca_pci_server_join(&place.server, patience_end()), 0);
}

CASE_WITH(socket_is_of_this_user_alone, setup, teardown)
{
	mode_t old = umask(0);
	struct stat st;

	assert_int_equal(begin(), 0);
	umask(old);
	assert_int_equal(lstat(place.path, &st), 0);
	assert_int_equal(st.st_mode, S_IFSOCK | 0600);
	assert_int_equal(st.st_uid, geteuid());
	end();
	assert_int_equal(lstat(place.path, &st), -1);
}

CASE_WITH(socket_that_is_served_is_left, setup, teardown)
{
	struct swhca_pci_server other;

	assert_int_equal(begin(), 0);
	assert_int_equal(swhca_pci_server_start(&other, &place.function, place.path,
						place.stop_fd), -EADDRINUSE);
	end();
}

/* Connects as soon as there is a name. @return NULL, or what it was refused by. */
static void *
first_client_main(void *arg)
{
	const int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	void *said = NULL;

	while (connect(sock, (const struct sockaddr *)&place.addr,
		       sizeof(place.addr)) != 0 && said == NULL)
		said = errno == ENOENT ? NULL : strerror(errno);
	close(sock);
	return said;
}

CASE_WITH(socket_that_is_seen_is_served, setup, teardown)
{
	pthread_t thread;
	eventfd_t value;
	void *said;

	for (unsigned int i = 0; i < 200; i++) {
		assert_int_equal(pthread_create(&thread, NULL, first_client_main, NULL), 0);
		assert_int_equal(begin(), 0);
		assert_int_equal(pthread_join(thread, &said), 0);
		assert_null(said);
		end();
		assert_int_equal(eventfd_read(place.stop_fd, &value), 0);
	}
}

/* A socket that nobody serves any more. */
static void
socket_leave(void)
{
	int sock = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_int_equal(bind(sock, (const struct sockaddr *)&place.addr, sizeof(place.addr)), 0);
	close(sock);
}

CASE_WITH(socket_that_was_left_behind_is_replaced, setup, teardown)
{
	socket_leave();
	assert_int_equal(begin(), 0);
	end();
}

struct starter {
	pthread_barrier_t *barrier;
	struct swhca_pci_server server;
	int ret;
};

static void *
starter_main(void *arg)
{
	struct starter *starter = arg;

	pthread_barrier_wait(starter->barrier);
	starter->ret = swhca_pci_server_start(&starter->server, &place.function,
					      place.path, place.stop_fd);
	return NULL;
}

/* One has the name, and is served there, also if both find a socket that was left behind. */
CASE_WITH(of_two_that_start_at_once_one_serves, setup, teardown)
{
	struct starter starters[2];
	pthread_barrier_t barrier;
	pthread_t threads[2];
	unsigned int i, j, winner;
	eventfd_t value;
	int sock;

	assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
	for (i = 0; i < 500; i++) {
		if (i % 2 != 0)
			socket_leave();
		for (j = 0; j < 2; j++) {
			starters[j] = (struct starter){ .barrier = &barrier };
			assert_int_equal(pthread_create(&threads[j], NULL, starter_main,
							&starters[j]), 0);
		}
		for (j = 0; j < 2; j++)
			assert_int_equal(pthread_join(threads[j], NULL), 0);
		winner = starters[0].ret == 0 ? 0 : 1;
		assert_int_equal(starters[winner].ret, 0);
		assert_int_equal(starters[1 - winner].ret, -EADDRINUSE);
		sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		assert_int_equal(connect(sock, (const struct sockaddr *)&place.addr,
					 sizeof(place.addr)), 0);
		close(sock);
		assert_int_equal(eventfd_write(place.stop_fd, 1), 0);
		assert_int_equal(swhca_pci_server_join(&starters[winner].server, patience_end()),
				 0);
		assert_int_equal(eventfd_read(place.stop_fd, &value), 0);
	}
	pthread_barrier_destroy(&barrier);
}

/*
 * Who closes a file of FUSE waits for its program, and no signal helps. That is told in the end,
 * and the socket is gone.
 */
CASE_WITH(a_client_that_holds_up_the_end_is_told_of, setup, teardown)
{
	struct vmm vmm = { .sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) };
	uint64_t end = patience_end();
	struct fuse_file file;
	struct stat st;
	int nb;

	if (!fuse_file_open(&file, false))
		skip();
	assert_int_equal(begin(), 0);
	assert_int_equal(connect(vmm.sock, (const struct sockaddr *)&place.addr,
				 sizeof(place.addr)), 0);
	assert_int_equal(call_version(&vmm), 0);
	send_msg(&vmm, SWHCA_VFU_GET_INFO, "", 0, &file.fd, 1, 0);
	/* Behind this it is told nothing any more before it has closed the file. */
	do {
		assert_false(patience_is_over(end));
		assert_int_equal(ioctl(vmm.sock, SIOCOUTQ, &nb), 0);
	} while (nb > 0);
	assert_int_equal(eventfd_write(place.stop_fd, 1), 0);
	assert_int_equal(swhca_pci_server_join(&place.server, swhca_now_ns()), -ETIMEDOUT);
	assert_int_equal(lstat(place.path, &st), -1);
	fuse_file_close(&file);
	assert_int_equal(swhca_pci_server_join(&place.server, patience_end()), 0);
	close(vmm.sock);
}

/* A path that was mistyped costs no file, and a link is not followed to one. */
CASE_WITH(what_is_no_socket_is_left, setup, teardown)
{
	char target[128];
	struct stat st;

	snprintf(target, sizeof(target), "%s.target", place.path);
	close(open(target, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
	assert_int_equal(symlink(target, place.path), 0);
	assert_int_equal(begin(), -EADDRINUSE);
	assert_int_equal(stat(target, &st), 0);
	assert_int_equal(unlink(place.path), 0);
	assert_int_equal(rename(target, place.path), 0);
	assert_int_equal(begin(), -EADDRINUSE);
	assert_int_equal(lstat(place.path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
}
