/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_OBJ_H
#define SWHCA_UVERBS_OBJ_H

/**
 * @file
 * Objects of a file: handles, references, destruction, and state by type.
 */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "mlx5_prm_cmd.h"
#include "mlx5_prm_dc.h"
#include "front/uverbs/dev/uverbs_abi.h"
#include "front/uverbs/file/uverbs_event.h"

struct swhca_udbr_page;
struct swhca_ufile;

/** State of a QP that is not in its PRM context. */
struct swhca_uqp {
	uint8_t type;		/**< enum ib_uverbs_qp_type */
	uint8_t state;		/**< enum uqp_state, as last modified or queried. */
	uint8_t port;
	bool is_unordered;	/**< Its data may be placed out of order. */
	uint8_t resp_depth;	/**< max_dest_rd_atomic, as last modified. */
	uint32_t access;	/**< enum ib_uverbs_access_flags, as last modified. */
	struct ib_uverbs_qp_cap cap;
	bool sq_sig_all;
	uint32_t pdn;
	uint32_t send_cqn;
	uint32_t recv_cqn;
	uint64_t dbr_addr;
	uint32_t bfreg;		/**< Static blue flame register + 1, or 0. */
	struct swhca_utarget *target;	/**< XRC target: state shared with other files. */
	bool is_dct;		/**< A DC target: only type, state and cap above are used. */
	uint8_t dctc[PRM_DCTC_SIZE];	/**< Its context, as far as it is known. */
};

/** A memory region. */
struct swhca_uregion {
	uint64_t start;		/**< Address in the process. */
	uint64_t iova;
	uint64_t len;
	uint32_t key;
	uint32_t access;	/**< enum ib_uverbs_access_flags */
	uint32_t nb_xlt;	/**< Capacity of the key, in octowords. */
	bool is_writable;	/**< The memory was pinned for writing. */
};

/** A DMA handle. */
struct swhca_udmah {
	uint8_t ph;		/**< Processing hint. */
	uint8_t tag;		/**< Index in the steering tag table, or 0. */
};

/** A shared receive queue. */
struct swhca_usrq {
	uint32_t max_wr;
	uint32_t max_sge;
};

/** Membership of a multicast group. */
struct swhca_umcast {
	uint8_t gid[16];
	uint16_t mlid;
};

/** Device memory. */
struct swhca_udm {
	uint64_t start;		/**< Offset in the BAR. */
	uint64_t len;		/**< Allocated size. */
	uint64_t req_len;	/**< Requested size. */
	struct swhca_uobj *ops[PRM_NB_MEMIC_OPS]; /**< Its operation addresses, or NULL. */
};

/** State of a CQ that is not in its PRM context. */
struct swhca_ucq {
	uint32_t cqe_size;	/**< Bytes. */
	uint32_t nb_cqe;	/**< For the user: one less than in the ring. */
	uint8_t cqe_sz;		/**< PRM_CQC_CQE_SZ_* */
	bool has_real_time;	/**< Queue pairs use real-time stamps in its CQEs. */
};

/** An operation address of device memory. */
struct swhca_udm_op {
	struct swhca_uobj *dm;
	uint64_t addr;		/**< Offset in the BAR. */
	uint8_t op;		/**< PRM_MEMIC_OP_* */
};

/** Maximum objects that an object refers to. */
#define SWHCA_UOBJ_MAX_DEPS 4

/** Type of an object that requests cannot name: membership of a QP in a multicast group. */
#define SWHCA_UOBJ_MCAST 0xfff0u

/** An object of a file, by handle. */
struct swhca_uobj {
	TAILQ_ENTRY(swhca_uobj) link;	/**< In swhca_ufile.order, in order of creation. */
	uint32_t handle;
	uint16_t type;			/**< UVERBS_OBJECT_* or MLX5_IB_OBJECT_* */
	uint16_t create_op;		/**< PRM command that created it, 0: none. */
	uint16_t general_type;		/**< obj_type of a general object. */
	uint32_t num;			/**< Number in the device. */
	uint32_t res_id;		/**< Number for resource tracking. */
	uint32_t nb_refs;		/**< Objects that refer to this one. */
	uint64_t nb_pinned;		/**< Pages that it has pinned. */
	struct swhca_udbr_page *dbr_page;	/**< Of its doorbell record, or NULL. */
	struct swhca_uobj *deps[SWHCA_UOBJ_MAX_DEPS];
	struct swhca_uevent_src events;
	/** Releases the front end's resources of it; NULL: none. */
	void (*fini)(struct swhca_ufile *file, struct swhca_uobj *obj);
	union {
		struct swhca_uqp qp;
		struct swhca_ucq cq;
		struct swhca_uregion mr;	/**< Also a window, which only uses the key. */
		struct swhca_udm dm;
		struct swhca_udmah dmah;
		struct swhca_udm_op dm_op;
		struct swhca_usrq srq;
		struct swhca_umcast mcast;
		bool is_seen;			/**< A UAR page was mapped. */
		struct swhca_uxrcd *xrcd;
	};
};

/** Allocate a resource number, unique in files and objects of all processes of a run. */
uint32_t swhca_uobj_res_id_next(void);
/** @return New object with the next handle, or NULL. */
struct swhca_uobj *swhca_uobj_alloc(struct swhca_ufile *file, uint16_t type);
/** Free an object without accessing the device; drops its references and its pinned memory. */
void swhca_uobj_free(struct swhca_ufile *file, struct swhca_uobj *obj);
struct swhca_uobj *swhca_uobj_find(const struct swhca_ufile *file, uint32_t handle, uint16_t type);
/** Object by its number in the device, or NULL. */
struct swhca_uobj *swhca_uobj_find_num(const struct swhca_ufile *file, uint16_t type, uint32_t num);
/** Object of any type, or NULL. */
struct swhca_uobj *swhca_uobj_find_any(const struct swhca_ufile *file, uint64_t handle);
/** Add a reference to another object; NULL: none. */
void swhca_uobj_ref(struct swhca_uobj *obj, struct swhca_uobj *dep);
/** The same for several. */
void swhca_uobj_refs(struct swhca_uobj *obj, struct swhca_uobj *const *deps, size_t nb_deps);
/** uid of its commands: 0 where mlx5_ib makes it the kernel's (keys of memory, XRC). */
uint16_t swhca_uobj_uid(const struct swhca_ufile *file, const struct swhca_uobj *obj);
/** Destroy it in the device and free it. @return 0, -EBUSY, or as swhca_udev_exec(). */
int swhca_uobj_destroy(struct swhca_ufile *file, struct swhca_uobj *obj);
/** The same, and return how many events its user has read. */
int swhca_uobj_destroy_counted(struct swhca_ufile *file, struct swhca_uobj *obj,
			       struct swhca_uevent_counts *counts);
/** Destroy all objects left in a file, users before what they use. */
void swhca_uobj_destroy_all(struct swhca_ufile *file);

/** Find an object by handle, for commands of the write ABI. @return 0 or -EINVAL, as the kernel. */
static inline int
swhca_uobj_get(const struct swhca_ufile *file, uint32_t handle, uint16_t type,
	       struct swhca_uobj **obj)
{
	*obj = swhca_uobj_find(file, handle, type);
	return *obj == NULL ? -EINVAL : 0;
}

#endif /* SWHCA_UVERBS_OBJ_H */
