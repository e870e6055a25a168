/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Both ways to host memory: what they copy, and what they answer where nothing is mapped. */

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "budget.h"
#include "base/dma_direct.h"
#include "base/span.h"

#define NB_PAGES 8u

/* Pages 0..3 can be written, 4 and 5 only read, 6 and 7 not even that. */
static struct {
	uint8_t *base;
	size_t page;
} area;

static void
on_fault(int sig)
{
	swhca_dma_direct_recover();
	/* Not the copy's: what every test but one must not see. */
	signal(sig, SIG_DFL);
}

/* In the test itself: cmocka sets handlers of its own in front of each. */
static void
handlers_install(void)
{
	struct sigaction act = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };

	sigaction(SIGSEGV, &act, NULL);
	sigaction(SIGBUS, &act, NULL);
}

static int
area_setup(void **state)
{
	area.page = (size_t)sysconf(_SC_PAGESIZE);
	area.base = mmap(NULL, NB_PAGES * area.page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < 6 * area.page; i++)
		area.base[i] = (uint8_t)(i * 7 + i / 251);
	mprotect(area.base + 4 * area.page, 2 * area.page, PROT_READ);
	mprotect(area.base + 6 * area.page, 2 * area.page, PROT_NONE);
	if (swhca_dma_direct()->enter != NULL)
		swhca_dma_direct()->enter(swhca_dma_direct());
	return 0;
}

static int
area_teardown(void **state)
{
	munmap(area.base, NB_PAGES * area.page);
	return 0;
}

/* The last one without a copy of its own, and only asked for that. */
#define NB_WAYS 3u

static const struct swhca_dma *
way(unsigned int i)
{
	static struct swhca_dma plain;

	plain = *swhca_dma_process();
	plain.copy = NULL;
	return i == 0 ? swhca_dma_process() : i == 1 ? swhca_dma_direct() : &plain;
}

static uint64_t
bus(size_t page, size_t offset)
{
	return (uintptr_t)area.base + page * area.page + offset;
}

CASE(reads_and_writes_any_length)
{
	static const size_t lens[] = { 1, 2, 3, 7, 8, 9, 63, 64, 65, 100, 4096, 8191 };
	uint8_t copy[8192];

	for (unsigned int w = 0; w < 2; w++)
		for (size_t i = 0; i < NB_OF(lens); i++) {
			const struct swhca_dma *dma = way(w);

			memset(copy, 0xee, sizeof(copy));
			assert_int_equal(dma->read(dma, copy, bus(4, 1), lens[i]), 0);
			assert_memory_equal(copy, area.base + 4 * area.page + 1, lens[i]);
			assert_int_equal(copy[lens[i]], 0xee);
			assert_int_equal(dma->write(dma, bus(0, 3), copy, lens[i]), 0);
			assert_memory_equal(area.base + 3, copy, lens[i]);
			memset(area.base, 0, area.page);
			assert_int_equal(dma->write_last(dma, bus(0, 5), copy, lens[i]), 0);
			assert_memory_equal(area.base + 5, copy, lens[i]);
			assert_int_equal(area.base[4], 0);
		}
}

CASE(unmapped_memory_is_an_error)
{
	uint8_t bytes[256] = { 0 };

	handlers_install();
	for (unsigned int w = 0; w < 2; w++) {
		const struct swhca_dma *dma = way(w);

		assert_int_equal(dma->read(dma, bytes, bus(6, 0), 1), -EFAULT);
		assert_int_equal(dma->read(dma, bytes, bus(6, 0) - 100, 256), -EFAULT);
		/* Not an address at all on x86-64. */
		assert_int_equal(dma->read(dma, bytes, UINT64_C(0x8000000000000000), 8), -EFAULT);
		assert_int_equal(dma->write(dma, bus(4, 0), bytes, 8), -EFAULT);
		assert_int_equal(dma->write(dma, bus(4, 0) - 8, bytes, 256), -EFAULT);
		assert_int_equal(dma->write_last(dma, bus(4, 0) - 63, bytes, 64), -EFAULT);
		/* And goes on. */
		assert_int_equal(dma->read(dma, bytes, bus(0, 0), 256), 0);
	}
}

