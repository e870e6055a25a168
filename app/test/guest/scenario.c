/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "scenario.h"

#define STEP_IMM	0x01u
#define STEP_LATE	0x02u	/* Receives are posted when the message has been refused once. */
#define STEP_MATCH	0x04u	/* CMP_SWAP: compares with what is there. */

struct step {
	const char *name;
	enum side_op op;
	uint8_t flags;
	uint32_t len;
	uint32_t nb;
};

/* Lengths around one and two packets of path MTU 1024, and many. */
static const struct step steps[] = {
	{ "send of 0 bytes", SIDE_SEND, 0, 0, 1 },
	{ "send of 1 byte", SIDE_SEND, 0, 1, 1 },
	{ "send of 1024 bytes", SIDE_SEND, 0, 1024, 1 },
	{ "send of 1025 bytes", SIDE_SEND, 0, 1025, 1 },
	{ "send of 3 packets, immediate", SIDE_SEND, STEP_IMM, 3000, 1 },
	{ "send of 70000 bytes", SIDE_SEND, 0, 70000, 1 },
	{ "send, immediate", SIDE_SEND, STEP_IMM, 63, 1 },
	{ "send before there is room", SIDE_SEND, STEP_LATE, 2000, 1 },
	{ "32 sends", SIDE_SEND, 0, 600, 32 },
	{ "write of 0 bytes", SIDE_WRITE, 0, 0, 1 },
	{ "write of 7 bytes", SIDE_WRITE, 0, 7, 1 },
	{ "write of 2 packets", SIDE_WRITE, 0, 2048, 1 },
	{ "write of 3 packets, immediate", SIDE_WRITE, STEP_IMM, 2049, 1 },
	{ "write, immediate", SIDE_WRITE, STEP_IMM, 12, 1 },
	{ "write of 300000 bytes", SIDE_WRITE, 0, 300000, 1 },
	{ "32 writes", SIDE_WRITE, 0, 5000, 32 },
	{ "read of 1 byte", SIDE_READ, 0, 1, 1 },
	{ "read of 1024 bytes", SIDE_READ, 0, 1024, 1 },
	{ "read of 3 packets", SIDE_READ, 0, 2500, 1 },
	{ "read of 300000 bytes", SIDE_READ, 0, 300000, 1 },
	{ "32 reads", SIDE_READ, 0, 3000, 32 },
	{ "compare and swap, equal", SIDE_CMP_SWAP, STEP_MATCH, 8, 1 },
	{ "compare and swap, not equal", SIDE_CMP_SWAP, 0, 8, 1 },
	{ "fetch and add", SIDE_FETCH_ADD, 0, 8, 1 },
	{ "32 fetch and add", SIDE_FETCH_ADD, 0, 8, 32 },
};

/* What nobody answers may be lost when there is much of it. */
#define UC_BYTES_MAX	20000u
/* And nobody tells when the last of it has come. */
#define UC_WAIT_NS	2000000000u

#define NB_STEPS ((unsigned int)(sizeof(steps) / sizeof(steps[0])))
#define ATOMIC_SWAP	UINT64_C(0x0123456789abcdef)
#define ATOMIC_ADD	UINT64_C(0x00000001fffffffd)

static uint8_t
byte_of(uint32_t seed, uint32_t i)
{
	return (uint8_t)(seed * 29 + i * 37 + (i >> 8) * 11 + 1);
}

static void
bytes_fill(uint8_t *bytes, uint32_t len, uint32_t seed)
{
	uint32_t i;

	for (i = 0; i < len; i++)
		bytes[i] = byte_of(seed, i);
}

static void
bytes_check(const uint8_t *bytes, uint32_t len, uint32_t seed, const char *what)
{
	uint32_t i;

	for (i = 0; i < len; i++) {
		if (bytes[i] != byte_of(seed, i))
			fail("%s: byte %u of %u is 0x%02x, not 0x%02x", what, i, len, bytes[i],
			     byte_of(seed, i));
	}
}

static void
value_check(uint64_t value, uint64_t expected, const char *what)
{
	if (value != expected)
		fail("%s: 0x%" PRIx64 ", not 0x%" PRIx64, what, value, expected);
}

/* Behind what a step may write nothing is written. */
static void
end_check(const uint8_t *memory, uint32_t len, const char *what)
{
	bytes_check(memory + len, 64, 0x5a, what);
}

static bool
is_atomic(enum side_op op)
{
	return op == SIDE_CMP_SWAP || op == SIDE_FETCH_ADD;
}

