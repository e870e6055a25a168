/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Signatures of keys over time: what a configuration does, what an error CQE leaves, and that such
 * a CQE ends no operation.
 */

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include <mlx5_prm_sig.h>

#include "budget.h"
#include "ring/key_sig.h"
#include "test_queue.h"

#define KEY_INDEX	0x123456u
#define OTHER_INDEX	0x123457u

static const struct rte_umr_sig crc = {
	.mem = { .type = RTE_UMR_SIG_CRC32, .block_size = 512 }, .check_mask = 0xf0,
};

static const struct rte_umr_sig both = {
	.mem = { .type = RTE_UMR_SIG_T10DIF_CRC, .block_size = 512 },
	.wire = { .type = RTE_UMR_SIG_T10DIF_CRC, .block_size = 512 },
	.check_mask = 0xff,
};

/* Keys of a device, of which one is used. */
struct world {
	struct mlx5_umr_key_sig key;
	struct mlx5_umr_sig_keys keys;
	/* One thread configures the key, while another collects its errors and two ask for them. */
	atomic_uint nb_asking;	/* of who asks once */
	atomic_uint nb_told;
	atomic_uint nb_wrong;
	atomic_bool is_over;
};

static int
keys_setup(void **state)
{
	struct world *w = *state = aligned_alloc(RTE_CACHE_LINE_SIZE, sizeof(*w));

	assert_non_null(w);
	memset(w, 0, sizeof(*w));
	return mlx5_umr_sig_keys_add(&w->keys, KEY_INDEX, &w->key);
}

static int
keys_teardown(void **state)
{
	mlx5_umr_sig_keys_fini(&((struct world *)*state)->keys);
	free(*state);
	return 0;
}

/* What a configuration does; then it is accepted. */
static void
check_plan(struct world *w, const struct rte_umr_sig *sig, bool is_reset, bool has_bsf,
	   bool is_arming, bool bit, uint32_t nb_psv)
{
	const struct mlx5_umr_key_sig before = w->key;
	struct mlx5_umr_sig_plan p;

	mlx5_umr_sig_plan_make(&w->key, sig, is_reset, &p);
	assert_memory_equal(&w->key, &before, sizeof(before));
	assert_int_equal(p.has_bsf, has_bsf);
	assert_int_equal(p.is_arming, is_arming);
	if (is_arming)
		assert_int_equal(p.sigerr_bit, bit);
	assert_int_equal(p.nb_psv, nb_psv);
	mlx5_umr_sig_plan_commit(&p, &w->key);
}

/* The first one of a key. */
static void
first_plan(struct world *w, const struct rte_umr_sig *sig, uint32_t nb_psv)
{
	check_plan(w, sig, false, true, true, true, nb_psv);
}

/* What the next question for an error of the key returns. */
static void
check_error(struct mlx5_umr_key_sig *key, uint8_t type, uint64_t expected)
{
	struct rte_umr_mkey_error error;

	assert_int_equal(mlx5_umr_key_sig_check(key, &error), 0);
	assert_int_equal(error.type, type);
	if (type == RTE_UMR_MKEY_ERROR_NONE)
		return;
	assert_int_equal(error.expected, expected);
	assert_int_equal(error.offset, 516);
}

/* A signature error CQE of a key. */
static struct mlx5_cqe64
sigerr_cqe(uint32_t mkey)
{
	struct mlx5_cqe64 cqe;

	memset(&cqe, 0, sizeof(cqe));
	prm_set(&cqe, PRM_SIGERR_EXPECTED, 0x11112222);
	prm_set(&cqe, PRM_SIGERR_ACTUAL, 0x33334444);
	prm_set(&cqe, PRM_SIGERR_SYNDROME, PRM_SIGERR_SYNDROME_GUARD);
	prm_set(&cqe, PRM_SIGERR_DOMAIN, PRM_SIGERR_DOMAIN_MEMORY);
	prm_set(&cqe, PRM_SIGERR_MKEY, mkey);
	prm_set(&cqe, PRM_SIGERR_OFFSET, 516);
	cqe.op_own = PRM_CQE_OPCODE_SIGERR << 4;
	return cqe;
}

