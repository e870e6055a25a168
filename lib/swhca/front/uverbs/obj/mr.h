/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_MR_H
#define SWHCA_UVERBS_MR_H

/**
 * @file
 * Memory regions inside the front end: common functions of registration and re-registration.
 */

#include <stdint.h>

#include "front/uverbs/dev/uverbs_abi.h"

struct swhca_udev;
struct swhca_ufile;
struct swhca_uobj;
struct swhca_upages;
struct swhca_ureq;

/** Attributes of a region. */
struct swhca_ureg_attr {
	uint64_t start;		/**< Address in the process. */
	uint64_t len;
	uint64_t iova;		/**< Address of the first byte in the region's address space. */
	uint32_t access;	/**< enum ib_uverbs_access_flags */
	struct swhca_uobj *pd;
	struct swhca_uobj *dmah;	/**< DMA handle, or NULL. */
};

/** Accesses that need writable memory (ib_access_writable()). */
#define SWHCA_UREG_WRITES                                                                          \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |                            \
	 IB_UVERBS_ACCESS_REMOTE_ATOMIC | IB_UVERBS_ACCESS_MW_BIND)

/** Variant, the low byte, of the next key: keys are not reused soon after destruction. */
uint8_t swhca_ukey_variant(void);

/** Check whether a device supports access flags (ib_check_mr_access()). */
int swhca_ureg_access_check(const struct swhca_udev *dev, uint32_t access);

/** Check address, length and device address of a region. @return 0 or -EINVAL. */
int swhca_ureg_range_check(uint64_t start, uint64_t len, uint64_t iova);

/** Register memory of the process. @return 0, or as the kernel; then there is no object. */
int swhca_ureg_create(struct swhca_ufile *file, const struct swhca_ureg_attr *attr,
		      struct swhca_uobj **obj);
/** Write the access into a key context. */
void swhca_ureg_mkc_access(const struct swhca_udev *dev, uint8_t *mkc, uint32_t access);

/** Pin the memory of a region, unless it is paged on demand. @return 0, or as swhca_upin(). */
int swhca_ureg_pin(struct swhca_uobj *mr, const struct swhca_ureg_attr *attr);

/** Create a key over memory that is pinned, or paged depending on the access flags. */
int swhca_ureg_memory_create(struct swhca_udev *dev, struct swhca_uobj *mr,
			     const struct swhca_ureg_attr *attr);

/** Create a key over pinned memory; mr is written on success. */
int swhca_ureg_mkey_create(struct swhca_udev *dev, struct swhca_uobj *mr,
			   const struct swhca_ureg_attr *attr);

/** Octowords of a list of page addresses, in whole groups. */
uint32_t swhca_ureg_nb_xlt(const struct swhca_upages *pages);

/** Divide the memory of a region into pages. @return 0 or -EINVAL. */
int swhca_ureg_pages(const struct swhca_ureg_attr *attr, struct swhca_upages *pages);

/** Answer a registration method: its keys and its handle; on failure it is destroyed. */
int swhca_ureg_out(struct swhca_ureq *req, struct swhca_uobj *mr, uint16_t lkey_id,
		   uint16_t rkey_id, uint16_t handle_id);
int swhca_ureg_destroy_req(struct swhca_ureq *req);
int swhca_ureg_query_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_MR_H */
