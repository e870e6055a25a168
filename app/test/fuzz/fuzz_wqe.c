/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* WQEs of all kinds on connected queues. Input: link layer, then steps that begin with a kind. */

#include "fuzz.h"

/* What all steps together may do: the engine empties the rings only now and then. */
#define MAX_STEPS 256u

static struct fuzz_world world;

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const fuzz_step steps[] = {
		fuzz_post_send, fuzz_post_send, fuzz_post_send, fuzz_post_recv, fuzz_ring,
		fuzz_consume, fuzz_scribble, fuzz_run,
	};

	fuzz_steps_run(&world, data, size, steps, sizeof(steps) / sizeof(steps[0]), MAX_STEPS);
	return 0;
}
