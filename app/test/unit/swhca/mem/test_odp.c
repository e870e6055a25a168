/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* On-demand paging, and the keys that the device has by itself. */

#include "pair.h"

#define PAGE		4096u
#define NB_PAGES	8u
#define LOG_ENTRY	30u
#define NB_ENTRIES	(1u << 17)	/* 47 bits of address space */

#define KSM		0x03u	/* access mode: entries of one size */
#define TERMINATE_KEY	0x100u
#define NULL_KEY	0x200u
#define DUMP_FILL_KEY	0x300u

/* Of the case: pages, and a key of them on device 1 with all rights. */
static struct pair *p;
static uint8_t *pages;
static bool is_mapped;
static uint32_t key;

/* A mailbox of a key of device 1 with entries of a size. */
static void
box_fill(struct world *w, uint8_t *in, uint32_t access_mode, uint32_t uid, uint32_t nb,
	 uint32_t log_entry)
{
	world_mkey_box(w, 1, in, access_mode);
	world_put(in, 0, 0, uid);
	world_put(in, 17, 0, nb);
	world_put(in, 18, 0, log_entry);
	world_put(in, 24, 0, nb);
}

/* Page addresses with access bits of their own, and for now none. */
static uint32_t
explicit_key(struct world *w, const uint8_t *addr, uint8_t access)
{
	uint8_t in[WORLD_BOX + NB_PAGES * 8] = { 0 };

	world_mkey_box(w, 1, in, WORLD_MTT | access);
	world_put(in, 3, 31, 1);		/* pg_access */
	world_mkey_pages(in, addr, NB_PAGES * PAGE);
	return world_exec_create(w->dev[1].hca, in, sizeof(in)) << 8;
}

/* All of the address space by entries of one size that stand for nothing. */
static uint32_t
implicit_key(struct world *w, uint32_t uid)
{
	const size_t len = WORLD_BOX + (size_t)NB_ENTRIES * 16;
	uint8_t *in = calloc(1, len);
	uint32_t i, num;

	assert_non_null(in);
	box_fill(w, in, KSM | WORLD_ALL, uid, NB_ENTRIES, LOG_ENTRY);
	world_put(in, 7, 31, 1);		/* length64 */
	for (i = 0; i < NB_ENTRIES; i++)
		world_put(in, 69 + i * 4, 0, NULL_KEY);
	num = world_exec_create(w->dev[1].hca, in, len) << 8;
	free(in);
	return num;
}

static struct swhca_hca_stats
stats(void)
{
	struct swhca_hca_stats s;

	swhca_hca_stats_get(p->b.hca, &s);
	return s;
}

static int
prefetch(uint32_t lkey, const uint8_t *addr, uint64_t len, enum swhca_prefetch how)
{
	return swhca_hca_pages_prefetch(p->b.hca, lkey, (uintptr_t)addr, len, how);
}

static void
write_to(uint32_t rkey, const void *addr, uint32_t len, uint8_t syndrome)
{
	post_transfer(&p->a, OP_WRITE, CE, (uintptr_t)addr, rkey, p->w.mem, p->w.mem_key[0], len);
	expect_run(p, &p->a, syndrome);
}

static int
pages_setup(void **state)
{
	setup(state);
	p = *state;
	pages = mmap(NULL, NB_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	is_mapped = true;
	key = explicit_key(&p->w, pages, WORLD_ALL);
	return 0;
}

static void
pages_unmap(void)
{
	if (is_mapped)
		munmap(pages, NB_PAGES * PAGE);
	is_mapped = false;
}

static int
pages_teardown(void **state)
{
	pages_unmap();
	return teardown(state);
}

#define ODP_CASE(f) CASE_WITH(f, pages_setup, pages_teardown)

ODP_CASE(first_access_to_a_page_is_a_fault)
{
	assert_int_equal(stats().nb_page_faults, 0);
	write_to(key, pages + PAGE - 4, 8, 0);
	assert_int_equal(stats().nb_page_faults, 2);
	write_to(key, pages, 2 * PAGE, 0);
	assert_int_equal(stats().nb_page_faults, 2);
	/* Gone and back: a fault again, of that page alone. */
	swhca_hca_pages_invalidate(p->b.hca, (uintptr_t)pages + PAGE + 100, 10);
	assert_int_equal(stats().nb_page_invalidations, 1);
	write_to(key, pages, 2 * PAGE, 0);
	assert_int_equal(stats().nb_page_faults, 3);
	/* What was never there cannot go. */
	swhca_hca_pages_invalidate(p->b.hca, (uintptr_t)pages + 4 * PAGE, 4 * PAGE);
	assert_int_equal(stats().nb_page_invalidations, 1);
}

/* The requester again, before it was used, without retries of a receiver that is not ready. */
static void
without_rnr_retries(void)
{
	uint8_t in[WORLD_BOX] = { 0 };

	world_qp_modify(&p->a, 0x50a, 0, 0, 0);		/* 2RST */
	world_qp_modify(&p->a, 0x502, 0, 0, 3);
	world_qp_modify(&p->a, 0x503, p->b.qpn, 2, 3);
	world_put(in, 0, 16, 0x504);			/* RTR2RTS */
	world_put(in, 2, 0, p->a.qpn);
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0);
}

