/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Numbers that no device takes, and memory beyond the limit of locked memory, by plain libibverbs:
 * they are rejected as Linux rejects them, and the program goes on.
 */

#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "../world.h"

#define GIB  (UINT64_C(1) << 30)
#define TIB  (UINT64_C(1) << 40)

static int
setup(void **state)
{
	static struct end end;

	end_open(&end, devx_open(), PAGE);
	*state = &end;
	return 0;
}

static int
teardown(void **state)
{
	end_close(*state);
	return 0;
}

/* Address space that costs nothing, or NULL: not on this machine. */
static void *
space_get(uint64_t len)
{
	void *va = mmap(NULL, len, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return va == MAP_FAILED ? NULL : va;
}

/* Nothing has to be there: ib_umem_odp_get() counts the pages, and its list has no more bytes
 * than an int counts (kvmalloc()). */
CASE_OF(struct end, bed, paged_region_beyond_any_list_is_rejected, setup, teardown)
{
	static const uint64_t lens[] = { TIB, 4 * TIB, UINT64_C(1) << 51, UINT64_C(1) << 52,
					 UINT64_C(1) << 63 };
	const int access = IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE;
	struct ibv_mr *mr;
	size_t i;

	for (i = 0; i < NB_OF(lens); i++) {
		errno = 0;
		assert_null(ibv_reg_mr(bed->pd, (void *)(uintptr_t)PAGE, lens[i], access));
		assert_int_equal(errno, ENOMEM);
	}
	/* One page less is a list of 2 GiB, where that much memory is. */
	errno = 0;
	mr = ibv_reg_mr(bed->pd, (void *)(uintptr_t)PAGE, TIB - PAGE, access);
	if (mr == NULL)
		assert_int_equal(errno, ENOMEM);
	else
		assert_int_equal(ibv_dereg_mr(mr), 0);
}

/*
 * Addresses that differ from those of the device in bit 12 leave only small pages. Their number
 * must not be rounded up beyond what counts it.
 */
CASE_OF(struct end, bed, region_of_too_many_pages_is_rejected, setup, teardown)
{
	const uint64_t len = UINT32_MAX * (uint64_t)PAGE;
	void *va = space_get(len);

	if (va == NULL)
		skip();
	errno = 0;
	assert_null(ibv_reg_mr_iova(bed->pd, va, len, (uintptr_t)va ^ PAGE,
				    IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, ENOMEM);
	munmap(va, len);
}

CASE_OF(struct end, bed, umem_of_too_many_pages_is_rejected, setup, teardown)
{
	const uint64_t len = 64 * GIB;
	void *va = space_get(len);

	if (va == NULL)
		skip();
	errno = 0;
	assert_null(mlx5dv_devx_umem_reg(bed->ctx, va, len, IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, ENOMEM);
	munmap(va, len);
}

/* Limit of locked memory beside what the bed has pinned, in pages, and the memory to register. */
#define LIMIT	  64u
#define NB_PAGES  (4 * LIMIT)
#define BED_PAGES 64u
#define ODP_ACCESS (IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE)

struct locked {
	struct end end;
	uint8_t *pages;
	rlim_t old_limit;
	bool had_cap;
};

/* @return The capability was effective. */
static bool
ipc_lock_set(bool is_wanted)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	uint32_t *effective = &data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective;
	bool is_set;

	assert_int_equal(syscall(SYS_capget, &header, data), 0);
	is_set = (*effective & CAP_TO_MASK(CAP_IPC_LOCK)) != 0;
	if (is_wanted)
		*effective |= CAP_TO_MASK(CAP_IPC_LOCK);
	else
		*effective &= ~CAP_TO_MASK(CAP_IPC_LOCK);
	assert_int_equal(syscall(SYS_capset, &header, data), 0);
	return is_set;
}

/* @return The old one. */
static rlim_t
limit_set(rlim_t bytes)
{
	struct rlimit limit, old;

	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &old), 0);
	limit = (struct rlimit){ bytes, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	return old.rlim_cur;
}

/* Of pages in the memory of the case. */
static struct ibv_mr *
pages_reg(struct locked *l, uint32_t first, uint32_t nb, int access)
{
	errno = 0;
	return ibv_reg_mr(l->end.pd, l->pages + (size_t)first * PAGE, (size_t)nb * PAGE, access);
}

/* Number of pages that fit: by one region for each of them, so that no sum hides behind another. */
static uint32_t
room_get(struct locked *l)
{
	struct ibv_mr *mrs[NB_PAGES];
	uint32_t nb, i;

	for (nb = 0; nb < NB_PAGES; nb++) {
		mrs[nb] = pages_reg(l, nb, 1, IBV_ACCESS_LOCAL_WRITE);
		if (mrs[nb] == NULL)
			break;
	}
	if (nb < NB_PAGES)
		assert_int_equal(errno, ENOMEM);
	for (i = 0; i < nb; i++)
		assert_int_equal(ibv_dereg_mr(mrs[i]), 0);
	return nb;
}

static int
locked_setup(void **state)
{
	static struct locked l;

	l = (struct locked){ 0 };
	end_open(&l.end, devx_open(), PAGE);
	l.pages = mmap(NULL, (size_t)NB_PAGES * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(l.pages, MAP_FAILED);
	l.had_cap = ipc_lock_set(false);
	*state = &l;
	/* Find out what the bed has pinned: with that, LIMIT pages fit. */
	l.old_limit = limit_set((rlim_t)BED_PAGES * PAGE);
	assert_in_range(room_get(&l), 1, BED_PAGES - 1);
	limit_set((rlim_t)(BED_PAGES - room_get(&l) + LIMIT) * PAGE);
	return 0;
}

static int
locked_teardown(void **state)
{
	struct locked *l = *state;

	limit_set(l->old_limit);
	ipc_lock_set(l->had_cap);
	munmap(l->pages, (size_t)NB_PAGES * PAGE);
	end_close(&l->end);
	return 0;
}

CASE_OF(struct locked, l, region_is_limited_by_locked_memory, locked_setup, locked_teardown)
{
	struct ibv_mr *mr;
	unsigned int i;

	/* Each refusal leaves as much room as there was. */
	for (i = 0; i < 3; i++) {
		assert_null(pages_reg(l, 0, LIMIT + 1, IBV_ACCESS_LOCAL_WRITE));
		assert_int_equal(errno, ENOMEM);
		mr = pages_reg(l, 0, LIMIT, IBV_ACCESS_LOCAL_WRITE);
		assert_non_null(mr);
		assert_int_equal(ibv_dereg_mr(mr), 0);
	}
}

/* Two bytes across a boundary are two pages, and pages count as often as they are registered. */
CASE_OF(struct locked, l, locked_memory_is_a_sum_of_whole_pages, locked_setup, locked_teardown)
{
	struct ibv_mr *a, *b, *c;

	a = ibv_reg_mr(l->end.pd, l->pages + PAGE - 1, 2, 0);
	b = pages_reg(l, 0, LIMIT - 3, IBV_ACCESS_LOCAL_WRITE);
	c = pages_reg(l, 0, 1, 0);
	assert_true(a != NULL && b != NULL && c != NULL);
	assert_int_equal(room_get(l), 0);
	assert_int_equal(ibv_dereg_mr(a), 0);
	assert_int_equal(room_get(l), 2);
	assert_int_equal(ibv_dereg_mr(b), 0);
	assert_int_equal(room_get(l), LIMIT - 1);
	assert_int_equal(ibv_dereg_mr(c), 0);
	assert_int_equal(room_get(l), LIMIT);
}

/* Also of another device. */
CASE_OF(struct locked, l, closed_context_gives_locked_memory_back, locked_setup, locked_teardown)
{
	/* Objects of the library that the kernel destroys first: never freed, and no leak. */
	static struct ibv_pd *pd;
	static struct ibv_mr *mr;

	pd = ibv_alloc_pd(device_open("mlx5_1"));
	assert_non_null(pd);
	mr = ibv_reg_mr(pd, l->pages, (size_t)LIMIT * PAGE, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(mr);
	assert_int_equal(room_get(l), 0);
	ibv_close_device(pd->context);
	assert_int_equal(room_get(l), LIMIT);
}

/* Memory that is not there, or not writable, is found after it was counted. */
CASE_OF(struct locked, l, failed_registration_is_not_counted, locked_setup, locked_teardown)
{
	unsigned int i;

	assert_int_equal(mprotect(l->pages + PAGE, PAGE, PROT_READ), 0);
	for (i = 0; i < LIMIT; i++) {
		assert_null(pages_reg(l, 0, 2, IBV_ACCESS_LOCAL_WRITE));
		assert_int_equal(errno, EFAULT);
		assert_null(ibv_reg_mr(l->end.pd, NULL, PAGE, IBV_ACCESS_LOCAL_WRITE));
		assert_null(mlx5dv_devx_umem_reg(l->end.ctx, l->pages, 2 * PAGE,
						 IBV_ACCESS_LOCAL_WRITE));
	}
	assert_int_equal(mprotect(l->pages + PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(room_get(l), LIMIT);
}

static void
command_fail(void)
{
	assert_int_equal(ctl("fail-command", "0 1"), 0);
	errno = 0;
}

/* Memory is pinned before the device rejects what it is for. */
CASE_OF(struct locked, l, failed_commands_give_locked_memory_back, locked_setup, locked_teardown)
{
	struct ibv_qp_init_attr qp_attr = { .cap = { 64, 64, 1, 1, 0 }, .qp_type = IBV_QPT_RC };
	struct ibv_srq_init_attr srq_attr = { .attr = { .max_wr = 255, .max_sge = 1 } };

	command_fail();
	assert_null(pages_reg(l, 0, 8, IBV_ACCESS_LOCAL_WRITE));
	command_fail();
	assert_null(mlx5dv_devx_umem_reg(l->end.ctx, l->pages, 8 * PAGE, IBV_ACCESS_LOCAL_WRITE));
	command_fail();
	assert_null(ibv_create_cq(l->end.ctx, 255, NULL, NULL, 0));
	command_fail();
	assert_int_not_equal(ibv_resize_cq(l->end.cq, 511), 0);
	command_fail();
	assert_null(ibv_create_srq(l->end.pd, &srq_attr));
	qp_attr.send_cq = l->end.cq;
	qp_attr.recv_cq = l->end.cq;
	command_fail();
	assert_null(ibv_create_qp(l->end.pd, &qp_attr));
	assert_int_equal(room_get(l), LIMIT);
}

/* With the same key, and where another is created. */
CASE_OF(struct locked, l, failed_re_registration_gives_new_memory_back,
	locked_setup, locked_teardown)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING;
	const int change = IBV_REREG_MR_CHANGE_TRANSLATION;
	struct ibv_mr *mr = pages_reg(l, 0, 8, IBV_ACCESS_LOCAL_WRITE);

	assert_non_null(mr);
	/* The queue of the kernel for such changes is created at the first one. */
	command_fail();
	assert_int_equal(ibv_rereg_mr(mr, change, NULL, l->pages, 16 * PAGE, 0),
			 IBV_REREG_MR_ERR_CMD);
	assert_int_equal(room_get(l), LIMIT - 8);
	assert_int_equal(ibv_rereg_mr(mr, change, NULL, l->pages, 16 * PAGE, 0), 0);
	assert_int_equal(room_get(l), LIMIT - 16);
	command_fail();
	assert_int_equal(ibv_rereg_mr(mr, change | IBV_REREG_MR_CHANGE_ACCESS, NULL, l->pages,
				      8 * PAGE, access), IBV_REREG_MR_ERR_CMD);
	assert_int_equal(room_get(l), LIMIT - 16);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(room_get(l), LIMIT);
}

/* Old and new memory count until the change is done. */
CASE_OF(struct locked, l, re_registration_counts_both_memories, locked_setup, locked_teardown)
{
	struct ibv_mr *mr = pages_reg(l, 0, LIMIT / 2, IBV_ACCESS_LOCAL_WRITE);
	const int change = IBV_REREG_MR_CHANGE_TRANSLATION;
	uint32_t lkey;
	unsigned int i;

	assert_non_null(mr);
	lkey = mr->lkey;
	for (i = 0; i < 3; i++) {
		/* By a page list that does not fit the key, and by one that does. */
		assert_int_equal(ibv_rereg_mr(mr, change, NULL, l->pages,
					      (size_t)(LIMIT / 2 + 1) * PAGE, 0),
				 IBV_REREG_MR_ERR_CMD);
		assert_int_equal(errno, ENOMEM);
		assert_int_equal(room_get(l), LIMIT / 2);
		assert_int_equal(ibv_rereg_mr(mr, change, NULL, l->pages + PAGE,
					      (size_t)(LIMIT / 2) * PAGE, 0), 0);
		assert_int_equal(room_get(l), LIMIT / 2);
	}
	assert_int_equal(mr->lkey, lkey);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(room_get(l), LIMIT);
}

/* Where the key is replaced, the region that is beyond the limit stays as it was. */
CASE_OF(struct locked, l, re_registration_beyond_the_limit_changes_nothing,
	locked_setup, locked_teardown)
{
	const int changes = IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_ACCESS;
	struct ibv_mr *mr = pages_reg(l, 0, LIMIT, IBV_ACCESS_LOCAL_WRITE);

	assert_non_null(mr);
	assert_int_equal(ibv_rereg_mr(mr, changes, NULL, l->pages, PAGE,
				      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING),
			 IBV_REREG_MR_ERR_CMD);
	assert_int_equal(errno, ENOMEM);
	/* It was not revoked; another key of the same memory needs no other pages. */
	assert_int_equal(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
				      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ), 0);
	assert_int_equal(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
				      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING), 0);
	assert_int_equal(room_get(l), 0);
	/* On-demand memory takes the place of pinned memory, and the other way round. */
	assert_int_equal(ibv_rereg_mr(mr, changes, NULL, l->pages, 2 * LIMIT * PAGE,
				      ODP_ACCESS), 0);
	assert_int_equal(room_get(l), LIMIT);
	assert_int_equal(ibv_rereg_mr(mr, changes, NULL, l->pages, 2 * LIMIT * PAGE,
				      IBV_ACCESS_LOCAL_WRITE), IBV_REREG_MR_ERR_CMD);
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(room_get(l), LIMIT);
	assert_int_equal(ibv_rereg_mr(mr, changes, NULL, l->pages, 2 * PAGE,
				      IBV_ACCESS_LOCAL_WRITE), 0);
	assert_int_equal(room_get(l), LIMIT - 2);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(room_get(l), LIMIT);
}

CASE_OF(struct locked, l, paged_region_is_not_locked, locked_setup, locked_teardown)
{
	struct ibv_mr *mr = pages_reg(l, 0, NB_PAGES, ODP_ACCESS);
	struct ibv_mr *all = ibv_reg_mr(l->end.pd, NULL, SIZE_MAX, ODP_ACCESS);

	assert_true(mr != NULL && all != NULL);
	assert_int_equal(room_get(l), LIMIT);
	assert_int_equal(ibv_dereg_mr(all), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

CASE_OF(struct locked, l, umem_is_locked, locked_setup, locked_teardown)
{
	struct mlx5dv_devx_umem *umem;

	assert_null(mlx5dv_devx_umem_reg(l->end.ctx, l->pages, (size_t)(LIMIT + 1) * PAGE,
					 IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, ENOMEM);
	umem = mlx5dv_devx_umem_reg(l->end.ctx, l->pages, (size_t)(LIMIT - 1) * PAGE,
				    IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(umem);
	assert_int_equal(room_get(l), 1);
	assert_int_equal(mlx5dv_devx_umem_dereg(umem), 0);
	assert_int_equal(room_get(l), LIMIT);
}

/* Rings are pinned; their doorbell records are in the page of that of the bed's CQ. */
CASE_OF(struct locked, l, queues_are_locked, locked_setup, locked_teardown)
{
	struct ibv_qp_init_attr qp_attr = { .cap = { 64, 64, 1, 1, 0 }, .qp_type = IBV_QPT_RC };
	struct ibv_srq_init_attr srq_attr = { .attr = { .max_wr = 255, .max_sge = 1 } };
	struct ibv_cq *cq = ibv_create_cq(l->end.ctx, 255, NULL, NULL, 0);
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	uint32_t room;

	assert_non_null(cq);
	/* 256 entries of 64 bytes, and twice as many. */
	assert_int_equal(room_get(l), LIMIT - 4);
	assert_int_equal(ibv_resize_cq(cq, 511), 0);
	assert_int_equal(room_get(l), LIMIT - 8);
	/* As large as the limit, but the old ring is there, too. */
	assert_int_equal(ibv_resize_cq(cq, LIMIT * PAGE / 64 - 1), ENOMEM);
	assert_int_equal(room_get(l), LIMIT - 8);
	/* The library chooses the size of the others. */
	srq = ibv_create_srq(l->end.pd, &srq_attr);
	assert_non_null(srq);
	room = room_get(l);
	assert_in_range(room, 1, LIMIT - 8 - 2);
	assert_null(ibv_create_cq(l->end.ctx, 8191, NULL, NULL, 0));
	assert_int_equal(errno, ENOMEM);
	qp_attr.send_cq = cq;
	qp_attr.recv_cq = cq;
	qp_attr.cap.max_send_wr = 4096;
	assert_null(ibv_create_qp(l->end.pd, &qp_attr));
	assert_int_equal(errno, ENOMEM);
	srq_attr.attr.max_wr = 16383;
	assert_null(ibv_create_srq(l->end.pd, &srq_attr));
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(room_get(l), room);
	qp_attr.cap.max_send_wr = 64;
	qp = ibv_create_qp(l->end.pd, &qp_attr);
	assert_non_null(qp);
	assert_in_range(room_get(l), 1, room - 1);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_destroy_srq(srq), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
	assert_int_equal(room_get(l), LIMIT);
}

/* Each context has a page of records of its own, until its last queue is gone. */
CASE_OF(struct locked, l, doorbell_records_of_a_context_are_locked_once,
	locked_setup, locked_teardown)
{
	struct ibv_context *ctx = device_open(NULL);
	struct ibv_cq *cqs[2];

	cqs[0] = ibv_create_cq(ctx, 63, NULL, NULL, 0);
	assert_int_equal(room_get(l), LIMIT - 2);
	cqs[1] = ibv_create_cq(ctx, 63, NULL, NULL, 0);
	assert_int_equal(room_get(l), LIMIT - 3);
	assert_int_equal(ibv_destroy_cq(cqs[0]), 0);
	assert_int_equal(room_get(l), LIMIT - 2);
	assert_int_equal(ibv_destroy_cq(cqs[1]), 0);
	assert_int_equal(room_get(l), LIMIT);
	assert_int_equal(ibv_close_device(ctx), 0);
}

/* It makes the limit void, but its memory is counted nevertheless. */
CASE_OF(struct locked, l, capability_lifts_the_limit, locked_setup, locked_teardown)
{
	struct ibv_mr *mr;

	if (!l->had_cap)
		skip();
	ipc_lock_set(true);
	mr = pages_reg(l, 0, NB_PAGES, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(mr);
	assert_int_equal(room_get(l), NB_PAGES);
	ipc_lock_set(false);
	assert_int_equal(room_get(l), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(room_get(l), LIMIT);
}

CASE_OF(struct locked, l, infinite_limit_is_none, locked_setup, locked_teardown)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	/* Only some users may raise it. */
	if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0)
		skip();
	assert_int_equal(room_get(l), NB_PAGES);
}

/* can_do_mlock() */
CASE_OF(struct locked, l, without_locked_memory_nothing_is_permitted, locked_setup, locked_teardown)
{
	struct ibv_mr *mr;

	limit_set(0);
	assert_null(pages_reg(l, 0, 1, IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, EPERM);
	mr = pages_reg(l, 0, 1, ODP_ACCESS);
	assert_non_null(mr);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	limit_set(PAGE);
	assert_null(pages_reg(l, 0, 1, IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, ENOMEM);
}

/* A child has an address space of its own, in which nothing is pinned. */
CASE_OF(struct locked, l, child_begins_with_nothing_locked, locked_setup, locked_teardown)
{
	struct ibv_mr *mr = pages_reg(l, 0, LIMIT, IBV_ACCESS_LOCAL_WRITE);
	struct locked mine;
	int status;
	pid_t pid;

	assert_non_null(mr);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		mine = *l;
		mine.end.pd = ibv_alloc_pd(device_open(NULL));
		limit_set((rlim_t)LIMIT * PAGE);
		_exit(room_get(&mine) == LIMIT ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(room_get(l), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}
