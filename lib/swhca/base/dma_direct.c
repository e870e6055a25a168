/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>

#include "base/dma_direct.h"
#include "base/span.h"

#if !defined(__has_feature)
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define HAS_ASAN 1
#else
#define HAS_ASAN 0
#endif

/*
 * Functions that copy host memory: a device does so while the program stores to the same place.
 * Doorbells, records and owner bits order the two, which ThreadSanitizer does not know. These
 * accesses are hidden from it and from AddressSanitizer; accesses by the program are still checked.
 */
#define HOST_MEMORY __attribute__((no_sanitize("thread", "address")))

/* Up to this size a loop is faster than the set-up of a string instruction. */
#define SMALL_BYTES 64u

/* State for the signal handler; initial-exec, because it may not allocate. */
static __thread struct {
	volatile sig_atomic_t is_armed;
	bool is_engine;
	bool has_begun;
	sigjmp_buf env;
} guard __attribute__((tls_model("initial-exec")));

static void
faults_set(sigset_t *faults)
{
	sigemptyset(faults);
	sigaddset(faults, SIGSEGV);
	sigaddset(faults, SIGBUS);
}

void
swhca_dma_direct_recover(void)
{
	sigset_t faults;

	if (!guard.is_armed)
		return;
	guard.is_armed = 0;
	/* Handlers of a sanitizer run with all signals blocked, whatever the program requests. */
	faults_set(&faults);
	pthread_sigmask(SIG_UNBLOCK, &faults, NULL);
	siglongjmp(guard.env, 1);
}

int
swhca_dma_direct_is_engine(void)
{
	return guard.is_engine;
}

/* Not memcpy(), which a sanitizer of the program replaces. */
static inline HOST_MEMORY void
copy_bytes(uint8_t *dst, const uint8_t *src, size_t len)
{
	uint64_t word;

#if defined(__x86_64__)
	if (len > SMALL_BYTES) {
		__asm__ volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(len) : : "memory");
		return;
	}
#endif
	for (; len >= sizeof(word); len -= sizeof(word)) {
		__builtin_memcpy(&word, src, sizeof(word));
		__builtin_memcpy(dst, &word, sizeof(word));
		dst += sizeof(word);
		src += sizeof(word);
	}
	for (; len > 0; len--)
		*dst++ = *src++;
}

/* A copy of len bytes, or between two lists. */
struct job {
	uint8_t *dst;
	const uint8_t *src;
	size_t len;
	const struct swhca_span *dst_list;
	const struct swhca_span *src_list;
	size_t nb_dst;
	size_t nb_src;
};

static HOST_MEMORY void
job_bytes(const struct job *job)
{
	copy_bytes(job->dst, job->src, job->len);
}

/* The last byte becomes visible after the others. */
static HOST_MEMORY void
job_bytes_last(const struct job *job)
{
	size_t len = job->len - 1;

	copy_bytes(job->dst, job->src, len);
	__atomic_store_n(job->dst + len, job->src[len], __ATOMIC_RELEASE);
}

/* Model memory is also memory of this process. */
static HOST_MEMORY void
job_lists(const struct job *job)
{
	const struct swhca_span *dst = job->dst_list, *src = job->src_list;
	const struct swhca_span *dst_end = dst + job->nb_dst, *src_end = src + job->nb_src;
	size_t dst_done = 0, src_done = 0, dst_left, src_left, len;

	while (dst < dst_end && src < src_end) {
		dst_left = dst->len - dst_done;
		src_left = src->len - src_done;
		len = dst_left < src_left ? dst_left : src_left;
		copy_bytes(swhca_span_ptr(dst) + dst_done, swhca_span_ptr(src) + src_done, len);
		dst_done += len;
		src_done += len;
		if (len == dst_left) {
			dst++;
			dst_done = 0;
		}
		if (len == src_left) {
			src++;
			src_done = 0;
		}
	}
}

/* Rewrites the byte atomically, in case of concurrent writes. */
static HOST_MEMORY void
job_touch(const struct job *job)
{
	__atomic_fetch_or(job->dst, 0, __ATOMIC_RELAXED);
}

/*
 * No variable here is kept in a register across the jump.
 *
 * @return
 *   false after a fault: part of the bytes may have been copied.
 */
