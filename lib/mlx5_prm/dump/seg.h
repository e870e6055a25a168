/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_PRM_DUMP_SEG_H
#define MLX5_PRM_DUMP_SEG_H

/**
 * @file
 * Segments of a WQE that have a file of their own; not for others than mlx5_prm_dump*.c.
 */

#include "dump/text.h"

/** Address vector of a datagram or a DC WQE: 16 bytes, or 48 if it says so. */
void prm_put_av(struct prm_dump *d, bool is_dc);

/** Number of the shared receive queue behind the control segment of an XRC WQE. */
void prm_put_xrc(struct prm_dump *d);

/** Byte stream formats behind the translation of a UMR: signature, crypto or both. */
void prm_put_bsfs(struct prm_dump *d);

#endif /* MLX5_PRM_DUMP_SEG_H */
