/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What the driver of a kernel does with a function: mailboxes as Linux' mlx5_core and mlx5_ib send
 * them, typed by dword and bit (include/linux/mlx5/mlx5_ifc.h).
 */

#include "object/hca_state.h"
#include "queue/halt.h"
#include "pair.h"

#define QUERY_HCA_CAP	0x100
#define QUERY_ADAPTER	0x101
#define INIT_HCA	0x102
#define TEARDOWN_HCA	0x103
#define ENABLE_HCA	0x104
#define DISABLE_HCA	0x105
#define QUERY_PAGES	0x107
#define MANAGE_PAGES	0x108
#define SET_HCA_CAP	0x109
#define QUERY_ISSI	0x10a
#define SET_ISSI	0x10b
#define CREATE_EQ	0x301
#define DESTROY_EQ	0x302
#define QUERY_VPORT_STATE 0x750
#define QUERY_HCA_VPORT_GID 0x764
#define QUERY_HCA_VPORT_PKEY 0x765
#define ALLOC_Q_COUNTER	0x771
#define DEALLOC_Q_COUNTER 0x772
#define QUERY_Q_COUNTER	0x773
#define ALLOC_PD	0x800
#define ALLOC_UAR	0x802
#define ACCESS_REG	0x805
#define NOP		0x80d
#define CREATE_UCTX	0xa04

#define BAD_OP		0x02
#define BAD_PARAM	0x03
#define BAD_SYS_STATE	0x04
#define BAD_RES		0x05
#define EXCEED_LIM	0x08
#define BAD_INDEX	0x0a
#define NO_RES		0x0f
#define BAD_INP_LEN	0x50
#define BAD_OUTP_LEN	0x51

#define BOOT 1u
#define INIT 2u
#define REGULAR 3u
#define GIVE 1u
#define TAKE 2u

#define MAX_PAGES 4096u

/* A function that is not enabled yet. */
struct fn {
	struct swhca_fabric *fabric;
	struct swhca_hca *hca;
	unsigned int nb_interrupts;
	uint8_t in[16 + MAX_PAGES * 8];
	uint8_t out[16 + MAX_PAGES * 8];
};

static void
fn_interrupt(void *arg, unsigned int vector)
{
	((struct fn *)arg)->nb_interrupts++;
}

static void
fn_destroy(void *arg)
{
	struct fn *fn = arg;

	swhca_fabric_destroy(fn->fabric);
	free(fn);
}

/* As next_case(), with as many octowords of keys. */
static struct fn *
fn_create(void **state, const char *name, uint32_t max_xlt)
{
	struct fn *fn = calloc(1, sizeof(*fn));
	const struct swhca_hca_conf conf = {
		.lid = 5, .max_xlt = max_xlt, .port_guid = UINT64_C(0x0002c90300001234),
		.has_driver = true, .interrupt = fn_interrupt, .interrupt_arg = fn,
	};

	case_name(state, name);
	assert_non_null(fn);
	assert_int_equal(swhca_fabric_create(NULL, &fn->fabric), 0);
	assert_int_equal(swhca_hca_create(fn->fabric, &conf, &fn->hca), 0);
	return case_begin(state, fn, fn_destroy);
}

static struct fn *
fn_case(void **state, const char *name)
{
	return fn_create(state, name, 0);
}

/* A command of these sizes whose other dwords are already in fn->in. */
static uint8_t
exec(struct fn *fn, uint16_t opcode, uint16_t op_mod, size_t in_len, size_t out_len)
{
	uint8_t status;

	world_put(fn->in, 0, 16, opcode);
	world_put(fn->in, 1, 0, op_mod);
	status = swhca_hca_cmd_exec(fn->hca, fn->in, in_len, fn->out, out_len);
	memset(fn->in, 0, in_len);
	return status;
}

static uint8_t
short_cmd(struct fn *fn, uint16_t opcode, uint16_t op_mod, uint32_t dw2)
{
	world_put(fn->in, 2, 0, dw2);
	return exec(fn, opcode, op_mod, 16, 16);
}

