/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "host/sysfs.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/uverbs_fd_table.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/nl/resource.h"
#include "front/uverbs/queue/uverbs_qp_query.h"

/* Maximum open files of a device in a process; others are not listed. */
#define MAX_FILES 256u

/* State of a listing. */
struct lister {
	struct swhca_resource *list;
	size_t nb;
	size_t nb_max;
	size_t skip;
	/* Of regions with on-demand paging. */
	struct swhca_hca_odp_stats *stats;
	unsigned int nb_stats;
};

static uint32_t
id_of(const struct swhca_uobj *obj)
{
	return obj != NULL ? obj->res_id : 0;
}

/* Get the object of a type that another one refers to, or NULL. */
static const struct swhca_uobj *
dep_of(const struct swhca_uobj *obj, uint16_t type)
{
	unsigned int i;

	for (i = 0; i < SWHCA_UOBJ_MAX_DEPS; i++)
		if (obj->deps[i] != NULL && obj->deps[i]->type == type)
			return obj->deps[i];
	return NULL;
}

/* fill_res_qp_entry(): fields that the device no longer reports have their last known values. */
static void
qp_fill(struct swhca_ufile *file, struct swhca_uobj *obj, struct swhca_resource *res)
{
	struct ib_uverbs_query_qp_resp resp;

	res->id = obj->num;
	res->type = obj->qp.type;
	res->is_dct = obj->qp.is_dct;
	res->state = obj->qp.state;
	res->port = obj->qp.port;
	res->srqn = id_of(dep_of(obj, UVERBS_OBJECT_SRQ));
	if (swhca_uqp_query(file, obj, SWHCA_UQP_QUERY_ALL, &resp) != 0)
		return;
	res->state = resp.qp_state;
	res->mig_state = resp.path_mig_state;
	res->rqpn = resp.dest_qp_num;
	res->rq_psn = resp.rq_psn;
	res->sq_psn = resp.sq_psn;
}

static void
mr_fill(const struct lister *lister, const struct swhca_uobj *obj, struct swhca_resource *res)
{
	unsigned int i;

	res->key = obj->mr.key;
	res->len = obj->mr.len;
	for (i = 0; i < lister->nb_stats; i++) {
		if (lister->stats[i].key != obj->num)
			continue;
		res->is_odp = true;
		res->nb_faults = lister->stats[i].nb_faults;
		res->nb_invalidations = lister->stats[i].nb_invalidations;
		res->nb_prefetches = lister->stats[i].nb_prefetches;
	}
}

static void
resource_fill(const struct lister *lister, struct swhca_ufile *file, struct swhca_uobj *obj,
	      struct swhca_resource *res)
{
	res->id = obj->res_id;
	res->pdn = id_of(dep_of(obj, UVERBS_OBJECT_PD));
	res->ctxn = file->res_id;
	res->nb_users = obj->nb_refs;
	switch (res->kind) {
	case SWHCA_RESOURCE_CQ:
		res->nb_cqe = obj->cq.nb_cqe;
		break;
	case SWHCA_RESOURCE_QP:
		qp_fill(file, obj, res);
		break;
	case SWHCA_RESOURCE_MR:
		mr_fill(lister, obj, res);
		break;
	case SWHCA_RESOURCE_SRQ:
		res->type = obj->create_op == PRM_CMD_CREATE_XRC_SRQ ? IB_UVERBS_SRQT_XRC :
								       IB_UVERBS_SRQT_BASIC;
		res->has_cq = res->type == IB_UVERBS_SRQT_XRC;
		res->cqn = id_of(dep_of(obj, UVERBS_OBJECT_CQ));
		break;
	}
}

