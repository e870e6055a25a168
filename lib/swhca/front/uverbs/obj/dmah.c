/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * DMA handles: PCI hints about the reader of data received by a region (ib_core:
 * uverbs_std_types_dmah.c; mlx5_ib: dmah.c; mlx5_core: lib/st.c).
 *
 * A handle is no object of the device: it references an entry of the steering tag table. A region
 * created with it has both in its key, where the model only stores them: there is no cache to steer
 * to.
 */

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "base/log.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/obj/dmah.h"

/* Only the lower two bits are used (PCI Express Base 6.2, TLP Processing Hints). */
#define PH_MASK 0x3u

/* Requested attributes of a handle. */
struct dmah_attr {
	bool has_cpu;
	bool has_mem_type;
	bool has_ph;
	uint32_t cpu;
	uint8_t mem_type;	/* enum tph_mem_type: volatile, persistent */
	uint8_t ph;
};

/* Check that the caller may run on a CPU. */
static int
cpu_check(uint32_t cpu)
{
	long nb_cpus = sysconf(_SC_NPROCESSORS_CONF);
	cpu_set_t set;

	if (nb_cpus > 0 && cpu >= (unsigned long)nb_cpus)
		return -EINVAL;
	if (cpu < CPU_SETSIZE && sched_getaffinity(0, sizeof(set), &set) == 0 &&
	    !CPU_ISSET(cpu, &set))
		return -EPERM;
	return 0;
}

static int
attr_read(const struct swhca_ureq *req, struct dmah_attr *attr)
{
	const struct ib_uverbs_attr *mem_type =
		swhca_uattr_find(req, UABI_ATTR_ALLOC_DMAH_TPH_MEM_TYPE);
	uint32_t ph = 0;
	int ret = 0;

	attr->has_cpu = swhca_uattr_find(req, UABI_ATTR_ALLOC_DMAH_CPU_ID) != NULL;
	attr->has_ph = swhca_uattr_find(req, UABI_ATTR_ALLOC_DMAH_PH) != NULL;
	attr->has_mem_type = mem_type != NULL;
	if (attr->has_cpu)
		ret = swhca_uattr_in_u32(req, UABI_ATTR_ALLOC_DMAH_CPU_ID, &attr->cpu);
	if (ret == 0 && attr->has_cpu)
		ret = cpu_check(attr->cpu);
	if (ret == 0 && attr->has_ph)
		ret = swhca_uattr_in_u32(req, UABI_ATTR_ALLOC_DMAH_PH, &ph);
	if (ret != 0)
		return ret;
	attr->ph = (uint8_t)ph;
	if (mem_type != NULL)
		attr->mem_type = mem_type->attr_data.enum_data.elem_id;
	return (ph & ~PH_MASK) != 0 ? -EINVAL : 0;
}

/* A hint is required, a tag is optional; but it needs both a CPU and a memory type. */
static int
attr_check(const struct dmah_attr *attr)
{
	if (!attr->has_ph || attr->has_cpu != attr->has_mem_type) {
		SWHCA_LOG(WARNING, "ALLOC_DMAH: a processing hint; if a CPU, also its memory");
		return -EINVAL;
	}
	return 0;
}

/* Find the entry with this tag, else a free one, else 0. Entry 0 means no tag. */
static uint8_t
tag_find(const struct swhca_udev *dev, const struct dmah_attr *attr)
{
	const struct swhca_utag *tag;
	uint8_t i, unused = 0;

	for (i = 1; i < SWHCA_NB_UTAGS; i++) {
		tag = &dev->tags[i];
		if (tag->nb_users == 0)
			unused = unused == 0 ? i : unused;
		else if (tag->cpu == attr->cpu && tag->mem_type == attr->mem_type)
			return i;
	}
	return unused;
}

static int
tag_get(struct swhca_udev *dev, const struct dmah_attr *attr, uint8_t *index)
{
	struct swhca_utag *tag;
	int ret = 0;

	pthread_mutex_lock(&dev->lock);
	*index = tag_find(dev, attr);
	tag = &dev->tags[*index];
	if (*index == 0) {
		SWHCA_LOG(WARNING, "ALLOC_DMAH: all %u steering tags are in use",
			  SWHCA_NB_UTAGS - 1);
		ret = -EBUSY;
	} else {
		tag->cpu = attr->cpu;
		tag->mem_type = attr->mem_type;
		tag->nb_users++;
	}
	pthread_mutex_unlock(&dev->lock);
	return ret;
}

static void
tag_put(struct swhca_ufile *file, struct swhca_uobj *obj)
{
	if (obj->dmah.tag == 0)
		return;
	pthread_mutex_lock(&file->dev->lock);
	file->dev->tags[obj->dmah.tag].nb_users--;
	pthread_mutex_unlock(&file->dev->lock);
}

int
swhca_udmah_alloc_req(struct swhca_ureq *req)
{
	struct dmah_attr attr = { 0 };
	struct swhca_uobj *obj;
	int ret;

	/* Without the capability, mlx5_ib has no such objects. */
	if (swhca_udev_cap(req->file->dev, PRM_CAP_MKEY_PCIE_TPH) == 0)
		return -EPROTONOSUPPORT;
	ret = attr_read(req, &attr);
	if (ret == 0)
		ret = attr_check(&attr);
	if (ret != 0)
		return ret;
	obj = swhca_uobj_alloc(req->file, UABI_OBJECT_DMAH);
	if (obj == NULL)
		return -ENOMEM;
	obj->dmah.ph = attr.ph;
	if (attr.has_cpu)
		ret = tag_get(req->file->dev, &attr, &obj->dmah.tag);
	if (ret != 0) {
		swhca_uobj_free(req->file, obj);
		return ret;
	}
	obj->fini = tag_put;
	ret = swhca_uattr_out_handle(req, UABI_ATTR_ALLOC_DMAH_HANDLE, obj->handle);
	if (ret != 0)
		swhca_uobj_destroy(req->file, obj);
	return ret;
}

int
swhca_udmah_free_req(struct swhca_ureq *req)
{
	return swhca_uobj_destroy_req(req, UABI_ATTR_FREE_DMAH_HANDLE, UABI_OBJECT_DMAH);
}
