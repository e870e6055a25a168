/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Counters of on-demand paging. Linux reports them only by RDMA netlink, for each region of all
 * processes ("rdma statistic show mr"; drivers/infiniband/core/nldev.c, hw/mlx5/restrack.c): the
 * list of regions contains their processes, the list of counters does not.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include "ring/log.h"
#include "ctrl/mr.h"

/* Timeout for a response of the kernel. */
#define MLX5_UMR_NL_TIMEOUT_S	2
/* Maximum length of a message of a dump (netlink_dump()). */
#define MLX5_UMR_NL_BUF_SIZE	32768u
#define MLX5_UMR_NL_MAX_ATTRS	3u
/* Netlink's own macros for these are signed. */
#define ATTR_HDR_SIZE		((uint16_t)sizeof(struct nlattr))
#define ATTR_TYPE_MASK		((uint16_t)NLA_TYPE_MASK)

struct nl_attr {
	uint16_t type;
	uint16_t len;
	const uint8_t *data;
};

struct odp_query {
	const char *name;	/* of the device */
	bool has_index;
	uint32_t index;
	uint32_t nb_mrns;	/* regions of this process */
	uint32_t size;
	uint32_t *mrns;
	struct rte_umr_odp_stats stats;
};

/** Parse a response. Returns 0 or a negative errno. */
typedef int (*nl_answer_t)(struct odp_query *query, const uint8_t *attrs, size_t len);

/** Next attribute of [*at, end); false at the end, or if it is truncated. */
static bool
attr_next(const uint8_t **at, const uint8_t *end, struct nl_attr *attr)
{
	struct nlattr hdr;

	if ((size_t)(end - *at) < ATTR_HDR_SIZE)
		return false;
	memcpy(&hdr, *at, sizeof(hdr));
	if (hdr.nla_len < ATTR_HDR_SIZE || hdr.nla_len > end - *at)
		return false;
	*attr = (struct nl_attr){
		.type = hdr.nla_type & ATTR_TYPE_MASK,
		.len = (uint16_t)(hdr.nla_len - ATTR_HDR_SIZE),
		.data = *at + ATTR_HDR_SIZE,
	};
	*at += RTE_MIN(RTE_ALIGN_CEIL((size_t)hdr.nla_len, (size_t)NLA_ALIGNTO),
		       (size_t)(end - *at));
	return true;
}

/** First attribute of a type. */
static bool
attr_find(const uint8_t *at, size_t len, uint16_t type, size_t min_len, struct nl_attr *attr)
{
	const uint8_t *end = at + len;

	while (attr_next(&at, end, attr))
		if (attr->type == type && attr->len >= min_len)
			return true;
	return false;
}

static bool
attr_find_u32(const uint8_t *at, size_t len, uint16_t type, uint32_t *value)
{
	struct nl_attr attr;

	if (!attr_find(at, len, type, sizeof(*value), &attr))
		return false;
	memcpy(value, attr.data, sizeof(*value));
	return true;
}

/** Whether an attribute equals this text, with or without its terminating zero. */
static bool
is_text(const struct nl_attr *attr, const char *text)
{
	size_t len = strlen(text);

	return attr->len >= len && memcmp(attr->data, text, len) == 0 &&
	       ((size_t)attr->len == len || attr->data[len] == '\0');
}

static int
device_answer(struct odp_query *query, const uint8_t *attrs, size_t len)
{
	struct nl_attr name;

	if (attr_find(attrs, len, RDMA_NLDEV_ATTR_DEV_NAME, 1, &name) &&
	    is_text(&name, query->name))
		query->has_index = attr_find_u32(attrs, len, RDMA_NLDEV_ATTR_DEV_INDEX,
						 &query->index);
	return 0;
}

/** Whether a thread belongs to this process: the kernel stores the thread that created a region. */
static bool
is_own(uint32_t pid)
{
	char path[64];

	if (pid == (uint32_t)getpid())
		return true;
	snprintf(path, sizeof(path), "/proc/self/task/%u", pid);
	return access(path, F_OK) == 0;
}

