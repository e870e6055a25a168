/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/timer.h"
#include "engine/doorbell.h"
#include "engine/engine.h"
#include "engine/sq.h"
#include "eth/eth_queue.h"
#include "queue/cq_event.h"
#include "queue/cq_ring.h"
#include "queue/eq.h"
#include "queue/halt.h"

/* An idle engine first spins, then yields, then sleeps. */
#define NB_IDLE_SPINS	256u
#define NB_IDLE_YIELDS	2048u
/* Idle passes of an engine with links before it waits for packets. */
#define NB_LINK_SPINS	16u
#define IDLE_SLEEP_NS	50000u
#define IDLE_SLACK_NS	1000u
/* Longer than a sleep and a pass: the engine had no CPU. */
#define LATE_NS		UINT64_C(5000000)
/* The engine checks at this interval while threads of the program make passes. */
#define LENT_NS		UINT64_C(500000)

static unsigned int
uar_poll(struct swhca_hca *hca, struct swhca_uar *uar)
{
	unsigned int nb_rung = swhca_doorbells_take(hca, uar);

	if (!LIST_EMPTY(&uar->cqs))
		nb_rung += swhca_cq_poll(hca, uar);
	if (!LIST_EMPTY(&uar->eqs))
		nb_rung += swhca_eq_poll(hca, uar);
	return nb_rung;
}

/* Execute delayed events that are due. */
static unsigned int
late_poll(struct swhca_hca *hca)
{
	unsigned int nb = 0;

	if (!LIST_EMPTY(&hca->late_qps))
		nb += swhca_doorbells_poll_late(hca);
	if (!LIST_EMPTY(&hca->held_cqs))
		nb += swhca_cq_poll_held(hca);
	if (hca->page_faults.has_due)
		nb += swhca_page_faults_poll(hca);
	return nb;
}

/* Check whether a QP must be scheduled again without a doorbell. */
static bool
qp_has_more(const struct swhca_qp *qp, unsigned int nb_done)
{
	return nb_done >= SWHCA_QP_QUANTUM || qp->not_before_ns != 0;
}

/*
 * Execute each ready QP; those that they schedule are executed in the next pass, as are those left
 * when the pass has reached its cost limit.
 */
static unsigned int
ready_run(struct swhca_fabric *fabric)
{
	struct swhca_qp *qp, *last = TAILQ_LAST(&fabric->ready, swhca_ready_list);
	uint64_t end = fabric->cost + SWHCA_COST_TURN;
	unsigned int nb_done, nb_work = 0;

	while ((qp = TAILQ_FIRST(&fabric->ready)) != NULL) {
		/* Not idle, even if no QP has completed anything. */
		if (fabric->cost >= end)
			return nb_work + 1;
		TAILQ_REMOVE(&fabric->ready, qp, ready);
		qp->is_queued = false;
		fabric->cost += SWHCA_COST_RUN;
		/* A halted device schedules all of its QPs when it resumes. */
		nb_done = swhca_hca_is_still(qp->hca) ? 0 : swhca_qp_run(qp);
		nb_work += nb_done;
		if (qp_has_more(qp, nb_done) && !swhca_hca_is_still(qp->hca))
			swhca_qp_schedule(qp);
		if (qp == last)
			break;
	}
	return nb_work;
}

unsigned int
swhca_engine_pass(struct swhca_fabric *fabric)
{
	unsigned int nb_work = 0;
	struct swhca_hca *hca;
	struct swhca_uar *uar;

	LIST_FOREACH(hca, &fabric->hcas, link) {
		swhca_timers_update(&hca->timers);
		if (swhca_still_update(hca))
			continue;
		LIST_FOREACH(uar, &hca->active_uars, active)
			nb_work += uar_poll(hca, uar);
		nb_work += swhca_cq_poll_due(hca);
		nb_work += late_poll(hca);
	}
	nb_work += ready_run(fabric);
	nb_work += swhca_esq_run_all(fabric);
	nb_work += fabric->wire->poll(fabric);
	LIST_FOREACH(hca, &fabric->hcas, link)
		if (!swhca_hca_is_still(hca))
			swhca_cq_flush_all(hca);
	return nb_work;
}

static void
engine_idle(struct swhca_fabric *fabric, unsigned int *nb_idle)
{
	const struct timespec nap = { .tv_nsec = IDLE_SLEEP_NS };
	bool has_links;

	if (*nb_idle < NB_IDLE_SPINS + NB_IDLE_YIELDS)
		(*nb_idle)++;
	/*
	 * Received packets end this wait: yielding would wait for time slices of other threads, and
	 * spinning longer takes the CPU from threads that would ring or send.
	 */
	if (*nb_idle >= NB_LINK_SPINS) {
		has_links = fabric->wire->idle(fabric, IDLE_SLEEP_NS);
		atomic_store_explicit(&fabric->has_links, has_links, memory_order_relaxed);
		if (has_links)
			return;
	}
	if (*nb_idle >= NB_IDLE_SPINS + NB_IDLE_YIELDS)
		nanosleep(&nap, NULL);
	else if (*nb_idle >= NB_IDLE_SPINS)
		syscall(SYS_sched_yield);
}

/* @return true after waiting, as other threads make passes. */
static bool
is_lent(struct swhca_fabric *fabric)
{
	const struct timespec nap = { .tv_nsec = LENT_NS };
	uint64_t lent = atomic_load_explicit(&fabric->lent_ns, memory_order_relaxed);

	if (lent == 0 || swhca_now_ns() - lent >= LENT_NS)
		return false;
	nanosleep(&nap, NULL);
	return true;
}

/** Time without a CPU for the engine, which last ran at *seen_ns. */
static uint64_t
late_ns(uint64_t *seen_ns)
{
	uint64_t now = swhca_now_ns(), gap = now - *seen_ns;

	*seen_ns = now;
	return gap > LATE_NS ? gap - LATE_NS : 0;
}

void *
swhca_engine_main(void *arg)
{
	uint64_t seen_ns = swhca_now_ns(), skipped_ns = 0;
	struct swhca_fabric *fabric = arg;
	unsigned int nb_work, nb_idle = 0;

	/*
	 * Sleeps are short, and the kernel adds 50 us to those of a thread by default (prctl(2)).
	 */
	prctl(PR_SET_TIMERSLACK, IDLE_SLACK_NS);
	if (fabric->dma->enter != NULL)
		fabric->dma->enter(fabric->dma);
	while (!atomic_load_explicit(&fabric->stop, memory_order_relaxed)) {
		fabric->wire->deliver(fabric);
		skipped_ns += late_ns(&seen_ns);
		if (is_lent(fabric))
			continue;
		swhca_lock_take_last(&fabric->lock);
		fabric->skipped_ns += skipped_ns;
		skipped_ns = 0;
		nb_work = swhca_engine_pass(fabric);
		swhca_fabric_unlock(fabric);
		if (nb_work != 0)
			nb_idle = 0;
		else
			engine_idle(fabric, &nb_idle);
	}
	return NULL;
}
