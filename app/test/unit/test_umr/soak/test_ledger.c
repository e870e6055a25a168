/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* What a ledger is for: each thing that a queue can do wrong is told, and nothing else is. */

#include "cases.h"
#include "soak/ledger/ledger.h"

static struct soak_ledger ledger;

static int
setup(void **state)
{
	soak_ledger_init(&ledger);
	return 0;
}

static void
take(unsigned int nb, unsigned int may)
{
	const struct soak_due due = { .length = 64, .may = (uint16_t)may, .op = RTE_UMR_OP_WRITE };

	for (unsigned int i = 0; i < nb; i++)
		soak_ledger_take(&ledger, (uint16_t)ledger.nb_taken, &due);
}

static struct rte_umr_completion
done_of(uint16_t idx, uint32_t status)
{
	return (struct rte_umr_completion){
		.idx = idx, .op = RTE_UMR_OP_WRITE, .status = (uint8_t)status,
		.length = status == RTE_UMR_STATUS_SUCCESS ? 64 : 0,
	};
}

static bool
back(uint16_t idx, uint32_t status)
{
	const struct rte_umr_completion done = done_of(idx, status);
	uint64_t number;

	return soak_ledger_back(&ledger, &done, &number);
}

/* What is done to a ledger, and what is wrong behind it. */
struct step {
	enum {
		NONE,
		TAKE,		/* operations, statuses that each may have */
		TAKE_AT,	/* one operation of that ring index */
		BACK,		/* ring index, status */
		TWICE,		/* the same, of an operation that is not outstanding */
		BACK_GOOD,	/* number, last ring index */
		RECOVERED,
		GIVE_UP,
		WRONGS,		/* lost, duplicated, unexplained */
	} what;
	uint32_t args[3];
};

static void
wrongs_check(const char *name, unsigned int step, const uint32_t *expected)
{
	const struct soak_wrongs *wrongs = &ledger.wrongs;
	const bool is_good = expected[0] + expected[1] + expected[2] == 0;

	if (wrongs->nb_lost != expected[0] || wrongs->nb_duplicated != expected[1] ||
	    wrongs->nb_unexplained != expected[2] || wrongs->nb_corrupted != 0)
		fail_msg("%s, step %u: %u lost, %u duplicated, %u unexplained, %u corrupted", name,
			 step, (unsigned int)wrongs->nb_lost, (unsigned int)wrongs->nb_duplicated,
			 (unsigned int)wrongs->nb_unexplained, (unsigned int)wrongs->nb_corrupted);
	row_check(name, ledger.why[0] == '\0', is_good);
	row_check(name, soak_wrongs_none(wrongs), is_good);
}

static void
step_do(const char *name, unsigned int n, const struct step *step)
{
	const struct soak_due due = { .may = SOAK_STATUS(SUCCESS) };
	const uint32_t *args = step->args;

	switch (step->what) {
	case NONE:
		break;
	case TAKE:
		take(args[0], args[1]);
		break;
	case TAKE_AT:
		soak_ledger_take(&ledger, (uint16_t)args[0], &due);
		break;
	case BACK:
	case TWICE:
		row_check(name, back((uint16_t)args[0], args[1]), step->what == BACK);
		break;
	case BACK_GOOD:
		soak_ledger_back_good(&ledger, (uint16_t)args[0], (uint16_t)args[1]);
		break;
	case RECOVERED:
		soak_ledger_recovered(&ledger);
		break;
	case GIVE_UP:
		soak_ledger_give_up(&ledger);
		row_check(name, soak_ledger_nb_out(&ledger), 0);
		break;
	case WRONGS:
		wrongs_check(name, n, args);
		break;
	}
}

/* Statuses, and sets of them. */
enum {
	OK = RTE_UMR_STATUS_SUCCESS, FLUSHED = RTE_UMR_STATUS_FLUSHED,
	PROT = RTE_UMR_STATUS_LOCAL_PROT, REMOTE_OP = RTE_UMR_STATUS_REMOTE_OP,
	MAY_OK = SOAK_STATUS(SUCCESS), MAY_PROT = SOAK_STATUS(LOCAL_PROT),
};

