/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_BASE_LOCK_H
#define SWHCA_BASE_LOCK_H

/**
 * @file
 * The lock of a fabric, for threads that execute commands and for the engine, which has it most of
 * the time.
 *
 * Who waits for the lock holds the gate, and the engine passes through it on its way to the lock:
 * mutexes are not fair, and it would have the lock again before others wake up.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct swhca_lock {
	pthread_mutex_t mutex;
	pthread_mutex_t gate;
	atomic_uint nb_waiting;	/**< Threads that want the lock: the engine lets them in. */
};

void swhca_lock_init(struct swhca_lock *lock);
void swhca_lock_fini(struct swhca_lock *lock);

void swhca_lock_take(struct swhca_lock *lock);
/** The same, after all who wait for it. */
void swhca_lock_take_last(struct swhca_lock *lock);
/** The same if nobody has it or waits for it. @return false: it is not taken. */
bool swhca_lock_try_last(struct swhca_lock *lock);
void swhca_lock_release(struct swhca_lock *lock);

/** Whether this thread holds any. */
bool swhca_lock_is_held_here(void);

#endif /* SWHCA_BASE_LOCK_H */
