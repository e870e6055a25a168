/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>

#include "model/oracle.h"
#include "verify/bed/keys.h"
#include "verify/bed/layout.h"
#include "verify/mode/modes.h"

/* A request with a wrong key takes all retries of the driver. */
#define KEY_ERROR_ONE_IN	64u
#define RIGHT_ERROR_ONE_IN	16u
#define REJECTION_ONE_IN		4u
#define MAX_PARTS		VERIFY_MOVE_MAX_PARTS

/* Each device has an initiator and two targets, which initiators of all devices write to. */
#define DC_NB_TARGETS	2u
/* Maximum number of receives of a target, and of pieces of each. */
#define DC_NB_RECV	8u
#define DC_RECV_SEGS	2u

/* How a part reaches its target, or is read from it. */
enum dc_op {
	DC_READ,
	DC_WRITE,
	DC_WRITE_IMM,
	DC_SEND,
	DC_SEND_IMM,
	DC_NB_OPS,
};

static const char *const op_names[DC_NB_OPS] = {
	[DC_READ] = "read",
	[DC_WRITE] = "write",
	[DC_WRITE_IMM] = "write with immediate",
	[DC_SEND] = "send",
	[DC_SEND_IMM] = "send with immediate",
};

/* Reason why the last part fails. */
enum dc_error {
	DC_NO_ERROR,
	DC_WRONG_KEY,	/* wrong access key of the target */
	DC_WRONG_RKEY,	/* wrong memory key */
};

/* Invalid call before the case. */
enum dc_rejection {
	DC_NO_REJECTION,
	DC_REJECT_EMPTY_ADDRESS,
	DC_REJECT_OTHER_DEVICE,
	DC_REJECT_ADDRESS_OF_TARGET,
	DC_REJECT_RECV_OF_INITIATOR,
	DC_REJECT_LIST_OF_TARGET,
	DC_REJECT_INLINE_LENGTH,
	DC_NB_REJECTIONS,
};

static const struct verify_rejection rejections[DC_NB_REJECTIONS] = {
	[DC_REJECT_EMPTY_ADDRESS] = { "an address that was not filled", -EINVAL },
	[DC_REJECT_OTHER_DEVICE] = { "an address of another device", -EXDEV },
	[DC_REJECT_ADDRESS_OF_TARGET] = { "an address for a target", -ENOTSUP },
	[DC_REJECT_RECV_OF_INITIATOR] = { "a receive of an initiator", -ENOTSUP },
	[DC_REJECT_LIST_OF_TARGET] = { "a list on a target", -ENOTSUP },
	[DC_REJECT_INLINE_LENGTH] = { "a send with too many bytes in the WQE", -EMSGSIZE },
};

struct dc_part {
	enum dc_op op;
	uint16_t side;
	uint32_t target;
	uint32_t start;		/* offset in the bytes of the case */
	uint32_t len;
	uint32_t first_seg;	/* bytes of the first piece of its receive; 0: one piece */
};

struct dc_case {
	uint16_t initiator;
	bool is_read;		/* all parts read into the key; otherwise none does */
	bool by_status;
	bool is_invalidated;
	enum dc_error error;
	enum dc_rejection rejection;
	uint32_t access;
	uint32_t from;		/* first byte of the key to move */
	uint32_t len;
	uint32_t flat_offset;	/* offset of byte 0 in the flat areas of all sides */
	uint32_t noise_offset;
	uint32_t nb_parts;
	struct dc_part parts[MAX_PARTS];
	struct layout layout;
};

/* The access key depends on the role, so that mixed-up targets are detected. */
#define DC_KEY(role) (UINT64_C(0x756d722d64633030) + (role))

/* Extra queues have three consecutive numbers: each remainder of 3 occurs once. */
enum dc_role {
	DC_INITIATOR,
	DC_FIRST_TARGET,
	DC_NB_ROLES = DC_FIRST_TARGET + DC_NB_TARGETS,
};

struct known_target {
	rte_be32_t number;	/* 0: no number yet; no target has number 0 */
	struct rte_umr_dc_addr addr;
};

