/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_NLDEV_CALL_H
#define SWHCA_NLDEV_CALL_H

/**
 * @file
 * A request of RDMA netlink being answered.
 */

#include "front/uverbs/nl/nl_msg.h"
#include "front/uverbs/nl/nldev.h"
#include "front/uverbs/nl/nldev_attr.h"

/** The port of a device that has one. */
#define SWHCA_NLDEV_PORT 1u

#define NLDEV_TYPE(op)	RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, op)

/** A request, and the packet of its answers. */
struct swhca_nldev_call {
	const struct nlmsghdr *request;
	const struct swhca_nldev_peer *peer;
	struct swhca_nldev_attrs attrs;
	struct swhca_nl_packet packet;
};

/** Write the answer, or answers, to a request. @return 0 or a negative errno. */
typedef int (*swhca_nldev_answer_t)(struct swhca_nldev_call *call);

/** A command. */
struct swhca_nldev_op {
	uint16_t type;
	swhca_nldev_answer_t get;
	swhca_nldev_answer_t dump;	/**< NULL: it has no list. */
	bool is_admin;		/**< Requires CAP_NET_ADMIN (RDMA_NL_ADMIN_PERM). */
	/** Attributes are checked strictly (nlmsg_parse(), not nlmsg_parse_deprecated()). */
	bool is_strict;
};

struct swhca_nldev_ops {
	const struct swhca_nldev_op *list;
	size_t nb;
};

/**
 * Check whether the answer is a list. As in ib_core, one of the two bits of NLM_F_DUMP is enough.
 */
bool swhca_nldev_is_dump(const struct swhca_nldev_call *call);
/** Check whether the caller is privileged (CAP_NET_ADMIN). */
bool swhca_nldev_is_admin(void);
/** Begin an answer of a type: one of a list, or the only one. */
void swhca_nldev_begin(struct swhca_nldev_call *call, uint16_t type);
/** Send the packet unless it is empty. */
void swhca_nldev_flush(struct swhca_nldev_call *call);
/** Number and name of a device. */
void swhca_nldev_handle_put(struct swhca_nldev_call *call, uint32_t index);
/** Get the device of a request. @return 0 or -EINVAL. */
int swhca_nldev_device(const struct swhca_nldev_call *call, uint32_t *index);
/** Get the port of a request, 0: none. @return 0 or -EINVAL: no device has it. */
int swhca_nldev_port(const struct swhca_nldev_call *call, uint32_t *port);

#endif /* SWHCA_NLDEV_CALL_H */
