/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Attributes of RDMA_VERBS_IOCTL: struct ib_uverbs_ioctl_hdr and what follows.
 *
 * Rules and errno values are those of drivers/infiniband/core/uverbs_ioctl.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_mem.h"
#include "front/uverbs/file/obj.h"

/* Inputs of up to this length are in the attribute itself. */
#define UATTR_INLINE_LEN sizeof(((struct ib_uverbs_attr *)NULL)->data)

int
swhca_ureq_read(struct swhca_ureq *req, uint64_t arg)
{
	struct ib_uverbs_ioctl_hdr hdr;
	size_t len;
	int ret;

	ret = swhca_uaddr_read(&hdr, arg, sizeof(hdr));
	if (ret != 0)
		return ret;
	len = hdr.num_attrs * sizeof(req->attrs[0]);
	if (hdr.length != sizeof(hdr) + len)
		return -EINVAL;
	if (hdr.reserved1 != 0 || hdr.reserved2 != 0)
		return -EPROTONOSUPPORT;
	if (hdr.num_attrs > SWHCA_UREQ_MAX_ATTRS || hdr.driver_id != RDMA_DRIVER_MLX5)
		return -EINVAL;
	req->object_id = hdr.object_id;
	req->method_id = hdr.method_id;
	req->nb_attrs = hdr.num_attrs;
	req->user_attrs = arg + sizeof(hdr);
	memset(req->is_changed, 0, sizeof(req->is_changed));
	return len == 0 ? 0 : swhca_uaddr_read(req->attrs, req->user_attrs, len);
}

int
swhca_ureq_commit(struct swhca_ureq *req)
{
	unsigned int i;
	int ret;

	for (i = 0; i < req->nb_attrs; i++) {
		if (!req->is_changed[i])
			continue;
		ret = swhca_uaddr_write(req->user_attrs + i * sizeof(req->attrs[0]),
				       &req->attrs[i], sizeof(req->attrs[0]));
		if (ret != 0)
			return ret;
	}
	return 0;
}

const struct ib_uverbs_attr *
swhca_uattr_find(const struct swhca_ureq *req, uint16_t id)
{
	unsigned int i;

	for (i = 0; i < req->nb_attrs; i++) {
		if (req->attrs[i].attr_id == id)
			return &req->attrs[i];
	}
	return NULL;
}

size_t
swhca_uattr_len(const struct swhca_ureq *req, uint16_t id)
{
	const struct ib_uverbs_attr *attr = swhca_uattr_find(req, id);

	return attr == NULL ? 0 : attr->len;
}

static int
uattr_read(const struct ib_uverbs_attr *attr, size_t offset, void *dst, size_t len)
{
	if (len == 0)
		return 0;
	if (attr->len <= UATTR_INLINE_LEN) {
		memcpy(dst, (const uint8_t *)&attr->data + offset, len);
		return 0;
	}
	return swhca_uaddr_read(dst, attr->data + offset, len);
}

/* Check that a part of an input is zero. Newer callers may append fields that they do not use. */
static int
uattr_check_zero(const struct ib_uverbs_attr *attr, size_t offset)
{
	uint8_t buf[64];
	size_t i, len;
	int ret;

	for (; offset < attr->len; offset += len) {
		len = attr->len - offset;
		if (len > sizeof(buf))
			len = sizeof(buf);
		ret = uattr_read(attr, offset, buf, len);
		if (ret != 0)
			return ret;
		for (i = 0; i < len; i++) {
			if (buf[i] != 0)
				return -EOPNOTSUPP;
		}
	}
	return 0;
}

int
swhca_uattr_in(const struct swhca_ureq *req, uint16_t id, void *dst, size_t size, size_t min)
{
	const struct ib_uverbs_attr *attr = swhca_uattr_find(req, id);
	size_t len;
	int ret;

	if (attr == NULL)
		return min == 0 ? (memset(dst, 0, size), 0) : -EINVAL;
	if (attr->len < min)
		return -EINVAL;
	len = attr->len < size ? attr->len : size;
	ret = uattr_check_zero(attr, len);
	if (ret != 0)
		return ret;
	memset((uint8_t *)dst + len, 0, size - len);
	return uattr_read(attr, 0, dst, len);
}

int
swhca_uattr_in_u64(const struct swhca_ureq *req, uint16_t id, uint64_t *value)
{
	const struct ib_uverbs_attr *attr = swhca_uattr_find(req, id);
	uint64_t v = 0;

	if (attr == NULL || attr->len == 0 || attr->len > sizeof(v))
		return -EINVAL;
	/* Little endian hosts only, see the check in front/uverbs/dev/dev.c. */
	memcpy(&v, &attr->data, attr->len);
	*value = v;
	return 0;
}

int
swhca_uattr_in_u32(const struct swhca_ureq *req, uint16_t id, uint32_t *value)
{
	uint64_t v;
	int ret;

	ret = swhca_uattr_in_u64(req, id, &v);
	if (ret != 0)
		return ret;
	if (v > UINT32_MAX)
		return -EINVAL;
	*value = (uint32_t)v;
	return 0;
}

int
swhca_uattr_in_fd(const struct swhca_ureq *req, uint16_t id, uint32_t *fd)
{
	const struct ib_uverbs_attr *attr = swhca_uattr_find(req, id);

	/* No length, like a handle (uverbs_process_attr(): UVERBS_ATTR_TYPE_RAW_FD). */
	if (attr == NULL || attr->len != 0 || attr->data_s64 < INT32_MIN ||
	    attr->data_s64 > INT32_MAX)
		return -EINVAL;
	*fd = (uint32_t)attr->data_s64;
	return 0;
}

