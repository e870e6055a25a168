/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Moves of the program at operation addresses, by every instruction that is followed. */

#include <signal.h>

#include "swhca_pair.h"
#include "swhca_trap.h"

#define MEMIC_SIZE	(256u << 10)
#define PAGE		4096u

struct ops {
	struct world w;
	struct swhca_hca *hca;
	uint8_t *memory;		/* the byte itself, by the BAR */
	volatile uint8_t *inc;
	volatile uint8_t *tas;
	uint8_t *bar;
};

static sigjmp_buf not_ours;

static void
on_fault(int sig, siginfo_t *info, void *ctx)
{
	(void)sig;
	if (!swhca_trap_handle(info->si_addr, ctx))
		siglongjmp(not_ours, 1);
}

static uint64_t
cmd64(struct swhca_hca *hca, uint8_t *in, size_t in_len, unsigned int out_dw)
{
	uint8_t out[64];
	uint64_t be;

	assert_int_equal(swhca_hca_cmd_exec(hca, in, in_len, out, sizeof(out)), 0);
	memcpy(&be, out + (size_t)out_dw * 4, 8);
	return be64toh(be);
}

static uint8_t *
op_map(struct ops *o, uint64_t start, uint8_t op)
{
	uint8_t in[64] = { 0x02, 0x07 };
	uint64_t addr;
	uint8_t *va;

	world_put(in, 3, 0, op);
	world_put(in, 5, 0, (uint32_t)start);
	addr = cmd64(o->hca, in, sizeof(in), 4);
	va = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, swhca_hca_bar_fd(o->hca),
		  (off_t)(addr & ~(uint64_t)(PAGE - 1)));
	assert_ptr_not_equal(va, MAP_FAILED);
	assert_int_equal(swhca_trap_add(o->hca, va, PAGE, (off_t)(addr & ~(uint64_t)(PAGE - 1))),
			 0);
	return va + addr % PAGE;
}

static int
ops_setup(void **state)
{
	const struct swhca_hca_conf conf = { .vhca_id = 7, .lid = 7, .port_guid = 7,
					     .has_memic_ops = true };
	uint8_t in[32] = { 0x02, 0x05 };
	struct ops *o = calloc(1, sizeof(*o));
	uint64_t start, uars = (uint64_t)SWHCA_UAR_SIZE << 9;

	swhca_log_level = SWHCA_LOG_NONE;
	assert_non_null(o);
	world_create(&o->w);
	assert_int_equal(swhca_hca_create(o->w.fabric, &conf, &o->hca), 0);
	world_put(in, 5, 0, (uint32_t)uars);
	world_put(in, 6, 0, MEMIC_SIZE);
	world_put(in, 7, 0, 64);
	start = cmd64(o->hca, in, sizeof(in), 2);
	o->bar = mmap(NULL, swhca_hca_bar_size(o->hca), PROT_READ | PROT_WRITE, MAP_SHARED,
		      swhca_hca_bar_fd(o->hca), 0);
	assert_ptr_not_equal(o->bar, MAP_FAILED);
	o->memory = o->bar + start;
	o->inc = op_map(o, start, 0);
	o->tas = op_map(o, start, 1);
	*state = o;
	return 0;
}

static int
ops_teardown(void **state)
{
	struct ops *o = *state;

	swhca_trap_forget();
	munmap(o->bar, swhca_hca_bar_size(o->hca));
	world_destroy(&o->w);
	free(o);
	return 0;
}

/* In the case itself: cmocka has handlers of its own around it. */
static struct ops *
ops_get(void **state)
{
	const struct sigaction act = { .sa_sigaction = on_fault,
				       .sa_flags = SA_SIGINFO | SA_NODEFER };

	assert_int_equal(sigaction(SIGBUS, &act, NULL), 0);
	return *state;
}

#define OPS_CASE(f) cmocka_unit_test_setup_teardown(f, ops_setup, ops_teardown)

#ifdef __x86_64__

static void
stores_of_all_kinds_add(void **state)
{
	struct ops *o = ops_get(state);
	uint64_t five = 0x0505;

	__asm__ volatile("movb $2, (%0)" : : "r"(o->inc) : "memory");
	assert_int_equal(*o->memory, 2);
	__asm__ volatile("movb $2, 8(%0,%1,4)" : : "r"(o->inc - 48), "r"(UINT64_C(10)) : "memory");
	assert_int_equal(*o->memory, 4);
	__asm__ volatile("movb %b1, (%0)" : : "r"(o->inc), "a"(five) : "memory");
	assert_int_equal(*o->memory, 9);
	/* High byte of a register, a register beyond the first eight, long displacement. */
	__asm__ volatile("movb %h1, 0x1000(%0)" : : "S"(o->inc - 0x1000), "b"(five) : "memory");
	assert_int_equal(*o->memory, 14);
	__asm__ volatile("movq %1, %%r13\n\tmovb %%r13b, (%0)" : : "r"(o->inc), "r"(five)
			 : "memory", "r13");
	assert_int_equal(*o->memory, 19);
	__asm__ volatile("movq %1, %%rsi\n\tmovq %0, %%r12\n\tmovb %%sil, (%%r12)"
			 : : "r"(o->inc), "r"(five) : "memory", "rsi", "r12");
	assert_int_equal(*o->memory, 24);
}

static void
loads_of_all_kinds_set_to_1(void **state)
{
	struct ops *o = ops_get(state);
	uint64_t value = UINT64_MAX;

	*o->memory = 0x81;
	__asm__ volatile("movzbl (%1), %k0" : "+r"(value) : "r"(o->tas) : "memory");
	assert_int_equal(value, 0x81);
	assert_int_equal(*o->memory, 1);
	*o->memory = 0x81;
	__asm__ volatile("movsbq 3(%1), %0" : "+r"(value) : "r"(o->tas - 3) : "memory");
	assert_true(value == (uint64_t)-0x7f);
	*o->memory = 0x12;
	value = 0x3333333333333333;
	__asm__ volatile("movb (%1), %h0" : "+a"(value) : "S"(o->tas) : "memory");
	assert_true(value == 0x3333333333331233);
	__asm__ volatile("movzbw (%1), %w0" : "+r"(value) : "r"(o->tas) : "memory");
	assert_true(value == 0x3333333333330001);
	*o->memory = 0x44;
	__asm__ volatile("movb (%1), %b0" : "+r"(value) : "r"(o->tas) : "memory");
	assert_true(value == 0x3333333333330044);
}

#endif

static void
wider_access_is_the_programs_fault(void **state)
{
	struct ops *o = ops_get(state);

	*o->memory = 5;
	if (sigsetjmp(not_ours, 1) == 0) {
		*(volatile uint32_t *)(uintptr_t)o->inc = 1;
		fail();
	}
	/* The other kind of access, and a mapping that is gone. */
	if (sigsetjmp(not_ours, 1) == 0) {
		(void)*o->inc;
		fail();
	}
	swhca_trap_remove((const void *)(uintptr_t)o->inc, 1);
	if (sigsetjmp(not_ours, 1) == 0) {
		*o->inc = 1;
		fail();
	}
	assert_int_equal(*o->memory, 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef __x86_64__
		OPS_CASE(stores_of_all_kinds_add),
		OPS_CASE(loads_of_all_kinds_set_to_1),
#endif
		OPS_CASE(wider_access_is_the_programs_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