struct dc_addrs {
	/* Indexed by initiator, side of the target, target. */
	struct known_target known[TOOL_MAX_DEVICES][TOOL_MAX_DEVICES][DC_NB_TARGETS];
};

static void
dc_queue_conf(const struct bed_side *side, uint16_t queue_id, bool is_extra,
	      struct rte_umr_queue_conf *conf)
{
	uint32_t role = queue_id % DC_NB_ROLES;

	RTE_SET_USED(side);
	if (!is_extra)
		return;
	if (role == DC_INITIATOR) {
		conf->transport = RTE_UMR_TRANSPORT_DCI;
		return;
	}
	*conf = (struct rte_umr_queue_conf){
		.transport = RTE_UMR_TRANSPORT_DCT, .nb_recv_desc = DC_NB_RECV,
		.max_recv_segs = DC_RECV_SEGS, .socket_id = conf->socket_id,
		.dc_key = DC_KEY(role),
	};
}

static const struct bed_conf dc_bed = {
	.nb_extra = DC_NB_ROLES, .queue_conf = dc_queue_conf,
};

static struct bed_end
role_end(const struct bed *bed, uint16_t side, uint32_t role)
{
	uint16_t first = bed_first_extra(bed);

	return (struct bed_end){
		.side = (struct bed_side *)(uintptr_t)&bed->sides[side],
		.queue_id = (uint16_t)(first + (role + DC_NB_ROLES - first % DC_NB_ROLES) %
					       DC_NB_ROLES),
	};
}

static struct bed_end
dc_initiator(const struct bed *bed, uint16_t side)
{
	return role_end(bed, side, DC_INITIATOR);
}

static struct bed_end
dc_target(const struct bed *bed, uint16_t side, uint32_t target)
{
	return role_end(bed, side, DC_FIRST_TARGET + target);
}

/*
 * Address of a target for the initiator of a side; the target ignores requests with a key_error
 * other than 0. It is created once per target, and again when the number of the target changes, as
 * after a restart. @return 0 or the negative errno of the API.
 */
static int
dc_addr_get(const struct verify_env *env, uint16_t initiator, uint16_t side, uint32_t target,
	    uint64_t key_error, struct rte_umr_dc_addr *addr)
{
	struct dc_addrs *dc = env->mode_private;
	struct known_target *known = &dc->known[initiator][side][target];
	const struct bed_end end = dc_target(env->bed, side, target);
	int16_t dev_id = env->bed->sides[initiator].dev_id;
	uint64_t key = DC_KEY(DC_FIRST_TARGET + target);
	struct rte_umr_endpoint remote;
	int ret;

	ret = rte_umr_queue_endpoint_get(end.side->dev_id, end.queue_id, &remote);
	if (ret != 0)
		return ret;
	if (key_error != 0)
		return rte_umr_dc_addr_fill(dev_id, &remote, key ^ key_error, addr);
	if (known->number != remote.qpn) {
		ret = rte_umr_dc_addr_fill(dev_id, &remote, key, &known->addr);
		if (ret != 0)
			return ret;
		known->number = remote.qpn;
	}
	*addr = known->addr;
	return 0;
}

/* Only sides with the same link layer can communicate. */
static uint16_t
side_gen(struct prng *prng, const struct bed *bed, uint16_t initiator)
{
	uint16_t side = (uint16_t)prng_between(prng, 0, bed->nb_sides - 1u);

	return bed->sides[side].info.link_layer == bed->sides[initiator].info.link_layer ?
		       side : initiator;
}

