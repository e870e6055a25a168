/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_H
#define SWHCA_OBJECT_H

/**
 * @file
 * What an HCA holds: objects by number, and the fabric around the HCAs.
 *
 * The fabric lock guards everything here; whoever executes a command or runs the engine holds it.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/uio.h>

#include "mlx5_prm.h"
#include "include/hca.h"
#include "queue/qos.h"

enum swhca_obj_type {
	SWHCA_OBJ_QP,	/* destroyed first: what holds references comes before what it holds */
	SWHCA_OBJ_DCT,
	SWHCA_OBJ_AV_MAP,
	SWHCA_OBJ_RESERVED_QPN,
	SWHCA_OBJ_FLOW_COUNTER,
	SWHCA_OBJ_SCHED,
	SWHCA_OBJ_SRQ,	/* of any kind: they share their numbers */
	SWHCA_OBJ_CQ,
	SWHCA_OBJ_EQ,
	SWHCA_OBJ_MKEY,
	SWHCA_OBJ_MEMIC,
	SWHCA_OBJ_PSV,
	SWHCA_OBJ_DEK,
	SWHCA_OBJ_LOGIN,
	SWHCA_OBJ_UMEM,
	SWHCA_OBJ_UAR,
	SWHCA_OBJ_PD,
	SWHCA_OBJ_XRCD,
	SWHCA_OBJ_TD,
	SWHCA_OBJ_UCTX,
	SWHCA_NB_OBJ_TYPES,
};

/** First member of every object. */
struct swhca_obj {
	enum swhca_obj_type type;
	uint32_t num;		/**< Number in its table, as commands name it. */
	uint16_t uid;		/**< User context that created it, 0 for the kernel. */
	uint32_t nb_refs;	/**< Objects that use this one; it cannot be destroyed while any. */
};

/** Objects of one type by number. */
struct swhca_table {
	struct swhca_obj **slots;
	uint32_t first;		/**< Lowest number. */
	uint32_t max;		/**< How many numbers there are. */
	uint32_t nb_slots;	/**< Slots allocated so far. */
	uint32_t next;		/**< Where to look for a free slot: numbers rest before reuse. */
	uint32_t nb_used;
};

/** Memory given as a list of pages: a ring, or a user memory. */
struct swhca_buf {
	uint64_t *pages;	/**< Bus address of each page. */
	uint32_t nb_pages;
	uint8_t log_page;
	uint64_t offset;	/**< Where it begins in the first page. */
};

struct swhca_umem {
	struct swhca_obj obj;
	struct swhca_buf buf;
};

struct swhca_uar {
	struct swhca_obj obj;
	void *page;		/**< In the BAR. */
	uint32_t nb_queues;	/**< QPs, CQs and EQs that ring here. */
	LIST_HEAD(, swhca_qp) qps;
	LIST_HEAD(, swhca_cq) cqs;
	LIST_HEAD(, swhca_eq) eqs;
	LIST_ENTRY(swhca_uar) active;	/**< In swhca_hca.active_uars while nb_queues > 0. */
};

