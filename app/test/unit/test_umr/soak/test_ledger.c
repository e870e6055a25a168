/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* What a ledger is for: each thing that a queue can do wrong is told, and nothing else is. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soak/ledger/ledger.h"

static struct soak_ledger ledger;

static int
setup(void **state)
{
	(void)state;
	soak_ledger_init(&ledger);
	return 0;
}

static void
take(unsigned int nb, unsigned int may)
{
	const struct soak_due due = {
		.length = 64, .may = (uint16_t)may, .op = RTE_UMR_OP_WRITE,
	};

	for (unsigned int i = 0; i < nb; i++)
		soak_ledger_take(&ledger, (uint16_t)ledger.nb_taken, &due);
}

static struct rte_umr_completion
done_of(uint16_t idx, enum rte_umr_status status)
{
	return (struct rte_umr_completion){
		.idx = idx, .op = RTE_UMR_OP_WRITE, .status = (uint8_t)status,
		.length = status == RTE_UMR_STATUS_SUCCESS ? 64 : 0,
	};
}

static bool
back(uint16_t idx, enum rte_umr_status status)
{
	const struct rte_umr_completion done = done_of(idx, status);
	uint64_t number;

	return soak_ledger_back(&ledger, &done, &number);
}

static void
wrongs_are(uint64_t lost, uint64_t duplicated, uint64_t unexplained)
{
	assert_int_equal(ledger.wrongs.nb_lost, lost);
	assert_int_equal(ledger.wrongs.nb_duplicated, duplicated);
	assert_int_equal(ledger.wrongs.nb_unexplained, unexplained);
	assert_int_equal(ledger.wrongs.nb_corrupted, 0);
	assert_int_equal(ledger.why[0] != '\0', lost + duplicated + unexplained != 0);
	assert_int_equal(soak_wrongs_none(&ledger.wrongs), lost + duplicated + unexplained == 0);
}

static void
what_comes_back_in_turn_is_good(void **state)
{
	(void)state;
	/* Past the wrap of ring indices, and of the slots. */
	for (uint32_t i = 0; i < 3 * 65536; i++) {
		take(1, SOAK_STATUS(SUCCESS));
		assert_true(back((uint16_t)i, RTE_UMR_STATUS_SUCCESS));
	}
	take(SOAK_LEDGER_SIZE, SOAK_STATUS(SUCCESS));
	assert_false(soak_ledger_has_room(&ledger));
	assert_int_equal(soak_ledger_back_good(&ledger, SOAK_LEDGER_SIZE, SOAK_LEDGER_SIZE - 1),
			 3 * 65536);
	soak_ledger_give_up(&ledger);
	wrongs_are(0, 0, 0);
}

static void
failures_are_good_where_they_are_due(void **state)
{
	(void)state;
	take(1, SOAK_STATUS(SUCCESS));
	take(1, SOAK_STATUS(LOCAL_PROT) | SOAK_STATUS(REMOTE_OP));
	take(2, SOAK_STATUS(SUCCESS));
	back(0, RTE_UMR_STATUS_SUCCESS);
	back(1, RTE_UMR_STATUS_REMOTE_OP);
	back(2, RTE_UMR_STATUS_FLUSHED);
	back(3, RTE_UMR_STATUS_FLUSHED);
	soak_ledger_recovered(&ledger);
	take(1, SOAK_STATUS(SUCCESS));
	back(4, RTE_UMR_STATUS_SUCCESS);
	wrongs_are(0, 0, 0);
}

static void
what_stays_away_is_lost(void **state)
{
	(void)state;
	take(5, SOAK_STATUS(SUCCESS));
	back(0, RTE_UMR_STATUS_SUCCESS);
	soak_ledger_give_up(&ledger);
	wrongs_are(4, 0, 0);
	assert_int_equal(soak_ledger_nb_out(&ledger), 0);
}

static void
what_is_left_out_is_lost(void **state)
{
	(void)state;
	take(4, SOAK_STATUS(SUCCESS));
	back(0, RTE_UMR_STATUS_SUCCESS);
	back(3, RTE_UMR_STATUS_SUCCESS);
	wrongs_are(2, 0, 0);
}

static void
what_comes_twice_is_duplicated(void **state)
{
	(void)state;
	take(3, SOAK_STATUS(SUCCESS));
	assert_true(back(0, RTE_UMR_STATUS_SUCCESS));
	assert_true(back(1, RTE_UMR_STATUS_SUCCESS));
	assert_false(back(1, RTE_UMR_STATUS_SUCCESS));
	assert_false(back(0, RTE_UMR_STATUS_FLUSHED));
	wrongs_are(0, 2, 0);
	back(2, RTE_UMR_STATUS_SUCCESS);
	/* Nothing is out, and yet something comes. */
	assert_false(back(3, RTE_UMR_STATUS_SUCCESS));
	wrongs_are(0, 3, 0);
}