static void
parts_gen(struct prng *prng, const struct bed *bed, struct dc_case *vc)
{
	uint32_t start = 0;

	vc->nb_parts = RTE_MIN((uint32_t)prng_between(prng, 1, MAX_PARTS), vc->len);
	for (uint32_t i = 0; i < vc->nb_parts; i++) {
		struct dc_part *part = &vc->parts[i];
		uint32_t nb_behind = vc->nb_parts - 1 - i;

		part->op = vc->is_read ? DC_READ : (enum dc_op)prng_between(prng, DC_WRITE,
									     DC_NB_OPS - 1);
		part->side = side_gen(prng, bed, vc->initiator);
		part->target = (uint32_t)prng_between(prng, 0, DC_NB_TARGETS - 1);
		part->start = start;
		part->len = nb_behind == 0 ? vc->len - start :
			    (uint32_t)prng_between(prng, 1, vc->len - start - nb_behind);
		part->first_seg = (uint32_t)prng_between(prng, 0, part->len - 1);
		start += part->len;
	}
}

static void
error_gen(struct prng *prng, struct dc_case *vc)
{
	struct dc_part *last = &vc->parts[vc->nb_parts - 1];

	if (prng_one_in(prng, KEY_ERROR_ONE_IN))
		vc->error = DC_WRONG_KEY;
	else if (prng_one_in(prng, RIGHT_ERROR_ONE_IN))
		vc->error = DC_WRONG_RKEY;
	/* Use an operation without a receive, which would remain posted. */
	if (vc->error != DC_NO_ERROR && !vc->is_read)
		last->op = DC_WRITE;
}

static void
dc_gen(void *what, const struct verify_env *env, struct prng *prng)
{
	const struct bed *bed = env->bed;
	const struct rte_umr_dev_info *info;
	struct layout_gen_conf conf;
	struct dc_case *vc = what;
	uint32_t total;

	vc->initiator = (uint16_t)prng_between(prng, 0, bed->nb_sides - 1u);
	info = &bed->sides[vc->initiator].info;
	vc->is_read = prng_one_in(prng, 3);
	vc->by_status = prng_one_in(prng, 2);
	vc->is_invalidated = prng_one_in(prng, 2);
	vc->access = verify_access_gen(prng, vc->is_read ? RTE_UMR_ACCESS_LOCAL_WRITE : 0,
				       bed->sides[vc->initiator].key_access);
	conf = verify_gen_conf(info, true);
	layout_gen(prng, &conf, vc->is_read, &vc->layout);
	total = (uint32_t)oracle_len(&vc->layout);
	vc->from = (uint32_t)prng_between(prng, 0, total - 1);
	vc->len = (uint32_t)prng_log(prng, total - vc->from);
	vc->flat_offset = (uint32_t)prng_between(prng, BED_GUARD,
						 BED_FLAT_SIZE - BED_GUARD - vc->len);
	vc->noise_offset = (uint32_t)prng_between(prng, 0, VERIFY_NOISE_SIZE - vc->len);
	parts_gen(prng, bed, vc);
	error_gen(prng, vc);
	if (prng_one_in(prng, REJECTION_ONE_IN))
		vc->rejection = (enum dc_rejection)prng_between(prng, 1, DC_NB_REJECTIONS - 1);
	if (vc->rejection == DC_REJECT_OTHER_DEVICE && bed->nb_sides == 1)
		vc->rejection = DC_REJECT_EMPTY_ADDRESS;
}

static void
dc_print(FILE *f, const char *prefix, const void *what)
{
	const struct dc_case *vc = what;

	fprintf(f, "%sinitiator of device %u, key bytes [%u, %u), flat area 0x%05x, access "
		"0x%x%s\n", prefix, vc->initiator, vc->from, vc->from + vc->len,
		vc->flat_offset, vc->access,
		vc->error == DC_WRONG_KEY ? ", wrong access key at last" :
		vc->error == DC_WRONG_RKEY ? ", wrong memory key at last" : "");
	for (uint32_t i = 0; i < vc->nb_parts; i++)
		fprintf(f, "%s%s of %u bytes, device %u target %u\n", prefix,
			op_names[vc->parts[i].op], vc->parts[i].len, vc->parts[i].side,
			vc->parts[i].target);
	layout_print(f, prefix, &vc->layout);
}

static bool
is_failing(const struct dc_case *vc, const struct dc_part *part)
{
	return vc->error != DC_NO_ERROR && part == &vc->parts[vc->nb_parts - 1];
}

