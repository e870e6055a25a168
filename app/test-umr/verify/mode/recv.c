/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "verify/bed/layout.h"
#include "verify/mode/modes.h"

#define MAX_MESSAGES	8u
#define MAX_SEGS	4u
#define MAX_LEN		4096u
#define NB_RECV_DESC	64u
/* Each segment has its own place in the layout area, each message one in the flat area. */
#define SEG_PLACE	(2 * MAX_LEN)
#define MESSAGE_PLACE	(2 * MAX_LEN)
#define BAD_LKEY	0xdead0042u

enum recv_kind {
	RECV_SEND,
	RECV_SEND_IMM,
	RECV_WRITE_IMM,		/* consumes the receive, not its memory */
	RECV_NB_KINDS,
};

/* Reason why the last message of a case fails. */
enum recv_error {
	RECV_NO_ERROR,
	RECV_TOO_LONG,		/* longer than its receive */
	RECV_BAD_KEY,		/* its receive has an invalid key */
	RECV_NB_ERRORS,
};

struct recv_seg {
	uint32_t offset;	/* in the layout area */
	uint32_t len;
};

struct recv_message {
	enum recv_kind kind;
	bool is_inline;		/* sent with RTE_UMR_OP_F_INLINE */
	uint32_t len;
	uint32_t source;	/* offset in the flat area */
	uint32_t noise_offset;
	rte_be32_t imm;
	uint32_t nb_segs;
	struct recv_seg segs[MAX_SEGS];
};

struct recv_case {
	const struct bed_path *path;
	uint32_t nb_messages;
	struct recv_message messages[MAX_MESSAGES];
	enum recv_error error;
	bool has_rejection;
	bool by_status;
};

/* Every second queue disables inline receives. */
static bool
is_queue_inline(uint16_t queue_id)
{
	return queue_id % 2 == 0;
}

static void
recv_queue_conf(const struct bed_side *side, uint16_t queue_id, bool is_extra,
		struct rte_umr_queue_conf *conf)
{
	RTE_SET_USED(is_extra);
	conf->nb_recv_desc = RTE_MIN(NB_RECV_DESC, side->info.max_recv_desc);
	conf->max_recv_segs = RTE_MIN(MAX_SEGS, side->info.max_recv_segs);
	conf->flags = is_queue_inline(queue_id) ? 0 : RTE_UMR_QUEUE_F_NO_RECV_INLINE;
}

static const struct bed_conf recv_bed = { .queue_conf = recv_queue_conf };

/* Maximum number of bytes in a completion of this queue. */
static uint32_t
max_in_cqe(const struct bed_end *end)
{
	return is_queue_inline(end->queue_id) ? end->side->info.max_recv_inline : 0;
}

static uint32_t
length_gen(struct prng *prng)
{
	if (prng_one_in(prng, 8))
		return 0;
	/* Half of the lengths are close to the maximum of a completion. */
	return prng_one_in(prng, 2) ? (uint32_t)prng_between(prng, 1, 40) :
				      (uint32_t)prng_log(prng, MAX_LEN);
}

/* Generate segments that hold the message, often with some bytes to spare. */
static void
segs_gen(struct recv_message *msg, struct prng *prng, uint32_t m, uint32_t max_segs)
{
	uint32_t left = msg->len;

	msg->nb_segs = (uint32_t)prng_between(prng, 1, RTE_MIN(MAX_SEGS, max_segs));
	for (uint32_t i = 0; i < msg->nb_segs; i++) {
		struct recv_seg *seg = &msg->segs[i];
		uint32_t place = BED_GUARD + (m * MAX_SEGS + i) * SEG_PLACE;
		uint32_t part = i == msg->nb_segs - 1 ? left :
							(uint32_t)prng_between(prng, 0, left);

		left -= part;
		seg->len = part;
		if (i == msg->nb_segs - 1 && prng_one_in(prng, 2))
			seg->len += (uint32_t)prng_between(prng, 0, 64);
		/* Segments must not be empty; this one then takes a byte of the next one. */
		if (seg->len == 0)
			seg->len = 1;
		seg->offset = place + (uint32_t)prng_between(prng, 0, SEG_PLACE - seg->len);
	}
}