static bool
has_receive(const struct step *step)
{
	return step->op == SIDE_SEND || (step->flags & STEP_IMM) != 0;
}

static uint32_t
imm_of(uint32_t seed, uint32_t i)
{
	return 0xa0b00000u + (seed << 8) + i;
}

static uint64_t
atomic_first(uint32_t seed)
{
	return UINT64_C(0x1122334400000000) + seed;
}

static bool
step_is_of(const struct step *step, const struct side *side)
{
	switch (side->service) {
	case SIDE_UD:
		return step->op == SIDE_SEND && step->len <= side->mtu &&
		       (step->flags & STEP_LATE) == 0;
	case SIDE_UC:
		return (step->op == SIDE_SEND || step->op == SIDE_WRITE) &&
		       (step->flags & STEP_LATE) == 0 && step->len * step->nb <= UC_BYTES_MAX;
	case SIDE_RC:
		break;
	}
	return true;
}

static void
receives_post(struct side *side, const struct step *step)
{
	uint32_t i;

	for (i = 0; i < step->nb && has_receive(step); i++)
		side->ops->post_receive(side, side->inbox + (size_t)i * step->len,
					step->op == SIDE_SEND ? step->len : 0);
}

static void
target_prepare(struct side *side, const struct step *step, uint32_t seed)
{
	uint64_t first = atomic_first(seed);
	uint32_t i;

	bytes_fill(side->memory, step->nb * step->len, seed + 1);
	bytes_fill(side->memory + step->nb * step->len, 64, 0x5a);
	for (i = 0; i < step->nb && step->op == SIDE_READ; i++)
		bytes_fill(side->memory + i * step->len, step->len, seed + i);
	if (is_atomic(step->op))
		memcpy(side->memory, &first, sizeof(first));
	if ((step->flags & STEP_LATE) == 0)
		receives_post(side, step);
}

static void
received_check(struct side *side, const struct step *step, uint32_t seed)
{
	struct side_received got;
	uint32_t i;

	for (i = 0; i < step->nb && has_receive(step); i++) {
		got = side->ops->receive(side);
		value_check(got.has_imm, (step->flags & STEP_IMM) != 0, "has immediate data");
		if (got.has_imm)
			value_check(got.imm, imm_of(seed, i), "immediate data");
		value_check(got.len, step->len, "length of a message");
		if (step->op == SIDE_SEND)
			bytes_check(got.data, step->len, seed + i, "message");
	}
}

static void
written_wait(const struct side *side, const struct step *step, uint32_t seed)
{
	const volatile uint8_t *last = side->memory + step->nb * step->len - 1;
	unsigned long long end = time_ns() + UC_WAIT_NS;

	while (step->len != 0 && *last != byte_of(seed + step->nb - 1, step->len - 1) &&
	       time_ns() < end)
		poll(NULL, 0, 1);
}

static void
target_check(struct side *side, const struct step *step, uint32_t seed)
{
	uint64_t value, first = atomic_first(seed);
	uint32_t i;

	received_check(side, step, seed);
	end_check(side->memory, step->nb * step->len, "behind the memory of the step");
	memcpy(&value, side->memory, sizeof(value));
	switch (step->op) {
	case SIDE_SEND:
	case SIDE_READ:
		break;
	case SIDE_WRITE:
		if (side->service == SIDE_UC)
			written_wait(side, step, seed);
		for (i = 0; i < step->nb; i++)
			bytes_check(side->memory + i * step->len, step->len, seed + i, "memory");
		break;
	case SIDE_CMP_SWAP:
		value_check(value, (step->flags & STEP_MATCH) != 0 ? ATOMIC_SWAP : first,
			    "memory");
		break;
	case SIDE_FETCH_ADD:
		value_check(value, first + step->nb * ATOMIC_ADD, "memory");
		break;
	}
}

static void
target_run(struct side *side, const struct step *step, uint32_t seed)
{
	target_prepare(side, step, seed);
	channel_say(&side->channel, "ready");
	if ((step->flags & STEP_LATE) != 0) {
		/* The initiator has posted, and its message is refused by now. */
		channel_expect(&side->channel, "posted");
		unsigned long long end = time_ns() + 50000000u;

		while (time_ns() < end) {
			if (side->channel.idle != NULL)
				side->channel.idle(side->channel.arg);
			else
				poll(NULL, 0, 1);
		}
		receives_post(side, step);
	}
	channel_expect(&side->channel, "done");
	target_check(side, step, seed);
	channel_say(&side->channel, "ok");
}

