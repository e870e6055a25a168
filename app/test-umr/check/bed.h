/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CHECK_BED_H
#define CHECK_BED_H

/**
 * @file
 * What a check works with: a protection domain, memory, keys and queues of its own.
 *
 * Everything below libibverbs: rte_umr checks arguments and keeps a queue in order, while here the
 * device is asked what it does with what is wrong. Work requests are written to the ring as they
 * are, completions are read from the ring. Nothing of a port, a function or the firmware changes,
 * and all goes when a check ends. Every wait ends after CHECK_TIMEOUT_MS.
 */

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include <mlx5_prm_cmd.h>
#include <mlx5_prm_sig.h>
#include <mlx5_prm_wqe.h>

#include "check/check.h"
#include "check/wqe.h"

/** Longest wait for a completion; the longest retries of a queue here take some 0.1 s. */
#define CHECK_TIMEOUT_MS	3000

/* Memory: what is read, and behind it where it goes. */
#define CHECK_SRC_SIZE		32768u
#define CHECK_OUT_SIZE		32768u
/** What the memory that is written to holds before. */
#define CHECK_BLANK		0xee

/** Bytes of most transfers and entries. */
#define CHECK_PIECE		64u
/** A key that does not exist. */
#define CHECK_BAD_KEY		0xffffff42u
#define CHECK_SILENT		"the device does not answer"

#define CHECK_MAX_KEYS		24u
#define CHECK_MAX_PSVS		2u

struct mlx5dv_devx_obj;

/** A device, for all checks. */
struct check_dev {
	struct ibv_context *ctx;
	uint8_t port;
	bool is_silent;		/**< It does not answer any more: nothing else is worth a try. */
	unsigned int nb_missed;	/**< Completions that have not come in time. */
	uint8_t caps[PRM_QUERY_HCA_CAP_OUT_SIZE]; /**< As the command returned it. */
};

/** A completion. */
struct check_cqe {
	uint8_t opcode;		/**< MLX5_CQE_*, or PRM_CQE_OPCODE_SIGERR. */
	uint8_t syndrome;	/**< Of an error. */
	uint8_t vendor;		/**< Of an error: the vendor's syndrome. */
	uint16_t counter;	/**< wqe_counter */
	uint8_t bytes[sizeof(struct mlx5_cqe64)] __attribute__((aligned(16)));
};

struct check_cq {
	struct ibv_cq *cq;
	uint8_t *ring;
	uint32_t nb;
	uint32_t ci;
	volatile uint32_t *dbr;
	unsigned int *nb_missed; /**< Of the device. */
};

struct check_qp {
	struct ibv_qp *qp;
	struct check_cq send_cq;
	struct check_cq recv_cq;
	uint8_t *ring;		/**< Send queue. */
	uint32_t nb_bb;
	uint32_t pi;
	uint32_t asked;		/**< Requests before this one have been waited for. */
	uint64_t first;		/**< 8 bytes of the last WQE, which ring. */
	volatile uint32_t *dbr;
	volatile uint64_t *doorbell;
};

struct check_key {
	struct mlx5dv_devx_obj *obj;
	uint32_t index;
	uint32_t key;		/**< Index and tag, as it is configured. */
};

struct check_bed {
	struct check_dev *dev;
	struct check_result *result;	/**< Of the check. */
	const void *arg;	/**< Of the check. */
	const uint8_t *caps;	/**< General capabilities. */
	struct ibv_pd *pd;
	uint32_t pdn;
	uint8_t *src;		/**< CHECK_SRC_SIZE bytes, which depend on their offset. */
	uint8_t *out;		/**< CHECK_OUT_SIZE bytes. */
	struct ibv_mr *mr;	/**< Both. */
	uint8_t fence;		/**< PRM_CTRL_FM_*: what the device wants behind a UMR. */
	struct check_qp qp;	/**< Connected to itself. */
	uint32_t nb_keys;
	struct check_key keys[CHECK_MAX_KEYS];
	uint32_t nb_psvs;
	struct mlx5dv_devx_obj *psvs[CHECK_MAX_PSVS];
};

/** Open a device, for queues of a port. @return 0 or an errno. */
int check_dev_open(struct check_dev *dev, struct ibv_device *device, uint8_t port);
void check_dev_close(struct check_dev *dev);

