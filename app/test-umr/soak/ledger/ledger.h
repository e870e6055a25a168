/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_LEDGER_H
#define SOAK_LEDGER_H

/**
 * @file
 * What a queue owes: each operation that it took comes back once, in order, with a status that
 * something explains. A ledger is for one ring: the sends of a queue, or its receives. It knows no
 * device and no time.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_umr.h>

/** Operations that may be out together; a power of two, and more than any ring has. */
#define SOAK_LEDGER_SIZE	16384u
/** Of a status: the bit in a set of statuses. */
#define SOAK_STATUS(name)	(1u << RTE_UMR_STATUS_##name)
/** Sets of types, for operations whose type is known only when they come back. */
#define SOAK_ANY_LENGTH		UINT32_MAX

/** An operation that was taken. */
struct soak_due {
	uint32_t length;	/**< That success must tell; SOAK_ANY_LENGTH: any. */
	uint16_t may;		/**< Set of statuses that it may have while its queue is well. */
	uint8_t op;		/**< enum rte_umr_op_type */
	bool is_missing;	/**< One behind it came back, it did not. */
};

/** What was wrong; all must be 0. */
struct soak_wrongs {
	uint64_t nb_lost;
	uint64_t nb_duplicated;
	uint64_t nb_corrupted;	/**< Bytes, and values that came beside them. */
	uint64_t nb_unexplained;
};

struct soak_ledger {
	uint64_t nb_taken;	/**< Its low 16 bits are the next ring index. */
	uint64_t nb_back;	/**< Likewise, of the next one to come back. */
	/** Statuses that the first failure may have, whichever operation it meets. */
	uint16_t anywhere;
	bool has_failed;	/**< From here on there is FLUSHED and nothing else. */
	struct soak_wrongs wrongs;
	char why[192];		/**< The first wrong, in words. */
	struct soak_due due[SOAK_LEDGER_SIZE];
};

/** A ring that starts: its first index is 0. */
void soak_ledger_init(struct soak_ledger *ledger);

/** The queue was recovered: everything is back, it works again. */
void soak_ledger_recovered(struct soak_ledger *ledger);

static inline uint64_t
soak_ledger_nb_out(const struct soak_ledger *ledger)
{
	return ledger->nb_taken - ledger->nb_back;
}

/** Whether another operation can be entered. */
static inline bool
soak_ledger_has_room(const struct soak_ledger *ledger)
{
	return soak_ledger_nb_out(ledger) < SOAK_LEDGER_SIZE;
}

/**
 * Enter an operation.
 *
 * @param idx
 *   Ring index that the queue gave it.
 * @return
 *   Number of the operation since soak_ledger_init().
 */
uint64_t soak_ledger_take(struct soak_ledger *ledger, uint16_t idx, const struct soak_due *due);

/**
 * An operation comes back.
 *
 * @param number
 *   Written with its number if the return value is true.
 * @return
 *   Whether it is one that was out.
 */
bool soak_ledger_back(struct soak_ledger *ledger, const struct rte_umr_completion *done,
		      uint64_t *number);

/**
 * Operations come back with success, as rte_umr_completed() tells.
 *
 * @param last_idx
 *   Ring index of the last one.
 * @return
 *   Number of the first of them.
 */
uint64_t soak_ledger_back_good(struct soak_ledger *ledger, uint16_t nb, uint16_t last_idx);

/** Nothing comes any more: what is out is lost. */
void soak_ledger_give_up(struct soak_ledger *ledger);

/** Note something wrong that the ledger cannot see by itself, in a counter of its wrongs. */
void soak_ledger_note(struct soak_ledger *ledger, uint64_t *counter, uint64_t nb,
		      const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Add counters. */
void soak_wrongs_add(struct soak_wrongs *sum, const struct soak_wrongs *wrongs);

/** Whether all counters are 0. */
bool soak_wrongs_none(const struct soak_wrongs *wrongs);

#endif /* SOAK_LEDGER_H */
