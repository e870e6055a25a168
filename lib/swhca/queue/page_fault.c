/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Page faults that software resolves: events, tokens, and waiting accesses. */

#include <errno.h>
#include <inttypes.h>

#include "base/clock.h"
#include "base/log.h"
#include "queue/eq.h"
#include "queue/page_fault.h"
#include "queue/qp.h"

/* Width of tokens in queue events and in PAGE_FAULT_RESUME; 0 is none. */
#define TOKEN_MASK 0xffffffu

/* Codes of 5 ms and 41 ms (IBTA 9.7.5.2.8); increased while the kernel takes longer. */
#define RNR_TIMER_FIRST 18u
#define RNR_TIMER_LAST 24u

/*
 * Memory scheme (Linux: mlx5_ib_mr_memory_pfault_handler()): pages of 4096 bytes of one key. A
 * token has only one event.
 */
static void
eqe_fill_memory(uint8_t *eqe, uint32_t token, const struct swhca_absent *absent)
{
	uint64_t first = absent->addr & ~(uint64_t)(PRM_ADAPTER_PAGE_SIZE - 1);
	uint64_t last = absent->addr + absent->len - 1;

	prm_set(eqe, PRM_EQE_SUB_TYPE, PRM_PAGE_FAULT_MEMORY);
	prm_set(eqe, PRM_EQE_PF_MEM_FLAGS, PRM_PAGE_FAULT_FLAG_LAST);
	prm_set(eqe, PRM_EQE_PF_MEM_TOKEN_31_0, token);
	prm_set(eqe, PRM_EQE_PF_MEM_DEMAND_PAGES, ((last - first) >> PRM_ADAPTER_PAGE_SHIFT) + 1);
	prm_set(eqe, PRM_EQE_PF_MEM_MKEY, absent->key);
	prm_set(eqe, PRM_EQE_PF_MEM_VA, first);
}

/*
 * Transport scheme: software reads the WQE, or gets the remote request, and maps all of its pages.
 * Nothing was executed, so no bytes are committed.
 */
static void
eqe_fill_transport(uint8_t *eqe, uint32_t token, const struct swhca_page_fault_info *info)
{
	prm_set(eqe, PRM_EQE_SUB_TYPE, info->sub_type);
	prm_set(eqe, PRM_EQE_PF_TYPE, info->type);
	prm_set(eqe, PRM_EQE_PF_PACKET_LENGTH, info->len < UINT16_MAX ? info->len : UINT16_MAX);
	if (info->sub_type == PRM_PAGE_FAULT_WQE) {
		prm_set(eqe, PRM_EQE_PF_WQE_INDEX, info->wqe_index);
		prm_set(eqe, PRM_EQE_PF_WQE_TOKEN, token);
		prm_set(eqe, PRM_EQE_PF_WQE_WQ_NUM, info->wq_num);
	} else {
		prm_set(eqe, PRM_EQE_PF_RDMA_R_KEY, info->rkey);
		prm_set(eqe, PRM_EQE_PF_RDMA_OP_LEN, info->len);
		prm_set(eqe, PRM_EQE_PF_RDMA_VA, info->va);
		prm_set(eqe, PRM_EQE_PF_RDMA_TOKEN, token);
	}
}

static uint32_t
token_next(struct swhca_page_faults *all)
{
	all->last_token = (all->last_token + 1) & TOKEN_MASK;
	if (all->last_token == 0)
		all->last_token = 1;
	return all->last_token;
}

/* Software has resumed exactly this fault with an error. */
static bool
has_failed(const struct swhca_page_fault *fault, const struct swhca_absent *absent)
{
	return fault->state == SWHCA_PAGE_FAULT_FAILED && fault->absent.key == absent->key &&
	       fault->absent.addr == absent->addr;
}

/* The page is present and counted, but the access waits. */
static void
resume_later(struct swhca_page_faults *all, struct swhca_page_fault *fault,
	     const struct swhca_page_fault_info *info, uint32_t delay_us)
{
	*fault = (struct swhca_page_fault){
		.state = SWHCA_PAGE_FAULT_PENDING,
		.absent = all->absent,
		.token = token_next(all),
		.due_ns = swhca_now_ns() + delay_us * UINT64_C(1000),
		.qp = info->qp,
	};
	all->has_due = true;
	LIST_INSERT_HEAD(&all->pending, fault, link);
}

