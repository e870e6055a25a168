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
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/queue.h>

#include <rte_common.h>
#include <rte_errno.h>

#include "budget.h"

struct at_env;

/** Index of the first byte that differs, or -1. */
int64_t at_first_difference(const void *a, const void *b, size_t len);

#define TEST_SUCCESS 0
#define TEST_FAILED  (-1)
#define TEST_SKIPPED 77

/** A test case; its name is a statement. The environment is empty before and torn down after it. */
struct autotest_case {
	const char *name;
	int (*run)(struct at_env *env); /**< TEST_SUCCESS, TEST_FAILED or TEST_SKIPPED. */
	STAILQ_ENTRY(autotest_case) next;
};

/** A set of cases under one name, in the order of their lines. */
struct autotest_suite {
	const char *name;
	STAILQ_HEAD(, autotest_case) cases;
};

/** Define a case of a suite: AT_CASE(suite, name) { ... }; its parameter is struct at_env *env. */
#define AT_CASE(suite, name_)                                                                      \
	static int name_(struct at_env *env);                                                      \
	/* Priorities up to 100 are reserved. */                                                   \
	static void __attribute__((constructor(101 + __LINE__)))                                   \
	name_##_register(void)                                                                     \
	{                                                                                          \
		static struct autotest_case this_case = { .name = #name_, .run = name_ };          \
												   \
		STAILQ_INSERT_TAIL(&autotest_##suite.cases, &this_case, next);                     \
	}                                                                                          \
	static int name_(struct at_env *env __rte_unused)

/** All suites in the order in which they run; the last one leaves no device behind. */
#define AUTOTEST_SUITES(X)                                                                         \
	X(api) X(conf) X(data) X(ring) X(key) X(error) X(fault) X(fork)                    \
	X(xfer) X(list) X(sg) X(key_xfer) X(atomic) X(take) X(inline) X(bf) X(crypto)              \
	X(sigcrypto) X(dek) X(mr) X(mbuf) X(frag) X(split) X(layout) X(grow) X(mem)                \
	X(odp) X(mw) X(tag) X(dc) X(dc_error) X(recover) X(recv) X(event) X(command)               \
	X(reject) X(sig) X(op_desc) X(trans) X(wrap) X(threads) X(lines) X(wrap_cq)                \
	X(intruder) X(nested) X(owners) X(wiped) X(observe) X(lost)

#define AUTOTEST_DECLARE(name_) extern struct autotest_suite autotest_##name_;
AUTOTEST_SUITES(AUTOTEST_DECLARE)

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

/** A call that must return at least 0, such as the index of an operation. */
#define TEST_ACCEPT(call)                                                                          \
	do {                                                                                       \
		const int accept_ret_ = (call);                                                    \
												   \
		if (accept_ret_ < 0)                                                               \
			TEST_FAIL_AT("%s is %d", #call, accept_ret_);                              \
	} while (0)

/** Bytes that must be the same. */
#define TEST_ASSERT_SAME(a, b, len)                                                                \
	do {                                                                                       \
		const int64_t same_at_ = at_first_difference(a, b, len);                           \
												   \
		if (same_at_ >= 0)                                                                 \
			TEST_FAIL_AT("%s and %s differ at byte %" PRId64, #a, #b, same_at_);       \
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

/** The value of a call that must not return NULL. */
#define TEST_NOT_NULL(call)                                                                        \
	({                                                                                         \
		__auto_type pointer_ = (call);                                                     \
												   \
		if (pointer_ == NULL)                                                              \
			TEST_FAIL_AT("%s is NULL", #call);                                         \
		pointer_;                                                                          \
	})

/** A call that must return NULL and set rte_errno so. */
#define TEST_ASSERT_ERRNO(call, error)                                                             \
	do {                                                                                       \
		rte_errno = 0;                                                                     \
		TEST_ASSERT((call) == NULL);                                                       \
		TEST_ASSERT_EQUAL(rte_errno, error);                                               \
	} while (0)

/** A call with &bad, a copy of good with one member changed, must return that error. */
#define TEST_BAD(good, member, value, call, error)                                                 \
	do {                                                                                       \
		__auto_type bad = good;                                                            \
												   \
		bad.member = value;                                                                \
		const int64_t bad_ret_ = (int64_t)(call);                                          \
		if (bad_ret_ != (int64_t)(error))                                                  \
			TEST_FAIL_AT("with %s = %s: %s is %" PRId64 ", not %s", #member, #value,   \
				     #call, bad_ret_, #error);                                     \
	} while (0)

/** A call that must return TEST_SUCCESS, or print why and return TEST_SKIPPED. */
#define TEST_NEED(call)                                                                            \
	do {                                                                                       \
		const int need_ = (call);                                                          \
												   \
		if (need_ == TEST_SKIPPED)                                                         \
			return need_;                                                              \
		if (need_ != TEST_SUCCESS)                                                         \
			TEST_FAIL_AT("%s is %d", #call, need_);                                    \
	} while (0)

/** Print why and skip the case. */
#define TEST_SKIP(...)                                                                             \
	do {                                                                                       \
		printf(__VA_ARGS__);                                                               \
		printf("\n");                                                                      \
		return TEST_SKIPPED;                                                               \
	} while (0)

#endif /* AUTOTEST_H */
