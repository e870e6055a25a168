/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* From (key, address, length, access) to spans of memory, or a fault. */

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "mlx5_prm_wqe.h"
#include "mem/bsf/sig_plan.h"
#include "mem/mkey.h"
#include "mem/odp.h"
#include "mem/pin.h"
#include "object/buf.h"
#include "object/bus.h"

#define LOCAL_ACCESS (SWHCA_ACCESS_LOCAL_READ | SWHCA_ACCESS_LOCAL_WRITE)
/* Accesses that change memory. */
#define WRITE_ACCESS                                                                               \
	(SWHCA_ACCESS_LOCAL_WRITE | SWHCA_ACCESS_REMOTE_WRITE | SWHCA_ACCESS_REMOTE_ATOMIC)

/* Maximum entries examined for one side of a WQE, in case a key refers to itself. */
#define MAX_STEPS (UINT32_C(1) << 22)
/* Maximum bytes of a page fault (Linux: MAX_PREFETCH_LEN). */
#define MAX_ABSENT (UINT64_C(4) << 20)

/* Above all memory of processes and guests, followed by SWHCA_MAX_CMD_IN unused bytes. */
#define UNMAPPED_ADDR UINT64_C(0x00f0000000000000)

/* State of one translation. */
struct walk {
	struct swhca_hca *hca;
	struct swhca_spans *spans;
	uint32_t pd;
	uint32_t qpn;
	struct swhca_qp *qp;	/* of the access */
	struct swhca_cq *cq;
	uint8_t side;		/* side of the access: SWHCA_INJECT_LOCAL or _REMOTE */
	bool is_judged;		/* injected faults were checked */
	bool in_bsf;		/* the bytes are already transformed */
	bool is_atomic;		/* the bytes are an atomic operand, at any level */
	uint8_t depth;		/* levels of indirect keys above the current one */
};

/* First address: keys of device memory contain an offset in the BAR, and count from 0. */
static uint64_t
mkey_first_addr(const struct swhca_mkey *mkey)
{
	return mkey->mode == PRM_MKC_ACCESS_MODE_MEMIC ? 0 : mkey->start_addr;
}

static enum swhca_fault
mkey_check_bounds(const struct walk *walk, const struct swhca_mkey *mkey, uint64_t addr,
		  uint64_t len)
{
	uint64_t first = mkey_first_addr(mkey);

	if (mkey->len == 0 && swhca_has_quirk(walk->hca, SWHCA_QUIRK_KEY_OF_LENGTH_ZERO))
		return SWHCA_FAULT_NONE;
	if (mkey->length64)
		return addr + len < addr ? SWHCA_FAULT_BOUNDS : SWHCA_FAULT_NONE;
	if (addr < first || addr - first > mkey->len || len > mkey->len - (addr - first))
		return SWHCA_FAULT_BOUNDS;
	return SWHCA_FAULT_NONE;
}

/* Check whether a free key may be used. */
static bool
may_be_free(const struct walk *walk, const struct swhca_mkey *mkey)
{
	if (walk->depth > 0)
		return swhca_has_quirk(walk->hca, SWHCA_QUIRK_LIST_DEAD_ENTRY);
	/* The tag of a key created free is 0, until a UMR changes it. */
	return swhca_has_quirk(walk->hca, mkey->tag == 0 ? SWHCA_QUIRK_KEY_UNCONFIGURED :
							   SWHCA_QUIRK_KEY_INVALIDATE);
}

static enum swhca_fault
mkey_check(const struct walk *walk, const struct swhca_mkey *mkey, uint8_t need)
{
	if (mkey->free && !may_be_free(walk, mkey))
		return SWHCA_FAULT_FREE;
	if (mkey->pd == NULL || mkey->pd->num != walk->pd)
		return SWHCA_FAULT_PD;
	if (mkey->qpn != PRM_MKC_QPN_ANY && mkey->qpn != walk->qpn)
		return SWHCA_FAULT_QPN;
	if ((mkey->access & need) != need)
		return SWHCA_FAULT_ACCESS;
	return SWHCA_FAULT_NONE;
}

/* An access is one event, at its first piece that matches a fault. */
static bool
is_unmapped(struct walk *walk, uint64_t addr, uint64_t len)
{
	const struct swhca_inject_event event = {
		.site = SWHCA_INJECT_AT_ACCESS,
		.qpn = walk->qpn,
		.sides = walk->side,
		.addr = addr,
		.len = len,
	};

	if (walk->is_judged || !swhca_inject_is_about(&walk->hca->injects, &event))
		return false;
	walk->is_judged = true;
	if (swhca_inject_event(walk->hca, &event) == NULL)
		return false;
	walk->spans->is_cut = true;
	return true;
}

