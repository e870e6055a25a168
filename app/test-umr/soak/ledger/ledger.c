/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "soak/ledger/ledger.h"

void
soak_ledger_init(struct soak_ledger *ledger)
{
	memset(ledger, 0, sizeof(*ledger));
}

void
soak_ledger_recovered(struct soak_ledger *ledger)
{
	ledger->has_failed = false;
	ledger->anywhere = 0;
}

void
soak_ledger_note(struct soak_ledger *ledger, uint64_t *counter, uint64_t nb, const char *format,
		 ...)
{
	va_list ap;

	*counter += nb;
	/* Errors after the first one are often consequences. */
	if (ledger->why[0] != '\0')
		return;
	va_start(ap, format);
	vsnprintf(ledger->why, sizeof(ledger->why), format, ap);
	va_end(ap);
}

static struct soak_due *
due_of(struct soak_ledger *ledger, uint64_t number)
{
	return &ledger->due[number % SOAK_LEDGER_SIZE];
}

uint64_t
soak_ledger_take(struct soak_ledger *ledger, uint16_t idx, const struct soak_due *due)
{
	struct soak_due *slot = due_of(ledger, ledger->nb_taken);

	if (idx != (uint16_t)ledger->nb_taken)
		soak_ledger_note(ledger, &ledger->wrongs.nb_unexplained, 1,
				 "operation %" PRIu64 " got the ring index %u", ledger->nb_taken,
				 idx);
	*slot = *due;
	slot->is_missing = false;
	return ledger->nb_taken++;
}

/* Record a completion of an operation that was considered lost. */
static bool
late_back(struct soak_ledger *ledger, uint64_t number)
{
	struct soak_due *slot = due_of(ledger, number);

	/* Slots of old operations have been reused. */
	if (ledger->nb_taken - number > SOAK_LEDGER_SIZE || !slot->is_missing)
		return false;
	slot->is_missing = false;
	ledger->wrongs.nb_lost--;
	soak_ledger_note(ledger, &ledger->wrongs.nb_unexplained, 1,
			 "operation %" PRIu64 " came out of turn", number);
	return true;
}

/* Valid statuses of the oldest outstanding operation. */
static unsigned int
may_of(const struct soak_ledger *ledger, const struct soak_due *due)
{
	if (ledger->has_failed)
		return SOAK_STATUS(FLUSHED);
	return due->may | ledger->anywhere;
}

static void
result_check(struct soak_ledger *ledger, uint64_t number, const struct rte_umr_completion *done)
{
	const struct soak_due *due = due_of(ledger, number);
	const unsigned int may = may_of(ledger, due);

	if (done->status > RTE_UMR_STATUS_UNKNOWN || ((may >> done->status) & 1) == 0)
		soak_ledger_note(ledger, &ledger->wrongs.nb_unexplained, 1,
				 "operation %" PRIu64 " (%s): %s (syndrome 0x%02x/0x%02x), of 0x%x",
				 number, rte_umr_op_name(due->op),
				 rte_umr_status_name(done->status), done->syndrome,
				 done->vendor_syndrome, may);
	/* A failed or flushed receive does not report its type. */
	if (done->op != due->op &&
	    !(due->op == RTE_UMR_OP_RECV_WRITE_IMM && done->op == RTE_UMR_OP_RECV &&
	      done->status != RTE_UMR_STATUS_SUCCESS))
		soak_ledger_note(ledger, &ledger->wrongs.nb_unexplained, 1,
				 "operation %" PRIu64 " (%s) came back as %s", number,
				 rte_umr_op_name(due->op), rte_umr_op_name(done->op));
	if (done->status == RTE_UMR_STATUS_SUCCESS && due->length != SOAK_ANY_LENGTH &&
	    done->length != due->length)
		soak_ledger_note(ledger, &ledger->wrongs.nb_unexplained, 1,
				 "operation %" PRIu64 " (%s): %u bytes of %u", number,
				 rte_umr_op_name(due->op), done->length, due->length);
	if (done->status != RTE_UMR_STATUS_SUCCESS)
		ledger->has_failed = true;
}

