/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_LEDGER_H
#define SOAK_LEDGER_H

/**
 * @file
 * Obligations of a queue: each accepted operation completes once, in order, with an expected
 * status. A ledger belongs to one ring: the sends of a queue, or its receives. It is independent of
 * devices and time.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_umr.h>

/** Maximum number of outstanding operations; a power of two, and larger than any ring. */
#define SOAK_LEDGER_SIZE	16384u
/** Bit of a status in a set of statuses. */
#define SOAK_STATUS(name)	(1u << RTE_UMR_STATUS_##name)
/** Length of operations whose length is only known on completion. */
#define SOAK_ANY_LENGTH		UINT32_MAX

/** An accepted operation. */
struct soak_due {
	uint32_t length;	/**< Length on success; SOAK_ANY_LENGTH: any. */
	uint16_t may;		/**< Set of valid statuses while the queue is not in the error
				  *   state. */
	uint8_t op;		/**< enum rte_umr_op_type */
	bool is_missing;	/**< A later operation completed before it. */
};

/** Counters of errors; all must be 0. */
struct soak_wrongs {
	uint64_t nb_lost;
	uint64_t nb_duplicated;
	uint64_t nb_corrupted;	/**< Bytes, and values reported with them. */
	uint64_t nb_unexplained;
};

struct soak_ledger {
	uint64_t nb_taken;	/**< Low 16 bits: next ring index. */
	uint64_t nb_back;	/**< The same for the next completion. */
	/** Valid statuses of the first failure, for any operation. */
	uint16_t anywhere;
	bool has_failed;	/**< From now on, only FLUSHED is valid. */
	struct soak_wrongs wrongs;
	char why[192];		/**< Description of the first error. */
	struct soak_due due[SOAK_LEDGER_SIZE];
};

/** Initialize for a new ring, whose first index is 0. */
void soak_ledger_init(struct soak_ledger *ledger);

/** The queue was recovered: nothing is outstanding, and it works again. */
void soak_ledger_recovered(struct soak_ledger *ledger);

static inline uint64_t
soak_ledger_nb_out(const struct soak_ledger *ledger)
{
	return ledger->nb_taken - ledger->nb_back;
}

/** Whether another operation can be added. */
static inline bool
soak_ledger_has_room(const struct soak_ledger *ledger)
{
	return soak_ledger_nb_out(ledger) < SOAK_LEDGER_SIZE;
}

/**
 * Add an accepted operation.
 *
 * @param idx
 *   Ring index returned by the queue.
 * @return
 *   Number of the operation since soak_ledger_init().
 */
uint64_t soak_ledger_take(struct soak_ledger *ledger, uint16_t idx, const struct soak_due *due);

/**
 * Record a completion.
 *
 * @param number
 *   Set to the number of the operation if the function returns true.
 * @return
 *   Whether the operation was outstanding.
 */
bool soak_ledger_back(struct soak_ledger *ledger, const struct rte_umr_completion *done,
		      uint64_t *number);

/**
 * Record successful completions reported by rte_umr_completed().
 *
 * @param last_idx
 *   Ring index of the last one.
 * @return
 *   Number of the first one.
 */
uint64_t soak_ledger_back_good(struct soak_ledger *ledger, uint16_t nb, uint16_t last_idx);

/** No more completions arrive: outstanding operations are lost. */
void soak_ledger_give_up(struct soak_ledger *ledger);

/** Record an error that the ledger cannot detect, in a counter of its wrongs. */
void soak_ledger_note(struct soak_ledger *ledger, uint64_t *counter, uint64_t nb,
		      const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Add counters. */
void soak_wrongs_add(struct soak_wrongs *sum, const struct soak_wrongs *wrongs);

/** Whether all counters are 0. */
bool soak_wrongs_none(const struct soak_wrongs *wrongs);

#endif /* SOAK_LEDGER_H */
