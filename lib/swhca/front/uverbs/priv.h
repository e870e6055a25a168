/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_PRIV_H
#define SWHCA_UVERBS_PRIV_H

/**
 * @file
 * Inside of the uverbs front end: devices, files, objects, requests.
 *
 * It has the role that ib_uverbs and mlx5_ib have in Linux. What it does is named after the
 * functions there (drivers/infiniband/core/uverbs_*.c, drivers/infiniband/hw/mlx5); the ABI is
 * that of the kernel headers in /usr/include/rdma.
 *
 * Objects of one file are guarded by the lock of the file, which every request holds.
 */

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "mlx5_prm_cmd.h"
#include "mlx5_prm_dc.h"
#include "mlx5_prm_qos.h"
#include "include/hca.h"
#include "base/log.h"
#include "front/uverbs/call/uverbs.h"
#include "front/uverbs/file/event.h"

#define SWHCA_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/** Blue flame registers of a UAR page that libmlx5 may use (mlx5: MLX5_NON_FP_BFREGS_PER_UAR). */
#define SWHCA_BFREGS_PER_UAR 2u
/** Most of them in a context (mlx5_ib: MLX5_MAX_BFREGS and MLX5_MAX_DYN_BFREGS). */
#define SWHCA_MAX_STATIC_BFREGS 1024u
#define SWHCA_MAX_DYN_BFREGS 512u

/** Longest time that a completion event may be held back (cqc.cq_period has 12 bits). */
#define SWHCA_MAX_CQ_PERIOD_US 0xfffu
#define SWHCA_MAX_CQ_COUNT 0xffffu

/** Number of a UAR page that is not there. */
#define SWHCA_NO_UAR UINT32_MAX

/** Completion vectors of a device; each has an event queue. */
#define SWHCA_NB_COMP_VECTORS 4u
/** Interrupt vector of asynchronous events; those of completion vectors follow. */
#define SWHCA_ASYNC_VECTOR 0u
#define SWHCA_FIRST_COMP_VECTOR 1u
#define SWHCA_NB_EQS (SWHCA_FIRST_COMP_VECTOR + SWHCA_NB_COMP_VECTORS)

/** An event queue of a device. */
struct swhca_ueq {
	uint32_t eqn;
	uint32_t uarn;		/**< Its own page: EQs that share one overwrite doorbells. */
	uint32_t ci;		/**< Entries consumed, runs free; only the interrupt touches it. */
	uint8_t *buf;
	uint8_t *uar;
};

/** Most entries of the rate table that files may have. */
#define SWHCA_MAX_URATES 128u

/** An entry of the rate table. */
struct swhca_urate {
	uint32_t nb_users;		/**< Objects; 0: the entry is free. */
	uint16_t uid;			/**< User context that it is for, or PRM_UID_SHARED. */
	uint8_t ctx[PRM_PP_SIZE];	/**< As the user gave it. */
};

/** Entries of the table of steering tags. */
#define SWHCA_NB_UTAGS 64u

/** An entry of the table of steering tags; number 0 stands for none. */
struct swhca_utag {
	uint32_t nb_users;	/**< DMA handles; 0: the entry is free. */
	uint32_t cpu;
	uint8_t mem_type;
};

/** A device, alive from its first use to the end of the process. */
struct swhca_udev {
	unsigned int index;
	struct swhca_hca *hca;
	struct swhca_ueq eqs[SWHCA_NB_EQS];	/**< By interrupt vector. */
	struct swhca_uevent_table events;
	struct mlx5_ib_clock_info clock_info;
	uint8_t caps[4096];	/**< General capabilities, current values. */
	uint8_t atomic_caps[4096];
	uint8_t qos_caps[4096];
	uint8_t vdpa_caps[4096];
	uint8_t caps_2[4096];	/**< General capabilities 2; without them, zeros. */
	uint8_t dm_caps[4096];
	uint32_t pdn;		/**< The kernel's own, of XRC targets. */
	uint16_t whitelist_uid;	/**< Of commands that need no user context. */
	pthread_mutex_t lock;	/**< Guards what follows, which files share. */
	LIST_HEAD(, swhca_uxrcd) xrcds;
	LIST_HEAD(, swhca_utarget) targets;
	uint64_t vars;		/**< Bit mask of the doorbell pages in use. */
	uint64_t dm_pages;	/**< Bit mask of the pages of device memory in use. */
	struct swhca_urate rates[SWHCA_MAX_URATES];
	struct swhca_utag tags[SWHCA_NB_UTAGS];
	uint8_t odp_caps[4096];
	uint32_t null_mkey;
	uint32_t dump_fill_mkey;
	pthread_mutex_t umr_lock;
	struct swhca_uumr *umr;	/**< Queue pair for changes of keys, or NULL: not needed yet. */
};

