/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_H
#define SWHCA_OBJECT_H

/**
 * @file
 * Objects of an HCA by number.
 *
 * The fabric lock guards all of it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlx5_prm.h"
#include "object/table.h"

struct swhca_hca;

enum swhca_obj_type {
	SWHCA_OBJ_QP,	/* destroyed in this order: users of a reference before its target */
	SWHCA_OBJ_DCT,
	SWHCA_OBJ_AV_MAP,
	SWHCA_OBJ_RESERVED_QPN,
	SWHCA_OBJ_FLOW_TABLE,
	SWHCA_OBJ_TIR,
	SWHCA_OBJ_RQT,
	SWHCA_OBJ_ERQ,	/* receive queues of frames */
	SWHCA_OBJ_ESQ,	/* send queues of frames */
	SWHCA_OBJ_TIS,
	SWHCA_OBJ_FLOW_COUNTER,
	SWHCA_OBJ_Q_COUNTER,
	SWHCA_OBJ_SCHED,
	SWHCA_OBJ_SRQ,	/* of any kind: they share their numbers */
	SWHCA_OBJ_CQ,
	SWHCA_OBJ_EQ,
	SWHCA_OBJ_MKEY,
	SWHCA_OBJ_MEMIC,
	SWHCA_OBJ_PSV,
	SWHCA_OBJ_DEK,
	SWHCA_OBJ_LOGIN,
	SWHCA_OBJ_UMEM,
	SWHCA_OBJ_UAR,
	SWHCA_OBJ_PD,
	SWHCA_OBJ_XRCD,
	SWHCA_OBJ_TD,
	SWHCA_OBJ_UCTX,
	SWHCA_NB_OBJ_TYPES,
};

/** First member of every object. */
struct swhca_obj {
	enum swhca_obj_type type;
	uint32_t num;		/**< Number in its table, used in commands. */
	uint16_t uid;		/**< User context that created it, 0 for the kernel. */
	uint32_t nb_refs;	/**< Objects that use this one; it cannot be destroyed while
				 *   there are any. */
};

/** Operations of an object type for upper layers: device/classes.c has a row for each. */
struct swhca_obj_class {
	bool is_busy;		/**< The engine writes to it while it works. */
	/** Release its resources; NULL: none. */
	void (*fini)(struct swhca_hca *hca, struct swhca_obj *obj);
	/** Whether commands of users may name a kernel's object; NULL: no. */
	bool (*is_for_users)(const struct swhca_obj *obj);
};

/**
 * Allocate, zero and number an object.
 *
 * @param size
 *   Size of the struct that begins with struct swhca_obj.
 * @return
 *   NULL if there is no memory or no free number.
 */
void *swhca_obj_create(struct swhca_hca *hca, enum swhca_obj_type type, uint16_t uid,
		       size_t size);

/** Free an object and drop its references. */
void swhca_obj_destroy(struct swhca_hca *hca, struct swhca_obj *obj);

/** Free all objects of a device. @return Their number. */
unsigned int swhca_obj_destroy_all(struct swhca_hca *hca);

/**
 * Find an object for a command of user context uid.
 *
 * @return
 *   NULL if there is none, or it belongs to another user context.
 */
struct swhca_obj *swhca_obj_find(const struct swhca_hca *hca, enum swhca_obj_type type,
				 uint32_t num, uint16_t uid);

static inline void
swhca_obj_ref(struct swhca_obj *obj)
{
	obj->nb_refs++;
}

static inline void
swhca_obj_unref(struct swhca_obj *obj)
{
	if (obj != NULL)
		obj->nb_refs--;
}

#endif /* SWHCA_OBJECT_H */
