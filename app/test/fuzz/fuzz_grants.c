/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Which bytes of host memory a device may read and write: the rings, counters and pages that
 * accepted commands named, as long as the object lives, and the bytes that a key without levels
 * below it covers. Keys above these reach nothing that they do not, so that one list of ranges is
 * all there is to know; a key of a PD that no queue has gives nothing.
 */

#include "fuzz_check.h"
#include "mlx5_prm_dc.h"
#include "mlx5_prm_eth.h"
#include "mlx5_prm_hca.h"
#include "mlx5_prm_srq.h"
#include "mem/mkey.h"

#define MAY_READ	0x1u
#define MAY_WRITE	0x2u
#define MAX_PDS		32u
#define MAX_IN		0x1800u
/* Number of an object that a command at work makes. */
#define NOT_YET		UINT32_MAX

struct grant {
	struct fuzz_obj obj;
	uint8_t may;
	bool is_key;
	uint32_t pd;		/* of a key */
	uint64_t addr;
	uint64_t len;
};

static struct grant *grants;
static size_t nb_grants, nb_room;
/* PDs that queues have. */
static struct {
	const struct fuzz_hca *h;
	uint32_t pd;
} pds[MAX_PDS];
static unsigned int nb_pds;
/* Keys that a work request may point anywhere, more PDs than fit, ...: no more is known. */
static bool is_open;
/* As it was before a command. */
static struct {
	bool is_open;
	unsigned int nb_pds;
} kept;

void
fuzz_grants_reset(void)
{
	nb_grants = 0;
	nb_pds = 0;
	is_open = false;
}

void
fuzz_grants_revoke(void)
{
	free(grants);
	grants = NULL;
	nb_grants = nb_room = 0;
	is_open = false;
}

static void
grant_add(const struct grant *like, uint64_t addr, uint64_t len)
{
	struct grant *last = nb_grants == 0 ? NULL : &grants[nb_grants - 1];

	if (len == 0)
		return;
	if (last != NULL && fuzz_obj_is(&last->obj, &like->obj) && last->may == like->may &&
	    last->addr + last->len == addr && addr + len > addr) {
		last->len += len;
		return;
	}
	if (nb_grants == nb_room) {
		nb_room = nb_room == 0 ? 256 : nb_room * 2;
		grants = realloc(grants, nb_room * sizeof(*grants));
		FUZZ_NEED(grants != NULL);
	}
	grants[nb_grants] = *like;
	grants[nb_grants].addr = addr;
	grants[nb_grants++].len = len > UINT64_MAX - addr ? UINT64_MAX - addr : len;
}

static uint64_t
page_get(const uint8_t *in, size_t byte)
{
	return prm_get(in + byte, PRM_FIELD(0, 0, 64));
}

/* Pages of a list in a mailbox that has nb of them, as far as it goes. */
static void
pages_add(const struct grant *like, const uint8_t *in, size_t in_len, size_t byte, uint64_t nb,
	  unsigned int log_page)
{
	uint64_t mask, i;

	if (log_page > 63) {
		is_open = true;
		return;
	}
	mask = (UINT64_C(1) << log_page) - 1;
	for (i = 0; i < nb && byte + 8 <= in_len; i++, byte += 8)
		grant_add(like, page_get(in, byte) & ~mask, mask + 1);
}

static bool
pd_has_queue(const struct fuzz_hca *h, uint32_t pd)
{
	for (unsigned int i = 0; i < nb_pds; i++) {
		if (pds[i].h == h && pds[i].pd == pd)
			return true;
	}
	return false;
}

static void
pd_add(const struct fuzz_hca *h, uint32_t pd)
{
	if (pd_has_queue(h, pd))
		return;
	if (nb_pds == MAX_PDS) {
		is_open = true;
		return;
	}
	pds[nb_pds].h = h;
	pds[nb_pds++].pd = pd;
}

/* ---- Keys ---- */

static uint8_t
key_may(const uint8_t *mkc)
{
	uint8_t may = 0;

	if (prm_get(mkc, PRM_MKC_A) || prm_get(mkc, PRM_MKC_RW) || prm_get(mkc, PRM_MKC_LW))
		may |= MAY_WRITE;
	if (prm_get(mkc, PRM_MKC_A) || prm_get(mkc, PRM_MKC_RR) || prm_get(mkc, PRM_MKC_LR))
		may |= MAY_READ;
	/* An atomic reads what it writes, and whoever faults looks whether a page is there. */
	return may == MAY_WRITE ? MAY_WRITE | MAY_READ : may;
}

