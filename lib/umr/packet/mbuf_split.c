/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Chains that receive packets with separate headers and data. */

#include <errno.h>

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>

#include "rte_umr_private.h"

/** Align the start of data in an empty mbuf. @return Bytes of room; 0: none */
static uint32_t
data_place(struct rte_mbuf *mbuf, uint32_t align, uint32_t len)
{
	const uintptr_t start = (uintptr_t)mbuf->buf_addr;
	const uintptr_t data = RTE_ALIGN_CEIL(start + mbuf->data_off, (uintptr_t)align);
	const uintptr_t end = start + mbuf->buf_len;

	if (data >= end)
		return 0;
	/* Full mbufs contain whole units, so that no unit is split. */
	if (end - data < len)
		len = RTE_ALIGN_FLOOR((uint32_t)(end - data), align);
	mbuf->data_off = (uint16_t)(data - start);
	mbuf->data_len = (uint16_t)len;
	return len;
}

/** Append the data to a chain. @return 0 or a negative errno */
static int
data_add(const struct rte_umr_mbuf_split *split, uint32_t align, struct rte_mbuf **head)
{
	struct rte_mbuf *tail = *head, *mbuf;
	uint32_t left, len;

	for (left = split->data_len; left != 0; left -= len) {
		mbuf = rte_pktmbuf_alloc(split->data_pool);
		if (unlikely(mbuf == NULL))
			return -ENOMEM;
		len = data_place(mbuf, align, left);
		if (tail == NULL)
			*head = mbuf;
		else
			tail->next = mbuf;
		if (tail != NULL)
			(*head)->nb_segs++;
		(*head)->pkt_len += len;
		tail = mbuf;
		if (unlikely(len == 0 ||
			     (len != left && (*head)->nb_segs == RTE_MBUF_MAX_NB_SEGS)))
			return -EINVAL;
	}
	return 0;
}

static int
chain_alloc(const struct rte_umr_mbuf_split *split, uint32_t align, struct rte_mbuf **head)
{
	int ret;

	*head = NULL;
	if (split->header_len != 0) {
		*head = rte_pktmbuf_alloc(split->header_pool);
		if (unlikely(*head == NULL))
			return -ENOMEM;
		if (unlikely(rte_pktmbuf_append(*head, split->header_len) == NULL)) {
			rte_pktmbuf_free(*head);
			return -EINVAL;
		}
	}
	ret = data_add(split, align, head);
	if (unlikely(ret != 0))
		rte_pktmbuf_free(*head);
	return ret;
}

/** Checks that need no mbufs. @return 0 or -EINVAL (logged) */
static int
split_check(const struct rte_umr_mbuf_split *split, uint32_t align)
{
	if ((split->header_len | split->data_len) != 0 &&
	    (split->header_len == 0 || split->header_pool != NULL) &&
	    (split->data_len == 0 || split->data_pool != NULL) && rte_is_power_of_2(align) &&
	    UMR_IS_ZERO(split->reserved))
		return 0;
	UMR_LOG(ERR, "chains of %u + %u bytes: a pool is missing, there are no bytes, alignment %u "
		"is no power of two, or reserved is not 0", split->header_len, split->data_len,
		align);
	return -EINVAL;
}

int
rte_umr_mbuf_split_alloc_bulk(const struct rte_umr_mbuf_split *split, struct rte_mbuf **mbufs,
			      uint16_t nb_mbufs)
{
	const uint32_t align = RTE_MAX(split->data_align, 1u);
	uint16_t i;
	int ret;

	ret = split_check(split, align);
	if (ret != 0)
		return ret;
	for (i = 0; i < nb_mbufs; i++) {
		ret = chain_alloc(split, align, &mbufs[i]);
		if (unlikely(ret != 0))
			break;
	}
	if (likely(i == nb_mbufs))
		return 0;
	if (ret == -EINVAL)
		UMR_LOG(ERR, "chains of %u + %u bytes: the header, or data at multiples of %u, do "
			"not fit mbufs, or there would be more than %u", split->header_len,
			split->data_len, align, RTE_MBUF_MAX_NB_SEGS);
	rte_pktmbuf_free_bulk(mbufs, i);
	return ret;
}
