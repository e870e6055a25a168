/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Device memory and its regions (mlx5_ib: dm.c, mr.c; ib_core: uverbs_std_types_dm.c).
 *
 * The unit is a page of the BAR, as a process maps pages; the device allocates blocks in it.
 */

#include <errno.h>

#include "base/log.h"
#include "host/trap.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/map.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/obj/dm.h"
#include "front/uverbs/obj/mmap.h"
#include "front/uverbs/obj/mr.h"
#include "front/uverbs/obj/raw.h"

/* Allocation lengths are multiples of this, which is also the minimum alignment (mlx5_ib: dm.h). */
#define MEMIC_LOG_BASE	6u
#define MEMIC_BASE	(1u << MEMIC_LOG_BASE)

/* Mapping indices: an operation has at least as many as device memory has pages. */
#define OP_SHIFT 8u

/* An object without a number in the ABI: it is only found by its mapping offset. */
#define SWHCA_UOBJ_DM_OP UINT16_MAX

/* mlx5_ib: MLX5_IB_DM_MEMIC_ALLOWED_ACCESS */
#define MEMIC_ACCESS                                                                               \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_READ |                             \
	 IB_UVERBS_ACCESS_REMOTE_WRITE | IB_UVERBS_ACCESS_REMOTE_ATOMIC |                          \
	 IB_UVERBS_ACCESS_ZERO_BASED | IB_UVERBS_ACCESS_OPTIONAL_RANGE)

static uint64_t
dm_bar_start(const struct swhca_udev *dev)
{
	return prm_get(dev->dm_caps, PRM_CAP_DEVICE_MEM_MEMIC_BAR_START_ADDR);
}

static uint32_t
dm_nb_pages(uint64_t len)
{
	return (uint32_t)((len + SWHCA_UAR_SIZE - 1) / SWHCA_UAR_SIZE);
}

static uint64_t
dm_page_mask(uint32_t first, uint32_t nb)
{
	return (nb == 64 ? UINT64_MAX : (UINT64_C(1) << nb) - 1) << first;
}

/* First page of an allocation in device memory, which is unique: its index in the file. */
static uint16_t
dm_index(const struct swhca_udev *dev, const struct swhca_uobj *dm)
{
	return (uint16_t)((dm->dm.start - dm_bar_start(dev)) / SWHCA_UAR_SIZE);
}

static uint16_t
op_index(const struct swhca_udev *dev, const struct swhca_uobj *op)
{
	return (uint16_t)(SWHCA_UMAP_END_INDEX + ((uint32_t)op->dm_op.op << OP_SHIFT) +
			  dm_index(dev, op->dm_op.dm));
}

static int
dm_place(struct swhca_ufile *file, const struct swhca_uobj *dm)
{
	return swhca_umap_place(file, MLX5_IB_MMAP_DEVICE_MEM, dm_index(file->dev, dm),
				dm->dm.start / SWHCA_UAR_SIZE * SWHCA_UAR_SIZE,
				(size_t)dm_nb_pages(dm->dm.len) * SWHCA_UAR_SIZE);
}

static int
alloc_exec(struct swhca_udev *dev, uint32_t page, uint64_t len, uint32_t log_align,
	   uint64_t *start)
{
	uint8_t in[PRM_ALLOC_MEMIC_IN_SIZE] = { 0 };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_ALLOC_MEMIC);
	prm_set(in, PRM_ALLOC_MEMIC_IN_LOG_MEMIC_ADDR_ALIGNMENT, log_align);
	prm_set(in, PRM_ALLOC_MEMIC_IN_RANGE_START_ADDR,
		dm_bar_start(dev) + (uint64_t)page * SWHCA_UAR_SIZE);
	prm_set(in, PRM_ALLOC_MEMIC_IN_RANGE_SIZE, dm_nb_pages(len) * SWHCA_UAR_SIZE);
	prm_set(in, PRM_ALLOC_MEMIC_IN_MEMIC_SIZE, (uint32_t)len);
	ret = swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
	if (ret == 0)
		*start = prm_get(out, PRM_ALLOC_MEMIC_OUT_MEMIC_START_ADDR);
	return ret;
}

