/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Devices that are lost: who is told, how often, and what such a device rejects. */

#include <pthread.h>
#include <semaphore.h>

#include "fake.h"

#define LOST RTE_UMR_DEV_EVENT_LOST

/* What a callback has seen. */
struct seen {
	unsigned int nb;
	int16_t dev_id;
	uint8_t status;
	int ret; /* of what it tried */
};

static void
note(int16_t dev_id, enum rte_umr_dev_event event, void *arg)
{
	struct seen *seen = arg;

	assert_int_equal(event, LOST);
	seen->nb++;
	seen->dev_id = dev_id;
	assert_int_equal(rte_umr_dev_status(dev_id, &seen->status), 0);
}

FAKE_CASE(each_is_told_once)
{
	struct seen a = { 0 }, b = { 0 };
	uint8_t status = RTE_UMR_DEV_STATUS_SILENT;
	int16_t id = fake_probed(), other;

	assert_int_equal(rte_umr_dev_status(id, &status), 0);
	assert_int_equal(status, RTE_UMR_DEV_STATUS_OK);
	assert_int_equal(rte_umr_dev_callback_register(id, LOST, note, &a), 0);
	assert_int_equal(rte_umr_dev_callback_register(id, LOST, note, &a), -EEXIST);
	assert_int_equal(rte_umr_dev_callback_register(id, LOST, note, &b), 0);
	fake_lose(fake.dev, RTE_UMR_DEV_STATUS_SILENT);
	fake_lose(fake.dev, RTE_UMR_DEV_STATUS_FAILED);
	assert_int_equal(a.nb, 1);
	assert_int_equal(b.nb, 1);
	assert_int_equal(a.dev_id, id);
	assert_int_equal(a.status, RTE_UMR_DEV_STATUS_SILENT);
	/* Another device has nothing to do with it. */
	assert_int_equal(rte_umr_dev_probe("fake1", &other), 0);
	assert_int_equal(rte_umr_dev_status(other, &status), 0);
	assert_int_equal(status, RTE_UMR_DEV_STATUS_OK);
	fake_lose(fake.dev, RTE_UMR_DEV_STATUS_FAILED);
	assert_int_equal(a.nb, 1);
}

FAKE_CASE(who_unregistered_is_not_told)
{
	struct seen a = { 0 }, b = { 0 };
	int16_t id = fake_probed();

	assert_int_equal(rte_umr_dev_callback_unregister(id, LOST, note, &a), -ENOENT);
	assert_int_equal(rte_umr_dev_callback_register(id, LOST, note, &a), 0);
	assert_int_equal(rte_umr_dev_callback_register(id, LOST, note, &b), 0);
	assert_int_equal(rte_umr_dev_callback_unregister(id, LOST, note, &a), 0);
	assert_int_equal(rte_umr_dev_callback_unregister(id, LOST, note, &a), -ENOENT);
	fake_lose(fake.dev, RTE_UMR_DEV_STATUS_FAILED);
	assert_int_equal(a.nb, 0);
	assert_int_equal(b.nb, 1);
	/* The next device of that number starts anew. */
	assert_int_equal(rte_umr_dev_close(id), 0);
	assert_int_equal(fake_probed(), id);
	fake_lose(fake.dev, RTE_UMR_DEV_STATUS_FAILED);
	assert_int_equal(b.nb, 1);
}

FAKE_CASE(wrong_arguments_are_rejected)
{
	const enum rte_umr_dev_event none = RTE_UMR_DEV_EVENT_RECOVERY_FAILED + 1;
	struct seen a = { 0 };
	uint8_t status;
	int16_t id = fake_probed();

	assert_int_equal(rte_umr_dev_status(id, NULL), -EINVAL);
	assert_int_equal(rte_umr_dev_status(id + 1, &status), -ENODEV);
	assert_int_equal(rte_umr_dev_callback_register(id, LOST, NULL, &a), -EINVAL);
	assert_int_equal(rte_umr_dev_callback_register(id, none, note, &a), -EINVAL);
	assert_int_equal(rte_umr_dev_callback_register(id + 1, LOST, note, &a), -ENODEV);
	assert_int_equal(rte_umr_dev_callback_unregister(id, LOST, NULL, &a), -EINVAL);
	assert_int_equal(rte_umr_dev_callback_unregister(id, none, note, &a), -EINVAL);
	assert_int_equal(rte_umr_dev_callback_unregister(-1, LOST, note, &a), -ENODEV);
	assert_string_equal(rte_umr_dev_status_name(RTE_UMR_DEV_STATUS_SILENT), "silent");
	assert_string_equal(rte_umr_dev_status_name(77), "unknown");
}