static void
message_gen(struct recv_case *vc, struct prng *prng, uint32_t m)
{
	const struct rte_umr_dev_info *from = &vc->path->initiator.side->info;
	const struct rte_umr_dev_info *to = &vc->path->target.side->info;
	struct recv_message *msg = &vc->messages[m];

	msg->kind = (enum recv_kind)prng_between(prng, 0, RECV_NB_KINDS - 1);
	msg->len = length_gen(prng);
	msg->is_inline = msg->len <= from->max_inline && prng_one_in(prng, 2);
	msg->imm = (rte_be32_t)prng_next(prng);
	msg->source = BED_GUARD + m * MESSAGE_PLACE +
		      (uint32_t)prng_between(prng, 0, MESSAGE_PLACE - MAX_LEN);
	msg->noise_offset = (uint32_t)prng_between(prng, 0, VERIFY_NOISE_SIZE - MAX_LEN);
	segs_gen(msg, prng, m, to->max_recv_segs);
}

static void
error_gen(struct recv_case *vc, struct prng *prng)
{
	struct recv_message *msg = &vc->messages[vc->nb_messages - 1];

	vc->error = (enum recv_error)prng_between(prng, 1, RECV_NB_ERRORS - 1);
	if (msg->kind == RECV_WRITE_IMM)
		msg->kind = RECV_SEND;
	if (vc->error == RECV_BAD_KEY && msg->len == 0)
		msg->len = 1;
	if (vc->error == RECV_TOO_LONG) {
		msg->nb_segs = 1;
		msg->len = RTE_MAX(msg->len, 2u);
		msg->segs[0].len = msg->len - 1;
	}
}

static void
recv_gen(void *what, const struct verify_env *env, struct prng *prng)
{
	struct recv_case *vc = what;

	vc->path = &env->bed->paths[prng_between(prng, 0, env->bed->nb_paths - 1u)];
	vc->nb_messages = (uint32_t)prng_between(prng, 1, MAX_MESSAGES);
	for (uint32_t m = 0; m < vc->nb_messages; m++)
		message_gen(vc, prng, m);
	if (prng_one_in(prng, 6))
		error_gen(vc, prng);
	vc->has_rejection = prng_one_in(prng, 4);
	vc->by_status = prng_one_in(prng, 2);
}

static void
recv_print(FILE *f, const char *prefix, const void *what)
{
	static const char *const kinds[] = {
		"send", "send with immediate", "write with immediate",
	};
	static const char *const errors[] = { "", "is longer than its receive",
					      "has a receive with a key that does not exist" };
	const struct recv_case *vc = what;
	const struct bed_end *to = &vc->path->target;

	fprintf(f, "%s%s queue %u to %s queue %u, whose completions carry %u bytes\n", prefix,
		vc->path->initiator.side->info.dev_name, vc->path->initiator.queue_id,
		to->side->info.dev_name, to->queue_id, max_in_cqe(to));
	for (uint32_t m = 0; m < vc->nb_messages; m++) {
		const struct recv_message *msg = &vc->messages[m];

		fprintf(f, "%s%s%s of %u bytes into", prefix, kinds[msg->kind],
			msg->is_inline ? " inline" : "", msg->len);
		for (uint32_t i = 0; i < msg->nb_segs; i++)
			fprintf(f, " 0x%05x+%u", msg->segs[i].offset, msg->segs[i].len);
		fputc('\n', f);
	}
	if (vc->error != RECV_NO_ERROR)
		fprintf(f, "%sthe last one %s\n", prefix, errors[vc->error]);
}

static bool
is_bad(const struct recv_case *vc, uint32_t m)
{
	return vc->error != RECV_NO_ERROR && m == vc->nb_messages - 1;
}

/* Fill sources with fresh bytes and compute the expected segments byte by byte. */
static void
memory_prepare(const struct recv_case *vc, const uint8_t *noise)
{
	const struct bed_area *source = &vc->path->initiator.side->flat;
	const struct bed_area *target = &vc->path->target.side->layout;

	for (uint32_t m = 0; m < vc->nb_messages; m++) {
		const struct recv_message *msg = &vc->messages[m];
		uint32_t n = 0;

		memcpy(source->memory + msg->source, noise + msg->noise_offset, msg->len);
		memcpy(source->expected + msg->source, noise + msg->noise_offset, msg->len);
		for (uint32_t i = 0; i < msg->nb_segs && msg->kind != RECV_WRITE_IMM &&
				     !is_bad(vc, m); i++)
			for (uint32_t b = 0; b < msg->segs[i].len && n < msg->len; b++)
				target->expected[msg->segs[i].offset + b] =
					noise[msg->noise_offset + n++];
	}
}