struct swhca_mkey {
	struct swhca_obj obj;
	struct swhca_obj *pd;
	uint64_t start_addr;
	uint64_t len;
	uint32_t qpn;		/**< QP that may use it, or PRM_MKC_QPN_ANY. */
	uint8_t tag;
	uint8_t mode;		/**< enum prm_mkc_access_mode */
	uint8_t log_page;	/**< MTT: page size; KSM: entity size. */
	uint8_t access;		/**< Bitwise OR of SWHCA_ACCESS_*. */
	bool free;		/**< Invalid until a UMR says otherwise. */
	bool umr_en;
	bool length64;		/**< All of the address space. */
	bool en_rinval;
	bool relaxed_write;	/**< Only remembered: the model reorders nothing. */
	bool relaxed_read;
	bool tph_en;		/**< What follows is a hint, only remembered, too. */
	uint8_t tph_ph;
	uint8_t tph_tag;	/**< Index of a steering tag. */
	struct swhca_obj *umem;	/**< That the pages are of, or NULL. */
	struct swhca_obj *memic; /**< Device memory that it is of, or NULL. */
	struct swhca_odp *odp;	/**< Which pages are there, or NULL: all. */
	bool pg_access;		/**< Page addresses have rights of their own. */
	uint32_t nb_xlt;	/**< Room of the translation, in octowords. */
	uint8_t *xlt;		/**< KLMs and repeat blocks as written, or page addresses. */
	bool bsf_en;		/**< What is in bsf applies. */
	bool crypto_en;		/**< It cannot be used without a crypto BSF. */
	bool sigerr_expected;	/**< Parity of signature errors told, once the next one is. */
	bool sigerr_count;	/**< Parity of those told so far. */
	uint32_t nb_bsf;	/**< Room for formats, in octowords. */
	struct swhca_bsf *bsf;	/**< NULL: no room; empty until a UMR writes one. */
};

/** Persistent signature value: where the signature of a domain begins. */
struct swhca_psv {
	struct swhca_obj obj;
	struct swhca_obj *pd;
	uint64_t transient;	/**< Seed, or guard seed, application and reference tag. */
	uint16_t syndrome;	/**< PRM_SIGERR_SYNDROME_* of the error since it was set, or 0. */
};

/** Longest AES-XTS key pair, and its tag, in bytes. */
#define SWHCA_DEK_MAX_KEY	64u
#define SWHCA_DEK_KEYTAG	8u

/** Data encryption key. */
struct swhca_dek {
	struct swhca_obj obj;
	struct swhca_obj *pd;
	uint8_t key[SWHCA_DEK_MAX_KEY];	/**< Data key and tweak key behind each other. */
	size_t key_len;			/**< Bytes of both: 32 or 64. */
	bool has_keytag;
	bool is_wrapped;		/**< To be queried only in a login session. */
	uint8_t keytag[SWHCA_DEK_KEYTAG];
	uint64_t opaque;
};

#define SWHCA_ACCESS_LOCAL_READ		0x01u
#define SWHCA_ACCESS_LOCAL_WRITE	0x02u
#define SWHCA_ACCESS_REMOTE_READ	0x04u
#define SWHCA_ACCESS_REMOTE_WRITE	0x08u
#define SWHCA_ACCESS_REMOTE_ATOMIC	0x10u

/** A doorbell record: a bus address, or an offset in a umem. */
struct swhca_dbr {
	struct swhca_umem *umem;	/**< NULL: addr is a bus address. */
	uint64_t addr;
};

/** What an armed CQ waits for. */
enum swhca_cq_arm {
	SWHCA_CQ_ARM_NONE,
	SWHCA_CQ_ARM_SOLICITED,	/**< A solicited CQE, or one in error. */
	SWHCA_CQ_ARM_ANY,
};

/** Most completions of a compressed session. */
#define SWHCA_CQ_SESSION_MAX 64u

/** Completions that are to be written as one compressed session. */
struct swhca_cq_session {
	uint32_t nb;
	_Alignas(8) uint8_t title[64];	/**< CQE of the first. */
	uint8_t minis[SWHCA_CQ_SESSION_MAX][PRM_MINI_CQE_SIZE];
};

