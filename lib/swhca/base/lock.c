/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "base/lock.h"

/* This thread holds a lock. */
static __thread bool is_holder __attribute__((tls_model("initial-exec")));

void
swhca_lock_init(struct swhca_lock *lock)
{
	pthread_mutex_init(&lock->gate, NULL);
	pthread_mutex_init(&lock->mutex, NULL);
	atomic_init(&lock->nb_waiting, 0);
}

void
swhca_lock_fini(struct swhca_lock *lock)
{
	pthread_mutex_destroy(&lock->mutex);
	pthread_mutex_destroy(&lock->gate);
}

bool
swhca_lock_is_held_here(void)
{
	return is_holder;
}

void
swhca_lock_take_last(struct swhca_lock *lock)
{
	/* Threads that execute commands get the lock before the engine takes it again. */
	if (atomic_load_explicit(&lock->nb_waiting, memory_order_relaxed) != 0) {
		pthread_mutex_lock(&lock->gate);
		pthread_mutex_unlock(&lock->gate);
	}
	pthread_mutex_lock(&lock->mutex);
	is_holder = true;
}

bool
swhca_lock_try_last(struct swhca_lock *lock)
{
	if (atomic_load_explicit(&lock->nb_waiting, memory_order_relaxed) != 0 ||
	    pthread_mutex_trylock(&lock->mutex) != 0)
		return false;
	is_holder = true;
	return true;
}

void
swhca_lock_take(struct swhca_lock *lock)
{
	atomic_fetch_add(&lock->nb_waiting, 1);
	pthread_mutex_lock(&lock->gate);
	pthread_mutex_lock(&lock->mutex);
	atomic_fetch_sub(&lock->nb_waiting, 1);
	pthread_mutex_unlock(&lock->gate);
	is_holder = true;
}

void
swhca_lock_release(struct swhca_lock *lock)
{
	is_holder = false;
	pthread_mutex_unlock(&lock->mutex);
}