static struct rte_umr_seg
target_seg(const struct recv_case *vc, const struct recv_seg *seg, uint32_t i)
{
	return verify_layout_seg(vc->path->target.side, seg->offset, seg->len, i);
}

/* Indices of receives are consecutive. */
static bool
receives_post(const struct recv_case *vc, struct verify_ops *ops, uint16_t *first)
{
	for (uint32_t m = 0; m < vc->nb_messages; m++) {
		const struct recv_message *msg = &vc->messages[m];
		struct rte_umr_seg segs[MAX_SEGS];
		int ret;

		for (uint32_t i = 0; i < msg->nb_segs; i++)
			segs[i] = target_seg(vc, &msg->segs[i], i);
		if (vc->error == RECV_BAD_KEY && is_bad(vc, m))
			segs[0].lkey = BAD_LKEY;
		ret = rte_umr_recv(ops->dev_id, ops->queue_id, segs, msg->nb_segs, 0);
		if (m == 0 && ret >= 0)
			*first = (uint16_t)ret;
		if (!verify_ops_check(ops, ret >= 0, "a receive was rejected") ||
		    !verify_ops_check(ops, ret == (uint16_t)(*first + m),
				      "indices of receives do not follow each other"))
			return false;
	}
	return true;
}

static bool
rejections_try(const struct recv_case *vc, struct verify_ops *ops)
{
	const struct bed_end *end = &vc->path->target;
	struct rte_umr_seg segs[MAX_SEGS + 1];
	struct rte_umr_mkey *mkey;
	bool is_good;
	int ret;

	for (uint32_t i = 0; i < MAX_SEGS + 1; i++)
		segs[i] = target_seg(vc, &vc->messages[0].segs[0], 0);
	ret = rte_umr_recv(ops->dev_id, ops->queue_id, segs, MAX_SEGS + 1, 0);
	if (!verify_ops_rejected(ops, ret, -E2BIG, "a receive of too many segments"))
		return false;
	segs[0].length = 0;
	ret = rte_umr_recv(ops->dev_id, ops->queue_id, segs, 1, 0);
	if (!verify_ops_rejected(ops, ret, -EINVAL, "a receive with an empty segment"))
		return false;
	mkey = rte_umr_mkey_get(end->side->pool);
	if (mkey == NULL || max_in_cqe(end) == 0) {
		is_good = verify_ops_check(ops, mkey != NULL, "no key left in the pool");
	} else {
		segs[0] = (struct rte_umr_seg){ .addr = 0, .length = 8, .lkey = mkey->key };
		ret = rte_umr_recv(ops->dev_id, ops->queue_id, segs, 1, 0);
		is_good = verify_ops_rejected(ops, ret, -ENOTSUP, "an inline receive into a key");
	}
	if (mkey != NULL)
		rte_umr_mkey_put(end->side->pool, mkey);
	return is_good;
}

static bool
message_send(const struct recv_case *vc, struct verify_ops *ops, const struct recv_message *msg)
{
	struct rte_umr_seg local = verify_flat_seg(ops->side, msg->source, msg->len);
	uint64_t flags = msg->is_inline ? RTE_UMR_OP_F_INLINE : 0;
	int ret;

	if (msg->is_inline)
		local.lkey = BAD_LKEY;
	switch (msg->kind) {
	case RECV_SEND:
		ret = rte_umr_send(ops->dev_id, ops->queue_id, &local, flags);
		break;
	case RECV_SEND_IMM:
		ret = rte_umr_send_imm(ops->dev_id, ops->queue_id, &local, msg->imm, flags);
		break;
	default:
		/* Write 0 bytes; only the immediate is checked. */
		ret = rte_umr_write_imm(ops->dev_id, ops->queue_id, &(struct rte_umr_seg){ 0 }, 0,
					vc->path->target.side->flat_mr->rkey, msg->imm, flags);
		return verify_ops_add(ops, ret, RTE_UMR_OP_WRITE, 0);
	}
	return verify_ops_add(ops, ret, RTE_UMR_OP_SEND, msg->len);
}

/* Whether the sender learns that the last message failed. */
static bool
is_queue_failed(const struct recv_case *vc)
{
	return vc->error != RECV_NO_ERROR &&
	       vc->messages[vc->nb_messages - 1].len > max_in_cqe(&vc->path->target);
}

