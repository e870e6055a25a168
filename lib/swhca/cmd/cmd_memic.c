/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Device memory (MEMIC): ranges after the UAR pages of the BAR, in blocks of 64 bytes. A key of
 * access mode MEMIC makes one accessible to queues, a mapping of the BAR to the host's CPUs.
 */

#include <errno.h>
#include <inttypes.h>

#include "cmd/cmd.h"
#include "cmd/cmd_handlers.h"
#include "cmd/cmd_memic.h"

static const struct swhca_memic *
memic_get(const struct swhca_table *table, uint32_t index)
{
	return (const struct swhca_memic *)swhca_table_get(table, table->first + index);
}

/* Find an allocation that overlaps [start, start + len). */
static const struct swhca_memic *
memic_overlap(const struct swhca_hca *hca, uint64_t start, uint64_t len)
{
	const struct swhca_table *table = &hca->tables[SWHCA_OBJ_MEMIC];
	const struct swhca_memic *memic;
	uint32_t i;

	for (i = 0; i < table->nb_slots; i++) {
		memic = memic_get(table, i);
		if (memic != NULL && start < memic->start + memic->len &&
		    memic->start < start + len)
			return memic;
	}
	return NULL;
}

struct swhca_memic *
swhca_memic_find(const struct swhca_hca *hca, uint64_t start, uint64_t len)
{
	const struct swhca_memic *memic;

	memic = memic_overlap(hca, start, 1);
	/* Neither side wraps: an allocation is in the BAR. */
	if (memic == NULL || len > memic->start + memic->len - start)
		return NULL;
	return (struct swhca_memic *)(uintptr_t)memic;
}

/* First fit. @return false if there is no space. */
static bool
memic_place(const struct swhca_hca *hca, uint64_t first, uint64_t end, uint64_t len,
	    uint64_t align, uint64_t *start)
{
	const struct swhca_memic *other;
	uint64_t at;

	for (at = first; ; at = other->start + other->len) {
		at = (at + align - 1) & ~(align - 1);
		if (at + len > end)
			return false;
		other = memic_overlap(hca, at, len);
		if (other == NULL)
			break;
	}
	*start = at;
	return true;
}

uint8_t
swhca_cmd_alloc_memic(struct swhca_cmd *cmd)
{
	uint64_t first = prm_get(cmd->in, PRM_ALLOC_MEMIC_IN_RANGE_START_ADDR);
	uint64_t range = prm_get(cmd->in, PRM_ALLOC_MEMIC_IN_RANGE_SIZE);
	uint64_t len = prm_get(cmd->in, PRM_ALLOC_MEMIC_IN_MEMIC_SIZE);
	uint64_t log_align = prm_get(cmd->in, PRM_ALLOC_MEMIC_IN_LOG_MEMIC_ADDR_ALIGNMENT);
	uint64_t bar = swhca_memic_bar_offset(cmd->hca);
	struct swhca_memic *memic;
	uint64_t start;

	if (len == 0 || len % SWHCA_MEMIC_BLOCK != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_SIZE, 1,
					"%" PRIu64 " bytes: not a multiple of %u", len,
					SWHCA_MEMIC_BLOCK);
	if (log_align > SWHCA_MEMIC_LOG_MAX_ALIGN)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2,
					"alignment 64 << %" PRIu64 ", at most 64 << %u", log_align,
					SWHCA_MEMIC_LOG_MAX_ALIGN);
	if (first < bar || first - bar > SWHCA_MEMIC_SIZE ||
	    range > SWHCA_MEMIC_SIZE - (first - bar) || len > range)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3,
					"%" PRIu64 " bytes in [0x%" PRIx64 ", +0x%" PRIx64
					"), device memory is [0x%" PRIx64 ", +0x%x)",
					len, first, range, bar, SWHCA_MEMIC_SIZE);
	if (!memic_place(cmd->hca, first, first + range, len, UINT64_C(64) << log_align, &start))
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 4,
					"no %" PRIu64 " bytes left in [0x%" PRIx64
					", +0x%" PRIx64 ")",
					len, first, range);
	memic = swhca_obj_create(cmd->hca, SWHCA_OBJ_MEMIC, cmd->uid, sizeof(*memic));
	if (memic == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 5, "%u ranges in use",
					cmd->hca->tables[SWHCA_OBJ_MEMIC].nb_used);
	memic->start = start;
	memic->len = len;
	/* Clear the data of the last owner. */
	memset(cmd->hca->bar + start, 0, len);
	prm_set(cmd->out, PRM_ALLOC_MEMIC_OUT_MEMIC_START_ADDR, start);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_dealloc_memic(struct swhca_cmd *cmd)
{
	uint64_t start = prm_get(cmd->in, PRM_DEALLOC_MEMIC_IN_MEMIC_START_ADDR);
	uint64_t len = prm_get(cmd->in, PRM_DEALLOC_MEMIC_IN_MEMIC_SIZE);
	struct swhca_memic *memic = swhca_memic_find(cmd->hca, start, len);

	if (memic == NULL || memic->start != start || memic->len != len ||
	    swhca_cmd_obj(cmd, SWHCA_OBJ_MEMIC, memic->obj.num) == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1,
					"nothing of %" PRIu64 " bytes was allocated at 0x%" PRIx64,
					len, start);
	if (memic->obj.nb_refs != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_RES_BUSY, 2, "0x%" PRIx64 " has %u keys",
					start, memic->obj.nb_refs);
	if (memic->ops != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_RES_BUSY, 3,
					"0x%" PRIx64 " has operation addresses, mask 0x%x", start,
					memic->ops);
	swhca_obj_destroy(cmd->hca, &memic->obj);
	return PRM_CMD_OK;
}

