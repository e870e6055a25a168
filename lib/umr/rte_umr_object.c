/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Objects that the control path returns as pointers. A tree has the addresses of live objects, to
 * detect freed and invalid pointers without dereferencing them.
 */

#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "rte_umr_private.h"

/* Header of each object, which has the alignment of malloc(). */
struct umr_object {
	_Alignas(max_align_t) enum umr_object_kind kind;
};

static const char *const names[] = {
	[UMR_OBJECT_MR] = "memory region", [UMR_OBJECT_MW] = "memory window",
	[UMR_OBJECT_PD] = "protection domain", [UMR_OBJECT_POOL] = "key pool",
	[UMR_OBJECT_DEK] = "DEK", [UMR_OBJECT_LOGIN] = "login",
};

/* The data path of RTE_UMR_DEBUG takes it shared. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void *live;

/** Compare addresses only: an object may have been freed. */
static int
compare(const void *a, const void *b)
{
	return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static struct umr_object *
object_of(const void *handle)
{
	return (struct umr_object *)((uintptr_t)handle - sizeof(struct umr_object));
}

void *
rte_umr_object_alloc(enum umr_object_kind kind, size_t size)
{
	/* The data path writes memory windows: no line of theirs belongs to another object. */
	const size_t nb = RTE_ALIGN_CEIL(sizeof(struct umr_object) + size,
					 (size_t)RTE_CACHE_LINE_SIZE);
	struct umr_object *object = aligned_alloc(RTE_CACHE_LINE_SIZE, nb);
	bool is_there;

	if (object == NULL)
		return NULL;
	memset(object, 0, nb);
	object->kind = kind;
	pthread_rwlock_wrlock(&lock);
	is_there = tsearch(object, &live, compare) != NULL;
	pthread_rwlock_unlock(&lock);
	if (!is_there) {
		free(object);
		return NULL;
	}
	return object + 1;
}

void
rte_umr_object_free(void *handle)
{
	struct umr_object *object;

	if (handle == NULL)
		return;
	object = object_of(handle);
	pthread_rwlock_wrlock(&lock);
	tdelete(object, &live, compare);
	pthread_rwlock_unlock(&lock);
	free(object);
}

int
rte_umr_object_check(enum umr_object_kind kind, const void *handle)
{
	const struct umr_object *const *found;
	bool is_good;

	pthread_rwlock_rdlock(&lock);
	found = tfind(object_of(handle), &live, compare);
	is_good = found != NULL && (*found)->kind == kind;
	pthread_rwlock_unlock(&lock);
	if (is_good)
		return 0;
	UMR_LOG(ERR, "%p is no %s, or one that was given back", handle, names[kind]);
	return -EINVAL;
}