/* Page i holds the addresses that share their upper bits with that of the key plus i pages. */
static void
mtt_key_add(const struct grant *like, const uint8_t *in, size_t in_len, const uint8_t *mkc)
{
	unsigned int log_page = (unsigned int)prm_get(mkc, PRM_MKC_LOG_PAGE_SIZE);
	uint64_t start = prm_get(mkc, PRM_MKC_START_ADDR), left = prm_get(mkc, PRM_MKC_LEN);
	uint64_t nb = prm_get(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE) * 2, i;
	uint64_t nb_given = prm_get(in, PRM_CREATE_MKEY_IN_XLT_OCT_ACTUAL) * 2;
	size_t byte = PRM_CREATE_MKEY_IN_XLT_BYTE;
	uint64_t mask, in_page, part, page;

	if (log_page > 63 || prm_get(mkc, PRM_MKC_UMR_EN)) {
		is_open = true;
		return;
	}
	mask = (UINT64_C(1) << log_page) - 1;
	in_page = start & mask;
	if (prm_get(mkc, PRM_MKC_LENGTH64))
		left = UINT64_MAX;
	for (i = 0; i < nb && left > 0; i++) {
		part = mask + 1 - in_page < left ? mask + 1 - in_page : left;
		page = i < nb_given && byte + 8 * (i + 1) <= in_len ?
			       page_get(in, byte + 8 * i) & ~mask : 0;
		grant_add(like, page + in_page, part);
		left -= part;
		in_page = 0;
	}
}

/* Entries that name no key stand for the addresses themselves: implicit on-demand paging. */
static void
ksm_key_add(const struct grant *like, const uint8_t *in, size_t in_len, const uint8_t *mkc)
{
	unsigned int log_page = (unsigned int)prm_get(mkc, PRM_MKC_LOG_PAGE_SIZE);
	uint64_t nb = prm_get(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE), i;
	const uint8_t *entry;

	for (i = 0; i < nb && PRM_CREATE_MKEY_IN_XLT_BYTE + (i + 1) * PRM_KLM_SIZE <= in_len; i++) {
		entry = in + PRM_CREATE_MKEY_IN_XLT_BYTE + i * PRM_KLM_SIZE;
		if (prm_dword_get(entry, 1) == SWHCA_NULL_KEY && log_page < 64)
			grant_add(like, i << log_page, UINT64_C(1) << log_page);
	}
}

static void
key_add(struct grant like, const uint8_t *in, size_t in_len)
{
	const uint8_t *mkc = in + PRM_CREATE_MKEY_IN_MKC_BYTE;
	uint64_t mode = prm_get(mkc, PRM_MKC_ACCESS_MODE_4_2) << 2 |
			prm_get(mkc, PRM_MKC_ACCESS_MODE_1_0);
	bool is_all = prm_get(mkc, PRM_MKC_LENGTH64) != 0;

	like.is_key = true;
	like.pd = (uint32_t)prm_get(mkc, PRM_MKC_PD);
	like.may = key_may(mkc);
	switch (mode) {
	case PRM_MKC_ACCESS_MODE_PA:
		if (prm_get(mkc, PRM_MKC_UMR_EN))
			is_open = true;
		grant_add(&like, is_all ? 0 : prm_get(mkc, PRM_MKC_START_ADDR),
			  is_all ? UINT64_MAX : prm_get(mkc, PRM_MKC_LEN));
		break;
	case PRM_MKC_ACCESS_MODE_MTT:
		/* Those of a umem are known from it. */
		if (!prm_get(in, PRM_CREATE_MKEY_IN_MKEY_UMEM_VALID))
			mtt_key_add(&like, in, in_len, mkc);
		break;
	case PRM_MKC_ACCESS_MODE_KSM:
		ksm_key_add(&like, in, in_len, mkc);
		break;
	default:
		break;
	}
}

/* ---- Queues ---- */

static void
record_add(struct grant like, uint64_t addr)
{
	like.may = MAY_READ | MAY_WRITE;
	grant_add(&like, addr, PRM_DBR_SIZE);
}