bool
soak_ledger_back(struct soak_ledger *ledger, const struct rte_umr_completion *done,
		 uint64_t *number)
{
	const uint64_t nb_out = soak_ledger_nb_out(ledger);
	const uint16_t ahead = (uint16_t)(done->idx - (uint16_t)ledger->nb_back);

	if (ahead >= nb_out) {
		const uint16_t behind = (uint16_t)((uint16_t)ledger->nb_back - done->idx);

		if (behind <= ledger->nb_back && late_back(ledger, ledger->nb_back - behind)) {
			*number = ledger->nb_back - behind;
			return true;
		}
		soak_ledger_note(ledger, &ledger->wrongs.nb_duplicated, 1,
				 "ring index %u came back, which is not out: %" PRIu64
				 " of %" PRIu64 " are back", done->idx, ledger->nb_back,
				 ledger->nb_taken);
		return false;
	}
	for (uint16_t i = 0; i < ahead; i++)
		due_of(ledger, ledger->nb_back + i)->is_missing = true;
	if (ahead != 0)
		soak_ledger_note(ledger, &ledger->wrongs.nb_lost, ahead,
				 "operation %" PRIu64 " was left out", ledger->nb_back);
	*number = ledger->nb_back + ahead;
	result_check(ledger, *number, done);
	ledger->nb_back = *number + 1;
	return true;
}

uint64_t
soak_ledger_back_good(struct soak_ledger *ledger, uint16_t nb, uint16_t last_idx)
{
	const uint64_t first = ledger->nb_back;

	if (nb > soak_ledger_nb_out(ledger)) {
		const uint64_t nb_out = soak_ledger_nb_out(ledger);

		soak_ledger_note(ledger, &ledger->wrongs.nb_duplicated, nb - nb_out,
				 "%u operations came back, %" PRIu64 " were out", nb, nb_out);
		nb = (uint16_t)nb_out;
	}
	for (uint16_t i = 0; i < nb; i++) {
		const struct soak_due *due = due_of(ledger, first + i);

		if (ledger->has_failed || (due->may & SOAK_STATUS(SUCCESS)) == 0)
			soak_ledger_note(ledger, &ledger->wrongs.nb_unexplained, 1,
					 "operation %" PRIu64 " (%s) succeeded", first + i,
					 rte_umr_op_name(due->op));
	}
	ledger->nb_back += nb;
	if (nb != 0 && last_idx != (uint16_t)(ledger->nb_back - 1))
		soak_ledger_note(ledger, &ledger->wrongs.nb_unexplained, 1,
				 "the last of %u operations is %u, not %u", nb, last_idx,
				 (uint16_t)(ledger->nb_back - 1));
	return first;
}

void
soak_ledger_give_up(struct soak_ledger *ledger)
{
	const uint64_t nb_out = soak_ledger_nb_out(ledger);

	if (nb_out != 0)
		soak_ledger_note(ledger, &ledger->wrongs.nb_lost, nb_out,
				 "operation %" PRIu64 " (%s) did not complete, nor %" PRIu64
				 " after it", ledger->nb_back,
				 rte_umr_op_name(due_of(ledger, ledger->nb_back)->op), nb_out - 1);
	ledger->nb_back = ledger->nb_taken;
}

void
soak_wrongs_add(struct soak_wrongs *sum, const struct soak_wrongs *wrongs)
{
	sum->nb_lost += wrongs->nb_lost;
	sum->nb_duplicated += wrongs->nb_duplicated;
	sum->nb_corrupted += wrongs->nb_corrupted;
	sum->nb_unexplained += wrongs->nb_unexplained;
}

bool
soak_wrongs_none(const struct soak_wrongs *wrongs)
{
	return wrongs->nb_lost == 0 && wrongs->nb_duplicated == 0 && wrongs->nb_corrupted == 0 &&
	       wrongs->nb_unexplained == 0;
}
