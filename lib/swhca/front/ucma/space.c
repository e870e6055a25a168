/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <endian.h>
#include <errno.h>

#include "front/ucma/id.h"
#include "front/ucma/space.h"

/* net.ipv4.ip_local_port_range */
#define FIRST_PORT 32768u
#define LAST_PORT 60999u
/* Service IDs of IP port spaces: all except the port (cma.c: RDMA_IB_IP_PS_MASK). */
#define SERVICE_MASK UINT64_C(0xffffffffffff0000)

/* The upper bits of service IDs are the space. */
static uint64_t
space_of(const struct swhca_ucm_id *id)
{
	return swhca_ucm_service_id(id, &id->src) & SERVICE_MASK;
}

/* Check whether two cannot share a port; cma.c: cma_check_port(). */
static int
conflict(const struct swhca_ucm_id *a, const struct swhca_ucm_id *b, bool may_reuse)
{
	if (b->state != SWHCA_UCM_LISTEN && may_reuse && b->may_reuse)
		return 0;
	if (a->is_family_only && b->is_family_only && a->src.ss_family != b->src.ss_family)
		return 0;
	if ((a->dev == NULL && swhca_ucm_addr_is_any(&a->src)) ||
	    (b->dev == NULL && swhca_ucm_addr_is_any(&b->src)))
		return -EADDRNOTAVAIL;
	return swhca_ucm_addr_is_same(&a->src, &b->src) ? -EADDRINUSE : 0;
}

static int
space_check(const struct swhca_ucm_id *id, bool may_reuse)
{
	const struct swhca_ucm_id *other;
	int ret;

	LIST_FOREACH(other, &swhca_ucm_ids, link) {
		if (other == id || !other->has_port || space_of(other) != space_of(id) ||
		    swhca_ucm_addr_port(&other->src) != swhca_ucm_addr_port(&id->src))
			continue;
		ret = conflict(id, other, may_reuse);
		if (ret != 0)
			return ret;
	}
	return 0;
}

static int
port_choose(struct swhca_ucm_id *id)
{
	unsigned int nb = LAST_PORT - FIRST_PORT + 1, i;

	for (i = 0; i < nb; i++) {
		swhca_ucm_addr_set_port(&id->src,
					(uint16_t)(FIRST_PORT + (id->seq_num + i) % nb));
		if (space_check(id, false) == 0)
			return 0;
	}
	return -EADDRNOTAVAIL;
}

/* An InfiniBand address contains the space itself; cma.c: cma_select_ib_ps(). */
static bool
ib_space_choose(struct swhca_ucm_id *id)
{
	static const uint16_t spaces[] = { RDMA_PS_IB, RDMA_PS_TCP, RDMA_PS_UDP };
	struct swhca_ucm_sockaddr_ib *ib = (struct swhca_ucm_sockaddr_ib *)&id->src;
	uint64_t mask = be64toh(ib->sib_sid_mask) & SERVICE_MASK;
	uint64_t space;
	size_t i;

	for (i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		space = (uint64_t)spaces[i] << 16;
		if ((id->ps != RDMA_PS_IB && id->ps != spaces[i]) ||
		    (be64toh(ib->sib_sid) & mask) != (space & mask))
			continue;
		ib->sib_sid = htobe64(space | swhca_ucm_addr_port(&id->src));
		ib->sib_sid_mask = htobe64(SERVICE_MASK | be64toh(ib->sib_sid_mask));
		return true;
	}
	return false;
}

int
swhca_ucm_space_bind(struct swhca_ucm_id *id)
{
	int ret;

	if (id->src.ss_family == UCM_AF_IB && !ib_space_choose(id))
		return -EPROTONOSUPPORT;
	if (swhca_ucm_addr_port(&id->src) == 0)
		ret = port_choose(id);
	else
		ret = space_check(id, id->may_reuse);
	id->has_port = ret == 0;
	return ret;
}

int
swhca_ucm_space_listen(const struct swhca_ucm_id *id)
{
	return id->may_reuse ? space_check(id, false) : 0;
}