static int
mrn_add(struct odp_query *query, uint32_t mrn)
{
	uint32_t size = RTE_MAX(query->size * 2, 64u);
	void *mrns;

	if (query->nb_mrns == query->size) {
		mrns = realloc(query->mrns, size * sizeof(*query->mrns));
		if (mrns == NULL)
			return -ENOMEM;
		query->mrns = mrns;
		query->size = size;
	}
	query->mrns[query->nb_mrns++] = mrn;
	return 0;
}

static bool
mrn_is_known(const struct odp_query *query, uint32_t mrn)
{
	uint32_t i;

	for (i = 0; i < query->nb_mrns; i++)
		if (query->mrns[i] == mrn)
			return true;
	return false;
}

static int
regions_answer(struct odp_query *query, const uint8_t *attrs, size_t len)
{
	struct nl_attr table, entry;
	uint32_t mrn, pid;
	const uint8_t *at;
	int ret = 0;

	if (!attr_find(attrs, len, RDMA_NLDEV_ATTR_RES_MR, 0, &table))
		return 0;
	at = table.data;
	while (ret == 0 && attr_next(&at, table.data + table.len, &entry))
		if (entry.type == RDMA_NLDEV_ATTR_RES_MR_ENTRY &&
		    attr_find_u32(entry.data, entry.len, RDMA_NLDEV_ATTR_RES_PID, &pid) &&
		    attr_find_u32(entry.data, entry.len, RDMA_NLDEV_ATTR_RES_MRN, &mrn) &&
		    is_own(pid))
			ret = mrn_add(query, mrn);
	return ret;
}

static void
counter_add(struct rte_umr_odp_stats *stats, const struct nl_attr *counter)
{
	struct nl_attr name, attr;
	uint64_t value;

	if (!attr_find(counter->data, counter->len, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, 1,
		       &name) ||
	    !attr_find(counter->data, counter->len, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE,
		       sizeof(value), &attr))
		return;
	memcpy(&value, attr.data, sizeof(value));
	if (is_text(&name, "page_faults"))
		stats->nb_page_faults += value;
	else if (is_text(&name, "page_invalidations"))
		stats->nb_page_invalidations += value;
	else if (is_text(&name, "page_prefetch"))
		stats->nb_prefetches += value;
}

static int
counters_answer(struct odp_query *query, const uint8_t *attrs, size_t len)
{
	struct nl_attr table, entry, counters, counter;
	const uint8_t *at, *counter_at;
	uint32_t mrn;

	if (!attr_find(attrs, len, RDMA_NLDEV_ATTR_RES_MR, 0, &table))
		return 0;
	at = table.data;
	while (attr_next(&at, table.data + table.len, &entry)) {
		/* A region without on-demand paging has no counters. */
		if (!attr_find_u32(entry.data, entry.len, RDMA_NLDEV_ATTR_RES_MRN, &mrn) ||
		    !mrn_is_known(query, mrn) ||
		    !attr_find(entry.data, entry.len, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS, 1,
			       &counters))
			continue;
		query->stats.nb_regions++;
		counter_at = counters.data;
		while (attr_next(&counter_at, counters.data + counters.len, &counter))
			if (counter.type == RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY)
				counter_add(&query->stats, &counter);
	}
	return 0;
}

/**
 * Parse the messages of a buffer. Returns 1 at the end of the dump, 0 if more follow, or a negative
 * errno.
 */
static int
messages_read(struct odp_query *query, uint32_t seq, const uint8_t *buf, size_t len,
	      nl_answer_t answer)
{
	struct nlmsghdr hdr;
	int32_t error;
	int ret;

	while (len >= sizeof(hdr)) {
		memcpy(&hdr, buf, sizeof(hdr));
		if (hdr.nlmsg_len < sizeof(hdr) || hdr.nlmsg_len > len)
			return -EPROTO;
		if (hdr.nlmsg_seq == seq) {
			if (hdr.nlmsg_type == NLMSG_DONE)
				return 1;
			if (hdr.nlmsg_type == NLMSG_ERROR) {
				if (hdr.nlmsg_len < NLMSG_HDRLEN + sizeof(error))
					return -EPROTO;
				memcpy(&error, buf + NLMSG_HDRLEN, sizeof(error));
				return error < 0 ? error : -EPROTO;
			}
			ret = answer(query, buf + NLMSG_HDRLEN, hdr.nlmsg_len - NLMSG_HDRLEN);
			if (ret != 0)
				return ret;
		}
		buf += RTE_MIN((size_t)NLMSG_ALIGN(hdr.nlmsg_len), len);
		len -= RTE_MIN((size_t)NLMSG_ALIGN(hdr.nlmsg_len), len);
	}
	return 0;
}

