/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * An Ethernet port whose rules, state and counters change while frames pass, each by a thread of
 * its own, beside the engine. For ThreadSanitizer to look at; without it, a test that each frame
 * that is sent completes, and that all is as it was in the end.
 *
 * A check that fails in another thread ends the program (cmocka: exit_test()).
 */

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "../../../patience.h"
#include "nic.h"

#define NB_FRAMES  400u
#define TAG	   0x123u

static atomic_bool is_over;
/* Turns of those who go on until it is over: each has to be beside the frames. */
enum { RECEIVER, RULES, PORT, NB_OTHERS };
static atomic_uint nb_turns[NB_OTHERS];
static atomic_uint nb_received;
static unsigned int nb_sent;

static void
cqe_wait(struct nic *nic)
{
	const uint64_t deadline = patience_end();

	while (nic_send_cqe(nic) == NULL) {
		assert_true(!patience_is_over(deadline));
		sched_yield();
	}
}

static void
frame_pass(struct nic *from, const struct nic *to)
{
	const struct nic_send how = { 0 };

	nic_frame_fill(frame, to->mac, from->mac);
	nic_post(from, frame, sizeof(frame), &how);
	cqe_wait(from);
}

/*
 * Frames of one port to another, one at a time: it is to be told of each, that is lost or not. The
 * others are there from the first one on, and some arrive.
 */
static void *
sender_main(void *arg)
{
	const uint64_t deadline = patience_end();

	for (unsigned int i = 0; i < NB_OTHERS; i++)
		while (atomic_load(&nb_turns[i]) == 0)
			sched_yield();
	while (nb_sent < NB_FRAMES || atomic_load(&nb_received) == 0) {
		assert_true(!patience_is_over(deadline));
		frame_pass(&all->nic[0], &all->nic[1]);
		nb_sent++;
	}
	return NULL;
}

static void *
receiver_main(void *arg)
{
	struct nic *nic = &all->nic[1];

	nic_recv_post(nic, NIC_WQES);
	while (!atomic_load(&is_over)) {
		if (nic_recv_cqe(nic) != NULL) {
			nic_recv_post(nic, 1);
			atomic_fetch_add(&nb_received, 1);
		}
		atomic_fetch_add(&nb_turns[RECEIVER], 1);
		sched_yield();
	}
	return NULL;
}

static void
entry_delete(struct nic *nic, const struct nic_entry *entry)
{
	uint8_t in[0x40] = { 0 };

	world_put(in, 5, 0, entry->table);
	world_put(in, 8, 0, entry->index);
	assert_int_equal(nic_exec(nic, in, sizeof(in), 0x938, NULL), 0);
}

/* A table in front of the one that takes all: with an entry that tags, drops and goes. */
static void *
rules_main(void *arg)
{
	struct nic *nic = &all->nic[1];
	struct nic_entry entry = { .index = 3, .tag = TAG };
	uint8_t mask[64] = { 0 }, value[64] = { 0 };

	memset(mask + 8, 0xff, 6);
	memcpy(value + 8, nic->mac, 6);
	assert_int_equal(nic_table_exec(nic, 2, 6, nic->table, &entry.table), 0);
	assert_int_equal(nic_group_exec(nic, entry.table, 0, 15, mask, &entry.group), 0);
	entry.value = value;
	while (!atomic_load(&is_over)) {
		entry.dest_type = atomic_load(&nb_turns[RULES]) % 2 == 0 ? 2 : 0;
		entry.dest = nic->tirn;
		entry.counter = world_alloc(nic->hca, 0x939);
		assert_int_equal(nic_root_set(nic, entry.table), 0);
		assert_int_equal(nic_entry_exec(nic, &entry), 0);
		sched_yield();
		entry_delete(nic, &entry);
		assert_int_equal(nic_root_set(nic, nic->table), 0);
		assert_int_equal(world_cmd(nic->hca, 0x93a, entry.counter, NULL), 0);
		assert_int_equal(nic_promisc_set(nic, true, true, false), 0);
		assert_int_equal(nic_promisc_set(nic, false, false, false), 0);
		atomic_fetch_add(&nb_turns[RULES], 1);
	}
	return NULL;
}

/* The cable, the rate and what can be counted. */
static void *
port_main(void *arg)
{
	struct swhca_hca *hca = all->nic[1].hca;
	struct swhca_hca_stats stats;
	struct swhca_port_rate rate = swhca_hca_port_rate_get(hca);

	while (!atomic_load(&is_over)) {
		swhca_hca_port_set(hca, false);
		assert_false(swhca_hca_port_is_up(hca));
		swhca_hca_stats_get(hca, &stats);
		swhca_hca_port_rate_set(hca, &rate);
		swhca_hca_port_set(hca, true);
		atomic_fetch_add(&nb_turns[PORT], 1);
		sched_yield();
	}
	return NULL;
}

CASE_WITH(frames_pass_beside_rules_and_cable, nics_setup, nics_teardown)
{
	void *(*const mains[NB_OTHERS])(void *arg) = { receiver_main, rules_main, port_main };
	const uint64_t deadline = patience_end();
	pthread_t sender, others[NB_OTHERS];

	assert_int_equal(swhca_fabric_start(all->fabric), 0);
	for (unsigned int i = 0; i < NB_OTHERS; i++)
		assert_int_equal(pthread_create(&others[i], NULL, mains[i], NULL), 0);
	assert_int_equal(pthread_create(&sender, NULL, sender_main, NULL), 0);
	assert_int_equal(pthread_join(sender, NULL), 0);
	for (unsigned int i = 0; i < NB_OTHERS; i++)
		while (atomic_load(&nb_turns[i]) < 10)
			sched_yield();
	atomic_store(&is_over, true);
	for (unsigned int i = 0; i < NB_OTHERS; i++)
		assert_int_equal(pthread_join(others[i], NULL), 0);
	assert_in_range(atomic_load(&nb_received), 1, nb_sent);
	/* No rule, and the cable is there. What the receiver did not see any more comes first. */
	while (nic_recv_cqe(&all->nic[1]) != NULL)
		nic_recv_post(&all->nic[1], 1);
	frame_pass(&all->nic[0], &all->nic[1]);
	while (nic_recv_cqe(&all->nic[1]) == NULL) {
		assert_true(!patience_is_over(deadline));
		sched_yield();
	}
	swhca_fabric_stop(all->fabric);
}
