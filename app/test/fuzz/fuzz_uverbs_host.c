/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Around the uverbs front end: fuzz_uverbs.h. The linker has calls of some functions come here:
 * where the front end asks for what is the process' or the configuration's.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "fuzz.h"
#include "fuzz_dma.h"
#include "fuzz_uverbs.h"
#include "base/dma_direct.h"
#include "base/log.h"
#include "front/uverbs/call/uverbs.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/uverbs_fd_table.h"
#include "host/conf.h"
#include "object/hca_state.h"

/* Passes of the engine after which it will not come to an end. */
#define MAX_PASSES 100000u
#define NB_ALL_DEVICES (2 * UVERBS_NB_DEVICES)
/* That of the kernel for changes of keys stays once it was needed: a PD, a UAR, a CQ, a QP. */
#define NB_UMR_OBJECTS 4u

static struct swhca_conf conf;
static struct swhca_fabric *fabric;
static bool has_input;
static struct swhca_dma user_dma;
static unsigned int first_device;
static uint8_t next_variant;
/* A device as it is without a program: objects, and the numbers that the next ones get. */
static struct {
	struct swhca_hca *hca;
	uint64_t nb_objects;
	uint32_t next[SWHCA_NB_OBJ_TYPES];
} fresh[NB_ALL_DEVICES];
static unsigned int nb_open_fds;
/* Descriptors of event files: those not yet taken, and where the next goes. */
static int new_fds[UVERBS_NB_FDS];
static unsigned int nb_new_fds;
static unsigned int next_fd;

/* ---- The process and the configuration ---- */

int __wrap_swhca_fabric_start(struct swhca_fabric *started);
const struct swhca_conf *__wrap_swhca_conf_get(void);
const struct swhca_dma *__wrap_swhca_dma_direct(void);
const struct swhca_dma *__real_swhca_dma_process(void);
const struct swhca_dma *__wrap_swhca_dma_process(void);
int __wrap_swhca_uaddr_check(uint64_t addr, uint64_t len, bool is_writable);
int __real_swhca_hca_create(struct swhca_fabric *of, const struct swhca_hca_conf *want,
			    struct swhca_hca **hca);
int __wrap_swhca_hca_create(struct swhca_fabric *of, const struct swhca_hca_conf *want,
			    struct swhca_hca **hca);
uint8_t __wrap_swhca_ukey_variant(void);
int __wrap_sched_yield(void);
int __wrap_fstatfs64(int fd, struct statfs *fs);
int __real_swhca_uevent_fd_add(int fd, struct swhca_udev *dev,
				     struct swhca_uevent_file *file);
int __wrap_swhca_uevent_fd_add(int fd, struct swhca_udev *dev,
				     struct swhca_uevent_file *file);

/* The engine has no thread. */
int
__wrap_swhca_fabric_start(struct swhca_fabric *started)
{
	fabric = started;
	return 0;
}

/* Numbers of queue pairs depend on the process. */
int
__wrap_swhca_hca_create(struct swhca_fabric *of, const struct swhca_hca_conf *want,
			struct swhca_hca **hca)
{
	struct swhca_hca_conf same = *want;

	same.first_qpn = UVERBS_FIRST_QPN;
	return __real_swhca_hca_create(of, &same, hca);
}

uint8_t
__wrap_swhca_ukey_variant(void)
{
	return next_variant++;
}

/* Whoever waits for it lets it work; run-time libraries may yield without an input. */
int
__wrap_sched_yield(void)
{
	if (has_input)
		swhca_fabric_poll(fabric);
	return 0;
}

const struct swhca_conf *
__wrap_swhca_conf_get(void)
{
	return &conf;
}

/* The device has rings of the front end, too: what a program may have it reach is checked below. */
const struct swhca_dma *
__wrap_swhca_dma_direct(void)
{
	return __real_swhca_dma_process();
}

static bool
is_within(uint64_t addr, uint64_t len, uint64_t start, uint64_t size)
{
	return addr >= start && len <= size && addr - start <= size - len;
}

static bool
is_arena(uint64_t addr, uint64_t len)
{
	return is_within(addr, len, UVERBS_ARENA, 2 * UVERBS_ARENA_SIZE);
}

static bool
is_args(uint64_t addr, uint64_t len)
{
	return is_within(addr, len, UVERBS_ARGS, UVERBS_ARGS_SIZE);
}

static int
user_read(const struct swhca_dma *dma, void *dst, uint64_t addr, size_t len)
{
	const struct swhca_dma *process = __real_swhca_dma_process();

	(void)dma;
	if (!is_arena(addr, len) && !is_args(addr, len) && !is_within(addr, len, UVERBS_READ_ONLY,
								      4096))
		return -EFAULT;
	return process->read(process, dst, addr, len);
}