static void
ring_add(struct grant like, const uint8_t *in, size_t in_len, size_t byte, uint64_t log_page,
	 bool is_written)
{
	like.may = is_written ? MAY_READ | MAY_WRITE : MAY_READ;
	pages_add(&like, in, in_len, byte, UINT64_MAX, (unsigned int)log_page + 12);
}

static void
queue_add(const struct grant *like, const uint8_t *in, size_t in_len)
{
	const uint8_t *ctx;

	switch (prm_get(in, PRM_CMD_IN_OPCODE)) {
	case PRM_CMD_CREATE_QP:
		ctx = in + PRM_CREATE_QP_IN_QPC_BYTE;
		pd_add(like->obj.h, (uint32_t)prm_get(ctx, PRM_QPC_PD));
		record_add(*like, prm_get(ctx, PRM_QPC_DBR_ADDR));
		ring_add(*like, in, in_len, PRM_CREATE_QP_IN_PAS_BYTE,
			 prm_get(ctx, PRM_QPC_LOG_PAGE_SIZE), false);
		/* Its own key: all of memory. */
		is_open |= prm_get(ctx, PRM_QPC_RLKY) != 0;
		break;
	case PRM_CMD_MODIFY_CQ:
	case PRM_CMD_CREATE_CQ:
		ctx = in + PRM_CREATE_CQ_IN_CQC_BYTE;
		record_add(*like, prm_get(ctx, PRM_CQC_DBR_ADDR));
		ring_add(*like, in, in_len, PRM_CREATE_CQ_IN_PAS_BYTE,
			 prm_get(ctx, PRM_CQC_LOG_PAGE_SIZE), true);
		break;
	case PRM_CMD_CREATE_EQ:
		ctx = in + PRM_CREATE_EQ_IN_EQC_BYTE;
		ring_add(*like, in, in_len, PRM_CREATE_EQ_IN_PAS_BYTE,
			 prm_get(ctx, PRM_EQC_LOG_PAGE_SIZE), true);
		break;
	case PRM_CMD_CREATE_SRQ:
	case PRM_CMD_CREATE_XRC_SRQ:
		ctx = in + PRM_CREATE_SRQ_IN_SRQC_BYTE;
		pd_add(like->obj.h, (uint32_t)prm_get(ctx, PRM_SRQC_PD));
		record_add(*like, prm_get(ctx, PRM_SRQC_DBR_ADDR));
		ring_add(*like, in, in_len, PRM_CREATE_SRQ_IN_PAS_BYTE,
			 prm_get(ctx, PRM_SRQC_LOG_PAGE_SIZE), false);
		break;
	case PRM_CMD_CREATE_DCT:
		ctx = in + PRM_CREATE_DCT_IN_DCTC_BYTE;
		pd_add(like->obj.h, (uint32_t)prm_get(ctx, PRM_DCTC_PD));
		break;
	default:
		break;
	}
}

static void
umem_add(struct grant like, const uint8_t *in, size_t in_len)
{
	const uint8_t *ctx = in + PRM_CREATE_UMEM_IN_UMEM_BYTE;
	uint64_t nb = prm_get(ctx, PRM_UMEM_NUM_OF_MTT), i;
	size_t at = PRM_CREATE_UMEM_IN_MTT_BYTE;

	like.may = MAY_READ | MAY_WRITE;
	/* Memory that was registered for reading: not all of its entries may be written. */
	for (i = 0; i < nb && at + PRM_MTT_SIZE <= in_len; i++, at += PRM_MTT_SIZE)
		if ((in[at + PRM_MTT_SIZE - 1] & PRM_MTT_WR_EN) == 0)
			like.may = MAY_READ;
	pages_add(&like, in, in_len, PRM_CREATE_UMEM_IN_MTT_BYTE, nb,
		  (unsigned int)prm_get(ctx, PRM_UMEM_LOG_PAGE_SIZE) + 12);
}

/* ---- Commands ---- */

static void
ended(const struct fuzz_obj *obj)
{
	size_t nb = 0;

	for (size_t i = 0; i < nb_grants; i++) {
		if (!fuzz_obj_is(&grants[i].obj, obj))
			grants[nb++] = grants[i];
	}
	nb_grants = nb;
}

