/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Linked into each program that is to have the driver, by the .pc file. Undefined symbols on the
 * command line (-u) do not make a shared library a needed one, those of an object do.
 */

#include "mlx5_umr_link.h"

/* A constructor stays when a linker collects sections that nobody refers to. */
static void __attribute__((constructor))
mlx5_umr_link(void)
{
	__asm__ volatile("" : : "r"(&mlx5_umr_link_anchor));
}
