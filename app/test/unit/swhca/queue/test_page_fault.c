/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Page faults that software resolves: the test is the kernel, with an event queue, a queue pair for
 * UMRs, and regions of which no page is there at first. Events and commands by dword and bit.
 */

#include "object/hca_state.h"
#include "types.h"

#define PAGE		4096u
#define NB_PAGES	8u

#define EVENT_PAGE_FAULT 0x0c
#define SUB_WQE		0
#define SUB_RDMA	1
#define SUB_MEMORY	2

#define CMD_QUERY_MKEY		0x201
#define CMD_PAGE_FAULT_RESUME	0x204
#define CMD_2ERR		0x507
#define CMD_2RST		0x50a
#define BAD_PARAM		0x03

struct faulty {
	struct pair p;
	struct world_qp umr[2];
	uint8_t *mem;		/* NB_PAGES of p.w.mem */
	uint32_t key[2];	/* of mem, on each device */
};

/* As the kernel's cache of keys has them: of pages, without pg_access, to be written by UMR. */
static uint32_t
paged_key(struct faulty *f, int dev)
{
	uint8_t in[WORLD_BOX];

	world_mkey_box(&f->p.w, dev, in, WORLD_ALL | WORLD_ATOMIC | WORLD_MTT | WORLD_UMR_EN);
	world_put64(in, 8, (uintptr_t)f->mem);
	world_put(in, 11, 0, NB_PAGES * PAGE);
	world_put(in, 17, 0, NB_PAGES / 2);
	world_put(in, 18, 0, 12);
	return world_exec_create(f->p.w.dev[dev].hca, in, sizeof(in)) << 8;
}

/* Write all entries of a region: those in the mask are there, to be read (1) and written (2). */
static void
pages_set_bits(struct faulty *f, int dev, uint32_t key, uint32_t present, uint8_t bits)
{
	uint8_t body[176] = { 0x80 };		/* inline */

	world_put(body, 1, 16, NB_PAGES / 2);
	for (unsigned int i = 0; i < NB_PAGES; i++) {
		if ((present & 1u << i) == 0)
			continue;
		world_put_bus(body, 28 + i * 2, f->mem + (size_t)i * PAGE);
		world_put(body, 29 + i * 2, 0, bits);
	}
	world_post(&f->umr[dev], OP_UMR, CE, key, body, 11);
	expect_run(&f->p, &f->umr[dev], 0);
}

static void
pages_set(struct faulty *f, int dev, uint32_t present)
{
	pages_set_bits(f, dev, f->key[dev], present, 3);
}

static void
faulty_destroy(void *arg)
{
	struct faulty *f = arg;

	world_qp_destroy(&f->umr[0]);
	world_qp_destroy(&f->umr[1]);
	pair_destroy(&f->p);
}

/* As next_case(). */
static struct faulty *
faulty_case(void **state, const char *name)
{
	struct swhca_hca_conf conf[2];
	struct faulty *f;

	world_conf(conf);
	conf[0].has_page_fault_events = conf[1].has_page_fault_events = true;
	case_name(state, name);
	f = pair_create(sizeof(*f), conf);
	f->mem = f->p.w.mem + WORLD_MEM / 2;
	for (int i = 0; i < 2; i++) {
		type_umr_qp_create(&f->p.w, i, &f->umr[i]);
		f->key[i] = paged_key(f, i);
		pages_set(f, i, 0);
	}
	return case_begin(state, f, faulty_destroy);
}

static int
faulty_setup(void **state)
{
	*state = NULL;
	faulty_case(state, NULL);
	return 0;
}

static int
faulty_teardown(void **state)
{
	faulty_destroy(*state);
	return 0;
}

#define FAULTY_CASE(name) CASE_OF(struct faulty, f, name, faulty_setup, faulty_teardown)