struct swhca_cq {
	struct swhca_obj obj;
	struct swhca_umem *umem;	/**< That the ring is in; NULL: it has its own pages. */
	struct swhca_buf buf;
	struct swhca_dbr dbr;
	struct swhca_uar *uar;
	struct swhca_eq *eq;
	uint8_t log_size;
	uint8_t log_cqe;		/**< log2 of the bytes of an entry: 6 or 7. */
	bool ignore_overrun;
	bool is_padded;			/**< All 128 bytes of an entry are written. */
	bool is_compressed;
	uint8_t mini_format;		/**< PRM_CQC_MINI_CQE_* */
	bool failed;			/**< Overrun or unmapped: nothing is written any more. */
	uint32_t pi;			/**< CQEs written, runs free. */
	uint32_t ci;			/**< Consumer counter as last read from the DBR. */
	uint32_t resize_ci;		/**< The record when the CQ was last resized ... */
	uint32_t nb_resizes;		/**< ... and how often while it had that value. */
	enum swhca_cq_arm arm;
	uint8_t arm_sn;			/**< Events raised, modulo 4. */
	bool has_solicited;
	bool solicited_breaks;		/**< A solicited CQE does not wait for moderation. */
	uint16_t max_count;		/**< Moderation: CQEs and time that an event may wait. */
	uint16_t period_us;
	uint32_t nb_moderated;		/**< CQEs since it was armed. */
	uint32_t arm_value;		/**< Arm dword that is in force. */
	uint32_t solicited_pi;		/**< Index of the last solicited CQE. */
	bool period_from_cqe;		/**< It runs from the last CQE, else from the last event. */
	uint64_t last_event_ns;
	uint64_t event_due_ns;		/**< When a moderated event comes at the latest, or 0. */
	struct swhca_cq_session session;
	LIST_ENTRY(swhca_cq) open_link;	/**< In swhca_hca.open_cqs while the session has CQEs. */
	LIST_ENTRY(swhca_cq) uar_link;
	LIST_ENTRY(swhca_cq) due_link;	/**< In swhca_hca.due_cqs while event_due_ns is set. */
	uint8_t cqc[PRM_CQC_SIZE];
};

/**
 * A receive queue: of one QP, or shared. Its owner holds the references that keep pd, buf and dbr
 * alive. A ring is consumed in order of its entries; in a list, each WQE names the next.
 */
struct swhca_rq {
	struct swhca_hca *hca;
	struct swhca_obj *owner;	/**< QP or SRQ. */
	struct swhca_obj *pd;		/**< That the keys of its WQEs must belong to. */
	struct swhca_buf buf;		/**< It begins with the queue; the owner's pages. */
	struct swhca_dbr dbr;
	bool is_list;
	bool has_next;			/**< WQEs begin with the segment that names the next. */
	uint8_t log_size;		/**< log2 of the WQEs. */
	uint8_t log_stride;		/**< log2 of the bytes of a WQE. */
	uint16_t ci;			/**< WQEs consumed, runs free. */
	uint16_t head;			/**< List: entry of the next WQE. */
	uint16_t limit;			/**< Fewer WQEs raise an event, once; 0: not armed. */
	bool failed;			/**< Shared: nobody receives here any more. */
};

enum swhca_srq_kind {
	SWHCA_SRQ_BASIC,
	SWHCA_SRQ_XRC,		/**< Named by messages, with a CQ of its own. */
	SWHCA_SRQ_RMP,		/**< As basic; it may be a ring. */
};

struct swhca_srq {
	struct swhca_obj obj;
	enum swhca_srq_kind kind;
	struct swhca_rq rq;
	struct swhca_umem *umem;	/**< That the ring is in; NULL: it has its own pages. */
	struct swhca_obj *xrcd;		/**< XRC only. */
	struct swhca_cq *cq;		/**< XRC only. */
	uint32_t user_index;		/**< XRC only. */
};

struct swhca_dci;