static void
initiator_post(struct side *side, const struct step *step, uint32_t seed)
{
	struct side_request request = { .op = step->op, .len = step->len };
	uint32_t i;

	request.has_imm = (step->flags & STEP_IMM) != 0;
	request.compare = atomic_first(seed) + ((step->flags & STEP_MATCH) != 0 ? 0 : 1);
	request.swap_add = step->op == SIDE_FETCH_ADD ? ATOMIC_ADD : ATOMIC_SWAP;
	bytes_fill(side->local + step->nb * step->len, 64, 0x5a);
	for (i = 0; i < step->nb; i++) {
		request.local = side->local + i * step->len;
		request.offset = is_atomic(step->op) ? 0 : i * step->len;
		request.imm = imm_of(seed, i);
		bytes_fill(request.local, step->len,
			   step->op == SIDE_SEND || step->op == SIDE_WRITE ? seed + i : seed + 99);
		side->ops->post(side, &request);
	}
}

static void
initiator_check(const struct side *side, const struct step *step, uint32_t seed)
{
	uint64_t old;
	uint32_t i;

	for (i = 0; i < step->nb; i++) {
		if (step->op == SIDE_READ)
			bytes_check(side->local + i * step->len, step->len, seed + i, "answer");
		if (!is_atomic(step->op))
			continue;
		memcpy(&old, side->local + i * step->len, sizeof(old));
		value_check(old, atomic_first(seed) + i * ATOMIC_ADD, "what memory held");
	}
	end_check(side->local, step->nb * step->len, "behind what is local");
}

static void
initiator_run(struct side *side, const struct step *step, uint32_t seed)
{
	uint32_t i;

	channel_expect(&side->channel, "ready");
	initiator_post(side, step, seed);
	if ((step->flags & STEP_LATE) != 0)
		channel_say(&side->channel, "posted");
	for (i = 0; i < step->nb; i++) {
		if (!side->ops->complete(side))
			fail("%s: operation %u of %u failed", step->name, i + 1, step->nb);
	}
	initiator_check(side, step, seed);
	channel_say(&side->channel, "done");
	channel_expect(&side->channel, "ok");
}

void
scenario_run(struct side *side, bool is_first)
{
	unsigned long long start;
	unsigned int i, turn;

	for (i = 0; i < NB_STEPS; i++) {
		for (turn = 0; turn < 2 && step_is_of(&steps[i], side); turn++) {
			start = time_ns();
			if ((turn == 0) == is_first)
				initiator_run(side, &steps[i], i * 2 + turn);
			else
				target_run(side, &steps[i], i * 2 + turn);
			printf("%s %s: %llu us\n", (turn == 0) == is_first ? "own" : "other's",
			       steps[i].name, (time_ns() - start) / 1000);
			fflush(stdout);
		}
	}
}

void
scenario_refusal(struct side *side, bool is_first)
{
	struct side_request request = { .op = SIDE_WRITE, .local = side->local, .len = 3000,
					.has_wrong_key = true };

	bytes_fill(side->memory, 4096, 3);
	if (!is_first) {
		channel_say(&side->channel, "ready");
		channel_expect(&side->channel, "done");
		bytes_check(side->memory, 4096, 3, "memory");
		channel_say(&side->channel, "ok");
		return;
	}
	channel_expect(&side->channel, "ready");
	side->ops->post(side, &request);
	if (side->ops->complete(side))
		fail("a write with a wrong key is done");
	channel_say(&side->channel, "done");
	channel_expect(&side->channel, "ok");
	printf("own write with a wrong key: refused\n");
}

enum side_service
side_service_of(const char *name)
{
	static const char *const names[] = { "rc", "uc", "ud" };
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return (enum side_service)i;
	}
	fail("no service %s: rc, uc, ud", name);
}

void
side_exchange(struct side *side, const struct side_place *own, struct side_place *other)
{
	char line[CHANNEL_LINE], gid[33];
	unsigned int i;

	for (i = 0; i < 16; i++)
		snprintf(gid + 2 * i, 3, "%02x", own->gid[i]);
	channel_say(&side->channel, "%s %x %x %x %" PRIx64, gid, own->qpn, own->psn, own->rkey,
		    own->addr);
	channel_hear(&side->channel, line);
	if (sscanf(line, "%32s %x %x %x %" SCNx64, gid, &other->qpn, &other->psn, &other->rkey,
		   &other->addr) != 5)
		fail("not a place of a queue pair: %s", line);
	for (i = 0; i < 16; i++)
		sscanf(gid + 2 * i, "%2hhx", &other->gid[i]);
}
