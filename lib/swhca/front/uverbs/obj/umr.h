/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_UMR_H
#define SWHCA_UVERBS_UMR_H

/**
 * @file
 * Changes of keys by the front end itself, as mlx5_ib makes them: by UMR.
 */

#include "mlx5_prm.h"

struct swhca_udev;

/** Most octowords of translation in a change: what a UMR holds inline, in groups of four. */
#define SWHCA_UUMR_MAX_XLT 52u

/** What to change of a key. */
struct swhca_uumr_change {
	uint32_t key;
	uint8_t flags;		/**< MLX5_WQE_UMR_CTRL_FLAG_CHECK_*, PRM_UMR_FLAG_CHECK_NOT_FREE. */
	uint64_t mask;		/**< MLX5_WQE_UMR_CTRL_MKEY_MASK_*, PRM_UMR_MKEY_MASK_*. */
	uint8_t mkc[PRM_MKC_SIZE]; /**< Fields that the mask names. */
	const void *xlt;	/**< nb_xlt octowords, or NULL. */
	uint32_t nb_xlt;	/**< Multiple of 4, SWHCA_UUMR_MAX_XLT at most. */
};

/**
 * Change a key, and wait until it is done.
 *
 * @return
 *   0, -EFAULT (the device rejected it; the key is as it was), -EIO (no answer; the state of the
 *   key is unknown), or why the queue could not be made.
 */
int swhca_uumr_exec(struct swhca_udev *dev, const struct swhca_uumr_change *change);

#endif /* SWHCA_UVERBS_UMR_H */
