/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef WQE_BYTES_REQUEST_H
#define WQE_BYTES_REQUEST_H

/*
 * Configurations of keys with signatures and encryption, posted by libmlx5 and by the driver; for
 * wqe_bytes_{sig,crypto,sigcrypto}.c.
 *
 * Each side has its own PSVs and DEKs, whose numbers are compared by value.
 */

#include "bytes.h"

#define WB_MEM		0
#define WB_WIRE		1
#define WB_NB_BLOCKS	5u

/* Size of a block or data unit, in the encoding of each side. */
struct wb_block {
	uint16_t bytes;
	enum mlx5dv_block_size theirs;
};

extern const struct wb_block wb_blocks[WB_NB_BLOCKS];
/* Convert one of these sizes to the encoding of libmlx5. */
enum mlx5dv_block_size wb_block_size(uint16_t bytes);

/* Configuration by both sides, setter by setter. */
struct wb_request {
	uint32_t setters;	/* RTE_UMR_MKEY_SET_*, RTE_UMR_MKEY_RESET_SIG */
	uint32_t access;
	unsigned int verbs;
	uint32_t repeat;	/* 0: a list */
	uint32_t nb;
	struct ibv_sge sges[WB_MAX_ENTRIES];
	struct mlx5dv_mr_interleaved interleaved[WB_MAX_ENTRIES];
	struct rte_umr_sig sig;
	struct rte_umr_crypto crypto;
};

/* Random rights. */
void wb_request_access(struct wb_request *req);
/* A random list of nb entries, each of at most max bytes. */
void wb_request_list(struct wb_request *req, uint32_t nb, uint32_t max);

bool wb_is_t10dif(const struct rte_umr_sig_domain *domain);
/*
 * Configure wb.mkey or wb.key and copy its nb WQEs. libmlx5 has its own structure for encryption;
 * NULL: do not set.
 */
void wb_libmlx5_configure(const struct wb_request *req, const struct mlx5dv_crypto_attr *crypto,
			  struct wb_wqe *wqes, unsigned int nb);
void wb_driver_configure(const struct wb_request *req, struct wb_wqe *wqes, unsigned int nb);

/* Any tweak and key tag. */
void wb_random_tweak(struct rte_umr_crypto *crypto);

/* Record a number the first time, compare it later, and clear it; 0 is none. */
void wb_mask_number(void *base, struct prm_field field, uint32_t *number);

/* Numbers of PSVs by domain; 0: not known yet. */
struct wb_psvs {
	uint32_t theirs[2], ours[2];
};

/* Number of SET_PSV WQEs for a signature, one per domain. sig may be NULL. */
unsigned int wb_nb_psvs(const struct rte_umr_sig *sig);
/* Compare the last ones posted by each side. */
void wb_compare_psvs(const struct rte_umr_sig *sig, struct wb_wqe *theirs, struct wb_wqe *ours,
		     struct wb_psvs *psvs);

/* The same AES key in a DEK of each side. */
struct wb_deks {
	struct mlx5dv_dek *theirs;
	struct rte_umr_dek *ours;
};

/* Whether the device encrypts more than one data unit at a time. */
bool wb_is_multi_unit(void);
void wb_deks_create(struct wb_deks *deks);
void wb_deks_destroy(struct wb_deks *deks);
/* Convert encryption parameters to those of libmlx5. */
struct mlx5dv_crypto_attr wb_their_crypto(const struct rte_umr_crypto *ours,
					  const struct wb_deks *deks);

#endif /* WQE_BYTES_REQUEST_H */
