/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ring/recv_inline.h"
#include "wqe/wqe.h"

/** CPU address of a segment, and its region; NULL if access is not allowed. */
static void *
region_va(const struct mlx5_umr_rq *rq, const struct mlx5_wqe_data_seg *seg, uint32_t len,
	  const struct rte_umr_mr **region)
{
	uint32_t lkey = rte_be_to_cpu_32(seg->lkey);
	const struct rte_umr_mr *mr;
	uint64_t offset;

	if (rq->keys == NULL)
		return NULL;
	mr = mlx5_umr_key_table_get(rq->keys, lkey);
	if (mr == NULL || mlx5_umr_key_is_opaque(mr))
		return NULL;
	offset = rte_be_to_cpu_64(seg->addr) - mr->iova;
	if (mr->lkey != lkey || mr->pd != rq->pd || offset > mr->len || len > mr->len - offset ||
	    (mr->access & RTE_UMR_ACCESS_LOCAL_WRITE) == 0)
		return NULL;
	*region = mr;
	return (void *)((uintptr_t)mr->addr + (uintptr_t)offset);
}

/** The same as on_demand_copy(), where a container denies its system call. */
static bool
on_demand_copy_by_pipe(void *to, const uint8_t *data, uint32_t len)
{
	bool is_copied;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) != 0)
		return false;
	is_copied = write(fds[1], data, len) == (ssize_t)len &&
		    read(fds[0], to, len) == (ssize_t)len;
	close(fds[0]);
	close(fds[1]);
	return is_copied;
}

/** On-demand memory may be unmapped: ask the kernel, because a store would fault. */
static bool
on_demand_copy(void *to, const uint8_t *data, uint32_t len)
{
	const struct iovec src = { .iov_base = (void *)(uintptr_t)data, .iov_len = len };
	const struct iovec dst = { .iov_base = to, .iov_len = len };
	const ssize_t ret = process_vm_writev(getpid(), &src, 1, &dst, 1, 0);

	if (ret >= 0 || errno == EFAULT)
		return ret == (ssize_t)len;
	return on_demand_copy_by_pipe(to, data, len);
}

static bool
part_copy(const struct mlx5_umr_rq *rq, const struct mlx5_wqe_data_seg *seg, const uint8_t *data,
	  uint32_t len)
{
	const struct rte_umr_mr *mr = NULL;
	void *to = region_va(rq, seg, len, &mr);

	if (to == NULL)
		return false;
	if ((mr->flags & RTE_UMR_MR_F_ON_DEMAND) != 0)
		return on_demand_copy(to, data, len);
	memcpy(to, data, len);
	return true;
}

enum rte_umr_status
mlx5_umr_recv_inline_copy(const struct mlx5_umr_rq *rq, const uint8_t *data, uint32_t len)
{
	const struct mlx5_wqe_data_seg *seg =
		(const void *)(rq->ring + ((size_t)(rq->ci & rq->mask) << rq->log_stride));
	uint32_t nb_left = 1u << rq->log_stride >> MLX5_UMR_LOG_DS_SIZE;
	uint32_t part;

	if (len > MLX5_UMR_RECV_INLINE_MAX)
		return RTE_UMR_STATUS_LOCAL_LENGTH;
	for (; len > 0 && nb_left > 0; seg++, nb_left--) {
		if (seg->lkey == RTE_BE32(MLX5_INVALID_LKEY))
			break;
		/* The device interprets a length of 0 as 2 GiB. */
		part = rte_be_to_cpu_32(seg->byte_count);
		part = part == 0 ? len : RTE_MIN(part, len);
		if (!part_copy(rq, seg, data, part))
			return RTE_UMR_STATUS_LOCAL_PROT;
		data += part;
		len -= part;
	}
	return len == 0 ? RTE_UMR_STATUS_SUCCESS : RTE_UMR_STATUS_LOCAL_LENGTH;
}