static void
invert(uint8_t *dst, const uint8_t *src, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		dst[i] = (uint8_t)~src[i];
}

/*
 * Fill the source with fresh bytes, and the destination with the inverse of the expected bytes
 * except in the part that fails, which must not change.
 */
static void
memory_prepare(const struct dc_case *vc, const struct verify_env *env)
{
	const struct bed_area *layout = &env->bed->sides[vc->initiator].layout;
	const uint8_t *noise = env->noise + vc->noise_offset;
	static uint8_t scratch[BED_MAX_TOTAL];

	if (vc->is_read) {
		invert(scratch, noise, vc->len);
		oracle_scatter(&vc->layout, layout->memory, vc->from, vc->len, scratch);
	} else {
		oracle_scatter(&vc->layout, layout->memory, vc->from, vc->len, noise);
		oracle_scatter(&vc->layout, layout->expected, vc->from, vc->len, noise);
	}
	for (uint32_t i = 0; i < vc->nb_parts; i++) {
		const struct dc_part *part = &vc->parts[i];
		const struct bed_area *flat = &env->bed->sides[part->side].flat;
		uint8_t *memory = flat->memory + vc->flat_offset + part->start;
		uint8_t *expected = flat->expected + vc->flat_offset + part->start;

		if (vc->is_read) {
			memcpy(memory, noise + part->start, part->len);
			memcpy(expected, memory, part->len);
			oracle_scatter(&vc->layout, layout->expected, vc->from + part->start,
				       part->len, (is_failing(vc, part) ? scratch : noise) +
							  part->start);
			continue;
		}
		oracle_gather(&vc->layout, layout->expected, vc->from + part->start, part->len,
			      expected);
		invert(memory, expected, part->len);
		if (is_failing(vc, part))
			memcpy(expected, memory, part->len);
	}
}

static bool
has_recv(const struct dc_part *part)
{
	return part->op == DC_WRITE_IMM || part->op == DC_SEND || part->op == DC_SEND_IMM;
}

/* Post a receive for each part that needs one; idx receives their indices. */
static bool
recvs_post(const struct dc_case *vc, const struct verify_env *env, struct verify_ops *ops,
	   uint16_t *idx)
{
	for (uint32_t i = 0; i < vc->nb_parts; i++) {
		const struct dc_part *part = &vc->parts[i];
		const struct bed_end end = dc_target(env->bed, part->side, part->target);
		uint64_t addr = (uintptr_t)end.side->flat.memory + vc->flat_offset + part->start;
		uint32_t lkey = end.side->flat_mr->lkey;
		struct rte_umr_seg segs[DC_RECV_SEGS] = {
			{ addr, part->first_seg, lkey },
			{ addr + part->first_seg, part->len - part->first_seg, lkey },
		};
		uint32_t skip = part->first_seg == 0;
		uint32_t nb_segs = part->op == DC_WRITE_IMM ? 0 : DC_RECV_SEGS - skip;
		int ret;

		if (!has_recv(part))
			continue;
		ret = rte_umr_recv(end.side->dev_id, end.queue_id, &segs[skip], nb_segs, 0);
		if (!verify_ops_check(ops, ret >= 0, "a receive of a target was rejected"))
			return false;
		idx[i] = (uint16_t)ret;
	}
	return true;
}

