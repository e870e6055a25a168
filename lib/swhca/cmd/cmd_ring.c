/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>

#include "mlx5_prm_wqe.h"
#include "cmd/cmd_ring.h"
#include "object/bus.h"

uint8_t
swhca_cmd_ring_init(struct swhca_cmd *cmd, const struct swhca_ring_where *where, uint64_t bytes,
		    struct swhca_buf *buf, struct swhca_umem **umem)
{
	struct swhca_umem *found;
	uint64_t offset, room;

	if (where->in_umem) {
		found = (struct swhca_umem *)swhca_cmd_obj(cmd, SWHCA_OBJ_UMEM, where->umem_id);
		if (found == NULL)
			return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 100,
						"umem 0x%x does not exist", where->umem_id);
		if (where->is_written && !found->is_writable)
			return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 109,
						"CQEs in umem 0x%x, which is for reading",
						where->umem_id);
		room = swhca_buf_len(&found->buf);
		if (where->umem_offset % PRM_WQE_BB_SIZE != 0)
			return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 107,
						"ring at 0x%" PRIx64 ", not a multiple of %u",
						where->umem_offset, PRM_WQE_BB_SIZE);
		if (where->umem_offset > room || bytes > room - where->umem_offset)
			return swhca_cmd_reject(cmd, PRM_CMD_BAD_SIZE, 101,
						"ring of %" PRIu64 " bytes at 0x%" PRIx64
						", the umem has %" PRIu64, bytes,
						where->umem_offset, room);
		*buf = found->buf;	/* borrows the page list, which the reference protects */
		buf->offset += where->umem_offset;
		*umem = found;
		swhca_obj_ref(&found->obj);
		return PRM_CMD_OK;
	}
	offset = (uint64_t)where->page_offset << (where->log_page - 6);
	if (swhca_buf_init(buf, cmd->hca, where->pas, where->nb_pas, where->log_page, offset) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 102, "no memory for %u pages",
					where->nb_pas);
	if (bytes > swhca_buf_len(buf)) {
		room = swhca_buf_len(buf);
		swhca_buf_fini(buf);
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_SIZE, 103,
					"ring of %" PRIu64 " bytes, the page list has %" PRIu64,
					bytes, room);
	}
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_dbr_init(struct swhca_cmd *cmd, bool in_umem, uint32_t umem_id, uint64_t addr,
		   struct swhca_dbr *dbr)
{
	struct swhca_umem *umem = NULL;

	if (addr % PRM_DBR_SIZE != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 104,
					"doorbell record at 0x%" PRIx64 ", not a multiple of %u",
					addr, PRM_DBR_SIZE);
	if (in_umem) {
		umem = (struct swhca_umem *)swhca_cmd_obj(cmd, SWHCA_OBJ_UMEM, umem_id);
		if (umem == NULL)
			return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 105,
						"umem 0x%x does not exist", umem_id);
		if (swhca_buf_len(&umem->buf) < PRM_DBR_SIZE ||
		    addr > swhca_buf_len(&umem->buf) - PRM_DBR_SIZE)
			return swhca_cmd_reject(cmd, PRM_CMD_BAD_SIZE, 106,
						"doorbell record at 0x%" PRIx64
						", the umem has %" PRIu64 " bytes",
						addr, swhca_buf_len(&umem->buf));
		/* An unaligned record could continue in another page. */
		if ((umem->buf.offset + addr) % PRM_DBR_SIZE != 0)
			return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 108,
						"doorbell record at 0x%" PRIx64
						" of a umem that begins at 0x%" PRIx64, addr,
						umem->buf.offset);
		swhca_obj_ref(&umem->obj);
	} else {
		addr = swhca_bus_addr(cmd->hca, addr, PRM_DBR_SIZE);
	}
	*dbr = (struct swhca_dbr){ .umem = umem, .addr = addr };
	return PRM_CMD_OK;
}
