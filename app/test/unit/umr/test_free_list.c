/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* List of free keys: the ring, caches of pretended lcores, and several threads at once. */

#include <pthread.h>
#include <time.h>

#include <rte_per_lcore.h>

#include "cases.h"
#include "budget.h"
#include "alloc.h"
#include "rte_umr_free_list.h"

#define NB_KEYS		600u
#define CACHE_SIZE	8u
#define FLUSH_LEN	12u
#define NB_STEPS	(40 * test_nb_cases())
#define MAX_MS		400u
#define NB_THREADS	5u
#define MAX_BURST	40u
#define MAX_HELD	100u
#define NO_LCORE	LCORE_ID_ANY

static struct rte_umr_mkey keys[NB_KEYS];
static struct rte_umr_free_list list;
/* Who has a key: 0 the list, else a thread. */
static uint32_t owners[NB_KEYS];

/* The thread is this lcore from now on. */
static void
be_lcore(unsigned int lcore_id)
{
	RTE_PER_LCORE(_lcore_id) = lcore_id;
}

static void
list_make(uint32_t nb_keys, uint32_t cache_size)
{
	assert_int_equal(rte_umr_free_list_init(&list, nb_keys, cache_size, 1), 0);
	assert_int_equal(test_alloc.socket_id, 1);
	assert_int_equal(rte_umr_free_list_count(&list), 0);
	for (uint32_t i = 0; i < nb_keys; i++)
		rte_umr_free_list_add(&list, &keys[i]);
	assert_int_equal(rte_umr_free_list_count(&list), nb_keys);
}

static int
setup(void **state)
{
	test_alloc = (struct test_alloc){ 0 };
	list = (struct rte_umr_free_list){ 0 };
	memset(owners, 0, sizeof(owners));
	be_lcore(0);
	return 0;
}

static int
teardown(void **state)
{
	rte_umr_free_list_fini(&list);
	be_lcore(NO_LCORE);
	return (int)test_alloc.nb_live;
}

static uint32_t
cached(unsigned int lcore_id)
{
	return list.caches[lcore_id].len;
}

/* Get keys that are these ones, in this order. */
static void
get_expected(uint32_t first, uint32_t nb)
{
	struct rte_umr_mkey *mkeys[NB_KEYS];

	assert_true(rte_umr_free_list_get_bulk(&list, mkeys, nb));
	for (uint32_t i = 0; i < nb; i++)
		assert_ptr_equal(mkeys[i], &keys[first + i]);
}

static void
get_none(uint32_t first, uint32_t nb)
{
	struct rte_umr_mkey *mkeys[NB_KEYS];

	assert_false(rte_umr_free_list_get_bulk(&list, mkeys, nb));
}

static void
put_keys(uint32_t first, uint32_t nb)
{
	struct rte_umr_mkey *mkeys[NB_KEYS];

	for (uint32_t i = 0; i < nb; i++)
		mkeys[i] = &keys[first + i];
	rte_umr_free_list_put_bulk(&list, mkeys, nb);
}

CASE_WITH(memory_that_runs_out_leaves_nothing, setup, teardown)
{
	for (uint32_t cache_size = 0; cache_size <= CACHE_SIZE; cache_size += CACHE_SIZE) {
		unsigned int nb = cache_size != 0 ? 2 : 1;

		for (unsigned int fail_at = 1; fail_at <= nb; fail_at++) {
			test_alloc = (struct test_alloc){ .fail_at = fail_at };
			assert_int_equal(rte_umr_free_list_init(&list, 10, cache_size, 0),
					 -ENOMEM);
			assert_int_equal(test_alloc.nb_live, 0);
		}
		test_alloc = (struct test_alloc){ 0 };
		list_make(10, cache_size);
		assert_int_equal(test_alloc.nb_calls, nb);
		rte_umr_free_list_fini(&list);
	}
	list = (struct rte_umr_free_list){ 0 };
}

#define ANY (-1) /* not looked at */

/* A get or put of an lcore, and what its cache and the ring have then. */
struct step {
	unsigned int lcore_id;
	void (*run)(uint32_t first, uint32_t nb);
	uint32_t first, nb;
	int cached, ring;
};

