/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_H
#define SWHCA_UVERBS_H

/**
 * @file
 * Software HCA as /dev/infiniband/uverbsN, at the level of libc calls.
 *
 * A file descriptor from swhca_uverbs_open() is a real one (a memfd) that is stored in a table. It
 * supports ioctl(2) and mmap(2) like ib_uverbs with mlx5_ib; both are executed in the calling
 * thread.
 *
 * Thread safe. After fork(2) calls of the child on files of the parent are executed in the parent
 * (front/uverbs/file/fork.h); the child may open its own.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "include/model.h"

/** Callbacks of the process for the devices; NULL: none. */
struct swhca_uverbs_host {
	/** Before the engine is created, which may fault in memory of the program. */
	void (*prepare)(void);
	/** After the engine was started. */
	void (*start)(void);
	/** In the child of fork(2): the devices belong to the parent. */
	void (*forget)(void);
	/** Its handlers of SIGSEGV and SIGBUS call swhca_dma_direct_recover(), from open(2) on. */
	bool catches_faults;
};

/** Called once, before the first file is opened. The struct is copied. */
void swhca_uverbs_init(const struct swhca_uverbs_host *host);

/** Number of devices, as configured. */
unsigned int swhca_uverbs_nb_devices(void);

/**
 * Remove a device, like a card that is pulled: its files are dead (-EIO), its name and number
 * become invalid. Programs read IBV_EVENT_DEVICE_FATAL.
 *
 * @return
 *   0, or -ENODEV (it does not exist, or no longer).
 */
int swhca_uverbs_remove(unsigned int index);
bool swhca_uverbs_is_removed(unsigned int index);
/** Fail its firmware: swhca_hca_crash(). @return 0, or -ENODEV: not opened yet. */
int swhca_uverbs_crash(unsigned int index);
/**
 * Hang or resume it: swhca_hca_halt(), or swhca_hca_revive() if it had failed. @return As
 * swhca_uverbs_crash(); -EBUSY: it had failed, and still has queues.
 */
int swhca_uverbs_halt(unsigned int index);
int swhca_uverbs_resume(unsigned int index);
/** Set its port down or up: swhca_hca_port_set(). @return As swhca_uverbs_crash(). */
int swhca_uverbs_port_down(unsigned int index);
int swhca_uverbs_port_up(unsigned int index);
/** Set the rate of its link: swhca_hca_port_rate_set(). @return As swhca_uverbs_crash(). */
int swhca_uverbs_port_rate_set(unsigned int index, const struct swhca_port_rate *rate);
/** Rate of its link; a device that is not open has the rate of its model. */
struct swhca_port_rate swhca_uverbs_port_rate(unsigned int index);
/**
 * Set faults of its wire: swhca_link_set_impair().
 *
 * @return
 *   0, -ENODEV (not opened yet, or no wire), -EINVAL (the text).
 */
int swhca_uverbs_impair(unsigned int index, const char *text);
struct swhca_link_impair_stats;
/** Get their counters: swhca_hca_impair_stats_get(). @return 0 or -ENODEV. */
int swhca_uverbs_impair_stats(unsigned int index, struct swhca_link_impair_stats *stats);
/**
 * Let a waiting thread run the devices, if they are on a wire (swhca_fabric_lend()). Not to be
 * called within a call of this file.
 *
 * @return
 *   false: there was nothing to do, or another thread does it.
 */
bool swhca_uverbs_lend(void);
/** Whether its port is down; false for a device that is not open. */
bool swhca_uverbs_port_is_down(unsigned int index);

/** Device of a path (/dev/infiniband/uverbsN, /dev/char/231:N), or -1. */
int swhca_uverbs_path(const char *path);

/** Fill the result of stat(2) of the character device. */
void swhca_uverbs_stat(unsigned int index, struct stat *st);

/**
 * Open a device.
 *
 * @param flags
 *   As for open(2); only O_CLOEXEC matters.
 * @return
 *   File descriptor, or a negative errno.
 */
int swhca_uverbs_open(unsigned int index, int flags);

/** @return Device of a file descriptor, or -1 if it is not ours, or is of events. */
int swhca_uverbs_index(int fd);

/** @return Whether a file descriptor is an event file. */
bool swhca_uverbs_is_event(int fd);

/** read(2) of an event file. @return Bytes, or a negative errno. */
ssize_t swhca_uverbs_read(int fd, void *buf, size_t count);

/** Remove a descriptor; the last one of a file destroys its objects. The caller closes it. */
void swhca_uverbs_close(int fd);
/** The same for all from first to last. */
void swhca_uverbs_close_range(unsigned int first, unsigned int last);

/** Register newfd as a duplicate of oldfd. @return 0 or -EMFILE. */
int swhca_uverbs_dup(int oldfd, int newfd);

/**
 * ioctl(2).
 *
 * @param[out] ret
 *   0 or a negative errno.
 * @return
 *   false: the file descriptor is not a device, and nothing was done.
 */
bool swhca_uverbs_ioctl(int fd, unsigned long request, void *arg, int *ret);

/**
 * Check whether mmap(2) of a device file may map a page. The file contains it: a mapping by a
 * direct system call does no harm (front/uverbs/file/map.h).
 *
 * @param offset
 *   Changed on success if the page is at another place of the file.
 * @return
 *   0 or a negative errno.
 */
int swhca_uverbs_mmap(int fd, size_t len, int prot, int flags, off_t *offset);

/**
 * Called after a mapping that swhca_uverbs_mmap() allowed.
 *
 * @return
 *   0, or a negative errno: it must be undone.
 */
int swhca_uverbs_mapped(int fd, void *va, size_t len, off_t offset);

struct swhca_hca_stats;

/** Counters of a device. @return 0, or -ENODEV (not opened yet). */
int swhca_uverbs_stats(unsigned int index, struct swhca_hca_stats *stats);

/** Make the n-th command from now on fail; 0: none. @return As swhca_uverbs_stats(). */
int swhca_uverbs_cmd_fail(unsigned int index, uint64_t n);

struct swhca_inject;
struct swhca_inject_state;

/**
 * Faults of the data path: swhca_hca_inject(), _off(), _list().
 *
 * @return
 *   As those; -ENODEV: not opened yet.
 */
int swhca_uverbs_inject(unsigned int index, const struct swhca_inject *injects, unsigned int nb);
int swhca_uverbs_inject_off(unsigned int index, unsigned int cls);
int swhca_uverbs_inject_list(unsigned int index, struct swhca_inject_state *states);

/** Delete the credential of a device. @return 0, or -ENODEV: not opened yet. */
int swhca_uverbs_credential_delete(unsigned int index);

/** Memory of this process goes away, or changes its protection; cheap without affected regions. */
void swhca_uverbs_invalidate(const void *addr, size_t len);

struct swhca_pages_change;

/** Pinned regions: swhca_fabric_pages_are_pinned(), _begin(), _end(). */
bool swhca_uverbs_pages_are_pinned(const void *addr, size_t len);
bool swhca_uverbs_pages_begin(struct swhca_pages_change *changes, unsigned int nb);
void swhca_uverbs_pages_end(struct swhca_pages_change *changes, unsigned int nb, bool is_done);

#endif /* SWHCA_UVERBS_H */
