/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Registering memory reads /proc/PID/smaps only below a kernel that needs it kept out of children:
 * libibverbs looks there for the size of pages (libibverbs/memory.c). A program protects its memory
 * as DPDK's mlx5 drivers do when they are loaded; reads are counted, not timed.
 */

/* Two symbols; with 64-bit offsets by default they would be one. */
#undef _FILE_OFFSET_BITS

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "../check.h"

#define NB_REGIONS 100
#define PAGE 4096

static unsigned int nb_smaps;

static FILE *
count_and_open(const char *name, const char *path, const char *mode)
{
	FILE *(*real)(const char *, const char *) =
		(FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, name);

	nb_smaps += strstr(path, "/smaps") != NULL;
	return real(path, mode);
}

/* libibverbs opens the file by one of these, and finds ours. */
FILE *
fopen(const char *restrict path, const char *restrict mode)
{
	return count_and_open("fopen", path, mode);
}

FILE *
fopen64(const char *restrict path, const char *restrict mode)
{
	return count_and_open("fopen64", path, mode);
}

int
main(int argc, char **argv)
{
	const bool is_old = argc > 1 && strcmp(argv[1], "old") == 0;
	struct ibv_mr *mrs[NB_REGIONS];
	struct ibv_device **list;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	uint8_t *buf;
	int i;

	setenv("RDMAV_HUGEPAGES_SAFE", "1", 1);
	if (ibv_is_fork_initialized() != IBV_FORK_UNNEEDED)
		CHECK(ibv_fork_init() == 0);
	list = ibv_get_device_list(NULL);
	CHECK(list != NULL && list[0] != NULL);
	ctx = ibv_open_device(list[0]);
	CHECK(ctx != NULL);
	ibv_free_device_list(list);
	pd = ibv_alloc_pd(ctx);
	buf = aligned_alloc(PAGE, NB_REGIONS * PAGE);
	CHECK(pd != NULL && buf != NULL);
	nb_smaps = 0;
	for (i = 0; i < NB_REGIONS; i++) {
		mrs[i] = ibv_reg_mr(pd, buf + (size_t)i * PAGE, PAGE, IBV_ACCESS_LOCAL_WRITE);
		CHECK(mrs[i] != NULL);
	}
	for (i = 0; i < NB_REGIONS; i++)
		CHECK(ibv_dereg_mr(mrs[i]) == 0);
	printf("%u reads of smaps for %d regions\n", nb_smaps, NB_REGIONS);
	CHECK(is_old ? nb_smaps >= 2 * NB_REGIONS : nb_smaps == 0);
	free(buf);
	CHECK(ibv_dealloc_pd(pd) == 0);
	CHECK(ibv_close_device(ctx) == 0);
	return 0;
}
