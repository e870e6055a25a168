/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * On-demand paging, as a program sees it through the unmodified libibverbs: advice and its errors,
 * re-registration and its errors, the null region, and the counters of the device, which
 * swhca-ctl reads while the program runs.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "../check.h"

#define PAGE 4096u
#define NB_PAGES 16u

static const char *ctl;

/* A counter of the first device of this process. */
static unsigned long long
counter(const char *name)
{
	char cmd[512], line[4096];
	char *at;
	FILE *in;

	snprintf(cmd, sizeof(cmd), "env -u LD_PRELOAD %s stats %d", ctl, (int)getpid());
	in = popen(cmd, "r");
	CHECK(in != NULL && fgets(line, sizeof(line), in) != NULL);
	pclose(in);
	at = strstr(line, name);
	CHECK(at != NULL);
	return strtoull(at + strlen(name), NULL, 10);
}

static uint8_t *
pages_map(int prot)
{
	uint8_t *pages = mmap(NULL, NB_PAGES * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(pages != MAP_FAILED);
	return pages;
}

static int
mr_advise(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags, struct ibv_mr *mr,
	  const uint8_t *addr, uint32_t len)
{
	struct ibv_sge sge = { .addr = (uintptr_t)addr, .length = len, .lkey = mr->lkey };

	return ibv_advise_mr(pd, advice, flags, &sge, 1);
}

static void
test_advice(struct ibv_pd *pd, struct ibv_pd *other)
{
	const enum ibv_advise_mr_advice write = IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	uint8_t *pages = pages_map(PROT_READ | PROT_WRITE);
	struct ibv_mr *mr, *pinned, *ro;

	mr = ibv_reg_mr(pd, pages, NB_PAGES * PAGE, IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE);
	pinned = ibv_reg_mr(pd, pages, PAGE, IBV_ACCESS_LOCAL_WRITE);
	ro = ibv_reg_mr(pd, pages, PAGE, IBV_ACCESS_ON_DEMAND);
	CHECK(mr != NULL && pinned != NULL && ro != NULL);
	CHECK(mr_advise(pd, write, IBV_ADVISE_MR_FLAG_FLUSH, mr, pages, 4 * PAGE) == 0);
	CHECK(counter("page_prefetch ") == 4);
	CHECK(mr_advise(pd, write, IBV_ADVISE_MR_FLAG_FLUSH, mr, pages + PAGE, NB_PAGES * PAGE) ==
	      EFAULT);
	CHECK(mr_advise(pd, write, IBV_ADVISE_MR_FLAG_FLUSH, pinned, pages, PAGE) == ENOENT);
	CHECK(mr_advise(other, write, IBV_ADVISE_MR_FLAG_FLUSH, mr, pages, PAGE) == EPERM);
	CHECK(mr_advise(pd, write, IBV_ADVISE_MR_FLAG_FLUSH, ro, pages, PAGE) == EPERM);
	CHECK(mr_advise(pd, write, 2, mr, pages, PAGE) == EINVAL);
	CHECK(mr_advise(pd, 17, IBV_ADVISE_MR_FLAG_FLUSH, mr, pages, PAGE) == EOPNOTSUPP);
	/* Unmapped pages are taken from the device, and cannot be fetched again. */
	CHECK(munmap(pages + PAGE, PAGE) == 0);
	CHECK(counter("page_invalidations ") == 1);
	CHECK(madvise(pages, PAGE, MADV_DONTNEED) == 0);
	CHECK(counter("page_invalidations ") == 2);
	CHECK(mr_advise(pd, write, IBV_ADVISE_MR_FLAG_FLUSH, mr, pages, 2 * PAGE) == EFAULT);
	CHECK(mr_advise(pd, write, 0, mr, pages, 2 * PAGE) == 0);
	CHECK(ibv_dereg_mr(mr) == 0 && ibv_dereg_mr(pinned) == 0 && ibv_dereg_mr(ro) == 0);
	munmap(pages, PAGE);
	munmap(pages + 2 * PAGE, (NB_PAGES - 2) * PAGE);
}

static void
test_rereg(struct ibv_pd *pd, struct ibv_pd *other)
{
	uint8_t *pages = pages_map(PROT_READ | PROT_WRITE), *ro = pages_map(PROT_READ);
	struct ibv_mr *mr, *mr_ro;
	uint32_t lkey;

	mr = ibv_reg_mr(pd, pages, PAGE, IBV_ACCESS_LOCAL_WRITE);
	mr_ro = ibv_reg_mr(pd, ro, PAGE, IBV_ACCESS_REMOTE_READ);
	CHECK(mr != NULL && mr_ro != NULL);
	lkey = mr->lkey;
	/* All three at once keep the key. */
	CHECK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_PD |
				       IBV_REREG_MR_CHANGE_ACCESS,
			   other, pages + PAGE, 2 * PAGE,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ) == 0);
	CHECK(mr->lkey == lkey && mr->pd == other && mr->addr == pages + PAGE);
	/* Memory that is pinned to be read cannot become writable. */
	CHECK(ibv_rereg_mr(mr_ro, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			   IBV_ACCESS_LOCAL_WRITE) == IBV_REREG_MR_ERR_CMD && errno == EACCES);
	CHECK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			   IBV_ACCESS_REMOTE_WRITE) == IBV_REREG_MR_ERR_CMD && errno == EINVAL);
	CHECK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, ro, PAGE, 0) ==
		      IBV_REREG_MR_ERR_CMD && errno == EFAULT);
	CHECK(ibv_dealloc_pd(other) == EBUSY);
	CHECK(ibv_reg_mr(pd, ro, PAGE, IBV_ACCESS_LOCAL_WRITE) == NULL && errno == EFAULT);
	CHECK(ibv_dereg_mr(mr) == 0 && ibv_dereg_mr(mr_ro) == 0);
	munmap(pages, NB_PAGES * PAGE);
	munmap(ro, NB_PAGES * PAGE);
}