/* The same, which must be done. */
static void
good_cmd(struct fn *fn, uint16_t opcode, uint32_t dw2)
{
	assert_int_equal(short_cmd(fn, opcode, 0, dw2), 0);
}

static uint32_t
number_of(struct fn *fn, uint16_t opcode)
{
	good_cmd(fn, opcode, 0);
	return world_get(fn->out, 2);
}

static uint32_t
pages_wanted(struct fn *fn, uint16_t what)
{
	assert_int_equal(short_cmd(fn, QUERY_PAGES, what, 0), 0);
	return world_get(fn->out, 3);
}

/* Pages from that address on. */
static uint8_t
give(struct fn *fn, uint32_t nb, uint64_t addr)
{
	uint32_t i;

	world_put(fn->in, 3, 0, nb);
	for (i = 0; i < nb && i < MAX_PAGES; i++)
		world_put64(fn->in, 4 + 2 * i, addr + i * 4096);
	return exec(fn, MANAGE_PAGES, GIVE, 16 + 8 * (size_t)(i), 16);
}

static uint32_t
take(struct fn *fn, uint32_t nb)
{
	world_put(fn->in, 3, 0, nb);
	assert_int_equal(exec(fn, MANAGE_PAGES, TAKE, 16, 16 + 8 * (size_t)nb), 0);
	return world_get(fn->out, 2);
}

/* mlx5_function_open(). */
static void
open_hca(struct fn *fn)
{
	good_cmd(fn, SET_ISSI, 1);
	assert_int_equal(give(fn, pages_wanted(fn, BOOT), 0x1000000), 0);
	assert_int_equal(give(fn, pages_wanted(fn, INIT), 0x2000000), 0);
	assert_int_equal(exec(fn, INIT_HCA, 0, 32, 16), 0);
}

/* mlx5_function_enable() and mlx5_function_open(), without SET_HCA_CAP. */
static void
bring_up(struct fn *fn)
{
	good_cmd(fn, ENABLE_HCA, 0);
	open_hca(fn);
}

static struct fn *
up_case(void **state, const char *name)
{
	struct fn *fn = fn_case(state, name);

	bring_up(fn);
	return fn;
}

CASES(a_function_comes_up_step_by_step)
{
	struct fn *fn = fn_case(state, "up and down");
	uint32_t nb, nb_taken = 0;

	for (int i = 0; i < 2; i++, nb_taken = 0) {
		bring_up(fn);
		nb = pages_wanted(fn, BOOT) + pages_wanted(fn, INIT);
		good_cmd(fn, ALLOC_PD, 0);
		/* A front end knows where a driver's first UAR page is: the same one each time. */
		assert_int_equal(number_of(fn, ALLOC_UAR), 1);
		/* What it was given for its contexts stays until it is torn down. */
		assert_int_equal(take(fn, 100), 0);
		good_cmd(fn, TEARDOWN_HCA, 0);
		assert_int_equal(short_cmd(fn, ALLOC_PD, 0, 0), BAD_SYS_STATE);
		while (nb_taken < nb)
			nb_taken += take(fn, 100);
		assert_int_equal(nb_taken, nb);
		assert_int_equal(take(fn, 100), 0);
		good_cmd(fn, DISABLE_HCA, 0);
	}

	fn = fn_case(state, "out of order");
	assert_int_equal(short_cmd(fn, ALLOC_PD, 0, 0), BAD_SYS_STATE);
	assert_int_equal(short_cmd(fn, SET_ISSI, 0, 1), BAD_SYS_STATE);
	assert_int_equal(short_cmd(fn, DISABLE_HCA, 0, 0), BAD_SYS_STATE);
	assert_int_equal(give(fn, 1, 0x1000), BAD_SYS_STATE);
	assert_int_equal(short_cmd(fn, ENABLE_HCA, 0, 1), BAD_PARAM);
	good_cmd(fn, ENABLE_HCA, 0);
	assert_int_equal(short_cmd(fn, ENABLE_HCA, 0, 0), BAD_SYS_STATE);
	assert_int_equal(exec(fn, INIT_HCA, 0, 16, 16), BAD_SYS_STATE);
	assert_int_equal(short_cmd(fn, SET_ISSI, 0, 2), BAD_PARAM);
	good_cmd(fn, SET_ISSI, 1);
	/* Pages are missing. */
	assert_int_equal(exec(fn, INIT_HCA, 0, 16, 16), NO_RES);
	assert_int_equal(short_cmd(fn, TEARDOWN_HCA, 0, 0), BAD_SYS_STATE);
	assert_int_equal(give(fn, 576, 0x1000), 0);
	assert_int_equal(exec(fn, INIT_HCA, 0, 16, 16), 0);
	assert_int_equal(exec(fn, INIT_HCA, 0, 16, 16), BAD_SYS_STATE);
	assert_int_equal(short_cmd(fn, TEARDOWN_HCA, 0, 7), BAD_PARAM);

	fn = fn_case(state, "ISSI");
	assert_int_equal(exec(fn, QUERY_ISSI, 0, 16, 0x70), 0);
	assert_int_equal(world_get(fn->out, 2), 0);
	assert_int_equal(world_get(fn->out, 27), 1 << 1);
	bring_up(fn);
	assert_int_equal(exec(fn, QUERY_ISSI, 0, 16, 0x70), 0);
	assert_int_equal(world_get(fn->out, 2), 1);
}