/* The one event that there is: a page fault. */
static const uint8_t *
fault_event(struct faulty *f, int dev, uint8_t sub_type)
{
	const uint8_t *eqe;

	/* Who is there in RTR tells so. */
	do {
		eqe = NOT_NULL(world_eqe(&f->p.w, dev));
	} while (eqe[1] == 0x02);
	assert_int_equal(eqe[1], EVENT_PAGE_FAULT);
	assert_int_equal(eqe[3], sub_type);
	assert_null(world_eqe(&f->p.w, dev));
	return eqe;
}

/* The token of such an event of a WQE or of a remote access. */
static uint32_t
fault_token(struct faulty *f, int dev, uint8_t sub_type)
{
	const uint8_t *eqe = fault_event(f, dev, sub_type);

	return sub_type == SUB_WQE ? world_get(eqe, 11) : world_get(eqe, 14) & 0xffffff;
}

static uint8_t
resume(struct faulty *f, int dev, uint32_t token, bool is_error, uint32_t uid)
{
	uint8_t in[16] = { 0 };

	world_put(in, 0, 16, CMD_PAGE_FAULT_RESUME);
	world_put(in, 0, 0, uid);
	world_put(in, 2, 31, is_error);
	world_put(in, 3, 0, token);
	return world_exec(f->p.w.dev[dev].hca, in, sizeof(in));
}

static void
resume_good(struct faulty *f, int dev, uint32_t token)
{
	pages_set(f, dev, 0xff);
	assert_int_equal(resume(f, dev, token, false, 0), 0);
	world_run(&f->p.w);
}

static void
expect_failed(struct faulty *f, uint8_t syndrome)
{
	expect_error(wait_send_cqe(&f->p, &f->p.a), MLX5_CQE_REQ_ERR, syndrome);
}

/* The last WQE is done, and both places have the same bytes. */
static void
expect_moved(struct faulty *f, const uint8_t *to, const uint8_t *from, size_t len)
{
	expect_done(wait_send_cqe(&f->p, &f->p.a), f->p.a.last);
	assert_memory_equal(to, from, len);
}

static void
expect_waiting(struct faulty *f)
{
	ring_run(&f->p, &f->p.a);
	assert_null(world_send_cqe(&f->p.a));
}

/* From plain memory of device 0 to the region of device 1, or the other way round. */
static void
start(struct faulty *f, uint8_t op, uint32_t len)
{
	post_transfer(&f->p.a, op, CE, (uintptr_t)f->mem, f->key[1], f->p.w.mem, f->p.w.mem_key[0],
		      len);
	expect_waiting(f);
}

/* The same with the region of device 0 as the requester's memory. */
static void
start_local(struct faulty *f, uint8_t op, uint32_t len)
{
	post_transfer(&f->p.a, op, CE, (uintptr_t)f->p.w.mem, f->p.w.mem_key[1], f->mem, f->key[0],
		      len);
	expect_waiting(f);
}

FAULTY_CASE(send_queue_waits_for_its_page)
{
	const uint8_t *eqe;

	fill(f->mem, 100);
	start_local(f, OP_WRITE, 100);
	eqe = fault_event(f, 0, SUB_WQE);
	assert_int_equal(world_get(eqe, 8), 0);				/* bytes_committed */
	assert_int_equal(world_get(eqe, 9), f->p.a.last);		/* wqe_index */
	assert_int_equal(world_get(eqe, 14), 1u << 24 | f->p.a.qpn);	/* requester that reads */
	/* Doorbells and time are nothing that it waits for, */
	world_ring(&f->p.a);
	run_after(&f->p, 1000000000);
	assert_null(world_send_cqe(&f->p.a));
	assert_null(world_eqe(&f->p.w, 0));
	/* nor are pages by themselves. */
	pages_set(f, 0, 0xff);
	world_run(&f->p.w);
	assert_null(world_send_cqe(&f->p.a));
	resume_good(f, 0, world_get(eqe, 11));
	expect_moved(f, f->p.w.mem, f->mem, 100);
	assert_null(world_eqe(&f->p.w, 0));
}

