/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Encodings: Intel SDM, volume 2, chapter 2 and the pages of the instructions. */

#include <stddef.h>
#include <string.h>

#include "host/x86_move.h"

#ifdef __x86_64__

/* Parts before the ModRM byte. */
struct insn {
	const uint8_t *modrm;
	uint8_t op;
	uint8_t prefix;		/* 0x66, 0xf2, 0xf3 or 0: part of the opcode of XMM moves */
	bool is_0f;		/* of the map of two-byte opcodes */
	bool is_vex;
	bool has_rex;
	bool has_w;		/* REX.W, VEX.W */
	uint8_t reg_high;	/* REX.R: 8 or 0 */
};

/* Bytes of ModRM, SIB and displacement (2.1.3). */
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

/* VEX of two or three bytes (2.3.5): only of 128 bits, and of the first map. */
static bool
vex_parse(const uint8_t *at, struct insn *insn)
{
	static const uint8_t prefixes[] = { 0, 0x66, 0xf3, 0xf2 };
	bool is_long = at[0] == 0xc4;
	uint8_t last = is_long ? at[2] : at[1];

	if ((last & 4) != 0 || (is_long && (at[1] & 0x1f) != 1))
		return false;
	insn->is_vex = true;
	insn->is_0f = true;
	insn->prefix = prefixes[last & 3];
	insn->has_w = is_long && (last & 0x80) != 0;
	insn->reg_high = (at[1] & 0x80) != 0 ? 0 : 8;
	at += is_long ? 3 : 2;
	insn->op = at[0];
	insn->modrm = at + 1;
	return true;
}

static bool
insn_parse(const uint8_t *at, struct insn *insn)
{
	*insn = (struct insn){ 0 };
	for (; *at == 0x66 || *at == 0xf2 || *at == 0xf3; at++) {
		if (insn->prefix != 0)
			return false;
		insn->prefix = *at;
	}
	if (*at == 0xc4 || *at == 0xc5)
		return insn->prefix == 0 && vex_parse(at, insn);
	if ((*at & 0xf0) == 0x40) {
		insn->has_rex = true;
		insn->has_w = (*at & 8) != 0;
		insn->reg_high = (uint8_t)((*at & 4) << 1);
		at++;
	}
	insn->is_0f = *at == 0x0f;
	if (insn->is_0f)
		at++;
	insn->op = at[0];
	insn->modrm = at + 1;
	return true;
}

/* Size of an operand of a general register. */
static uint8_t
operand_size(const struct insn *insn)
{
	return insn->has_w ? 8 : insn->prefix == 0x66 ? 2 : 4;
}

/* Moves of the map of one-byte opcodes. */
static bool
plain_decode(const struct insn *insn, struct swhca_move *move)
{
	bool is_byte = (insn->op & 1) == 0;

	if (insn->prefix != 0 && insn->prefix != 0x66)
		return false;
	move->size = is_byte ? 1 : operand_size(insn);
	move->dst_size = move->size;
	switch (insn->op) {
	case 0x88:	/* mov r/m, r */
	case 0x89:
		move->is_store = true;
		return true;
	case 0x8a:	/* mov r, r/m */
	case 0x8b:
		return true;
	case 0xc6:	/* mov r/m, imm */
	case 0xc7:
		move->is_store = true;
		move->is_constant = true;
		return (*insn->modrm & 0x38) == 0;
	default:
		return false;
	}
}

/* Stores of XMM registers: opcode, and bytes stored with each prefix; 0: no such store. */
static const struct {
	uint8_t op;
	uint8_t none;
	uint8_t with_66;
	uint8_t with_f3;
	uint8_t with_f2;
} xmm_stores[] = {
	{ 0x11, 16, 16, 4, 8 },		/* movups, movupd, movss, movsd */
	{ 0x29, 16, 16, 0, 0 },		/* movaps, movapd */
	{ 0x2b, 16, 16, 0, 0 },		/* movntps, movntpd */
	{ 0x7e, 0, 4, 0, 0 },		/* movd; with W movq */
	{ 0x7f, 0, 16, 16, 0 },		/* movdqa, movdqu */
	{ 0xd6, 0, 8, 0, 0 },		/* movq */
	{ 0xe7, 0, 16, 0, 0 },		/* movntdq */
};