static __attribute__((noinline)) bool
run_job(void (*run)(const struct job *job), const struct job *job)
{
	if (sigsetjmp(guard.env, 0) != 0)
		return false;
	guard.is_armed = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	run(job);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	guard.is_armed = 0;
	return true;
}

/* @return false if this thread must not copy directly, or after a fault. */
static bool
try_job(void (*run)(const struct job *job), const struct job *job)
{
	return (guard.is_engine || guard.has_begun) && run_job(run, job);
}

/* No handler of the program may interrupt a copy, and faults must be delivered. */
static void
but_faults_block(sigset_t *old)
{
	sigset_t but_faults;

	sigfillset(&but_faults);
	sigdelset(&but_faults, SIGSEGV);
	sigdelset(&but_faults, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &but_faults, old);
}

void
swhca_dma_direct_begin(sigset_t *old)
{
	but_faults_block(old);
	guard.has_begun = true;
}

void
swhca_dma_direct_end(const sigset_t *old)
{
	guard.has_begun = false;
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

/* In any thread. */
static int
guarded_job(void (*run)(const struct job *job), const struct job *job)
{
	sigset_t old;
	bool is_done;

	but_faults_block(&old);
	is_done = run_job(run, job);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return is_done ? 0 : -EFAULT;
}

static void *
bus_to_va(uint64_t addr)
{
	return (void *)(uintptr_t)addr;
}

int
swhca_dma_guarded_bytes(void *dst, const void *src, size_t len)
{
	const struct job job = { .dst = dst, .src = src, .len = len };

	return guarded_job(job_bytes, &job);
}

int
swhca_dma_guarded_lists(const struct swhca_span *dst, size_t nb_dst, const struct swhca_span *src,
			size_t nb_src)
{
	const struct job job = {
		.dst_list = dst,
		.src_list = src,
		.nb_dst = nb_dst,
		.nb_src = nb_src,
	};

	return guarded_job(job_lists, &job);
}

int
swhca_dma_guarded_touch(uint64_t addr)
{
	const struct job job = { .dst = bus_to_va(addr) };

	return guarded_job(job_touch, &job);
}

static int
direct_read(const struct swhca_dma *dma, void *dst, uint64_t addr, size_t len)
{
	const struct job job = { .dst = dst, .src = bus_to_va(addr), .len = len };

	(void)dma;
	if (try_job(job_bytes, &job))
		return 0;
	return swhca_dma_process()->read(swhca_dma_process(), dst, addr, len);
}

static int
direct_write(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	const struct job job = { .dst = bus_to_va(addr), .src = src, .len = len };

	(void)dma;
	if (try_job(job_bytes, &job))
		return 0;
	return swhca_dma_process()->write(swhca_dma_process(), addr, src, len);
}

static int
direct_write_last(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	const struct job job = { .dst = bus_to_va(addr), .src = src, .len = len };

	(void)dma;
	if (try_job(job_bytes_last, &job))
		return 0;
	return swhca_dma_process()->write_last(swhca_dma_process(), addr, src, len);
}

static int
direct_copy(const struct swhca_dma *dma, const struct swhca_span *dst, size_t nb_dst,
	    const struct swhca_span *src, size_t nb_src)
{
	const struct job job = {
		.dst_list = dst,
		.src_list = src,
		.nb_dst = nb_dst,
		.nb_src = nb_src,
	};

	(void)dma;
	if (try_job(job_lists, &job))
		return 0;
	return swhca_dma_process()->copy(swhca_dma_process(), dst, nb_dst, src, nb_src);
}

/* A blocked signal of a fault would end the process. */
static void
direct_enter(const struct swhca_dma *dma)
{
	sigset_t faults;

	(void)dma;
	faults_set(&faults);
	pthread_sigmask(SIG_UNBLOCK, &faults, NULL);
	guard.is_engine = true;
}

static const struct swhca_dma dma_direct = {
	.enter = direct_enter,
	.read = direct_read,
	.write = direct_write,
	.write_last = direct_write_last,
	.copy = direct_copy,
};

const struct swhca_dma *
swhca_dma_direct(void)
{
	return HAS_ASAN ? swhca_dma_process() : &dma_direct;
}