struct swhca_qp {
	struct swhca_obj obj;
	struct swhca_hca *hca;
	struct swhca_obj *pd;
	struct swhca_cq *send_cq;
	struct swhca_cq *recv_cq;
	struct swhca_uar *uar;
	struct swhca_umem *umem;	/**< That the rings are in; NULL: they have their own. */
	struct swhca_buf buf;
	struct swhca_dbr dbr;
	enum prm_qp_state state;
	uint8_t log_sq_size;		/**< log2 of the WQEBBs. */
	bool has_sq;
	struct swhca_rq own_rq;		/**< If rq points to it. */
	struct swhca_rq *rq;		/**< Where it receives, or NULL. */
	struct swhca_obj *srq;		/**< Whose queue rq is, or NULL. */
	struct swhca_obj *xrcd;		/**< XRC target only. */
	bool has_last_wqe;		/**< Said that it takes no more from the shared queue. */
	bool has_comm_est;		/**< Said that a packet came in RTR. */
	uint64_t sq_offset;		/**< Of the SQ in buf; the RQ is at 0. */
	uint16_t sq_pi;			/**< As last read from the DBR, in WQEBBs. */
	uint16_t sq_ci;
	uint16_t sq_drain_pi;		/**< Draining: where the send queue stops. */
	bool mmo;			/**< Memory-to-memory operations are enabled. */
	bool is_misrung;		/**< In error for a doorbell ahead of its record. */
	bool has_sigerr;		/**< Its WQE at hand had a signature error. */
	bool unfenced_umr;		/**< The last WQE was a UMR: the next must carry a fence. */
	bool is_queued;			/**< In fabric->ready. */
	bool is_waiting;		/**< The WQE at sq_ci has had its turn, and will again. */
	uint8_t nb_retries;		/**< Transport retries of the WQE at sq_ci. */
	uint8_t nb_rnr_retries;
	uint64_t not_before_ns;		/**< When the WQE at sq_ci may be tried again, 0: now. */
	struct swhca_dci *dci;		/**< Streams of an initiator, or NULL. */
	struct swhca_sched *req_group;	/**< Queue group that limits what it sends, or NULL. */
	struct swhca_sched *resp_group;	/**< That limits what it answers, or NULL. */
	uint8_t qpc[PRM_QPC_SIZE];	/**< Context as commands left it. */
	LIST_ENTRY(swhca_qp) uar_link;
	TAILQ_ENTRY(swhca_qp) ready;
};

/** Entry of the table of addresses of a RoCE port. */
struct swhca_roce_addr {
	bool is_valid;
	uint8_t version;	/**< PRM_ROCE_VERSION_* */
	uint8_t l3_type;	/**< PRM_ROCE_L3_TYPE_* */
	uint8_t gid[16];
	uint8_t mac[6];
};

/** Entries of that table. */
#define SWHCA_NB_ROCE_ADDRS 32u

/** Event types have 8 bits. */
#define SWHCA_NB_EVENT_TYPES 256u

/** A scheduling element. */
struct swhca_sched {
	struct swhca_obj obj;
	uint32_t parent;		/**< Number, 0: a root. */
	uint32_t level;			/**< 1: a root; below it one more each. */
	uint8_t type;			/**< PRM_SCHED_ELEM_* */
	uint32_t bw_share;
	uint32_t max_average_bw;	/**< Mbit/s, 0: no limit. */
	struct swhca_pacer pacer;
};

struct swhca_hca {
	struct swhca_fabric *fabric;
	struct swhca_hca_conf conf;
	bool is_failed;		/**< Gone from the bus, or in an internal error. */
	bool is_halted;		/**< No queue is executed, no CQE written. */
	uint64_t fail_in;	/**< Commands until one is made to fail; 0: none is. */
	uint8_t ib_gid[16];	/**< Entry 0 of the table of GIDs of an InfiniBand port. */
	struct swhca_roce_addr roce_addrs[SWHCA_NB_ROCE_ADDRS];
	struct swhca_table tables[SWHCA_NB_OBJ_TYPES];
	int bar_fd;
	uint8_t *bar;
	size_t bar_size;
	LIST_HEAD(, swhca_timer) timers;	/**< Pages that show the timer in other files. */
	LIST_HEAD(, swhca_uar) active_uars;
	LIST_HEAD(, swhca_odp) odps;	/**< Keys with on-demand paging. */
	LIST_HEAD(, swhca_mcg_member) mcg_members;
	LIST_HEAD(, swhca_cq) open_cqs;	/**< That hold back CQEs to compress them. */
	LIST_HEAD(, swhca_cq) due_cqs;	/**< That moderation keeps from telling. */
	struct swhca_eq *event_eqs[SWHCA_NB_EVENT_TYPES]; /**< Where events of a type go. */
	bool is_credential_deleted;	/**< Logins and wrapped keys are no more. */
	struct swhca_rate rates[SWHCA_NB_RATES];	/**< Entry 0 is no limit. */
	struct swhca_hca_stats stats;
	LIST_ENTRY(swhca_hca) link;
};

