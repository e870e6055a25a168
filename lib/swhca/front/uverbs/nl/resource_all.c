/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Objects of all processes of a run. Linux has a global list; here each process has its own, and
 * the names of their sockets identify the processes.
 */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/client.h"
#include "host/control_addr.h"
#include "host/deadline.h"
#include "host/peer.h"
#include "host/sysfs.h"
#include "front/uverbs/nl/resource.h"
#include "front/uverbs/nl/resource_all.h"

/* Limits the delay by a stopped process. */
#define ASK_TIMEOUT_MS 1000
/* Maximum processes queried. */
#define MAX_PROCESSES 1024u
/* Objects per answer. */
#define NB_AT_ONCE (SWHCA_CONTROL_MAX / sizeof(struct swhca_resource))

/* @return 0 or -ENOMEM. */
static int
room_make(struct swhca_resources *resources, size_t *nb_max)
{
	struct swhca_resource *list;
	size_t nb = *nb_max == 0 ? 4 * NB_AT_ONCE : 2 * *nb_max;

	if (resources->nb + NB_AT_ONCE <= *nb_max)
		return 0;
	list = realloc(resources->list, nb * sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	resources->list = list;
	*nb_max = nb;
	return 0;
}

/*
 * @return Number of objects in the answer of a process; 0: there are no more, or it is not in this
 * run.
 */
static size_t
process_ask(pid_t pid, unsigned int dev_index, size_t skip, struct swhca_resource *list)
{
	const int64_t deadline = swhca_deadline_in(ASK_TIMEOUT_MS);
	char line[PATH_MAX + 64], answer[SWHCA_CONTROL_MAX];
	struct ucred peer = { 0 };
	struct sockaddr_un addr;
	socklen_t addr_len = swhca_control_addr(pid, &addr);
	ssize_t len = 0;
	int fd;

	fd = swhca_ask_connect(SOCK_STREAM, (const struct sockaddr *)&addr, addr_len, deadline);
	if (fd < 0)
		return 0;
	snprintf(line, sizeof(line), "resources %u %zu %s", dev_index, skip, swhca_sysfs_base());
	if (swhca_peer_get(fd, &peer) == 0 && swhca_peer_is_process(&peer, pid))
		len = swhca_ask(fd, line, strlen(line), answer, sizeof(answer), deadline);
	close(fd);
	/* Whole objects, or an error text. */
	if (len <= 0 || (size_t)len % sizeof(*list) != 0)
		return 0;
	memcpy(list, answer, (size_t)len);
	return (size_t)len / sizeof(*list);
}

static int
process_add(pid_t pid, unsigned int dev_index, struct swhca_resources *resources, size_t *nb_max)
{
	size_t nb, skip = 0;

	do {
		if (room_make(resources, nb_max) != 0)
			return -ENOMEM;
		if (pid == getpid())
			nb = swhca_resources_own(dev_index, skip,
						 resources->list + resources->nb, NB_AT_ONCE);
		else
			nb = process_ask(pid, dev_index, skip, resources->list + resources->nb);
		resources->nb += nb;
		skip += nb;
	} while (nb > 0);
	return 0;
}

static int
pid_compare(const void *left, const void *right)
{
	const pid_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/*
 * List this process, and those that listen at a control address (unix(7): /proc/net/unix shows a
 * zero byte as "@").
 */
static size_t
processes_find(pid_t *pids, size_t nb_max)
{
	char line[512], *at, *end;
	size_t nb = 0;
	long pid;
	FILE *f;

	pids[nb++] = getpid();
	f = fopen("/proc/net/unix", "re");
	if (f == NULL)
		return nb;
	while (nb < nb_max && fgets(line, sizeof(line), f) != NULL) {
		at = strstr(line, " @swhca-");
		if (at == NULL)
			continue;
		pid = strtol(at + strlen(" @swhca-"), &end, 10);
		/* A connection has the name of its listener; a name for fork(2) has a suffix. */
		if (pid > 0 && pid <= INT_MAX && *end == '\n')
			pids[nb++] = (pid_t)pid;
	}
	fclose(f);
	qsort(pids, nb, sizeof(*pids), pid_compare);
	return nb;
}

int
swhca_resources_all(unsigned int dev_index, struct swhca_resources *resources)
{
	pid_t pids[MAX_PROCESSES];
	size_t nb_max = 0, nb, i;
	int ret = 0;

	*resources = (struct swhca_resources){ 0 };
	nb = processes_find(pids, MAX_PROCESSES);
	for (i = 0; i < nb && ret == 0; i++)
		if (i == 0 || pids[i] != pids[i - 1])
			ret = process_add(pids[i], dev_index, resources, &nb_max);
	if (ret != 0)
		free(resources->list);
	return ret;
}
