/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Pinned regions whose memory is unmapped, mapped anew, discarded, moved or protected, in each mode
 * of --stale-region, which comes in the environment. An adapter goes on with the pages that it has
 * pinned: that is what a registration cache which misses such a call gets.
 */

#include <sys/mman.h>
#include <sys/syscall.h>

#include "../world.h"

#define NB_PAGES 4u
#define LEN	 (NB_PAGES * PAGE)
#define OWN	 64u

enum mode { WARN, ERROR, FOLLOW };

/* Its own memory is what nobody touches. */
static struct end bed;

static enum mode
mode_get(void)
{
	const char *word = getenv("SWHCA_STALE_REGION");

	if (word == NULL || strcmp(word, "warn") == 0)
		return WARN;
	return strcmp(word, "follow") == 0 ? FOLLOW : ERROR;
}

static int
setup(void **state)
{
	end_open(&bed, device_open(NULL), OWN);
	return 0;
}

static int
teardown(void **state)
{
	end_close(&bed);
	return 0;
}

/* Between own memory and that of a region, by a queue pair that nothing has happened to. */
static enum ibv_wc_status
transfer(enum ibv_wr_opcode opcode, const struct ibv_mr *mr, const void *addr)
{
	const struct rc_qp_conf conf = { .access = ALL_ACCESS, .rd_atomic = 1, .min_rnr_timer = 1,
					 .timeout = 14, .retry_cnt = 7, .rnr_retry = 7 };
	struct ibv_qp *qp = qp_create(bed.pd, (struct ibv_qp_init_attr){
		.send_cq = bed.cq, .cap = { .max_send_wr = 4, .max_send_sge = 1 } });
	enum ibv_wc_status status;

	assert_int_equal(rc_qp_connect_itself(qp, &conf), 0);
	rdma_post(qp, opcode, sge_of(&bed, 0, 8), addr, mr->rkey);
	status = wc_wait(bed.cq).status;
	assert_int_equal(ibv_destroy_qp(qp), 0);
	return status;
}

/* What the device reads there, at most 7 characters. */
static void
expect_read(const struct ibv_mr *mr, const void *addr, const char *text)
{
	memset(bed.buf, '-', OWN);
	assert_int_equal(transfer(IBV_WR_RDMA_READ, mr, addr), IBV_WC_SUCCESS);
	assert_string_equal((const char *)bed.buf, text);
}

static void
write_text(const struct ibv_mr *mr, const void *addr, const char *text)
{
	memset(bed.buf, 0, OWN);
	memcpy(bed.buf, text, strlen(text));
	assert_int_equal(transfer(IBV_WR_RDMA_WRITE, mr, addr), IBV_WC_SUCCESS);
}

static void
expect_error(const struct ibv_mr *mr, const void *addr, enum ibv_wc_status status)
{
	assert_int_equal(transfer(IBV_WR_RDMA_READ, mr, addr), status);
}

/* Each mode reads what it takes the pages for; NULL: there are none. */
static void
expect_by_mode(const struct ibv_mr *mr, const void *addr, const char *warn, const char *follow)
{
	if (mode_get() == ERROR)
		expect_error(mr, addr, IBV_WC_REM_ACCESS_ERR);
	else if (mode_get() == WARN && warn == NULL)
		expect_error(mr, addr, IBV_WC_REM_OP_ERR);
	else
		expect_read(mr, addr, mode_get() == WARN ? warn : follow);
}

