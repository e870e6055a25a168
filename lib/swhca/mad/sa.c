/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Subnet administration: paths and multicast groups (IBTA 15.2.5).
 *
 * A group exists while it has members. The IPoIB broadcast group always exists, as a subnet manager
 * with IPoIB support creates it (RFC 4391, 5).
 */

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "include/gid.h"
#include "mad/layout.h"
#include "mad/mad_responder.h"

#define PKEY_DEFAULT	0xffffu
#define FIRST_MLID	0xc000u
/* MLIDs end at 0xfffe (IBTA 4.1.3); a fabric of one process needs fewer. */
#define MAX_GROUPS	1024u
#define IPOIB_QKEY	0x00000b1bu
#define LIFE_1S		18u

struct member {
	const struct swhca_hca *hca;
	uint8_t join_state;	/* bits: full, non, send only */
	LIST_ENTRY(member) link;
};

struct swhca_sa_group {
	uint8_t rec[MC_LEN];	/* as requested, without port and join state */
	bool is_permanent;
	LIST_HEAD(, member) members;
	LIST_ENTRY(swhca_sa_group) link;
};

/* Rate of all ports: LinkSpeed times 4 lanes, as the codes of Linux' enum ib_rate. */
uint8_t
swhca_sa_rate(const struct swhca_hca *hca)
{
	switch (swhca_model_info_get(hca->conf.model)->port.gbps) {
	case 400:
		return 21;
	case 200:
		return 17;
	default:
		return 16;	/* 100 */
	}
}

static const struct swhca_hca *
hca_of_gid(const struct swhca_fabric *fabric, const uint8_t gid[16])
{
	const struct swhca_hca *hca;

	LIST_FOREACH(hca, &fabric->hcas, link) {
		if (hca->conf.link_layer == SWHCA_LINK_IB &&
		    memcmp(hca->ib_gid, gid, sizeof(hca->ib_gid)) == 0)
			return hca;
	}
	return NULL;
}

/*
 * LID of a port: of the fabric, or of a wire, where GUID and LID are derived from the IPv4 address
 * (gid.h). 0: unknown.
 */
static uint16_t
lid_of_gid(const struct swhca_hca *from, const uint8_t gid[16])
{
	const struct swhca_hca *hca = hca_of_gid(from->fabric, gid);
	uint8_t addr[16];

	if (hca != NULL)
		return hca->conf.lid;
	if (from->net == NULL)
		return 0;
	swhca_gid_wire_addr(gid, addr);
	if (!swhca_gid_is_ipv4(addr))
		return 0;
	return (uint16_t)(addr[14] << 8 | addr[15]);
}

uint16_t
swhca_sa_path(struct swhca_hca *from, uint64_t mask, const uint8_t *in, uint8_t *out)
{
	uint16_t slid = from->conf.lid, dlid = (uint16_t)prm_get(in, PATH_DLID);

	memcpy(out, in, PATH_LEN);
	if ((mask & PATH_MASK_SGID) == 0)
		memcpy(out + PATH_SGID_BYTE, from->ib_gid, sizeof(from->ib_gid));
	else
		slid = lid_of_gid(from, in + PATH_SGID_BYTE);
	if ((mask & PATH_MASK_DGID) != 0)
		dlid = lid_of_gid(from, in + PATH_DGID_BYTE);
	else if ((mask & PATH_MASK_DLID) == 0)
		return MAD_STATUS_SA_INSUFFICIENT;
	if (slid == 0 || dlid == 0 ||
	    ((mask & PATH_MASK_PKEY) != 0 && (prm_get(in, PATH_PKEY) | 0x8000u) != PKEY_DEFAULT))
		return MAD_STATUS_SA_NO_RECORDS;
	prm_set(out, PATH_DLID, dlid);
	prm_set(out, PATH_SLID, slid);
	prm_set(out, PATH_HOP_LIMIT, 0);
	prm_set(out, PATH_TCLASS, 0);
	prm_set(out, PATH_REVERSIBLE, 1);
	prm_set(out, PATH_NUMB_PATH, 1);
	prm_set(out, PATH_PKEY, PKEY_DEFAULT);
	prm_set(out, PATH_SL, 0);
	prm_set(out, PATH_MTU_SELECTOR, SA_SELECT_EXACTLY);
	prm_set(out, PATH_MTU, SA_MTU_4096);
	prm_set(out, PATH_RATE_SELECTOR, SA_SELECT_EXACTLY);
	prm_set(out, PATH_RATE, swhca_sa_rate(from));
	prm_set(out, PATH_LIFE_SELECTOR, SA_SELECT_EXACTLY);
	prm_set(out, PATH_LIFE, LIFE_1S);
	return 0;
}

