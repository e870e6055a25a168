/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Cases of rte_umr on devices that there are: "umr_autotest" runs all suites, "umr_mbuf_autotest"
 * that of this name. Data is compared and devices are made to fail, so adapters with traffic of
 * somebody else are no place for it; without an adapter, software devices do.
 */

#include <stdio.h>
#include <string.h>

#include <rte_umr.h>

#include "test.h"
#include "umr/run.h"

struct verdicts {
	unsigned int nb_passed;
	unsigned int nb_failed;
	unsigned int nb_skipped;
};

static void
verdict_count(void *arg, const char *suite, const char *name, int verdict)
{
	struct verdicts *verdicts = arg;
	const char *word;

	if (verdict == TEST_SUCCESS) {
		verdicts->nb_passed++;
		word = "passed";
	} else if (verdict == TEST_SKIPPED) {
		verdicts->nb_skipped++;
		word = "skipped";
	} else {
		verdicts->nb_failed++;
		word = "FAILED";
	}
	printf("%s.%s: %s\n", suite, name, word);
}

static int
suites_run(const char *suite)
{
	struct verdicts verdicts = { .nb_passed = 0 };
	char word[32];
	char *words[] = { word };

	if (rte_umr_dev_scan(NULL, 0) == 0) {
		printf("no device of rte_umr\n");
		return TEST_SKIPPED;
	}
	strlcpy(word, suite, sizeof(word));
	at_run(*suite != '\0', words, verdict_count, &verdicts);
	printf("umr: %u passed, %u failed, %u skipped\n", verdicts.nb_passed, verdicts.nb_failed,
	       verdicts.nb_skipped);
	if (verdicts.nb_failed != 0)
		return TEST_FAILED;
	return verdicts.nb_passed != 0 ? TEST_SUCCESS : TEST_SKIPPED;
}

#define UMR_TEST(name, suite)                                                                      \
	static int name(void)                                                                      \
	{                                                                                          \
		return suites_run(suite);                                                          \
	}                                                                                          \
	REGISTER_UMR_TEST(name, name)

UMR_TEST(umr_autotest, "")
