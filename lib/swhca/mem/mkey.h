/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_MKEY_H
#define SWHCA_MKEY_H

/**
 * @file
 * Memory keys: from (key, address, length, access) to spans of host memory, or a fault.
 */

#include <endian.h>
#include <string.h>

#include "mlx5_prm_wqe.h"
#include "object/hca.h"

struct swhca_cq;
struct swhca_odp;
struct swhca_pin;
struct swhca_qp;
struct swhca_umem;

#define SWHCA_ACCESS_LOCAL_READ		0x01u
#define SWHCA_ACCESS_LOCAL_WRITE	0x02u
#define SWHCA_ACCESS_REMOTE_READ	0x04u
#define SWHCA_ACCESS_REMOTE_WRITE	0x08u
#define SWHCA_ACCESS_REMOTE_ATOMIC	0x10u

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
	struct swhca_umem *umem; /**< That the pages are of, or NULL. */
	struct swhca_obj *memic; /**< Device memory that it is of, or NULL. */
	struct swhca_odp *odp;	/**< Which pages are there, or NULL: all. */
	struct swhca_pin *pin;	/**< Where its pinned pages are now, or NULL. */
	bool pg_access;		/**< Page addresses have access bits of their own. */
	uint32_t nb_xlt;	/**< Room of the translation, in octowords. */
	uint8_t *xlt;		/**< KLMs and repeat blocks as written, or page addresses. */
	bool bsf_en;		/**< What is in bsf applies. */
	bool crypto_en;		/**< It cannot be used without a crypto BSF. */
	bool sigerr_expected;	/**< Parity of signature errors told, once the next one is. */
	bool sigerr_count;	/**< Parity of those told so far. */
	uint32_t nb_bsf;	/**< Room for BSFs, in octowords. */
	struct swhca_bsf *bsf;	/**< NULL: no room; empty until a UMR writes one. */
};

/** Why an access through a key is rejected. */
enum swhca_fault {
	SWHCA_FAULT_NONE = 0,
	SWHCA_FAULT_NO_KEY,	/**< No such index. */
	SWHCA_FAULT_TAG,	/**< The index exists, its tag is another. */
	SWHCA_FAULT_FREE,	/**< Not configured, or invalidated. */
	SWHCA_FAULT_PD,
	SWHCA_FAULT_QPN,	/**< Bound to another QP. */
	SWHCA_FAULT_ACCESS,
	SWHCA_FAULT_BOUNDS,	/**< Outside the key, or its layout is shorter than its length. */
	SWHCA_FAULT_DEPTH,	/**< More levels of keys than the device follows. */
	SWHCA_FAULT_BSF,	/**< Its BSF is missing or cannot be followed. */
	SWHCA_FAULT_BLOCK,	/**< It does not begin at a block or a data unit. */
	SWHCA_FAULT_UNIT,	/**< It does not end where the cipher can. */
	SWHCA_FAULT_DEK,	/**< The encryption key is not one for it. */
	SWHCA_FAULT_LAYOUT,	/**< The layout makes no sense, or costs too much to follow. */
	SWHCA_FAULT_PAGE,	/**< A page fault that nobody can resolve. */
	SWHCA_FAULT_ABSENT,	/**< A page fault for software: hca->page_faults.absent. */
	SWHCA_FAULT_STALE,	/**< Pinned pages are elsewhere: include/pages.h. */
	SWHCA_FAULT_NO_MEMORY,	/**< The model itself ran out of memory. */
};

/*
 * Keys that the device has by itself, in numbers that no command creates (QUERY_SPECIAL_CONTEXTS).
 * An entry of 0x400 in a list of keys would be a repeat block.
 */
/** Ends a list of data segments (libmlx5: MLX5_INVALID_LKEY). */
#define SWHCA_TERMINATE_SCATTER_LIST_KEY 0x100u
/** Stands for a translation that is not there: its use is a page fault. */
#define SWHCA_NULL_KEY		0x200u
/** Memory that reads as zero, and forgets what is written (ibv_alloc_null_mr(3)). */
#define SWHCA_DUMP_FILL_KEY	0x300u

/**
 * Octowords that a UMR may write: all of the last group of 64 bytes, for software pads to groups
 * (Linux: MLX5_UMR_FLEX_ALIGNMENT). What is behind nb_xlt is never followed.
 */
static inline uint32_t
swhca_mkey_umr_room(const struct swhca_mkey *mkey)
{
	return (mkey->nb_xlt + PRM_KLM_ALIGN - 1) / PRM_KLM_ALIGN * PRM_KLM_ALIGN;
}

/** Entry of a translation that has page addresses. */
static inline uint64_t
swhca_mkey_mtt(const struct swhca_mkey *mkey, uint64_t index)
{
	uint64_t be;

	memcpy(&be, mkey->xlt + index * PRM_MTT_SIZE, sizeof(be));
	return be64toh(be);
}

/** An access to translate. */
struct swhca_access {
	uint32_t key;
	uint64_t addr;		/**< In the address space of the key. */
	uint64_t len;
	uint8_t need;		/**< SWHCA_ACCESS_* that the key must grant. */
	uint32_t pd;
	uint32_t qpn;
	struct swhca_qp *qp;	/**< Requester that a signature error may stop, or NULL. */
	struct swhca_cq *cq;	/**< Where a signature error is told, or NULL. */
};

/**
 * Translate an access, appending to a list of spans.
 *
 * Levels below the first are local accesses of the device: they need local read or local write
 * only, of the same PD.
 */
enum swhca_fault swhca_mkey_translate(struct swhca_hca *hca, const struct swhca_access *access,
				      struct swhca_spans *spans);

/** Pages that may be read, and those that may be written, in octowords of a translation. */
uint64_t swhca_mkey_nb_present(const struct swhca_mkey *mkey, uint64_t first, uint32_t nb);

/** Find a key by value, checking index and tag only. @return NULL and the fault if none. */
struct swhca_mkey *swhca_mkey_find(const struct swhca_hca *hca, uint32_t key,
				   enum swhca_fault *fault);

/**
 * Find the key that a message with invalidate asks to free (IBTA 9.4.1.1.3).
 *
 * @param pd
 *   Of the receiver: the key must belong to it, be valid, and created with en_rinval.
 * @param qpn
 *   Of the receiver: the key must not be bound to another queue pair.
 * @param rkey
 *   As the message has it, host byte order.
 * @return
 *   SWHCA_FAULT_NONE with the key, to be set free once the message is received; or why not.
 */
enum swhca_fault swhca_mkey_find_inval(const struct swhca_hca *hca, const struct swhca_obj *pd,
				       uint32_t qpn, uint32_t rkey, struct swhca_mkey **found);

/** Release what a key holds. */
void swhca_mkey_fini(struct swhca_hca *hca, struct swhca_obj *obj);

/** Text for a log line. */
const char *swhca_fault_name(enum swhca_fault fault);

#endif /* SWHCA_MKEY_H */
