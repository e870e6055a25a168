/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Describe synchronization of DPDK's EAL to ThreadSanitizer, because EAL is not built with it. A
 * thread that waits for a function of another thread sees everything that the function did; the
 * same applies to reused memory and lcore numbers. EAL uses spin locks and atomics that
 * ThreadSanitizer does not see. A program defines these functions in place of those of EAL, also
 * for libraries, and adds visible atomics.
 */

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <rte_alarm.h>
#include <rte_interrupts.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#define NB_CALLBACKS 4096u

/* The original definition. */
#define REAL(name) ((__typeof__(&name))real_find(#name))

static void *
real_find(const char *name)
{
	void *sym = dlsym(RTLD_NEXT, name);

	if (sym == NULL)
		abort();
	return sym;
}

/* Order two threads: each publishes its actions and sees those of the other. */
static void
hand_over(atomic_uint *order)
{
	atomic_fetch_add_explicit(order, 1, memory_order_acq_rel);
}

/* A function that runs on a worker. */
static struct launch {
	lcore_function_t *function;
	void *arg;
	atomic_uint order;
} launches[RTE_MAX_LCORE];

static int
launch_run(void *arg)
{
	struct launch *launch = arg;
	int ret;

	hand_over(&launch->order);
	ret = launch->function(launch->arg);
	hand_over(&launch->order);
	return ret;
}

int
rte_eal_remote_launch(lcore_function_t *function, void *arg, unsigned int lcore)
{
	launches[lcore].function = function;
	launches[lcore].arg = arg;
	hand_over(&launches[lcore].order);
	return REAL(rte_eal_remote_launch)(launch_run, &launches[lcore], lcore);
}

int
rte_eal_wait_lcore(unsigned int lcore)
{
	int ret = REAL(rte_eal_wait_lcore)(lcore);

	hand_over(&launches[lcore].order);
	return ret;
}

/*
 * Memory freed by one thread and allocated by another: the lock of EAL's heap orders them. The
 * origin of a block is unknown here, so each allocation is ordered after all previous frees.
 */
static atomic_uint heap_order;

void
rte_free(void *ptr)
{
	atomic_fetch_add_explicit(&heap_order, 1, memory_order_release);
	REAL(rte_free)(ptr);
}

void *
rte_malloc_socket(const char *type, size_t size, unsigned int align, int socket)
{
	void *ptr = REAL(rte_malloc_socket)(type, size, align, socket);

	atomic_fetch_add_explicit(&heap_order, 0, memory_order_acquire);
	return ptr;
}

void *
rte_zmalloc_socket(const char *type, size_t size, unsigned int align, int socket)
{
	void *ptr = REAL(rte_zmalloc_socket)(type, size, align, socket);

	atomic_fetch_add_explicit(&heap_order, 0, memory_order_acquire);
	return ptr;
}

void *
rte_malloc(const char *type, size_t size, unsigned int align)
{
	return rte_malloc_socket(type, size, align, SOCKET_ID_ANY);
}

void *
rte_zmalloc(const char *type, size_t size, unsigned int align)
{
	return rte_zmalloc_socket(type, size, align, SOCKET_ID_ANY);
}

/* An lcore number released by one thread and taken by another, with its caches. */
static atomic_uint lcore_order;

int
rte_thread_register(void)
{
	int ret = REAL(rte_thread_register)();

	atomic_fetch_add_explicit(&lcore_order, 0, memory_order_acquire);
	return ret;
}

void
rte_thread_unregister(void)
{
	atomic_fetch_add_explicit(&lcore_order, 1, memory_order_release);
	REAL(rte_thread_unregister)();
}

/* A callback of an alarm or an interrupt; exists until the process exits. */
static struct callback {
	atomic_uintptr_t function;
	void *arg;
	atomic_uint order;
} callbacks[NB_CALLBACKS];

static struct callback *
callback_find(void (*function)(void *arg), void *arg)
{
	uintptr_t none;
	unsigned int i;

	for (i = 0; i < NB_CALLBACKS; i++) {
		none = 0;
		if (atomic_load(&callbacks[i].function) == (uintptr_t)function &&
		    callbacks[i].arg == arg)
			return &callbacks[i];
		if (atomic_load(&callbacks[i].function) != 0 ||
		    !atomic_compare_exchange_strong(&callbacks[i].function, &none,
						    (uintptr_t)callback_find))
			continue;
		callbacks[i].arg = arg;
		atomic_store(&callbacks[i].function, (uintptr_t)function);
		return &callbacks[i];
	}
	abort();
}

static void
callback_run(void *arg)
{
	struct callback *callback = arg;

	hand_over(&callback->order);
	((void (*)(void *))atomic_load(&callback->function))(callback->arg);
	hand_over(&callback->order);
}

int
rte_eal_alarm_set(uint64_t us, rte_eal_alarm_callback function, void *arg)
{
	struct callback *callback = callback_find(function, arg);

	hand_over(&callback->order);
	return REAL(rte_eal_alarm_set)(us, callback_run, callback);
}

int
rte_eal_alarm_cancel(rte_eal_alarm_callback function, void *arg)
{
	struct callback *callback = callback_find(function, arg);
	int ret = REAL(rte_eal_alarm_cancel)(callback_run, callback);

	hand_over(&callback->order);
	return ret;
}

int
rte_intr_callback_register(const struct rte_intr_handle *intr, rte_intr_callback_fn function,
			   void *arg)
{
	struct callback *callback = callback_find(function, arg);

	hand_over(&callback->order);
	return REAL(rte_intr_callback_register)(intr, callback_run, callback);
}

int
rte_intr_callback_unregister_sync(const struct rte_intr_handle *intr, rte_intr_callback_fn function,
				  void *arg)
{
	struct callback *callback = callback_find(function, arg);
	int ret = REAL(rte_intr_callback_unregister_sync)(intr, callback_run, callback);

	hand_over(&callback->order);
	return ret;
}

int
rte_intr_callback_unregister_pending(const struct rte_intr_handle *intr,
				     rte_intr_callback_fn function, void *arg,
				     rte_intr_unregister_callback_fn unregistered)
{
	return REAL(rte_intr_callback_unregister_pending)(
		intr, callback_run, callback_find(function, arg), unregistered);
}