CASE(copy_blames_the_right_side)
{
	const struct swhca_span good_dst = { bus(0, 0), 200, SWHCA_WHERE_BUS };
	const struct swhca_span bad_dst = { bus(4, 0), 200, SWHCA_WHERE_BUS };
	const struct swhca_span good_src = { bus(2, 0), 200, SWHCA_WHERE_BUS };
	const struct swhca_span bad_src = { bus(6, 0) - 100, 200, SWHCA_WHERE_BUS };

	handlers_install();
	for (unsigned int w = 0; w < NB_WAYS; w++) {
		const struct swhca_dma *dma = way(w);

		assert_int_equal(swhca_dma_copy(dma, &good_dst, 1, &bad_src, 1), -EFAULT);
		assert_int_equal(swhca_dma_copy(dma, &bad_dst, 1, &good_src, 1), -EACCES);
		assert_int_equal(swhca_dma_copy(dma, &good_dst, 1, &good_src, 1), 0);
		assert_memory_equal(area.base, area.base + 2 * area.page, 200);
	}
}

/* Random cuts of the same bytes on both sides, against one memcpy(). */
CASE(lists_of_any_shape_copy_the_same_bytes)
{
	enum { TOTAL = 6000, MAX_SPANS = 1600 };
	struct swhca_span dst[MAX_SPANS], src[MAX_SPANS];
	const uint32_t nb_rounds = test_nb_cases();
	unsigned int seed = test_seed();

	for (unsigned int round = 0; round < nb_rounds; round++) {
		const struct swhca_dma *dma = way(round % NB_WAYS);
		size_t max = round % 5 == 0 ? 4 : 700;
		size_t nb[2] = { 0, 0 };

		for (unsigned int side = 0; side < 2; side++) {
			struct swhca_span *list = side == 0 ? dst : src;
			size_t done = 0;

			while (done < TOTAL && nb[side] < MAX_SPANS) {
				size_t len = 1 + (size_t)rand_r(&seed) % max;

				if (len > TOTAL - done || nb[side] == MAX_SPANS - 1)
					len = TOTAL - done;
				/* Of the model what is not on the bus, by turns. */
				list[nb[side]++] = (struct swhca_span){
					bus(side == 0 ? 0 : 4, done), len,
					rand_r(&seed) % 2 ? SWHCA_WHERE_BUS : SWHCA_WHERE_MODEL
				};
				done += len;
			}
		}
		memset(area.base, 0, TOTAL + 1);
		assert_int_equal(swhca_dma_copy(dma, dst, nb[0], src, nb[1]), 0);
		assert_memory_equal(area.base, area.base + 4 * area.page, TOTAL);
		assert_int_equal(area.base[TOTAL], 0);
	}
}

static void *
read_unmapped(void *arg)
{
	const struct swhca_dma *dma = swhca_dma_direct();
	sigset_t all;
	uint8_t byte;

	/* As a thread of the program may be: nothing here may raise a signal. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	return (void *)(intptr_t)dma->read(dma, &byte, bus(6, 0), 1);
}

CASE(other_threads_raise_no_signal)
{
	pthread_t thread;
	void *ret;

	/* Where the kernel does not copy, that of a copy is raised and taken back. */
	handlers_install();
	assert_int_equal(pthread_create(&thread, NULL, read_unmapped, NULL), 0);
	assert_int_equal(pthread_join(thread, &ret), 0);
	assert_int_equal((intptr_t)ret, -EFAULT);
}

/* What other calls leave on the stack. */
static __attribute__((noinline)) void
stack_dirty(void)
{
	volatile uint8_t bytes[4096];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = 0xff;
}

