/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_netlink.h>

#include "front/uverbs/nldev.h"
#include "swhca_conf.h"
#include "swhca_hca.h"
#include "swhca_ident.h"
#include "swhca_log.h"
#include "swhca_uverbs.h"

/* Of an answer; the kernel's are of a page or more. */
#define ANSWER_SIZE	4096u
/* An entry of a region, with room to spare. */
#define ENTRY_SIZE	256u

/* Linux, enum rdma_node_type: RDMA_NODE_IB_CA. */
#define NODE_TYPE_CA	1u
/* Namespaces of the network share all devices, the default of ib_core (netns_mode). */
#define NETNS_SHARED	1u

#define NLDEV_TYPE(op)	RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, op)

/* An answer while it is written. Attributes begin on 4 bytes, as the writer keeps them. */
struct answer {
	int peer;
	uint32_t port;		/* Who asked. */
	uint32_t seq;
	uint16_t type;
	uint16_t flags;		/* NLM_F_MULTI while it is one of several. */
	uint32_t len;
	_Alignas(struct nlmsghdr) uint8_t bytes[ANSWER_SIZE];
};

/* Writing */

static void
answer_begin(struct answer *answer)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)answer->bytes;

	*hdr = (struct nlmsghdr){
		.nlmsg_type = answer->type,
		.nlmsg_flags = answer->flags,
		.nlmsg_seq = answer->seq,
		.nlmsg_pid = answer->port,
	};
	answer->len = NLMSG_HDRLEN;
}

