/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Management datagrams from anywhere, to the agents of a port and to the subnet's manager, whose
 * multicast groups come and go. Each is a byte that says to whom, and by which of two ports, and
 * 256 bytes.
 */

#include "fuzz.h"
#include "mad/mad_responder.h"
#include "object/hca_state.h"

#define TO_PORT		0x01u
#define OF_SECOND	0x02u
#define RESETS		0x80u

#define METHOD(mad) ((mad)[3])
#define IS_RESPONSE 0x80u

static struct fuzz_world world;

static void
datagram(struct fuzz_world *w, struct fuzz_input *in)
{
	uint8_t mad[SWHCA_MAD_LEN] = { 0 }, out[SWHCA_MAD_LEN];
	uint8_t how = fuzz_u8(in);
	struct swhca_hca *hca = w->hcas[how & OF_SECOND ? 1 : 0].hca;
	unsigned int nb = 0;
	bool has_answer;

	fuzz_bytes(in, mad, sizeof(mad));
	swhca_fabric_lock(w->fabric);
	has_answer = how & TO_PORT ? swhca_mad_port_answer(hca, mad, out) :
				     swhca_mad_manager_answer(hca, mad, 0, out);
	/* Answers of several datagrams end. */
	while (has_answer && (how & TO_PORT) == 0 &&
	       swhca_mad_manager_answer(hca, mad, nb + 1, out))
		FUZZ_NEED(++nb < 64);
	swhca_fabric_unlock(w->fabric);
	/* Nobody answers an answer: two agents would never stop. */
	FUZZ_NEED(!has_answer ||
		  ((METHOD(mad) & IS_RESPONSE) == 0 && (METHOD(out) & IS_RESPONSE) != 0));
	if (how & RESETS)
		swhca_hca_reset(hca);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { .data = data, .left = size };

	fuzz_world_create(&world, 0);
	while (in.left > 0)
		datagram(&world, &in);
	fuzz_world_destroy(&world);
	return 0;
}