CASES(bad_pages_and_too_many_are_rejected_all_together)
{
	struct fn *fn = fn_case(state, "pages");

	good_cmd(fn, ENABLE_HCA, 0);
	assert_int_equal(give(fn, 2, 0), BAD_PARAM);
	assert_int_equal(give(fn, 2, 0x1004), BAD_PARAM);
	world_put(fn->in, 3, 0, 2);
	assert_int_equal(exec(fn, MANAGE_PAGES, GIVE, 24, 16), BAD_INP_LEN);
	world_put(fn->in, 3, 0, 0xffffffff);
	assert_int_equal(exec(fn, MANAGE_PAGES, TAKE, 16, 24), BAD_OUTP_LEN);
	assert_int_equal(short_cmd(fn, MANAGE_PAGES, 3, 0), BAD_PARAM);
	good_cmd(fn, MANAGE_PAGES, 0);
	assert_int_equal(short_cmd(fn, QUERY_PAGES, 4, 0), BAD_PARAM);
	assert_int_equal(take(fn, 8), 0);
	for (uint32_t i = 0; i < 16; i++)
		assert_int_equal(give(fn, MAX_PAGES, 0x1000), 0);
	assert_int_equal(give(fn, 1, 0x1000), EXCEED_LIM);
}

/* Dword of a page of capabilities: the most there is, or what is chosen. */
static uint32_t
cap(struct fn *fn, unsigned int page, bool is_current, unsigned int dw)
{
	assert_int_equal(exec(fn, QUERY_HCA_CAP, (uint16_t)(page << 1 | is_current), 16, 0x1010),
			 0);
	return world_get(fn->out, 4 + dw);
}

/* Choose the capabilities of the last query, with log_max_qp of page 0. */
static uint8_t
choose(struct fn *fn, uint16_t op_mod, uint32_t log_max_qp)
{
	memcpy(fn->in + 16, fn->out + 16, 0x1000);
	fn->in[16 + 19] = (uint8_t)log_max_qp;
	return exec(fn, SET_HCA_CAP, op_mod, 0x1010, 16);
}

