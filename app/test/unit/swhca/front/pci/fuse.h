/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_FUSE_H
#define SWHCA_FUSE_H

/**
 * @file
 * A FUSE file in its own namespaces, which any user can create. It can be opened and mapped, but
 * its pages never become available. Optionally, closing it also blocks while it is served.
 */

#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "vmm.h"

#define FUSE_FILE_SIZE 0x100000u

struct fuse_file {
	int fd;
	pid_t pid;		/* serving process */
	char path[64];
};

static inline void
fuse_reply(int dev, uint64_t unique, int error, const void *data, size_t len)
{
	uint8_t out[sizeof(struct fuse_out_header) + 256] = { 0 };
	const struct fuse_out_header header = { .len = (uint32_t)(sizeof(header) + len),
						.error = error, .unique = unique };

	memcpy(out, &header, sizeof(header));
	memcpy(out + sizeof(header), data, len);
	if (write(dev, out, header.len) < 0)
		_exit(1);
}

static inline void
fuse_answer(int dev, const struct fuse_in_header *in, bool can_close)
{
	const struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = 31,
					    .max_write = 4096 };
	const struct fuse_attr_out attr = {
		.attr_valid = 1000,
		.attr = { .ino = 1, .size = FUSE_FILE_SIZE, .mode = S_IFREG | 0600, .nlink = 1 },
	};
	const struct fuse_open_out open_out = { .fh = 0 };

	switch (in->opcode) {
	case FUSE_INIT:
		fuse_reply(dev, in->unique, 0, &init, sizeof(init));
		break;
	case FUSE_GETATTR:
		fuse_reply(dev, in->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		fuse_reply(dev, in->unique, 0, &open_out, sizeof(open_out));
		break;
	case FUSE_FLUSH:
		if (can_close)
			fuse_reply(dev, in->unique, 0, "", 0);
		break;
	case FUSE_RELEASE:
		fuse_reply(dev, in->unique, 0, "", 0);
		break;
	case FUSE_READ:
	case FUSE_INTERRUPT:
		break;
	default:
		fuse_reply(dev, in->unique, -ENOSYS, "", 0);
		break;
	}
}

static inline void
fuse_serve(int dev, bool can_close)
{
	union {
		struct fuse_in_header header;
		uint8_t bytes[1 << 18];
	} in;

	while (read(dev, &in, sizeof(in)) > 0)
		fuse_answer(dev, &in.header, can_close);
	_exit(0);
}

static inline void
text_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		_exit(1);
	close(fd);
}

/* @return The device whose file system is mounted over a file. */
static inline int
fuse_mount(const char *path)
{
	const unsigned int uid = getuid(), gid = getgid();
	char text[64];
	int dev;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
		_exit(1);
	snprintf(text, sizeof(text), "%u %u 1", uid, uid);
	text_write("/proc/self/uid_map", text);
	text_write("/proc/self/setgroups", "deny");
	snprintf(text, sizeof(text), "%u %u 1", gid, gid);
	text_write("/proc/self/gid_map", text);
	dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(text, sizeof(text), "fd=%d,rootmode=100000,user_id=%u,group_id=%u", dev, uid, gid);
	if (dev < 0 || mount("fuse", path, "fuse", MS_NOSUID | MS_NODEV, text) != 0)
		_exit(1);
	return dev;
}

/* Open the file, send the descriptor, and wait for the end. */
static inline void
fuse_give(const char *path, struct vmm *to)
{
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		_exit(1);
	send_msg(to, 0, "", 0, &fd, 1, 0);
	while (true)
		pause();
}

static inline void
fuse_main(const char *path, struct vmm *to, bool can_close)
{
	int dev, fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Inherited descriptors must not keep connections of clients open. */
	for (fd = STDERR_FILENO + 1; fd < 1024; fd++)
		if (fd != to->sock)
			close(fd);
	dev = fuse_mount(path);
	if (fork() == 0) {
		close(dev);
		fuse_give(path, to);
	}
	close(to->sock);
	fuse_serve(dev, can_close);
}

/* Unblock processes that close the file: nothing serves it anymore. */
static inline void
fuse_stop(struct fuse_file *file)
{
	kill(file->pid, SIGKILL);
	waitpid(file->pid, NULL, 0);
	unlink(file->path);
}

/** @return False: this machine does not support it. */
static inline bool
fuse_file_open(struct fuse_file *file, bool can_close)
{
	struct vmm out = { 0 }, in = { .fd = -1 };
	struct pollfd fds = { .events = POLLIN };
	int socks[2];
	bool is_there;
	char byte;

	strcpy(file->path, "/tmp/swhca-fuse.XXXXXX");
	close(mkstemp(file->path));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socks), 0);
	in.sock = fds.fd = socks[0];
	out.sock = socks[1];
	file->pid = fork();
	assert_true(file->pid >= 0);
	if (file->pid == 0)
		fuse_main(file->path, &out, can_close);
	close(socks[1]);
	/* A child that failed to mount has closed the socket. */
	is_there = poll(&fds, 1, patience_ms()) == 1 &&
		   recv(socks[0], &byte, sizeof(byte), MSG_PEEK) == 1;
	if (is_there)
		receive(&in, &in.header, sizeof(in.header));
	close(socks[0]);
	file->fd = in.fd;
	if (is_there)
		return true;
	fuse_stop(file);
	return false;
}

static inline void
fuse_file_close(struct fuse_file *file)
{
	fuse_stop(file);
	close(file->fd);
}

#endif /* SWHCA_FUSE_H */
