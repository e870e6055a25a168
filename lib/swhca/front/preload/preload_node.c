/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "front/preload/preload_node.h"
#include "front/ucma/ucma.h"
#include "front/uverbs/call/uverbs.h"

int
swhca_node_of_path(const char *path)
{
	if (swhca_uverbs_nb_devices() > 0 && swhca_ucma_path(path))
		return SWHCA_NODE_CM;
	return swhca_uverbs_path(path);
}

int
swhca_node_of_fd(int fd)
{
	int index = swhca_uverbs_index(fd);

	return index < 0 && swhca_ucma_is(fd) ? SWHCA_NODE_CM : index;
}

void
swhca_node_stat(int node, struct stat *st)
{
	if (node == SWHCA_NODE_CM)
		swhca_ucma_stat(st);
	else
		swhca_uverbs_stat((unsigned int)node, st);
}
