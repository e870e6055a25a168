/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Descriptors of this process that are open files of devices, or of events. */

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/high_fd.h"
#include "base/log.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/evfile.h"
#include "front/uverbs/file/uverbs_fd_table.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/fork.h"

/* Higher descriptors cannot be devices; few processes have so many. */
#define MAX_FDS 65536

/* A descriptor of ours, and the identity of its memfd. */
struct ufd {
	struct swhca_ufile *_Atomic file;
	dev_t st_dev;
	ino_t st_ino;
};

static struct ufd ufds[MAX_FDS];
static pthread_mutex_t ufds_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int fork_gen;
/* Process that owns the table. */
static pid_t table_pid;

/*
 * Find a certain file that this process opened, or any if wanted is NULL; NULL if there is none.
 * Called with the table locked.
 */
static struct swhca_ufile *
own_file_find(const struct swhca_ufile *wanted)
{
	struct swhca_ufile *file;
	size_t i;

	for (i = 0; i < MAX_FDS; i++) {
		file = atomic_load(&ufds[i].file);
		if (file != NULL && file->fork_gen == fork_gen && swhca_ufile_is_device(file) &&
		    (wanted == NULL || file == wanted))
			return file;
	}
	return NULL;
}

struct swhca_ufile *
swhca_ufile_get_own(const struct swhca_ufile *wanted)
{
	struct swhca_ufile *file;

	pthread_mutex_lock(&ufds_lock);
	file = own_file_find(wanted);
	if (file != NULL)
		file->nb_refs++;
	pthread_mutex_unlock(&ufds_lock);
	return file;
}

struct swhca_ufile *
swhca_ufile_get_inode(dev_t st_dev, ino_t st_ino)
{
	struct swhca_ufile *file, *found = NULL;
	size_t i;

	pthread_mutex_lock(&ufds_lock);
	for (i = 0; found == NULL && i < MAX_FDS; i++) {
		file = atomic_load(&ufds[i].file);
		if (file != NULL && file->fork_gen == fork_gen && swhca_ufile_is_device(file) &&
		    ufds[i].st_ino == st_ino && ufds[i].st_dev == st_dev)
			found = file;
	}
	if (found != NULL)
		found->nb_refs++;
	pthread_mutex_unlock(&ufds_lock);
	return found;
}

static bool
is_listed(const struct swhca_ufile *file, struct swhca_ufile *const *files, size_t nb)
{
	size_t i;

	for (i = 0; i < nb; i++)
		if (files[i] == file)
			return true;
	return false;
}

size_t
swhca_ufiles_get_own(unsigned int dev_index, struct swhca_ufile **files, size_t nb_max)
{
	struct swhca_ufile *file;
	size_t nb = 0, i;

	pthread_mutex_lock(&ufds_lock);
	for (i = 0; i < MAX_FDS && nb < nb_max; i++) {
		file = atomic_load(&ufds[i].file);
		if (file == NULL || file->fork_gen != fork_gen || !swhca_ufile_is_device(file) ||
		    file->dev->index != dev_index || is_listed(file, files, nb))
			continue;
		file->nb_refs++;
		files[nb++] = file;
	}
	pthread_mutex_unlock(&ufds_lock);
	return nb;
}

bool
swhca_ufile_is_own(const struct swhca_ufile *file)
{
	return file->fork_gen == fork_gen;
}

bool
swhca_ufiles_exist(void)
{
	bool found;

	pthread_mutex_lock(&ufds_lock);
	found = own_file_find(NULL) != NULL;
	pthread_mutex_unlock(&ufds_lock);
	return found;
}

void
swhca_ufds_start(void)
{
	table_pid = getpid();
}

void
swhca_ufds_forget(void)
{
	pthread_mutex_init(&ufds_lock, NULL);
	fork_gen++;
	table_pid = getpid();
}

/*
 * Check whether a descriptor is ours. Not in a child of vfork(2), which runs in the memory of its
 * parent: descriptors that it closes before exec(2) stay open in the parent.
 */
static bool
ufd_is_ours(int fd)
{
	return fd >= 0 && fd < MAX_FDS && atomic_load(&ufds[fd].file) != NULL &&
	       getpid() == table_pid;
}

void
swhca_ufile_put(struct swhca_ufile *file)
{
	bool is_last;

	pthread_mutex_lock(&ufds_lock);
	is_last = --file->nb_refs == 0;
	pthread_mutex_unlock(&ufds_lock);
	if (!is_last)
		return;
	/* Objects of a parent are destroyed by the parent; their memory is leaked here. */
	if (file->fork_gen == fork_gen)
		file->fini(file);
	pthread_mutex_destroy(&file->lock);
	free(file);
}

