/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_DEVX_H
#define MLX5_UMR_DEVX_H

/**
 * @file
 * PRM commands through DEVX, one function each. All return 0 or a negative errno; a failed command
 * is logged with its status and syndrome.
 */

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/mlx5dv.h>

#include <mlx5_prm.h>

#include "ring/device.h"
#include "ring/queue.h"

/** Dwords of a mailbox. */
#define MLX5_UMR_DWORDS(bytes) ((bytes) / sizeof(uint32_t))

/* RNR timer for the peer, as IB code: 0.64 ms. */
#define MLX5_UMR_MIN_RNR_NAK	12
/* Hops of a RoCE packet. */
#define MLX5_UMR_HOP_LIMIT	255

/** Attributes of a key. */
struct mlx5_umr_mkey_attr {
	uint32_t pdn;
	uint32_t nb_klm;	/* octowords, a multiple of PRM_KLM_ALIGN */
	uint32_t bsf_ow;	/* octowords of its BSFs, 0 for none */
	uint8_t log_entry_size;	/* for entries of one size; 0: each has its own size */
	bool has_remote_inv;	/* a send of the peer may invalidate it */
	bool has_crypto;	/* it has an encryption, and cannot be used without it */
};

/** Path to a peer and transport parameters. */
struct mlx5_umr_qp_path {
	uint32_t remote_qpn;
	uint32_t local_psn;
	uint32_t remote_psn;
	uint16_t lid;
	uint8_t mtu;
	uint8_t log_msg_max;
	uint8_t log_ra_req;
	uint8_t log_ra_res;
	uint8_t port;
	uint8_t gid_index;
	uint8_t rnr_retry;
	uint8_t retry_count;
	uint8_t ack_timeout;
	bool is_loopback;	/* packets are looped back in the device */
	bool has_grh;
	bool has_atomic;	/* the peer may use atomics */
	uint8_t gid[16];
	uint8_t mac[6];
};

int mlx5_umr_devx_query_caps(struct mlx5_umr_device *dev);
/** Create a CQ, and set its number. dbr_offset is in the umem of the queue. */
int mlx5_umr_devx_cq_create(const struct mlx5_umr_queue *queue, struct mlx5_umr_cq *cq,
			    uint64_t dbr_offset, struct mlx5dv_devx_obj **obj);
/** Create the queue pair, and set its number, when its CQs exist. */
int mlx5_umr_devx_qp_create(struct mlx5_umr_queue *queue, uint64_t dbr_offset);
int mlx5_umr_devx_qp_2err(const struct mlx5_umr_queue *queue);
int mlx5_umr_devx_qp_2rst(const struct mlx5_umr_queue *queue);
int mlx5_umr_devx_qp_rst2init(const struct mlx5_umr_queue *queue);
int mlx5_umr_devx_qp_init2rtr(const struct mlx5_umr_queue *queue,
			      const struct mlx5_umr_qp_path *path);
int mlx5_umr_devx_qp_rtr2rts(const struct mlx5_umr_queue *queue,
			     const struct mlx5_umr_qp_path *path);
/** Create a free, indirect key, to be configured by UMR. */
int mlx5_umr_devx_mkey_create(const struct mlx5_umr_device *dev,
			      const struct mlx5_umr_mkey_attr *attr, struct mlx5dv_devx_obj **obj,
			      uint32_t *mkey_index);
/** Create a persistent signature value. */
int mlx5_umr_devx_psv_create(const struct mlx5_umr_device *dev, uint32_t pdn,
			     struct mlx5dv_devx_obj **obj, uint32_t *psv);
/* For files with their own commands. */
/** Log a failed command, with an errno or 0; returns a negative errno. */
int mlx5_umr_devx_error(const struct mlx5_umr_device *dev, const char *name, const void *out,
			int error);
/** Create an object and get its number, a field of the output. name is that of the command. */
int mlx5_umr_devx_obj_create(const struct mlx5_umr_device *dev, const char *name, const void *in,
			     size_t in_len, struct prm_field field, struct mlx5dv_devx_obj **obj,
			     uint32_t *num);
/** Query a capability page, current values; out has PRM_QUERY_HCA_CAP_OUT_SIZE bytes. */
int mlx5_umr_devx_query_cap_page(const struct mlx5_umr_device *dev, uint16_t page, void *out);

/** Query the context of a key: PRM_MKC_SIZE bytes. */
int mlx5_umr_devx_mkey_query(const struct mlx5_umr_device *dev, struct mlx5dv_devx_obj *obj,
			     uint32_t mkey_index, void *mkc);
/**
 * Destroy any object; NULL is accepted. what is its name in the log. Failures are not logged for a
 * lost device.
 */
int mlx5_umr_devx_destroy(const struct mlx5_umr_device *dev, struct mlx5dv_devx_obj *obj,
			  const char *what);

#endif /* MLX5_UMR_DEVX_H */