enum swhca_fault
swhca_page_fault(struct swhca_hca *hca, struct swhca_page_fault *fault,
		 const struct swhca_page_fault_info *info)
{
	struct swhca_page_faults *all = &hca->page_faults;
	uint8_t eqe[PRM_EQE_SIZE] = { 0 };
	uint32_t delay_us = all->delay_us;

	all->delay_us = 0;
	if (fault->state == SWHCA_PAGE_FAULT_PENDING) {
		if (fault->nb_asked < UINT8_MAX)
			fault->nb_asked++;
		return SWHCA_FAULT_ABSENT;
	}
	if (has_failed(fault, &all->absent)) {
		fault->state = SWHCA_PAGE_FAULT_NONE;
		return SWHCA_FAULT_PAGE;
	}
	if (delay_us != 0) {
		resume_later(all, fault, info, delay_us);
		return SWHCA_FAULT_ABSENT;
	}
	hca->stats.nb_page_faults++;
	*fault = (struct swhca_page_fault){ .absent = all->absent, .qp = info->qp };
	fault->token = token_next(all);
	if (all->by_memory)
		eqe_fill_memory(eqe, fault->token, &fault->absent);
	else
		eqe_fill_transport(eqe, fault->token, info);
	if (!swhca_event_raise_eqe(hca, PRM_EVENT_PAGE_FAULT, eqe)) {
		SWHCA_LOG(WARNING, "key 0x%x: page fault at 0x%" PRIx64 ": no EQ takes it",
			  fault->absent.key, fault->absent.addr);
		return SWHCA_FAULT_PAGE;
	}
	SWHCA_LOG(DEBUG, "key 0x%x: page fault 0x%x at 0x%" PRIx64 ", %" PRIu64 " bytes",
		  fault->absent.key, fault->token, fault->absent.addr, fault->absent.len);
	fault->state = SWHCA_PAGE_FAULT_PENDING;
	LIST_INSERT_HEAD(&all->pending, fault, link);
	return SWHCA_FAULT_ABSENT;
}

void
swhca_page_fault_cancel(struct swhca_page_fault *fault)
{
	if (fault->state == SWHCA_PAGE_FAULT_PENDING)
		LIST_REMOVE(fault, link);
	fault->state = SWHCA_PAGE_FAULT_NONE;
}

int
swhca_page_fault_resume(struct swhca_hca *hca, uint64_t token, bool is_error)
{
	struct swhca_page_faults *all = &hca->page_faults;
	struct swhca_page_fault *fault;

	LIST_FOREACH(fault, &all->pending, link) {
		if (fault->token != token)
			continue;
		LIST_REMOVE(fault, link);
		fault->state = is_error ? SWHCA_PAGE_FAULT_FAILED : SWHCA_PAGE_FAULT_NONE;
		if (fault->qp != NULL)
			swhca_qp_schedule(fault->qp);
		return 0;
	}
	/* Its queue may have been reset or destroyed meanwhile. */
	return token != 0 && token <= all->last_token ? 0 : -ENOENT;
}

unsigned int
swhca_page_faults_poll(struct swhca_hca *hca)
{
	struct swhca_page_faults *all = &hca->page_faults;
	struct swhca_page_fault *fault, *next;
	uint64_t now = swhca_now_ns();
	unsigned int nb = 0;

	all->has_due = false;
	for (fault = LIST_FIRST(&all->pending); fault != NULL; fault = next) {
		next = LIST_NEXT(fault, link);
		if (fault->due_ns == 0)
			continue;
		if (now < fault->due_ns) {
			all->has_due = true;
			continue;
		}
		swhca_page_fault_cancel(fault);
		if (fault->qp != NULL)
			swhca_qp_schedule(fault->qp);
		nb++;
	}
	return nb;
}

uint8_t
swhca_page_fault_rnr_timer(const struct swhca_page_fault *fault, uint8_t min_rnr_nak)
{
	unsigned int code = RNR_TIMER_FIRST + fault->nb_asked;

	if (code > RNR_TIMER_LAST)
		code = RNR_TIMER_LAST;
	/* Code 0 is the longest. */
	return min_rnr_nak == 0 || min_rnr_nak > code ? min_rnr_nak : (uint8_t)code;
}
