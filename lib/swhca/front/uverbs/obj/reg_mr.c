/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Registration by ioctl: memory of the process or a DMA buffer, by one method (ib_core:
 * uverbs_std_types_mr.c, UVERBS_METHOD_REG_MR). rdma-core 59 and later use it for ibv_reg_mr_ex(3).
 */

#include <errno.h>

#include "base/array.h"
#include "base/log.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/obj/dmabuf.h"
#include "front/uverbs/obj/mr.h"
#include "front/uverbs/obj/reg_mr.h"

/* Memory to register: at an address, or in a file. */
struct source {
	bool has_fd;
	uint64_t addr;
	uint64_t fd_offset;
	uint32_t fd;
};

#define SOURCE_ATTR(name, kind, member)                                                            \
	SWHCA_UATTR(UABI_ATTR_REG_MR_##name, kind, struct source, member), .is_optional = true

static const struct swhca_uattr_spec source_attrs[] = {
	{ SOURCE_ATTR(ADDR, U64, addr) },
	{ SOURCE_ATTR(FD_OFFSET, U64, fd_offset) },
	{ SOURCE_ATTR(FD, FD, fd) },
};

static int
source_read(const struct swhca_ureq *req, struct source *source)
{
	int ret;

	ret = swhca_uattrs_in(req, source_attrs, SWHCA_ARRAY_SIZE(source_attrs), source);
	if (ret != 0)
		return ret;
	source->has_fd = swhca_uattr_find(req, UABI_ATTR_REG_MR_FD) != NULL;
	if (source->has_fd != (swhca_uattr_find(req, UABI_ATTR_REG_MR_FD_OFFSET) != NULL) ||
	    source->has_fd == (swhca_uattr_find(req, UABI_ATTR_REG_MR_ADDR) != NULL)) {
		SWHCA_LOG(WARNING, "REG_MR: an address, or a descriptor with an offset in it");
		return -EINVAL;
	}
	return 0;
}

#define REG_ATTR(name, kind, member)                                                               \
	SWHCA_UATTR(UABI_ATTR_REG_MR_##name, kind, struct swhca_ureg_attr, member)

static const struct swhca_uattr_spec reg_attrs[] = {
	{ REG_ATTR(PD_HANDLE, OBJ, pd), .type = UVERBS_OBJECT_PD },
	{ REG_ATTR(IOVA, U64, iova) },
	{ REG_ATTR(LENGTH, U64, len) },
	{ REG_ATTR(ACCESS_FLAGS, U32, access) },
	{ REG_ATTR(DMA_HANDLE, OBJ, dmah), .type = UABI_OBJECT_DMAH, .is_optional = true },
};

int
swhca_ureg_mr_req(struct swhca_ureq *req)
{
	struct swhca_ureg_attr attr = { 0 };
	struct source source = { 0 };
	struct swhca_uobj *mr;
	int ret;

	ret = swhca_uattrs_in(req, reg_attrs, SWHCA_ARRAY_SIZE(reg_attrs), &attr);
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
	return swhca_ureg_out(req, mr, UABI_ATTR_REG_MR_RESP_LKEY, UABI_ATTR_REG_MR_RESP_RKEY,
			      UABI_ATTR_REG_MR_HANDLE);
}
