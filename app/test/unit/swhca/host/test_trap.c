/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Moves of the program at operation addresses and to UAR pages, by every instruction that is
 * followed.
 */

#include <inttypes.h>
#include <signal.h>

#include "pair.h"
#include "host/trap.h"

#define MEMIC_SIZE	(256u << 10)
#define PAGE		4096u

struct ops {
	struct world w;
	struct swhca_hca *hca;
	uint8_t *memory;		/* the byte itself, by the BAR */
	volatile uint8_t *inc;
	volatile uint8_t *tas;
	uint8_t *bar;
	uint8_t *uar;			/* UAR pages as the program has them */
	const uint8_t *uar_memory;	/* by the BAR */
};

#define NB_UAR_PAGES 2u

static sigjmp_buf not_ours;

static void
on_fault(int sig, siginfo_t *info, void *ctx)
{
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
	o->uar_memory = o->bar + PAGE;
	o->uar = mmap(NULL, NB_UAR_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
		      swhca_hca_bar_fd(o->hca), PAGE);
	assert_ptr_not_equal(o->uar, MAP_FAILED);
	swhca_trap_add_uar(o->hca, o->uar, NB_UAR_PAGES * PAGE, PAGE);
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
	munmap(o->uar, NB_UAR_PAGES * PAGE);
	munmap(o->bar, swhca_hca_bar_size(o->hca));
	world_destroy(&o->w);
	free(o);
	return 0;
}

#define OPS_CASE(f) CASE_WITH(f, ops_setup, ops_teardown)

/* In the case itself: cmocka has handlers of its own around it. */
static struct ops *
ops_get(void **state)
{
	const struct sigaction act = { .sa_sigaction = on_fault,
				       .sa_flags = SA_SIGINFO | SA_NODEFER };

	assert_int_equal(sigaction(SIGBUS, &act, NULL), 0);
	assert_int_equal(sigaction(SIGSEGV, &act, NULL), 0);
	return *state;
}

#ifdef __x86_64__

OPS_CASE(stores_of_all_kinds_add)
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

OPS_CASE(loads_of_all_kinds_set_to_1)
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

/* Whether UAR pages are still those whose stores are seen. */
static bool
is_seen(const struct ops *o)
{
	char perms[5], line[256];
	uintptr_t from, to;
	bool is_writable = true;
	FILE *maps = NOT_NULL(fopen("/proc/self/maps", "r"));

	while (fgets(line, sizeof(line), maps) != NULL) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &from, &to, perms) == 3 &&
		    from <= (uintptr_t)o->uar && (uintptr_t)o->uar < to)
			is_writable = perms[1] == 'w';
	}
	fclose(maps);
	return !is_writable;
}

static void
expect_stored(const struct ops *o, size_t at, const void *value, size_t len)
{
	assert_memory_equal(o->uar_memory + at, value, len);
	assert_true(is_seen(o));
}

OPS_CASE(stores_of_all_sizes_reach_the_page)
{
	struct ops *o = ops_get(state);
	uint64_t value = 0x1122334455667788;
	uint8_t *to = o->uar;

	assert_true(is_seen(o));
	__asm__ volatile("movq %1, (%0)" : : "r"(to), "r"(value) : "memory");
	expect_stored(o, 0, &value, 8);
	__asm__ volatile("movl %k1, 0x810(%0)" : : "r"(to), "r"(value) : "memory");
	expect_stored(o, 0x810, &value, 4);
	assert_int_equal(o->uar_memory[0x814], 0);
	__asm__ volatile("movw %w1, (%0,%2,8)" : : "r"(to), "r"(value), "r"(UINT64_C(5))
			 : "memory");
	expect_stored(o, 40, &value, 2);
	__asm__ volatile("movb %b1, 50(%0)" : : "r"(to), "a"(value) : "memory");
	expect_stored(o, 50, &value, 1);
	__asm__ volatile("movq %1, %%r14\n\tmovq %0, %%r13\n\tmovnti %%r14, 0x1000(%%r13)"
			 : : "r"(to), "r"(value) : "memory", "r13", "r14");
	expect_stored(o, 0x1000, &value, 8);
	__asm__ volatile("movq $-2, 8(%0)" : : "r"(to) : "memory");
	value = (uint64_t)-2;
	expect_stored(o, 8, &value, 8);
	__asm__ volatile("movw $0x4321, 16(%0)\n\tmovl $0x12345678, 20(%0)" : : "r"(to) : "memory");
	value = 0x4321;
	expect_stored(o, 16, &value, 4);
	value = 0x12345678;
	expect_stored(o, 20, &value, 4);
}