static int
user_write(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	(void)dma;
	return uverbs_host_put(addr, src, len) ? 0 : -EFAULT;
}

const struct swhca_dma *
__wrap_swhca_dma_process(void)
{
	return &user_dma;
}

int
__wrap_swhca_uaddr_check(uint64_t addr, uint64_t len, bool is_writable)
{
	if (len == 0 || addr + len < addr)
		return -EINVAL;
	if (is_arena(addr, len))
		return 0;
	return !is_writable && is_within(addr, len, UVERBS_READ_ONLY, 4096) ? 0 : -EFAULT;
}

int
__wrap_fstatfs64(int fd, struct statfs *fs)
{
	memset(fs, 0, sizeof(*fs));
	if (fd == UVERBS_FD_DMABUF)
		fs->f_type = DMA_BUF_MAGIC;
	return 0;
}

int
__wrap_swhca_uevent_fd_add(int fd, struct swhca_udev *dev, struct swhca_uevent_file *file)
{
	int ret = __real_swhca_uevent_fd_add(fd, dev, file);

	if (ret == 0 && nb_new_fds < UVERBS_NB_FDS)
		new_fds[nb_new_fds++] = fd;
	return ret;
}

/* ---- Memory ---- */

bool
uverbs_host_put(uint64_t addr, const void *src, size_t len)
{
	if (!is_arena(addr, len) && !is_args(addr, len))
		return false;
	memcpy((void *)(uintptr_t)addr, src, len);
	return true;
}

uint8_t *
uverbs_host_args(uint64_t addr)
{
	return (uint8_t *)(uintptr_t)addr;
}

static void
map_at(uint64_t addr, uint64_t len, int prot, int fd)
{
	void *want = (void *)(uintptr_t)addr;
	int flags = MAP_FIXED_NOREPLACE | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);

	FUZZ_NEED(mmap(want, len, prot, flags, fd, 0) == want);
}

/* Fresh pages, which are cheaper than to clear them. None of it is the front end's to unmap. */
static void
memory_reset(void)
{
	FUZZ_NEED(madvise((void *)(uintptr_t)UVERBS_ARENA, 2 * UVERBS_ARENA_SIZE,
			  MADV_REMOVE) == 0);
	FUZZ_NEED(madvise((void *)(uintptr_t)UVERBS_ARGS, UVERBS_ARGS_SIZE, MADV_DONTNEED) == 0);
}

static void
memory_init(void)
{
	int fd = memfd_create("arena", MFD_CLOEXEC);

	FUZZ_NEED(fd >= 0 && ftruncate(fd, (off_t)UVERBS_ARENA_SIZE) == 0);
	map_at(UVERBS_ARENA, UVERBS_ARENA_SIZE, PROT_READ | PROT_WRITE, fd);
	map_at(UVERBS_ARENA + UVERBS_ARENA_SIZE, UVERBS_ARENA_SIZE, PROT_READ | PROT_WRITE, fd);
	close(fd);
	map_at(UVERBS_READ_ONLY, 4096, PROT_READ, -1);
	map_at(UVERBS_ARGS, UVERBS_ARGS_SIZE, PROT_READ | PROT_WRITE, -1);
	user_dma = (struct swhca_dma){ .read = user_read, .write = user_write };
}

/* ---- Descriptors ---- */

static void
fd_place(int fd, int number)
{
	FUZZ_NEED(fd >= 0 && dup2(fd, number) == number);
	close(fd);
}

static void
fds_init(void)
{
	int fd;

	fd_place(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), UVERBS_FD_EVENT);
	fd = memfd_create("dmabuf", MFD_CLOEXEC);
	FUZZ_NEED(fd >= 0 && ftruncate(fd, 16 * 4096) == 0);
	fd_place(fd, UVERBS_FD_DMABUF);
	fd_place(memfd_create("file", MFD_CLOEXEC), UVERBS_FD_FILE);
}

static unsigned int
open_fds_count(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int nb = 0;

	FUZZ_NEED(dir != NULL);
	while (readdir(dir) != NULL)
		nb++;
	closedir(dir);
	return nb;
}

void
uverbs_host_take_fds(void)
{
	int number;

	for (unsigned int i = 0; i < nb_new_fds; i++) {
		/* The request may have failed behind it. */
		if (!swhca_uverbs_is_event(new_fds[i]))
			continue;
		number = UVERBS_FD_FIRST + (int)(next_fd++ % UVERBS_NB_FDS);
		FUZZ_NEED(dup2(new_fds[i], number) == number);
		FUZZ_NEED(swhca_uverbs_dup(new_fds[i], number) == 0);
		swhca_uverbs_close(new_fds[i]);
		close(new_fds[i]);
		/* Nobody else would ever write. */
		FUZZ_NEED(fcntl(number, F_SETFL, O_NONBLOCK) == 0);
	}
	nb_new_fds = 0;
}