static void
take(struct world *w, uint32_t mkey)
{
	struct mlx5_cqe64 cqe = sigerr_cqe(mkey);

	mlx5_umr_sig_keys_take(&w->keys, &cqe);
}

CASE_OF(struct world, w, signature_is_written_when_it_is_new, keys_setup, keys_teardown)
{
	check_plan(w, NULL, false, false, true, true, 0);	/* the first one arms */
	assert_false(w->key.is_set);
	check_plan(w, &both, false, true, false, false, 2);
	assert_true(w->key.is_set);
	check_plan(w, NULL, false, false, false, false, 0);
	check_plan(w, &crc, false, true, false, false, 1);
	check_plan(w, NULL, true, false, false, false, 0);
	assert_false(w->key.is_set);
	check_plan(w, NULL, false, false, false, false, 0);
	assert_false(w->key.is_set);
}

CASE_OF(struct world, w, error_arms_with_the_bit_of_its_count, keys_setup, keys_teardown)
{
	bool bit = false;

	first_plan(w, &crc, 1);
	for (unsigned int i = 0; i < 5; i++, bit = !bit) {
		take(w, KEY_INDEX << 8 | i);
		/* PSVs are set again, the format is not. */
		check_plan(w, NULL, false, false, true, bit, 1);
		check_plan(w, NULL, false, false, false, false, 0);
	}
	take(w, KEY_INDEX << 8);
	check_plan(w, NULL, true, false, true, bit, 0);
}

CASE_OF(struct world, w, rejected_operation_changes_nothing, keys_setup, keys_teardown)
{
	struct mlx5_umr_sig_plan p;

	first_plan(w, &crc, 1);
	take(w, KEY_INDEX << 8);
	mlx5_umr_sig_plan_make(&w->key, &both, false, &p);	/* and the ring is full */
	check_plan(w, NULL, false, false, true, false, 1);
}

CASE_OF(struct world, w, flush_makes_the_next_configuration_a_full_one, keys_setup, keys_teardown)
{
	first_plan(w, &both, 2);
	mlx5_umr_sig_keys_flushed(&w->keys);
	/* The same bit: it may have been set before. */
	check_plan(w, NULL, false, true, true, true, 2);
	check_plan(w, NULL, false, false, false, false, 0);
	check_plan(w, NULL, true, false, false, false, 0);
	mlx5_umr_sig_keys_flushed(&w->keys);
	check_plan(w, NULL, false, false, true, true, 0);
}

CASE_OF(struct world, w, error_is_read_once, keys_setup, keys_teardown)
{
	struct rte_umr_mkey_error error;

	first_plan(w, &crc, 1);
	check_error(&w->key, RTE_UMR_MKEY_ERROR_NONE, 0);
	take(w, KEY_INDEX << 8 | 7);
	/* It is decoded by what the key has had. */
	check_plan(w, NULL, true, false, true, false, 0);
	assert_int_equal(mlx5_umr_key_sig_check(&w->key, &error), 0);
	assert_int_equal(error.type, RTE_UMR_MKEY_ERROR_GUARD);
	assert_int_equal(error.expected, 0x11112222);
	assert_int_equal(error.actual, 0x33334444);
	assert_int_equal(error.offset, 516);
	check_error(&w->key, RTE_UMR_MKEY_ERROR_NONE, 0);
}