/*
 * Operation addresses repeat device memory beyond the end of the BAR, once per operation: nothing
 * is mapped there, so that every load and store is trapped.
 */
static uint64_t
op_addr(const struct swhca_hca *hca, unsigned int op, uint64_t start)
{
	return hca->bar_size + (uint64_t)op * SWHCA_MEMIC_SIZE +
	       (start - swhca_memic_bar_offset(hca));
}

uint8_t
swhca_cmd_modify_memic(struct swhca_cmd *cmd)
{
	uint64_t start = prm_get(cmd->in, PRM_MODIFY_MEMIC_IN_MEMIC_START_ADDR);
	unsigned int op = (unsigned int)prm_get(cmd->in, PRM_MODIFY_MEMIC_IN_MEMIC_OPERATION_TYPE);
	uint64_t op_mod = prm_get(cmd->in, PRM_CMD_IN_OP_MOD);
	struct swhca_memic *memic = swhca_memic_find(cmd->hca, start, 1);

	if (!cmd->hca->conf.has_memic_ops || op >= PRM_NB_MEMIC_OPS)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1,
					"operation %u is not modelled", op);
	if (memic == NULL || memic->start != start ||
	    swhca_cmd_obj(cmd, SWHCA_OBJ_MEMIC, memic->obj.num) == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 2,
					"nothing was allocated at 0x%" PRIx64, start);
	if (op_mod > PRM_MODIFY_MEMIC_OP_MOD_DEALLOC ||
	    ((memic->ops & 1u << op) != 0) != (op_mod == PRM_MODIFY_MEMIC_OP_MOD_DEALLOC))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES_STATE, 3,
					"modifier %" PRIu64 " of operation %u, mask 0x%x", op_mod,
					op, memic->ops);
	memic->ops ^= (uint8_t)(1u << op);
	if (op_mod == PRM_MODIFY_MEMIC_OP_MOD_ALLOC)
		prm_set(cmd->out, PRM_MODIFY_MEMIC_OUT_MEMIC_OPERATION_ADDR,
			op_addr(cmd->hca, op, start));
	return PRM_CMD_OK;
}

static int
op_exec(struct swhca_hca *hca, uint64_t addr, bool is_store, uint8_t *value)
{
	uint64_t at = addr - hca->bar_size;
	unsigned int op = (unsigned int)(at / SWHCA_MEMIC_SIZE);
	uint64_t start = swhca_memic_bar_offset(hca) + at % SWHCA_MEMIC_SIZE;
	struct swhca_memic *memic = swhca_memic_find(hca, start, 1);
	uint8_t *byte = hca->bar + start;

	if (addr < hca->bar_size || op >= PRM_NB_MEMIC_OPS || memic == NULL ||
	    (memic->ops & 1u << op) == 0 || is_store != (op == PRM_MEMIC_OP_INCREMENT))
		return -EFAULT;
	/* Others may store to the same byte through the BAR. */
	if (op == PRM_MEMIC_OP_INCREMENT)
		__atomic_fetch_add(byte, *value, __ATOMIC_SEQ_CST);
	else
		*value = __atomic_exchange_n(byte, 1, __ATOMIC_SEQ_CST);
	return 0;
}

int
swhca_hca_memic_access(struct swhca_hca *hca, uint64_t addr, bool is_store, uint8_t *value)
{
	int ret;

	swhca_fabric_lock(hca->fabric);
	ret = op_exec(hca, addr, is_store, value);
	swhca_fabric_unlock(hca->fabric);
	return ret;
}

void
swhca_memic_cap_fill(const struct swhca_hca *hca, uint8_t *cap)
{
	prm_set(cap, PRM_CAP_DEVICE_MEM_MEMIC, 1);
	prm_set(cap, PRM_CAP_DEVICE_MEM_LOG_MIN_MEMIC_ALLOC_SIZE, SWHCA_MEMIC_LOG_BLOCK);
	prm_set(cap, PRM_CAP_DEVICE_MEM_LOG_MAX_MEMIC_ADDR_ALIGNMENT, SWHCA_MEMIC_LOG_MAX_ALIGN);
	prm_set(cap, PRM_CAP_DEVICE_MEM_MEMIC_BAR_START_ADDR, swhca_memic_bar_offset(hca));
	prm_set(cap, PRM_CAP_DEVICE_MEM_MEMIC_BAR_SIZE, SWHCA_MEMIC_SIZE);
	prm_set(cap, PRM_CAP_DEVICE_MEM_MAX_MEMIC_SIZE, SWHCA_MEMIC_SIZE);
	if (!hca->conf.has_memic_ops)
		return;
	prm_set(cap, PRM_CAP_DEVICE_MEM_MEMIC_OPERATIONS,
		1u << PRM_MEMIC_OP_INCREMENT | 1u << PRM_MEMIC_OP_TEST_AND_SET);
	/* One byte each: bit 0. */
	prm_set(cap, PRM_CAP_DEVICE_MEM_INCREMENT_SIZES, 1);
	prm_set(cap, PRM_CAP_DEVICE_MEM_TEST_AND_SET_SIZES, 1);
}