/* The list of a UMR is memory, too: the key is as it was until it is read. */
CASES(queue_waits_for_lists_and_in_order)
{
	struct faulty *f = faulty_case(state, "list of a UMR");
	uint32_t key = world_klm_key(&f->p.w, 0, 4), nb_klm = 4;
	uint8_t body[176];
	uint16_t first;

	world_umr_list(body, key, ALL_ACCESS, 100, NULL, 0);
	body[0] = 0;				/* not inline */
	world_put(body, 1, 16, nb_klm);
	memset(body + 112, 0, 16);
	world_put(body, 28, 0, nb_klm * 16);
	world_put(body, 29, 0, f->key[0]);
	world_put64(body, 30, (uintptr_t)f->mem);
	memset(f->mem, 0, nb_klm * 16);
	world_put(f->mem, 0, 0, 100);
	world_put(f->mem, 1, 0, f->p.w.mem_key[0]);
	world_put64(f->mem, 2, (uintptr_t)f->p.w.mem);
	world_post(&f->p.a, OP_UMR, CE, key, body, 8);
	expect_waiting(f);
	resume_good(f, 0, fault_token(f, 0, SUB_WQE));
	expect_done(wait_send_cqe(&f->p, &f->p.a), f->p.a.last);
	fill(f->p.w.mem, 100);
	post_transfer(&f->p.a, OP_WRITE, CE | FENCE, (uintptr_t)f->p.w.mem + PAGE,
		      f->p.w.mem_key[1], NULL, key, 100);
	ring_run(&f->p, &f->p.a);
	expect_moved(f, f->p.w.mem + PAGE, f->p.w.mem, 100);

	f = faulty_case(state, "order");
	fill(f->mem, 100);
	post_transfer(&f->p.a, OP_WRITE, CE, (uintptr_t)f->p.w.mem, f->p.w.mem_key[1], f->mem,
		      f->key[0], 100);
	first = f->p.a.last;
	start_local(f, OP_NOP, 0);
	resume_good(f, 0, fault_token(f, 0, SUB_WQE));
	expect_done(wait_send_cqe(&f->p, &f->p.a), first);
	expect_done(wait_send_cqe(&f->p, &f->p.a), f->p.a.last);
}

