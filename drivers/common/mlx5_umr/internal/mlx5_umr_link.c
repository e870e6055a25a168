/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The .pc file links this into each program that uses the driver. Undefined symbols on the command
 * line (-u) do not add a shared library to the needed ones; those of an object file do.
 */

#include "mlx5_umr_link.h"

/* A linker that removes unreferenced sections keeps a constructor. */
static void __attribute__((constructor))
mlx5_umr_link(void)
{
	__asm__ volatile("" : : "r"(&mlx5_umr_link_anchor));
}
