/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdbool.h>
#include <string.h>

#include "autotest.h"
#include "env.h"
#include "run.h"

#define SUITE_DEFINE(name_)                                                                        \
	struct autotest_suite autotest_##name_ = {                                                 \
		.name = #name_, .cases = STAILQ_HEAD_INITIALIZER(autotest_##name_.cases),          \
	};
#define SUITE_OF(name_) &autotest_##name_,

AUTOTEST_SUITES(SUITE_DEFINE)
static const struct autotest_suite *const suites[] = { AUTOTEST_SUITES(SUITE_OF) };

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
	const struct autotest_case *test;
	unsigned int nb = 0;

	for (unsigned int s = 0; s < RTE_DIM(suites); s++) {
		STAILQ_FOREACH(test, &suites[s]->cases, next) {
			if (!is_asked_for(suites[s]->name, test->name, nb_words, words))
				continue;
			nb++;
			if (report != NULL)
				report(arg, suites[s]->name, test->name, case_run(test));
		}
	}
	return nb;
}