/* An error that was collected stays what it was, whatever the key becomes. */
CASE_OF(struct world, w, error_outlives_its_signature, keys_setup, keys_teardown)
{
	static const struct rte_umr_sig crc64 = {
		.mem = { .type = RTE_UMR_SIG_CRC64_XP10, .block_size = 512 }, .check_mask = 0xff,
	};
	static const struct rte_umr_sig wire = {
		.wire = { .type = RTE_UMR_SIG_CRC32, .block_size = 512 }, .check_mask = 0xf0,
	};
	struct rte_umr_mkey_error error;

	first_plan(w, &crc, 1);
	take(w, KEY_INDEX << 8);
	check_plan(w, &crc64, false, true, true, false, 1);
	check_error(&w->key, RTE_UMR_MKEY_ERROR_GUARD, 0x11112222);
	/* 64 bits from here on; then memory has none any more. */
	take(w, KEY_INDEX << 8);
	check_plan(w, &wire, false, true, true, true, 1);
	check_error(&w->key, RTE_UMR_MKEY_ERROR_GUARD, UINT64_C(0x1111222200000000));
	take(w, KEY_INDEX << 8);
	assert_int_equal(mlx5_umr_key_sig_check(&w->key, &error), -EPROTO);
}

CASE_OF(struct world, w, recycled_key_has_neither_signature_nor_error, keys_setup, keys_teardown)
{
	first_plan(w, &crc, 1);
	take(w, KEY_INDEX << 8);
	mlx5_umr_key_sig_recycle(&w->key);
	check_error(&w->key, RTE_UMR_MKEY_ERROR_NONE, 0);
	/* But the device counts on. */
	check_plan(w, NULL, false, false, true, false, 0);
	assert_false(w->key.is_set);
}

CASE_OF(struct world, w, errors_come_to_their_key, keys_setup, keys_teardown)
{
	struct mlx5_umr_key_sig other = { .types = { RTE_UMR_SIG_CRC32 } };

	assert_int_equal(mlx5_umr_sig_keys_add(&w->keys, OTHER_INDEX, &other), 0);
	take(w, OTHER_INDEX << 8 | 0xff);
	assert_int_equal(w->key.nb_errors, 0);
	assert_int_equal(other.nb_errors, 1);
	/* Of no page, of no key, of one that is gone. */
	take(w, 0xffffff00);
	take(w, (KEY_INDEX ^ 0x80) << 8);
	mlx5_umr_sig_keys_remove(&w->keys, KEY_INDEX);
	mlx5_umr_sig_keys_remove(&w->keys, 0);
	take(w, KEY_INDEX << 8);
	assert_int_equal(w->key.nb_errors, 0);
	assert_int_equal(other.nb_errors, 1);
	check_error(&other, RTE_UMR_MKEY_ERROR_GUARD, 0x11112222);
}

CASE_OF(struct world, w, error_that_is_not_known_is_told_as_such, keys_setup, keys_teardown)
{
	struct rte_umr_mkey_error error;

	w->key.types[MLX5_UMR_SIG_WIRE] = RTE_UMR_SIG_CRC32;
	take(w, KEY_INDEX << 8);	/* of memory, which has no signature */
	assert_int_equal(mlx5_umr_key_sig_check(&w->key, &error), -EPROTO);
	assert_int_equal(mlx5_umr_key_sig_check(&w->key, &error), 0);
}

#define NB_TOLD		(2 * test_nb_cases())
#define NB_ASKING	2u

static void *
ask_main(void *arg)
{
	struct rte_umr_mkey_error error;
	struct world *w = arg;

	while (!atomic_load(&w->is_over)) {
		if (mlx5_umr_key_sig_check(&w->key, &error) != 0)
			atomic_fetch_add(&w->nb_wrong, 1);
		if (error.type == RTE_UMR_MKEY_ERROR_NONE)
			continue;
		if (error.type != RTE_UMR_MKEY_ERROR_GUARD || error.offset != 516)
			atomic_fetch_add(&w->nb_wrong, 1);
		atomic_fetch_add(&w->nb_told, 1);
	}
	return NULL;
}

