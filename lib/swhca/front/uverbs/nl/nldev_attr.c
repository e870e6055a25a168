/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>

#include "front/uverbs/nl/nl_msg.h"
#include "front/uverbs/nl/nldev_attr.h"

/* Type of an attribute. UNSPEC is not allowed in requests. */
enum kind {
	UNSPEC,
	U8,
	U32,
	U64,
	STRING,
	NESTED,
	ANY,
};

#define ATTR(name, kind) [RDMA_NLDEV_##name] = (kind)

static const uint8_t kinds[SWHCA_NLDEV_NB_ATTRS] = {
	ATTR(ATTR_DEV_INDEX, U32), ATTR(ATTR_DEV_NAME, STRING), ATTR(ATTR_PORT_INDEX, U32),
	ATTR(ATTR_FW_VERSION, STRING), ATTR(ATTR_NODE_GUID, U64), ATTR(ATTR_SYS_IMAGE_GUID, U64),
	ATTR(ATTR_SUBNET_PREFIX, U64), ATTR(ATTR_LID, U32), ATTR(ATTR_SM_LID, U32),
	ATTR(ATTR_LMC, U8), ATTR(ATTR_PORT_STATE, U8), ATTR(ATTR_PORT_PHYS_STATE, U8),
	ATTR(ATTR_DEV_NODE_TYPE, U8), ATTR(ATTR_RES_SUMMARY, NESTED),
	ATTR(ATTR_RES_SUMMARY_ENTRY, NESTED), ATTR(ATTR_RES_SUMMARY_ENTRY_NAME, STRING),
	ATTR(ATTR_RES_SUMMARY_ENTRY_CURR, U64), ATTR(ATTR_RES_QP, NESTED),
	ATTR(ATTR_RES_QP_ENTRY, NESTED), ATTR(ATTR_RES_LQPN, U32), ATTR(ATTR_RES_RQPN, U32),
	ATTR(ATTR_RES_RQ_PSN, U32), ATTR(ATTR_RES_SQ_PSN, U32),
	ATTR(ATTR_RES_PATH_MIG_STATE, U8), ATTR(ATTR_RES_TYPE, U8), ATTR(ATTR_RES_STATE, U8),
	ATTR(ATTR_RES_PID, U32), ATTR(ATTR_RES_KERN_NAME, STRING), ATTR(ATTR_RES_CM_ID, NESTED),
	ATTR(ATTR_RES_CM_ID_ENTRY, NESTED), ATTR(ATTR_RES_PS, U32), ATTR(ATTR_RES_SRC_ADDR, ANY),
	ATTR(ATTR_RES_DST_ADDR, ANY), ATTR(ATTR_RES_CQ, NESTED), ATTR(ATTR_RES_CQ_ENTRY, NESTED),
	ATTR(ATTR_RES_CQE, U32), ATTR(ATTR_RES_USECNT, U64), ATTR(ATTR_RES_POLL_CTX, U8),
	ATTR(ATTR_RES_MR, NESTED), ATTR(ATTR_RES_MR_ENTRY, NESTED), ATTR(ATTR_RES_RKEY, U32),
	ATTR(ATTR_RES_LKEY, U32), ATTR(ATTR_RES_IOVA, U64), ATTR(ATTR_RES_MRLEN, U64),
	ATTR(ATTR_RES_PD, NESTED), ATTR(ATTR_RES_PD_ENTRY, NESTED),
	ATTR(ATTR_RES_LOCAL_DMA_LKEY, U32), ATTR(ATTR_RES_UNSAFE_GLOBAL_RKEY, U32),
	ATTR(ATTR_NDEV_INDEX, U32), ATTR(ATTR_NDEV_NAME, STRING), ATTR(ATTR_DRIVER, NESTED),
	ATTR(ATTR_DRIVER_ENTRY, NESTED), ATTR(ATTR_DRIVER_STRING, STRING),
	ATTR(ATTR_DRIVER_PRINT_TYPE, U8), ATTR(ATTR_DRIVER_S32, U32), ATTR(ATTR_DRIVER_U32, U32),
	ATTR(ATTR_DRIVER_S64, U64), ATTR(ATTR_DRIVER_U64, U64), ATTR(ATTR_RES_PDN, U32),
	ATTR(ATTR_RES_CQN, U32), ATTR(ATTR_RES_MRN, U32), ATTR(ATTR_RES_CM_IDN, U32),
	ATTR(ATTR_RES_CTXN, U32), ATTR(ATTR_LINK_TYPE, STRING), ATTR(SYS_ATTR_NETNS_MODE, U8),
	ATTR(ATTR_DEV_PROTOCOL, STRING), ATTR(NET_NS_FD, U32), ATTR(ATTR_CHARDEV_TYPE, STRING),
	ATTR(ATTR_CHARDEV_NAME, STRING), ATTR(ATTR_CHARDEV_ABI, U64), ATTR(ATTR_CHARDEV, U64),
	ATTR(ATTR_UVERBS_DRIVER_ID, U32), ATTR(ATTR_STAT_MODE, U32), ATTR(ATTR_STAT_RES, U32),
	ATTR(ATTR_STAT_AUTO_MODE_MASK, U32), ATTR(ATTR_STAT_COUNTER, NESTED),
	ATTR(ATTR_STAT_COUNTER_ENTRY, NESTED), ATTR(ATTR_STAT_COUNTER_ID, U32),
	ATTR(ATTR_STAT_HWCOUNTERS, NESTED), ATTR(ATTR_STAT_HWCOUNTER_ENTRY, NESTED),
	ATTR(ATTR_STAT_HWCOUNTER_ENTRY_NAME, STRING), ATTR(ATTR_STAT_HWCOUNTER_ENTRY_VALUE, U64),
	ATTR(ATTR_DEV_DIM, U8), ATTR(ATTR_RES_RAW, ANY), ATTR(ATTR_RES_CTX, NESTED),
	ATTR(ATTR_RES_CTX_ENTRY, NESTED), ATTR(ATTR_RES_SRQ, NESTED),
	ATTR(ATTR_RES_SRQ_ENTRY, NESTED), ATTR(ATTR_RES_SRQN, U32), ATTR(ATTR_MIN_RANGE, U32),
	ATTR(ATTR_MAX_RANGE, U32), ATTR(SYS_ATTR_COPY_ON_FORK, U8),
	ATTR(ATTR_STAT_HWCOUNTER_INDEX, U32), ATTR(ATTR_STAT_HWCOUNTER_DYNAMIC, U8),
	[SWHCA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE] = U8,
	[SWHCA_NLDEV_ATTR_DRIVER_DETAILS] = U8,
	[SWHCA_NLDEV_ATTR_RES_SUBTYPE] = STRING,
	[SWHCA_NLDEV_ATTR_DEV_TYPE] = U8,
	[SWHCA_NLDEV_ATTR_PARENT_NAME] = STRING,
	[SWHCA_NLDEV_ATTR_NAME_ASSIGN_TYPE] = U8,
};

