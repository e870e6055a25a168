/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_SUB_H
#define SWHCA_UVERBS_SUB_H

/**
 * @file
 * DevX subscriptions to event types of an object, or of the device.
 */

#include <stdint.h>
#include <sys/queue.h>

struct swhca_udev;
struct swhca_uevent_file;
struct swhca_uobj;

/** Subscription to an event type of an object, or of the device. */
struct swhca_usub {
	LIST_ENTRY(swhca_usub) link;
	struct swhca_uevent_file *file;	/**< Holds a reference. */
	const struct swhca_uobj *obj;	/**< NULL: of the device. */
	uint32_t num;			/**< Number of the object. */
	uint16_t event;
	uint64_t cookie;
	int eventfd;			/**< Duplicate of the user's, or -1. */
};

LIST_HEAD(swhca_usub_list, swhca_usub);

/** Add all of a list to a device. */
void swhca_usubs_add(struct swhca_udev *dev, struct swhca_usub_list *subs);
/** Free all of a list that is not added to a device. */
void swhca_usubs_free(struct swhca_usub_list *subs);
/** Remove those for a file, or of an object, if not NULL. */
void swhca_usubs_remove(struct swhca_udev *dev, const struct swhca_uevent_file *file,
			const struct swhca_uobj *obj);
/** Notify the subscriptions to an event; the lock of event files is held. */
void swhca_usubs_notify(struct swhca_udev *dev, uint8_t event, uint32_t num, const uint8_t *eqe);

#endif /* SWHCA_UVERBS_SUB_H */
