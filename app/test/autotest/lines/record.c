/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "record.h"

#define PAGE		4096u
#define STACK_SIZE	(UINT64_C(256) << 10)
/* Pages that one instruction accesses. */
#define MAX_OPEN	8u

#if !defined(__has_feature)
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

#if defined(__x86_64__) && !IS_SANITIZED

#define TRAP_FLAG	0x100
#define FAULT_WRITE	0x2

/* State of the recorded thread, on its own stack, which is not recorded. */
static __thread struct {
	struct at_record *record;
	struct at_lines *lines;
	uint8_t call;
	uint32_t nb_open;
	uintptr_t open[MAX_OPEN];
} this;

bool
at_record_is_supported(void)
{
	return true;
}

/*
 * The handlers call nothing: the addresses of functions of other libraries are in protected memory,
 * and so is errno.
 */
static inline long
protect(uintptr_t addr, size_t len, long prot)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"((long)SYS_mprotect), "D"(addr), "S"(len),
			 "d"(prot) : "rcx", "r11", "memory");
	return ret;
}

static bool
is_recorded(uintptr_t addr)
{
	const struct at_record *record = this.record;

	for (uint32_t i = 0; record != NULL && i < record->nb_regions; i++)
		if (addr >= record->regions[i].start && addr < record->regions[i].end)
			return true;
	return false;
}

static void
line_note(uintptr_t addr, bool is_written)
{
	struct at_lines *lines = this.lines;
	struct at_line *line;

	addr &= ~(uintptr_t)(RTE_CACHE_LINE_SIZE - 1);
	for (uint32_t i = 0; i < lines->nb; i++) {
		line = &lines->list[i];
		if (line->addr == addr && line->is_written == is_written)
			return;
	}
	if (lines->nb == AT_MAX_LINES)
		__builtin_trap();
	line = &lines->list[lines->nb++];
	line->addr = addr;
	line->call = this.call;
	line->is_written = is_written;
}

/* Open the page for the instruction, and note the access. */
static void
on_fault(int sig, siginfo_t *info, void *context)
{
	const uintptr_t addr = (uintptr_t)info->si_addr, page = addr & ~(uintptr_t)(PAGE - 1);
	ucontext_t *uc = context;
	const bool is_written = (uc->uc_mcontext.gregs[REG_ERR] & FAULT_WRITE) != 0;

	/* Another fault is one of the program. */
	if (sig != SIGSEGV || !is_recorded(addr) || this.nb_open == MAX_OPEN)
		__builtin_trap();
	line_note(addr, is_written);
	this.open[this.nb_open++] = page;
	protect(page, PAGE, is_written ? PROT_READ | PROT_WRITE : PROT_READ);
	uc->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

/* The instruction has been executed. */
static void
on_step(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	RTE_SET_USED(sig);
	RTE_SET_USED(info);
	while (this.nb_open > 0)
		protect(this.open[--this.nb_open], PAGE, PROT_NONE);
	uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

static void
regions_protect(const struct at_record *record, long prot)
{
	for (uint32_t i = 0; i < record->nb_regions; i++)
		protect(record->regions[i].start, record->regions[i].end - record->regions[i].start,
			prot);
}

/* The handlers of the C library: the software HCA shares these signals otherwise. */
static int
handlers_set(void)
{
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	int (*set)(int sig, const struct sigaction *act, struct sigaction *old);
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

	if (libc == NULL)
		return -ENOENT;
	*(void **)&set = dlsym(libc, "sigaction");
	if (set == NULL || set(SIGSEGV, &act, NULL) != 0)
		return -ENOENT;
	act.sa_sigaction = on_step;
	return set(SIGTRAP, &act, NULL) != 0 ? -errno : 0;
}

/* Replace shared memory by a private copy, with pages of the usual size. */
static int
make_private(uintptr_t start, size_t len)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	void *copy = mmap(NULL, len, PROT_READ | PROT_WRITE, flags, -1, 0);
	int ret = 0;

	if (copy == MAP_FAILED)
		return -ENOMEM;
	memcpy(copy, (void *)start, len);
	if (mmap((void *)start, len, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1,
		 0) == MAP_FAILED)
		ret = -errno;
	else
		memcpy((void *)start, copy, len);
	munmap(copy, len);
	return ret;
}

/* Memory of the dynamic linker and of the C library: state of signals and threads. */
static bool
is_of_libc(const char *path)
{
	return strstr(path, "/ld-linux") != NULL || strstr(path, "/libc.so") != NULL;
}

/* A mapping of the process; maps may change meanwhile, so all of them are read first. */
struct map {
	uintptr_t start;
	uintptr_t end;
	char perms[5];
	bool is_own;	/* of libc, or of the recorder */
	bool is_huge;
};

static uint32_t
maps_read(const struct at_record *record, struct map *maps)
{
	const uintptr_t own = (uintptr_t)record;
	char line[512], path[256];
	uint32_t nb = 0;
	FILE *f = fopen("/proc/self/maps", "re");

	while (f != NULL && nb < AT_MAX_REGIONS && fgets(line, sizeof(line), f) != NULL) {
		struct map *map = &maps[nb];

		path[0] = '\0';
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %*s %255s", &map->start,
			   &map->end, map->perms, path) < 3)
			continue;
		map->is_own = is_of_libc(path) || (own >= map->start && own < map->end);
		map->is_huge = strstr(path, "huge") != NULL;
		nb++;
	}
	if (f != NULL)
		fclose(f);
	return nb;
}