CASES(a_driver_chooses_capabilities_and_page_faults)
{
	struct fn *fn = fn_case(state, "capabilities");
	uint32_t log_max_qp;
	const unsigned int mem_page_fault = 48;

	good_cmd(fn, ENABLE_HCA, 0);
	/* 255 counter sets; page faults are told. */
	assert_int_equal(cap(fn, 0, false, 12) >> 16 & 0x3ff, 255);
	assert_int_equal(cap(fn, 0, false, 17) >> 24 & 1, 1);
	log_max_qp = cap(fn, 0, false, 4) & 0x1f;
	assert_int_equal(choose(fn, 0, 3), 0);
	assert_int_equal(cap(fn, 0, true, 4) & 0x1f, 3);
	assert_int_equal(cap(fn, 0, false, 4) & 0x1f, log_max_qp);
	assert_int_equal(choose(fn, 0, log_max_qp + 1), BAD_PARAM);
	assert_int_equal(exec(fn, SET_HCA_CAP, 0x7e, 0x1010, 16), BAD_PARAM);
	swhca_hca_reset(fn->hca);
	bring_up(fn);
	assert_int_equal(cap(fn, 0, true, 4) & 0x1f, log_max_qp);
	assert_int_equal(exec(fn, SET_HCA_CAP, 0, 0x1010, 16), BAD_SYS_STATE);

	/* handle_hca_cap_odp(): of memory if it asks for that, and else of queues. */
	fn = fn_case(state, "page faults");
	good_cmd(fn, ENABLE_HCA, 0);
	assert_int_equal(cap(fn, 2, false, mem_page_fault) >> 31, 1);
	assert_int_equal(cap(fn, 2, true, mem_page_fault) >> 31, 0);
	memcpy(fn->in + 16, fn->out + 16, 0x1000);
	world_put(fn->in, 4 + mem_page_fault, 31, 1);
	assert_int_equal(exec(fn, SET_HCA_CAP, 2 << 1, 0x1010, 16), 0);
	assert_int_equal(cap(fn, 2, true, mem_page_fault) >> 31, 1);
	open_hca(fn);
	assert_true(fn->hca->page_faults.by_memory);
	swhca_hca_reset(fn->hca);
	assert_false(fn->hca->page_faults.by_memory);
	bring_up(fn);
	assert_false(fn->hca->page_faults.by_memory);
}

/* A register of that size, of port 1 if it has ports. */
static uint8_t
reg(struct fn *fn, bool is_read, uint32_t id, uint32_t first, size_t size)
{
	world_put(fn->in, 2, 0, id);
	world_put(fn->in, 4, 0, first);
	return exec(fn, ACCESS_REG, is_read, 16 + size, 16 + size);
}

/* Dword of a register that can be read. */
static uint32_t
reg_dword(struct fn *fn, uint32_t id, uint32_t first, size_t size, unsigned int dw)
{
	assert_int_equal(reg(fn, true, id, first, size), 0);
	return world_get(fn->out, 4 + dw);
}