/* Find free pages where the device has room. */
static int
dm_alloc(struct swhca_udev *dev, uint64_t len, uint32_t log_align, uint64_t *start)
{
	uint32_t nb_all = (uint32_t)prm_get(dev->dm_caps, PRM_CAP_DEVICE_MEM_MEMIC_BAR_SIZE) /
			  SWHCA_UAR_SIZE;
	uint32_t nb = dm_nb_pages(len), page;
	int ret = -ENOMEM;

	pthread_mutex_lock(&dev->lock);
	for (page = 0; nb <= nb_all && page <= nb_all - nb; page++) {
		if ((dev->dm_pages & dm_page_mask(page, nb)) != 0)
			continue;
		ret = alloc_exec(dev, page, len, log_align, start);
		if (ret == 0)
			dev->dm_pages |= dm_page_mask(page, nb);
		if (ret != -EAGAIN)
			break;
		ret = -ENOMEM;
	}
	pthread_mutex_unlock(&dev->lock);
	return ret;
}

static int
op_exec(struct swhca_udev *dev, uint64_t start, unsigned int op, uint16_t op_mod, uint64_t *addr)
{
	uint8_t in[PRM_MODIFY_MEMIC_IN_SIZE] = { 0 };
	uint8_t out[PRM_MODIFY_MEMIC_OUT_SIZE];
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_MODIFY_MEMIC);
	prm_set(in, PRM_CMD_IN_OP_MOD, op_mod);
	prm_set(in, PRM_MODIFY_MEMIC_IN_MEMIC_OPERATION_TYPE, op);
	prm_set(in, PRM_MODIFY_MEMIC_IN_MEMIC_START_ADDR, start);
	ret = swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
	if (ret == 0)
		*addr = prm_get(out, PRM_MODIFY_MEMIC_OUT_MEMIC_OPERATION_ADDR);
	return ret;
}

/* Called on close of the file, or with the memory. */
static void
op_fini(struct swhca_ufile *file, struct swhca_uobj *obj)
{
	uint64_t none;

	op_exec(file->dev, obj->dm_op.dm->dm.start, obj->dm_op.op,
		PRM_MODIFY_MEMIC_OP_MOD_DEALLOC, &none);
	obj->dm_op.dm->dm.ops[obj->dm_op.op] = NULL;
}

static void
dm_fini(struct swhca_ufile *file, struct swhca_uobj *obj)
{
	struct swhca_udev *dev = file->dev;
	uint32_t page = dm_index(dev, obj);
	uint8_t in[PRM_DEALLOC_MEMIC_IN_SIZE] = { 0 };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	unsigned int i;

	for (i = 0; i < PRM_NB_MEMIC_OPS; i++) {
		if (obj->dm.ops[i] != NULL)
			swhca_uobj_destroy(file, obj->dm.ops[i]);
	}
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_DEALLOC_MEMIC);
	prm_set(in, PRM_DEALLOC_MEMIC_IN_MEMIC_START_ADDR, obj->dm.start);
	prm_set(in, PRM_DEALLOC_MEMIC_IN_MEMIC_SIZE, (uint32_t)obj->dm.len);
	pthread_mutex_lock(&dev->lock);
	/* Pages that the device did not release must not be reused. */
	if (swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out)) == 0)
		dev->dm_pages &= ~dm_page_mask(page, dm_nb_pages(obj->dm.len));
	pthread_mutex_unlock(&dev->lock);
}

static int
dm_out(struct swhca_ureq *req, const struct swhca_uobj *obj, uint16_t offset_id, uint16_t index_id)
{
	uint64_t offset = obj->dm.start % SWHCA_UAR_SIZE;
	uint16_t index = dm_index(req->file->dev, obj);
	int ret;

	ret = swhca_uattr_out(req, offset_id, &offset, sizeof(offset));
	return ret != 0 ? ret : swhca_uattr_out(req, index_id, &index, sizeof(index));
}

