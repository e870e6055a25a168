/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Threads of the program that make passes in the place of the engine, which does not run here.
 */

#include "object/fabric.h"
#include "pair.h"

#define NB_PASSES 100

static void
write_post(struct pair *p)
{
	memset(p->w.mem, 0x5a, 64);
	post_mem(p, &p->a, OP_WRITE, 4096, 0, 64);
	world_ring(&p->a);
}

CASES(pass_of_a_program_does_what_it_may)
{
	struct pair *p = next_case(state, "good");
	const struct mlx5_cqe64 *cqe = NULL;
	unsigned int i, nb_work = 0;
	struct swhca_fabric *fabric;

	atomic_store(&p->w.fabric->has_links, true);
	write_post(p);
	for (i = 0; i < NB_PASSES && cqe == NULL; i++) {
		nb_work += swhca_fabric_lend(p->w.fabric);
		cqe = world_send_cqe(&p->a);
	}
	expect_done(cqe, p->a.last);
	assert_in_range(nb_work, 1, NB_PASSES);
	assert_memory_equal(p->w.mem + 4096, p->w.mem, 64);
	assert_int_equal(atomic_load(&p->w.fabric->lent_ns), world_now_ns());
	/* There is an end of it, so that the thread may give the CPU away. */
	for (i = 0; i < NB_PASSES && swhca_fabric_lend(p->w.fabric); i++)
		;
	assert_in_range(i, 0, NB_PASSES - 1);

	/* With queues of one process the engine works at the same time, on another CPU. */
	p = next_case(state, "no links");
	atomic_store(&p->w.fabric->has_links, false);
	write_post(p);
	assert_false(swhca_fabric_lend(p->w.fabric));
	assert_null(world_send_cqe(&p->a));
	assert_int_equal(atomic_load(&p->w.fabric->lent_ns), 0);
	world_run(&p->w);
	expect_done(world_send_cqe(&p->a), p->a.last);

	p = next_case(state, "lock");
	fabric = p->w.fabric;
	atomic_store(&fabric->has_links, true);
	write_post(p);
	swhca_fabric_lock(fabric);
	assert_false(swhca_fabric_lend(fabric));
	swhca_fabric_unlock(fabric);
	assert_null(world_send_cqe(&p->a));
	/* A command waits, and comes first. */
	atomic_store(&fabric->lock.nb_waiting, 1);
	assert_false(swhca_fabric_lend(fabric));
	atomic_store(&fabric->lock.nb_waiting, 0);
	assert_true(swhca_fabric_lend(fabric));
	world_run(&p->w);
	expect_done(world_send_cqe(&p->a), p->a.last);
}

int
main(void)
{
	world_use_packets();
	return cases_run(NULL, NULL);
}