/* Messages of an initiator arrive in the order of sending. */
static bool
recvs_expect(const struct dc_case *vc, const struct verify_env *env, struct verify_ops *ops,
	     const uint16_t *idx)
{
	for (uint32_t i = 0; i < vc->nb_parts; i++) {
		const struct dc_part *part = &vc->parts[i];
		const struct bed_end end = dc_target(env->bed, part->side, part->target);
		bool has_imm = part->op != DC_SEND;
		struct rte_umr_completion done;
		struct verify_ops recv_ops;

		if (!has_recv(part))
			continue;
		verify_ops_init(&recv_ops, &end, true);
		if (!verify_ops_check(ops, verify_ops_recv_wait(&recv_ops, &done, 1),
				      "a receive did not complete"))
			return false;
		if (!verify_ops_check(ops, done.status == RTE_UMR_STATUS_SUCCESS &&
				      done.idx == idx[i] && done.length == part->len &&
				      done.op == (part->op == DC_WRITE_IMM ?
							  RTE_UMR_OP_RECV_WRITE_IMM :
							  RTE_UMR_OP_RECV) &&
				      done.flags == (has_imm ? RTE_UMR_COMPLETION_F_IMM : 0) &&
				      (!has_imm || done.imm == rte_cpu_to_be_32(part->start)),
				      "a receive is not that of the message"))
			return false;
	}
	return true;
}

static int
bad_enqueue(const struct dc_case *vc, const struct verify_env *env, const struct verify_ops *ops,
	    struct rte_umr_mkey *mkey)
{
	const uint16_t target_id = dc_target(env->bed, vc->initiator, 0).queue_id;
	struct rte_umr_seg seg = verify_flat_seg(ops->side, 0, 1);
	struct rte_umr_dc_addr addr = { 0 };

	switch (vc->rejection) {
	case DC_REJECT_EMPTY_ADDRESS:
		return rte_umr_dc_addr_set(ops->dev_id, ops->queue_id, &addr);
	case DC_REJECT_OTHER_DEVICE:
		addr.is_filled = 1;
		addr.dev_id = env->bed->sides[(vc->initiator + 1) % env->bed->nb_sides].dev_id;
		return rte_umr_dc_addr_set(ops->dev_id, ops->queue_id, &addr);
	case DC_REJECT_ADDRESS_OF_TARGET:
		return rte_umr_dc_addr_set(ops->dev_id, target_id, &addr);
	case DC_REJECT_RECV_OF_INITIATOR:
		return rte_umr_recv(ops->dev_id, ops->queue_id, &seg, 1, 0);
	case DC_REJECT_LIST_OF_TARGET:
		return rte_umr_mkey_list(ops->dev_id, target_id, mkey, 0, &seg, 1, 0);
	default:
		seg.length = ops->side->info.max_dci_inline + 1u;
		return rte_umr_send(ops->dev_id, ops->queue_id, &seg, RTE_UMR_OP_F_INLINE);
	}
}

static bool
rejection_try(const struct dc_case *vc, const struct verify_env *env, struct verify_ops *ops,
	      struct rte_umr_mkey *mkey)
{
	const struct verify_rejection *rejection = &rejections[vc->rejection];

	return rejection->name == NULL ||
	       verify_ops_rejected(ops, bad_enqueue(vc, env, ops, mkey), rejection->error,
				   rejection->name);
}

/* Select the target, then enqueue the part. */
static bool
part_enqueue(const struct dc_case *vc, const struct verify_env *env, struct verify_ops *ops,
	     const struct dc_part *part, uint32_t key)
{
	static const enum rte_umr_op_type types[DC_NB_OPS] = {
		[DC_READ] = RTE_UMR_OP_READ, [DC_WRITE] = RTE_UMR_OP_WRITE,
		[DC_WRITE_IMM] = RTE_UMR_OP_WRITE, [DC_SEND] = RTE_UMR_OP_SEND,
		[DC_SEND_IMM] = RTE_UMR_OP_SEND,
	};
	const struct bed_side *remote = &env->bed->sides[part->side];
	const struct rte_umr_seg local = { vc->from + part->start, part->len, key };
	uint64_t addr = (uintptr_t)remote->flat.memory + vc->flat_offset + part->start;
	bool is_bad = is_failing(vc, part);
	uint32_t rkey = remote->flat_mr->rkey ^ (is_bad && vc->error == DC_WRONG_RKEY);
	rte_be32_t imm = rte_cpu_to_be_32(part->start);
	int16_t dev_id = ops->dev_id;
	uint16_t queue_id = ops->queue_id;
	struct rte_umr_dc_addr dc_addr;
	int ret;

	ret = dc_addr_get(env, vc->initiator, part->side, part->target,
			     is_bad && vc->error == DC_WRONG_KEY, &dc_addr);
	if (!verify_ops_check(ops, ret == 0, "the address of a target was rejected"))
		return false;
	ret = rte_umr_dc_addr_set(dev_id, queue_id, &dc_addr);
	if (!verify_ops_check(ops, ret == 0, "the address of a target could not be set"))
		return false;
	switch (part->op) {
	case DC_READ:
		ret = rte_umr_read(dev_id, queue_id, &local, addr, rkey, 0);
		break;
	case DC_WRITE:
		ret = rte_umr_write(dev_id, queue_id, &local, addr, rkey, 0);
		break;
	case DC_WRITE_IMM:
		ret = rte_umr_write_imm(dev_id, queue_id, &local, addr, rkey, imm, 0);
		break;
	case DC_SEND:
		ret = rte_umr_send(dev_id, queue_id, &local, 0);
		break;
	default:
		ret = rte_umr_send_imm(dev_id, queue_id, &local, imm, 0);
		break;
	}
	return verify_ops_add(ops, ret, types[part->op], part->len);
}

