/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_BASE_LOCK_H
#define SWHCA_BASE_LOCK_H

/**
 * @file
 * Lock of a fabric, for threads that execute commands and for the engine, which holds it most of
 * the time.
 *
 * A thread that waits for the lock holds the gate, and the engine passes the gate before it takes
 * the lock: mutexes are not fair, and the engine would take the lock again before others wake up.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct swhca_lock {
	pthread_mutex_t mutex;
	pthread_mutex_t gate;
	atomic_uint nb_waiting;	/**< Threads that wait for the lock; the engine lets them in. */
};

void swhca_lock_init(struct swhca_lock *lock);
void swhca_lock_fini(struct swhca_lock *lock);

void swhca_lock_take(struct swhca_lock *lock);
/** Take the lock after all waiters. */
void swhca_lock_take_last(struct swhca_lock *lock);
/** Take the lock if it is free without waiters. @return false: not taken. */
bool swhca_lock_try_last(struct swhca_lock *lock);
void swhca_lock_release(struct swhca_lock *lock);

/** Check whether this thread holds any lock. */
bool swhca_lock_is_held_here(void);

#endif /* SWHCA_BASE_LOCK_H */
