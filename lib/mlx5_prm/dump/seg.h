/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_PRM_DUMP_SEG_H
#define MLX5_PRM_DUMP_SEG_H

/**
 * @file
 * Segments of a WQE that have their own file; only for mlx5_prm_dump*.c.
 */

#include "dump/text.h"

/** Address vector of a datagram or a DC WQE: 16 bytes, or 48 if its flag is set. */
void prm_put_av(struct prm_dump *d, bool is_dc);

/** Number of the shared receive queue after the control segment of an XRC WQE. */
void prm_put_xrc(struct prm_dump *d);

/** Byte stream formats after the translation of a UMR: signature, crypto or both. */
void prm_put_bsfs(struct prm_dump *d);

#endif /* MLX5_PRM_DUMP_SEG_H */