static void *
collect_main(void *arg)
{
	struct world *w = arg;

	for (unsigned int i = 0; i < NB_TOLD; i++) {
		take(w, KEY_INDEX << 8);
		/* The next would take its place. */
		while (atomic_load(&w->nb_told) <= i)
			sched_yield();
	}
	atomic_store(&w->is_over, true);
	return NULL;
}

CASE_OF(struct world, w, error_is_told_once_to_threads_that_ask_at_once, keys_setup, keys_teardown)
{
	struct mlx5_umr_sig_plan plan;
	pthread_t threads[NB_ASKING + 1];

	first_plan(w, &crc, 1);
	for (unsigned int i = 0; i < RTE_DIM(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, i < NB_ASKING ? ask_main :
						collect_main, w), 0);
	while (!atomic_load(&w->is_over)) {
		mlx5_umr_sig_plan_make(&w->key, &crc, false, &plan);
		mlx5_umr_sig_plan_commit(&plan, &w->key);
		sched_yield();
	}
	for (unsigned int i = 0; i < RTE_DIM(threads); i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(atomic_load(&w->nb_wrong), 0);
	assert_int_equal(atomic_load(&w->nb_told), NB_TOLD);
	mlx5_umr_sig_plan_make(&w->key, NULL, false, &plan);
	assert_int_equal(plan.nb_errors, NB_TOLD);
}

#define NB_ROUNDS	20u

static void *
ask_once_main(void *arg)
{
	struct rte_umr_mkey_error error;
	struct world *w = arg;

	atomic_fetch_add(&w->nb_asking, 1);
	if (mlx5_umr_key_sig_check(&w->key, &error) != 0)
		atomic_fetch_add(&w->nb_wrong, 1);
	if (error.type != RTE_UMR_MKEY_ERROR_NONE)
		atomic_fetch_add(&w->nb_told, 1);
	return NULL;
}

/* Both see that there is an error, and wait for the lock. */
CASE_OF(struct world, w, who_waits_for_the_lock_is_not_told_what_another_was,
	keys_setup, keys_teardown)
{
	pthread_t threads[NB_ASKING];

	first_plan(w, &crc, 1);
	for (unsigned int round = 1; round <= NB_ROUNDS; round++) {
		take(w, KEY_INDEX << 8);
		rte_spinlock_lock(&w->keys.lock);
		for (unsigned int i = 0; i < NB_ASKING; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, ask_once_main, w), 0);
		while (atomic_load(&w->nb_asking) < round * NB_ASKING)
			sched_yield();
		/* From there to the lock; who is slower finds no error, and the case less. */
		usleep(1000);
		rte_spinlock_unlock(&w->keys.lock);
		for (unsigned int i = 0; i < NB_ASKING; i++)
			assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(atomic_load(&w->nb_told), round);
	}
	assert_int_equal(atomic_load(&w->nb_wrong), 0);
}

/* A thread that gives a key away while another still asks for an error of it. */
static void *
recycle_main(void *arg)
{
	struct world *w = arg;

	for (unsigned int i = 0; i < NB_TOLD; i++) {
		take(w, KEY_INDEX << 8);
		mlx5_umr_key_sig_recycle(&w->key);
	}
	atomic_store(&w->is_over, true);
	return NULL;
}

CASE_OF(struct world, w, key_is_recycled_beside_who_asks, keys_setup, keys_teardown)
{
	pthread_t threads[2];

	first_plan(w, &crc, 1);
	assert_int_equal(pthread_create(&threads[0], NULL, ask_main, w), 0);
	assert_int_equal(pthread_create(&threads[1], NULL, recycle_main, w), 0);
	assert_int_equal(pthread_join(threads[1], NULL), 0);
	assert_int_equal(pthread_join(threads[0], NULL), 0);
	assert_int_equal(atomic_load(&w->nb_wrong), 0);
	assert_true(atomic_load(&w->nb_told) <= NB_TOLD);
	check_error(&w->key, RTE_UMR_MKEY_ERROR_NONE, 0);
}