static int
attrs_read(const struct swhca_ureq *req, uint64_t *len, uint32_t *log_align)
{
	uint64_t type = MLX5_IB_UAPI_DM_TYPE_MEMIC;
	uint32_t align;
	int ret;

	ret = swhca_uattr_in_u64(req, UVERBS_ATTR_ALLOC_DM_LENGTH, len);
	if (ret == 0)
		ret = swhca_uattr_in_u32(req, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, &align);
	if (ret == 0 && swhca_uattr_find(req, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE) != NULL)
		ret = swhca_uattr_in_u64(req, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, &type);
	if (ret != 0)
		return ret;
	if (type != MLX5_IB_UAPI_DM_TYPE_MEMIC) {
		SWHCA_LOG(WARNING, "ALLOC_DM: type %llu: only MEMIC is there",
			  (unsigned long long)type);
		return -EOPNOTSUPP;
	}
	*log_align = align < MEMIC_LOG_BASE ? 0 : align - MEMIC_LOG_BASE;
	if (*len == 0 || *len > prm_get(req->file->dev->dm_caps,
					PRM_CAP_DEVICE_MEM_MAX_MEMIC_SIZE) ||
	    *log_align > prm_get(req->file->dev->dm_caps,
				 PRM_CAP_DEVICE_MEM_LOG_MAX_MEMIC_ADDR_ALIGNMENT)) {
		SWHCA_LOG(WARNING, "ALLOC_DM: %llu bytes, alignment 2^%u: beyond the limits",
			  (unsigned long long)*len, align);
		return -EINVAL;
	}
	return 0;
}

int
swhca_udm_alloc_req(struct swhca_ureq *req)
{
	struct swhca_uobj *obj;
	uint32_t log_align;
	uint64_t len;
	int ret;

	ret = attrs_read(req, &len, &log_align);
	if (ret != 0)
		return ret;
	obj = swhca_uobj_alloc(req->file, UVERBS_OBJECT_DM);
	if (obj == NULL)
		return -ENOMEM;
	obj->dm.req_len = len;
	obj->dm.len = (len + MEMIC_BASE - 1) / MEMIC_BASE * MEMIC_BASE;
	ret = dm_alloc(req->file->dev, obj->dm.len, log_align, &obj->dm.start);
	if (ret != 0) {
		swhca_uobj_free(req->file, obj);
		return ret;
	}
	obj->fini = dm_fini;
	ret = dm_place(req->file, obj);
	if (ret == 0)
		ret = dm_out(req, obj, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET,
			     MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX);
	if (ret == 0)
		ret = swhca_uattr_out_handle(req, UVERBS_ATTR_ALLOC_DM_HANDLE, obj->handle);
	if (ret != 0)
		swhca_uobj_destroy(req->file, obj);
	return ret;
}

int
swhca_udm_free_req(struct swhca_ureq *req)
{
	return swhca_uobj_destroy_req(req, UVERBS_ATTR_FREE_DM_HANDLE, UVERBS_OBJECT_DM);
}

int
swhca_udm_query_req(struct swhca_ureq *req)
{
	struct swhca_uobj *obj;
	int ret;

	ret = swhca_uattr_obj(req, MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE, UVERBS_OBJECT_DM, &obj);
	if (ret == 0)
		ret = dm_out(req, obj, MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET,
			     MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX);
	if (ret == 0)
		ret = swhca_uattr_out(req, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, &obj->dm.req_len,
				      sizeof(obj->dm.req_len));
	return ret;
}

