/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>

#include "verify/bed/dc.h"
#include "verify/bed/pools.h"

/* The access key depends on the role, so that mixed-up targets are detected. */
#define DC_KEY(role) (UINT64_C(0x756d722d64633030) + (role))

/* Extra queues have three consecutive numbers: each remainder of 3 occurs once. */
enum dc_role {
	DC_INITIATOR,
	DC_FIRST_TARGET,
	DC_NB_ROLES = DC_FIRST_TARGET + VERIFY_DC_NB_TARGETS,
};

struct known_target {
	rte_be32_t number;	/* 0: no number yet; no target has number 0 */
	struct rte_umr_dc_addr addr;
};

struct verify_dc {
	/* Indexed by initiator, side of the target, target. */
	struct known_target known[TOOL_MAX_DEVICES][TOOL_MAX_DEVICES][VERIFY_DC_NB_TARGETS];
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
		.transport = RTE_UMR_TRANSPORT_DCT,
		.nb_recv_desc = VERIFY_DC_NB_RECV,
		.max_recv_segs = VERIFY_DC_RECV_SEGS,
		.socket_id = conf->socket_id,
		.dc_key = DC_KEY(role),
	};
}

const struct bed_conf verify_dc_bed_conf = {
	.nb_extra = DC_NB_ROLES,
	.queue_conf = dc_queue_conf,
};

bool
verify_dc_setup(struct verify_env *env)
{
	return verify_private_alloc(env, sizeof(struct verify_dc)) != NULL;
}

void
verify_dc_teardown(struct verify_env *env)
{
	free(env->mode_private);
}

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

struct bed_end
verify_dc_initiator(const struct bed *bed, uint16_t side)
{
	return role_end(bed, side, DC_INITIATOR);
}

struct bed_end
verify_dc_target(const struct bed *bed, uint16_t side, uint32_t target)
{
	return role_end(bed, side, DC_FIRST_TARGET + target);
}

int
verify_dc_addr(const struct verify_env *env, uint16_t initiator, uint16_t side, uint32_t target,
	       uint64_t key_error, struct rte_umr_dc_addr *addr)
{
	struct verify_dc *dc = env->mode_private;
	struct known_target *known = &dc->known[initiator][side][target];
	const struct bed_end end = verify_dc_target(env->bed, side, target);
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
