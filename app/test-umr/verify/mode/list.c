/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "verify/bed/case.h"
#include "verify/mode/modes.h"

static void
list_gen(void *vc, const struct verify_env *env, struct prng *prng)
{
	case_gen(vc, env, prng, false);
}

const struct verify_mode verify_mode_list = {
	.name = "list",
	.summary = "1 to 52 pieces, transferred by writes and reads in both directions",
	.capa = RTE_UMR_CAPA_MKEY_LIST,
	.has_peer = true,
	.case_size = sizeof(struct verify_case),
	.gen = list_gen,
	.run = case_run,
	.print = case_print,
};