/* Find what to protect. @return 0 or a negative errno. */
static int
regions_find(struct at_record *record, uintptr_t stack)
{
	static struct map maps[AT_MAX_REGIONS];
	const uint32_t nb = maps_read(record, maps);
	int ret;

	if (nb == 0 || nb == AT_MAX_REGIONS)
		return -E2BIG;
	record->nb_regions = 0;
	for (uint32_t i = 0; i < nb; i++) {
		const struct map *map = &maps[i];
		const bool is_shared = map->perms[3] == 's' || map->is_huge;

		if (map->is_own || map->perms[0] != 'r' || (!is_shared && map->perms[1] != 'w'))
			continue;
		ret = is_shared ? make_private(map->start, map->end - map->start) : 0;
		if (ret != 0)
			return ret;
		/* Mappings may have been joined with the stack. */
		if (stack >= map->start && stack < map->end) {
			if (stack > map->start)
				record->regions[record->nb_regions++] =
					(struct at_region){ map->start, stack };
			if (stack + STACK_SIZE < map->end)
				record->regions[record->nb_regions++] =
					(struct at_region){ stack + STACK_SIZE, map->end };
			continue;
		}
		record->regions[record->nb_regions++] = (struct at_region){ map->start, map->end };
	}
	return 0;
}

/* Arguments of the recorded thread. */
struct recorded {
	struct at_record *record;
	struct at_lines *lines;
	unsigned int nb_calls;
	void (*run)(void *arg, unsigned int call);
	void *arg;
};

static void *
recorded_main(void *opaque)
{
	const struct recorded recorded = *(const struct recorded *)opaque;
	struct at_record *record = recorded.record;

	this.record = record;
	this.lines = recorded.lines;
	while (__atomic_load_n(&record->is_waiting, __ATOMIC_ACQUIRE) == 0)
		;
	for (unsigned int i = 0; i < recorded.nb_calls; i++) {
		this.call = (uint8_t)i;
		regions_protect(record, PROT_NONE);
		recorded.run(recorded.arg, i);
		regions_protect(record, PROT_READ | PROT_WRITE);
	}
	__atomic_store_n(&record->is_over, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &record->is_over, FUTEX_WAKE, 1, NULL, NULL, 0);
	return NULL;
}

/* Wait for the recorded thread, without an access to other memory: the stack is protected, too. */
static void
over_wait(struct at_record *record)
{
	register long no_timeout __asm__("r10") = 0;

	__asm__ volatile("movl $1, %[is_waiting]\n"
			 "1:\tmovl %[call], %%eax\n\t"
			 "syscall\n\t"
			 "cmpl $0, %[is_over]\n\t"
			 "je 1b"
			 : [is_waiting] "+m"(record->is_waiting), [is_over] "+m"(record->is_over)
			 : [call] "i"(SYS_futex), "D"(&record->is_over), "S"((long)FUTEX_WAIT),
			   "d"(0L), "r"(no_timeout)
			 : "rax", "rcx", "r11", "cc", "memory");
}

int
at_record_run(struct at_record *record, struct at_lines *lines, unsigned int nb_calls,
	      void (*run)(void *arg, unsigned int call), void *arg)
{
	struct recorded recorded = { record, lines, nb_calls, run, arg };
	void *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	pthread_attr_t attr;
	pthread_t thread;
	int ret;

	if (stack == MAP_FAILED)
		return -ENOMEM;
	ret = handlers_set();
	if (ret == 0)
		ret = regions_find(record, (uintptr_t)stack);
	if (ret != 0)
		return ret;
	pthread_attr_init(&attr);
	ret = -pthread_attr_setstack(&attr, stack, STACK_SIZE);
	record->is_waiting = 0;
	record->is_over = 0;
	if (ret == 0)
		ret = -pthread_create(&thread, &attr, recorded_main, &recorded);
	if (ret == 0) {
		over_wait(record);
		ret = -pthread_join(thread, NULL);
	}
	pthread_attr_destroy(&attr);
	return ret;
}

#else

bool
at_record_is_supported(void)
{
	return false;
}

int
at_record_run(struct at_record *record, struct at_lines *lines, unsigned int nb_calls,
	      void (*run)(void *arg, unsigned int call), void *arg)
{
	RTE_SET_USED(record);
	RTE_SET_USED(lines);
	RTE_SET_USED(nb_calls);
	RTE_SET_USED(run);
	RTE_SET_USED(arg);
	return -ENOTSUP;
}

#endif

struct at_record *
at_record_alloc(void)
{
	void *memory = mmap(NULL, sizeof(struct at_record), PROT_READ | PROT_WRITE, MAP_SHARED |
			    MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void
at_record_free(struct at_record *record)
{
	if (record != NULL)
		munmap(record, sizeof(*record));
}

const struct at_line *
at_lines_shared(const struct at_lines *writer, const struct at_lines *other, uintptr_t but,
		const struct at_line **met)
{
	but &= ~(uintptr_t)(RTE_CACHE_LINE_SIZE - 1);
	for (uint32_t i = 0; i < writer->nb; i++) {
		if (!writer->list[i].is_written || writer->list[i].addr == but)
			continue;
		for (uint32_t j = 0; j < other->nb; j++) {
			if (other->list[j].addr != writer->list[i].addr)
				continue;
			*met = &other->list[j];
			return &writer->list[i];
		}
	}
	return NULL;
}