static void
test_null_and_implicit(struct ibv_pd *pd)
{
	struct ibv_mr *null = ibv_alloc_null_mr(pd);
	struct ibv_mr *all = ibv_reg_mr(pd, NULL, SIZE_MAX,
					IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE);

	CHECK(null != NULL && null->lkey != 0 && all != NULL);
	CHECK(counter("odp_children ") == 0);
	CHECK(mr_advise(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, IBV_ADVISE_MR_FLAG_FLUSH, all,
		     (const uint8_t *)&ctl, sizeof(ctl)) == 0);
	CHECK(counter("odp_children ") == 1);
	CHECK(ibv_dereg_mr(all) == 0 && ibv_dereg_mr(null) == 0);
}

/* There is no exporter to get a DMA buffer of: what is none is rejected as Linux does. */
static void
test_dmabuf(struct ibv_pd *pd)
{
	int fd = memfd_create("no-dmabuf", 0);

	CHECK(fd >= 0 && ftruncate(fd, 4 * PAGE) == 0);
	CHECK(ibv_reg_dmabuf_mr(pd, 0, PAGE, 0, fd, IBV_ACCESS_LOCAL_WRITE) == NULL &&
	      errno == EINVAL);
	CHECK(ibv_reg_dmabuf_mr(pd, 0, PAGE, 0, 9999, IBV_ACCESS_LOCAL_WRITE) == NULL &&
	      errno == EBADF);
	CHECK(ibv_reg_dmabuf_mr(pd, 0, 0, 0, -1, IBV_ACCESS_LOCAL_WRITE) == NULL &&
	      errno == EBADF);
	CHECK(ibv_reg_dmabuf_mr(pd, 0, PAGE, 0, 9999, IBV_ACCESS_MW_BIND) == NULL &&
	      errno == EINVAL);
	CHECK(ibv_reg_dmabuf_mr(pd, 1, PAGE, 0, 9999, IBV_ACCESS_LOCAL_WRITE) == NULL &&
	      errno == EINVAL);
	close(fd);
}

int
main(int argc, char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_device_attr_ex attr;
	struct ibv_context *ctx;
	struct ibv_pd *pd, *other;

	CHECK(argc == 2 && list != NULL && list[0] != NULL);
	ctl = argv[1];
	ctx = ibv_open_device(list[0]);
	CHECK(ctx != NULL && ibv_query_device_ex(ctx, NULL, &attr) == 0);
	CHECK(attr.odp_caps.general_caps == (IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT));
	CHECK(attr.orig_attr.max_mw > 0 && attr.max_dm_size == 256 << 10);
	pd = ibv_alloc_pd(ctx);
	other = ibv_alloc_pd(ctx);
	CHECK(pd != NULL && other != NULL);
	test_advice(pd, other);
	test_rereg(pd, other);
	test_null_and_implicit(pd);
	test_dmabuf(pd);
	CHECK(ibv_dealloc_pd(pd) == 0 && ibv_dealloc_pd(other) == 0 && ibv_close_device(ctx) == 0);
	ibv_free_device_list(list);
	puts("regions: good");
	return 0;
}
