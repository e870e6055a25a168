/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What can be done to a device from outside: by swhca-ctl, or by the process that it is in.
 */

#include <errno.h>

#include "include/link.h"
#include "front/uverbs/call/uverbs.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/port.h"
#include "front/uverbs/file/evfile.h"
#include "front/uverbs/obj/odp.h"

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
	/* Who waits for completions gets none (ib_core: uverbs_destroy_ufile_hw()). */
	if (ret == 0 && dev != NULL)
		swhca_uevent_files_remove(dev);
	return ret;
}

void
swhca_uverbs_invalidate(const void *addr, size_t len)
{
	swhca_uodp_invalidate(addr, len);
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

/* Do something to a device that has been opened. */
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
hca_resume(struct swhca_hca *hca)
{
	swhca_hca_halt(hca, false);
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
	return hca_do(index, hca_resume);
}

int
swhca_uverbs_credential_delete(unsigned int index)
{
	return hca_do(index, swhca_hca_credential_delete);
}