/* ---- Devices ---- */

unsigned int
uverbs_host_device(unsigned int slot)
{
	return first_device + slot % UVERBS_NB_DEVICES;
}

void
uverbs_host_run(void)
{
	unsigned int passes = 0;

	while (swhca_fabric_poll(fabric) != 0)
		FUZZ_NEED(++passes < MAX_PASSES);
}

/* Devices of the configuration as it is now. */
static void
devices_init(unsigned int first)
{
	struct swhca_hca_stats stats;
	struct swhca_udev *dev;
	unsigned int type;

	for (unsigned int i = first; i < first + UVERBS_NB_DEVICES; i++) {
		FUZZ_NEED(swhca_udev_get(i, &dev) == 0);
		swhca_hca_stats_get(dev->hca, &stats);
		fresh[i].hca = dev->hca;
		fresh[i].nb_objects = stats.nb_objects;
		for (type = 0; type < SWHCA_NB_OBJ_TYPES; type++)
			fresh[i].next[type] = dev->hca->tables[type].next;
	}
}

/* Numbers rest a while before they are given again, and inputs name them. */
static void
numbers_reset(void)
{
	unsigned int type;

	for (unsigned int i = 0; i < NB_ALL_DEVICES; i++) {
		for (type = 0; type < SWHCA_NB_OBJ_TYPES; type++)
			fresh[i].hca->tables[type].next = fresh[i].next[type];
	}
	next_variant = 0;
	next_fd = 0;
}

void
uverbs_host_init(void)
{
	swhca_log_level = getenv("SWHCA_LOG") != NULL ? SWHCA_LOG_WARNING : SWHCA_LOG_NONE;
	memory_init();
	fds_init();
	swhca_uverbs_init(&(struct swhca_uverbs_host){ 0 });
	fuzz_clock_reset();
	conf = (struct swhca_conf){
		.nb_devices = UVERBS_NB_DEVICES, .link_layer = SWHCA_LINK_IB,
	};
	devices_init(0);
	conf.nb_devices = NB_ALL_DEVICES;
	conf.link_layer = SWHCA_LINK_ETH;
	devices_init(UVERBS_NB_DEVICES);
}

void
uverbs_host_begin(uint8_t kind)
{
	conf.link_layer = (kind & UVERBS_KIND_ETH) != 0 ? SWHCA_LINK_ETH : SWHCA_LINK_IB;
	conf.is_uar_static = (kind & UVERBS_KIND_STATIC_UAR) != 0;
	first_device = (kind & UVERBS_KIND_ETH) != 0 ? UVERBS_NB_DEVICES : 0;
	numbers_reset();
	nb_open_fds = open_fds_count();
	has_input = true;
}

static void
device_check(const struct swhca_udev *dev)
{
	struct swhca_hca_stats stats;

	swhca_hca_stats_get(dev->hca, &stats);
	FUZZ_NEED(stats.nb_objects ==
		  fresh[dev->index].nb_objects + (dev->umr != NULL ? NB_UMR_OBJECTS : 0));
	FUZZ_NEED(LIST_EMPTY(&dev->xrcds) && LIST_EMPTY(&dev->targets));
	FUZZ_NEED(dev->vars == 0 && dev->dm_pages == 0);
	FUZZ_NEED(LIST_EMPTY(&dev->events.files) && LIST_EMPTY(&dev->events.subs));
	for (unsigned int i = 0; i < SWHCA_UEVENT_NB_BUCKETS; i++)
		FUZZ_NEED(LIST_EMPTY(&dev->events.srcs[i]));
	for (unsigned int i = 0; i < SWHCA_MAX_URATES; i++)
		FUZZ_NEED(dev->rates[i].nb_users == 0);
}

void
uverbs_host_end(void)
{
	struct swhca_udev *dev;

	for (unsigned int i = UVERBS_FD_FIRST; i < UVERBS_FD_FIRST + UVERBS_NB_FDS; i++) {
		swhca_uverbs_close((int)i);
		close((int)i);
	}
	uverbs_host_run();
	for (unsigned int i = 0; i < UVERBS_NB_DEVICES; i++) {
		FUZZ_NEED(swhca_udev_get(uverbs_host_device(i), &dev) == 0);
		device_check(dev);
	}
	FUZZ_NEED(open_fds_count() == nb_open_fds);
	memory_reset();
	has_input = false;
}
