/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Amount and seed of random tests: the only C code that reads UMR_TEST_CASES and UMR_TEST_SEED. For
 * Python, see budget.py in this folder.
 */

#ifndef TEST_BUDGET_H
#define TEST_BUDGET_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#define TEST_CASES_DEFAULT	100u

static inline uint32_t
test_env_number(const char *name, uint32_t otherwise)
{
	const char *text = getenv(name);
	unsigned long long number;
	char *end;

	if (text == NULL || *text == '\0')
		return otherwise;
	errno = 0;
	number = strtoull(text, &end, 0);
	if (errno != 0 || *end != '\0' || *text == '-' || number > UINT32_MAX) {
		fprintf(stderr, "%s=%s is no number of 32 bits\n", name, text);
		exit(EXIT_FAILURE);
	}
	return (uint32_t)number;
}

/** Number of cases of a random test, not 0: UMR_TEST_CASES, default 100. */
static inline uint32_t
test_nb_cases(void)
{
	const uint32_t nb = test_env_number("UMR_TEST_CASES", TEST_CASES_DEFAULT);

	return nb == 0 ? 1 : nb;
}

/** Seed for random tests, which is printed: UMR_TEST_SEED, default: a new one. */
static inline uint32_t
test_seed(void)
{
	uint32_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
		seed = (uint32_t)time(NULL);
	seed = test_env_number("UMR_TEST_SEED", seed);
	/* A comment in the Test Anything Protocol. */
	printf("# UMR_TEST_CASES=%u UMR_TEST_SEED=%u\n", test_nb_cases(), seed);
	fflush(stdout);
	return seed;
}

#endif /* TEST_BUDGET_H */