static bool
xmm_decode(const struct insn *insn, struct swhca_move *move)
{
	uint8_t size = 0;
	size_t i;

	for (i = 0; i < sizeof(xmm_stores) / sizeof(xmm_stores[0]); i++) {
		if (xmm_stores[i].op != insn->op)
			continue;
		size = insn->prefix == 0    ? xmm_stores[i].none :
		       insn->prefix == 0x66 ? xmm_stores[i].with_66 :
		       insn->prefix == 0xf3 ? xmm_stores[i].with_f3 :
					      xmm_stores[i].with_f2;
	}
	if (size == 4 && insn->op == 0x7e && insn->has_w)
		size = 8;
	move->is_store = true;
	move->is_xmm = true;
	move->size = size;
	return size != 0;
}

/* Moves of the map of two-byte opcodes. */
static bool
long_decode(const struct insn *insn, struct swhca_move *move)
{
	if (insn->is_vex)
		return xmm_decode(insn, move);
	switch (insn->op) {
	case 0xb6:	/* movzx, movsx r, r/m8 */
	case 0xbe:
		move->size = 1;
		move->dst_size = operand_size(insn);
		move->is_signed = insn->op == 0xbe;
		return insn->prefix == 0 || insn->prefix == 0x66;
	case 0xc3:	/* movnti */
		move->is_store = true;
		move->size = operand_size(insn);
		return insn->prefix == 0;
	default:
		return xmm_decode(insn, move);
	}
}

bool
swhca_move_decode(const uint8_t *code, struct swhca_move *move)
{
	struct insn insn;
	const uint8_t *at;

	*move = (struct swhca_move){ 0 };
	if (!insn_parse(code, &insn) || *insn.modrm >> 6 == 3)
		return false;
	if (!(insn.is_0f ? long_decode(&insn, move) : plain_decode(&insn, move)))
		return false;
	move->reg = (uint8_t)((*insn.modrm >> 3 & 7) | insn.reg_high);
	/* Without REX the upper four byte registers are the high halves of the lower ones. */
	if (!insn.is_0f && move->size == 1 && !insn.has_rex && move->reg >= 4) {
		move->is_high = true;
		move->reg -= 4;
	}
	at = insn.modrm + modrm_len(insn.modrm);
	if (move->is_constant && move->size == 1) {
		move->constant = (int8_t)*at++;
	} else if (move->is_constant) {
		/* At most four bytes; their sign is extended to eight. */
		memcpy(&move->constant, at, move->size == 2 ? 2 : 4);
		at += move->size == 2 ? 2 : 4;
	}
	move->len = (uint8_t)(at - code);
	return true;
}

/* Index of a register in the context, by register number. */
static int
reg_index(uint8_t reg)
{
	static const uint8_t order[16] = {
		REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
		REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};

	return order[reg];
}

void
swhca_move_source(const ucontext_t *uc, const struct swhca_move *move,
		  uint8_t value[SWHCA_MOVE_MAX])
{
	int64_t wide;

	if (move->is_xmm) {
		memcpy(value, &uc->uc_mcontext.fpregs->_xmm[move->reg], move->size);
		return;
	}
	wide = move->is_constant ? move->constant : uc->uc_mcontext.gregs[reg_index(move->reg)];
	if (move->is_high)
		wide >>= 8;
	memcpy(value, &wide, move->size);
}

/* A load of 4 bytes clears the rest of the register, shorter ones keep it. */
void
swhca_move_finish(ucontext_t *uc, const struct swhca_move *move, uint8_t value)
{
	greg_t *reg = &uc->uc_mcontext.gregs[reg_index(move->reg)];
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

#else

bool
swhca_move_decode(const uint8_t *code, struct swhca_move *move)
{
	(void)code;
	(void)move;
	return false;
}

void
swhca_move_source(const ucontext_t *uc, const struct swhca_move *move,
		  uint8_t value[SWHCA_MOVE_MAX])
{
	(void)uc;
	(void)move;
	(void)value;
}

void
swhca_move_finish(ucontext_t *uc, const struct swhca_move *move, uint8_t value)
{
	(void)uc;
	(void)move;
	(void)value;
}

#endif
