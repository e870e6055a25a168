/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Runs what is named on the command line, or all:
 *   umr-autotest [EAL options] -- [SUITE[.CASE]]...
 * Verdicts go to stdout in the Test Anything Protocol; what cases print goes to stderr. Exit status
 * 0, or 1 if a case failed or there is none.
 */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_umr.h>

#include "autotest.h"
#include "env.h"

static const struct autotest_suite *const suites[] = {
	&autotest_api, &autotest_args, &autotest_conf, &autotest_data, &autotest_ring,
	&autotest_key, &autotest_error, &autotest_fork, &autotest_xfer, &autotest_atomic,
	&autotest_inline, &autotest_bf, &autotest_crypto, &autotest_sigcrypto, &autotest_dek,
	&autotest_mr, &autotest_mbuf, &autotest_frag, &autotest_mem, &autotest_odp, &autotest_mw,
	&autotest_tag, &autotest_dc, &autotest_dc_error, &autotest_recv, &autotest_command,
	&autotest_reject, &autotest_sig, &autotest_op_desc, &autotest_trans, &autotest_wrap,
	&autotest_wrap_cq,
	/* It leaves no device behind. */
	&autotest_lost,
};

struct report {
	FILE *tap;
	unsigned int nb_done;
	unsigned int nb_failed;
};

/* Verdicts keep stdout; what anything else prints there must not come between them. */
static FILE *
tap_open(void)
{
	const int fd = dup(STDOUT_FILENO);
	FILE *tap = fd < 0 ? NULL : fdopen(fd, "w");

	if (tap == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
		perror("stdout");
		exit(EXIT_FAILURE);
	}
	/* A child of fork(2) must not find anything to be written once more. */
	setvbuf(tap, NULL, _IOLBF, 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	return tap;
}

static void
case_run(const struct autotest_suite *suite, const struct autotest_case *test,
	 struct report *report)
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
	report->nb_done++;
	if (ret != TEST_SUCCESS && ret != TEST_SKIPPED)
		report->nb_failed++;
	fprintf(report->tap, "%s %u - %s.%s%s\n",
		ret == TEST_SUCCESS || ret == TEST_SKIPPED ? "ok" : "not ok", report->nb_done,
		suite->name, test->name, ret == TEST_SKIPPED ? " # SKIP" : "");
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

/* How many cases are asked for; with a report, they run, too. */
static unsigned int
suites_run(int nb_words, char **words, struct report *report)
{
	unsigned int s, c, nb = 0;

	for (s = 0; s < RTE_DIM(suites); s++)
		for (c = 0; c < suites[s]->nb_cases; c++) {
			if (!is_asked_for(suites[s]->name, suites[s]->cases[c].name, nb_words,
					  words))
				continue;
			nb++;
			if (report != NULL)
				case_run(suites[s], &suites[s]->cases[c], report);
		}
	return nb;
}

int
main(int argc, char **argv)
{
	struct report report = { .tap = tap_open() };
	unsigned int nb_cases;
	int nb_eal;

	nb_eal = rte_eal_init(argc, argv);
	if (nb_eal < 0) {
		fprintf(stderr, "EAL does not start\n");
		return EXIT_FAILURE;
	}
	if (rte_umr_dev_scan(NULL, 0) == 0) {
		fprintf(report.tap, "1..0 # SKIP no device\n");
		rte_eal_cleanup();
		return EXIT_SUCCESS;
	}
	argc -= nb_eal + 1;
	argv += nb_eal + 1;
	nb_cases = suites_run(argc, argv, NULL);
	if (nb_cases == 0) {
		fprintf(stderr, "no such suite or case\n");
		return EXIT_FAILURE;
	}
	/* First, so that a case that ends the program is missed. */
	fprintf(report.tap, "1..%u\n", nb_cases);
	suites_run(argc, argv, &report);
	rte_eal_cleanup();
	return report.nb_failed != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
