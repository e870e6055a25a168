/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_NLDEV_ATTR_H
#define SWHCA_NLDEV_ATTR_H

/**
 * @file
 * Attributes of requests of RDMA netlink, with the type checks of Linux (nldev.c: nldev_policy;
 * lib/nlattr.c: validate_nla()).
 */

#include <stdbool.h>
#include <stdint.h>

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

/* Of newer kernels than the oldest supported build headers; the numbers are ABI. */
#define SWHCA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE (RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC + 1)
#define SWHCA_NLDEV_ATTR_DRIVER_DETAILS		  (RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC + 2)
#define SWHCA_NLDEV_ATTR_RES_SUBTYPE		  (RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC + 3)
#define SWHCA_NLDEV_ATTR_DEV_TYPE		  (RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC + 4)
#define SWHCA_NLDEV_ATTR_PARENT_NAME		  (RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC + 5)
#define SWHCA_NLDEV_ATTR_NAME_ASSIGN_TYPE	  (RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC + 6)
#define SWHCA_NLDEV_NB_ATTRS			  (RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC + 7)

/** Attributes of a request by type; the last of a type is used. */
struct swhca_nldev_attrs {
	/** Payload of each, unaligned; NULL: missing. */
	const uint8_t *data[SWHCA_NLDEV_NB_ATTRS];
	uint16_t len[SWHCA_NLDEV_NB_ATTRS];
	/** Error message, if any, and its position in the request; 0: none. */
	const char *error;
	uint32_t error_offset;
};

/**
 * Parse the attributes of a request.
 *
 * @param is_strict
 *   Reject unknown ones, as commands newer than Linux 5.2 do.
 * @return
 *   0 or -EINVAL.
 */
int swhca_nldev_attrs_read(const struct nlmsghdr *request, bool is_strict,
			   struct swhca_nldev_attrs *attrs);

/** @return false if it is missing. */
bool swhca_nldev_attr_u32(const struct swhca_nldev_attrs *attrs, uint16_t type, uint32_t *value);

#endif /* SWHCA_NLDEV_ATTR_H */