/** Report an observation; the last one counts. */
void check_observe(struct check_bed *bed, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** Append to the details. */
void check_note(struct check_bed *bed, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** Report that the device lacks a required capability. */
void check_lacks(struct check_bed *bed, const char *capability);
/** Whether the device has a capability, which is missing otherwise. */
bool check_has(struct check_bed *bed, struct prm_field capability, const char *name);
/** Report that the check could not run. */
void check_break(struct check_bed *bed, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * Make a bed, on which a plain transfer works; in any case it is to be destroyed.
 * @return false: the result is broken.
 */
bool check_bed_create(struct check_bed *bed, struct check_dev *dev, struct check_result *result);
void check_bed_destroy(struct check_bed *bed);

/**
 * Whether a question can be put: the port is active, and a plain write on a new queue works. The
 * queue that is left is another new one. If no answer comes the device is silent from there on.
 * @return false: the result is broken.
 */
bool check_bed_try(struct check_bed *bed);

/** Make the queue anew, behind an error. @return false: the result is broken. */
bool check_bed_renew(struct check_bed *bed);

/** Fill the memory that is written to. */
void check_bed_blank(struct check_bed *bed);

/** Whether len bytes of out at an offset are those of src at another. */
bool check_bed_is(const struct check_bed *bed, uint32_t out_at, uint32_t src_at, uint32_t len);

/** Whether len bytes of out at an offset are untouched. */
bool check_bed_is_blank(const struct check_bed *bed, uint32_t out_at, uint32_t len);

/** Address of src and out for the device. */
uint64_t check_src(const struct check_bed *bed, uint32_t at);
uint64_t check_out(const struct check_bed *bed, uint32_t at);

/*
 * Queues.
 */

/** Access of the peer that is the queue itself. */
int check_qp_create(struct check_bed *bed, struct check_qp *qp);
void check_qp_destroy(struct check_qp *qp);
/** Connect two queues, or one to itself. @return 0 or an errno. */
int check_qp_connect(const struct check_bed *bed, struct check_qp *qp, uint32_t qpn);
/** As all of them are set up for raw access; qp->qp and its CQs exist. @return 0 or an errno. */
int check_qp_map(struct check_qp *qp);
int check_cq_create(struct check_bed *bed, struct check_cq *cq);
void check_cq_destroy(struct check_cq *cq);

/** Put a WQE into the ring. It is not rung for. */
void check_qp_post(struct check_qp *qp, const struct check_wqe *wqe);
/** Let the device look at what was posted. */
void check_qp_ring(struct check_qp *qp);
/** Both. */
void check_qp_start(struct check_qp *qp, const struct check_wqe *wqe);

/** Wait for the next completion. @return false: none has come in time. */
bool check_cq_wait(struct check_cq *cq, struct check_cqe *cqe);
/** Wait for one no longer than some time. */
bool check_cq_wait_ms(struct check_cq *cq, struct check_cqe *cqe, unsigned int timeout_ms);

/** Take the next completion, or observe that there is none. */
bool check_completion(struct check_bed *bed, struct check_cq *cq, struct check_cqe *cqe);

/** What a completion says: "done", "local-protection" ..., a word of the table in the guide. */
const char *check_cqe_word(const struct check_cqe *cqe);

/** Post, ring and wait; errors leave a note with the vendor's syndrome. @return The word. */
const char *check_do(struct check_bed *bed, const struct check_wqe *wqe);
/** Whether it is "done". */
bool check_is_done(const char *word);
/** The same as check_do(), whose word is the observation. */
void check_do_observe(struct check_bed *bed, const struct check_wqe *wqe);

/*
 * Keys.
 */

/** What a key is created for. */
struct check_key_attr {
	uint32_t nb_klm;
	uint8_t log_entry;	/**< Of entries of one size; 0: each has a length. */
	uint32_t nb_bsf_ow;	/**< Octowords of BSFs. */
	bool has_rinval;
	bool has_crypto;	/**< It cannot be used without encryption. */
	bool has_atomic;	/**< Atomic access. */
	bool may_fail;		/**< A rejected command is the observation, not a broken check. */
	/** Entries that it is created with, PRM_KLM_ALIGN at most, and a length; NULL: none. */
	const struct check_klm *klms;
	uint64_t len;
};

/** Create a key that is free. @return NULL: the result has the reason. */
struct check_key *check_key_create(struct check_bed *bed, const struct check_key_attr *attr);

/** Destroy all keys of a bed. */
void check_keys_destroy(struct check_bed *bed);

/** Context of a key as the device returns it. @return false: the result is broken. */
bool check_key_query(struct check_bed *bed, const struct check_key *key, void *mkc);

/** Create a signature value. @return false: the result is broken. */
bool check_psv_create(struct check_bed *bed, uint32_t *psv);

/*
 * What nearly all of them do. Words are those of check_cqe_word().
 */

/** CHECK_PIECE bytes of src as an entry. */
struct check_klm check_piece(const struct check_bed *bed, uint32_t at);

/**
 * Configure a key; umr has neither its number nor its tag, and access only with a mask.
 * @return The word.
 */
const char *check_umr(struct check_bed *bed, const struct check_key *key,
		      const struct check_umr *umr);
/** The same. @return false: it failed, and the result says so. */
bool check_configure(struct check_bed *bed, const struct check_key *key,
		     const struct check_umr *umr);
/** As that, by a list; the length is the sum of its entries. */
bool check_list(struct check_bed *bed, const struct check_key *key, const struct check_klm *klms,
		uint32_t nb);
/** Create a key and configure it by a list. @return NULL: the result has the reason. */
struct check_key *check_list_create(struct check_bed *bed, const struct check_klm *klms,
				    uint32_t nb);
/** The same by a list of check_piece(). */
struct check_key *check_piece_create(struct check_bed *bed, uint32_t at);
/** Create a key of one entry and configure it. @return NULL: the result has the reason. */
struct check_key *check_umr_create(struct check_bed *bed, const struct check_umr *umr);
/** Invalidate a key. @return false: it failed, and the result says so. */
bool check_inval(struct check_bed *bed, const struct check_key *key);

/** Prepare a write from src to out. */
void check_write_init(const struct check_bed *bed, struct check_wqe *wqe, uint32_t lkey,
		      uint32_t rkey);
/** Prepare a write of what a local key has to an offset of out. */
void check_gather_init(const struct check_bed *bed, struct check_wqe *wqe, uint32_t lkey,
		       uint64_t addr, uint32_t len, uint32_t out_at);

/** Prepare a read of what a remote key has to out. */
void check_fetch_init(const struct check_bed *bed, struct check_wqe *wqe, uint32_t rkey,
		      uint64_t addr, uint32_t len);

/** Write what a local key has to out: the key's memory is read. */
const char *check_gather(struct check_bed *bed, uint32_t lkey, uint64_t addr, uint32_t len);

/** The same with a key, if there is one; the word is the observation. */
void check_gather_observe(struct check_bed *bed, const struct check_key *key, uint64_t addr,
			  uint32_t len);

/** Read what a remote key has to out. */
const char *check_fetch(struct check_bed *bed, uint32_t rkey, uint64_t addr, uint32_t len);

#endif /* CHECK_BED_H */
