/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <ucontext.h>

#include "swhca_hca.h"
#include "swhca_trap.h"

/* Mappings at a time; a program has one for each operation and allocation that it uses. */
#define MAX_MAPPINGS 256u

struct mapping {
	_Atomic uintptr_t start;	/* 0: free; what follows is written before it */
	size_t len;
	struct swhca_hca *hca;
	uint64_t bar_offset;
};

static struct mapping mappings[MAX_MAPPINGS];
static pthread_mutex_t mappings_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint nb_mappings;

int
swhca_trap_add(struct swhca_hca *hca, const void *va, size_t len, off_t bar_offset)
{
	int ret = -ENOMEM;
	unsigned int i;

	if ((size_t)bar_offset < swhca_hca_bar_size(hca))
		return 0;
	pthread_mutex_lock(&mappings_lock);
	for (i = 0; i < MAX_MAPPINGS; i++) {
		if (atomic_load(&mappings[i].start) != 0)
			continue;
		mappings[i].len = len;
		mappings[i].hca = hca;
		mappings[i].bar_offset = (uint64_t)bar_offset;
		atomic_store(&mappings[i].start, (uintptr_t)va);
		atomic_fetch_add(&nb_mappings, 1);
		ret = 0;
		break;
	}
	pthread_mutex_unlock(&mappings_lock);
	return ret;
}

void
swhca_trap_remove(const void *va, size_t len)
{
	uintptr_t addr = (uintptr_t)va, start;
	unsigned int i;

	if (atomic_load(&nb_mappings) == 0)
		return;
	pthread_mutex_lock(&mappings_lock);
	for (i = 0; i < MAX_MAPPINGS; i++) {
		start = atomic_load(&mappings[i].start);
		if (start == 0 || addr >= start + mappings[i].len || start >= addr + len)
			continue;
		atomic_store(&mappings[i].start, 0);
		atomic_fetch_sub(&nb_mappings, 1);
	}
	pthread_mutex_unlock(&mappings_lock);
}

void
swhca_trap_forget(void)
{
	unsigned int i;

	pthread_mutex_init(&mappings_lock, NULL);
	for (i = 0; i < MAX_MAPPINGS; i++)
		atomic_store(&mappings[i].start, 0);
	atomic_store(&nb_mappings, 0);
}

#ifdef __x86_64__

/* A move of one byte between a register, or a constant, and memory. */
struct move {
	bool is_store;
	bool is_constant;
	bool is_high;		/* AH, CH, DH, BH */
	bool is_signed;
	uint8_t dst_size;	/* of a load: bytes of the register that are written */
	uint8_t reg;
	uint8_t constant;
	uint8_t len;		/* of the instruction */
};

/* Bytes of ModRM, SIB and displacement (Intel SDM, volume 2, 2.1.3). */
static uint8_t
modrm_len(const uint8_t *at)
{
	uint8_t mod = at[0] >> 6, rm = at[0] & 7, len = 1;

	if (rm == 4) {
		if (mod == 0 && (at[1] & 7) == 5)
			len += 4;
		len++;
	}
	if (mod == 1)
		len += 1;
	else if (mod == 2 || (mod == 0 && rm == 5))
		len += 4;
	return len;
}

static bool
move_decode(const uint8_t *code, struct move *move)
{
	const uint8_t *at = code;
	bool has_16 = false;
	uint8_t rex = 0, op;

	*move = (struct move){ .dst_size = 1 };
	if (*at == 0x66) {
		has_16 = true;
		at++;
	}
	if ((*at & 0xf0) == 0x40)
		rex = *at++;
	op = *at++;
	switch (op) {
	case 0x88:	/* mov r/m8, r8 */
		move->is_store = true;
		break;
	case 0x8a:	/* mov r8, r/m8 */
		break;
	case 0xc6:	/* mov r/m8, imm8 */
		move->is_store = true;
		move->is_constant = true;
		if ((*at & 0x38) != 0)
			return false;
		break;
	case 0x0f:	/* movzx, movsx r, r/m8 */
		op = *at++;
		if (op != 0xb6 && op != 0xbe)
			return false;
		move->is_signed = op == 0xbe;
		move->dst_size = (rex & 8) != 0 ? 8 : has_16 ? 2 : 4;
		break;
	default:
		return false;
	}
	if (*at >> 6 == 3)
		return false;
	move->reg = (uint8_t)((*at >> 3 & 7) | (rex & 4) << 1);
	/* Without REX the upper four byte registers are the high halves of the lower ones. */
	if (move->dst_size == 1 && rex == 0 && move->reg >= 4) {
		move->is_high = true;
		move->reg -= 4;
	}
	at += modrm_len(at);
	if (move->is_constant)
		move->constant = *at++;
	move->len = (uint8_t)(at - code);
	return true;
}

/* Where the context has the registers, in the order of their numbers. */
static greg_t *
reg_of(ucontext_t *uc, uint8_t reg)
{
	static const int order[16] = {
		REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
		REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};

	return &uc->uc_mcontext.gregs[order[reg]];
}

static uint8_t
move_source(ucontext_t *uc, const struct move *move)
{
	if (move->is_constant)
		return move->constant;
	return (uint8_t)((uint64_t)*reg_of(uc, move->reg) >> (move->is_high ? 8 : 0));
}

/* A load of 4 bytes clears the rest of the register, shorter ones leave it. */
static void
move_finish(ucontext_t *uc, const struct move *move, uint8_t value)
{
	greg_t *reg = reg_of(uc, move->reg);
	uint64_t old = (uint64_t)*reg;
	uint64_t wide = move->is_signed ? (uint64_t)(int64_t)(int8_t)value : value;

	switch (move->dst_size) {
	case 1:
		wide = move->is_high ? (old & ~UINT64_C(0xff00)) | (uint64_t)value << 8 :
				       (old & ~UINT64_C(0xff)) | value;
		break;
	case 2:
		wide = (old & ~UINT64_C(0xffff)) | (wide & 0xffff);
		break;
	case 4:
		wide &= UINT32_MAX;
		break;
	default:
		break;
	}
	*reg = (greg_t)wide;
}

bool
swhca_trap_is_supported(void)
{
	return true;
}

static bool
trap_exec(const struct mapping *mapping, uint64_t offset, ucontext_t *uc)
{
	greg_t *rip = &uc->uc_mcontext.gregs[REG_RIP];
	struct move move;
	uint8_t value = 0;

	/* The program was about to execute it, so it can be read. */
	if (!move_decode((const uint8_t *)(uintptr_t)*rip, &move))
		return false;
	if (move.is_store)
		value = move_source(uc, &move);
	if (swhca_hca_memic_access(mapping->hca, mapping->bar_offset + offset, move.is_store,
				   &value) != 0)
		return false;
	if (!move.is_store)
		move_finish(uc, &move, value);
	*rip += move.len;
	return true;
}

#else

bool
swhca_trap_is_supported(void)
{
	return false;
}

static bool
trap_exec(const struct mapping *mapping, uint64_t offset, ucontext_t *uc)
{
	(void)mapping;
	(void)offset;
	(void)uc;
	return false;
}

#endif

bool
swhca_trap_handle(const void *va, void *ctx)
{
	uintptr_t addr = (uintptr_t)va, start;
	unsigned int i;

	if (atomic_load(&nb_mappings) == 0)
		return false;
	for (i = 0; i < MAX_MAPPINGS; i++) {
		start = atomic_load(&mappings[i].start);
		if (start != 0 && addr >= start && addr - start < mappings[i].len)
			return trap_exec(&mappings[i], addr - start, ctx);
	}
	return false;
}
