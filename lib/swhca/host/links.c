/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "include/link.h"
#include "base/kept_fd.h"
#include "base/log.h"
#include "host/links.h"
#include "host/wire_conf.h"

struct entry {
	int ret;			/* result of the attempt to open it */
	struct swhca_link *link;	/* NULL: owned by an HCA */
	struct swhca_link_addr addr;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry entries[SWHCA_MAX_DEVICES];
static bool is_opened;
/* NULL: no links. */
static const struct swhca_conf *links_conf;
/* Calls of libc that open a link may be intercepted and return here: they query net devices. */
static _Thread_local bool is_opening;

/*
 * The engine and the sockets belong to the parent: a copied socket would keep its address in use.
 */
static void
child_forget(void)
{
	swhca_fd_close_here();
	pthread_mutex_init(&lock, NULL);
	memset(entries, 0, sizeof(entries));
	is_opened = false;
}

void
swhca_links_start(const struct swhca_conf *conf)
{
	if (!swhca_wire_has_links(conf))
		return;
	links_conf = conf;
	pthread_atfork(NULL, NULL, child_forget);
}

static int
lid_check(const struct swhca_link_addr *addr)
{
	if (links_conf->link_layer != SWHCA_LINK_IB || addr->lid != 0)
		return 0;
	SWHCA_LOG(ERR, "wire %s: address ..%02x%02x: no LID is made of it, which ports of "
		  "InfiniBand have: IPv4, and at most ..bfff", links_conf->wire, addr->gid[14],
		  addr->gid[15]);
	return -EADDRNOTAVAIL;
}

static int
mtu_check(const struct swhca_link_addr *addr)
{
	if (addr->path_mtu != 0)
		return 0;
	SWHCA_LOG(ERR, "wire %s: the MTU of the interface has no room for the smallest packets, "
		  "of 256 bytes and headers", links_conf->wire);
	return -EMSGSIZE;
}

static int
link_open(struct entry *entry, unsigned int index)
{
	char wire[SWHCA_CONF_TEXT];
	const struct swhca_link_conf conf = {
		.wire = wire,
		.impair = links_conf->impair[0] != '\0' ? links_conf->impair : NULL,
		.capture = links_conf->capture[0] != '\0' ? links_conf->capture : NULL,
		.index = index,
	};
	int ret;

	swhca_wire_device_text(links_conf, index, wire);
	ret = swhca_link_open(&conf, &entry->link);
	if (ret != 0)
		return ret;
	swhca_link_gid(entry->link, entry->addr.gid);
	swhca_link_mac(entry->link, entry->addr.mac);
	entry->addr.lid = swhca_link_lid(entry->link);
	entry->addr.path_mtu = swhca_link_path_mtu(entry->link);
	ret = mtu_check(&entry->addr);
	if (ret == 0)
		ret = lid_check(&entry->addr);
	if (ret != 0) {
		swhca_link_close(entry->link);
		entry->link = NULL;
	}
	return ret;
}

/*
 * With the lock. The first use of a device opens all of them, so that their addresses are in order.
 * A failed attempt is not repeated: its reason was logged.
 */
static struct entry *
entry_get(unsigned int index)
{
	unsigned int i;
	int state;

	if (!is_opened) {
		/* A cancelled thread would keep the lock. */
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
		is_opening = true;
		for (i = 0; i < links_conf->nb_devices; i++)
			entries[i].ret = link_open(&entries[i], i);
		is_opened = true;
		is_opening = false;
		pthread_setcancelstate(state, NULL);
	}
	return &entries[index];
}

bool
swhca_links_addr(unsigned int index, struct swhca_link_addr *addr)
{
	const struct entry *entry;
	int saved = errno;
	bool has_addr;

	if (links_conf == NULL || index >= links_conf->nb_devices || is_opening)
		return false;
	pthread_mutex_lock(&lock);
	entry = entry_get(index);
	has_addr = entry->ret == 0;
	if (has_addr)
		*addr = entry->addr;
	pthread_mutex_unlock(&lock);
	errno = saved;
	return has_addr;
}

int
swhca_links_plug(unsigned int index, struct swhca_hca *hca)
{
	bool is_down = false;
	struct entry *entry;
	int ret;

	if (links_conf == NULL)
		return 0;
	pthread_mutex_lock(&lock);
	entry = entry_get(index);
	/* An HCA whose creation failed has closed it. */
	if (entry->ret == 0 && entry->link == NULL)
		entry->ret = link_open(entry, index);
	ret = entry->ret;
	if (ret == 0) {
		is_down = swhca_link_is_down(entry->link);
		ret = swhca_hca_set_link(hca, entry->link);
	}
	if (ret == 0)
		entry->link = NULL;
	pthread_mutex_unlock(&lock);
	if (ret == 0 && is_down) {
		SWHCA_LOG(WARNING, "mlx5_%u: the interface of its wire is down, and so is its "
			  "port", index);
		swhca_hca_port_set(hca, false);
	}
	return ret;
}