static bool
is_text(const uint8_t *data, size_t len)
{
	return len > 0 && memchr(data, '\0', len) != NULL;
}

/* validate_nla(). Excess length is an error only in strict mode. */
static const char *
attr_check(uint8_t kind, const uint8_t *data, size_t len, bool is_nest, bool is_strict)
{
	static const uint8_t sizes[] = { [U8] = 1, [U32] = 4, [U64] = 8, [ANY] = 0 };

	if (kind == STRING)
		return is_text(data, len) ? NULL : "Attribute failed policy validation";
	if (kind == NESTED) {
		if (is_strict && !is_nest)
			return "NLA_F_NESTED is missing";
		return len == 0 || len >= NLA_HDRLEN ? NULL : "Attribute failed policy validation";
	}
	if (len < sizes[kind] || (is_strict && kind != ANY && len != sizes[kind]))
		return "Attribute failed policy validation";
	return NULL;
}

static int
attr_reject(struct swhca_nldev_attrs *attrs, const char *error, uint32_t offset)
{
	attrs->error = error;
	attrs->error_offset = offset;
	return -EINVAL;
}

static int
attr_read(struct swhca_nldev_attrs *attrs, const uint8_t *at, const struct nlattr *attr,
	  bool is_strict, uint32_t offset)
{
	uint16_t type = attr->nla_type & NLA_TYPE_MASK;
	uint16_t len = (uint16_t)(attr->nla_len - NLA_HDRLEN);
	const char *error;

	if (type == 0 || type >= SWHCA_NLDEV_NB_ATTRS || kinds[type] == UNSPEC)
		return is_strict ? attr_reject(attrs, "Unknown attribute type", offset) : 0;
	error = attr_check(kinds[type], at + NLA_HDRLEN, len,
			   (attr->nla_type & NLA_F_NESTED) != 0, is_strict);
	if (error != NULL)
		return attr_reject(attrs, error, offset);
	attrs->data[type] = at + NLA_HDRLEN;
	attrs->len[type] = len;
	return 0;
}

int
swhca_nldev_attrs_read(const struct nlmsghdr *request, bool is_strict,
		       struct swhca_nldev_attrs *attrs)
{
	const uint8_t *first = (const uint8_t *)request;
	const uint8_t *next = first + NLMSG_HDRLEN, *at;
	size_t left = request->nlmsg_len - NLMSG_HDRLEN;
	struct nlattr attr;
	int ret;

	memset(attrs, 0, sizeof(*attrs));
	while ((at = swhca_nl_next(&next, &left, &attr)) != NULL) {
		ret = attr_read(attrs, at, &attr, is_strict, (uint32_t)(at - first));
		if (ret != 0)
			return ret;
	}
	if (left > 0 && is_strict)
		return attr_reject(attrs, "bytes leftover after parsing attributes", 0);
	return 0;
}

bool
swhca_nldev_attr_u32(const struct swhca_nldev_attrs *attrs, uint16_t type, uint32_t *value)
{
	if (attrs->data[type] == NULL)
		return false;
	memcpy(value, attrs->data[type], sizeof(*value));
	return true;
}