static const struct {
	const char *name;
	struct step steps[12];
} histories[] = {
	{ "failures are good where they are due", {
		{ TAKE, { 1, MAY_OK } }, { TAKE, { 1, MAY_PROT | SOAK_STATUS(REMOTE_OP) } },
		{ TAKE, { 2, MAY_OK } }, { BACK, { 0, OK } }, { BACK, { 1, REMOTE_OP } },
		{ BACK, { 2, FLUSHED } }, { BACK, { 3, FLUSHED } }, { RECOVERED, { 0 } },
		{ TAKE, { 1, MAY_OK } }, { BACK, { 4, OK } }, { WRONGS, { 0 } } } },
	{ "what stays away is lost", {
		{ TAKE, { 5, MAY_OK } }, { BACK, { 0, OK } }, { GIVE_UP, { 0 } },
		{ WRONGS, { 4 } } } },
	{ "what is left out is lost", {
		{ TAKE, { 4, MAY_OK } }, { BACK, { 0, OK } }, { BACK, { 3, OK } },
		{ WRONGS, { 2 } } } },
	{ "what comes twice is duplicated", {
		{ TAKE, { 3, MAY_OK } }, { BACK, { 0, OK } }, { BACK, { 1, OK } },
		{ TWICE, { 1, OK } }, { TWICE, { 0, FLUSHED } }, { WRONGS, { 0, 2 } },
		/* Nothing is out, and yet something comes. */
		{ BACK, { 2, OK } }, { TWICE, { 3, OK } }, { WRONGS, { 0, 3 } } } },
	{ "what comes out of turn is unexplained, but only once", {
		{ TAKE, { 3, MAY_OK } }, { BACK, { 1, OK } }, { BACK, { 0, OK } },
		{ WRONGS, { 0, 0, 1 } }, { TWICE, { 0, OK } }, { WRONGS, { 0, 1, 1 } } } },
	{ "a status without a reason is unexplained", {
		{ TAKE, { 1, MAY_OK } }, { BACK, { 0, RTE_UMR_STATUS_REMOTE_ACCESS } },
		{ WRONGS, { 0, 0, 1 } } } },
	{ "a flush without a failure is unexplained", {
		{ TAKE, { 1, MAY_OK } }, { BACK, { 0, FLUSHED } }, { WRONGS, { 0, 0, 1 } } } },
	/* A second failure is none that a queue can have. */
	{ "success behind a failure is unexplained", {
		{ TAKE, { 1, MAY_PROT } }, { TAKE, { 3, MAY_OK } }, { BACK, { 0, PROT } },
		{ BACK, { 1, OK } }, { WRONGS, { 0, 0, 1 } }, { BACK, { 2, PROT } },
		{ WRONGS, { 0, 0, 2 } }, { BACK_GOOD, { 1, 3 } }, { WRONGS, { 0, 0, 3 } } } },
	{ "success of what must fail is unexplained", {
		{ TAKE, { 2, MAY_PROT } }, { BACK, { 0, OK } }, { WRONGS, { 0, 0, 1 } },
		{ BACK_GOOD, { 1, 1 } }, { WRONGS, { 0, 0, 2 } } } },
	{ "a wrong index is unexplained", {
		{ TAKE_AT, { 1 } }, { WRONGS, { 0, 0, 1 } } } },
	{ "a wrong last index is unexplained", {
		{ TAKE, { 2, MAY_OK } }, { BACK_GOOD, { 2, 0 } }, { WRONGS, { 0, 0, 1 } } } },
	{ "more than is out is duplicated", {
		{ TAKE, { 2, MAY_OK } }, { BACK_GOOD, { 3, 1 } }, { WRONGS, { 0, 1 } } } },
};

CASE(each_history_has_its_wrongs)
{
	for (size_t i = 0; i < RTE_DIM(histories); i++) {
		soak_ledger_init(&ledger);
		for (unsigned int n = 0; n < RTE_DIM(histories[i].steps); n++)
			step_do(histories[i].name, n, &histories[i].steps[n]);
	}
}

CASE_WITH(what_comes_back_in_turn_is_good, setup, NULL)
{
	/* Past the wrap of ring indices, and of the slots. */
	for (uint32_t i = 0; i < 3 * 65536; i++) {
		take(1, MAY_OK);
		assert_true(back((uint16_t)i, OK));
	}
	take(SOAK_LEDGER_SIZE, MAY_OK);
	assert_false(soak_ledger_has_room(&ledger));
	assert_int_equal(soak_ledger_back_good(&ledger, SOAK_LEDGER_SIZE, SOAK_LEDGER_SIZE - 1),
			 3 * 65536);
	soak_ledger_give_up(&ledger);
	wrongs_check("in turn", 0, (const uint32_t[3]){ 0 });
}

CASE_WITH(flushes_may_be_good_anywhere, setup, NULL)
{
	ledger.anywhere = SOAK_STATUS(FLUSHED);
	take(1, MAY_OK);
	back(0, FLUSHED);
	wrongs_check("anywhere", 0, (const uint32_t[3]){ 0 });
}

CASE_WITH(another_type_or_length_is_unexplained, setup, NULL)
{
	struct rte_umr_completion done = done_of(0, OK);
	uint64_t number;

	take(2, MAY_OK);
	done.op = RTE_UMR_OP_READ;
	soak_ledger_back(&ledger, &done, &number);
	wrongs_check("type", 0, (const uint32_t[3]){ 0, 0, 1 });
	done = done_of(1, OK);
	done.length = 63;
	soak_ledger_back(&ledger, &done, &number);
	wrongs_check("length", 0, (const uint32_t[3]){ 0, 0, 2 });
}

CASE(wrongs_add_up)
{
	struct soak_wrongs sum = { 1, 2, 3, 4 };
	const struct soak_wrongs other = { 10, 20, 30, 40 };

	soak_wrongs_add(&sum, &other);
	assert_int_equal(sum.nb_lost, 11);
	assert_int_equal(sum.nb_duplicated, 22);
	assert_int_equal(sum.nb_corrupted, 33);
	assert_int_equal(sum.nb_unexplained, 44);
}