static int
op_create(struct swhca_ufile *file, struct swhca_uobj *dm, uint8_t op)
{
	struct swhca_uobj *obj = swhca_uobj_alloc(file, SWHCA_UOBJ_DM_OP);
	int ret;

	if (obj == NULL)
		return -ENOMEM;
	ret = op_exec(file->dev, dm->dm.start, op, PRM_MODIFY_MEMIC_OP_MOD_ALLOC,
		      &obj->dm_op.addr);
	if (ret != 0) {
		swhca_uobj_free(file, obj);
		return ret;
	}
	swhca_trap_finder_set(swhca_uraw_find);
	obj->dm_op.dm = dm;
	obj->dm_op.op = op;
	obj->fini = op_fini;
	dm->dm.ops[op] = obj;
	return 0;
}

/* One address per operation for all callers (mlx5_ib: map_existing_op()). */
int
swhca_udm_map_op_req(struct swhca_ureq *req)
{
	struct swhca_uobj *dm;
	uint64_t op, offset;
	uint16_t index;
	int ret;

	ret = swhca_uattr_obj(req, MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_HANDLE, UVERBS_OBJECT_DM, &dm);
	if (ret == 0)
		ret = swhca_uattr_in_u64(req, MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_OP, &op);
	if (ret != 0)
		return ret;
	if (op >= PRM_NB_MEMIC_OPS ||
	    (prm_get(req->file->dev->dm_caps, PRM_CAP_DEVICE_MEM_MEMIC_OPERATIONS) >> op & 1) == 0)
		return -EOPNOTSUPP;
	if (dm->dm.ops[op] == NULL) {
		ret = op_create(req->file, dm, (uint8_t)op);
		if (ret != 0)
			return ret;
	}
	offset = dm->dm.ops[op]->dm_op.addr % SWHCA_UAR_SIZE;
	index = op_index(req->file->dev, dm->dm.ops[op]);
	ret = swhca_uattr_out(req, MLX5_IB_ATTR_DM_MAP_OP_ADDR_RESP_START_OFFSET, &offset,
			      sizeof(offset));
	return ret != 0 ? ret :
	       swhca_uattr_out(req, MLX5_IB_ATTR_DM_MAP_OP_ADDR_RESP_PAGE_INDEX, &index,
			       sizeof(index));
}

static int
dm_resolve(const struct swhca_udev *dev, const struct swhca_uobj *dm, uint32_t index, size_t len,
	   struct swhca_umap *map)
{
	if (len > (size_t)dm_nb_pages(dm->dm.len) * SWHCA_UAR_SIZE)
		return -EINVAL;
	if (index == dm_index(dev, dm))
		return 0;
	map->act = SWHCA_UMAP_MEMIC_OP;
	map->bar_offset = dm->dm.ops[(index - SWHCA_UMAP_END_INDEX) >> OP_SHIFT]->dm_op.addr /
			  SWHCA_UAR_SIZE * SWHCA_UAR_SIZE;
	return 0;
}

int
swhca_udm_resolve(const struct swhca_ufile *file, uint32_t index, size_t len,
		  struct swhca_umap *map)
{
	const struct swhca_uobj *obj;

	TAILQ_FOREACH(obj, &file->order, link) {
		if (obj->type == UVERBS_OBJECT_DM && index == dm_index(file->dev, obj))
			return dm_resolve(file->dev, obj, index, len, map);
		if (obj->type == SWHCA_UOBJ_DM_OP && index == op_index(file->dev, obj))
			return dm_resolve(file->dev, obj->dm_op.dm, index, len, map);
	}
	return -EINVAL;
}

