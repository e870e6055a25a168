/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef UVERBS_REQUEST_H
#define UVERBS_REQUEST_H

/* Requests to the device file without libibverbs: header, followed by attributes. */

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>

#include <rdma/rdma_user_ioctl_cmds.h>

#define MAX_ATTRS 12

/* attrs contains output attributes of the kernel afterwards. @return 0 or errno. */
static inline int
uverbs_request_inout(int fd, uint16_t object, uint16_t method, struct ib_uverbs_attr *attrs,
		     unsigned int nb)
{
	union {
		struct ib_uverbs_ioctl_hdr hdr;
		uint8_t bytes[sizeof(struct ib_uverbs_ioctl_hdr) +
			      MAX_ATTRS * sizeof(struct ib_uverbs_attr)];
	} req = {
		.hdr = {
			.length = (uint16_t)(sizeof(req.hdr) + nb * sizeof(*attrs)),
			.object_id = object, .method_id = method, .num_attrs = (uint16_t)nb,
			.driver_id = RDMA_DRIVER_MLX5,
		},
	};
	int ret;

	memcpy(req.bytes + sizeof(req.hdr), attrs, nb * sizeof(*attrs));
	ret = ioctl(fd, RDMA_VERBS_IOCTL, &req) == 0 ? 0 : errno;
	memcpy(attrs, req.bytes + sizeof(req.hdr), nb * sizeof(*attrs));
	return ret;
}

/* @return 0 or errno. */
static inline int
uverbs_request(int fd, uint16_t object, uint16_t method, const struct ib_uverbs_attr *attrs,
	       unsigned int nb)
{
	struct ib_uverbs_attr copy[MAX_ATTRS];

	memcpy(copy, attrs, nb * sizeof(*attrs));
	return uverbs_request_inout(fd, object, method, copy, nb);
}

#endif /* UVERBS_REQUEST_H */