CASES(registers_and_names_tell_of_the_port)
{
	struct fn *fn = up_case(state, "registers");
	const uint32_t port = 1u << 16;

	assert_int_equal(reg_dword(fn, 0x5003, port, 16, 1) >> 16, 4096);
	assert_int_equal(reg_dword(fn, 0x5003, port, 16, 3) >> 16, 4096);
	assert_int_equal(reg_dword(fn, 0x5004, port | 1, 0x40, 10), 4u << 16 | 128);	/* 4X NDR */
	assert_int_equal(reg_dword(fn, 0x500f, port, 16, 1), 4);
	assert_int_equal(reg(fn, true, 0x5008, port | 0x20, 0x100), 0);
	assert_int_equal(reg(fn, true, 0x5008, port | 0x01, 0x100), BAD_PARAM);
	swhca_hca_port_set(fn->hca, false);
	assert_int_equal(reg_dword(fn, 0x5004, port | 1, 0x40, 10), 0);
	good_cmd(fn, QUERY_VPORT_STATE, 0);
	assert_int_equal(world_get(fn->out, 3), 0x10);
	assert_int_equal(reg(fn, true, 0x5003, 2u << 16, 16), BAD_PARAM);
	/* Rejected late, and still without an answer. */
	assert_int_equal(reg(fn, false, 0x5003, port, 16), BAD_PARAM);
	assert_int_equal(world_get(fn->out, 4), 0);
	assert_int_equal(reg(fn, true, 0x5003, port, 8), BAD_INP_LEN);
	assert_int_equal(reg(fn, true, 0x1234, port, 16), BAD_PARAM);
	/* A host of little endian, and one of big. */
	assert_int_equal(reg(fn, false, 0x7004, 0, 16), 0);
	assert_int_equal(reg(fn, false, 0x7004, 0x80000000, 16), BAD_PARAM);

	fn = fn_case(state, "adapter of a function that is not enabled");
	assert_int_equal(exec(fn, QUERY_ADAPTER, 0, 16, 0x110), 0);
	assert_string_equal((const char *)fn->out + 0x100, "SWH_cx7");
	assert_int_equal(world_get(fn->out, 10), 0x2c9);
	assert_int_equal(exec(fn, NOP, 0, 16, 16), 0);

	fn = up_case(state, "names");
	assert_int_equal(reg(fn, true, 0x6001, 0, 64), 0);
	assert_memory_equal(fn->out + 16, "swhca ConnectX-7", 17);
	assert_int_equal(reg(fn, false, 0x6001, 0x61626300, 64), 0);
	assert_int_equal(reg(fn, true, 0x6001, 0, 64), 0);
	assert_memory_equal(fn->out + 16, "abc\0\0\0\0", 8);
}

static uint8_t
table_entry(struct fn *fn, uint16_t opcode, uint32_t index, size_t out_len)
{
	world_put(fn->in, 3, 0, index);
	return exec(fn, opcode, 0, 16, out_len);
}

CASES(addresses_and_partitions_of_the_port)
{
	struct fn *fn = up_case(state, "port");
	static const uint8_t gid[16] = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xc9, 3, 0, 0, 0x12,
					 0x34 };
	static const uint8_t none[16];

	assert_int_equal(table_entry(fn, QUERY_HCA_VPORT_GID, 0, 32), 0);
	assert_int_equal(world_get(fn->out, 3) >> 16, 1);
	assert_memory_equal(fn->out + 16, gid, 16);
	assert_int_equal(table_entry(fn, QUERY_HCA_VPORT_GID, 0xffff, 16 + 8 * 16), 0);
	assert_int_equal(world_get(fn->out, 3) >> 16, 8);
	assert_memory_equal(fn->out + 16, gid, 16);
	assert_memory_equal(fn->out + 32, none, 16);
	assert_int_equal(table_entry(fn, QUERY_HCA_VPORT_GID, 0xffff, 32), BAD_OUTP_LEN);
	assert_int_equal(table_entry(fn, QUERY_HCA_VPORT_GID, 8, 32), BAD_INDEX);
	assert_int_equal(table_entry(fn, QUERY_HCA_VPORT_PKEY, 0xffff, 16 + 128 * 4), 0);
	assert_int_equal(world_get(fn->out, 4), 0xffff);
	assert_int_equal(world_get(fn->out, 5), 0);
	assert_int_equal(table_entry(fn, QUERY_HCA_VPORT_PKEY, 128, 20), BAD_INDEX);
}

/* Of a function without a driver, nobody does. */
PAIR_CASE(a_function_without_a_driver_is_ready)
{
	assert_int_equal(world_cmd(p->w.dev[0].hca, ENABLE_HCA, 0, NULL), BAD_OP);
	assert_int_equal(world_cmd(p->w.dev[0].hca, ALLOC_Q_COUNTER, 0, NULL), BAD_OP);
	assert_int_equal(world_cmd(p->w.dev[0].hca, ALLOC_PD, 0, NULL), 0);
}