/* The device writes a signature error to a ring of CQEs. */
static void
cqe_put(struct mlx5_cqe64 *ring, uint32_t nb, uint32_t *pi)
{
	struct mlx5_cqe64 cqe = sigerr_cqe(KEY_INDEX << 8);

	cqe.op_own |= *pi / nb % 2;
	ring[(*pi)++ % nb] = cqe;
}

static struct mlx5_umr_key_sig queue_key;

static int
queue_setup(void **state)
{
	struct test_queue *t = *state = test_queue_new();

	memset(&queue_key, 0, sizeof(queue_key));
	return mlx5_umr_sig_keys_add(&t->dev.sig_keys, KEY_INDEX, &queue_key);
}

static int
queue_teardown(void **state)
{
	mlx5_umr_sig_keys_fini(&((struct test_queue *)*state)->dev.sig_keys);
	return test_queue_teardown(state);
}

QUEUE_CASE_WITH(error_cqe_ends_no_operation, queue_setup, queue_teardown)
{
	for (unsigned int i = 0; i < 3 * TEST_NB_WQEBB; i++) {
		assert_int_equal(test_write(t, 512, RTE_UMR_OP_F_SUBMIT), i);
		cqe_put(t->cqes, TEST_NB_WQEBB, &t->cq_pi);
		TEST_SENT_NONE(t);
		test_cqe_write(t, i, MLX5_CQE_REQ, 0);
		if (i % 2 == 0)
			cqe_put(t->cqes, TEST_NB_WQEBB, &t->cq_pi);
		TEST_SENT(t, 4, i, OK);
	}
	assert_int_equal(t->queue.error, 0);
	assert_int_equal(queue_key.nb_errors, 3 * TEST_NB_WQEBB + 3 * TEST_NB_WQEBB / 2);
}

QUEUE_CASE_WITH(error_cqe_ends_no_receive, queue_setup, queue_teardown)
{
	/* Also where none is posted. */
	cqe_put(t->rq_cqes, TEST_NB_RECV, &t->rq_cq_pi);
	TEST_RECEIVED_NONE(t);
	assert_int_equal(queue_key.nb_errors, 1);
	assert_int_equal(mlx5_umr_recv(&t->queue, NULL, 0, 0), 0);
	assert_int_equal(mlx5_umr_recv(&t->queue, NULL, 0, 0), 1);
	cqe_put(t->rq_cqes, TEST_NB_RECV, &t->rq_cq_pi);
	test_rq_cqe_write(t, MLX5_CQE_RESP_SEND, 0, 0, 0);
	cqe_put(t->rq_cqes, TEST_NB_RECV, &t->rq_cq_pi);
	TEST_RECEIVED(t, 4, 0, OK);
	assert_int_equal(queue_key.nb_errors, 3);
}

/* What a reset throws away is not lost to the keys. */
QUEUE_CASE_WITH(drained_error_counts, queue_setup, queue_teardown)
{
	test_write(t, 512, RTE_UMR_OP_F_SUBMIT);
	cqe_put(t->cqes, TEST_NB_WQEBB, &t->cq_pi);
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	mlx5_umr_cq_drain(&t->queue, &t->queue.cq);
	assert_int_equal(queue_key.nb_errors, 1);
	assert_int_equal(t->queue.cq.ci, 2);
}

QUEUE_CASE_WITH(operation_in_error_makes_keys_stale, queue_setup, queue_teardown)
{
	uint32_t epoch = t->dev.sig_keys.epoch;

	test_write(t, 512, RTE_UMR_OP_F_SUBMIT);
	test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, SYND_PROT);
	TEST_SENT(t, 4, 0, PROT);
	assert_int_not_equal(t->dev.sig_keys.epoch, epoch);
}

int
main(void)
{
	return test_run();
}
