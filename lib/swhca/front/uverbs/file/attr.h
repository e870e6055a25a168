/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_ATTR_H
#define SWHCA_UVERBS_ATTR_H

/**
 * @file
 * An ioctl being executed, and its attributes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/uverbs/dev/uverbs_abi.h"

struct swhca_ufile;
struct swhca_uobj;

/** Maximum attributes of a request; the largest method of the ABI has 24. */
#define SWHCA_UREQ_MAX_ATTRS 64u

/** An ioctl being executed. */
struct swhca_ureq {
	struct swhca_ufile *file;
	uint16_t object_id;
	uint16_t method_id;
	uint16_t nb_attrs;
	struct ib_uverbs_attr attrs[SWHCA_UREQ_MAX_ATTRS];
	bool is_changed[SWHCA_UREQ_MAX_ATTRS];
	uint64_t user_attrs;		/**< Address in the caller. */
};

/** Handler of a method. @return 0 or a negative errno. */
typedef int (*swhca_ureq_handler)(struct swhca_ureq *req);

/** Read header and attributes of the caller. @return 0, -EFAULT, -EINVAL, -EPROTONOSUPPORT. */
int swhca_ureq_read(struct swhca_ureq *req, uint64_t arg);
/** Write changed attributes back. @return 0 or -EFAULT. */
int swhca_ureq_commit(struct swhca_ureq *req);

/** @return The attribute, or NULL. */
const struct ib_uverbs_attr *swhca_uattr_find(const struct swhca_ureq *req, uint16_t id);
/** Length of an attribute, 0 if it is missing. */
size_t swhca_uattr_len(const struct swhca_ureq *req, uint16_t id);
/**
 * Read an input structure; missing bytes are zeroed.
 *
 * @param min
 *   Minimum length.
 * @return
 *   0, -EINVAL (missing, or shorter than min), -EOPNOTSUPP (longer than size with nonzero excess:
 *   the caller uses unknown features), -EFAULT.
 */
int swhca_uattr_in(const struct swhca_ureq *req, uint16_t id, void *dst, size_t size, size_t min);
int swhca_uattr_in_u64(const struct swhca_ureq *req, uint16_t id, uint64_t *value);
int swhca_uattr_in_u32(const struct swhca_ureq *req, uint16_t id, uint32_t *value);
/** Read a file descriptor, which is in the attribute itself. @return 0, -EINVAL (missing). */
int swhca_uattr_in_fd(const struct swhca_ureq *req, uint16_t id, uint32_t *fd);
/** Read an input of any length into a new buffer; the caller frees it. */
int swhca_uattr_in_alloc(const struct swhca_ureq *req, uint16_t id, size_t min, void **buf,
			 size_t *len);
/** Kind of an attribute, and its conversion. */
enum swhca_uattr_kind {
	SWHCA_UATTR_U64,
	SWHCA_UATTR_U32,
	SWHCA_UATTR_STRUCT,	/**< A complete structure. */
	SWHCA_UATTR_FD,		/**< A file descriptor, as uint32_t. */
	SWHCA_UATTR_OBJ,	/**< An object, as struct swhca_uobj *. */
	SWHCA_UATTR_EVENTS,	/**< A referenced event file, as struct swhca_uevent_file *. */
	SWHCA_UATTR_ABSENT,	/**< Unsupported feature: -EOPNOTSUPP if it is given. */
};

/** Attribute of a method, and its destination member. */
struct swhca_uattr_spec {
	uint16_t id;
	uint8_t kind;		/**< enum swhca_uattr_kind */
	bool is_optional;	/**< If it is missing, the member is unchanged. */
	uint16_t type;		/**< Of the object; enum swhca_uevent_kind of the file. */
	uint16_t size;		/**< Of the member. */
	size_t offset;
};

/** Specification of a structure member. */
#define SWHCA_UATTR(id_, kind_, type_, member)                                                     \
	.id = (id_), .kind = SWHCA_UATTR_##kind_, .size = sizeof(((type_ *)NULL)->member),         \
	.offset = offsetof(type_, member)

/**
 * Read attributes in order, up to the first failure.
 *
 * @param dst
 *   Structure with the members.
 * @return
 *   0, or the error of the attribute's own function.
 */
int swhca_uattrs_in(const struct swhca_ureq *req, const struct swhca_uattr_spec *specs,
		    size_t nb_specs, void *dst);
/** Write an output structure, truncated to the buffer; 0 if it is not requested. */
int swhca_uattr_out(struct swhca_ureq *req, uint16_t id, const void *src, size_t size);
/** Find the object of an attribute. @return 0, -EINVAL (missing, other type), -ENOENT. */
int swhca_uattr_obj(const struct swhca_ureq *req, uint16_t id, uint16_t type,
		    struct swhca_uobj **obj);
/** Write a handle or file descriptor. @return 0, or -EINVAL (missing). */
int swhca_uattr_out_handle(struct swhca_ureq *req, uint16_t id, int64_t handle);

/** An output. */
struct swhca_uattr_answer {
	uint16_t id;
	const void *src;
	size_t size;
};

/** Write outputs in order, up to the first failure. @return As above. */
int swhca_uattrs_out(struct swhca_ureq *req, const struct swhca_uattr_answer *answers,
		     size_t nb_answers);
/** The same for a new object, and its handle; on failure the object is destroyed. */
int swhca_uattrs_out_obj(struct swhca_ureq *req, struct swhca_uobj *obj, uint16_t handle_id,
			 const struct swhca_uattr_answer *answers, size_t nb_answers);

/** Handler of DESTROY methods; id is the only object attribute. */
int swhca_uobj_destroy_req(struct swhca_ureq *req, uint16_t id, uint16_t type);

#endif /* SWHCA_UVERBS_ATTR_H */
