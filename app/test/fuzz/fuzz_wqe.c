/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* WQEs of all kinds on connected queues. Input: link layer, then steps that begin with a kind. */

#include "fuzz.h"

/* What all steps together may do: the engine empties the rings only now and then. */
#define MAX_STEPS 256u

static struct fuzz_world world;

static void
step(struct fuzz_world *w, struct fuzz_input *in)
{
	switch (fuzz_u8(in) % 8) {
	case 0:
	case 1:
	case 2:
		fuzz_post_send(w, in);
		break;
	case 3:
		fuzz_post_recv(w, in);
		break;
	case 4:
		fuzz_ring(w, in);
		break;
	case 5:
		fuzz_consume(w, in);
		break;
	case 6:
		fuzz_scribble(w, in);
		break;
	default:
		fuzz_world_run(w);
		fuzz_resume(w, in);
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { .data = data, .left = size };
	unsigned int i;

	fuzz_world_create(&world, fuzz_u8(&in) & FUZZ_KINDS);
	fuzz_queues_create(&world);
	fuzz_keys_create(&world);
	for (i = 0; i < MAX_STEPS && in.left > 0; i++)
		step(&world, &in);
	fuzz_world_run(&world);
	fuzz_world_destroy(&world);
	return 0;
}