/** Part of a list of spans whose bytes a key transforms on their way: see mem/bsf/sig.h. */
struct swhca_xform {
	struct swhca_hca *hca;
	struct swhca_mkey *mkey;
	bool to_wire;		/**< Memory is the source. */
	uint64_t wire_off;	/**< In the address space of the key, as the wire has it. */
	uint64_t wire_len;
	uint64_t data_off;	/**< Data bytes in front of it, without signatures. */
	uint64_t mem_off;	/**< In the layout of the key. */
	uint64_t mem_len;	/**< Bytes of its spans. */
	uint64_t cipher_off;	/**< Where the cipher begins, in bytes of what it works on. */
	size_t first;		/**< Its spans. */
	size_t nb;
	struct swhca_qp *qp;	/**< That a signature error stops if it wants so, or NULL. */
	struct swhca_cq *cq;	/**< Where a signature error is told, or NULL. */
	uint32_t qpn;		/**< For that CQE. */
};

/** Growing list of spans; the engine keeps them between WQEs so that none allocates. */
struct swhca_spans {
	struct iovec *iov;
	size_t nb;
	size_t max;
	uint64_t len;		/**< Bytes in all, as the wire has them. */
	struct swhca_xform *xforms;	/**< In order of their spans. */
	size_t nb_xforms;
	size_t max_xforms;
	uint32_t nb_steps;	/**< Entries looked at to get here: what one WQE may cost. */
};

/** How much of a transfer is held at once on either side while it is transformed. */
#define SWHCA_BOUNCE_BYTES 65536u
/** Transformed parts that one side of a WQE may have: each costs a set-up. */
#define SWHCA_MAX_XFORMS 65536u
/** Memory behind a dump-fill key; longer accesses repeat it. */
#define SWHCA_DUMP_FILL_BYTES 65536u

struct swhca_fabric {
	pthread_mutex_t lock;
	/**
	 * Who waits for the lock holds this one, and the engine passes through it on its way to
	 * the lock: mutexes are not fair, and it would have the lock again before others wake up.
	 */
	pthread_mutex_t gate;
	atomic_uint nb_waiting;	/**< Threads that want the lock: the engine lets them in. */
	const struct swhca_dma *dma;
	uint64_t cost;			/**< What the engine has done so far, see SWHCA_COST_*. */
	LIST_HEAD(, swhca_hca) hcas;
	TAILQ_HEAD(swhca_ready_list, swhca_qp) ready;	/**< QPs that may have WQEs. */
	struct swhca_spans local;	/**< Scratch of the engine. */
	struct swhca_spans remote;
	uint8_t *wqe_buf;		/**< SWHCA_FETCH_BYTES of a send queue. */
	uint8_t *payload;		/**< Inline data of one WQE. */
	uint8_t *zeros;			/**< What a dump-fill key reads. */
	uint8_t *dump;			/**< What it writes; of the same SWHCA_DUMP_FILL_BYTES. */
	uint8_t scatter[64];		/**< Payload on its way into a CQE. */
	uint8_t *bounce;		/**< Two times SWHCA_BOUNCE_BYTES: both sides. */
	pthread_t engine;
	bool is_running;
	atomic_bool stop;
};