/* Run all operations under one doorbell. */
static bool
ops_run(const struct dc_case *vc, const struct verify_env *env, struct verify_ops *ops,
	struct rte_umr_mkey *mkey)
{
	uint16_t idx[MAX_PARTS];

	if (!rejection_try(vc, env, ops, mkey) || !recvs_post(vc, env, ops, idx) ||
	    !verify_layout_add(ops, mkey, vc->access, &vc->layout))
		return false;
	for (uint32_t i = 0; i < vc->nb_parts; i++)
		if (!part_enqueue(vc, env, ops, &vc->parts[i], mkey->key))
			return false;
	if (vc->error != DC_NO_ERROR)
		verify_ops_expect(ops, vc->error == DC_WRONG_KEY ? RTE_UMR_STATUS_RETRY_EXCEEDED :
								   RTE_UMR_STATUS_REMOTE_ACCESS);
	else if (vc->is_invalidated && !verify_ops_invalidate(ops, mkey))
		return false;
	return verify_ops_wait(ops) && recvs_expect(vc, env, ops, idx);
}

static void
compare(const struct verify_env *env, struct case_result *result)
{
	for (uint16_t i = 0; i < env->bed->nb_sides && result->outcome == CASE_PASSED; i++) {
		const struct bed_side *side = &env->bed->sides[i];

		verify_area_compare(side, &side->flat, result);
		verify_area_compare(side, &side->layout, result);
	}
}

static void
dc_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct dc_case *vc = what;
	struct bed_end end = dc_initiator(env->bed, vc->initiator);
	struct rte_umr_mkey *mkey = verify_key_get(env, end.side, result);
	struct verify_ops ops;
	int ret = 0;

	if (mkey == NULL)
		return;
	memory_prepare(vc, env);
	verify_ops_init(&ops, &end, vc->by_status);
	if (!ops_run(vc, env, &ops, mkey))
		verify_ops_report(&ops, result);
	else
		compare(env, result);
	rte_umr_mkey_put(end.side->pool, mkey);
	if (result->outcome == CASE_PASSED && vc->error != DC_NO_ERROR)
		ret = rte_umr_queue_recover(end.side->dev_id, end.queue_id);
	if (ret != 0)
		verify_result_set(result, CASE_ERROR, "recovering the initiator of %s: %s",
				  end.side->info.dev_name, rte_strerror(-ret));
}

const struct verify_mode verify_mode_dc = {
	.name = "dc",
	.summary = "layouts on a DC initiator, transferred to and from several targets",
	.capa = RTE_UMR_CAPA_DC | RTE_UMR_CAPA_MKEY_LIST | RTE_UMR_CAPA_SEND,
	.bed_conf = &dc_bed,
	.case_size = sizeof(struct dc_case),
	.private_size = sizeof(struct dc_addrs),
	.gen = dc_gen,
	.run = dc_run,
	.print = dc_print,
};