static int
mkey_create(struct swhca_udev *dev, struct swhca_uobj *mr, const struct swhca_ureg_attr *attr)
{
	uint8_t in[PRM_CREATE_MKEY_IN_XLT_BYTE] = { 0 };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	uint8_t *mkc = &in[PRM_CREATE_MKEY_IN_MKC_BYTE];
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_MKEY);
	prm_set(mkc, PRM_MKC_ACCESS_MODE_1_0, PRM_MKC_ACCESS_MODE_MEMIC & 0x3);
	prm_set(mkc, PRM_MKC_ACCESS_MODE_4_2, PRM_MKC_ACCESS_MODE_MEMIC >> 2);
	swhca_ureg_mkc_access(dev, mkc, attr->access);
	prm_set(mkc, PRM_MKC_QPN, PRM_MKC_QPN_ANY);
	prm_set(mkc, PRM_MKC_MKEY_7_0, swhca_ukey_variant());
	prm_set(mkc, PRM_MKC_PD, attr->pd->num);
	prm_set(mkc, PRM_MKC_START_ADDR, attr->start);
	prm_set(mkc, PRM_MKC_LEN, attr->len);
	ret = swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	mr->num = (uint32_t)prm_get(out, PRM_CREATE_MKEY_OUT_MKEY_INDEX);
	mr->mr = (struct swhca_uregion){
		.key = mr->num << 8 | (uint32_t)prm_get(mkc, PRM_MKC_MKEY_7_0),
		.start = attr->start,
		.len = attr->len,
		.access = attr->access,
	};
	return 0;
}

/* Check offset, length and access like uverbs and mlx5_ib. */
static int
reg_check(const struct swhca_udev *dev, const struct swhca_uobj *dm, uint64_t offset,
	  const struct swhca_ureg_attr *attr)
{
	int ret;

	if ((attr->access & IB_UVERBS_ACCESS_ZERO_BASED) == 0)
		return -EINVAL;
	ret = swhca_ureg_access_check(dev, attr->access);
	if (ret != 0)
		return ret;
	if (offset > dm->dm.req_len || attr->len > dm->dm.req_len - offset) {
		SWHCA_LOG(WARNING, "REG_DM_MR: [%llu, +%llu): device memory of %llu bytes",
			  (unsigned long long)offset, (unsigned long long)attr->len,
			  (unsigned long long)dm->dm.req_len);
		return -EINVAL;
	}
	return (attr->access & ~(uint32_t)MEMIC_ACCESS) != 0 ? -EINVAL : 0;
}

int
swhca_udm_reg_req(struct swhca_ureq *req)
{
	struct swhca_ureg_attr attr = { 0 };
	struct swhca_uobj *pd, *dm, *mr;
	uint64_t offset;
	int ret;

	ret = swhca_uattr_obj(req, UVERBS_ATTR_REG_DM_MR_DM_HANDLE, UVERBS_OBJECT_DM, &dm);
	if (ret == 0)
		ret = swhca_uattr_obj(req, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, UVERBS_OBJECT_PD, &pd);
	if (ret == 0)
		ret = swhca_uattr_in_u64(req, UVERBS_ATTR_REG_DM_MR_OFFSET, &offset);
	if (ret == 0)
		ret = swhca_uattr_in_u64(req, UVERBS_ATTR_REG_DM_MR_LENGTH, &attr.len);
	if (ret == 0)
		ret = swhca_uattr_in_u32(req, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, &attr.access);
	if (ret == 0)
		ret = reg_check(req->file->dev, dm, offset, &attr);
	if (ret != 0)
		return ret;
	mr = swhca_uobj_alloc(req->file, UVERBS_OBJECT_MR);
	if (mr == NULL)
		return -ENOMEM;
	attr.start = dm->dm.start + offset;
	attr.pd = pd;
	ret = mkey_create(req->file->dev, mr, &attr);
	if (ret != 0) {
		swhca_uobj_free(req->file, mr);
		return ret;
	}
	mr->create_op = PRM_CMD_CREATE_MKEY;
	swhca_uobj_ref(mr, pd);
	swhca_uobj_ref(mr, dm);
	return swhca_ureg_out(req, mr, UVERBS_ATTR_REG_DM_MR_RESP_LKEY,
			      UVERBS_ATTR_REG_DM_MR_RESP_RKEY, UVERBS_ATTR_REG_DM_MR_HANDLE);
}
