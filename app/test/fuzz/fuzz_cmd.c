/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Commands, one behind the other, to one of two devices that are as new. The first byte says of
 * which kind. Each command is an opcode, a length, and the dwords of the mailbox that are not zero:
 *
 *   u8 device, u8 output size, u16 opcode, u16 input length, edits as fuzz_edit() reads them
 */

#include "fuzz.h"

/* Long enough for any fixed part and the page lists behind them. */
#define MAX_IN	0x1010u
#define MAX_OUT 0x1010u

static struct fuzz_world world;

static void
command(struct fuzz_world *w, struct fuzz_input *in)
{
	static uint8_t box[MAX_IN], out[MAX_OUT];
	struct fuzz_hca *h = fuzz_pick_hca(w, in);
	uint8_t size = fuzz_u8(in);
	uint16_t opcode = fuzz_u16(in);
	size_t in_len = fuzz_u16(in) % (MAX_IN + 1);
	/* 0: enough for any. */
	size_t out_len = size == 0 ? MAX_OUT : size * (size_t)4;

	memset(box, 0, in_len);
	if (in_len >= 4)
		prm_dword_set(box, 0, (uint32_t)opcode << 16);
	fuzz_edit(in, box, in_len);
	fuzz_cmd(h, box, in_len, out, out_len);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { .data = data, .left = size };
	unsigned int nb = 0;

	fuzz_world_create(&world, fuzz_u8(&in));
	while (in.left > 0) {
		command(&world, &in);
		if (++nb % 8 == 0)
			swhca_fabric_poll(world.fabric);
	}
	fuzz_world_run(&world);
	fuzz_world_destroy(&world);
	return 0;
}
