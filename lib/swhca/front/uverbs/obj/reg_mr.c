/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Registration by ioctl: memory of the process or a DMA buffer, by one method (ib_core:
 * uverbs_std_types_mr.c, UVERBS_METHOD_REG_MR). Libraries from rdma-core 59 on use it for
 * ibv_reg_mr_ex(3).
 */

#include <errno.h>

#include "base/log.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/obj/dmabuf.h"
#include "front/uverbs/obj/mr.h"
#include "front/uverbs/obj/reg_mr.h"

/* Where the memory is: at an address, or in a file. */
struct source {
	bool has_addr;
	bool has_fd;
	bool has_fd_offset;
	uint64_t addr;
	uint64_t fd_offset;
	uint32_t fd;
};

/* @return 0, also without the attribute, or -EINVAL. */
static int
optional_read(const struct swhca_ureq *req, uint16_t id, uint64_t *value, bool *is_there)
{
	*is_there = swhca_uattr_find(req, id) != NULL;
	return *is_there ? swhca_uattr_in_u64(req, id, value) : 0;
}

static int
source_read(const struct swhca_ureq *req, struct source *source)
{
	int ret;

	ret = optional_read(req, UABI_ATTR_REG_MR_ADDR, &source->addr, &source->has_addr);
	if (ret == 0)
		ret = optional_read(req, UABI_ATTR_REG_MR_FD_OFFSET, &source->fd_offset,
				    &source->has_fd_offset);
	if (ret != 0)
		return ret;
	source->has_fd = swhca_uattr_find(req, UABI_ATTR_REG_MR_FD) != NULL;
	if (source->has_fd)
		ret = swhca_uattr_in_fd(req, UABI_ATTR_REG_MR_FD, &source->fd);
	if (ret == 0 && (source->has_fd != source->has_fd_offset ||
			 source->has_fd == source->has_addr)) {
		SWHCA_LOG(WARNING, "REG_MR: an address, or a descriptor with an offset in it");
		ret = -EINVAL;
	}
	return ret;
}

static int
attr_read(const struct swhca_ureq *req, struct swhca_ureg_attr *attr)
{
	struct swhca_uobj *pd;
	int ret;

	ret = swhca_uattr_obj(req, UABI_ATTR_REG_MR_PD_HANDLE, UVERBS_OBJECT_PD, &pd);
	if (ret == 0)
		ret = swhca_uattr_in_u64(req, UABI_ATTR_REG_MR_IOVA, &attr->iova);
	if (ret == 0)
		ret = swhca_uattr_in_u64(req, UABI_ATTR_REG_MR_LENGTH, &attr->len);
	if (ret == 0)
		ret = swhca_uattr_in_u32(req, UABI_ATTR_REG_MR_ACCESS_FLAGS, &attr->access);
	if (ret == 0 && swhca_uattr_find(req, UABI_ATTR_REG_MR_DMA_HANDLE) != NULL)
		ret = swhca_uattr_obj(req, UABI_ATTR_REG_MR_DMA_HANDLE, UABI_OBJECT_DMAH,
				      &attr->dmah);
	if (ret == 0)
		attr->pd = pd;
	return ret;
}

static int
mr_out(struct swhca_ureq *req, const struct swhca_uobj *mr)
{
	int ret;

	ret = swhca_uattr_out(req, UABI_ATTR_REG_MR_RESP_LKEY, &mr->mr.key, sizeof(mr->mr.key));
	if (ret == 0)
		ret = swhca_uattr_out(req, UABI_ATTR_REG_MR_RESP_RKEY, &mr->mr.key,
				      sizeof(mr->mr.key));
	return ret != 0 ? ret :
	       swhca_uattr_out_handle(req, UABI_ATTR_REG_MR_HANDLE, mr->handle);
}

int
swhca_ureg_mr_req(struct swhca_ureq *req)
{
	struct swhca_ureg_attr attr = { 0 };
	struct source source = { 0 };
	struct swhca_uobj *mr;
	int ret;

	ret = attr_read(req, &attr);
	if (ret == 0)
		ret = source_read(req, &source);
	if (ret != 0)
		return ret;
	if (source.has_fd) {
		ret = swhca_ureg_dmabuf_create(req->file, (int)source.fd, source.fd_offset, &attr,
					       &mr);
	} else {
		attr.start = source.addr;
		ret = swhca_ureg_create(req->file, &attr, &mr);
	}
	if (ret != 0)
		return ret;
	ret = mr_out(req, mr);
	if (ret != 0)
		swhca_uobj_destroy(req->file, mr);
	return ret;
}
