/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* SPDK's environment for its lib/mlx5, by functions of DPDK as in SPDK's env_dpdk. */

#include <stdarg.h>
#include <stdio.h>

#include <rte_lcore.h>
#include <rte_mempool.h>

#include <spdk/env.h>
#include <spdk/log.h>
#include <spdk/util.h>

#include "tool/tool.h"

struct spdk_mempool *
spdk_mempool_create_ctor(const char *name, size_t count, size_t ele_size, size_t cache_size,
			 int numa_id, spdk_mempool_obj_cb_t *obj_init, void *obj_init_arg)
{
	unsigned int cache = RTE_MIN((unsigned int)cache_size, RTE_MEMPOOL_CACHE_MAX_SIZE);

	cache = RTE_MIN(cache, (unsigned int)count * 2 / 3);
	return (struct spdk_mempool *)rte_mempool_create(name, (unsigned int)count,
							 (unsigned int)ele_size, cache, 0, NULL,
							 NULL, (rte_mempool_obj_cb_t *)obj_init,
							 obj_init_arg, numa_id, 0);
}

void
spdk_mempool_free(struct spdk_mempool *mp)
{
	rte_mempool_free((struct rte_mempool *)mp);
}

int
spdk_mempool_get_bulk(struct spdk_mempool *mp, void **elements, size_t count)
{
	return rte_mempool_get_bulk((struct rte_mempool *)mp, elements, (unsigned int)count);
}

void
spdk_mempool_put_bulk(struct spdk_mempool *mp, void **elements, size_t count)
{
	rte_mempool_put_bulk((struct rte_mempool *)mp, elements, (unsigned int)count);
}

uint32_t
spdk_env_get_core_count(void)
{
	return rte_lcore_count();
}

uint32_t
spdk_u32log2(uint32_t x)
{
	return x == 0 ? 0 : 31 - (uint32_t)__builtin_clz(x);
}

/* Its debug messages are not compiled. */
void
spdk_log_register_flag(const char *name, struct spdk_log_flag *flag)
{
	(void)name;
	(void)flag;
}

void
spdk_log(enum spdk_log_level level, const char *file, int line, const char *function,
	 const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (level <= SPDK_LOG_WARN)
		tool_error("bench: spdk: %s:%d %s(): %s", file, line, function, text);
}