static enum swhca_fault
bus_add(struct walk *walk, uint64_t addr, uint64_t len)
{
	if (swhca_inject_is_armed(&walk->hca->injects, SWHCA_INJECT_AT_ACCESS) &&
	    is_unmapped(walk, addr, len))
		addr = UNMAPPED_ADDR;
	return swhca_spans_add(walk->spans, SWHCA_WHERE_BUS, swhca_bus_addr(walk->hca, addr, len),
			       len) == 0 ?
		       SWHCA_FAULT_NONE : SWHCA_FAULT_NO_MEMORY;
}

static enum swhca_fault
model_add(struct walk *walk, const uint8_t *ptr, uint64_t len)
{
	return swhca_spans_add_model(walk->spans, ptr, len) == 0 ? SWHCA_FAULT_NONE :
								   SWHCA_FAULT_NO_MEMORY;
}

static uint64_t
nb_mtts(const struct swhca_mkey *mkey)
{
	return (uint64_t)mkey->nb_xlt * (PRM_KLM_SIZE / PRM_MTT_SIZE);
}

/* Bit of an entry of page addresses that grants an access. */
static uint64_t
mtt_bit(uint8_t need)
{
	return (need & WRITE_ACCESS) != 0 ? PRM_MTT_WR_EN : PRM_MTT_RD_EN;
}

/*
 * A page is absent: report it to software with all that follow it in this access. Keys of users,
 * and of user memory (a umem), are never paged.
 */
static enum swhca_fault
mtt_absent(struct walk *walk, const struct swhca_mkey *mkey, uint64_t addr, uint64_t len,
	   uint8_t need)
{
	uint64_t page_size = UINT64_C(1) << mkey->log_page;
	uint64_t index = (addr - (mkey->start_addr & ~(page_size - 1))) >> mkey->log_page;
	uint64_t absent = page_size - (addr & (page_size - 1));

	if (mkey->obj.uid != 0 || mkey->umem != NULL)
		return SWHCA_FAULT_ACCESS;
	if (len > MAX_ABSENT)
		len = MAX_ABSENT;
	for (index++; absent < len && index < nb_mtts(mkey); index++, absent += page_size)
		if ((swhca_mkey_mtt(mkey, index) & mtt_bit(need)) != 0)
			break;
	walk->hca->page_faults.absent = (struct swhca_absent){
		.key = mkey->obj.num << 8 | mkey->tag,
		.addr = addr,
		.len = absent < len ? absent : len,
	};
	return SWHCA_FAULT_ABSENT;
}

/*
 * The device has mapped a page. A fault may be injected that lets the send queue wait as if
 * software had to resolve it; other accesses find the page.
 */
static enum swhca_fault
page_came(struct walk *walk, const struct swhca_mkey *mkey, uint64_t addr, uint64_t len)
{
	const struct swhca_inject *inject;

	if (walk->qp == NULL ||
	    !swhca_inject_is_armed(&walk->hca->injects, SWHCA_INJECT_AT_PAGE_FAULT))
		return SWHCA_FAULT_NONE;
	inject = swhca_inject_at(walk->hca, SWHCA_INJECT_AT_PAGE_FAULT, walk->qpn);
	if (inject == NULL)
		return SWHCA_FAULT_NONE;
	walk->hca->page_faults.absent = (struct swhca_absent){
		.key = mkey->obj.num << 8 | mkey->tag,
		.addr = addr,
		.len = len,
	};
	walk->hca->page_faults.delay_us = inject->time_us;
	return SWHCA_FAULT_ABSENT;
}

/*
 * Check whether an entry of page addresses grants an access of len bytes at addr, which begins in
 * it.
 */
static enum swhca_fault
mtt_check(struct walk *walk, const struct swhca_mkey *mkey, uint64_t index, uint64_t addr,
	  uint64_t len, uint8_t need)
{
	enum swhca_fault fault;

	if (!mkey->pg_access || (swhca_mkey_mtt(mkey, index) & mtt_bit(need)) != 0)
		return SWHCA_FAULT_NONE;
	if (walk->hca->conf.has_page_fault_events)
		return mtt_absent(walk, mkey, addr, len, need);
	fault = swhca_odp_page_fault(mkey, index);
	if (fault == SWHCA_FAULT_NONE)
		fault = page_came(walk, mkey, addr, len);
	return fault;
}

