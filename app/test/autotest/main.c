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
#include <unistd.h>

#include <rte_eal.h>
#include <rte_umr.h>

#include "autotest.h"
#include "run.h"

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
verdict_print(void *arg, const char *suite, const char *name, int verdict)
{
	const bool is_good = verdict == TEST_SUCCESS || verdict == TEST_SKIPPED;
	struct report *report = arg;

	report->nb_done++;
	if (!is_good)
		report->nb_failed++;
	fprintf(report->tap, "%s %u - %s.%s%s\n", is_good ? "ok" : "not ok", report->nb_done,
		suite, name, verdict == TEST_SKIPPED ? " # SKIP" : "");
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
		/* swhca-run sets it. */
		if (getenv("SWHCA_LIB") != NULL) {
			fprintf(stderr, "the software device is not found\n");
			return EXIT_FAILURE;
		}
		fprintf(report.tap, "1..0 # SKIP no device\n");
		rte_eal_cleanup();
		return EXIT_SUCCESS;
	}
	argc -= nb_eal + 1;
	argv += nb_eal + 1;
	nb_cases = at_run(argc, argv, NULL, NULL);
	if (nb_cases == 0) {
		fprintf(stderr, "no such suite or case\n");
		return EXIT_FAILURE;
	}
	/* First, so that a case that ends the program is missed. */
	fprintf(report.tap, "1..%u\n", nb_cases);
	at_run(argc, argv, verdict_print, &report);
	rte_eal_cleanup();
	return report.nb_failed != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