int
swhca_uattr_in_alloc(const struct swhca_ureq *req, uint16_t id, size_t min, void **buf,
		     size_t *len)
{
	const struct ib_uverbs_attr *attr = swhca_uattr_find(req, id);
	void *copy;
	int ret;

	if (attr == NULL || attr->len < min || attr->len == 0)
		return -EINVAL;
	copy = malloc(attr->len);
	if (copy == NULL)
		return -ENOMEM;
	ret = uattr_read(attr, 0, copy, attr->len);
	if (ret != 0) {
		/* It may contain a command with a key. */
		explicit_bzero(copy, attr->len);
		free(copy);
		return ret;
	}
	*buf = copy;
	*len = attr->len;
	return 0;
}

static int
spec_read(const struct swhca_ureq *req, const struct swhca_uattr_spec *spec, void *dst)
{
	const struct ib_uverbs_attr *attr = swhca_uattr_find(req, spec->id);

	if (attr == NULL && spec->is_optional)
		return 0;
	switch (spec->kind) {
	case SWHCA_UATTR_U64:
		return swhca_uattr_in_u64(req, spec->id, dst);
	case SWHCA_UATTR_U32:
		return swhca_uattr_in_u32(req, spec->id, dst);
	case SWHCA_UATTR_STRUCT:
		return swhca_uattr_in(req, spec->id, dst, spec->size, spec->size);
	case SWHCA_UATTR_FD:
		return swhca_uattr_in_fd(req, spec->id, dst);
	case SWHCA_UATTR_OBJ:
		return swhca_uattr_obj(req, spec->id, spec->type, dst);
	case SWHCA_UATTR_EVENTS:
		return attr == NULL || attr->len != 0 ? -EINVAL :
		       swhca_uevent_file_find(req->file, attr->data_s64, spec->type, dst);
	default:
		return attr == NULL ? 0 : -EOPNOTSUPP;
	}
}

int
swhca_uattrs_in(const struct swhca_ureq *req, const struct swhca_uattr_spec *specs, size_t nb_specs,
		void *dst)
{
	int ret = 0;
	size_t i;

	for (i = 0; ret == 0 && i < nb_specs; i++)
		ret = spec_read(req, &specs[i], (uint8_t *)dst + specs[i].offset);
	return ret;
}

/* Mark an attribute of the request as answered. */
static struct ib_uverbs_attr *
uattr_change(struct swhca_ureq *req, const struct ib_uverbs_attr *attr)
{
	size_t i = attr - req->attrs;

	req->is_changed[i] = true;
	req->attrs[i].flags |= UVERBS_ATTR_F_VALID_OUTPUT;
	return &req->attrs[i];
}

int
swhca_uattr_out(struct swhca_ureq *req, uint16_t id, const void *src, size_t size)
{
	static const uint8_t zero[64];
	const struct ib_uverbs_attr *attr = swhca_uattr_find(req, id);
	size_t done, len;
	int ret;

	if (attr == NULL || attr->len == 0)
		return 0;
	done = attr->len < size ? attr->len : size;
	ret = swhca_uaddr_write(attr->data, src, done);
	for (; ret == 0 && done < attr->len; done += len) {
		len = attr->len - done;
		if (len > sizeof(zero))
			len = sizeof(zero);
		ret = swhca_uaddr_write(attr->data + done, zero, len);
	}
	if (ret == 0)
		uattr_change(req, attr);
	return ret;
}

int
swhca_uattr_obj(const struct swhca_ureq *req, uint16_t id, uint16_t type, struct swhca_uobj **obj)
{
	const struct ib_uverbs_attr *attr = swhca_uattr_find(req, id);

	if (attr == NULL || attr->len != 0)
		return -EINVAL;
	if (attr->data_s64 < 0)
		return -EINVAL;
	*obj = swhca_uobj_find_any(req->file, attr->data);
	if (*obj == NULL)
		return -ENOENT;
	return (*obj)->type == type ? 0 : -EINVAL;
}

int
swhca_uattr_out_handle(struct swhca_ureq *req, uint16_t id, int64_t handle)
{
	const struct ib_uverbs_attr *attr = swhca_uattr_find(req, id);

	if (attr == NULL || attr->len != 0)
		return -EINVAL;
	uattr_change(req, attr)->data_s64 = handle;
	return 0;
}

int
swhca_uattrs_out(struct swhca_ureq *req, const struct swhca_uattr_answer *answers,
		 size_t nb_answers)
{
	int ret = 0;
	size_t i;

	for (i = 0; ret == 0 && i < nb_answers; i++)
		ret = swhca_uattr_out(req, answers[i].id, answers[i].src, answers[i].size);
	return ret;
}

int
swhca_uattrs_out_obj(struct swhca_ureq *req, struct swhca_uobj *obj, uint16_t handle_id,
		     const struct swhca_uattr_answer *answers, size_t nb_answers)
{
	int ret;

	ret = swhca_uattrs_out(req, answers, nb_answers);
	if (ret == 0)
		ret = swhca_uattr_out_handle(req, handle_id, obj->handle);
	if (ret != 0)
		swhca_uobj_destroy(req->file, obj);
	return ret;
}

int
swhca_uobj_destroy_req(struct swhca_ureq *req, uint16_t id, uint16_t type)
{
	struct swhca_uobj *obj;
	int ret;

	ret = swhca_uattr_obj(req, id, type, &obj);
	if (ret != 0)
		return ret;
	return swhca_uobj_destroy(req->file, obj);
}