/*
 * Check whether the descriptor is still the one that we opened, as it may have been closed
 * unnoticed. Called with the table locked.
 */
static bool
ufd_is_current(int fd)
{
	struct stat st;

	/* By system call number, as fstat() is intercepted. */
	return syscall(SYS_fstat, fd, &st) == 0 && st.st_dev == ufds[fd].st_dev &&
	       st.st_ino == ufds[fd].st_ino;
}

/* Remove the file from a slot. @return The file with its reference, or NULL. */
static struct swhca_ufile *
ufd_clear(int fd)
{
	struct swhca_ufile *file;

	pthread_mutex_lock(&ufds_lock);
	file = atomic_load(&ufds[fd].file);
	atomic_store(&ufds[fd].file, NULL);
	pthread_mutex_unlock(&ufds_lock);
	return file;
}

struct swhca_ufile *
swhca_ufile_get(int fd)
{
	struct swhca_ufile *file, *stale = NULL;

	if (!ufd_is_ours(fd))
		return NULL;
	pthread_mutex_lock(&ufds_lock);
	file = atomic_load(&ufds[fd].file);
	if (file != NULL && ufd_is_current(fd)) {
		file->nb_refs++;
	} else {
		stale = file;
		file = NULL;
		atomic_store(&ufds[fd].file, NULL);
	}
	pthread_mutex_unlock(&ufds_lock);
	if (stale != NULL)
		swhca_ufile_put(stale);
	return file;
}

int
swhca_ufd_set(int fd, struct swhca_ufile *file)
{
	struct swhca_ufile *old;
	struct stat st;

	if (fd >= MAX_FDS) {
		SWHCA_LOG(ERR, "file descriptor %d: more than %d", fd, MAX_FDS - 1);
		return -EMFILE;
	}
	if (syscall(SYS_fstat, fd, &st) != 0)
		return -errno;
	pthread_mutex_lock(&ufds_lock);
	old = atomic_load(&ufds[fd].file);
	ufds[fd].st_dev = st.st_dev;
	ufds[fd].st_ino = st.st_ino;
	atomic_store(&ufds[fd].file, file);
	pthread_mutex_unlock(&ufds_lock);
	if (old != NULL)
		swhca_ufile_put(old);
	return 0;
}

struct swhca_ufile *
swhca_ufile_alloc(struct swhca_udev *dev, void (*fini)(struct swhca_ufile *file))
{
	struct swhca_ufile *file = calloc(1, sizeof(*file));

	if (file == NULL)
		return NULL;
	pthread_mutex_init(&file->lock, NULL);
	file->dev = dev;
	file->fini = fini;
	file->nb_refs = 1;
	file->fork_gen = fork_gen;
	return file;
}

static void
events_close(struct swhca_ufile *file)
{
	swhca_uevent_file_close(file->events);
}

void
swhca_ufile_free(struct swhca_ufile *file)
{
	pthread_mutex_destroy(&file->lock);
	free(file);
}

int
swhca_uevent_fd_add(int fd, struct swhca_udev *dev, struct swhca_uevent_file *events)
{
	struct swhca_ufile *file;
	int ret;

	if (swhca_ufork_is_foreign()) {
		SWHCA_LOG(WARNING, "event file of a child of fork: it would be the parent's");
		return -EOPNOTSUPP;
	}
	file = swhca_ufile_alloc(dev, events_close);
	if (file == NULL)
		return -ENOMEM;
	file->events = events;
	ret = swhca_ufd_set(fd, file);
	if (ret != 0)
		swhca_ufile_free(file);
	return ret;
}

void
swhca_ufd_drop(int fd)
{
	swhca_ufd_close(fd);
	swhca_fd_close(fd);
}

struct swhca_uevent_file *
swhca_uevent_file_of_fd(int fd)
{
	struct swhca_ufile *file = swhca_ufile_get(fd);
	struct swhca_uevent_file *events;

	if (file == NULL)
		return NULL;
	events = file->fork_gen == fork_gen ? swhca_uevent_file_get(file->events) : NULL;
	swhca_ufile_put(file);
	return events;
}

void
swhca_ufd_close(int fd)
{
	struct swhca_ufile *file;

	if (!ufd_is_ours(fd))
		return;
	file = ufd_clear(fd);
	if (file != NULL)
		swhca_ufile_put(file);
}

void
swhca_ufd_close_range(unsigned int first, unsigned int last)
{
	unsigned int fd;

	for (fd = first; fd <= last && fd < MAX_FDS; fd++)
		swhca_ufd_close((int)fd);
}
