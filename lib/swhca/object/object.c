/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>

#include "mlx5_prm_qos.h"
#include "base/alloc.h"
#include "object/hca_state.h"

/* User context that owns an object, or NULL: it is the kernel's. */
static struct swhca_obj *
uctx_of(const struct swhca_hca *hca, const struct swhca_obj *obj)
{
	return obj->uid == 0 ? NULL : swhca_table_get(&hca->tables[SWHCA_OBJ_UCTX], obj->uid);
}

void *
swhca_obj_create(struct swhca_hca *hca, enum swhca_obj_type type, uint16_t uid, size_t size)
{
	struct swhca_obj *obj = hca->classes[type].is_busy ? swhca_alloc(size) : calloc(1, size);
	struct swhca_obj *uctx;

	if (obj == NULL)
		return NULL;
	obj->type = type;
	obj->uid = uid;
	if (swhca_table_add(&hca->tables[type], obj) != 0) {
		free(obj);
		return NULL;
	}
	uctx = uctx_of(hca, obj);
	if (uctx != NULL)
		swhca_obj_ref(uctx);
	return obj;
}

void
swhca_obj_destroy(struct swhca_hca *hca, struct swhca_obj *obj)
{
	const struct swhca_obj_class *class = &hca->classes[obj->type];

	if (class->fini != NULL)
		class->fini(hca, obj);
	swhca_obj_unref(uctx_of(hca, obj));
	swhca_table_remove(&hca->tables[obj->type], obj);
	free(obj);
}

/* Types are ordered so that users of a reference are destroyed before its target. */
unsigned int
swhca_obj_destroy_all(struct swhca_hca *hca)
{
	unsigned int type, nb = 0;
	struct swhca_table *table;
	uint32_t i;

	for (type = 0; type < SWHCA_NB_OBJ_TYPES; type++) {
		table = &hca->tables[type];
		nb += table->nb_used;
		for (i = 0; i < table->nb_slots; i++) {
			if (table->slots[i] != NULL)
				swhca_obj_destroy(hca, table->slots[i]);
		}
	}
	return nb;
}

/*
 * Objects of the kernel that users may name in their commands although they have uid 0. Other
 * shared objects have a shared uid, and objects created for a user have the user's uid, so that no
 * other user can name them.
 */
static bool
is_for_users(const struct swhca_hca *hca, const struct swhca_obj *obj)
{
	const struct swhca_obj_class *class = &hca->classes[obj->type];

	return class->is_for_users != NULL && class->is_for_users(obj);
}

struct swhca_obj *
swhca_obj_find(const struct swhca_hca *hca, enum swhca_obj_type type, uint32_t num, uint16_t uid)
{
	struct swhca_obj *obj = swhca_table_get(&hca->tables[type], num);

	if (obj == NULL || uid == 0 || obj->uid == uid || obj->uid == PRM_UID_SHARED ||
	    (obj->uid == 0 && is_for_users(hca, obj)))
		return obj;
	return NULL;
}
