/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Objects of a file: handles, references, destruction.
 */

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/file/pinned.h"
#include "front/uverbs/file/sub.h"
#include "include/command.h"

static int
slots_grow(struct swhca_ufile *file)
{
	uint32_t nb_slots = file->nb_slots == 0 ? 64 : file->nb_slots * 2;
	struct swhca_uobj **slots;

	slots = realloc(file->slots, nb_slots * sizeof(*slots));
	if (slots == NULL)
		return -ENOMEM;
	memset(&slots[file->nb_slots], 0, (nb_slots - file->nb_slots) * sizeof(*slots));
	file->slots = slots;
	file->next_slot = file->nb_slots;
	file->nb_slots = nb_slots;
	return 0;
}

/* Find a free handle: the lowest from next_slot on, below which all are in use. */
static int
slot_get(struct swhca_ufile *file, uint32_t *handle)
{
	while (file->next_slot < file->nb_slots && file->slots[file->next_slot] != NULL)
		file->next_slot++;
	if (file->next_slot == file->nb_slots && slots_grow(file) != 0)
		return -ENOMEM;
	*handle = file->next_slot;
	return 0;
}

/* Different in processes started one after the other, as their process ids differ. */
uint32_t
swhca_uobj_res_id_next(void)
{
	static _Atomic uint32_t last;
	uint32_t seq = (atomic_fetch_add(&last, 1) + 1) & 0xfffff;

	return (uint32_t)getpid() << 20 | seq;
}

struct swhca_uobj *
swhca_uobj_alloc(struct swhca_ufile *file, uint16_t type)
{
	struct swhca_uobj *obj = calloc(1, sizeof(*obj));

	if (obj == NULL)
		return NULL;
	obj->type = type;
	obj->res_id = swhca_uobj_res_id_next();
	if (slot_get(file, &obj->handle) != 0) {
		free(obj);
		return NULL;
	}
	file->slots[obj->handle] = obj;
	TAILQ_INSERT_TAIL(&file->order, obj, link);
	return obj;
}

void
swhca_uobj_free(struct swhca_ufile *file, struct swhca_uobj *obj)
{
	unsigned int i;

	for (i = 0; i < SWHCA_UOBJ_MAX_DEPS; i++) {
		if (obj->deps[i] != NULL)
			obj->deps[i]->nb_refs--;
	}
	swhca_uunpin_all(file, obj);
	if (obj->handle < file->next_slot)
		file->next_slot = obj->handle;
	file->slots[obj->handle] = NULL;
	TAILQ_REMOVE(&file->order, obj, link);
	free(obj);
}

struct swhca_uobj *
swhca_uobj_find_any(const struct swhca_ufile *file, uint64_t handle)
{
	return handle < file->nb_slots ? file->slots[handle] : NULL;
}

struct swhca_uobj *
swhca_uobj_find(const struct swhca_ufile *file, uint32_t handle, uint16_t type)
{
	struct swhca_uobj *obj = swhca_uobj_find_any(file, handle);

	return obj != NULL && obj->type == type ? obj : NULL;
}

struct swhca_uobj *
swhca_uobj_find_num(const struct swhca_ufile *file, uint16_t type, uint32_t num)
{
	struct swhca_uobj *obj;

	TAILQ_FOREACH(obj, &file->order, link) {
		if (obj->type == type && obj->num == num)
			return obj;
	}
	return NULL;
}

void
swhca_uobj_ref(struct swhca_uobj *obj, struct swhca_uobj *dep)
{
	unsigned int i;

	for (i = 0; dep != NULL && i < SWHCA_UOBJ_MAX_DEPS; i++) {
		if (obj->deps[i] == NULL) {
			obj->deps[i] = dep;
			dep->nb_refs++;
			return;
		}
	}
}

void
swhca_uobj_refs(struct swhca_uobj *obj, struct swhca_uobj *const *deps, size_t nb_deps)
{
	size_t i;

	for (i = 0; i < nb_deps; i++)
		swhca_uobj_ref(obj, deps[i]);
}

uint16_t
swhca_uobj_uid(const struct swhca_ufile *file, const struct swhca_uobj *obj)
{
	bool is_common = obj->type == UVERBS_OBJECT_MR || obj->type == UVERBS_OBJECT_MW ||
			 obj->create_op == PRM_CMD_CREATE_XRC_SRQ ||
			 (obj->type == UVERBS_OBJECT_QP && obj->qp.type == IB_UVERBS_QPT_XRC_TGT);

	return is_common ? 0 : file->uid;
}

/* Execute the command that destroys it, if any. */
static int
destroy_exec(struct swhca_ufile *file, const struct swhca_uobj *obj)
{
	uint16_t uid = swhca_uobj_uid(file, obj);
	uint16_t op = swhca_cmd_info(obj->create_op)->destroy_op;

	if (op == PRM_CMD_DESTROY_GENERAL_OBJECT)
		return swhca_udev_exec_general_destroy(file->dev, uid, obj->general_type, obj->num);
	/* A drained target cannot be drained again, but may be destroyed (mlx5_core: dct.c). */
	if (op == PRM_CMD_DESTROY_DCT)
		swhca_udev_exec_obj(file->dev, PRM_CMD_DRAIN_DCT, uid, obj->num);
	return op == 0 ? 0 : swhca_udev_exec_obj(file->dev, op, uid, obj->num);
}

int
swhca_uobj_destroy(struct swhca_ufile *file, struct swhca_uobj *obj)
{
	struct swhca_uevent_counts counts;

	return swhca_uobj_destroy_counted(file, obj, &counts);
}

int
swhca_uobj_destroy_counted(struct swhca_ufile *file, struct swhca_uobj *obj,
			   struct swhca_uevent_counts *counts)
{
	int ret;

	if (obj->nb_refs != 0)
		return -EBUSY;
	ret = destroy_exec(file, obj);
	if (ret != 0)
		return ret;
	if (obj->fini != NULL)
		obj->fini(file, obj);
	if (obj->type == MLX5_IB_OBJECT_DEVX_OBJ)
		swhca_usubs_remove(file->dev, NULL, obj);
	swhca_uevent_detach(obj);
	*counts = obj->events.counts;
	swhca_uobj_free(file, obj);
	return 0;
}

/* Only references between the user's objects can prevent it, and they are acyclic. */
void
swhca_uobj_destroy_all(struct swhca_ufile *file)
{
	struct swhca_uobj *obj, *prev;
	bool has_progress = true;

	while (has_progress && !TAILQ_EMPTY(&file->order)) {
		has_progress = false;
		/* The newest first: most objects only refer to older ones. */
		for (obj = TAILQ_LAST(&file->order, swhca_uobj_list); obj != NULL; obj = prev) {
			prev = TAILQ_PREV(obj, swhca_uobj_list, link);
			if (swhca_uobj_destroy(file, obj) == 0)
				has_progress = true;
		}
	}
	while ((obj = TAILQ_FIRST(&file->order)) != NULL) {
		SWHCA_LOG(ERR, "close: object type 0x%x number 0x%x stays in the device",
			  obj->type, obj->num);
		swhca_uevent_detach(obj);
		obj->nb_refs = 0;
		swhca_uobj_free(file, obj);
	}
	free(file->slots);
	file->slots = NULL;
	file->nb_slots = 0;
}