CASES(spare_pages_and_counter_sets_come_and_go)
{
	struct fn *fn = up_case(state, "pages");
	uint32_t id;

	assert_int_equal(pages_wanted(fn, REGULAR), 0);
	assert_int_equal(give(fn, 3, UINT64_C(0x7000000000)), 0);
	assert_int_equal(pages_wanted(fn, REGULAR), (uint32_t)-3);
	assert_int_equal(take(fn, 8), 3);
	assert_int_equal(world_get(fn->out, 4), 0x70);
	assert_int_equal(world_get(fn->out, 5), 0x2000);
	assert_int_equal(world_get(fn->out, 9), 0);

	fn = up_case(state, "counter sets");
	id = number_of(fn, ALLOC_Q_COUNTER);
	assert_in_range(id, 1, 255);
	world_put(fn->in, 7, 0, id);
	assert_int_equal(exec(fn, QUERY_Q_COUNTER, 0, 32, 0x100), 0);
	assert_int_equal(world_get(fn->out, 12), 0);
	good_cmd(fn, DEALLOC_Q_COUNTER, id);
	world_put(fn->in, 7, 0, id);
	assert_int_equal(exec(fn, QUERY_Q_COUNTER, 0, 32, 0x100), BAD_RES);
}

CASES(reset_ends_stalls_and_leaves_nothing)
{
	struct fn *fn = fn_case(state, "stall");
	struct swhca_hca_stats stats;

	swhca_still_stall(fn->hca, UINT64_C(3600000000000));
	assert_true(swhca_hca_is_still(fn->hca));
	swhca_hca_reset(fn->hca);
	assert_false(swhca_hca_is_still(fn->hca));
	bring_up(fn);

	fn = fn_case(state, "objects");
	for (int i = 0; i < 3; i++) {
		bring_up(fn);
		good_cmd(fn, ALLOC_PD, 0);
		swhca_hca_crash(fn->hca);
		assert_int_not_equal(short_cmd(fn, ALLOC_PD, 0, 0), 0);
		swhca_hca_reset(fn->hca);
		swhca_hca_stats_get(fn->hca, &stats);
		assert_int_equal(stats.nb_objects, 0);
		assert_int_equal(short_cmd(fn, ALLOC_PD, 0, 0), BAD_SYS_STATE);
	}
}

/* The EQ of completions of commands, as mlx5_core creates it: nothing tells of that command. */
CASES(commands_are_told_of_once_there_is_an_eq)
{
	struct fn *fn = up_case(state, "EQ");
	uint8_t *ring = aligned_alloc(4096, 4096);
	uint32_t uarn, eqn;
	uint8_t *bar;

	assert_non_null(ring);
	memset(ring, 0xff, 4096);
	uarn = number_of(fn, ALLOC_UAR);
	assert_false(swhca_hca_has_cmd_eq(fn->hca));
	world_put(fn->in, 7, 24, 6);
	world_put(fn->in, 7, 0, uarn);
	world_put(fn->in, 23, 0, 1 << 10);
	world_put_bus(fn->in, 68, ring);
	assert_int_equal(exec(fn, CREATE_EQ, 0, 0x118, 16), 0);
	eqn = world_get(fn->out, 2);
	assert_true(swhca_hca_has_cmd_eq(fn->hca));
	assert_int_equal(ring[63], 0xff);
	bar = mmap(NULL, swhca_hca_bar_size(fn->hca), PROT_READ | PROT_WRITE, MAP_SHARED,
		   swhca_hca_bar_fd(fn->hca), 0);
	assert_ptr_not_equal(bar, MAP_FAILED);
	world_store(bar + (size_t)uarn * 4096 + 0x40, eqn << 24);
	swhca_fabric_poll(fn->fabric);
	swhca_hca_raise_cmd_event(fn->hca, 0x80000001);
	assert_int_equal(ring[1], 0x0a);
	assert_int_equal(ring[63] & 1, 0);
	assert_int_equal(world_get(ring, 8), 0x80000001);
	assert_int_equal(fn->nb_interrupts, 1);
	good_cmd(fn, DESTROY_EQ, eqn);
	assert_false(swhca_hca_has_cmd_eq(fn->hca));
	swhca_hca_raise_cmd_event(fn->hca, 2);
	munmap(bar, swhca_hca_bar_size(fn->hca));
	free(ring);
}