/** A request with attributes of 4 bytes each: pairs of type and value. */
struct nl_request {
	struct nlmsghdr hdr;
	struct {
		struct nlattr hdr;
		uint32_t value;
	} attrs[MLX5_UMR_NL_MAX_ATTRS];
};

static int
nldev_dump(int fd, struct odp_query *query, uint16_t op, const uint32_t (*attrs)[2],
	   uint32_t nb_attrs, nl_answer_t answer)
{
	struct nl_request request = { 0 };
	uint8_t *buf;
	ssize_t len;
	uint32_t i;
	int ret;

	request.hdr = (struct nlmsghdr){
		.nlmsg_len = NLMSG_HDRLEN + nb_attrs * (uint32_t)sizeof(request.attrs[0]),
		.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, op),
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		.nlmsg_seq = op,
	};
	for (i = 0; i < nb_attrs; i++) {
		request.attrs[i].hdr.nla_type = (uint16_t)attrs[i][0];
		request.attrs[i].hdr.nla_len = sizeof(request.attrs[i]);
		request.attrs[i].value = attrs[i][1];
	}
	if (send(fd, &request, request.hdr.nlmsg_len, 0) < 0)
		return -errno;
	buf = malloc(MLX5_UMR_NL_BUF_SIZE);
	if (buf == NULL)
		return -ENOMEM;
	do {
		len = recv(fd, buf, MLX5_UMR_NL_BUF_SIZE, 0);
		ret = len == 0 ? -EPROTO : -errno;
		if (len > 0)
			ret = messages_read(query, request.hdr.nlmsg_seq, buf, (size_t)len, answer);
	} while (ret == 0 || ret == -EINTR);
	free(buf);
	return ret > 0 ? 0 : ret;
}

static int
query_run(int fd, struct odp_query *query)
{
	uint32_t attrs[2][2] = { { RDMA_NLDEV_ATTR_DEV_INDEX, 0 },
				 { RDMA_NLDEV_ATTR_STAT_RES, RDMA_NLDEV_ATTR_RES_MR } };
	int ret;

	ret = nldev_dump(fd, query, RDMA_NLDEV_CMD_GET, NULL, 0, device_answer);
	if (ret != 0)
		return ret;
	if (!query->has_index)
		return -ENODEV;
	attrs[0][1] = query->index;
	ret = nldev_dump(fd, query, RDMA_NLDEV_CMD_RES_MR_GET, attrs, 1, regions_answer);
	if (ret != 0)
		return ret;
	return nldev_dump(fd, query, RDMA_NLDEV_CMD_STAT_GET, attrs, 2, counters_answer);
}

int
mlx5_umr_odp_stats_read(const char *name, struct rte_umr_odp_stats *stats)
{
	const struct timeval timeout = { .tv_sec = MLX5_UMR_NL_TIMEOUT_S };
	struct odp_query query = { .name = name };
	int fd, ret;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	ret = query_run(fd, &query);
	close(fd);
	free(query.mrns);
	if (ret == 0)
		*stats = query.stats;
	return ret == -EAGAIN ? -ETIMEDOUT : ret;
}

int
mlx5_umr_odp_stats_get(struct rte_umr_dev *umr_dev, struct rte_umr_odp_stats *stats)
{
	int ret = mlx5_umr_odp_stats_read(umr_dev->name, stats);

	if (ret != 0)
		MLX5_UMR_DEV_LOG(ERR, umr_dev->name, "no counters of on-demand paging: %s",
				 strerror(-ret));
	return ret;
}
