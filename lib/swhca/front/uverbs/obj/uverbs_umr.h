/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_UMR_H
#define SWHCA_UVERBS_UMR_H

/**
 * @file
 * Changes of keys by the front end itself, which uses UMR like mlx5_ib.
 */

#include "mlx5_prm.h"

struct swhca_udev;

/** Maximum octowords of translation in a change: inline data of a UMR, in groups of four. */
#define SWHCA_UUMR_MAX_XLT 52u

/** Change of a key. */
struct swhca_uumr_change {
	uint32_t key;
	uint8_t flags;		/**< MLX5_WQE_UMR_CTRL_FLAG_CHECK_*, PRM_UMR_FLAG_CHECK_NOT_FREE. */
	uint64_t mask;		/**< MLX5_WQE_UMR_CTRL_MKEY_MASK_*, PRM_UMR_MKEY_MASK_*. */
	uint8_t mkc[PRM_MKC_SIZE]; /**< Fields selected by the mask. */
	const void *xlt;	/**< nb_xlt octowords, or NULL. */
	uint32_t nb_xlt;	/**< Multiple of 4, at most SWHCA_UUMR_MAX_XLT. */
};

/**
 * Change a key, and wait for completion.
 *
 * @return
 *   0, -EFAULT (the device rejected it; the key is unchanged), -EIO (no answer; the state of the
 *   key is unknown), or the error of the creation of the queue.
 */
int swhca_uumr_exec(struct swhca_udev *dev, const struct swhca_uumr_change *change);

#endif /* SWHCA_UVERBS_UMR_H */
