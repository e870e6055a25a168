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
#include "mem/cause.h"
#include "object/hca_state.h"

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
	bool free;		/**< Invalid until configured by a UMR. */
	bool umr_en;
	bool length64;		/**< Covers the whole address space. */
	bool en_rinval;
	bool relaxed_write;	/**< Only stored: the model reorders nothing. */
	bool relaxed_read;
	bool tph_en;		/**< Hints below are only stored, too. */
	uint8_t tph_ph;
	uint8_t tph_tag;	/**< Steering tag index. */
	struct swhca_umem *umem; /**< Owner of the pages, or NULL. */
	struct swhca_obj *memic; /**< Its device memory, or NULL. */
	struct swhca_odp *odp;	/**< Presence of its pages, or NULL: all. */
	struct swhca_pin *pin;	/**< Current place of its pinned pages, or NULL. */
	bool pg_access;		/**< Page addresses have their own access bits. */
	uint32_t nb_xlt;	/**< Capacity of the translation, in octowords. */
	uint8_t *xlt;		/**< KLMs and repeat blocks as written, or page addresses. */
	bool bsf_en;		/**< bsf is valid. */
	bool crypto_en;		/**< Unusable without a crypto BSF. */
	bool sigerr_expected;	/**< Parity of reported signature errors after the next one. */
	bool sigerr_count;	/**< Parity of the signature errors reported so far. */
	uint32_t nb_bsf;	/**< Capacity for BSFs, in octowords. */
	struct swhca_bsf *bsf;	/**< NULL: no capacity; empty until a UMR writes one. */
};

/*
 * Built-in keys of the device, with numbers that no command creates (QUERY_SPECIAL_CONTEXTS). An
 * entry of 0x400 in a list of keys would be a repeat block.
 */
/** Ends a list of data segments (libmlx5: MLX5_INVALID_LKEY). */
#define SWHCA_TERMINATE_SCATTER_LIST_KEY 0x100u
/** Marks an absent translation: its use is a page fault. */
#define SWHCA_NULL_KEY		0x200u
/** Memory that reads as zero and ignores writes (ibv_alloc_null_mr(3)). */
#define SWHCA_DUMP_FILL_KEY	0x300u

/**
 * Octowords that a UMR may write, rounded up to groups of 64 bytes, as software pads to groups
 * (Linux: MLX5_UMR_FLEX_ALIGNMENT). Octowords after nb_xlt are never used.
 */
static inline uint32_t
swhca_mkey_umr_room(const struct swhca_mkey *mkey)
{
	return (mkey->nb_xlt + PRM_KLM_ALIGN - 1) / PRM_KLM_ALIGN * PRM_KLM_ALIGN;
}

/** Get an entry of a translation with page addresses. */
static inline uint64_t
swhca_mkey_mtt(const struct swhca_mkey *mkey, uint64_t index)
{
	uint64_t be;

	memcpy(&be, mkey->xlt + index * PRM_MTT_SIZE, sizeof(be));
	return be64toh(be);
}

/** Access to be translated. */
struct swhca_access {
	uint32_t key;
	uint64_t addr;		/**< In the address space of the key. */
	uint64_t len;
	uint8_t need;		/**< SWHCA_ACCESS_* required of the key. */
	uint32_t pd;
	uint32_t qpn;
	struct swhca_qp *qp;	/**< Requester that a signature error may stop, or NULL. */
	struct swhca_cq *cq;	/**< Reports signature errors, or NULL. */
	bool is_again;		/**< Part of an access that injected faults have counted. */
};

/**
 * Translate an access, appending to a list of spans.
 *
 * Levels below the first are local accesses of the device: they only need local read or local
 * write, of the same PD.
 */
enum swhca_fault swhca_mkey_translate(struct swhca_hca *hca, const struct swhca_access *access,
				      struct swhca_spans *spans);

/** Number of readable plus writable pages in octowords of a translation. */
uint64_t swhca_mkey_nb_present(const struct swhca_mkey *mkey, uint64_t first, uint32_t nb);

/**
 * Find a key by value, checking index and tag only. @return NULL and the fault if there is none.
 */
struct swhca_mkey *swhca_mkey_find(const struct swhca_hca *hca, uint32_t key,
				   enum swhca_fault *fault);

/**
 * Find the key to be freed by a message with invalidate (IBTA 9.4.1.1.3).
 *
 * @param pd
 *   PD of the receiver: the key must belong to it, be valid, and created with en_rinval.
 * @param qpn
 *   QPN of the receiver: the key must not be bound to another queue pair.
 * @param rkey
 *   Key in the message, host byte order.
 * @return
 *   SWHCA_FAULT_NONE with the key, to be set free once the message is received; else the fault.
 */
enum swhca_fault swhca_mkey_find_inval(const struct swhca_hca *hca, const struct swhca_obj *pd,
				       uint32_t qpn, uint32_t rkey, struct swhca_mkey **found);

/** Release the resources of a key. */
void swhca_mkey_fini(struct swhca_hca *hca, struct swhca_obj *obj);

#endif /* SWHCA_MKEY_H */