static enum swhca_fault
walk_mtt(struct walk *walk, const struct swhca_mkey *mkey, uint64_t addr, uint64_t len,
	 uint8_t need)
{
	uint64_t page_size = UINT64_C(1) << mkey->log_page;
	uint64_t first = mkey->start_addr & ~(page_size - 1);
	uint64_t index, in_page, span, at;
	enum swhca_fault fault;

	if ((need & WRITE_ACCESS) != 0 && mkey->umem != NULL && !mkey->umem->is_writable)
		return SWHCA_FAULT_ACCESS;
	while (len > 0) {
		index = (addr - first) >> mkey->log_page;
		if (index >= nb_mtts(mkey))
			return SWHCA_FAULT_BOUNDS;
		in_page = addr & (page_size - 1);
		span = page_size - in_page < len ? page_size - in_page : len;
		fault = mtt_check(walk, mkey, index, addr, len, need);
		if (fault != SWHCA_FAULT_NONE)
			return fault;
		at = (swhca_mkey_mtt(mkey, index) & ~(page_size - 1)) + in_page;
		if (mkey->pin != NULL)
			fault = swhca_pin_access(mkey->pin, &at, &span);
		if (fault == SWHCA_FAULT_NONE)
			fault = bus_add(walk, at, span);
		if (fault != SWHCA_FAULT_NONE)
			return fault;
		addr += span;
		len -= span;
		if (++walk->spans->nb_steps > MAX_STEPS)
			return SWHCA_FAULT_LAYOUT;
	}
	return SWHCA_FAULT_NONE;
}

static enum swhca_fault walk_key(struct walk *walk, uint32_t key, uint64_t addr, uint64_t len,
				 uint8_t need);
static enum swhca_fault walk_dump_fill(struct walk *walk, uint64_t len, uint8_t need);

/*
 * Translate the part of a piece of piece_len bytes in [*offset, *offset + *len); afterwards both
 * are relative to the end of the piece.
 */
static enum swhca_fault
walk_piece(struct walk *walk, uint32_t key, uint64_t piece_addr, uint64_t piece_len,
	   uint64_t *offset, uint64_t *len, uint8_t need)
{
	enum swhca_fault fault;
	uint64_t part;

	if (++walk->spans->nb_steps > MAX_STEPS)
		return SWHCA_FAULT_LAYOUT;
	if (*offset >= piece_len) {
		*offset -= piece_len;
		return SWHCA_FAULT_NONE;
	}
	part = piece_len - *offset < *len ? piece_len - *offset : *len;
	fault = walk_key(walk, key, piece_addr + *offset, part, need);
	*offset = 0;
	*len -= part;
	return fault;
}

/*
 * A repeat block: a header and num_ent entries, repeated repeat_count times; each repetition
 * advances an entry by its stride (mlx5dv: mlx5_wqe_umr_repeat_block_seg).
 */
static enum swhca_fault
walk_repeat_block(struct walk *walk, const struct mlx5_wqe_umr_repeat_block_seg *rb,
		  uint32_t nb_left, uint64_t *offset, uint64_t *len, uint8_t need)
{
	uint32_t nb_ent = be16toh(rb->num_ent);
	uint32_t nb_repeat = be32toh(rb->repeat_count);
	uint64_t round_len = be32toh(rb->byte_count), stride;
	enum swhca_fault fault;
	uint64_t round;
	uint32_t i;

	if (nb_ent == 0 || nb_ent > nb_left || round_len == 0)
		return SWHCA_FAULT_LAYOUT;
	round = *offset / round_len;
	if (round >= nb_repeat) {
		*offset -= round_len * nb_repeat;
		return SWHCA_FAULT_NONE;
	}
	*offset -= round * round_len;
	for (; round < nb_repeat && *len > 0; round++) {
		for (i = 0; i < nb_ent && *len > 0; i++) {
			const struct mlx5_wqe_umr_repeat_ent_seg *ent = &rb->entries[i];

			stride = be16toh(ent->stride);
			if (swhca_has_quirk(walk->hca, SWHCA_QUIRK_REPEAT_STRIDE))
				stride = (uint64_t)(int16_t)stride;
			fault = walk_piece(walk, be32toh(ent->memkey),
					   be64toh(ent->va) + round * stride,
					   be16toh(ent->byte_count), offset, len, need);
			if (fault != SWHCA_FAULT_NONE)
				return fault;
		}
	}
	return SWHCA_FAULT_NONE;
}

