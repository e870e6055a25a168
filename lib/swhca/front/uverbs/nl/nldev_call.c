/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "front/uverbs/dev/dev.h"
#include "front/uverbs/nl/nl_msg.h"
#include "front/uverbs/nl/nldev_attr.h"
#include "front/uverbs/nl/nldev_call.h"

bool
swhca_nldev_is_dump(const struct swhca_nldev_call *call)
{
	return (call->request->nlmsg_flags & NLM_F_DUMP) != 0;
}

void
swhca_nldev_begin(struct swhca_nldev_call *call, uint16_t type)
{
	const struct nlmsghdr hdr = {
		.nlmsg_type = type,
		.nlmsg_flags = swhca_nldev_is_dump(call) ? NLM_F_MULTI : 0,
		.nlmsg_seq = call->request->nlmsg_seq,
		.nlmsg_pid = call->peer->port,
	};

	swhca_nl_begin(&call->packet, &hdr);
}

void
swhca_nldev_flush(struct swhca_nldev_call *call)
{
	if (call->packet.len > 0)
		call->peer->send(call->peer->arg, call->packet.bytes, call->packet.len);
	call->packet.len = 0;
}

/* fill_nldev_handle() */
void
swhca_nldev_handle_put(struct swhca_nldev_call *call, uint32_t index)
{
	char name[16];

	snprintf(name, sizeof(name), "mlx5_%u", index);
	swhca_nl_put_u32(&call->packet, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	swhca_nl_put_string(&call->packet, RDMA_NLDEV_ATTR_DEV_NAME, name);
}

int
swhca_nldev_device(const struct swhca_nldev_call *call, uint32_t *index)
{
	if (!swhca_nldev_attr_u32(&call->attrs, RDMA_NLDEV_ATTR_DEV_INDEX, index) ||
	    *index >= swhca_udev_nb() || swhca_udev_is_removed(*index))
		return -EINVAL;
	return 0;
}

int
swhca_nldev_port(const struct swhca_nldev_call *call, uint32_t *port)
{
	*port = 0;
	if (!swhca_nldev_attr_u32(&call->attrs, RDMA_NLDEV_ATTR_PORT_INDEX, port))
		return 0;
	return *port == SWHCA_NLDEV_PORT ? 0 : -EINVAL;
}

/* CAP_NET_ADMIN of this process (netlink_capable()). */
bool
swhca_nldev_is_admin(void)
{
	struct __user_cap_header_struct hdr = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return syscall(SYS_capget, &hdr, data) == 0 &&
	       (data[CAP_TO_INDEX(CAP_NET_ADMIN)].effective & CAP_TO_MASK(CAP_NET_ADMIN)) != 0;
}
