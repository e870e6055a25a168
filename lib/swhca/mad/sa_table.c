/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Tables of subnet administration (SubnAdmGetTable, IBTA 15.2.2): records in the segments of the
 * reliable datagram protocol (13.6). The requester is in the same fabric and loses none, so all
 * segments of a window are sent at once, and acknowledgments are ignored.
 */

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mad/layout.h"
#include "mad/mad_responder.h"

/* Linux: window_size() of a queue pair 1 with 512 receives; larger tables are not returned. */
#define MAX_SEGMENTS	64u
#define SEGMENT_LEN	(SWHCA_MAD_LEN - SA_DATA_BYTE)
#define MAX_LEN		(MAX_SEGMENTS * SEGMENT_LEN)

/* Records, each padded to a multiple of 8 bytes. */
struct table {
	uint8_t *data;
	size_t len;
	size_t record_len;
	bool is_full;
};

static uint8_t *
record_add(struct table *table)
{
	uint8_t *record = table->data + table->len;

	if (table->len + table->record_len > MAX_LEN) {
		table->is_full = true;
		return NULL;
	}
	table->len += table->record_len;
	return record;
}

static bool
gid_matches(const struct swhca_hca *hca, uint64_t mask, uint64_t bit, const uint8_t *gid)
{
	return (mask & bit) == 0 || memcmp(hca->ib_gid, gid, sizeof(hca->ib_gid)) == 0;
}

static bool
lid_matches(const struct swhca_hca *hca, uint64_t mask, uint64_t bit, uint64_t lid)
{
	return (mask & bit) == 0 || hca->conf.lid == lid;
}

static void
path_add(struct swhca_hca *src, const struct swhca_hca *dst, struct table *table)
{
	uint8_t in[PATH_LEN] = { 0 };
	uint8_t *record = record_add(table);

	if (record == NULL)
		return;
	memcpy(in + PATH_DGID_BYTE, dst->ib_gid, sizeof(dst->ib_gid));
	memcpy(in + PATH_SGID_BYTE, src->ib_gid, sizeof(src->ib_gid));
	if (swhca_sa_path(src, PATH_MASK_DGID | PATH_MASK_SGID, in, record) != 0)
		table->len -= table->record_len;
}

static void
paths_fill(const struct swhca_fabric *fabric, uint64_t mask, const uint8_t *in,
	   struct table *table)
{
	struct swhca_hca *src, *dst;

	LIST_FOREACH(src, &fabric->hcas, link) {
		if (src->conf.link_layer != SWHCA_LINK_IB ||
		    !gid_matches(src, mask, PATH_MASK_SGID, in + PATH_SGID_BYTE) ||
		    !lid_matches(src, mask, PATH_MASK_SLID, prm_get(in, PATH_SLID)))
			continue;
		LIST_FOREACH(dst, &fabric->hcas, link) {
			if (dst->conf.link_layer == SWHCA_LINK_IB &&
			    gid_matches(dst, mask, PATH_MASK_DGID, in + PATH_DGID_BYTE) &&
			    lid_matches(dst, mask, PATH_MASK_DLID, prm_get(in, PATH_DLID)))
				path_add(src, dst, table);
		}
	}
}

static void
nodes_fill(const struct swhca_fabric *fabric, uint64_t mask, const uint8_t *in,
	   struct table *table)
{
	struct swhca_hca *hca;
	uint8_t *record;

	LIST_FOREACH(hca, &fabric->hcas, link) {
		if (hca->conf.link_layer != SWHCA_LINK_IB ||
		    !lid_matches(hca, mask, NODE_MASK_LID, prm_get(in, NODE_LID)))
			continue;
		record = record_add(table);
		if (record == NULL)
			return;
		prm_set(record, NODE_LID, hca->conf.lid);
		swhca_mad_node_info(hca, record + NODE_INFO_BYTE);
		memcpy(record + NODE_DESC_BYTE, hca->function.node_desc, SMP_DATA_LEN);
	}
}