/* What a command names, before it is known whether it is accepted: it may use that already. */
void
fuzz_grants_begin(const struct fuzz_hca *h, const void *box, size_t in_len)
{
	static uint8_t in[MAX_IN];
	static const uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	struct grant like = { .obj = { .h = h } };

	kept.is_open = is_open;
	kept.nb_pds = nb_pds;
	FUZZ_NEED(in_len <= sizeof(in));
	memset(in, 0, sizeof(in));
	memcpy(in, box, in_len);
	fuzz_obj_made(h, in, in_len, out, &like.obj);
	like.obj.num = NOT_YET;
	switch (prm_get(in, PRM_CMD_IN_OPCODE)) {
	case PRM_CMD_CREATE_MKEY:
		key_add(like, in, in_len);
		break;
	case PRM_CMD_CREATE_UMEM:
		umem_add(like, in, in_len);
		break;
	case PRM_CMD_MODIFY_CQ:
		like.obj.kind = PRM_CMD_DESTROY_CQ;
		if (prm_get(in, PRM_CMD_IN_OP_MOD) == PRM_MODIFY_CQ_OP_MOD_RESIZE)
			queue_add(&like, in, in_len);
		break;
	case PRM_CMD_MANAGE_PAGES:
		like.may = MAY_READ | MAY_WRITE;
		pages_add(&like, in, in_len, PRM_MANAGE_PAGES_IN_PAS_BYTE, UINT64_MAX, 12);
		break;
	case PRM_CMD_CREATE_RMP:
	case PRM_CMD_CREATE_SQ:
	case PRM_CMD_CREATE_RQ:
		/* Queues that no work is given to here. */
		is_open = true;
		break;
	default:
		queue_add(&like, in, in_len);
		break;
	}
}

/* Those of a command get their number, or go. */
static void
settle(bool is_accepted, uint32_t num)
{
	size_t nb = 0;

	for (size_t i = 0; i < nb_grants; i++) {
		if (grants[i].obj.num != NOT_YET) {
			grants[nb++] = grants[i];
		} else if (is_accepted) {
			grants[nb] = grants[i];
			grants[nb++].obj.num = num;
		}
	}
	nb_grants = nb;
}

void
fuzz_grants_end(const struct fuzz_hca *h, const uint8_t *in, size_t in_len, const uint8_t *out)
{
	struct fuzz_obj obj = { .num = 0 };

	if (out == NULL) {
		is_open = kept.is_open;
		nb_pds = kept.nb_pds;
		settle(false, 0);
		return;
	}
	if (fuzz_obj_ended(h, in, in_len, &obj)) {
		ended(&obj);
		return;
	}
	if (!fuzz_obj_made(h, in, in_len, out, &obj) && in_len >= PRM_CMD_SHORT_IN_SIZE)
		obj.num = prm_dword_get(in, 2) & 0xffffff;
	settle(true, obj.num);
}

/* Bytes from addr on that one grant covers. */
static uint64_t
granted(uint64_t addr, uint8_t may)
{
	uint64_t best = 0, part;
	const struct grant *g;

	for (size_t i = 0; i < nb_grants; i++) {
		g = &grants[i];
		if (addr < g->addr || addr - g->addr >= g->len || (g->may & may) != may)
			continue;
		if (g->is_key && !pd_has_queue(g->obj.h, g->pd))
			continue;
		part = g->len - (addr - g->addr);
		best = part > best ? part : best;
	}
	return best;
}

unsigned int
fuzz_grants_nb_writers(uint64_t addr)
{
	unsigned int nb = 0;

	for (size_t i = 0; i < nb_grants; i++)
		nb += addr >= grants[i].addr && addr - grants[i].addr < grants[i].len &&
		      (grants[i].may & MAY_WRITE) != 0;
	return is_open ? UINT_MAX : nb;
}

void
fuzz_grants_check(uint64_t addr, uint64_t len, bool writes)
{
	uint64_t part;

	for (; len > 0 && !is_open; addr += part, len -= part) {
		part = granted(addr, writes ? MAY_WRITE : MAY_READ);
		if (part == 0)
			FUZZ_BROKEN("a device %s 0x%llx (+ 0x%llx), which nothing allows",
				    writes ? "wrote to" : "read", (unsigned long long)addr,
				    (unsigned long long)len);
		part = part < len ? part : len;
	}
}