static void
answer_send(struct answer *answer)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)answer->bytes;

	hdr->nlmsg_len = answer->len;
	if (send(answer->peer, answer->bytes, answer->len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		SWHCA_LOG(WARNING, "netlink: an answer of %u bytes is lost: %s", answer->len,
			  strerror(errno));
}

static void
attr_put(struct answer *answer, uint16_t type, const void *data, size_t len)
{
	struct nlattr attr = { .nla_len = (uint16_t)(NLA_HDRLEN + len), .nla_type = type };
	uint8_t *at = answer->bytes + answer->len;

	memset(at, 0, NLA_ALIGN(attr.nla_len));
	memcpy(at, &attr, sizeof(attr));
	if (len > 0)
		memcpy(at + NLA_HDRLEN, data, len);
	answer->len += NLA_ALIGN(attr.nla_len);
}

static void
attr_put_u32(struct answer *answer, uint16_t type, uint32_t value)
{
	attr_put(answer, type, &value, sizeof(value));
}

static void
attr_put_u64(struct answer *answer, uint16_t type, uint64_t value)
{
	attr_put(answer, type, &value, sizeof(value));
}

static void
attr_put_u8(struct answer *answer, uint16_t type, uint8_t value)
{
	attr_put(answer, type, &value, sizeof(value));
}

static void
attr_put_string(struct answer *answer, uint16_t type, const char *text)
{
	attr_put(answer, type, text, strlen(text) + 1);
}

/* Attributes in an attribute. @return Where it begins, for nest_end(). */
static uint32_t
nest_begin(struct answer *answer, uint16_t type)
{
	uint32_t start = answer->len;

	attr_put(answer, type, NULL, 0);
	return start;
}

static void
nest_end(struct answer *answer, uint32_t start)
{
	uint16_t len = (uint16_t)(answer->len - start);

	memcpy(answer->bytes + start, &len, sizeof(len));
}

static void
handle_put(struct answer *answer, unsigned int index)
{
	char name[16];

	snprintf(name, sizeof(name), "mlx5_%u", index);
	attr_put_u32(answer, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	attr_put_string(answer, RDMA_NLDEV_ATTR_DEV_NAME, name);
}

static void
counter_put(struct answer *answer, const char *name, uint64_t value)
{
	uint32_t start = nest_begin(answer, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);

	attr_put_string(answer, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, name);
	attr_put_u64(answer, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE, value);
	nest_end(answer, start);
}

/* Attributes of a request */

/* Payload of an attribute and its length, or NULL. */
static const void *
attr_find(const struct nlmsghdr *request, uint16_t type, size_t *len)
{
	const uint8_t *at = (const uint8_t *)request + NLMSG_HDRLEN;
	const uint8_t *end = (const uint8_t *)request + request->nlmsg_len;
	struct nlattr attr;

	while (end - at >= (ptrdiff_t)NLA_HDRLEN) {
		memcpy(&attr, at, sizeof(attr));
		if (attr.nla_len < NLA_HDRLEN || attr.nla_len > end - at)
			return NULL;
		if ((attr.nla_type & NLA_TYPE_MASK) == type) {
			*len = (size_t)(attr.nla_len - NLA_HDRLEN);
			return at + NLA_HDRLEN;
		}
		if ((ptrdiff_t)NLA_ALIGN(attr.nla_len) > end - at)
			return NULL;
		at += NLA_ALIGN(attr.nla_len);
	}
	return NULL;
}

static int
attr_u32(const struct nlmsghdr *request, uint16_t type, uint32_t *value)
{
	const void *data;
	size_t len = 0;

	data = attr_find(request, type, &len);
	if (data == NULL || len != sizeof(*value))
		return -EINVAL;
	memcpy(value, data, sizeof(*value));
	return 0;
}

/* Whether an attribute is that text. */
static bool
attr_is(const struct nlmsghdr *request, uint16_t type, const char *text)
{
	const void *data;
	size_t len = 0;

	data = attr_find(request, type, &len);
	return data != NULL && len == strlen(text) + 1 && memcmp(data, text, len) == 0;
}

/* The device that a request names. */
static int
device_of(const struct nlmsghdr *request, uint32_t *index)
{
	if (attr_u32(request, RDMA_NLDEV_ATTR_DEV_INDEX, index) != 0 ||
	    *index >= swhca_uverbs_nb_devices() || swhca_uverbs_is_removed(*index))
		return -EINVAL;
	return 0;
}

/* Answers, as the functions of nldev.c with such names give them */

/* fill_dev_info() */
static void
device_put(struct answer *answer, unsigned int index)
{
	const struct swhca_conf *conf = swhca_conf_get();
	char fw[SWHCA_IDENT_NAME_SIZE];

	handle_put(answer, index);
	attr_put_u32(answer, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	swhca_ident_fw(conf, fw);
	attr_put_string(answer, RDMA_NLDEV_ATTR_FW_VERSION, fw);
	attr_put_u64(answer, RDMA_NLDEV_ATTR_NODE_GUID, swhca_ident_guid(index));
	attr_put_u64(answer, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, swhca_ident_guid(index));
	attr_put_u8(answer, RDMA_NLDEV_ATTR_DEV_NODE_TYPE, NODE_TYPE_CA);
	attr_put_string(answer, RDMA_NLDEV_ATTR_DEV_PROTOCOL,
			conf->link_layer == SWHCA_LINK_ETH ? "roce" : "ib");
}

static int
device_get(const struct nlmsghdr *request, struct answer *answer)
{
	uint32_t index;

	if (device_of(request, &index) != 0)
		return -EINVAL;
	answer_begin(answer);
	device_put(answer, index);
	answer_send(answer);
	return 0;
}

static int
devices_dump(const struct nlmsghdr *request, struct answer *answer)
{
	unsigned int i;

	(void)request;
	for (i = 0; i < swhca_uverbs_nb_devices(); i++) {
		if (swhca_uverbs_is_removed(i))
			continue;
		answer_begin(answer);
		device_put(answer, i);
		answer_send(answer);
	}
	return 0;
}

/* huge_encode_dev() of Linux: 12 bits of the major number between 8 and 12 of the minor one. */
static uint64_t
chardev_encode(unsigned int major, unsigned int minor)
{
	return (minor & 0xff) | (uint64_t)major << 8 | (uint64_t)(minor & ~0xffu) << 12;
}

/* nldev_get_chardev(): the file of a device that libibverbs opens; there is no other kind. */
static int
chardev_get(const struct nlmsghdr *request, struct answer *answer)
{
	char name[16];
	uint32_t index;

	if (!attr_is(request, RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs") ||
	    device_of(request, &index) != 0)
		return -EINVAL;
	answer_begin(answer);
	attr_put_u32(answer, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, RDMA_DRIVER_MLX5);
	attr_put_u64(answer, RDMA_NLDEV_ATTR_CHARDEV,
		     chardev_encode(SWHCA_UVERBS_MAJOR, SWHCA_UVERBS_BASE_MINOR + index));
	attr_put_u64(answer, RDMA_NLDEV_ATTR_CHARDEV_ABI, SWHCA_UVERBS_DRIVER_ABI);
	snprintf(name, sizeof(name), "uverbs%u", index);
	attr_put_string(answer, RDMA_NLDEV_ATTR_CHARDEV_NAME, name);
	answer_send(answer);
	return 0;
}

/*
 * nldev_sys_get_doit(): what holds for all devices. A fork(2) leaves to the parent the pages that
 * devices use since Linux 5.12; that they need no madvise(2) is what libibverbs wants to know. Here
 * it holds anyway, for the devices reach memory by the addresses of the parent.
 */
static int
system_get(const struct nlmsghdr *request, struct answer *answer)
{
	(void)request;
	answer_begin(answer);
	attr_put_u8(answer, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, NETNS_SHARED);
	if (!swhca_conf_get()->is_fork_unsafe)
		attr_put_u8(answer, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 1);
	answer_send(answer);
	return 0;
}

static void
region_put(struct answer *answer, const struct swhca_hca_odp_stats *stats, bool has_counters)
{
	uint32_t start = nest_begin(answer, RDMA_NLDEV_ATTR_RES_MR_ENTRY), table;

	attr_put_u32(answer, RDMA_NLDEV_ATTR_RES_MRN, stats->key);
	if (has_counters) {
		table = nest_begin(answer, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
		counter_put(answer, "page_faults", stats->nb_faults);
		counter_put(answer, "page_invalidations", stats->nb_invalidations);
		counter_put(answer, "page_prefetch", stats->nb_prefetches);
		nest_end(answer, table);
	} else {
		attr_put_u32(answer, RDMA_NLDEV_ATTR_RES_PID, (uint32_t)getpid());
	}
	nest_end(answer, start);
}

/* nldev_res_get_mr_dumpit(), and with counters what nldev_stat_get_dumpit() makes of it. */
static int
regions_put(struct answer *answer, unsigned int index, bool has_counters)
{
	unsigned int nb = swhca_uverbs_odp_stats(index, NULL, 0), max = nb, i;
	struct swhca_hca_odp_stats *stats = calloc(max + 1, sizeof(*stats));
	uint32_t table = 0;

	if (stats == NULL)
		return -ENOMEM;
	nb = swhca_uverbs_odp_stats(index, stats, max);
	nb = nb < max ? nb : max;
	/* The answer is that of the list of regions, also with counters. */
	answer->type = NLDEV_TYPE(RDMA_NLDEV_CMD_RES_MR_GET);
	for (i = 0; i < nb; i++) {
		if (table == 0) {
			answer_begin(answer);
			handle_put(answer, index);
			table = nest_begin(answer, RDMA_NLDEV_ATTR_RES_MR);
		}
		region_put(answer, &stats[i], has_counters);
		if (i + 1 < nb && answer->len + ENTRY_SIZE < ANSWER_SIZE)
			continue;
		nest_end(answer, table);
		answer_send(answer);
		table = 0;
	}
	free(stats);
	return 0;
}

static int
regions_dump(const struct nlmsghdr *request, struct answer *answer)
{
	uint32_t index;

	if (device_of(request, &index) != 0)
		return -EINVAL;
	return regions_put(answer, index, false);
}

static int
counters_dump(const struct nlmsghdr *request, struct answer *answer)
{
	uint32_t index, what;

	if (device_of(request, &index) != 0 ||
	    attr_u32(request, RDMA_NLDEV_ATTR_STAT_RES, &what) != 0 ||
	    what != RDMA_NLDEV_ATTR_RES_MR)
		return -EINVAL;
	return regions_put(answer, index, true);
}

/* Write the answer, or the answers, to a request. @return 0 or a negative errno. */
typedef int (*answer_t)(const struct nlmsghdr *request, struct answer *answer);

struct op {
	uint16_t type;
	answer_t get;
	answer_t dump;
};

static const struct op ops[] = {
	{ NLDEV_TYPE(RDMA_NLDEV_CMD_GET), device_get, devices_dump },
	{ NLDEV_TYPE(RDMA_NLDEV_CMD_SYS_GET), system_get, NULL },
	{ NLDEV_TYPE(RDMA_NLDEV_CMD_GET_CHARDEV), chardev_get, NULL },
	{ NLDEV_TYPE(RDMA_NLDEV_CMD_RES_MR_GET), NULL, regions_dump },
	{ NLDEV_TYPE(RDMA_NLDEV_CMD_STAT_GET), NULL, counters_dump },
};

static bool
is_dump(const struct nlmsghdr *request)
{
	return (request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
}

static int
request_run(const struct nlmsghdr *request, struct answer *answer)
{
	answer_t run;
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (ops[i].type != request->nlmsg_type)
			continue;
		run = is_dump(request) ? ops[i].dump : ops[i].get;
		return run != NULL ? run(request, answer) : -EOPNOTSUPP;
	}
	return -EOPNOTSUPP;
}

/* A dump ends with a message; so does what cannot be done, and who wants to know that it was. */
void
swhca_nldev_request(const struct nlmsghdr *request, uint32_t port, int peer)
{
	struct answer answer = {
		.peer = peer,
		.port = port,
		.seq = request->nlmsg_seq,
		.type = request->nlmsg_type,
		.flags = is_dump(request) ? NLM_F_MULTI : 0,
	};
	struct nlmsgerr error = { .msg = *request };
	int32_t done = 0;

	error.error = request_run(request, &answer);
	if (error.error == 0 && answer.flags == 0 && (request->nlmsg_flags & NLM_F_ACK) == 0)
		return;
	if (error.error == 0 && answer.flags != 0) {
		answer.type = NLMSG_DONE;
		answer_begin(&answer);
		memcpy(answer.bytes + answer.len, &done, sizeof(done));
		answer.len += sizeof(done);
	} else {
		answer.type = NLMSG_ERROR;
		answer_begin(&answer);
		memcpy(answer.bytes + answer.len, &error, sizeof(error));
		answer.len += sizeof(error);
	}
	answer_send(&answer);
}