static void
groups_fill(struct swhca_hca *from, uint64_t mask, const uint8_t *in, struct table *table)
{
	const struct swhca_sa_group *group = NULL;
	uint8_t *record;

	while ((group = swhca_sa_group_next(from->fabric, group)) != NULL) {
		if ((mask & MC_MASK_MGID) != 0 && memcmp(swhca_sa_group_rec(group), in, 16) != 0)
			continue;
		record = record_add(table);
		if (record == NULL)
			return;
		memcpy(record, swhca_sa_group_rec(group), MC_LEN);
	}
}

/* @return A status. */
static uint16_t
table_fill(struct swhca_hca *from, const uint8_t *mad, struct table *table)
{
	uint64_t mask = prm_get(mad, SA_COMPONENT_MASK);
	const uint8_t *in = mad + SA_DATA_BYTE;

	switch (prm_get(mad, MAD_ATTR_ID)) {
	case SA_ATTR_PATH:
		table->record_len = PATH_LEN;
		paths_fill(from->fabric, mask, in, table);
		break;
	case SA_ATTR_NODE:
		table->record_len = NODE_RECORD_LEN;
		nodes_fill(from->fabric, mask, in, table);
		break;
	case SA_ATTR_MC_MEMBER:
		table->record_len = MC_TABLE_LEN;
		groups_fill(from, mask, in, table);
		break;
	default:
		return MAD_STATUS_BAD_ATTR;
	}
	return table->is_full ? MAD_STATUS_SA_NO_RESOURCES : 0;
}

/* Fill a segment, numbered from 0. @return false: there is no such segment. */
static bool
segment_fill(const struct table *table, unsigned int index, uint8_t *out)
{
	size_t at = (size_t)index * SEGMENT_LEN, len;
	bool is_last;

	if (at >= table->len && index > 0)
		return false;
	len = table->len - at < SEGMENT_LEN ? table->len - at : SEGMENT_LEN;
	is_last = at + len == table->len;
	prm_set(out, RMPP_VERSION, 1);
	prm_set(out, RMPP_TYPE, RMPP_TYPE_DATA);
	prm_set(out, RMPP_RESP_TIME, RMPP_RESP_TIME_NONE);
	prm_set(out, RMPP_FLAGS, RMPP_FLAG_ACTIVE | (index == 0 ? RMPP_FLAG_FIRST : 0) |
				 (is_last ? RMPP_FLAG_LAST : 0));
	prm_set(out, RMPP_SEGMENT, index + 1);
	prm_set(out, RMPP_PAYLOAD_LEN, is_last ? len + SA_HEADER_LEN : 0);
	prm_set(out, SA_ATTR_OFFSET, table->record_len / 8);
	memcpy(out + SA_DATA_BYTE, table->data + at, len);
	return true;
}

bool
swhca_sa_table_answer(struct swhca_hca *from, const uint8_t in[SWHCA_MAD_LEN], unsigned int index,
		      uint8_t out[SWHCA_MAD_LEN])
{
	struct table table = { .data = calloc(1, MAX_LEN) };
	uint16_t status = MAD_STATUS_SA_NO_RESOURCES;
	bool has_one = index == 0;

	memcpy(out, in, SWHCA_MAD_LEN);
	memset(out + SA_DATA_BYTE, 0, SEGMENT_LEN);
	prm_set(out, MAD_METHOD, MAD_METHOD_GET_TABLE | MAD_METHOD_RESPONSE);
	if (table.data != NULL)
		status = table_fill(from, in, &table);
	if (status == 0)
		has_one = segment_fill(&table, index, out);
	else
		SWHCA_LOG(DEBUG, "subnet manager: table of attribute 0x%x: status 0x%x",
			  (unsigned int)prm_get(in, MAD_ATTR_ID), status);
	prm_set(out, MAD_STATUS, status);
	free(table.data);
	return has_one;
}
