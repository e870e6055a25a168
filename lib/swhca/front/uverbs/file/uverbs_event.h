/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_EVENT_H
#define SWHCA_UVERBS_EVENT_H

/**
 * @file
 * Event sources, and delivery of events to files.
 */

#include <stdint.h>
#include <sys/queue.h>

#include "front/uverbs/file/evfile.h"

struct swhca_uobj;

/** Events reported for an object, for the answer of its destruction. */
struct swhca_uevent_counts {
	uint32_t nb_comp;
	uint32_t nb_async;
};

/** Objects with events, by number space. */
enum swhca_uevent_obj {
	SWHCA_UEVENT_OBJ_NONE,
	SWHCA_UEVENT_OBJ_CQ,
	SWHCA_UEVENT_OBJ_QP,
	SWHCA_UEVENT_OBJ_SRQ,
};

/** Event files of an object; holds references to the files. */
struct swhca_uevent_attr {
	uint64_t user_handle;
	struct swhca_uevent_file *comp;		/**< NULL: no completion events. */
	struct swhca_uevent_file *async;	/**< NULL: the default one of the context. */
};

/** Object with events; part of struct swhca_uobj. */
struct swhca_uevent_src {
	LIST_ENTRY(swhca_uevent_src) link; /**< In a bucket of the device. */
	enum swhca_uevent_obj type;
	uint32_t num;
	uint64_t user_handle;		/**< Identifies the object in an event. */
	struct swhca_uevent_file *comp; /**< Holds a reference; NULL: unused. */
	struct swhca_uevent_file *async;
	struct swhca_uevent_counts counts;
};

/** Drop the references. */
void swhca_uevent_attr_fini(struct swhca_uevent_attr *attr);
/** Add an object created in the device; it takes its own references. */
void swhca_uevent_attach(struct swhca_ufile *file, struct swhca_uobj *obj,
			 enum swhca_uevent_obj type, const struct swhca_uevent_attr *attr);
/** Remove an object destroyed in the device: unread events are dropped. */
void swhca_uevent_detach(struct swhca_uobj *obj);
/** Deliver an event queue entry. Called in the interrupt. */
void swhca_uevent_dispatch(struct swhca_udev *dev, const uint8_t *eqe);

#endif /* SWHCA_UVERBS_EVENT_H */