#define XMM_STORE(insn, at, size)                                                                  \
	do {                                                                                       \
		__asm__ volatile("movdqu %1, %%xmm11\n\t" insn " %%xmm11, %c2(%0)"                 \
				 : : "r"(o->uar), "m"(value), "i"(at) : "memory", "xmm11");        \
		expect_stored(o, at, &value, size);                                                \
		assert_int_equal(o->uar_memory[(at) + (size)], 0);                                 \
	} while (0)

OPS_CASE(stores_of_xmm_registers_reach_the_page)
{
	struct ops *o = ops_get(state);
	const struct {
		uint64_t a[2];
	} value = { { 0x1111222233334444, 0x5555666677778888 } };

	XMM_STORE("movups", 0x000, 16);
	XMM_STORE("movaps", 0x020, 16);
	XMM_STORE("movupd", 0x040, 16);
	XMM_STORE("movapd", 0x060, 16);
	XMM_STORE("movdqu", 0x080, 16);
	XMM_STORE("movdqa", 0x0a0, 16);
	XMM_STORE("movntdq", 0x0c0, 16);
	XMM_STORE("movntps", 0x0e0, 16);
	XMM_STORE("movntpd", 0x100, 16);
	XMM_STORE("movsd", 0x120, 8);
	XMM_STORE("movss", 0x140, 4);
	XMM_STORE("movd", 0x160, 4);
	XMM_STORE("movq", 0x180, 8);
	/* The other encoding of movq: to a general operand. */
	__asm__ volatile("movdqu %1, %%xmm11\n\t.byte 0x66, 0x4c, 0x0f, 0x7e, 0x18"
			 : : "a"(o->uar + 0x1a0), "m"(value) : "memory", "xmm11");
	expect_stored(o, 0x1a0, &value, 8);
	assert_int_equal(o->uar_memory[0x1a8], 0);
	if (!__builtin_cpu_supports("avx"))
		return;
	XMM_STORE("vmovups", 0x200, 16);
	XMM_STORE("vmovaps", 0x220, 16);
	XMM_STORE("vmovdqu", 0x240, 16);
	XMM_STORE("vmovdqa", 0x260, 16);
	XMM_STORE("vmovntdq", 0x280, 16);
	XMM_STORE("vmovq", 0x2a0, 8);
	XMM_STORE("vmovd", 0x2c0, 4);
	XMM_STORE("%{vex3%} vmovdqu", 0x2e0, 16);
}

/* What is not followed is done all the same, but no more is seen of the page. */
OPS_CASE(other_stores_open_the_page)
{
	struct ops *o = ops_get(state);
	uint8_t from[64], *dst = o->uar, *src = from;
	size_t len = sizeof(from);

	memset(from, 0x5a, sizeof(from));
	__asm__ volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(len) : : "memory");
	assert_memory_equal(o->uar_memory, from, sizeof(from));
	assert_false(is_seen(o));
	*(volatile uint64_t *)(void *)o->uar = 1;
	assert_int_equal(o->uar_memory[0], 1);
}

OPS_CASE(loads_of_pages_are_loads)
{
	struct ops *o = ops_get(state);

	o->bar[PAGE] = 7;
	assert_int_equal(*(volatile uint8_t *)o->uar, 7);
	assert_true(is_seen(o));
}

#endif

OPS_CASE(wider_access_is_the_programs_fault)
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