static bool
messages_send(const struct recv_case *vc, struct verify_ops *ops)
{
	for (uint32_t m = 0; m < vc->nb_messages; m++)
		if (!message_send(vc, ops, &vc->messages[m]))
			return false;
	if (is_queue_failed(vc))
		verify_ops_expect(ops, vc->error == RECV_TOO_LONG ? RTE_UMR_STATUS_REMOTE_INVALID :
								    RTE_UMR_STATUS_REMOTE_OP);
	return verify_ops_wait(ops);
}

static bool
receive_check(const struct recv_case *vc, struct verify_ops *ops, uint32_t m,
	      const struct rte_umr_completion *done, uint16_t idx)
{
	const struct recv_message *msg = &vc->messages[m];
	bool has_imm = msg->kind != RECV_SEND;
	enum rte_umr_status status = RTE_UMR_STATUS_SUCCESS;

	if (is_bad(vc, m))
		status = vc->error == RECV_TOO_LONG ? RTE_UMR_STATUS_LOCAL_LENGTH :
						      RTE_UMR_STATUS_LOCAL_PROT;
	if (!verify_ops_check(ops, done->idx == idx, "a receive came back out of order") ||
	    !verify_ops_check(ops, done->status == status, "a receive ended in another way"))
		return false;
	if (status != RTE_UMR_STATUS_SUCCESS)
		return true;
	return verify_ops_check(ops, done->op == (msg->kind == RECV_WRITE_IMM ?
						  RTE_UMR_OP_RECV_WRITE_IMM : RTE_UMR_OP_RECV),
				"a receive came back with another type") &&
	       verify_ops_check(ops, done->length == (msg->kind == RECV_WRITE_IMM ? 0 : msg->len),
				"a receive came back with another length") &&
	       verify_ops_check(ops, done->flags == (has_imm ? RTE_UMR_COMPLETION_F_IMM : 0) &&
					     (!has_imm || done->imm == msg->imm),
				"a receive came back with another immediate");
}

static bool
receives_collect(const struct recv_case *vc, struct verify_ops *ops, uint16_t first)
{
	struct rte_umr_completion done[MAX_MESSAGES];

	if (!verify_ops_recv_wait(ops, done, (uint16_t)vc->nb_messages))
		return false;
	for (uint32_t m = 0; m < vc->nb_messages; m++)
		if (!receive_check(vc, ops, m, &done[m], (uint16_t)(first + m)))
			return false;
	return true;
}

/* A failed message may have written some of its bytes, but only to its segments. */
static void
accept_partial(const struct recv_case *vc)
{
	const struct recv_message *msg = &vc->messages[vc->nb_messages - 1];
	const struct bed_area *area = &vc->path->target.side->layout;

	for (uint32_t i = 0; i < msg->nb_segs; i++)
		memcpy(area->expected + msg->segs[i].offset, area->memory + msg->segs[i].offset,
		       msg->segs[i].len);
}

static void
recv_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct recv_case *vc = what;
	struct verify_ops recv_ops, ops;
	uint16_t first = 0;

	memory_prepare(vc, env->noise);
	verify_ops_init(&recv_ops, &vc->path->target, vc->by_status);
	verify_ops_init(&ops, &vc->path->initiator, vc->by_status);
	if ((vc->has_rejection && !rejections_try(vc, &recv_ops)) ||
	    !receives_post(vc, &recv_ops, &first) || !messages_send(vc, &ops) ||
	    !receives_collect(vc, &recv_ops, first)) {
		verify_ops_report(recv_ops.has_failed ? &recv_ops : &ops, result);
		return;
	}
	if (vc->error != RECV_NO_ERROR)
		accept_partial(vc);
	verify_area_compare(vc->path->target.side, &vc->path->target.side->layout, result);
	if (is_queue_failed(vc))
		verify_path_recover(vc->path, result);
}

const struct verify_mode verify_mode_recv = {
	.name = "recv",
	.summary = "messages of all lengths, received inline and in memory",
	.capa = RTE_UMR_CAPA_SEND | RTE_UMR_CAPA_INLINE,
	.bed_conf = &recv_bed,
	.case_size = sizeof(struct recv_case),
	.gen = recv_gen,
	.run = recv_run,
	.print = recv_print,
};