static const struct {
	const char *name;
	uint32_t nb_keys, cache_size;
	struct step steps[8];
} sequences[] = {
	{ "keys come in the order of memory", NB_KEYS, CACHE_SIZE, {
		/* The cache has got 4 to 11: those behind are the first. */
		{ 0, get_expected, 0, 4, CACHE_SIZE, ANY }, { 0, get_expected, 8, 4, ANY, ANY },
		{ 0, get_expected, 4, 4, 0, ANY },
		{ 0, get_expected, 12, NB_KEYS - 12, ANY, ANY } } },
	{ "last keys put are the first got", NB_KEYS, CACHE_SIZE, {
		{ 0, get_expected, 0, 12, ANY, ANY }, { 0, put_keys, 0, 1, ANY, ANY },
		{ 0, put_keys, 5, 2, ANY, ANY }, { 0, get_expected, 5, 2, ANY, ANY },
		{ 0, get_expected, 0, 1, ANY, ANY } } },
	{ "cache flushes at its threshold", 100, CACHE_SIZE, {
		{ NO_LCORE, get_expected, 0, 100, ANY, 0 },
		{ 3, put_keys, 0, FLUSH_LEN - 1, ANY, ANY },
		{ 3, put_keys, FLUSH_LEN - 1, 1, FLUSH_LEN, 0 },
		{ 3, put_keys, FLUSH_LEN, 3, 3, FLUSH_LEN },
		/* More than it could ever hold: not through the cache. */
		{ 3, put_keys, 20, FLUSH_LEN + 1, 3, 2 * FLUSH_LEN + 1 },
		{ 3, put_keys, 40, FLUSH_LEN, FLUSH_LEN, 2 * FLUSH_LEN + 1 + 3 } } },
	{ "ring with too few keys fills no cache", CACHE_SIZE + 1, CACHE_SIZE, {
		{ 0, get_expected, 0, 2, 0, CACHE_SIZE - 1 },
		{ 0, get_expected, 2, CACHE_SIZE - 1, ANY, ANY } } },
	{ "large get fills no cache", NB_KEYS, CACHE_SIZE, {
		/* More than it could ever hold: no key is withdrawn from others besides. */
		{ 0, get_expected, 0, FLUSH_LEN + 1, 0, NB_KEYS - FLUSH_LEN - 1 },
		{ 0, get_expected, FLUSH_LEN + 1, FLUSH_LEN, CACHE_SIZE, ANY } } },
	{ "threads of others have no cache", 20, CACHE_SIZE, {
		{ NO_LCORE, get_expected, 0, 5, ANY, ANY }, { NO_LCORE, put_keys, 0, 5, ANY, 20 },
		{ NO_LCORE, get_expected, 5, 15, ANY, ANY },
		{ NO_LCORE, get_expected, 0, 5, ANY, ANY } } },
	{ "list without caches is a ring", 1, 0, {
		{ 0, get_expected, 0, 1, ANY, 0 }, { 0, get_none, 0, 1, ANY, ANY },
		{ 0, get_expected, 0, 0, ANY, ANY }, { 0, put_keys, 0, 1, ANY, 1 },
		{ 0, get_expected, 0, 1, ANY, ANY } } },
	{ "largest cache is filled and flushed", NB_KEYS, RTE_UMR_KEY_CACHE_MAX, {
		{ 0, get_expected, 0, 1, RTE_UMR_KEY_CACHE_MAX, ANY },
		{ 0, get_expected, 1, RTE_UMR_KEY_CACHE_MAX, ANY, ANY },
		{ 0, get_expected, RTE_UMR_KEY_CACHE_MAX + 1, NB_KEYS - RTE_UMR_KEY_CACHE_MAX - 1,
		  ANY, ANY },
		{ 0, put_keys, 0, NB_KEYS, NB_KEYS, 0 } } },
};

CASE_WITH(lcores_get_and_put, setup, teardown)
{
	for (size_t i = 0; i < RTE_DIM(sequences); i++) {
		print_message("%s\n", sequences[i].name);
		list_make(sequences[i].nb_keys, sequences[i].cache_size);
		assert_int_equal(list.caches == NULL, sequences[i].cache_size == 0);
		for (const struct step *step = sequences[i].steps; step->run != NULL; step++) {
			be_lcore(step->lcore_id);
			step->run(step->first, step->nb);
			if (step->cached != ANY)
				assert_int_equal(cached(step->lcore_id), step->cached);
			if (step->ring != ANY)
				assert_int_equal(rte_ring_count(list.ring), step->ring);
		}
		teardown(state);
		setup(state);
	}
}

/* What it has no room for is in no cache: behind its last place are those of another lcore. */
CASE_WITH(full_cache_takes_not_one_more, setup, teardown)
{
	list_make(100, CACHE_SIZE);
	be_lcore(NO_LCORE);
	get_expected(0, 100);
	be_lcore(3);
	for (uint32_t nb = 1; nb <= FLUSH_LEN; nb++) {
		put_keys(0, FLUSH_LEN + 1 - nb);
		assert_int_equal(cached(3), FLUSH_LEN + 1 - nb);
		put_keys(FLUSH_LEN + 1 - nb, nb);
		assert_int_equal(cached(3), nb);
		assert_int_equal(rte_ring_count(list.ring), FLUSH_LEN + 1 - nb);
		be_lcore(NO_LCORE);
		get_expected(0, FLUSH_LEN + 1 - nb);
		be_lcore(3);
		get_expected(FLUSH_LEN + 1 - nb, nb);
	}
}