/* Bytes of an entry of a list. */
static uint64_t
klm_len(const struct walk *walk, const struct mlx5_wqe_umr_klm_seg *klm)
{
	uint32_t len = be32toh(klm->byte_count);

	if (len == 0 && swhca_has_quirk(walk->hca, SWHCA_QUIRK_LIST_EMPTY_ENTRY))
		return UINT64_C(1) << 31;
	if (swhca_has_quirk(walk->hca, SWHCA_QUIRK_LIST_2G_ENTRY))
		len &= INT32_MAX;
	return len;
}

/* The layout has ended, but len bytes of the access are left. */
static enum swhca_fault
walk_end(struct walk *walk, bool has_repeat, uint64_t len, uint8_t need)
{
	if (len > 0 && swhca_has_quirk(walk->hca, has_repeat ? SWHCA_QUIRK_REPEAT_TOO_SHORT :
							       SWHCA_QUIRK_LIST_TOO_SHORT))
		return walk_dump_fill(walk, len, need);
	return len == 0 ? SWHCA_FAULT_NONE : SWHCA_FAULT_BOUNDS;
}

static enum swhca_fault
walk_klms(struct walk *walk, const struct swhca_mkey *mkey, uint64_t offset, uint64_t len,
	  uint8_t need)
{
	const struct mlx5_wqe_umr_klm_seg *klm;
	enum swhca_fault fault;
	bool has_repeat = false;
	uint32_t i;

	for (i = 0; i < mkey->nb_xlt && len > 0; i++) {
		klm = (const void *)(mkey->xlt + (size_t)i * PRM_KLM_SIZE);
		if (be32toh(klm->mkey) == PRM_UMR_REPEAT_BLOCK_OP) {
			has_repeat = true;
			fault = walk_repeat_block(walk, (const void *)klm, mkey->nb_xlt - i - 1,
						  &offset, &len, need);
			i += be16toh(((const struct mlx5_wqe_umr_repeat_block_seg *)klm)->num_ent);
		} else {
			fault = walk_piece(walk, be32toh(klm->mkey), be64toh(klm->address),
					   klm_len(walk, klm), &offset, &len, need);
		}
		if (fault != SWHCA_FAULT_NONE)
			return fault;
	}
	return walk_end(walk, has_repeat, len, need);
}

/* Pages of an entry without a translation. */
static enum swhca_fault
walk_null_entry(struct walk *walk, const struct swhca_mkey *mkey, uint32_t entry, uint64_t offset,
		uint64_t len, uint8_t need)
{
	uint64_t base = (uint64_t)entry << mkey->log_page;
	uint64_t part, nb_faults;
	enum swhca_fault fault;

	if (walk->hca->conf.has_page_fault_events && mkey->obj.uid == 0) {
		walk->hca->page_faults.absent = (struct swhca_absent){
			.key = mkey->obj.num << 8 | mkey->tag,
			.addr = mkey->start_addr + base + offset,
			.len = len < MAX_ABSENT ? len : MAX_ABSENT,
		};
		return SWHCA_FAULT_ABSENT;
	}
	while (len > 0) {
		if (++walk->spans->nb_steps > MAX_STEPS)
			return SWHCA_FAULT_LAYOUT;
		nb_faults = walk->hca->stats.nb_page_faults;
		fault = swhca_odp_implicit_access(mkey, entry, offset >> PRM_ADAPTER_PAGE_SHIFT,
						  need);
		if (fault == SWHCA_FAULT_NONE && walk->hca->stats.nb_page_faults != nb_faults)
			fault = page_came(walk, mkey, mkey->start_addr + base + offset, len);
		if (fault != SWHCA_FAULT_NONE)
			return fault;
		part = PRM_ADAPTER_PAGE_SIZE - (offset & (PRM_ADAPTER_PAGE_SIZE - 1));
		part = part < len ? part : len;
		fault = bus_add(walk, base + offset, part);
		if (fault != SWHCA_FAULT_NONE)
			return fault;
		offset += part;
		len -= part;
	}
	return SWHCA_FAULT_NONE;
}

