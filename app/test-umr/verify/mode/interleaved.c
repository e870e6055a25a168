/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "verify/bed/case.h"
#include "verify/mode/modes.h"

static void
interleaved_gen(void *vc, const struct verify_env *env, struct prng *prng)
{
	case_gen(vc, env, prng, true);
}

const struct verify_mode verify_mode_interleaved = {
	.name = "interleaved",
	.summary = "1 to 51 strided pieces, repeated up to 1024 times",
	.capa = RTE_UMR_CAPA_MKEY_INTERLEAVED,
	.has_peer = true,
	.case_size = sizeof(struct verify_case),
	.gen = interleaved_gen,
	.run = case_run,
	.print = case_print,
};
