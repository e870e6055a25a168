/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_LINK_H
#define MLX5_UMR_LINK_H

/**
 * @file
 * Keeps the driver in a program that does not call it.
 */

/** References the driver; the value is meaningless. */
extern const char mlx5_umr_link_anchor;

#endif /* MLX5_UMR_LINK_H */