CASES(local_faults_are_resolved_or_errors)
{
	struct faulty *f = faulty_case(state, "a page to write");
	const uint8_t *eqe;
	uint32_t token;

	fill(f->p.w.mem, 100);
	pages_set_bits(f, 0, f->key[0], 0xff, 1);		/* may be read */
	start_local(f, OP_READ, 100);
	eqe = fault_event(f, 0, SUB_WQE);
	assert_int_equal(world_get(eqe, 14), 3u << 24 | f->p.a.qpn);
	resume_good(f, 0, world_get(eqe, 11));
	expect_moved(f, f->mem, f->p.w.mem, 100);

	f = faulty_case(state, "not resolved");
	start_local(f, OP_WRITE, 100);
	assert_int_equal(resume(f, 0, fault_token(f, 0, SUB_WQE), true, 0), 0);
	world_run(&f->p.w);
	expect_failed(f, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(world_qp_state(&f->p.a), 6);

	/* Resumed too early: the fault is there again, with another token. */
	f = faulty_case(state, "still there");
	start_local(f, OP_WRITE, 100);
	token = fault_token(f, 0, SUB_WQE);
	assert_int_equal(resume(f, 0, token, false, 0), 0);
	world_run(&f->p.w);
	assert_int_equal(fault_token(f, 0, SUB_WQE), token + 1);
	resume_good(f, 0, token + 1);
	expect_done(wait_send_cqe(&f->p, &f->p.a), f->p.a.last);

	f = faulty_case(state, "no event queue");
	f->p.a.hca->event_eqs[EVENT_PAGE_FAULT] = NULL;
	post_transfer(&f->p.a, OP_WRITE, CE, (uintptr_t)f->p.w.mem, f->p.w.mem_key[1], f->mem,
		      f->key[0], 100);
	ring_run(&f->p, &f->p.a);
	expect_failed(f, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

CASES(remote_accesses_wait_at_their_responder)
{
	struct faulty *f = faulty_case(state, "write");
	const uint8_t *eqe;

	fill(f->p.w.mem, 3 * PAGE);
	start(f, OP_WRITE, 3 * PAGE);
	eqe = fault_event(f, 1, SUB_RDMA);
	assert_int_equal(world_get(eqe, 9), f->key[1]);
	assert_int_equal(world_get(eqe, 11), 3 * PAGE);
	assert_true(world_get64(eqe, 12) == (uintptr_t)f->mem);
	assert_int_equal(world_get(eqe, 14) >> 24, 6);		/* RDMA, written */
	run_after(&f->p, 1000000);
	assert_null(world_eqe(&f->p.w, 1));
	resume_good(f, 1, world_get(eqe, 14) & 0xffffff);
	expect_moved(f, f->mem, f->p.w.mem, 3 * PAGE);
	assert_null(world_eqe(&f->p.w, 1));

	f = faulty_case(state, "read");
	fill(f->mem, 2 * PAGE);
	start(f, OP_READ, 2 * PAGE);
	eqe = fault_event(f, 1, SUB_RDMA);
	assert_int_equal(world_get(eqe, 14) >> 24, 4);		/* RDMA, read */
	resume_good(f, 1, world_get(eqe, 14) & 0xffffff);
	expect_moved(f, f->p.w.mem, f->mem, 2 * PAGE);

	f = faulty_case(state, "not resolved");
	start(f, OP_WRITE, 100);
	assert_int_equal(resume(f, 1, fault_token(f, 1, SUB_RDMA), true, 0), 0);
	expect_failed(f, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	assert_int_equal(world_qp_state(&f->p.b), 6);
}

/* A message into the region of device 1. */
static void
start_send(struct faulty *f, uint32_t len)
{
	fill(f->p.w.mem, len);
	world_recv(&f->p.b, f->key[1], f->mem, len);
	post_send(&f->p.a, f->p.w.mem_key[0], f->p.w.mem, len);
	expect_waiting(f);
}

/* Of several packets; the WQE is the same before and after. */
CASES(receive_queue_keeps_its_wqe_or_fails)
{
	struct faulty *f = faulty_case(state, "resolved");
	const struct mlx5_cqe64 *cqe;
	const uint8_t *eqe;

	start_send(f, 2 * PAGE);
	eqe = fault_event(f, 1, SUB_WQE);
	assert_int_equal(world_get(eqe, 9), 0);
	assert_int_equal(world_get(eqe, 14), 2u << 24 | f->p.b.qpn);	/* a responder */
	resume_good(f, 1, world_get(eqe, 11));
	expect_moved(f, f->mem, f->p.w.mem, 2 * PAGE);
	cqe = NOT_NULL(world_recv_cqe(&f->p.b));
	assert_int_equal(be32toh(cqe->byte_cnt), 2 * PAGE);
	assert_null(world_recv_cqe(&f->p.b));

	f = faulty_case(state, "not resolved");
	start_send(f, 100);
	assert_int_equal(resume(f, 1, fault_token(f, 1, SUB_WQE), true, 0), 0);
	expect_failed(f, MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
	expect_error(world_recv_cqe(&f->p.b), MLX5_CQE_RESP_ERR,
		     MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

/* An unreliable message is lost, its fault is not: the next one arrives. */
FAULTY_CASE(message_of_uc_is_dropped)
{
	const struct type_opts opts = { .st = ST_UC };
	struct type_path path = { .access = ALL_QP_ACCESS, .lid = 2 };
	struct world_qp a, b;

	type_qp_create(&f->p.w, 0, &a, &opts);
	type_qp_create(&f->p.w, 1, &b, &opts);
	path.remote_qpn = b.qpn;
	type_to_rts(&a, &path);
	path.remote_qpn = a.qpn;
	path.lid = 1;
	type_to_rts(&b, &path);
	fill(f->p.w.mem, 100);
	for (int i = 0; i < 2; i++) {
		post_transfer(&a, OP_WRITE, CE, (uintptr_t)f->mem, f->key[1], f->p.w.mem,
			      f->p.w.mem_key[0], 100);
		expect_run(&f->p, &a, 0);
		if (i == 0) {
			resume_good(f, 1, fault_token(f, 1, SUB_RDMA));
			assert_int_equal(f->mem[1], 0);
		}
	}
	assert_memory_equal(f->mem, f->p.w.mem, 100);
	world_qp_destroy(&a);
	world_qp_destroy(&b);
}

FAULTY_CASE(shared_receive_queue_has_a_type_of_its_own)
{
	const uint8_t *eqe;
	struct type_opts opts = { .st = ST_RC, .rq_type = RQ_SHARED };
	struct type_srq srq;
	struct world_qp a, b;

	type_rmp_create(&f->p.w, 1, &srq, true);
	opts.srqn = srq.num;
	world_qp_create(&f->p.w, 0, &a);
	type_qp_create(&f->p.w, 1, &b, &opts);
	world_qp_connect(&f->p.w, &a, &b);
	type_srq_post(&srq, f->key[1], f->mem, 100);
	fill(f->p.w.mem, 100);
	post_send(&a, f->p.w.mem_key[0], f->p.w.mem, 100);
	ring_run(&f->p, &a);
	eqe = fault_event(f, 1, SUB_WQE);
	assert_int_equal(world_get(eqe, 14), srq.num);
	resume_good(f, 1, world_get(eqe, 11));
	expect_done(wait_send_cqe(&f->p, &a), a.last);
	assert_memory_equal(f->mem, f->p.w.mem, 100);
	world_qp_destroy(&a);
	world_qp_destroy(&b);
	type_srq_destroy(&srq);
}

/* Memory scheme: the key that has the pages, and all that are absent in a row. */
FAULTY_CASE(memory_scheme_names_pages_of_the_lowest_key)
{
	const struct world_klm klms[4] = {
		{ PAGE, f->p.w.mem_key[0], (uintptr_t)f->p.w.mem + 8 * PAGE },
		{ 5 * PAGE, f->key[0], (uintptr_t)f->mem + PAGE + 100 },
	};
	uint32_t key = world_klm_key(&f->p.w, 0, 4);
	const uint8_t *eqe;

	f->p.w.dev[0].hca->page_faults.by_memory = true;
	post_umr(&f->p, key, ALL_ACCESS, 6 * PAGE, klms, 4);
	pages_set(f, 0, 0x10);
	fill(f->mem, NB_PAGES * PAGE);
	post_transfer(&f->p.a, OP_WRITE, CE | FENCE, (uintptr_t)f->p.w.mem, f->p.w.mem_key[1],
		      NULL, key, 6 * PAGE);
	ring_run(&f->p, &f->p.a);
	eqe = fault_event(f, 0, SUB_MEMORY);
	assert_int_equal(world_get(eqe, 8), 0x80000000);	/* the last one of this token */
	assert_int_equal(world_get(eqe, 9), 0);
	assert_int_equal(world_get(eqe, 11), 3u << 12);	/* pages 1 to 3: 4 is there */
	assert_int_equal(world_get(eqe, 12), f->key[0]);
	assert_true(world_get64(eqe, 13) == (uintptr_t)f->mem + PAGE);
	pages_set(f, 0, 0x1e);
	assert_int_equal(resume(f, 0, world_get(eqe, 10), false, 0), 0);
	world_run(&f->p.w);
	eqe = fault_event(f, 0, SUB_MEMORY);
	assert_int_equal(world_get(eqe, 11), 2u << 12);
	assert_int_equal(world_get(eqe, 14), (uint32_t)(uintptr_t)f->mem + 5 * PAGE);
	resume_good(f, 0, world_get(eqe, 10));
	expect_moved(f, f->p.w.mem + PAGE, f->mem + PAGE + 100, 5 * PAGE);
}

/* As an implicit region begins: all of the address space in huge pages that are never there. */
FAULTY_CASE(page_of_half_the_address_space_is_absent)
{
	uint8_t in[WORLD_BOX + 64] = { 0 };
	uint64_t va = UINT64_C(0x7654321000);
	const uint8_t *eqe;
	uint32_t key;

	f->p.a.hca->page_faults.by_memory = true;
	world_mkey_box(&f->p.w, 0, in, WORLD_ALL | WORLD_MTT);
	world_put(in, 3, 31, 1);
	world_put(in, 7, 31, 1);
	world_put(in, 17, 0, 4);
	world_put(in, 18, 0, 61);
	world_put(in, 24, 0, 4);
	key = world_exec_create(f->p.a.hca, in, sizeof(in)) << 8;
	post_transfer(&f->p.a, OP_WRITE, CE, (uintptr_t)f->p.w.mem, f->p.w.mem_key[1],
		      (void *)(uintptr_t)va, key, PAGE + 1);
	ring_run(&f->p, &f->p.a);
	eqe = fault_event(f, 0, SUB_MEMORY);
	assert_int_equal(world_get(eqe, 11), 2u << 12);
	assert_int_equal(world_get(eqe, 12), key);
	assert_true(world_get64(eqe, 13) == va);
}

CASES(queue_that_ends_waits_for_nothing)
{
	struct faulty *f = faulty_case(state, "in error");
	uint32_t token;

	start_local(f, OP_WRITE, 100);
	token = fault_token(f, 0, SUB_WQE);
	world_qp_modify(&f->p.a, CMD_2ERR, 0, 0, 0);
	world_run(&f->p.w);
	expect_last(&f->p.a, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	/* Software that is at it may end it. */
	assert_int_equal(resume(f, 0, token, false, 0), 0);
	world_run(&f->p.w);
	assert_null(world_send_cqe(&f->p.a));

	f = faulty_case(state, "reset");
	start_local(f, OP_WRITE, 100);
	fault_event(f, 0, SUB_WQE);
	world_qp_modify(&f->p.a, CMD_2RST, 0, 0, 0);
	world_run(&f->p.w);
	assert_null(world_send_cqe(&f->p.a));
	assert_true(LIST_EMPTY(&f->p.a.hca->page_faults.pending));

	f = faulty_case(state, "destroyed");
	start_local(f, OP_WRITE, 100);
	fault_event(f, 0, SUB_WQE);
	world_qp_destroy(&f->p.a);
	assert_true(LIST_EMPTY(&f->p.a.hca->page_faults.pending));
	world_run(&f->p.w);
	world_qp_create(&f->p.w, 0, &f->p.a);
}

FAULTY_CASE(resumptions_of_nothing_are_rejected)
{
	uint32_t uid, token;

	assert_int_equal(resume(f, 0, 1, false, 0), BAD_PARAM);
	start_local(f, OP_WRITE, 100);
	token = fault_token(f, 0, SUB_WQE);
	assert_int_equal(resume(f, 0, token + 1, false, 0), BAD_PARAM);
	assert_int_equal(resume(f, 0, 0, false, 0), BAD_PARAM);
	uid = world_alloc(f->p.a.hca, 0xa04);
	assert_int_equal(resume(f, 0, token, false, uid), BAD_PARAM);
	world_run(&f->p.w);
	assert_null(world_send_cqe(&f->p.a));
	resume_good(f, 0, token);
	expect_done(wait_send_cqe(&f->p, &f->p.a), f->p.a.last);
	/* Twice does no harm. */
	assert_int_equal(resume(f, 0, token, true, 0), 0);
}

/* From there to pages of the requester, or back; its pages go while it waits for the peer's. */
static uint32_t
pages_go_meanwhile(struct faulty *f, uint8_t op, uint8_t *peer)
{
	uint32_t token;

	pages_set(f, 0, 0xf);
	post_transfer(&f->p.a, op, CE, (uintptr_t)peer, f->key[1], f->mem, f->key[0], 2 * PAGE);
	ring_run(&f->p, &f->p.a);
	token = fault_token(f, 1, SUB_RDMA);
	pages_set(f, 0, 0);
	return token;
}

CASES(pages_that_go_meanwhile_are_not_touched)
{
	struct faulty *f = faulty_case(state, "read");
	uint8_t *other = f->mem + 4 * PAGE;
	uint32_t token = pages_go_meanwhile(f, OP_READ, other);

	fill(other, 2 * PAGE);
	resume_good(f, 1, token);
	run_after(&f->p, 100000000);
	run_after(&f->p, 100000000);
	assert_null(world_send_cqe(&f->p.a));
	assert_int_equal(f->mem[1], 0);
	resume_good(f, 0, fault_token(f, 0, SUB_WQE));
	expect_moved(f, f->mem, other, 2 * PAGE);

	f = faulty_case(state, "write");
	other = f->mem + 4 * PAGE;
	fill(f->mem, 2 * PAGE);
	token = pages_go_meanwhile(f, OP_WRITE, other);
	if (world_is_packet()) {
		/* It has what memory held when the pages went. */
		f->mem[1] = 0xee;
		resume_good(f, 1, token);
		expect_done(wait_send_cqe(&f->p, &f->p.a), f->p.a.last);
		assert_int_equal(other[1], 7);
	} else {
		resume_good(f, 1, token);
		run_after(&f->p, 100000000);
		resume_good(f, 0, fault_token(f, 0, SUB_WQE));
		expect_moved(f, other, f->mem, 2 * PAGE);
	}
}

FAULTY_CASE(query_tells_entries_as_they_fit)
{
	struct swhca_hca *hca = f->p.a.hca;
	const struct world_klm klms[4] = { { PAGE, f->key[0], 0x1234 }, { 1, 2, 3 } };
	uint32_t key = world_klm_key(&f->p.w, 0, 4);
	uint8_t in[16] = { 0 }, out[WORLD_BOX + 32];

	post_umr(&f->p, key, ALL_ACCESS, PAGE, klms, 4);
	ring_run(&f->p, &f->p.a);
	assert_int_equal(world_query(hca, CMD_QUERY_MKEY, 0, key >> 8, out, sizeof(out)), 0);
	assert_int_equal(world_get(out, 68), PAGE);
	assert_int_equal(world_get(out, 69), f->key[0]);
	assert_int_equal(world_get(out, 71), 0x1234);
	assert_int_equal(world_get(out, 73), 2);
	assert_int_equal(world_query(hca, CMD_QUERY_MKEY, 0, key >> 8, out, WORLD_BOX), 0);
	/* Pages, without and with what may be done with them. */
	pages_set(f, 0, 0x1);
	assert_int_equal(world_query(hca, CMD_QUERY_MKEY, 0, f->key[0] >> 8, out, sizeof(out)), 0);
	assert_int_equal(world_get(out, 69) & 3, 0);
	world_put(in, 0, 16, CMD_QUERY_MKEY);
	world_put(in, 2, 0, f->key[0] >> 8);
	world_put(in, 3, 31, 1);
	assert_int_equal(swhca_hca_cmd_exec(hca, in, 16, out, sizeof(out)), 0);
	assert_int_equal(world_get(out, 69) & 3, 3);
	assert_int_equal(world_get(out, 71) & 3, 0);
}