static void
unregister_itself(int16_t dev_id, enum rte_umr_dev_event event, void *arg)
{
	((struct seen *)arg)->ret =
		rte_umr_dev_callback_unregister(dev_id, event, unregister_itself, arg);
}

static void
close_device(int16_t dev_id, enum rte_umr_dev_event event __rte_unused, void *arg)
{
	((struct seen *)arg)->ret = rte_umr_dev_close(dev_id);
}

FAKE_CASE(callback_cannot_take_away_what_it_stands_on)
{
	struct seen a = { 0 }, b = { 0 }, c = { 0 };
	int16_t id = fake_probed();

	assert_int_equal(rte_umr_dev_callback_register(id, LOST, unregister_itself, &a), 0);
	assert_int_equal(rte_umr_dev_callback_register(id, LOST, close_device, &b), 0);
	assert_int_equal(rte_umr_dev_callback_register(id, LOST, note, &c), 0);
	fake_lose(fake.dev, RTE_UMR_DEV_STATUS_FAILED);
	assert_int_equal(a.ret, -EAGAIN);
	assert_int_equal(b.ret, -EBUSY);
	assert_int_equal(c.nb, 1);
	assert_int_equal(fake.nb_close, 0);
	assert_int_equal(rte_umr_dev_callback_unregister(id, LOST, unregister_itself, &a), 0);
	assert_int_equal(rte_umr_dev_close(id), 0);
}

static sem_t entered, may_leave;

static void
wait_there(int16_t dev_id __rte_unused, enum rte_umr_dev_event event __rte_unused,
	   void *arg __rte_unused)
{
	sem_post(&entered);
	sem_wait(&may_leave);
}

static void *
lose(void *dev)
{
	fake_lose(dev, RTE_UMR_DEV_STATUS_FAILED);
	return NULL;
}

FAKE_CASE(callback_that_runs_is_not_unregistered)
{
	int16_t id = fake_probed();
	struct seen a = { 0 };
	pthread_t thread;

	sem_init(&entered, 0, 0);
	sem_init(&may_leave, 0, 0);
	assert_int_equal(rte_umr_dev_callback_register(id, LOST, wait_there, NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, lose, fake.dev), 0);
	sem_wait(&entered);
	assert_int_equal(rte_umr_dev_callback_unregister(id, LOST, wait_there, NULL), -EAGAIN);
	/* Nobody waits for it, and who comes now is called, too. */
	assert_int_equal(rte_umr_dev_callback_register(id, LOST, note, &a), 0);
	sem_post(&may_leave);
	pthread_join(thread, NULL);
	assert_int_equal(a.nb, 1);
	assert_int_equal(rte_umr_dev_callback_unregister(id, LOST, wait_there, NULL), 0);
}

FAKE_CASE(lost_device_takes_nothing_new)
{
	const struct rte_umr_dev_conf two_queues = { .nb_queues = 2 };
	const struct rte_umr_queue_conf rc = { .transport = RTE_UMR_TRANSPORT_RC, .nb_desc = 64 };
	struct rte_umr_endpoint remote = { .mtu = 5 };
	int16_t id = fake_probed();

	assert_int_equal(rte_umr_dev_configure(id, &two_queues), 0);
	assert_int_equal(rte_umr_queue_setup(id, 0, &rc), 0);
	assert_int_equal(rte_umr_queue_setup(id, 1, &rc), 0);
	assert_int_equal(rte_umr_dev_start(id), 0);
	fake_lose(fake.dev, RTE_UMR_DEV_STATUS_SILENT);
	assert_int_equal(rte_umr_queue_connect(id, 0, &remote), -EIO);
	assert_int_equal(fake.nb_connect, 0);
	assert_int_equal(rte_umr_dev_stop(id), 0);
	assert_int_equal(rte_umr_dev_start(id), -EIO);
	assert_int_equal(fake.nb_start, 1);
	assert_int_equal(rte_umr_queue_setup(id, 0, &rc), -EIO);
	assert_int_equal(fake.nb_setup, 2);
	/* What there is can be given back. */
	assert_int_equal(rte_umr_dev_close(id), 0);
	assert_int_equal(fake.nb_release, 2);
	id = fake_probed();
	assert_int_equal(rte_umr_dev_configure(id, &two_queues), 0);
	assert_int_equal(rte_umr_queue_setup(id, 0, &rc), 0);
}

int
main(void)
{
	fake_register();
	return cases_run(NULL, NULL);
}