static void
what_comes_out_of_turn_is_unexplained(void **state)
{
	(void)state;
	take(3, SOAK_STATUS(SUCCESS));
	assert_true(back(1, RTE_UMR_STATUS_SUCCESS));
	assert_true(back(0, RTE_UMR_STATUS_SUCCESS));
	wrongs_are(0, 0, 1);
	/* But only once. */
	assert_false(back(0, RTE_UMR_STATUS_SUCCESS));
	wrongs_are(0, 1, 1);
}

static void
a_status_without_a_reason_is_unexplained(void **state)
{
	(void)state;
	take(1, SOAK_STATUS(SUCCESS));
	back(0, RTE_UMR_STATUS_REMOTE_ACCESS);
	wrongs_are(0, 0, 1);
}

static void
a_flush_without_a_failure_is_unexplained(void **state)
{
	(void)state;
	take(1, SOAK_STATUS(SUCCESS));
	back(0, RTE_UMR_STATUS_FLUSHED);
	wrongs_are(0, 0, 1);
	soak_ledger_init(&ledger);
	ledger.anywhere = SOAK_STATUS(FLUSHED);
	take(1, SOAK_STATUS(SUCCESS));
	back(0, RTE_UMR_STATUS_FLUSHED);
	wrongs_are(0, 0, 0);
}

static void
success_behind_a_failure_is_unexplained(void **state)
{
	(void)state;
	take(1, SOAK_STATUS(LOCAL_PROT));
	take(3, SOAK_STATUS(SUCCESS));
	back(0, RTE_UMR_STATUS_LOCAL_PROT);
	back(1, RTE_UMR_STATUS_SUCCESS);
	wrongs_are(0, 0, 1);
	/* A second failure is none that a queue can have. */
	back(2, RTE_UMR_STATUS_LOCAL_PROT);
	wrongs_are(0, 0, 2);
	soak_ledger_back_good(&ledger, 1, 3);
	wrongs_are(0, 0, 3);
}

static void
success_of_what_must_fail_is_unexplained(void **state)
{
	(void)state;
	take(2, SOAK_STATUS(LOCAL_PROT));
	back(0, RTE_UMR_STATUS_SUCCESS);
	wrongs_are(0, 0, 1);
	soak_ledger_back_good(&ledger, 1, 1);
	wrongs_are(0, 0, 2);
}

static void
another_type_or_length_is_unexplained(void **state)
{
	struct rte_umr_completion done;
	uint64_t number;

	(void)state;
	take(2, SOAK_STATUS(SUCCESS));
	done = done_of(0, RTE_UMR_STATUS_SUCCESS);
	done.op = RTE_UMR_OP_READ;
	soak_ledger_back(&ledger, &done, &number);
	wrongs_are(0, 0, 1);
	done = done_of(1, RTE_UMR_STATUS_SUCCESS);
	done.length = 63;
	soak_ledger_back(&ledger, &done, &number);
	wrongs_are(0, 0, 2);
}

static void
a_wrong_index_is_unexplained(void **state)
{
	const struct soak_due due = { .may = SOAK_STATUS(SUCCESS) };

	(void)state;
	soak_ledger_take(&ledger, 1, &due);
	wrongs_are(0, 0, 1);
	soak_ledger_init(&ledger);
	take(2, SOAK_STATUS(SUCCESS));
	soak_ledger_back_good(&ledger, 2, 0);
	wrongs_are(0, 0, 1);
}

static void
more_than_is_out_is_duplicated(void **state)
{
	(void)state;
	take(2, SOAK_STATUS(SUCCESS));
	soak_ledger_back_good(&ledger, 3, 1);
	wrongs_are(0, 1, 0);
}

static void
wrongs_add_up(void **state)
{
	struct soak_wrongs sum = { 1, 2, 3, 4 };
	const struct soak_wrongs other = { 10, 20, 30, 40 };

	(void)state;
	soak_wrongs_add(&sum, &other);
	assert_int_equal(sum.nb_lost, 11);
	assert_int_equal(sum.nb_duplicated, 22);
	assert_int_equal(sum.nb_corrupted, 33);
	assert_int_equal(sum.nb_unexplained, 44);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_comes_back_in_turn_is_good, setup),
		cmocka_unit_test_setup(failures_are_good_where_they_are_due, setup),
		cmocka_unit_test_setup(what_stays_away_is_lost, setup),
		cmocka_unit_test_setup(what_is_left_out_is_lost, setup),
		cmocka_unit_test_setup(what_comes_twice_is_duplicated, setup),
		cmocka_unit_test_setup(what_comes_out_of_turn_is_unexplained, setup),
		cmocka_unit_test_setup(a_status_without_a_reason_is_unexplained, setup),
		cmocka_unit_test_setup(a_flush_without_a_failure_is_unexplained, setup),
		cmocka_unit_test_setup(success_behind_a_failure_is_unexplained, setup),
		cmocka_unit_test_setup(success_of_what_must_fail_is_unexplained, setup),
		cmocka_unit_test_setup(another_type_or_length_is_unexplained, setup),
		cmocka_unit_test_setup(a_wrong_index_is_unexplained, setup),
		cmocka_unit_test_setup(more_than_is_out_is_duplicated, setup),
		cmocka_unit_test(wrongs_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
