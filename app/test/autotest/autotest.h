/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef AUTOTEST_H
#define AUTOTEST_H

/**
 * @file
 * Test cases that run on EAL and a device: suites, assertions.
 *
 * The installed DPDK has no rte_test.h, so its TEST_ASSERT idiom is defined here: an assertion
 * that fails prints where and why and returns from the case.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_common.h>

#include "budget.h"

struct at_env;

#define TEST_SUCCESS 0
#define TEST_FAILED  (-1)
#define TEST_SKIPPED 77

/** A test case; its name is a statement. The environment is empty before and torn down after it. */
struct autotest_case {
	const char *name;
	int (*run)(struct at_env *env); /**< TEST_SUCCESS, TEST_FAILED or TEST_SKIPPED. */
};

/** A set of cases under one name. */
struct autotest_suite {
	const char *name;
	const struct autotest_case *cases;
	unsigned int nb_cases;
};

#define AUTOTEST_CASE(function) { .name = #function, .run = function }

#define AUTOTEST_SUITE(name_, cases_)                                                              \
	const struct autotest_suite autotest_##name_ = {                                           \
		.name = #name_,                                                                    \
		.cases = (cases_),                                                                 \
		.nb_cases = RTE_DIM(cases_),                                                       \
	}

extern const struct autotest_suite autotest_api;
extern const struct autotest_suite autotest_args;
extern const struct autotest_suite autotest_command;
extern const struct autotest_suite autotest_conf;
extern const struct autotest_suite autotest_data;
extern const struct autotest_suite autotest_crypto;
extern const struct autotest_suite autotest_sigcrypto;
extern const struct autotest_suite autotest_dek;
extern const struct autotest_suite autotest_dc;
extern const struct autotest_suite autotest_dc_error;
extern const struct autotest_suite autotest_error;
extern const struct autotest_suite autotest_fault;
extern const struct autotest_suite autotest_fork;
extern const struct autotest_suite autotest_frag;
extern const struct autotest_suite autotest_grow;
extern const struct autotest_suite autotest_intruder;
extern const struct autotest_suite autotest_key;
extern const struct autotest_suite autotest_layout;
extern const struct autotest_suite autotest_lines;
extern const struct autotest_suite autotest_lost;
extern const struct autotest_suite autotest_mbuf;
extern const struct autotest_suite autotest_split;
extern const struct autotest_suite autotest_mem;
extern const struct autotest_suite autotest_mr;
extern const struct autotest_suite autotest_nested;
extern const struct autotest_suite autotest_owners;
extern const struct autotest_suite autotest_observe;
extern const struct autotest_suite autotest_odp;
extern const struct autotest_suite autotest_mw;
extern const struct autotest_suite autotest_recover;
extern const struct autotest_suite autotest_recv;
extern const struct autotest_suite autotest_reject;
extern const struct autotest_suite autotest_ring;
extern const struct autotest_suite autotest_op_desc;
extern const struct autotest_suite autotest_sig;
extern const struct autotest_suite autotest_tag;
extern const struct autotest_suite autotest_take;
extern const struct autotest_suite autotest_threads;
extern const struct autotest_suite autotest_trans;
extern const struct autotest_suite autotest_wiped;
extern const struct autotest_suite autotest_wrap;
extern const struct autotest_suite autotest_wrap_cq;
extern const struct autotest_suite autotest_xfer;
extern const struct autotest_suite autotest_list;
extern const struct autotest_suite autotest_sg;
extern const struct autotest_suite autotest_atomic;
extern const struct autotest_suite autotest_inline;
extern const struct autotest_suite autotest_bf;

#define TEST_FAIL_AT(...)                                                                          \
	do {                                                                                       \
		printf("%s:%d: %s: ", __FILE__, __LINE__, __func__);                               \
		printf(__VA_ARGS__);                                                               \
		printf("\n");                                                                      \
		return TEST_FAILED;                                                                \
	} while (0)

#define TEST_ASSERT(condition)                                                                     \
	do {                                                                                       \
		if (!(condition))                                                                  \
			TEST_FAIL_AT("not so: %s", #condition);                                    \
	} while (0)

#define TEST_ASSERT_EQUAL(actual, expected)                                                        \
	do {                                                                                       \
		const int64_t actual_ = (int64_t)(actual);                                         \
		const int64_t expected_ = (int64_t)(expected);                                     \
												   \
		if (actual_ != expected_)                                                          \
			TEST_FAIL_AT("%s is %" PRId64 ", not %s (%" PRId64 ")", #actual, actual_,  \
				     #expected, expected_);                                        \
	} while (0)

/** A call that must return 0, of a function that returns TEST_FAILED or an errno. */
#define TEST_ASSERT_SUCCESS(call) TEST_ASSERT_EQUAL(call, 0)

/** A required call, which prints why it returns TEST_FAILED or TEST_SKIPPED. */
#define TEST_NEED(call)                                                                            \
	do {                                                                                       \
		const int need_ = (call);                                                          \
												   \
		if (need_ != TEST_SUCCESS)                                                         \
			return need_;                                                              \
	} while (0)

#endif /* AUTOTEST_H */