/* Source of zeros, and an unused destination, both repeated as needed. */
static enum swhca_fault
walk_dump_fill(struct walk *walk, uint64_t len, uint8_t need)
{
	const struct swhca_fabric *fabric = walk->hca->fabric;
	const uint8_t *mem = (need & WRITE_ACCESS) != 0 ? fabric->dump : fabric->zeros;
	enum swhca_fault fault;
	uint64_t part;

	if ((need & (SWHCA_ACCESS_LOCAL_READ | SWHCA_ACCESS_LOCAL_WRITE)) == 0)
		return SWHCA_FAULT_ACCESS;
	for (; len > 0; len -= part) {
		if (++walk->spans->nb_steps > MAX_STEPS)
			return SWHCA_FAULT_LAYOUT;
		part = len < SWHCA_DUMP_FILL_BYTES ? len : SWHCA_DUMP_FILL_BYTES;
		fault = model_add(walk, mem, part);
		if (fault != SWHCA_FAULT_NONE)
			return fault;
	}
	return SWHCA_FAULT_NONE;
}

/* Entries of one size: their length field is ignored (PRM, KSM; libmlx5: klm_fbs). */
static enum swhca_fault
walk_ksm(struct walk *walk, const struct swhca_mkey *mkey, uint64_t offset, uint64_t len,
	 uint8_t need)
{
	uint64_t size = UINT64_C(1) << mkey->log_page;
	const struct mlx5_wqe_umr_klm_seg *ksm;
	uint64_t index, in_entry, part, addr;
	enum swhca_fault fault;

	for (; len > 0; offset += part, len -= part) {
		if (++walk->spans->nb_steps > MAX_STEPS)
			return SWHCA_FAULT_LAYOUT;
		index = offset >> mkey->log_page;
		if (index >= mkey->nb_xlt)
			return SWHCA_FAULT_BOUNDS;
		in_entry = offset & (size - 1);
		part = size - in_entry < len ? size - in_entry : len;
		ksm = (const void *)(mkey->xlt + index * PRM_KLM_SIZE);
		addr = be64toh(ksm->address);
		if (swhca_has_quirk(walk->hca, SWHCA_QUIRK_ENTRY_SIZE_ADDRESS))
			addr &= ~(size - 1);
		if (be32toh(ksm->mkey) == SWHCA_NULL_KEY)
			fault = walk_null_entry(walk, mkey, (uint32_t)index, in_entry, part,
						need);
		else
			fault = walk_key(walk, be32toh(ksm->mkey), addr + in_entry, part, need);
		if (fault != SWHCA_FAULT_NONE)
			return fault;
	}
	return SWHCA_FAULT_NONE;
}

/* Maximum levels of lists. */
static uint8_t
max_depth(const struct walk *walk)
{
	return (uint8_t)(walk->hca->conf.max_indirection -
			 swhca_has_quirk(walk->hca, SWHCA_QUIRK_LIST_LEVELS));
}

static enum swhca_fault
walk_layout(struct walk *walk, const struct swhca_mkey *mkey, uint64_t addr, uint64_t len,
	    uint8_t need)
{
	enum swhca_fault fault;

	switch (mkey->mode) {
	case PRM_MKC_ACCESS_MODE_PA:
		return bus_add(walk, addr, len);
	case PRM_MKC_ACCESS_MODE_MEMIC:
		return model_add(walk, walk->hca->bar + mkey->start_addr + addr, len);
	case PRM_MKC_ACCESS_MODE_MTT:
		if (mkey->odp != NULL && walk->depth > 0 &&
		    swhca_has_quirk(walk->hca, SWHCA_QUIRK_LIST_ODP))
			return SWHCA_FAULT_PAGE;
		return walk_mtt(walk, mkey, addr, len, need);
	case PRM_MKC_ACCESS_MODE_KLMS:
	case PRM_MKC_ACCESS_MODE_KSM:
		if (walk->depth == max_depth(walk))
			return SWHCA_FAULT_DEPTH;
		walk->depth++;
		need = (need & WRITE_ACCESS) != 0 ? SWHCA_ACCESS_LOCAL_WRITE :
							SWHCA_ACCESS_LOCAL_READ;
		fault = mkey->mode == PRM_MKC_ACCESS_MODE_KSM ?
				walk_ksm(walk, mkey, addr - mkey->start_addr, len, need) :
				walk_klms(walk, mkey, addr - mkey->start_addr, len, need);
		walk->depth--;
		return fault;
	default:
		return SWHCA_FAULT_LAYOUT;
	}
}

/*
 * A key with a BSF: its addresses are those of the wire, its layout and length those of memory. A
 * BSF below another one could not be distinguished from data.
 */