CASE(reads_and_writes_whatever_is_on_the_stack)
{
	const struct swhca_dma *dma = swhca_dma_process();
	uint8_t buf[64] = { 0 };

	stack_dirty();
	assert_int_equal(dma->read(dma, buf, (uintptr_t)area.base, sizeof(buf)), 0);
	assert_memory_equal(buf, area.base, sizeof(buf));
	stack_dirty();
	assert_int_equal(dma->write(dma, (uintptr_t)area.base, buf, sizeof(buf)), 0);
}

/* Of the pages here 4 and 5 may be read, 6 and 7 not even that. */
CASE(forced_access_asks_no_protection)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint64_t at = bus(6, 0) - 4;
	const struct swhca_span model = swhca_span_of(bytes, sizeof(bytes));
	struct swhca_span host = { .addr = at, .len = sizeof(bytes) };
	uint8_t got[sizeof(bytes)];

	handlers_install();
	for (unsigned int w = 0; w < NB_WAYS; w++) {
		const struct swhca_dma *dma = way(w);

		memset(got, 0, sizeof(got));
		host.addr = at;
		assert_int_equal(swhca_dma_copy(dma, &host, 1, &model, 1), -EACCES);
		host.addr = at | SWHCA_DMA_FORCED;
		assert_int_equal(swhca_dma_copy(dma, &host, 1, &model, 1), 0);
		assert_int_equal(dma->read(dma, got, at, sizeof(got)), -EFAULT);
		assert_int_equal(dma->read(dma, got, host.addr, sizeof(got)), 0);
		assert_memory_equal(got, bytes, sizeof(bytes));
		memset(got, 0, sizeof(got));
		assert_int_equal(dma->write(dma, host.addr, got, sizeof(got)), 0);
		assert_int_equal(dma->write_last(dma, host.addr, bytes, sizeof(bytes)), 0);
	}
	/* What is not mapped is not there. */
	munmap(area.base + 7 * area.page, area.page);
	host.addr = bus(7, 0) | SWHCA_DMA_FORCED;
	assert_int_equal(swhca_dma_copy(swhca_dma_process(), &host, 1, &model, 1), -EACCES);
	assert_int_equal(way(0)->read(way(0), got, host.addr, 1), -EFAULT);
}

CASE(a_fault_elsewhere_is_not_swallowed)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		handlers_install();
		*(volatile uint8_t *)(area.base + 6 * area.page) = 1;
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGSEGV : WEXITSTATUS(status) != 0);
}

CASE(touch_writes_what_is_there)
{
	const uint8_t before = area.base[7];

	handlers_install();
	assert_int_equal(swhca_dma_guarded_touch(bus(0, 7)), 0);
	assert_int_equal(area.base[7], before);
	assert_int_equal(swhca_dma_guarded_touch(bus(4, 0)), -EFAULT);
	assert_int_equal(swhca_dma_guarded_touch(bus(6, 0)), -EFAULT);
	assert_int_equal(swhca_dma_guarded_touch(UINT64_C(0x8000000000000000)), -EFAULT);
}

/* As containers do it; there is no way back. */
CASE(kernel_copy_is_denied_from_here)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { .len = 4, .filter = steps };

	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
	assert_int_equal(syscall(SYS_process_vm_readv, getpid(), NULL, 0, NULL, 0, 0), -1);
	assert_int_equal(errno, EPERM);
}

#define DENIED(f) CASE_ADD(true, denied_##f, "denied: " #f, f, NULL, NULL)
DENIED(reads_and_writes_any_length)
DENIED(unmapped_memory_is_an_error)
DENIED(copy_blames_the_right_side)
DENIED(lists_of_any_shape_copy_the_same_bytes)
DENIED(other_threads_raise_no_signal)
DENIED(a_fault_elsewhere_is_not_swallowed)

int
main(void)
{
	return cases_run(area_setup, area_teardown);
}