/* @return false if such objects are not tracked. */
static bool
kind_of(const struct swhca_uobj *obj, uint32_t *kind)
{
	static const struct {
		uint16_t type;
		uint32_t kind;
	} map[] = {
		{ UVERBS_OBJECT_PD, SWHCA_RESOURCE_PD }, { UVERBS_OBJECT_CQ, SWHCA_RESOURCE_CQ },
		{ UVERBS_OBJECT_QP, SWHCA_RESOURCE_QP }, { UVERBS_OBJECT_MR, SWHCA_RESOURCE_MR },
		{ UVERBS_OBJECT_SRQ, SWHCA_RESOURCE_SRQ },
	};
	size_t i;

	for (i = 0; i < SWHCA_ARRAY_SIZE(map); i++) {
		if (map[i].type == obj->type) {
			*kind = map[i].kind;
			return true;
		}
	}
	return false;
}

/* Add an entry. @return NULL if it is skipped. */
static struct swhca_resource *
resource_add(struct lister *lister, uint32_t kind)
{
	struct swhca_resource *res;

	if (lister->skip > 0) {
		lister->skip--;
		return NULL;
	}
	if (lister->nb == lister->nb_max)
		return NULL;
	res = &lister->list[lister->nb++];
	*res = (struct swhca_resource){ .kind = kind, .pid = (uint32_t)getpid() };
	return res;
}

static void
file_list(struct lister *lister, struct swhca_ufile *file)
{
	struct swhca_resource *res;
	struct swhca_uobj *obj;
	uint32_t kind;

	pthread_mutex_lock(&file->lock);
	res = file->has_context ? resource_add(lister, SWHCA_RESOURCE_CTX) : NULL;
	if (res != NULL)
		res->id = file->res_id;
	TAILQ_FOREACH(obj, &file->order, link) {
		res = kind_of(obj, &kind) ? resource_add(lister, kind) : NULL;
		if (res != NULL)
			resource_fill(lister, file, obj, res);
	}
	pthread_mutex_unlock(&file->lock);
}

static void
stats_read(struct lister *lister, unsigned int dev_index)
{
	struct swhca_udev *dev = swhca_udev_find(dev_index);
	unsigned int max = dev == NULL ? 0 : swhca_hca_odp_stats_get(dev->hca, NULL, 0), nb;

	lister->stats = max > 0 ? calloc(max, sizeof(*lister->stats)) : NULL;
	if (lister->stats == NULL)
		return;
	nb = swhca_hca_odp_stats_get(dev->hca, lister->stats, max);
	lister->nb_stats = nb < max ? nb : max;
}

size_t
swhca_resources_own(unsigned int dev_index, size_t skip, struct swhca_resource *list,
		    size_t nb_max)
{
	struct lister lister = { .list = list, .nb_max = nb_max, .skip = skip };
	struct swhca_ufile *files[MAX_FILES];
	size_t nb_files, i;

	if (swhca_udev_is_removed(dev_index))
		return 0;
	stats_read(&lister, dev_index);
	nb_files = swhca_ufiles_get_own(dev_index, files, MAX_FILES);
	for (i = 0; i < nb_files; i++) {
		file_list(&lister, files[i]);
		swhca_ufile_put(files[i]);
	}
	free(lister.stats);
	return lister.nb;
}

size_t
swhca_resources_answer(const char *words, void *answer, size_t size)
{
	const char *base = swhca_sysfs_base();
	unsigned int dev_index;
	unsigned long skip;
	int len = 0;
	size_t nb;

	if (sscanf(words, "%8u %16lu %n", &dev_index, &skip, &len) != 2 || len == 0)
		return (size_t)snprintf(answer, size, "error: not a device and a number\n");
	/* Another run: its devices have the same names, but are different. */
	if (dev_index >= swhca_udev_nb() || base[0] == '\0' ||
	    strcmp(words + len, base) != 0)
		return (size_t)snprintf(answer, size, "none\n");
	nb = swhca_resources_own(dev_index, skip, answer, size / sizeof(struct swhca_resource));
	return nb > 0 ? nb * sizeof(struct swhca_resource) :
			(size_t)snprintf(answer, size, "none\n");
}