void swhca_fabric_lock(struct swhca_fabric *fabric);
/** The same, after all who wait for it. */
void swhca_fabric_lock_engine(struct swhca_fabric *fabric);
/** Whether this thread holds the lock of any fabric. */
bool swhca_fabric_is_locked_here(void);
void swhca_fabric_unlock(struct swhca_fabric *fabric);

/* Tables. */
void swhca_table_init(struct swhca_table *table, uint32_t first, uint32_t max);
void swhca_table_fini(struct swhca_table *table);
/** Number an object. @return 0, -ENOSPC (all numbers in use) or -ENOMEM. */
int swhca_table_add(struct swhca_table *table, struct swhca_obj *obj);
void swhca_table_remove(struct swhca_table *table, const struct swhca_obj *obj);
/** @return The object, or NULL. */
struct swhca_obj *swhca_table_get(const struct swhca_table *table, uint32_t num);

/**
 * Allocate, zero and number an object.
 *
 * @param size
 *   Of the struct that begins with struct swhca_obj.
 * @return
 *   NULL when there is no memory or no number left.
 */
void *swhca_obj_create(struct swhca_hca *hca, enum swhca_obj_type type, uint16_t uid,
		       size_t size);

/** Free an object and drop the references that it holds. */
void swhca_obj_destroy(struct swhca_hca *hca, struct swhca_obj *obj);

/**
 * Find an object for a command of user context uid.
 *
 * @return
 *   NULL if there is none, or it belongs to another user context.
 */
struct swhca_obj *swhca_obj_find(const struct swhca_hca *hca, enum swhca_obj_type type,
				 uint32_t num, uint16_t uid);

static inline void
swhca_obj_ref(struct swhca_obj *obj)
{
	obj->nb_refs++;
}

static inline void
swhca_obj_unref(struct swhca_obj *obj)
{
	if (obj != NULL)
		obj->nb_refs--;
}

/** A queue rings at a UAR page: the engine looks there from now on. */
void swhca_uar_ref(struct swhca_hca *hca, struct swhca_uar *uar);
/** It does not any more. */
void swhca_uar_unref(struct swhca_uar *uar);

/* Buffers. */
/** Copy nb big-endian page addresses. @return 0 or -ENOMEM. */
int swhca_buf_init(struct swhca_buf *buf, const uint8_t *pas, uint32_t nb, uint8_t log_page,
		   uint64_t offset);
void swhca_buf_fini(struct swhca_buf *buf);
/** Bytes from the beginning of the buffer to the end of its last page. */
uint64_t swhca_buf_len(const struct swhca_buf *buf);
/** Bus address of an offset and how many bytes follow it contiguously. @return 0 or -EFAULT. */
int swhca_buf_span(const struct swhca_buf *buf, uint64_t offset, uint64_t *addr, uint64_t *len);
int swhca_buf_read(const struct swhca_fabric *fabric, const struct swhca_buf *buf,
		   uint64_t offset, void *dst, size_t len);

/* Doorbell records. */
/** Read one counter, PRM_DBR_RQ or PRM_DBR_SQ. @return 0 or -EFAULT. */
int swhca_dbr_read(const struct swhca_fabric *fabric, const struct swhca_dbr *dbr,
		   unsigned int dword, uint32_t *value);

/** Write one dword. @return 0 or -EFAULT. */
int swhca_dbr_write(const struct swhca_fabric *fabric, const struct swhca_dbr *dbr,
		    unsigned int dword, uint32_t value);

/* Span lists. */
int swhca_spans_add(struct swhca_spans *spans, uint64_t addr, uint64_t len);
/** Note that the last spans are transformed. @return 0, -E2BIG or -ENOMEM. */
int swhca_spans_add_xform(struct swhca_spans *spans, const struct swhca_xform *xform);
void swhca_spans_fini(struct swhca_spans *spans);

/** Empty a list for the next WQE. */
void swhca_spans_reset(struct swhca_spans *spans);

#endif /* SWHCA_OBJECT_H */