static char *
pages_map(void *at, int flags, int fd)
{
	char *pages = mmap(at, LEN, PROT_READ | PROT_WRITE, flags, fd, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	return pages;
}

static char *
private_pages(void)
{
	return pages_map(NULL, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

/* Shared memory, and a second mapping of it. */
static char *
shared_pages(char **other)
{
	int fd = memfd_create("stale", 0);
	char *pages;

	assert_true(fd >= 0 && ftruncate(fd, LEN) == 0);
	pages = pages_map(NULL, MAP_SHARED, fd);
	*other = pages_map(NULL, MAP_SHARED, fd);
	close(fd);
	return pages;
}

static struct ibv_mr *
registered(char *pages, const char *text)
{
	struct ibv_mr *mr = ibv_reg_mr(bed.pd, pages, LEN, ALL_ACCESS);

	assert_non_null(mr);
	strcpy(pages + PAGE, text);
	return mr;
}

static void
region_end(struct ibv_mr *mr, char *pages)
{
	assert_int_equal(ibv_dereg_mr(mr), 0);
	munmap(pages, LEN);
}

/* Nothing is mapped there, and nothing else comes there: past libc, so that nobody hears of it. */
static void
hole_keep(char *pages, size_t len)
{
	assert_int_equal(syscall(SYS_mmap, pages, len, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), (uintptr_t)pages);
}

static void
hole_end(char *pages, size_t len)
{
	syscall(SYS_munmap, pages, len);
}

CASE_WITH(discarded_pages_are_old_ones, setup, teardown)
{
	char *pages = private_pages();
	struct ibv_mr *mr = registered(pages, "OLD"), *again;

	strcpy(pages, "FIRST");
	assert_int_equal(madvise(pages + PAGE, PAGE, MADV_DONTNEED), 0);
	strcpy(pages + PAGE, "NEW");
	expect_by_mode(mr, pages + PAGE, "NEW", "OLD");
	if (mode_get() == FOLLOW) {
		write_text(mr, pages + PAGE, "DEVICE");
		assert_string_equal(pages + PAGE, "NEW");
		expect_read(mr, pages + PAGE, "DEVICE");
	}
	/* The rest of the region is as it was, and a new one has the new pages. */
	expect_read(mr, pages, "FIRST");
	again = ibv_reg_mr(bed.pd, pages, LEN, ALL_ACCESS);
	assert_non_null(again);
	expect_read(again, pages + PAGE, "NEW");
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dereg_mr(again), 0);
	munmap(pages, LEN);
}

CASE_WITH(pages_mapped_anew_are_old_ones, setup, teardown)
{
	char *pages = private_pages();
	struct ibv_mr *mr = registered(pages, "OLD");

	pages_map(pages, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
	strcpy(pages + PAGE, "NEW");
	expect_by_mode(mr, pages + PAGE, "NEW", "OLD");
	/* It happens again: the first time counts. */
	assert_int_equal(madvise(pages, LEN, MADV_DONTNEED), 0);
	if (mode_get() == FOLLOW)
		expect_read(mr, pages + PAGE, "OLD");
	region_end(mr, pages);
}

CASE_WITH(unmapped_pages_are_still_there, setup, teardown)
{
	char *pages = private_pages();
	struct ibv_mr *mr = registered(pages, "OLD");

	assert_int_equal(munmap(pages, LEN), 0);
	hole_keep(pages, LEN);
	expect_by_mode(mr, pages + PAGE, NULL, "OLD");
	assert_int_equal(ibv_dereg_mr(mr), 0);
	hole_end(pages, LEN);
}

CASE_WITH(shared_pages_stay_shared, setup, teardown)
{
	char *other, *pages = shared_pages(&other);
	struct ibv_mr *mr = registered(pages, "OLD");

	/* The same pages are found again. */
	assert_int_equal(madvise(pages, LEN, MADV_DONTNEED), 0);
	write_text(mr, pages + PAGE, "BOTH");
	assert_string_equal(pages + PAGE, "BOTH");
	assert_int_equal(munmap(pages, LEN), 0);
	if (mode_get() == FOLLOW) {
		write_text(mr, pages + PAGE, "DEVICE");
		assert_string_equal(other + PAGE, "DEVICE");
		/* A hole in the file leaves the device alone with them. */
		assert_int_equal(madvise(other, LEN, MADV_REMOVE), 0);
		assert_string_equal(other + PAGE, "");
	}
	assert_int_equal(ibv_dereg_mr(mr), 0);
	munmap(other, LEN);
}

CASE_WITH(removed_pages_are_old_ones, setup, teardown)
{
	char *other, *pages = shared_pages(&other);
	struct ibv_mr *mr = registered(pages, "OLD");

	assert_int_equal(madvise(pages, LEN, MADV_REMOVE), 0);
	expect_by_mode(mr, pages + PAGE, "", "OLD");
	region_end(mr, pages);
	munmap(other, LEN);
}

CASE_WITH(moved_pages_are_followed, setup, teardown)
{
	char *pages = private_pages(), *place = private_pages(), *moved;
	struct ibv_mr *mr = registered(pages, "OLD");

	moved = mremap(pages, LEN, LEN, MREMAP_MAYMOVE | MREMAP_FIXED, place);
	assert_ptr_equal(moved, place);
	strcpy(moved + PAGE, "MOVED");
	expect_by_mode(mr, pages + PAGE, "MOVED", "MOVED");
	if (mode_get() != ERROR) {
		write_text(mr, pages + PAGE, "DEVICE");
		assert_string_equal(moved + PAGE, "DEVICE");
	}
	/* And what happens to them there is seen, too. */
	assert_int_equal(munmap(moved, LEN), 0);
	if (mode_get() == FOLLOW)
		expect_read(mr, pages + PAGE, "DEVICE");
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

CASE_WITH(region_that_shrinks_loses_its_end_alone, setup, teardown)
{
	char *pages = private_pages();
	struct ibv_mr *mr = registered(pages, "OLD");

	strcpy(pages + 3 * PAGE, "END");
	assert_ptr_equal(mremap(pages, LEN, 2 * PAGE, 0), pages);
	hole_keep(pages + 2 * PAGE, 2 * PAGE);
	expect_read(mr, pages + PAGE, "OLD");
	expect_by_mode(mr, pages + 3 * PAGE, NULL, "END");
	assert_int_equal(ibv_dereg_mr(mr), 0);
	hole_end(pages + 2 * PAGE, 2 * PAGE);
	munmap(pages, 2 * PAGE);
}

/* Both at once: the end goes, the rest moves. */
CASE_WITH(region_that_shrinks_and_moves_is_followed, setup, teardown)
{
	char *pages = private_pages(), *place = private_pages();
	struct ibv_mr *mr = registered(pages, "OLD");

	strcpy(pages, "FIRST");
	strcpy(pages + 3 * PAGE, "END");
	assert_ptr_equal(mremap(pages + PAGE, 3 * PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place),
			 place);
	strcpy(place, "MOVED");
	expect_read(mr, pages, "FIRST");
	expect_by_mode(mr, pages + PAGE, "MOVED", "MOVED");
	if (mode_get() == FOLLOW)
		expect_read(mr, pages + 3 * PAGE, "END");
	assert_int_equal(ibv_dereg_mr(mr), 0);
	munmap(pages, PAGE);
	munmap(place, PAGE);
}

static void
protect_and_access(char *pages)
{
	struct ibv_mr *mr = registered(pages, "OLD");

	assert_int_equal(mprotect(pages, LEN, PROT_NONE), 0);
	expect_read(mr, pages + PAGE, "OLD");
	assert_int_equal(mprotect(pages, LEN, PROT_READ), 0);
	write_text(mr, pages + PAGE, "DEVICE");
	assert_string_equal(pages + PAGE, "DEVICE");
	assert_int_equal(mprotect(pages, LEN, PROT_READ | PROT_WRITE), 0);
	strcpy(pages + PAGE, "PROGRAM");
	expect_read(mr, pages + PAGE, "PROGRAM");
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

/* In all modes: the pages are those that were registered, with the rights of the registration. */
CASE_WITH(protection_is_the_programs_alone, setup, teardown)
{
	char *pages = private_pages();

	protect_and_access(pages);
	munmap(pages, LEN);
}

CASE_WITH(protection_of_shared_pages_is_the_programs_alone, setup, teardown)
{
	char *other, *pages = shared_pages(&other);

	protect_and_access(pages);
	munmap(pages, LEN);
	munmap(other, LEN);
}

CASE_WITH(pages_that_may_be_freed_are_kept, setup, teardown)
{
	char *pages = private_pages();
	struct ibv_mr *mr = registered(pages, "OLD");

	assert_int_equal(madvise(pages, LEN, MADV_FREE), 0);
	expect_read(mr, pages + PAGE, "OLD");
	region_end(mr, pages);
}

/* A call that fails changes nothing. */
CASE_WITH(call_that_fails_leaves_regions_alone, setup, teardown)
{
	char *pages = private_pages();
	struct ibv_mr *mr = registered(pages, "OLD");

	assert_int_equal(munmap(pages + 1, LEN), -1);
	assert_ptr_equal(mmap(pages, LEN, PROT_READ, MAP_PRIVATE | MAP_FIXED, -1, 0), MAP_FAILED);
	strcpy(pages + PAGE, "SAME");
	expect_read(mr, pages + PAGE, "SAME");
	region_end(mr, pages);
}

CASE_WITH(regions_of_one_page_keep_one_page, setup, teardown)
{
	struct ibv_mr *mr, *part;
	char *pages;

	/* Else nothing is kept. */
	if (mode_get() != FOLLOW)
		return;
	pages = private_pages();
	mr = registered(pages, "OLD");
	part = ibv_reg_mr(bed.pd, pages + PAGE, 2 * PAGE, ALL_ACCESS);
	assert_non_null(part);
	assert_int_equal(madvise(pages, LEN, MADV_DONTNEED), 0);
	write_text(part, pages + PAGE, "ONE");
	expect_read(mr, pages + PAGE, "ONE");
	/* What one has kept, the other has yet. */
	assert_int_equal(ibv_dereg_mr(mr), 0);
	expect_read(part, pages + PAGE, "ONE");
	region_end(part, pages);
}

static unsigned int
nb_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned int nb = 0;
	int c;

	assert_non_null(maps);
	while ((c = fgetc(maps)) != EOF)
		nb += c == '\n';
	fclose(maps);
	return nb;
}

CASE_WITH(kept_pages_go_with_their_region, setup, teardown)
{
	unsigned int i, before = 0;

	for (i = 0; i < 40; i++) {
		char *other, *pages = shared_pages(&other);
		struct ibv_mr *mr = registered(pages, "OLD");

		assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_READ), 0);
		assert_int_equal(munmap(pages, LEN), 0);
		assert_int_equal(ibv_dereg_mr(mr), 0);
		munmap(other, LEN);
		/* The first times allocators and caches come by. */
		if (i == 20)
			before = nb_mappings();
	}
	assert_true(nb_mappings() <= before + 2);
}

/* Lines of the library on stderr about stale regions, while something is done to one twice. */
static unsigned int
lines_of(void (*act)(const struct ibv_mr *mr, const char *pages), const struct ibv_mr *mr,
	 const char *pages)
{
	int saved = dup(2), fd = memfd_create("stderr", 0);
	char *at, text[4096] = "";
	unsigned int nb = 0;

	assert_true(saved >= 0 && fd >= 0 && dup2(fd, 2) == 2);
	act(mr, pages);
	act(mr, pages);
	dup2(saved, 2);
	assert_true(pread(fd, text, sizeof(text) - 1, 0) >= 0);
	for (at = strstr(text, "stale region"); at != NULL; at = strstr(at + 1, "stale region"))
		nb++;
	close(saved);
	close(fd);
	return nb;
}

static void
use(const struct ibv_mr *mr, const char *pages)
{
	(void)transfer(IBV_WR_RDMA_READ, mr, pages + PAGE);
}

CASE_WITH(region_is_counted_and_told_once, setup, teardown)
{
	unsigned long long nb_regions = ctl_counter(" stale_regions ");
	unsigned long long nb_accesses = ctl_counter(" stale_accesses ");
	char *pages = private_pages();
	struct ibv_mr *mr = registered(pages, "OLD");

	/* Who never uses it has done nothing wrong. */
	assert_int_equal(lines_of(use, mr, pages), 0);
	assert_int_equal(madvise(pages, LEN, MADV_DONTNEED), 0);
	assert_int_equal(munmap(pages, LEN), 0);
	assert_int_equal(ctl_counter(" stale_regions "), nb_regions + 1);
	assert_int_equal(ctl_counter(" stale_accesses "), nb_accesses);
	assert_int_equal(lines_of(use, mr, pages), 1);
	assert_int_equal(ctl_counter(" stale_regions "), nb_regions + 1);
	assert_true(ctl_counter(" stale_accesses ") >= nb_accesses + 2);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

/*
 * No call of the program unmaps a large block: libc does, and the access says so. The block is
 * larger than any that libc may keep (DEFAULT_MMAP_THRESHOLD_MAX); its hole is filled from above.
 */
CASE_WITH(block_that_libc_unmaps_is_told_when_it_is_used, setup, teardown)
{
	const size_t len = (size_t)64 << 20;
	unsigned long long nb_regions = ctl_counter(" stale_regions ");
	unsigned long long nb_accesses = ctl_counter(" stale_accesses ");
	char *block = malloc(len), *pages;
	struct ibv_mr *mr;

	assert_non_null(block);
	pages = (char *)(((uintptr_t)block + len / 4) & ~(uintptr_t)(PAGE - 1));
	mr = registered(pages, "OLD");
	free(block);
	/* A sanitizer keeps it. */
	if (msync(pages, LEN, MS_ASYNC) == 0) {
		assert_int_equal(ibv_dereg_mr(mr), 0);
		return;
	}
	assert_int_equal(lines_of(use, mr, pages), 1);
	assert_int_equal(ctl_counter(" stale_regions "), nb_regions + 1);
	assert_true(ctl_counter(" stale_accesses ") >= nb_accesses + 2);
	/* As if the call had been seen. */
	if (mode_get() == ERROR)
		expect_error(mr, pages + PAGE, IBV_WC_REM_ACCESS_ERR);
	else
		expect_error(mr, pages + PAGE, IBV_WC_REM_OP_ERR);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

/* Pages on demand are those that are mapped, whatever the mode. */
CASE_WITH(paged_region_is_never_stale, setup, teardown)
{
	char *pages = private_pages();
	struct ibv_mr *mr = ibv_reg_mr(bed.pd, pages, LEN, ALL_ACCESS | IBV_ACCESS_ON_DEMAND);

	assert_non_null(mr);
	strcpy(pages + PAGE, "OLD");
	expect_read(mr, pages + PAGE, "OLD");
	assert_int_equal(madvise(pages, LEN, MADV_DONTNEED), 0);
	strcpy(pages + PAGE, "NEW");
	expect_read(mr, pages + PAGE, "NEW");
	assert_int_equal(mprotect(pages, LEN, PROT_NONE), 0);
	expect_error(mr, pages + PAGE, IBV_WC_REM_ACCESS_ERR);
	region_end(mr, pages);
}
