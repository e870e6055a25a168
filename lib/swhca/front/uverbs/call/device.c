/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* External actions on a device: by swhca-ctl, or by its process. */

#include <errno.h>

#include "include/link.h"
#include "include/pages.h"
#include "host/conf.h"
#include "front/uverbs/call/uverbs.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_port.h"
#include "front/uverbs/file/evfile.h"
#include "front/uverbs/obj/uverbs_odp.h"

unsigned int
swhca_uverbs_nb_devices(void)
{
	return swhca_udev_nb();
}

bool
swhca_uverbs_is_removed(unsigned int index)
{
	return swhca_udev_is_removed(index);
}

int
swhca_uverbs_remove(unsigned int index)
{
	struct swhca_udev *dev;
	int ret;

	ret = swhca_udev_remove(index, &dev);
	/* Waiters for completions get none (ib_core: uverbs_destroy_ufile_hw()). */
	if (ret == 0 && dev != NULL)
		swhca_uevent_files_remove(dev);
	return ret;
}

void
swhca_uverbs_invalidate(const void *addr, size_t len)
{
	swhca_uodp_invalidate(addr, len);
}

bool
swhca_uverbs_pages_are_pinned(const void *addr, size_t len)
{
	struct swhca_fabric *fabric = swhca_udev_fabric();

	return fabric != NULL && swhca_fabric_pages_are_pinned(fabric, (uintptr_t)addr, len);
}

bool
swhca_uverbs_pages_begin(struct swhca_pages_change *changes, unsigned int nb)
{
	struct swhca_fabric *fabric = swhca_udev_fabric();

	return fabric != NULL && swhca_fabric_pages_begin(fabric, changes, nb);
}

void
swhca_uverbs_pages_end(struct swhca_pages_change *changes, unsigned int nb, bool is_done)
{
	swhca_fabric_pages_end(swhca_udev_fabric(), changes, nb, is_done);
}

int
swhca_uverbs_stats(unsigned int index, struct swhca_hca_stats *stats)
{
	struct swhca_udev *dev = swhca_udev_find(index);

	if (dev == NULL)
		return -ENODEV;
	swhca_hca_stats_get(dev->hca, stats);
	return 0;
}

int
swhca_uverbs_cmd_fail(unsigned int index, uint64_t n)
{
	struct swhca_udev *dev = swhca_udev_find(index);

	if (dev == NULL)
		return -ENODEV;
	swhca_hca_cmd_fail(dev->hca, n);
	return 0;
}

int
swhca_uverbs_inject(unsigned int index, const struct swhca_inject *injects, unsigned int nb)
{
	struct swhca_udev *dev = swhca_udev_find(index);

	return dev != NULL ? swhca_hca_inject(dev->hca, injects, nb) : -ENODEV;
}

int
swhca_uverbs_inject_off(unsigned int index, unsigned int cls)
{
	struct swhca_udev *dev = swhca_udev_find(index);

	if (dev == NULL)
		return -ENODEV;
	swhca_hca_inject_off(dev->hca, (enum swhca_inject_class)cls);
	return 0;
}

int
swhca_uverbs_inject_list(unsigned int index, struct swhca_inject_state *states)
{
	struct swhca_udev *dev = swhca_udev_find(index);

	return dev != NULL ? (int)swhca_hca_inject_list(dev->hca, states) : -ENODEV;
}

/* Act on a device that is in use. */
static int
hca_do(unsigned int index, void (*act)(struct swhca_hca *hca))
{
	struct swhca_udev *dev = swhca_udev_find(index);

	if (dev == NULL)
		return -ENODEV;
	act(dev->hca);
	return 0;
}

static void
hca_halt(struct swhca_hca *hca)
{
	swhca_hca_halt(hca, true);
}

static void
port_down(struct swhca_hca *hca)
{
	swhca_hca_port_set(hca, false);
}

static void
port_up(struct swhca_hca *hca)
{
	swhca_hca_port_set(hca, true);
}

int
swhca_uverbs_port_down(unsigned int index)
{
	return hca_do(index, port_down);
}

int
swhca_uverbs_port_up(unsigned int index)
{
	return hca_do(index, port_up);
}

int
swhca_uverbs_impair(unsigned int index, const char *text)
{
	struct swhca_udev *dev = swhca_udev_find(index);

	return dev != NULL ? swhca_hca_set_impair(dev->hca, text) : -ENODEV;
}

int
swhca_uverbs_impair_stats(unsigned int index, struct swhca_link_impair_stats *stats)
{
	struct swhca_udev *dev = swhca_udev_find(index);

	return dev != NULL ? swhca_hca_impair_stats_get(dev->hca, stats) : -ENODEV;
}

int
swhca_uverbs_port_rate_set(unsigned int index, const struct swhca_port_rate *rate)
{
	struct swhca_udev *dev = swhca_udev_find(index);

	if (dev == NULL)
		return -ENODEV;
	swhca_hca_port_rate_set(dev->hca, rate);
	return 0;
}

struct swhca_port_rate
swhca_uverbs_port_rate(unsigned int index)
{
	struct swhca_udev *dev = swhca_udev_find(index);

	return dev != NULL ? swhca_hca_port_rate_get(dev->hca) :
			     swhca_port_rate_of(swhca_conf_get()->model);
}

bool
swhca_uverbs_lend(void)
{
	return swhca_udev_lend();
}

bool
swhca_uverbs_port_is_down(unsigned int index)
{
	return !swhca_uport_is_up(index);
}

int
swhca_uverbs_crash(unsigned int index)
{
	return hca_do(index, swhca_hca_crash);
}

int
swhca_uverbs_halt(unsigned int index)
{
	return hca_do(index, hca_halt);
}

int
swhca_uverbs_resume(unsigned int index)
{
	struct swhca_udev *dev = swhca_udev_find(index);
	int ret;

	/* A removed device cannot be queried. */
	if (dev == NULL || swhca_udev_is_removed(index))
		return -ENODEV;
	ret = swhca_hca_revive(dev->hca);
	if (ret == -EALREADY) {
		swhca_hca_halt(dev->hca, false);
		ret = 0;
	}
	return ret;
}

int
swhca_uverbs_credential_delete(unsigned int index)
{
	return hca_do(index, swhca_hca_credential_delete);
}
