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

#include <rdma/rdma_netlink.h>

#include "front/uverbs/nldev.h"
#include "swhca_hca.h"
#include "swhca_log.h"
#include "swhca_uverbs.h"

/* Of an answer; the kernel's are of a page or more. */
#define ANSWER_SIZE	4096u
/* An entry of a region, with room to spare. */
#define ENTRY_SIZE	256u

#define NLDEV_TYPE(op)	RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, op)

/* An answer while it is written. Attributes begin on 4 bytes, as the writer keeps them. */
struct answer {
	int peer;
	uint32_t seq;
	uint16_t type;
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
		.nlmsg_flags = NLM_F_MULTI,
		.nlmsg_seq = answer->seq,
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
	int len = snprintf(name, sizeof(name), "mlx5_%u", index);

	attr_put_u32(answer, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	attr_put(answer, RDMA_NLDEV_ATTR_DEV_NAME, name, (size_t)len + 1);
}

static void
counter_put(struct answer *answer, const char *name, uint64_t value)
{
	uint32_t start = nest_begin(answer, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);

	attr_put(answer, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, name, strlen(name) + 1);
	attr_put(answer, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE, &value, sizeof(value));
	nest_end(answer, start);
}

/* Answers */

static void
devices_dump(struct answer *answer)
{
	unsigned int i;

	for (i = 0; i < swhca_uverbs_nb_devices(); i++) {
		if (swhca_uverbs_is_removed(i))
			continue;
		answer_begin(answer);
		handle_put(answer, i);
		answer_send(answer);
	}
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

static int
regions_dump(struct answer *answer, unsigned int index, bool has_counters)
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

/* An attribute of 32 bits of a request. @return 0 or -EINVAL: it is not there. */
static int
attr_u32(const struct nlmsghdr *hdr, uint16_t type, uint32_t *value)
{
	const uint8_t *at = (const uint8_t *)hdr + NLMSG_HDRLEN;
	const uint8_t *end = (const uint8_t *)hdr + hdr->nlmsg_len;
	struct nlattr attr;

	while (end - at >= (ptrdiff_t)NLA_HDRLEN) {
		memcpy(&attr, at, sizeof(attr));
		if (attr.nla_len < NLA_HDRLEN || attr.nla_len > end - at)
			return -EINVAL;
		if ((attr.nla_type & NLA_TYPE_MASK) == type &&
		    attr.nla_len == (int)(NLA_HDRLEN + sizeof(*value))) {
			memcpy(value, at + NLA_HDRLEN, sizeof(*value));
			return 0;
		}
		if ((ptrdiff_t)NLA_ALIGN(attr.nla_len) > end - at)
			return -EINVAL;
		at += NLA_ALIGN(attr.nla_len);
	}
	return -EINVAL;
}

static int
request_run(const struct nlmsghdr *hdr, struct answer *answer)
{
	uint32_t index, what;
	bool has_counters = hdr->nlmsg_type == NLDEV_TYPE(RDMA_NLDEV_CMD_STAT_GET);

	if ((hdr->nlmsg_flags & NLM_F_DUMP) != NLM_F_DUMP)
		return -EOPNOTSUPP;
	if (hdr->nlmsg_type == NLDEV_TYPE(RDMA_NLDEV_CMD_GET)) {
		devices_dump(answer);
		return 0;
	}
	if (!has_counters && hdr->nlmsg_type != NLDEV_TYPE(RDMA_NLDEV_CMD_RES_MR_GET))
		return -EOPNOTSUPP;
	if (attr_u32(hdr, RDMA_NLDEV_ATTR_DEV_INDEX, &index) != 0 ||
	    index >= swhca_uverbs_nb_devices() || swhca_uverbs_is_removed(index))
		return -EINVAL;
	if (has_counters && (attr_u32(hdr, RDMA_NLDEV_ATTR_STAT_RES, &what) != 0 ||
			     what != RDMA_NLDEV_ATTR_RES_MR))
		return -EINVAL;
	return regions_dump(answer, index, has_counters);
}

/* A dump ends with a message; so does what cannot be done. */
void
swhca_nldev_request(const struct nlmsghdr *hdr, int peer)
{
	struct answer answer = { .peer = peer, .seq = hdr->nlmsg_seq, .type = hdr->nlmsg_type };
	struct nlmsgerr error = { .msg = *hdr };
	int32_t done = 0;

	error.error = request_run(hdr, &answer);
	answer.type = error.error == 0 ? NLMSG_DONE : NLMSG_ERROR;
	answer_begin(&answer);
	if (error.error == 0)
		memcpy(answer.bytes + answer.len, &done, sizeof(done));
	else
		memcpy(answer.bytes + answer.len, &error, sizeof(error));
	answer.len += error.error == 0 ? sizeof(done) : sizeof(error);
	answer_send(&answer);
}
