/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kept_fd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/file/sub.h"

void
swhca_usubs_free(struct swhca_usub_list *subs)
{
	struct swhca_usub *sub;

	while ((sub = LIST_FIRST(subs)) != NULL) {
		LIST_REMOVE(sub, link);
		if (sub->eventfd >= 0)
			swhca_fd_release(sub->eventfd);
		swhca_uevent_file_put(sub->file);
		free(sub);
	}
}

void
swhca_usubs_add(struct swhca_udev *dev, struct swhca_usub_list *subs)
{
	struct swhca_usub *sub;

	swhca_uevent_lock();
	while ((sub = LIST_FIRST(subs)) != NULL) {
		LIST_REMOVE(sub, link);
		LIST_INSERT_HEAD(&dev->events.subs, sub, link);
	}
	swhca_uevent_unlock();
}

void
swhca_usubs_remove(struct swhca_udev *dev, const struct swhca_uevent_file *file,
		   const struct swhca_uobj *obj)
{
	struct swhca_usub_list removed = LIST_HEAD_INITIALIZER(removed);
	struct swhca_usub *sub, *next;

	swhca_uevent_lock();
	for (sub = LIST_FIRST(&dev->events.subs); sub != NULL; sub = next) {
		next = LIST_NEXT(sub, link);
		if ((file == NULL || sub->file != file) && (obj == NULL || sub->obj != obj))
			continue;
		LIST_REMOVE(sub, link);
		LIST_INSERT_HEAD(&removed, sub, link);
	}
	swhca_uevent_unlock();
	swhca_usubs_free(&removed);
}

/* eventfd_signal(): add one, but never wait for a reader. */
static void
eventfd_signal(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
	const struct timespec now = { 0 };
	const uint64_t one = 1;

	if (syscall(SYS_ppoll, &poll_fd, 1, &now, NULL, 0) == 1)
		syscall(SYS_write, fd, &one, sizeof(one));
}

void
swhca_usubs_notify(struct swhca_udev *dev, uint8_t event, uint32_t num, const uint8_t *eqe)
{
	bool is_of_device = event == PRM_EVENT_PORT_CHANGE;
	struct swhca_usub *sub;

	LIST_FOREACH(sub, &dev->events.subs, link) {
		if (sub->event != event || (sub->obj == NULL) != is_of_device ||
		    (!is_of_device && sub->num != num))
			continue;
		if (sub->eventfd >= 0)
			eventfd_signal(sub->eventfd);
		else
			swhca_uevent_post_devx(sub->file, sub, sub->cookie, eqe, PRM_EQE_SIZE);
	}
}