static enum swhca_fault
walk_bsf(struct walk *walk, struct swhca_mkey *mkey, uint64_t addr, uint64_t len, uint8_t need)
{
	struct swhca_spans *spans = walk->spans;
	uint64_t wire_len = spans->len + len;
	struct swhca_xform xform = {
		.hca = walk->hca,
		.mkey = mkey,
		.to_wire = (need & (SWHCA_ACCESS_LOCAL_READ | SWHCA_ACCESS_REMOTE_READ)) != 0,
		.wire_off = addr - mkey->start_addr,
		.wire_len = len,
		.first = spans->nb,
		.qp = walk->qp,
		.cq = walk->cq,
		.qpn = walk->qpn,
	};
	enum swhca_fault fault;

	if (walk->in_bsf || walk->is_atomic)
		return SWHCA_FAULT_BSF;
	if (addr < mkey->start_addr)
		return SWHCA_FAULT_BOUNDS;
	fault = swhca_xform_plan(walk->hca, &xform);
	if (fault != SWHCA_FAULT_NONE)
		return fault;
	addr = mkey->start_addr + xform.mem_off;
	fault = mkey_check_bounds(walk, mkey, addr, xform.mem_len);
	if (fault != SWHCA_FAULT_NONE)
		return fault;
	walk->in_bsf = true;
	fault = walk_layout(walk, mkey, addr, xform.mem_len, need);
	walk->in_bsf = false;
	if (fault != SWHCA_FAULT_NONE)
		return fault;
	xform.nb = spans->nb - xform.first;
	spans->len = wire_len;
	switch (swhca_spans_add_xform(spans, &xform)) {
	case 0:
		return SWHCA_FAULT_NONE;
	case -E2BIG:
		return SWHCA_FAULT_LAYOUT;
	default:
		return SWHCA_FAULT_NO_MEMORY;
	}
}

/* Find the key of an entry, or of the access itself. */
static struct swhca_mkey *
walk_find(const struct walk *walk, uint32_t key, enum swhca_fault *fault)
{
	struct swhca_mkey *mkey = swhca_mkey_find(walk->hca, key, fault);

	if (mkey == NULL && *fault == SWHCA_FAULT_TAG && walk->depth > 0 &&
	    swhca_has_quirk(walk->hca, SWHCA_QUIRK_LIST_STALE_ENTRY))
		return (struct swhca_mkey *)swhca_table_get(&walk->hca->tables[SWHCA_OBJ_MKEY],
							    key >> 8);
	return mkey;
}

static enum swhca_fault
walk_key(struct walk *walk, uint32_t key, uint64_t addr, uint64_t len, uint8_t need)
{
	enum swhca_fault fault;
	struct swhca_mkey *mkey;

	switch (key) {
	case SWHCA_NULL_KEY:
		return SWHCA_FAULT_PAGE;
	case SWHCA_DUMP_FILL_KEY:
		return walk_dump_fill(walk, len, need);
	default:
		break;
	}
	mkey = walk_find(walk, key, &fault);
	if (mkey == NULL)
		return fault;
	fault = mkey_check(walk, mkey, need);
	if (fault != SWHCA_FAULT_NONE)
		return fault;
	if ((mkey->bsf_en || mkey->crypto_en) && len > 0)
		return walk_bsf(walk, mkey, addr, len, need);
	fault = mkey_check_bounds(walk, mkey, addr, len);
	if (fault != SWHCA_FAULT_NONE)
		return fault;
	return walk_layout(walk, mkey, addr, len, need);
}

enum swhca_fault
swhca_mkey_translate(struct swhca_hca *hca, const struct swhca_access *access,
		     struct swhca_spans *spans)
{
	struct walk walk = {
		.hca = hca,
		.spans = spans,
		.pd = access->pd,
		.qpn = access->qpn,
		.qp = access->qp,
		.cq = access->cq,
		.is_judged = access->is_again,
		.is_atomic = (access->need & SWHCA_ACCESS_REMOTE_ATOMIC) != 0,
		.side = (access->need & LOCAL_ACCESS) != 0 ? SWHCA_INJECT_LOCAL :
							    SWHCA_INJECT_REMOTE,
	};

	uint32_t nb_steps = spans->nb_steps;
	enum swhca_fault fault;

	fault = walk_key(&walk, access->key, access->addr, access->len, access->need);
	hca->fabric->cost += (uint64_t)(spans->nb_steps - nb_steps) * SWHCA_COST_STEP;
	return fault;
}