/** State of a QP that its PRM context does not hold. */
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
	struct swhca_utarget *target;	/**< XRC target: what it shares with other files. */
	bool is_dct;		/**< A DC target: of what is above only type, state and cap. */
	uint8_t dctc[PRM_DCTC_SIZE];	/**< Its context, as far as it is known. */
};

/** A memory region. */
struct swhca_uregion {
	uint64_t start;		/**< Address in the process. */
	uint64_t iova;
	uint64_t len;
	uint32_t key;
	uint32_t access;	/**< enum ib_uverbs_access_flags */
	uint32_t nb_xlt;	/**< Room of the key, in octowords. */
	bool is_writable;	/**< The memory was pinned to be written. */
};

/** A DMA handle. */
struct swhca_udmah {
	uint8_t ph;		/**< Processing hint. */
	uint8_t tag;		/**< Entry of the table of steering tags, or 0. */
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

/** An XRC domain, in the device's list; files that share it have an object each. */
struct swhca_uxrcd {
	LIST_ENTRY(swhca_uxrcd) link;
	uint32_t num;
	uint32_t nb_users;
	bool is_shared;		/**< By the inode that follows. */
	dev_t st_dev;
	ino_t st_ino;
};

/** An XRC target, in the device's list; it lives as long as anybody has it open. */
struct swhca_utarget {
	LIST_ENTRY(swhca_utarget) link;
	const struct swhca_uxrcd *xrcd;
	uint32_t qpn;
	uint32_t nb_users;
};

/** Device memory. */
struct swhca_udm {
	uint64_t start;		/**< Offset in the BAR. */
	uint64_t len;		/**< As the device allocated it. */
	uint64_t req_len;	/**< As it was asked for. */
	struct swhca_uobj *ops[PRM_NB_MEMIC_OPS]; /**< Its operation addresses, or NULL. */
};

/** State of a CQ that its PRM context does not hold. */
struct swhca_ucq {
	uint32_t cqe_size;	/**< Bytes. */
	uint32_t nb_cqe;	/**< As the user knows: one less than the ring has. */
	uint8_t cqe_sz;		/**< PRM_CQC_CQE_SZ_* */
	bool has_real_time;	/**< Queue pairs stamp its CQEs with the time of day. */
};

/** An operation address of device memory. */
struct swhca_udm_op {
	struct swhca_uobj *dm;
	uint64_t addr;		/**< Offset in the BAR. */
	uint8_t op;		/**< PRM_MEMIC_OP_* */
};

/** Most objects that an object refers to. */
#define SWHCA_UOBJ_MAX_DEPS 4

/** Type of an object that no request can name: a QP is in a multicast group. */
#define SWHCA_UOBJ_MCAST 0xfff0u

struct swhca_ufile;

/** An object of a file, by handle. */
struct swhca_uobj {
	TAILQ_ENTRY(swhca_uobj) link;	/**< In swhca_ufile.order, in order of creation. */
	uint32_t handle;
	uint16_t type;			/**< UVERBS_OBJECT_* or MLX5_IB_OBJECT_* */
	uint16_t create_op;		/**< PRM command that created it, 0: none. */
	uint16_t general_type;		/**< obj_type of a general object. */
	uint32_t num;			/**< Number in the device. */
	uint32_t res_id;		/**< Number for whoever keeps account. */
	uint32_t nb_refs;		/**< Objects that refer to this one. */
	struct swhca_uobj *deps[SWHCA_UOBJ_MAX_DEPS];
	struct swhca_uevent_src events;
	/** Gives back what the front end itself keeps for it; NULL: nothing. */
	void (*fini)(struct swhca_ufile *file, struct swhca_uobj *obj);
	union {
		struct swhca_uqp qp;
		struct swhca_ucq cq;
		struct swhca_uregion mr;	/**< Also a window, of which only the key. */
		struct swhca_udm dm;
		struct swhca_udmah dmah;
		struct swhca_udm_op dm_op;
		struct swhca_usrq srq;
		struct swhca_umcast mcast;
		bool is_seen;			/**< A UAR page was mapped. */
		struct swhca_uxrcd *xrcd;
	};
};

/** What an open file holds. */
struct swhca_ufile {
	pthread_mutex_t lock;
	struct swhca_udev *dev;
	unsigned int nb_refs;		/**< Descriptors and running calls; guarded by the table. */
	unsigned int fork_gen;		/**< Which process it belongs to. */
	uint32_t res_id;		/**< As that of an object. */
	struct swhca_uevent_file *events; /**< Not NULL: an event file, and nothing below is. */
	struct swhca_uevent_file *default_async; /**< Of objects that name none; or NULL. */
	int map_fd;			/**< Its memory (front/uverbs/file/map.h). */
	struct swhca_timer *timer;	/**< That it shows. */
	bool has_context;
	bool has_dyn_uar;		/**< Only UAR objects, no static registers. */
	uint8_t cqe_version;
	uint16_t uid;			/**< DevX user context, 0: none. */
	uint32_t lib_caps;
	uint32_t nb_static_bfregs;
	uint32_t nb_low_lat_bfregs;
	uint32_t nb_dyn_bfregs;
	uint32_t nb_lag_qps;		/**< QPs that were given a port of the adapter. */
	uint32_t *sys_pages;		/**< UAR numbers: static ones, then those mapped later. */
	uint32_t *bfreg_users;		/**< QPs of each static register. */
	uint32_t nb_unseen_uars;	/**< Of a strict device: nobody saw them being mapped. */
	struct swhca_uobj **slots;	/**< By handle. */
	uint32_t nb_slots;
	uint32_t next_slot;
	TAILQ_HEAD(swhca_uobj_list, swhca_uobj) order;
};

/** Most attributes of a request; the largest method of the ABI has 24. */
#define SWHCA_UREQ_MAX_ATTRS 64u

/** A running ioctl. */
struct swhca_ureq {
	struct swhca_ufile *file;
	uint16_t object_id;
	uint16_t method_id;
	uint16_t nb_attrs;
	struct ib_uverbs_attr attrs[SWHCA_UREQ_MAX_ATTRS];
	bool is_changed[SWHCA_UREQ_MAX_ATTRS];
	uint64_t user_attrs;		/**< Where the caller has them. */
};

/** Answers a method. @return 0 or a negative errno. */
typedef int (*swhca_ureq_handler)(struct swhca_ureq *req);

/* Attributes (front/uverbs/file/attr.c). */
/** Read header and attributes of the caller. @return 0, -EFAULT, -EINVAL, -EPROTONOSUPPORT. */
int swhca_ureq_read(struct swhca_ureq *req, uint64_t arg);
/** Write changed attributes back. @return 0 or -EFAULT. */
int swhca_ureq_commit(struct swhca_ureq *req);
/** @return The attribute, or NULL. */
const struct ib_uverbs_attr *swhca_uattr_find(const struct swhca_ureq *req, uint16_t id);
/** Length of an attribute, 0 if it is not there. */
size_t swhca_uattr_len(const struct swhca_ureq *req, uint16_t id);
/**
 * Read an input structure; the rest of a shorter one is zeroed.
 *
 * @param min
 *   Shortest length accepted.
 * @return
 *   0, -EINVAL (missing, or shorter than min), -EOPNOTSUPP (longer than size and not zero there:
 *   the caller knows more than we do), -EFAULT.
 */
int swhca_uattr_in(const struct swhca_ureq *req, uint16_t id, void *dst, size_t size, size_t min);
int swhca_uattr_in_u64(const struct swhca_ureq *req, uint16_t id, uint64_t *value);
int swhca_uattr_in_u32(const struct swhca_ureq *req, uint16_t id, uint32_t *value);
/** A file descriptor, which is in the attribute itself. @return 0, -EINVAL (missing). */
int swhca_uattr_in_fd(const struct swhca_ureq *req, uint16_t id, uint32_t *fd);
/** Read an input of any length into a new buffer; the caller frees it. */
int swhca_uattr_in_alloc(const struct swhca_ureq *req, uint16_t id, size_t min, void **buf,
			 size_t *len);
/** Write an output structure, as much as the caller has room for; 0 if it is not asked for. */
int swhca_uattr_out(struct swhca_ureq *req, uint16_t id, const void *src, size_t size);
/** Find an object that an attribute names. @return 0, -EINVAL (missing, other type), -ENOENT. */
int swhca_uattr_obj(const struct swhca_ureq *req, uint16_t id, uint16_t type,
		    struct swhca_uobj **obj);
/** Write a handle or file descriptor. @return 0, or -EINVAL (missing). */
int swhca_uattr_out_handle(struct swhca_ureq *req, uint16_t id, int64_t handle);

/* Objects (front/uverbs/file/obj.c). */
/** @return New object with the next handle, or NULL. */
/** A number for whoever keeps account; files and objects of all processes of a run share them. */
uint32_t swhca_uobj_res_id_next(void);
struct swhca_uobj *swhca_uobj_alloc(struct swhca_ufile *file, uint16_t type);
/** Forget an object without touching the device; drops its references. */
void swhca_uobj_free(struct swhca_ufile *file, struct swhca_uobj *obj);
struct swhca_uobj *swhca_uobj_find(const struct swhca_ufile *file, uint32_t handle, uint16_t type);
/** Object by its number in the device, or NULL. */
struct swhca_uobj *swhca_uobj_find_num(const struct swhca_ufile *file, uint16_t type, uint32_t num);
/** Object of any type, or NULL. */
struct swhca_uobj *swhca_uobj_find_any(const struct swhca_ufile *file, uint64_t handle);
void swhca_uobj_ref(struct swhca_uobj *obj, struct swhca_uobj *dep);
/** The uid of its commands: 0 where mlx5_ib makes it the kernel's (keys of memory, XRC). */
uint16_t swhca_uobj_uid(const struct swhca_ufile *file, const struct swhca_uobj *obj);
/** Destroy it in the device, then forget it. @return 0, -EBUSY, or as swhca_udev_exec(). */
int swhca_uobj_destroy(struct swhca_ufile *file, struct swhca_uobj *obj);
/** The same, and tell how many events its user has read. */
int swhca_uobj_destroy_counted(struct swhca_ufile *file, struct swhca_uobj *obj,
			       struct swhca_uevent_counts *counts);
/** Destroy all that a file left, users before what they use. */
void swhca_uobj_destroy_all(struct swhca_ufile *file);
/** Handler of DESTROY methods: the only object attribute has number id. */
int swhca_uobj_destroy_req(struct swhca_ureq *req, uint16_t id, uint16_t type);

/* Devices (front/uverbs/dev/dev.c). */
/** Device by index, created when first asked for. @return 0 or a negative errno. */
int swhca_udev_get(unsigned int index, struct swhca_udev **dev);
/** In the child of fork(2): forget the devices, their engine is in the parent. */
void swhca_udev_forget(void);
/** Pages go away: tell all devices. */
void swhca_udev_invalidate(uint64_t addr, uint64_t len);
/** Execute a command. @return 0, or the errno that mlx5_core makes of the status. */
int swhca_udev_exec(struct swhca_udev *dev, const void *in, size_t in_len, void *out,
		    size_t out_len);
/** Execute a command of 16 bytes that names one object. */
int swhca_udev_exec_obj(struct swhca_udev *dev, uint16_t op, uint16_t uid, uint32_t num);
/** Destroy a general object. */
int swhca_udev_exec_general_destroy(struct swhca_udev *dev, uint16_t uid, uint16_t obj_type,
				    uint32_t num);
/** Execute a command of 16 bytes that creates one object. */
int swhca_udev_exec_alloc(struct swhca_udev *dev, uint16_t op, uint16_t uid, uint32_t *num);

/* Event queues (front/uverbs/dev/eq.c). */
/** Create all of a device. @return 0 or a negative errno; then none is left. */
int swhca_ueqs_create(struct swhca_udev *dev);
/** Interrupt of a device; arg is the struct swhca_udev. */
void swhca_ueq_interrupt(void *arg, unsigned int vector);

static inline uint32_t
swhca_ueq_of_comp_vector(const struct swhca_udev *dev, uint32_t comp_vector)
{
	return dev->eqs[SWHCA_FIRST_COMP_VECTOR + comp_vector].eqn;
}

static inline uint32_t
swhca_udev_cap(const struct swhca_udev *dev, struct prm_field field)
{
	return (uint32_t)prm_get(dev->caps, field);
}

/* Ports (front/uverbs/dev/port.c). */
/** What the kernel adds to the path to a RoCE peer. */
struct swhca_uroce_path {
	uint8_t mac[6];
	bool is_v2;		/**< UDP packets, which have a source port. */
};
bool swhca_uport_is_eth(const struct swhca_udev *dev);
/** Give the device the addresses of its port. */
int swhca_uport_init(struct swhca_udev *dev);
/** May a path begin so? @return 0, -EINVAL, -ENOENT (empty entry of the GID table). */
int swhca_uport_path_check(const struct swhca_udev *dev, uint8_t port, bool is_global,
			   uint8_t sgid_index);
/** Find the peer of a RoCE port. @return 0, -ENOENT (own entry), -EHOSTUNREACH. */
int swhca_uport_resolve(const struct swhca_udev *dev, uint8_t sgid_index, const uint8_t dgid[16],
			struct swhca_uroce_path *path);

/* Paths (front/uverbs/dev/path.c). */
/** Write the address path of a QP context; numbers of both QPs spread UDP ports. As resolve. */
int swhca_upath_write(const struct swhca_udev *dev, uint8_t *ads,
		      const struct ib_uverbs_qp_dest *dest, uint32_t local_qpn,
		      uint32_t remote_qpn);
void swhca_upath_read(const struct swhca_udev *dev, const uint8_t *ads,
		      struct ib_uverbs_qp_dest *dest);

/* User memory (front/uverbs/file/mem.c). */
/** How memory is cut into pages of the device; bus addresses are addresses of the process. */
struct swhca_upages {
	uint64_t first;		/**< Address of the first page. */
	uint32_t nb;		/**< Number of pages. */
	uint8_t log_page;	/**< log2 of the page size in bytes. */
	uint64_t offset;	/**< Where the memory begins in the first page, in bytes. */
	uint8_t offset_64th;	/**< The same in 64ths of the page size; only for queues. */
};
/** Read or write memory of the caller. @return 0 or -EFAULT. */
int swhca_uaddr_read(void *dst, uint64_t addr, size_t len);
int swhca_uaddr_write(uint64_t addr, const void *src, size_t len);
/** Is all of it mapped, and writable if asked? @return 0, -EFAULT, -EINVAL (empty, wraps). */
int swhca_uaddr_check(uint64_t addr, uint64_t len, bool is_writable);
/** Largest pages for a region with device address iova, at most 2^log_max. @return 0, -EINVAL. */
int swhca_upages_region(uint64_t addr, uint64_t len, uint64_t iova, uint8_t log_max,
			struct swhca_upages *pages);
/** Largest pages for a queue, whose offset is a multiple of 1/64 of the page. */
int swhca_upages_queue(uint64_t addr, uint64_t len, struct swhca_upages *pages);
/** The same for the context of a work queue (wq), where the offset is less than half a page. */
int swhca_upages_wq(uint64_t addr, uint64_t len, struct swhca_upages *pages);
/**
 * A command of zeros with a list of pages behind its fixed part; the caller frees it.
 *
 * @param nb
 *   Pages that the list has room for.
 * @return
 *   0 or -ENOMEM, also for more pages than a command can hold.
 */
int swhca_umailbox_alloc(size_t fixed, uint64_t nb, uint8_t **in, size_t *len);
/** Write page addresses, big endian, with low bits (PRM_MTT_*) set. */
void swhca_upages_write(const struct swhca_upages *pages, void *pas, uint64_t low_bits);

/* UAR pages of a file (front/uverbs/obj/uar.c). */
int swhca_uuar_init(struct swhca_ufile *file, uint32_t nb_bfregs, uint32_t nb_low_lat);
void swhca_uuar_fini(struct swhca_ufile *file);
/*
 * mmap commands of objects: any numbers that mlx5-abi.h does not use (mlx5_ib:
 * MLX5_IB_MMAP_OFFSET_START).
 */
#define SWHCA_MMAP_UAR_OBJ 9u
#define SWHCA_MMAP_VAR_OBJ 10u
/** UAR page of a static or a dynamic register. @return As swhca_uuar_find(). */
int swhca_uuar_of_bfreg(struct swhca_ufile *file, uint32_t bfreg, bool is_dyn, uint32_t *uar);
/** Choose a static register for a QP; swhca_uuar_bfreg_put() gives it back. */
uint32_t swhca_uuar_bfreg_get(struct swhca_ufile *file);
void swhca_uuar_bfreg_put(struct swhca_ufile *file, uint32_t bfreg);
/** UAR page of an mmap command. @return 0, -EINVAL, or as swhca_udev_exec(). */
int swhca_uuar_find(struct swhca_ufile *file, uint32_t cmd, uint32_t index, uint32_t *uar);

/** The page at an offset was mapped. */
void swhca_uuar_mapped(struct swhca_ufile *file, off_t offset);

struct swhca_umap;

/* Clock pages (front/uverbs/obj/clock.c). */
/** The page of struct mlx5_ib_clock_info, of all contexts of a device. */
struct mlx5_ib_clock_info swhca_uclock_info_make(void);
/** Make those of a context. @return 0 or a negative errno. */
int swhca_uclock_init(struct swhca_ufile *file);
void swhca_uclock_fini(struct swhca_ufile *file);
/** What MLX5_IB_MMAP_CORE_CLOCK and _CLOCK_INFO map. @return 0, -EPERM or -EOPNOTSUPP. */
int swhca_uclock_resolve(uint32_t cmd, uint32_t index, int prot, struct swhca_umap *map);
/** What the answer of GET_CONTEXT says of them. */
void swhca_uclock_resp_fill(const struct swhca_udev *dev,
			    struct mlx5_ib_alloc_ucontext_resp *resp);
/* Device memory (front/uverbs/obj/dm.c). */
/** What an index of MLX5_IB_MMAP_DEVICE_MEM maps. @return 0 or -EINVAL. */
int swhca_udm_resolve(const struct swhca_ufile *file, uint32_t index, size_t len,
		      struct swhca_umap *map);

/** Object by handle, for commands of the write ABI. @return 0 or -EINVAL, as the kernel. */
static inline int
swhca_uobj_get(const struct swhca_ufile *file, uint32_t handle, uint16_t type,
	       struct swhca_uobj **obj)
{
	*obj = swhca_uobj_find(file, handle, type);
	return *obj == NULL ? -EINVAL : 0;
}

/* What both the ioctl methods and the commands of the write ABI need. */
struct swhca_ucq_attr {
	uint32_t nb_cqe;
	uint32_t comp_vector;
	uint32_t flags;
	struct swhca_uevent_attr events;
};
struct swhca_uqp_attr {
	uint32_t type;		/**< enum ib_uverbs_qp_type */
	uint32_t flags;		/**< enum ib_uverbs_qp_create_flags */
	struct ib_uverbs_qp_cap cap;
	bool sq_sig_all;
	struct swhca_uobj *pd;
	struct swhca_uobj *send_cq;
	struct swhca_uobj *recv_cq;
	struct swhca_uobj *srq;		/**< Or NULL. */
	struct swhca_uobj *xrcd;	/**< XRC target: instead of all those above. */
	struct swhca_uevent_attr events;
};
struct swhca_usrq_attr {
	uint32_t type;		/**< enum ib_uverbs_srq_type */
	uint32_t max_wr;
	uint32_t max_sge;
	struct swhca_uobj *pd;
	struct swhca_uobj *xrcd;	/**< XRC only, */
	struct swhca_uobj *cq;		/**< as this. */
	struct swhca_uevent_attr events;
};
/** Create a CQ or QP; driver data in and out are the UHW attributes of the request. */
int swhca_ucq_create(struct swhca_ureq *req, const struct swhca_ucq_attr *attr,
		     struct swhca_uobj **obj, uint32_t *nb_cqe);
/** Give a CQ another ring; driver data as above. @param nb_cqe In: wanted, out: got. */
int swhca_ucq_resize(struct swhca_ureq *req, struct swhca_uobj *cq, uint32_t *nb_cqe);
int swhca_ucq_moderate(struct swhca_ufile *file, struct swhca_uobj *cq, uint16_t count,
		       uint16_t period_us);
int swhca_uqp_create(struct swhca_ureq *req, const struct swhca_uqp_attr *attr,
		     struct swhca_uobj **obj);
int swhca_uqp_modify(struct swhca_ufile *file, struct swhca_uobj *qp,
		     const struct ib_uverbs_modify_qp *attr);
/** What the driver part of the request, if any, says of a modification. @return 0 or as Linux. */
int swhca_uqp_modify_driver(const struct swhca_ureq *req, struct swhca_uobj *obj);
int swhca_uqp_query(struct swhca_ufile *file, struct swhca_uobj *qp,
		    struct ib_uverbs_query_qp_resp *resp);
/* DC targets are queue pairs of verbs, too (front/uverbs/obj/dct.c). */
int swhca_udct_create(struct swhca_ureq *req, const struct swhca_uqp_attr *attr,
		      const struct mlx5_ib_create_qp *ucmd, struct swhca_uobj **obj);
int swhca_udct_modify(struct swhca_ufile *file, struct swhca_uobj *obj,
		      const struct ib_uverbs_modify_qp *attr);
int swhca_udct_query(struct swhca_ufile *file, const struct swhca_uobj *obj,
		     struct ib_uverbs_query_qp_resp *resp);
/** Create an address handle; what the kernel finds out goes to the UHW attributes. */
int swhca_uah_create(struct swhca_ureq *req, const struct ib_uverbs_create_ah *cmd,
		     struct swhca_uobj **obj);
int swhca_usrq_create(struct swhca_ureq *req, const struct swhca_usrq_attr *attr,
		      struct swhca_uobj **obj);
int swhca_usrq_modify(struct swhca_ufile *file, struct swhca_uobj *srq,
		      const struct ib_uverbs_modify_srq *cmd);
int swhca_usrq_query(struct swhca_ufile *file, const struct swhca_uobj *srq,
		     struct ib_uverbs_query_srq_resp *resp);
int swhca_uxrcd_open(struct swhca_ufile *file, const struct ib_uverbs_open_xrcd *cmd,
		     struct swhca_uobj **obj);
/** Let others open a new XRC target, which belongs to no file from now on. @return 0, -ENOMEM. */
int swhca_utarget_add(struct swhca_ufile *file, struct swhca_uobj *qp,
		      const struct swhca_uobj *xrcd);
int swhca_utarget_open(struct swhca_ufile *file, const struct ib_uverbs_open_qp *cmd,
		       struct swhca_uobj **obj);
int swhca_umcast_attach(struct swhca_ufile *file, const struct ib_uverbs_attach_mcast *cmd);
int swhca_umcast_detach(struct swhca_ufile *file, const struct ib_uverbs_attach_mcast *cmd);
int swhca_upd_create(struct swhca_ureq *req, struct swhca_uobj **obj);
/** Change a region. @return 0, or as the kernel; see front/uverbs/obj/mr_rereg.c for its state. */
int swhca_ureg_rereg(struct swhca_ufile *file, const struct ib_uverbs_rereg_mr *cmd,
		     struct swhca_uobj **obj);
int swhca_umw_create(struct swhca_ureq *req, const struct ib_uverbs_alloc_mw *cmd,
		     struct swhca_uobj **obj);
int swhca_uquery_port(struct swhca_udev *dev, uint32_t port,
		      struct ib_uverbs_query_port_resp *resp);
int swhca_uquery_device(struct swhca_udev *dev, struct ib_uverbs_query_device_resp *resp);
int swhca_uquery_device_ex(struct swhca_ureq *req, struct ib_uverbs_ex_query_device_resp *resp);

/* Descriptors of event files (front/uverbs/file/fd.c). */
/** Enter one, which holds the caller's reference from now on. @return 0, -EMFILE or -ENOMEM. */
int swhca_uverbs_event_fd_add(int fd, struct swhca_udev *dev, struct swhca_uevent_file *file);
/** close(2) of one that the user does not know yet. */
void swhca_uverbs_fd_close(int fd);
/** @return The file with a reference, or NULL if it is none. */
struct swhca_uevent_file *swhca_uverbs_event_file_of_fd(int fd);

/** Destroy all that a file holds in the device. */
void swhca_uctx_close(struct swhca_ufile *file);

/* Methods (table: front/uverbs/call/method.c). */
/** Find the method of a request that has been read, check its attributes, execute it. */
int swhca_ureq_exec(struct swhca_ureq *req);
int swhca_uwrite_req(struct swhca_ureq *req);
int swhca_uctx_get_req(struct swhca_ureq *req);
/** GET_CONTEXT of the write ABI, which also gives the file of asynchronous events. */
int swhca_uctx_get_write(struct swhca_ureq *req);
int swhca_uctx_query_req(struct swhca_ureq *req);
int swhca_uctx_async_fd_req(struct swhca_ureq *req);
int swhca_uquery_port_req(struct swhca_ureq *req);
int swhca_uquery_port_speed_req(struct swhca_ureq *req);
int swhca_uquery_mlx5_port_req(struct swhca_ureq *req);
int swhca_uquery_gid_table_req(struct swhca_ureq *req);
int swhca_uquery_gid_entry_req(struct swhca_ureq *req);
int swhca_uah_destroy_req(struct swhca_ureq *req);
int swhca_upd_destroy_req(struct swhca_ureq *req);
int swhca_upd_query_req(struct swhca_ureq *req);
int swhca_ureg_destroy_req(struct swhca_ureq *req);
int swhca_ureg_query_req(struct swhca_ureq *req);
int swhca_umw_destroy_req(struct swhca_ureq *req);
int swhca_uodp_advise_req(struct swhca_ureq *req);
/** In the child of fork(2): the regions are the parent's. */
void swhca_uodp_forget(void);
int swhca_udm_alloc_req(struct swhca_ureq *req);
int swhca_udm_free_req(struct swhca_ureq *req);
int swhca_udm_query_req(struct swhca_ureq *req);
int swhca_ureg_dmabuf_req(struct swhca_ureq *req);
int swhca_ureg_mr_req(struct swhca_ureq *req);
int swhca_udmah_alloc_req(struct swhca_ureq *req);
int swhca_udmah_free_req(struct swhca_ureq *req);
int swhca_udm_map_op_req(struct swhca_ureq *req);
int swhca_udm_reg_req(struct swhca_ureq *req);
int swhca_ucq_create_req(struct swhca_ureq *req);
int swhca_ucq_destroy_req(struct swhca_ureq *req);
int swhca_usrq_create_req(struct swhca_ureq *req);
int swhca_usrq_destroy_req(struct swhca_ureq *req);
int swhca_uxrcd_destroy_req(struct swhca_ureq *req);
int swhca_uqp_create_req(struct swhca_ureq *req);
int swhca_uqp_destroy_req(struct swhca_ureq *req);
int swhca_uuar_alloc_req(struct swhca_ureq *req);
int swhca_uuar_destroy_req(struct swhca_ureq *req);
int swhca_uvar_alloc_req(struct swhca_ureq *req);
int swhca_uvar_destroy_req(struct swhca_ureq *req);
int swhca_upp_alloc_req(struct swhca_ureq *req);
int swhca_upp_destroy_req(struct swhca_ureq *req);
int swhca_udevx_other_req(struct swhca_ureq *req);
int swhca_udevx_query_uar_req(struct swhca_ureq *req);
int swhca_udevx_query_eqn_req(struct swhca_ureq *req);
int swhca_udevx_create_req(struct swhca_ureq *req);
int swhca_udevx_destroy_req(struct swhca_ureq *req);
int swhca_udevx_modify_req(struct swhca_ureq *req);
int swhca_udevx_query_req(struct swhca_ureq *req);
int swhca_udevx_query_async_req(struct swhca_ureq *req);
int swhca_udevx_subscribe_req(struct swhca_ureq *req);
int swhca_udevx_event_fd_req(struct swhca_ureq *req);
int swhca_udevx_cmd_fd_req(struct swhca_ureq *req);
/** Execute the query of an object into a buffer. @return 0, also if the device refused it. */
int swhca_udevx_query_exec(struct swhca_ureq *req, uint16_t handle_id, uint16_t in_id, void *out,
			   size_t out_len);
int swhca_udevx_umem_reg_req(struct swhca_ureq *req);
int swhca_udevx_umem_dereg_req(struct swhca_ureq *req);
/** PRM command that destroys what a command creates, or 0. */
uint16_t swhca_udevx_destroy_op(uint16_t create_op);

#endif /* SWHCA_UVERBS_PRIV_H */