/* The device brings the page, but tells the requester to come again (IBTA: RNR NAK). */
ODP_CASE(fault_of_a_responder_takes_a_retry)
{
	without_rnr_retries();
	/* What was fetched beforehand is no fault. */
	assert_int_equal(prefetch(key, pages, 1, SWHCA_PREFETCH_WRITE), 0);
	write_to(key, pages, 8, 0);
	write_to(key, pages + 2 * PAGE, 8, MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR);
	assert_int_equal(stats().nb_page_faults, 1);
}

ODP_CASE(fault_on_memory_that_is_gone_is_an_error)
{
	pages_unmap();
	write_to(key, pages, 8, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	assert_int_equal(stats().nb_page_faults, 1);
}

ODP_CASE(prefetched_page_does_not_fault)
{
	assert_int_equal(prefetch(key, pages, 2 * PAGE, SWHCA_PREFETCH_WRITE), 0);
	assert_int_equal(stats().nb_page_prefetches, 2);
	write_to(key, pages, 3 * PAGE, 0);
	assert_int_equal(stats().nb_page_faults, 1);
	/* A page that was fetched to be read faults when it is written. */
	assert_int_equal(prefetch(key, pages + 4 * PAGE, 1, SWHCA_PREFETCH_READ), 0);
	write_to(key, pages + 4 * PAGE, 1, 0);
	assert_int_equal(stats().nb_page_faults, 2);
}

ODP_CASE(prefetch_of_what_is_not_there_fails)
{
	key = explicit_key(&p->w, pages, WORLD_LR | WORLD_LW);

	assert_int_equal(prefetch(key, pages + 7 * PAGE, PAGE + 1, SWHCA_PREFETCH_READ), -EFAULT);
	assert_int_equal(prefetch(key, pages - 1, 1, SWHCA_PREFETCH_READ), -EFAULT);
	assert_int_equal(prefetch(key + 1, pages, 1, SWHCA_PREFETCH_READ), -ENOENT);
	assert_int_equal(prefetch(p->w.mem_key[1], p->w.mem, 1, SWHCA_PREFETCH_READ), -ENOENT);
	pages_unmap();
	assert_int_equal(prefetch(key, pages, 1, SWHCA_PREFETCH_READ), -EFAULT);
}

ODP_CASE(implicit_key_reaches_all_memory)
{
	key = implicit_key(&p->w, 0);

	fill(p->w.mem, 3 * PAGE);
	write_to(key, pages + 10, 2 * PAGE, 0);
	assert_memory_equal(pages + 10, p->w.mem, 2 * PAGE);
	assert_int_equal(stats().nb_page_faults, 3);
	assert_int_equal(stats().nb_odp_children, 1);
	/* The child goes with its last page. */
	swhca_hca_pages_invalidate(p->b.hca, (uintptr_t)pages, NB_PAGES * PAGE);
	assert_int_equal(stats().nb_page_invalidations, 3);
	assert_int_equal(stats().nb_odp_children, 0);
	write_to(key, pages, 1, 0);
	assert_int_equal(stats().nb_page_faults, 4);
	pages_unmap();
	write_to(key, pages + PAGE, 1, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

ODP_CASE(children_go_with_their_key)
{
	key = implicit_key(&p->w, 0);

	write_to(key, pages, 1, 0);
	assert_int_equal(stats().nb_odp_children, 1);
	assert_int_equal(world_cmd(p->b.hca, 0x202, key >> 8, NULL), 0);	/* DESTROY_MKEY */
	assert_int_equal(stats().nb_odp_children, 0);
}

ODP_CASE(nobody_resolves_the_faults_of_a_user)
{
	uint32_t uid = world_alloc(p->b.hca, 0xa04);

	/* The target is in a PD of the user. */
	assert_int_equal(world_user_cmd(p->b.hca, 0x800, uid, 0, &p->w.dev[1].pdn), 0);
	world_qp_destroy(&p->b);
	world_qp_create(&p->w, 1, &p->b);
	world_qp_modify(&p->a, 0x50a, 0, 0, 0);		/* 2RST */
	world_qp_connect(&p->w, &p->a, &p->b);
	key = implicit_key(&p->w, uid);
	write_to(key, p->w.mem, 1, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	assert_int_equal(stats().nb_page_faults, 0);
}

ODP_CASE(entries_of_one_size_are_followed)
{
	uint8_t in[WORLD_BOX + 4 * 16] = { 0 };

	/* Four pages of mem in reverse order, from address 0x100000 on. */
	box_fill(&p->w, in, KSM | WORLD_ALL, 0, 4, 12);
	world_put(in, 9, 0, 0x100000);
	world_put(in, 11, 0, 4 * PAGE);
	for (uint32_t i = 0; i < 4; i++) {
		world_put(in, 69 + i * 4, 0, p->w.mem_key[1]);
		world_put64(in, 70 + i * 4, (uintptr_t)p->w.mem + 65536 + (3 - i) * PAGE);
	}
	key = world_exec_create(p->b.hca, in, sizeof(in)) << 8;
	fill(p->w.mem, 2 * PAGE);
	write_to(key, (void *)(uintptr_t)(0x100000 + PAGE + 16), 2 * PAGE, 0);
	assert_memory_equal(p->w.mem + 65536 + 2 * PAGE + 16, p->w.mem, PAGE - 16);
	assert_memory_equal(p->w.mem + 65536 + PAGE, p->w.mem + PAGE - 16, PAGE);
	assert_memory_equal(p->w.mem + 65536, p->w.mem + 2 * PAGE - 16, 16);
	write_to(key, (void *)(uintptr_t)(0x100000 + 3 * PAGE), PAGE + 1,
		 MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

ODP_CASE(entities_below_a_page_are_rejected)
{
	uint8_t in[WORLD_BOX];

	box_fill(&p->w, in, KSM | WORLD_LR, 0, 0, 11);
	assert_int_equal(world_exec(p->b.hca, in, sizeof(in)), 0x03);
}

ODP_CASE(bus_addresses_of_a_user_are_rejected)
{
	uint8_t in[WORLD_BOX];
	uint32_t uid = world_alloc(p->b.hca, 0xa04);

	box_fill(&p->w, in, WORLD_LR, uid, 0, 0);		/* PA */
	world_put(in, 7, 31, 1);
	assert_int_equal(world_exec(p->b.hca, in, sizeof(in)), 0x03);
	box_fill(&p->w, in, WORLD_MTT | WORLD_LR, uid, 0, 12);
	assert_int_equal(world_exec(p->b.hca, in, sizeof(in)), 0x03);
}

ODP_CASE(dump_fill_key_reads_zeros_and_forgets_writes)
{
	uint8_t out[32];

	assert_int_equal(world_query(p->a.hca, 0x203, 0, 0, out, sizeof(out)), 0);
	assert_int_equal(world_get(out, 2), DUMP_FILL_KEY);
	assert_int_equal(world_get(out, 4), NULL_KEY);
	assert_int_equal(world_get(out, 5), TERMINATE_KEY);
	/* More than the model repeats. */
	memset(p->w.mem, 0x5a, WORLD_MEM / 2);
	post_transfer(&p->a, OP_READ, CE, (uintptr_t)p->w.mem, p->w.mem_key[1], NULL,
		      DUMP_FILL_KEY, 200000);
	post_transfer(&p->a, OP_WRITE, CE, (uintptr_t)p->w.mem, p->w.mem_key[1], NULL,
		      DUMP_FILL_KEY, 200000);
	ring_run(p, &p->a);
	expect_done(world_send_cqe(&p->a), 0);
	expect_done(world_send_cqe(&p->a), 1);
	assert_int_equal(p->w.mem[0], 0);
	assert_int_equal(p->w.mem[199999], 0);
	assert_int_equal(p->w.mem[200000], 0x5a);
	/* It is no remote key. */
	write_to(DUMP_FILL_KEY, NULL, 8, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

ODP_CASE(null_key_is_a_fault)
{
	expect_write_rejected(p, NULL_KEY, 0, 1, p->w.mem_key[1], MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}
