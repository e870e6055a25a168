/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_ABI_H
#define SWHCA_UVERBS_ABI_H

/**
 * @file
 * User ABI: the kernel's headers in /usr/include/rdma, and numbers newer than those of the oldest
 * supported build system (Linux 6.1). Names are those of ib_user_ioctl_cmds.h and mlx5-abi.h, with
 * another prefix to avoid conflicts with newer headers.
 */

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

/* Linux 6.17: enum uverbs_methods_mr, enum uverbs_attrs_reg_mr_cmd_attr_ids. */
#define UABI_METHOD_REG_MR	5u
enum {
	UABI_ATTR_REG_MR_HANDLE,
	UABI_ATTR_REG_MR_PD_HANDLE,
	UABI_ATTR_REG_MR_DMA_HANDLE,
	UABI_ATTR_REG_MR_IOVA,
	UABI_ATTR_REG_MR_ADDR,
	UABI_ATTR_REG_MR_LENGTH,
	UABI_ATTR_REG_MR_ACCESS_FLAGS,
	UABI_ATTR_REG_MR_FD,
	UABI_ATTR_REG_MR_FD_OFFSET,
	UABI_ATTR_REG_MR_RESP_LKEY,
	UABI_ATTR_REG_MR_RESP_RKEY,
	UABI_NB_ATTRS_REG_MR,
};

/* Linux 6.17: enum uverbs_default_objects, uverbs_methods_dmah and its attributes. */
#define UABI_OBJECT_DMAH	17u
#define UABI_METHOD_DMAH_ALLOC	0u
#define UABI_METHOD_DMAH_FREE	1u
enum {
	UABI_ATTR_ALLOC_DMAH_HANDLE,
	UABI_ATTR_ALLOC_DMAH_CPU_ID,
	UABI_ATTR_ALLOC_DMAH_TPH_MEM_TYPE,
	UABI_ATTR_ALLOC_DMAH_PH,
	UABI_NB_ATTRS_ALLOC_DMAH,
};
#define UABI_ATTR_FREE_DMAH_HANDLE	0u
/* Types of memory of a CPU: volatile, persistent. */
#define UABI_NB_TPH_MEM_TYPES	2u

/* Linux 7.0: enum uverbs_methods_device, enum uverbs_attrs_query_port_speed_cmd_attr_ids. */
#define UABI_METHOD_QUERY_PORT_SPEED	7u
enum {
	UABI_ATTR_QUERY_PORT_SPEED_PORT_NUM,
	UABI_ATTR_QUERY_PORT_SPEED_RESP,
	UABI_NB_ATTRS_QUERY_PORT_SPEED,
};

/* Linux 6.13: enum mlx5_ib_query_dev_resp_flags, enum mlx5_ib_modify_qp_mask. */
#define UABI_MLX5_QUERY_DEV_RESP_FLAGS_OOO_DP	(1u << 4)
#define UABI_MLX5_MODIFY_QP_OOO_DP		(1u << 0)

#endif /* SWHCA_UVERBS_ABI_H */
