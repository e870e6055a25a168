/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Ports and their addresses, and resolution of GIDs by the kernel (ib_core: rdma_resolve_ip_route()
 * and others, sa_query.c, addr.c).
 */

#include <errno.h>
#include <string.h>

#include "include/gid.h"
#include "base/log.h"
#include "host/conf.h"
#include "host/ident.h"
#include "host/links.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_port.h"

/* IBA, PortInfo: 1 to 5. */
#define MTU_256 1u
#define MTU_4096 5u
#define MTU_BYTES(code) (128u << (code))

_Static_assert((int)SWHCA_GID_IB == IB_UVERBS_GID_TYPE_IB &&
	       (int)SWHCA_GID_ROCE_V1 == IB_UVERBS_GID_TYPE_ROCE_V1 &&
	       (int)SWHCA_GID_ROCE_V2 == IB_UVERBS_GID_TYPE_ROCE_V2,
	       "GID types are those of the ABI");

bool
swhca_uport_is_eth(const struct swhca_udev *dev)
{
	return swhca_udev_cap(dev, PRM_CAP_PORT_TYPE) == PRM_CAP_PORT_TYPE_ETH;
}

bool
swhca_uport_is_up(unsigned int index)
{
	struct swhca_udev *dev = swhca_udev_find(index);

	return dev == NULL || swhca_hca_port_is_up(dev->hca);
}

/* Unlimited without a wire. */
uint8_t
swhca_uport_mtu(const struct swhca_udev *dev)
{
	struct swhca_link_addr addr;
	uint8_t code = MTU_4096;

	if (!swhca_links_addr(dev->index, &addr))
		return code;
	while (code > MTU_256 && MTU_BYTES(code) > addr.path_mtu)
		code--;
	return code;
}

int
swhca_uport_check(const struct swhca_udev *dev, uint32_t port)
{
	return port == 0 || port > swhca_udev_cap(dev, PRM_CAP_NUM_PORTS) ? -EINVAL : 0;
}

/* mlx5_core: mlx5_core_roce_gid_set() */
static int
roce_address_set(struct swhca_udev *dev, unsigned int index, const struct swhca_gid *gid)
{
	/* ::ffff:0:0/96, RFC 4291 */
	static const uint8_t v4_mapped[12] = { [10] = 0xff, [11] = 0xff };
	uint8_t in[PRM_SET_ROCE_ADDRESS_IN_SIZE] = { 0 };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	uint8_t *addr = &in[PRM_SET_ROCE_ADDRESS_IN_ADDR_BYTE];
	bool is_v4 = memcmp(gid->raw, v4_mapped, sizeof(v4_mapped)) == 0;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_SET_ROCE_ADDRESS);
	prm_set(in, PRM_ROCE_ADDRESS_IN_INDEX, index);
	memcpy(addr, gid->raw, sizeof(gid->raw));
	swhca_ident_mac(dev->index, addr + PRM_ROCE_ADDR_MAC_BYTE);
	prm_set(addr, PRM_ROCE_ADDR_VERSION,
		gid->type == SWHCA_GID_ROCE_V2 ? PRM_ROCE_VERSION_2 : PRM_ROCE_VERSION_1);
	prm_set(addr, PRM_ROCE_ADDR_L3_TYPE,
		gid->type == SWHCA_GID_ROCE_V2 && !is_v4 ? PRM_ROCE_L3_TYPE_IPV6 :
							   PRM_ROCE_L3_TYPE_IPV4);
	return swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
}

int
swhca_uport_init(struct swhca_udev *dev)
{
	struct swhca_gid gid;
	unsigned int i;
	int ret = 0;

	if (!swhca_uport_is_eth(dev))
		return 0;
	for (i = 0; ret == 0 && swhca_ident_gid(swhca_conf_get(), dev->index, i, &gid); i++)
		ret = roce_address_set(dev, i, &gid);
	return ret;
}

int
swhca_uport_path_check(const struct swhca_udev *dev, uint8_t port, bool is_global,
		       uint8_t sgid_index)
{
	struct swhca_gid gid;

	if (swhca_uport_check(dev, port) != 0)
		return -EINVAL;
	if (!is_global) {
		/* ib_core: RoCE packets always have a global header. */
		return swhca_uport_is_eth(dev) ? -EINVAL : 0;
	}
	if (sgid_index >= swhca_ident_nb_gids(swhca_conf_get()))
		return -EINVAL;
	/* ib_core takes a reference on the entry of a RoCE port, which must exist. */
	if (swhca_uport_is_eth(dev) &&
	    !swhca_ident_gid(swhca_conf_get(), dev->index, sgid_index, &gid))
		return -ENOENT;
	return 0;
}

int
swhca_uport_resolve(const struct swhca_udev *dev, uint8_t sgid_index, const uint8_t dgid[16],
		    struct swhca_uroce_path *path)
{
	struct swhca_gid gid;

	if (!swhca_ident_gid(swhca_conf_get(), dev->index, sgid_index, &gid))
		return -ENOENT;
	if (swhca_gid_is_multicast(dgid)) {
		swhca_gid_multicast_mac(dgid, path->mac);
	} else if (!swhca_ident_resolve(swhca_conf_get(), dgid, path->mac)) {
		SWHCA_LOG(WARNING, "address %02x%02x:..:%02x%02x:%02x%02x: not found in the"
			  " fabric", dgid[0], dgid[1], dgid[12], dgid[13], dgid[14], dgid[15]);
		/* Final result of neighbor discovery (rdma_resolve_ip()). */
		return -EHOSTUNREACH;
	}
	path->is_v2 = gid.type == SWHCA_GID_ROCE_V2;
	return 0;
}