CASE_WITH(get_takes_all_or_none, setup, teardown)
{
	struct rte_umr_mkey *mkeys[30];

	list_make(20, CACHE_SIZE);
	be_lcore(1);
	get_expected(0, 1);		/* and 8 for the cache of lcore 1 */
	be_lcore(0);
	get_expected(9, 1);		/* and 8 for that of lcore 0; 2 are left */
	memset(mkeys, 0, sizeof(mkeys));
	assert_false(rte_umr_free_list_get_bulk(&list, mkeys, 11));
	for (uint32_t i = 0; i < RTE_DIM(mkeys); i++)
		assert_null(mkeys[i]);
	assert_int_equal(cached(0), CACHE_SIZE);
	assert_int_equal(rte_umr_free_list_count(&list), 18);
	be_lcore(NO_LCORE);
	assert_false(rte_umr_free_list_get_bulk(&list, mkeys, 3));
	be_lcore(0);
	assert_true(rte_umr_free_list_get_bulk(&list, mkeys, 10));
	assert_int_equal(rte_umr_free_list_count(&list), CACHE_SIZE);
	assert_false(rte_umr_free_list_get_bulk(&list, mkeys, 1));
	assert_true(rte_umr_free_list_get_bulk(&list, mkeys, 0));
}

/* A thread that gets and puts at random. */
struct worker {
	pthread_t id;
	uint32_t number;	/* from 1 */
	unsigned int lcore_id;
	uint32_t seed, nb_held;
	struct rte_umr_mkey *held[MAX_HELD];
	uint32_t nb_bad;
};

static uint32_t
rnd(struct worker *w, uint32_t nb)
{
	w->seed = w->seed * 1664525 + 1013904223;
	return (w->seed >> 8) % nb;
}

static void
worker_get(struct worker *w, uint32_t nb)
{
	struct rte_umr_mkey **mkeys = &w->held[w->nb_held];

	if (!rte_umr_free_list_get_bulk(&list, mkeys, nb))
		return;
	for (uint32_t i = 0; i < nb; i++)
		w->nb_bad += __atomic_exchange_n(&owners[mkeys[i] - keys], w->number,
						 __ATOMIC_RELAXED) != 0;
	w->nb_held += nb;
}

/* Any of them. */
static void
worker_put(struct worker *w, uint32_t nb)
{
	struct rte_umr_mkey *mkeys[MAX_BURST];
	uint32_t i, pos;

	for (i = 0; i < nb; i++) {
		pos = rnd(w, w->nb_held);
		mkeys[i] = w->held[pos];
		w->held[pos] = w->held[--w->nb_held];
		w->nb_bad += __atomic_exchange_n(&owners[mkeys[i] - keys], 0, __ATOMIC_RELAXED) !=
			     w->number;
	}
	rte_umr_free_list_put_bulk(&list, mkeys, nb);
}

static uint64_t
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* On few CPUs the threads spin in the ring until the others run: not all of the steps, then. */
static void *
worker_run(void *arg)
{
	struct worker *w = arg;
	uint64_t end = now_ms() + MAX_MS;

	be_lcore(w->lcore_id);
	for (uint32_t i = 0; i < NB_STEPS && now_ms() < end; i++) {
		if (rnd(w, 2) == 0)
			worker_get(w, RTE_MIN(rnd(w, MAX_BURST + 1), MAX_HELD - w->nb_held));
		else
			worker_put(w, RTE_MIN(rnd(w, MAX_BURST + 1), w->nb_held));
	}
	while (w->nb_held != 0)
		worker_put(w, RTE_MIN(MAX_BURST, w->nb_held));
	return NULL;
}

/* All lcores take what they can get: each key is there once. */
static void
drain(const struct worker *workers, uint32_t nb_keys)
{
	struct rte_umr_mkey *mkey;
	uint32_t nb = 0;

	for (uint32_t i = 0; i < NB_THREADS; i++) {
		be_lcore(workers[i].lcore_id);
		while (rte_umr_free_list_get_bulk(&list, &mkey, 1)) {
			assert_int_equal(owners[mkey - keys], 0);
			owners[mkey - keys] = 1;
			nb++;
		}
	}
	assert_int_equal(nb, nb_keys);
	assert_int_equal(rte_umr_free_list_count(&list), 0);
}

static void
threads_run(uint32_t nb_keys, uint32_t cache_size)
{
	struct worker workers[NB_THREADS] = { 0 };
	const uint32_t seed = test_seed();

	list_make(nb_keys, cache_size);
	for (uint32_t i = 0; i < NB_THREADS; i++) {
		workers[i].number = i + 1;
		workers[i].seed = seed + 17 * i;
		/* Two threads are not EAL's. */
		workers[i].lcore_id = i < 2 ? NO_LCORE : i == 2 ? RTE_MAX_LCORE - 1 : i;
		assert_int_equal(pthread_create(&workers[i].id, NULL, worker_run, &workers[i]), 0);
	}
	for (uint32_t i = 0; i < NB_THREADS; i++)
		assert_int_equal(pthread_join(workers[i].id, NULL), 0);
	for (uint32_t i = 0; i < NB_THREADS; i++)
		assert_int_equal(workers[i].nb_bad, 0);
	assert_int_equal(rte_umr_free_list_count(&list), nb_keys);
	drain(workers, nb_keys);
	rte_umr_free_list_fini(&list);
	list = (struct rte_umr_free_list){ 0 };
	memset(owners, 0, sizeof(owners));
}

CASE_WITH(threads_lose_no_key_and_share_none, setup, teardown)
{
	threads_run(NB_KEYS, 32);
	threads_run(100, 0);
	threads_run(100, CACHE_SIZE);
	threads_run(150, 100);
}
