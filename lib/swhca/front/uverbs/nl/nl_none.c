/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A build with only what libibverbs asks by RDMA netlink (meson option swhca_netlink): commands for
 * objects do not exist, as on a kernel older than they are.
 */

#include <stdio.h>

#include "front/uverbs/nl/nldev_res.h"
#include "front/uverbs/nl/resource.h"

const struct swhca_nldev_ops swhca_nldev_res_ops;

/* Nothing is listed, so that the objects of other processes are. */
size_t
swhca_resources_answer(const char *words, void *answer, size_t size)
{
	(void)words;
	return (size_t)snprintf(answer, size, "none\n");
}
