/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Calls of lib/umr with any arguments, the driver and a software HCA behind it. Input: steps, each
 * a byte of which kind, and its arguments.
 *
 * Whatever they are: a function returns what its header says, nothing else; operations that were
 * accepted come back once and in order; no byte changes that no region let a device write; and at
 * the end all goes that was there, with its descriptors and threads.
 */

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>

#include <rte_eal.h>
#include <rte_log.h>

#include "fuzz_api.h"
#include "fuzz_api_errors.h"
#include "fuzz_check.h"

#define MAX_STEPS 128u

static struct api_world world;

/* ---- What functions return ---- */

int
api_ret(const char *function, int ret)
{
	if (ret >= 0)
		return ret;
	for (size_t i = 0; i < RTE_DIM(api_errors); i++) {
		if (strcmp(api_errors[i].name, function) != 0)
			continue;
		if (api_errors[i].is_open && ret > -4096)
			return ret;
		for (size_t j = 0; j < RTE_DIM(api_errors[i].errnos); j++) {
			if (api_errors[i].errnos[j] == -ret)
				return ret;
		}
	}
	FUZZ_BROKEN("%s() returns %d (%s), which its header does not name", function, ret,
		    strerror(-ret));
}

void
api_ptr(const char *function, const void *ptr)
{
	if (ptr == NULL && api_ret(function, -rte_errno) == 0)
		FUZZ_BROKEN("%s() fails without an errno", function);
}

/* ---- Operations ---- */

void
api_posted(struct api_ring *ring, uint8_t op, int ret)
{
	uint16_t at;

	if (ret < 0)
		return;
	if (ret > UINT16_MAX)
		FUZZ_BROKEN("ring index %d", ret);
	if (ring->head - ring->tail > UINT16_MAX)
		FUZZ_BROKEN("more operations are accepted than there are ring indices");
	at = (uint16_t)ring->head++;
	ring->idx[at] = (uint16_t)ret;
	ring->op[at] = op;
}

void
api_done(struct api_ring *ring, const struct rte_umr_completion *done, uint16_t nb)
{
	uint16_t at;

	for (uint16_t i = 0; i < nb; i++) {
		if (ring->tail == ring->head)
			FUZZ_BROKEN("operation %u came back; none is on its way", done[i].idx);
		at = (uint16_t)ring->tail++;
		if (done[i].idx != ring->idx[at])
			FUZZ_BROKEN("operation %u came back, the oldest is %u", done[i].idx,
				    ring->idx[at]);
		/* A receive tells what it took. */
		if (done[i].op != ring->op[at] && done[i].op != RTE_UMR_OP_RECV_WRITE_IMM)
			FUZZ_BROKEN("operation %u was of type %u, and is now %u", done[i].idx,
				    ring->op[at], done[i].op);
		if (done[i].status > RTE_UMR_STATUS_UNKNOWN)
			FUZZ_BROKEN("operation %u: status %u", done[i].idx, done[i].status);
	}
}

/* ---- The process ---- */

/* Once: EAL, memory between two areas that are not there. */
static void
process_init(struct api_world *w)
{
	static char words[][16] = { "fuzz-api", "--no-huge", "--no-shconf", "-m", "64", "--no-pci",
				    "--no-telemetry", "--log-level", "*:1", "-l", "" };
	static char *args[RTE_DIM(words) + 1];
	size_t i;

	for (i = 0; i < RTE_DIM(words); i++)
		args[i] = words[i];
	snprintf(args[i - 1], sizeof(words[0]), "%d", sched_getcpu());
	FUZZ_NEED(rte_eal_init((int)i, args) >= 0);
	rte_log_set_global_level(RTE_LOG_EMERG);
	w->arena = mmap(NULL, 3 * API_ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FUZZ_NEED(w->arena != MAP_FAILED);
	w->arena += API_ARENA;
	FUZZ_NEED(mprotect(w->arena, API_ARENA, PROT_READ | PROT_WRITE) == 0);
}

static uint8_t
pattern(uint32_t i)
{
	return (uint8_t)(i * 31 + (i >> 8) * 7 + 1);
}

static void
memory_check(const struct api_world *w)
{
	for (uint32_t i = 0; i < API_ARENA; i++) {
		if (w->arena[i] != pattern(i) && !w->may_write[i])
			FUZZ_BROKEN("byte 0x%x has changed; no region let a device write it", i);
	}
}

static void
input_begin(struct api_world *w, struct fuzz_input *in)
{
	uint8_t *arena = w->arena;

	memset(w, 0, sizeof(*w));
	w->arena = arena;
	w->in = in;
	for (uint32_t i = 0; i < API_ARENA; i++)
		arena[i] = pattern(i);
	api_bring_up(w);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { .data = data, .left = size };
	static unsigned int nb_process;
	unsigned int nb_left;
	uint8_t kind;

	if (nb_process == 0) {
		process_init(&world);
		/* What is made once, as threads that watch, is made by the first device. */
		input_begin(&world, &in);
		api_take_down(&world);
		nb_process = fuzz_process_most();
	}
	input_begin(&world, &in);
	for (unsigned int i = 0; i < MAX_STEPS && in.left > 0; i++) {
		kind = fuzz_u8(&in);
		if (kind < 0x60)
			api_control_step(&world, kind % API_NB_CONTROL_STEPS);
		else
			api_data_step(&world, kind % API_NB_DATA_STEPS);
	}
	api_take_down(&world);
	memory_check(&world);
	nb_left = fuzz_process_settle(nb_process);
	if (nb_left > nb_process)
		FUZZ_BROKEN("%u descriptors and threads, at most %u before", nb_left, nb_process);
	return 0;
}