static struct swhca_sa_group *
group_find(const struct swhca_fabric *fabric, const uint8_t mgid[16])
{
	struct swhca_sa_group *group;

	LIST_FOREACH(group, &fabric->sa_groups, link) {
		if (memcmp(group->rec, mgid, 16) == 0)
			return group;
	}
	return NULL;
}

/* The lowest free MLID; 0: all are in use. */
static uint16_t
mlid_choose(const struct swhca_fabric *fabric)
{
	const struct swhca_sa_group *group;
	uint32_t mlid;

	for (mlid = FIRST_MLID; mlid < FIRST_MLID + MAX_GROUPS; mlid++) {
		LIST_FOREACH(group, &fabric->sa_groups, link) {
			if (prm_get(group->rec, MC_MLID) == mlid)
				break;
		}
		if (group == NULL)
			return (uint16_t)mlid;
	}
	return 0;
}

static struct swhca_sa_group *
group_create(struct swhca_hca *from, const uint8_t *rec)
{
	struct swhca_fabric *fabric = from->fabric;
	uint16_t mlid = mlid_choose(fabric);
	struct swhca_sa_group *group = mlid == 0 ? NULL : calloc(1, sizeof(*group));

	if (group == NULL) {
		SWHCA_LOG(WARNING, "subnet manager: no place for another of %u groups", MAX_GROUPS);
		return NULL;
	}
	memcpy(group->rec, rec, MC_LEN);
	memset(group->rec + MC_PORT_GID_BYTE, 0, 16);
	prm_set(group->rec, MC_MLID, mlid);
	prm_set(group->rec, MC_MTU_SELECTOR, SA_SELECT_EXACTLY);
	if (prm_get(group->rec, MC_MTU) == 0)
		prm_set(group->rec, MC_MTU, SA_MTU_2048);
	prm_set(group->rec, MC_RATE_SELECTOR, SA_SELECT_EXACTLY);
	prm_set(group->rec, MC_RATE, swhca_sa_rate(from));
	prm_set(group->rec, MC_LIFE_SELECTOR, SA_SELECT_EXACTLY);
	prm_set(group->rec, MC_LIFE, LIFE_1S);
	prm_set(group->rec, MC_SCOPE, group->rec[1] & 0xf);
	prm_set(group->rec, MC_JOIN_STATE, 0);
	LIST_INIT(&group->members);
	LIST_INSERT_HEAD(&fabric->sa_groups, group, link);
	return group;
}

/* RFC 4391, 4: link-local scope, IPv4, default partition, all ones. */
static struct swhca_sa_group *
broadcast_group(struct swhca_hca *from, const uint8_t mgid[16])
{
	static const uint8_t broadcast[16] = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff,
					       [12] = 0xff, 0xff, 0xff, 0xff };
	struct swhca_sa_group *group;
	uint8_t rec[MC_LEN] = { 0 };

	if (memcmp(mgid, broadcast, sizeof(broadcast)) != 0)
		return NULL;
	memcpy(rec, broadcast, sizeof(broadcast));
	prm_set(rec, MC_QKEY, IPOIB_QKEY);
	prm_set(rec, MC_PKEY, PKEY_DEFAULT);
	group = group_create(from, rec);
	if (group != NULL)
		group->is_permanent = true;
	return group;
}

static struct member *
member_find(const struct swhca_sa_group *group, const struct swhca_hca *hca)
{
	struct member *member;

	LIST_FOREACH(member, &group->members, link) {
		if (member->hca == hca)
			return member;
	}
	return NULL;
}

static void
answer_fill(const struct swhca_sa_group *group, const struct swhca_hca *hca, uint8_t join_state,
	    uint8_t *out)
{
	memcpy(out, group->rec, MC_LEN);
	memcpy(out + MC_PORT_GID_BYTE, hca->ib_gid, sizeof(hca->ib_gid));
	prm_set(out, MC_JOIN_STATE, join_state);
}

static void
group_destroy_if_empty(struct swhca_sa_group *group)
{
	if (group->is_permanent || !LIST_EMPTY(&group->members))
		return;
	LIST_REMOVE(group, link);
	free(group);
}

