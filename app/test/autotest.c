/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Runs what is named on the command line, or all:
 *   umr-autotest [EAL options] -- [SUITE[.CASE]]...
 * The last line is "N passed, N failed, N skipped". Exit status 0, 1 if a case failed, 77 if there
 * is no device or every case was skipped.
 */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_umr.h>

#include "autotest.h"
#include "autotest_env.h"

static const struct autotest_suite *const suites[] = {
	&autotest_api, &autotest_args, &autotest_conf, &autotest_data,
	&autotest_ring, &autotest_key, &autotest_error, &autotest_fork, &autotest_xfer,
	&autotest_crypto, &autotest_dek, &autotest_mr, &autotest_odp, &autotest_mw, &autotest_tag,
	&autotest_dc, &autotest_dc_error, &autotest_recv, &autotest_command, &autotest_sig,
	&autotest_trans, &autotest_wrap, &autotest_wrap_cq,
	/* It leaves no device behind. */
	&autotest_lost,
};

struct totals {
	unsigned int nb_passed;
	unsigned int nb_failed;
	unsigned int nb_skipped;
};

static void
case_run(const struct autotest_suite *suite, const struct autotest_case *test,
	 struct totals *totals)
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
	if (ret == TEST_SUCCESS)
		totals->nb_passed++;
	else if (ret == TEST_SKIPPED)
		totals->nb_skipped++;
	else
		totals->nb_failed++;
	printf("%-7s %s.%s\n",
	       ret == TEST_SUCCESS ? "ok" : ret == TEST_SKIPPED ? "skipped" : "FAILED",
	       suite->name, test->name);
	fflush(stdout);
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

static void
suites_run(int nb_words, char **words, struct totals *totals)
{
	unsigned int s, c;

	for (s = 0; s < RTE_DIM(suites); s++)
		for (c = 0; c < suites[s]->nb_cases; c++)
			if (is_asked_for(suites[s]->name, suites[s]->cases[c].name, nb_words,
					 words))
				case_run(suites[s], &suites[s]->cases[c], totals);
}

int
main(int argc, char **argv)
{
	struct totals totals = { 0 };
	int nb_eal;

	nb_eal = rte_eal_init(argc, argv);
	if (nb_eal < 0) {
		fprintf(stderr, "EAL does not start\n");
		return EXIT_FAILURE;
	}
	if (rte_umr_dev_scan(NULL, 0) == 0) {
		printf("no device\n0 passed, 0 failed, 1 skipped\n");
		rte_eal_cleanup();
		return TEST_SKIPPED;
	}
	suites_run(argc - nb_eal - 1, argv + nb_eal + 1, &totals);
	rte_eal_cleanup();
	if (totals.nb_passed + totals.nb_failed + totals.nb_skipped == 0) {
		fprintf(stderr, "no such suite or case\n");
		totals.nb_failed = 1;
	}
	printf("%u passed, %u failed, %u skipped\n", totals.nb_passed, totals.nb_failed,
	       totals.nb_skipped);
	if (totals.nb_failed != 0)
		return EXIT_FAILURE;
	return totals.nb_passed == 0 ? TEST_SKIPPED : EXIT_SUCCESS;
}
