/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What ThreadSanitizer has to know of DPDK's lcores. A worker launches its function by a pipe,
 * which is seen, and says that it is done by an atomic inside of EAL, which is not built with the
 * sanitizer: rte_eal_wait_lcore() waits for it (rte_launch.h), and here for one that is seen, too.
 * For executables that are linked with --wrap.
 */

#include <stdatomic.h>

#include <rte_launch.h>
#include <rte_lcore.h>

/* Of the linker. */
int __real_rte_eal_remote_launch(lcore_function_t *function, void *arg, unsigned int lcore);
int __real_rte_eal_wait_lcore(unsigned int lcore);
int __wrap_rte_eal_remote_launch(lcore_function_t *function, void *arg, unsigned int lcore);
int __wrap_rte_eal_wait_lcore(unsigned int lcore);

static struct launch {
	lcore_function_t *function;
	void *arg;
	atomic_uint nb_done;
} launches[RTE_MAX_LCORE];

static int
launch_run(void *arg)
{
	struct launch *launch = arg;
	int ret = launch->function(launch->arg);

	atomic_fetch_add_explicit(&launch->nb_done, 1, memory_order_release);
	return ret;
}

int
__wrap_rte_eal_remote_launch(lcore_function_t *function, void *arg, unsigned int lcore)
{
	launches[lcore].function = function;
	launches[lcore].arg = arg;
	return __real_rte_eal_remote_launch(launch_run, &launches[lcore], lcore);
}

int
__wrap_rte_eal_wait_lcore(unsigned int lcore)
{
	int ret = __real_rte_eal_wait_lcore(lcore);

	atomic_load_explicit(&launches[lcore].nb_done, memory_order_acquire);
	return ret;
}