/* Check that the port of a record is the requester, as joins for other ports are unsupported. */
static bool
is_own_port(const struct swhca_hca *from, const uint8_t *in)
{
	return memcmp(in + MC_PORT_GID_BYTE, from->ib_gid, sizeof(from->ib_gid)) == 0;
}

/* The creator of a group sets its parameters (15.2.5.17.2). */
#define CREATE_MASK (MC_MASK_QKEY | MC_MASK_PKEY | MC_MASK_SL)

uint16_t
swhca_sa_mc_join(struct swhca_hca *from, uint64_t mask, const uint8_t *in, uint8_t *out)
{
	const uint64_t needed = MC_MASK_MGID | MC_MASK_PORT_GID | MC_MASK_JOIN_STATE;
	uint8_t join_state = (uint8_t)prm_get(in, MC_JOIN_STATE);
	struct swhca_sa_group *group;
	struct member *member;

	if ((mask & needed) != needed || join_state == 0)
		return MAD_STATUS_SA_INSUFFICIENT;
	if (!swhca_gid_is_multicast(in) || !is_own_port(from, in))
		return MAD_STATUS_SA_INVALID_GID;
	group = group_find(from->fabric, in);
	if (group == NULL)
		group = broadcast_group(from, in);
	if (group == NULL && (mask & CREATE_MASK) != CREATE_MASK)
		return MAD_STATUS_SA_REQ_INVALID;
	if (group == NULL)
		group = group_create(from, in);
	if (group == NULL)
		return MAD_STATUS_SA_NO_RESOURCES;
	member = member_find(group, from);
	if (member == NULL) {
		member = calloc(1, sizeof(*member));
		if (member == NULL) {
			group_destroy_if_empty(group);
			return MAD_STATUS_SA_NO_RESOURCES;
		}
		member->hca = from;
		LIST_INSERT_HEAD(&group->members, member, link);
	}
	member->join_state |= join_state;
	answer_fill(group, from, member->join_state, out);
	return 0;
}

static void
member_remove(struct member *member)
{
	LIST_REMOVE(member, link);
	free(member);
}

uint16_t
swhca_sa_mc_leave(struct swhca_hca *from, const uint8_t *in, uint8_t *out)
{
	uint8_t join_state = (uint8_t)prm_get(in, MC_JOIN_STATE);
	struct swhca_sa_group *group = group_find(from->fabric, in);
	struct member *member = group == NULL ? NULL : member_find(group, from);

	if (member == NULL || !is_own_port(from, in) || (member->join_state & join_state) == 0)
		return MAD_STATUS_SA_REQ_INVALID;
	member->join_state &= (uint8_t)~join_state;
	answer_fill(group, from, member->join_state, out);
	if (member->join_state == 0)
		member_remove(member);
	group_destroy_if_empty(group);
	return 0;
}

uint16_t
swhca_sa_mc_get(struct swhca_hca *from, uint64_t mask, const uint8_t *in, uint8_t *out)
{
	const struct swhca_sa_group *group;

	if ((mask & MC_MASK_MGID) == 0)
		return MAD_STATUS_SA_INSUFFICIENT;
	group = group_find(from->fabric, in);
	if (group == NULL)
		return MAD_STATUS_SA_NO_RECORDS;
	memcpy(out, group->rec, MC_LEN);
	return 0;
}

const struct swhca_sa_group *
swhca_sa_group_next(const struct swhca_fabric *fabric, const struct swhca_sa_group *group)
{
	return group == NULL ? LIST_FIRST(&fabric->sa_groups) : LIST_NEXT(group, link);
}

const uint8_t *
swhca_sa_group_rec(const struct swhca_sa_group *group)
{
	return group->rec;
}

void
swhca_sa_forget(struct swhca_hca *hca)
{
	struct swhca_sa_group *group, *next;
	struct member *member;

	for (group = LIST_FIRST(&hca->fabric->sa_groups); group != NULL; group = next) {
		next = LIST_NEXT(group, link);
		member = member_find(group, hca);
		if (member != NULL)
			member_remove(member);
		group_destroy_if_empty(group);
	}
}

void
swhca_sa_fini(struct swhca_fabric *fabric)
{
	struct swhca_sa_group *group;

	while ((group = LIST_FIRST(&fabric->sa_groups)) != NULL) {
		while (!LIST_EMPTY(&group->members))
			member_remove(LIST_FIRST(&group->members));
		LIST_REMOVE(group, link);
		free(group);
	}
}
