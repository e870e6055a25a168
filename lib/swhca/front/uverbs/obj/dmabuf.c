/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Regions of a DMA buffer that another device exports (ib_core: uverbs_std_types_mr.c; mlx5_ib:
 * reg_user_mr_dmabuf()).
 *
 * The buffer is accessed by mapping its file; memory of a GPU, which cannot be mapped, is rejected.
 */

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/array.h"
#include "base/log.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/fork.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/obj/dmabuf.h"
#include "front/uverbs/obj/mr.h"

/* Access rights supported for such a region. */
#define DMABUF_ACCESS                                                                              \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_READ |                             \
	 IB_UVERBS_ACCESS_REMOTE_WRITE | IB_UVERBS_ACCESS_REMOTE_ATOMIC |                          \
	 IB_UVERBS_ACCESS_RELAXED_ORDERING)

struct dmabuf {
	int fd;
	uint64_t offset;
	struct swhca_ureg_attr attr;
};

#define REG_ATTR(name, kind, member)                                                               \
	SWHCA_UATTR(UVERBS_ATTR_REG_DMABUF_MR_##name, kind, struct dmabuf, member)

static const struct swhca_uattr_spec reg_attrs[] = {
	{ REG_ATTR(PD_HANDLE, OBJ, attr.pd), .type = UVERBS_OBJECT_PD },
	{ REG_ATTR(FD, U32, fd) },
	{ REG_ATTR(OFFSET, U64, offset) },
	{ REG_ATTR(LENGTH, U64, attr.len) },
	{ REG_ATTR(IOVA, U64, attr.iova) },
	{ REG_ATTR(ACCESS_FLAGS, U32, attr.access) },
};

static int
attrs_check(const struct swhca_udev *dev, const struct dmabuf *buf)
{
	if (((buf->offset ^ buf->attr.iova) & (PRM_ADAPTER_PAGE_SIZE - 1)) != 0 ||
	    buf->offset + buf->attr.len < buf->offset ||
	    buf->attr.iova + buf->attr.len < buf->attr.iova)
		return -EINVAL;
	if ((buf->attr.access & ~(uint32_t)DMABUF_ACCESS) != 0) {
		SWHCA_LOG(WARNING, "DMA buffer: access flags 0x%x: only 0x%x",
			  buf->attr.access, (unsigned int)DMABUF_ACCESS);
		return -EINVAL;
	}
	return swhca_ureg_access_check(dev, buf->attr.access);
}

/* Check for a DMA buffer of sufficient size (dma_buf_get(), ib_umem_dmabuf_get()). */
static int
file_check(const struct dmabuf *buf)
{
	struct statfs fs;
	off_t size;

	if (fcntl(buf->fd, F_GETFD) < 0)
		return -EBADF;
	if (fstatfs(buf->fd, &fs) != 0 || fs.f_type != DMA_BUF_MAGIC) {
		SWHCA_LOG(WARNING, "DMA buffer: descriptor %d is no DMA buffer", buf->fd);
		return -EINVAL;
	}
	size = lseek(buf->fd, 0, SEEK_END);
	if (size < 0 || buf->attr.len == 0 || buf->offset + buf->attr.len > (uint64_t)size) {
		SWHCA_LOG(WARNING, "DMA buffer: %llu bytes from %llu on, the buffer has %lld",
			  (unsigned long long)buf->attr.len, (unsigned long long)buf->offset,
			  (long long)size);
		return -EINVAL;
	}
	return 0;
}

static uint64_t
map_start(const struct swhca_uregion *mr)
{
	return mr->start & ~(uint64_t)(PRM_ADAPTER_PAGE_SIZE - 1);
}

static void
dmabuf_fini(struct swhca_ufile *file, struct swhca_uobj *mr)
{
	(void)file;
	munmap((void *)(uintptr_t)map_start(&mr->mr),
	       mr->mr.start + mr->mr.len - map_start(&mr->mr));
}

bool
swhca_ureg_is_dmabuf(const struct swhca_uobj *mr)
{
	return mr->fini == dmabuf_fini;
}

static int
buf_map(struct dmabuf *buf)
{
	uint64_t first = buf->offset & ~(uint64_t)(PRM_ADAPTER_PAGE_SIZE - 1);
	bool is_writable = (buf->attr.access & SWHCA_UREG_WRITES) != 0;
	void *va;

	va = mmap(NULL, buf->offset + buf->attr.len - first,
		  is_writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, buf->fd,
		  (off_t)first);
	if (va == MAP_FAILED) {
		SWHCA_LOG(WARNING, "DMA buffer: the buffer cannot be mapped: its memory is out"
			  " of reach");
		return -EOPNOTSUPP;
	}
	buf->attr.start = (uintptr_t)va + (buf->offset - first);
	return 0;
}

static int
region_create(struct swhca_ufile *file, struct dmabuf *buf, struct swhca_uobj *mr)
{
	int ret;

	ret = buf_map(buf);
	if (ret != 0)
		return ret;
	ret = swhca_ureg_mkey_create(file->dev, mr, &buf->attr);
	if (ret != 0) {
		mr->mr.start = buf->attr.start;
		mr->mr.len = buf->attr.len;
		dmabuf_fini(file, mr);
		return ret;
	}
	mr->create_op = PRM_CMD_CREATE_MKEY;
	mr->fini = dmabuf_fini;
	return 0;
}

int
swhca_ureg_dmabuf_create(struct swhca_ufile *file, int fd, uint64_t offset,
			 const struct swhca_ureg_attr *attr, struct swhca_uobj **obj)
{
	struct dmabuf buf = { .fd = fd, .offset = offset, .attr = *attr };
	struct swhca_uobj *mr;
	int ret;

	/* The descriptor would belong to the wrong process. */
	if (swhca_ufork_is_foreign())
		return -EOPNOTSUPP;
	ret = attrs_check(file->dev, &buf);
	if (ret == 0)
		ret = file_check(&buf);
	if (ret != 0)
		return ret;
	mr = swhca_uobj_alloc(file, UVERBS_OBJECT_MR);
	if (mr == NULL)
		return -ENOMEM;
	ret = region_create(file, &buf, mr);
	if (ret != 0) {
		swhca_uobj_free(file, mr);
		return ret;
	}
	swhca_uobj_ref(mr, attr->pd);
	swhca_uobj_ref(mr, attr->dmah);
	*obj = mr;
	return 0;
}

int
swhca_ureg_dmabuf_req(struct swhca_ureq *req)
{
	struct dmabuf buf = { 0 };
	struct swhca_uobj *mr;
	int ret;

	ret = swhca_uattrs_in(req, reg_attrs, SWHCA_ARRAY_SIZE(reg_attrs), &buf);
	if (ret == 0)
		ret = swhca_ureg_dmabuf_create(req->file, buf.fd, buf.offset, &buf.attr, &mr);
	if (ret != 0)
		return ret;
	return swhca_ureg_out(req, mr, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY,
			      UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY,
			      UVERBS_ATTR_REG_DMABUF_MR_HANDLE);
}
