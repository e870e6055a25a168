/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdbool.h>
#include <string.h>

#include "autotest.h"
#include "env.h"
#include "run.h"

static const struct autotest_suite *const suites[] = {
	&autotest_api, &autotest_args, &autotest_conf, &autotest_data, &autotest_ring,
	&autotest_key, &autotest_error, &autotest_fault, &autotest_fork, &autotest_xfer,
	&autotest_list, &autotest_sg, &autotest_atomic, &autotest_take,
	&autotest_inline, &autotest_bf, &autotest_crypto, &autotest_sigcrypto, &autotest_dek,
	&autotest_mr, &autotest_mbuf, &autotest_frag, &autotest_split, &autotest_layout,
	&autotest_grow, &autotest_mem, &autotest_odp, &autotest_mw,
	&autotest_tag, &autotest_dc, &autotest_dc_error, &autotest_recover, &autotest_recv,
	&autotest_command,
	&autotest_reject, &autotest_sig, &autotest_op_desc, &autotest_trans, &autotest_wrap,
	&autotest_threads, &autotest_lines,
	&autotest_wrap_cq, &autotest_intruder, &autotest_nested, &autotest_owners, &autotest_wiped,
	&autotest_observe,
	/* It leaves no device behind. */
	&autotest_lost,
};

static int
case_run(const struct autotest_case *test)
{
	struct at_env env;
	int ret;

	at_env_init(&env);
	ret = test->run(&env);
	/* What a case leaves behind is a failure, too: nothing may be lost. */
	if (at_env_fini(&env) != 0 && ret != TEST_FAILED) {
		printf("%s: the environment did not come down\n", test->name);
		ret = TEST_FAILED;
	}
	return ret;
}

/* Does a word of the command line ask for this case? No word asks for all. */
static bool
is_asked_for(const char *suite, const char *name, int nb_words, char **words)
{
	const size_t len = strlen(suite);
	int i;

	for (i = 0; i < nb_words; i++) {
		if (strncmp(words[i], suite, len) != 0)
			continue;
		if (words[i][len] == '\0' ||
		    (words[i][len] == '.' && strcmp(words[i] + len + 1, name) == 0))
			return true;
	}
	return nb_words == 0;
}

unsigned int
at_run(int nb_words, char **words, at_report_t report, void *arg)
{
	unsigned int s, c, nb = 0;

	for (s = 0; s < RTE_DIM(suites); s++)
		for (c = 0; c < suites[s]->nb_cases; c++) {
			if (!is_asked_for(suites[s]->name, suites[s]->cases[c].name, nb_words,
					  words))
				continue;
			nb++;
			if (report != NULL)
				report(arg, suites[s]->name, suites[s]->cases[c].name,
				       case_run(&suites[s]->cases[c]));
		}
	return nb;
}