#define MTT 1u
#define KSM 3u

/* mlx5_imr_ksm_entries of mlx5_ib with 5-level paging. */
static uint8_t
key_create(struct fn *fn, uint32_t mode, uint32_t uid, uint32_t pdn, uint32_t nb)
{
	world_put(fn->in, 0, 0, uid);
	world_put(fn->in, 4, 15, 1);	/* umr_en */
	world_put(fn->in, 4, 8, mode);
	world_put(fn->in, 5, 8, 0xffffff);
	world_put(fn->in, 7, 0, pdn);
	world_put(fn->in, 17, 0, nb);
	world_put(fn->in, 18, 0, 30);
	return exec(fn, 0x200, 0, 0x110, 16);
}

/* Users' commands have the uid of their context; the kernel lets some through, and no more. */
CASES(users_command_neither_the_function_nor_large_keys)
{
	struct fn *fn = up_case(state, "commands");
	static const uint16_t of_kernel[] = { ENABLE_HCA, DISABLE_HCA, INIT_HCA, TEARDOWN_HCA,
					      SET_ISSI, QUERY_PAGES, MANAGE_PAGES, ACCESS_REG };
	uint32_t uid, pdn;

	uid = number_of(fn, CREATE_UCTX);
	for (size_t i = 0; i < NB_OF(of_kernel); i++) {
		world_put(fn->in, 0, 0, uid);
		row_check_at(i, exec(fn, of_kernel[i], 0, 32, 32), BAD_OP);
	}
	world_put(fn->in, 0, 0, uid);
	assert_int_equal(exec(fn, ALLOC_Q_COUNTER, 0, 16, 16), 0);

	fn = up_case(state, "keys");
	pdn = number_of(fn, ALLOC_PD);
	assert_int_equal(key_create(fn, KSM, 0, pdn, 1u << 26), 0);
	good_cmd(fn, 0x202, world_get(fn->out, 2));
	assert_int_equal(key_create(fn, KSM, 0, pdn, (1u << 26) + 1), EXCEED_LIM);
	/* MLX5_IMR_MTT_ENTRIES */
	assert_int_equal(key_create(fn, MTT, 0, pdn, 1u << 17), 0);
	uid = number_of(fn, CREATE_UCTX);
	assert_int_equal(key_create(fn, KSM, uid, pdn, 1u << 26), EXCEED_LIM);
}

/* What a guest makes its server hold has an end, and is given back. */
CASES(there_is_a_limit_of_all_keys_of_a_driver)
{
	const uint32_t half = 1u << 19;
	struct fn *fn = fn_create(state, "few octowords", 2 * half);
	uint32_t pdn, key;

	bring_up(fn);
	pdn = number_of(fn, ALLOC_PD);
	assert_int_equal(key_create(fn, KSM, 0, pdn, half), 0);
	key = world_get(fn->out, 2);
	assert_int_equal(key_create(fn, KSM, 0, pdn, half), 0);
	assert_int_equal(key_create(fn, KSM, 0, pdn, 1), NO_RES);
	good_cmd(fn, 0x202, key);
	assert_int_equal(key_create(fn, KSM, 0, pdn, 1), 0);
	assert_int_equal(key_create(fn, KSM, 0, pdn, half), NO_RES);
	assert_int_equal(key_create(fn, KSM, 0, pdn, half - 1), 0);
	assert_int_equal(key_create(fn, KSM, 0, pdn, 1), NO_RES);
	/* As if it had never had any. */
	swhca_hca_reset(fn->hca);
	bring_up(fn);
	assert_int_equal(key_create(fn, KSM, 0, number_of(fn, ALLOC_PD), half), 0);
}
