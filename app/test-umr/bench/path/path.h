/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_H
#define BENCH_H

/**
 * @file
 * The bench command: what is measured, and the paths that are compared.
 *
 * Every lcore is a worker with queues, keys and memory of its own. A row (layout, entries, batch)
 * is measured in rounds; in each, the paths take turns. All times are TSC cycles.
 */

#include "tool/tool.h"

/** Most operations under one doorbell. */
#define BENCH_MAX_BATCH		256u
/** Most pieces of a layout. */
#define BENCH_MAX_ENTRIES	65532u
/** Most pieces that one work request of libmlx5 can carry. */
#define BENCH_MAX_INLINE	52u
/** Most pieces of an interleaved layout that a work request can carry. */
#define BENCH_MAX_INTERLEAVED	51u
/** Most pieces of an encrypted layout that a work request can carry. */
#define BENCH_MAX_CRYPTO	48u
/** Most pieces of a list with a signature that a work request can carry. */
#define BENCH_MAX_SIGNED	48u
/** Longest wait for a batch; a device of software may lose its CPU for some time. */
#define BENCH_TIMEOUT_MS	20000u
/** Most lcores. */
#define BENCH_MAX_WORKERS	16u

/** Room for a line that says why something is not measured. */
#define BENCH_WHY_SIZE		128u

/** How often an interleaved layout repeats. */
#define BENCH_REPEAT		4u
/** Bytes of the write of a mixed operation. */
#define BENCH_WRITE_LEN		64u
/** Data units of encrypted keys. */
#define BENCH_UNIT		512u
/** Access of all keys. */
#define BENCH_ACCESS                                                                               \
	(RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_REMOTE_WRITE)

/** What an operation is. */
enum bench_layout {
	BENCH_LIST,		/**< Lay a list under a key. */
	BENCH_NONINLINE,	/**< Lay a list that no work request can carry. */
	BENCH_INTERLEAVED,	/**< Lay an interleaved pattern under a key. */
	BENCH_NESTED,		/**< A list of pieces of another key. */
	BENCH_INVALIDATE,	/**< Make a key unusable. */
	BENCH_MIXED,		/**< A list, and a write of what is under the key. */
	BENCH_KEYGET,		/**< Take a key from its pool and put it back. */
	BENCH_CRYPTO,		/**< A list and an encryption under a key. */
	BENCH_SIGNATURE,	/**< A list and a block signature under a key. */
	BENCH_NB_LAYOUTS,
};

/** Name of a layout, as in the options and results. */
const char *bench_layout_name(enum bench_layout layout);

/** The ways to do it. */
enum {
	BENCH_RTE,
	BENCH_SINGLE,	/**< The same queue and keys: a call for each operation of a batch. */
	BENCH_LIBMLX5,
	BENCH_FLOOR,
	BENCH_NB_PATHS,
};

/** One line of the result. */
struct bench_row {
	enum bench_layout layout;
	uint32_t nb_entries;
	uint32_t batch;
	uint32_t nb_keys;	/**< Keys in use, each path in the same order. */
};

/** One batch, in cycles; the last two are times. */
struct bench_sample {
	uint64_t post;		/**< First enqueue to the return of the doorbell. */
	uint64_t poll;		/**< The completion calls that gave the batch back. */
	uint64_t posted;	/**< When the doorbell had been rung. */
	uint64_t done;		/**< When all of the batch had come back. */
	bool is_late;		/**< It was not back when it was polled for: it does not count. */
};

/** What is the same for all workers; written by the command, read only for the paths. */
struct bench_setup {
	int16_t dev_id;
	const char *dev_name;
	uint32_t nb_workers;
	uint32_t depth;		/**< Send ring in descriptors of 64 bytes. */
	const uint32_t *depths;	/**< The same for each worker; NULL: depth for all. */
	uint32_t max_batch;
	uint32_t max_entries;
	uint32_t max_sges;	/**< Segments of a write by libmlx5; 0: 1. */
	uint32_t nb_list_entries; /**< Entries of lists in memory on their way; 0: default. */
	uint32_t max_keys;
	uint32_t max_keys_libmlx5;
	uint32_t nb_spare_keys;	/**< In the pool besides, for its caches. */
	uint32_t max_entries_dev; /**< Of a key of the device. */
	bool is_single;		/**< The rte path has a call for each operation, too. */
	bool is_libmlx5_single;	/**< libmlx5 without its locks. */
	bool is_poll_warm;	/**< CQEs are looked at before they are polled for. */
	bool has_no_libmlx5;	/**< That path is not opened. */
	bool is_random;		/**< Keys in random order, not in that of their pool. */
	bool has_mixed;		/**< There are rows of BENCH_MIXED. */
	bool has_crypto;	/**< There are rows of BENCH_CRYPTO. */
	bool has_sig;		/**< There are rows of BENCH_SIGNATURE. */
	bool is_executing;	/**< The device executes; false: it acknowledges only. */
};

/**
 * The arrays of pieces of a worker. All paths pass the same memory; only the memory key in it is
 * written anew when another path has its turn.
 */
struct bench_arrays {
	uint8_t *memory;	/**< Under the pieces: BENCH_MEMORY_SIZE bytes. */
	uint8_t *area;		/**< Arrays begin in its first page. */
	struct rte_umr_seg *segs;
	struct rte_umr_interleaved *entries;
};

/** Bytes under the pieces. */
#define BENCH_MEMORY_SIZE	(1u << 20)
/** Page offsets that the arrays move over from round to round, and their distance. */
#define BENCH_NB_OFFSETS	8u
#define BENCH_OFFSET_STEP	528u

/** One lcore. */
struct bench_worker {
	const struct bench_setup *setup;
	uint32_t index;		/**< Its queues are 2 * index and the one behind. */
	unsigned int lcore;
	struct bench_arrays arrays;
	void *ctx[BENCH_NB_PATHS];
};

/** A way to do operations. Functions say on stderr why they fail. */
struct bench_path {
	const char *name;
	const char *what;	/**< One line: what is called. */
	/** Open everything; NULL on failure. Called for one worker at a time. */
	void *(*open)(struct bench_worker *worker);
	/** Whether this path can do such a row at all; silent. */
	bool (*can_run)(const void *ctx, const struct bench_row *row);
	/** Get ready for a round of that row, with the arrays at that offset. */
	bool (*begin)(void *ctx, const struct bench_row *row, uint32_t offset);
	/** Post row->batch operations; writes sample->post, posted, of BENCH_KEYGET poll, too. */
	bool (*post)(void *ctx, const struct bench_row *row, struct bench_sample *sample);
	/** Whether the CQE that comes next is there; looks at it. */
	bool (*has_completion)(const void *ctx);
	/**
	 * Take what is there of the next nb operations: adds to sample->poll, writes sample->done.
	 * Looks at nothing before the time begins. Returns their number, or -1.
	 */
	int (*take)(void *ctx, uint32_t nb, struct bench_sample *sample);
	/** Doorbells rung and CQEs written since it was opened. */
	void (*counts)(const void *ctx, uint64_t *nb_doorbells, uint64_t *nb_cqes);
	/** NULL is accepted. */
	void (*close)(void *ctx);
};

extern const struct bench_path bench_path_rte;
extern const struct bench_path bench_path_single;
extern const struct bench_path bench_path_libmlx5;
extern const struct bench_path bench_path_floor;
/** In the order of the enum. */
extern const struct bench_path *const bench_paths[BENCH_NB_PATHS];

/* Set-up: setup.c */
/** Configure and start the device for all workers. */
bool bench_device_start(const struct bench_setup *setup);
/** Stop it. */
void bench_device_stop(const struct bench_setup *setup);
/** Give a stopped device a queue that can be asked what operations take. */
bool bench_asked_start(int16_t dev_id);

/** What a batch takes of its queue. */
struct bench_batch_size {
	uint32_t nb_desc;		/**< Descriptors. */
	uint32_t nb_list_entries;	/**< Memory of long lists; 0: the ring has the entries. */
};

/** Ask the first queue of the device what a batch of a row takes. */
struct bench_batch_size bench_batch_size(int16_t dev_id, const struct bench_row *row);
/** Ask it for the descriptors of so many writes. */
uint32_t bench_writes_desc(int16_t dev_id, uint32_t nb);
/**
 * Adapt keys to a device that has few, or small ones: the spare ones, and nothing that was asked
 * for. False, said in why, if what is needed is more than the device has.
 */
bool bench_setup_fit(struct bench_setup *setup, const struct rte_umr_dev_info *info,
		     char why[BENCH_WHY_SIZE]);
/** Most entries of a layout on a device; 0: it does not offer it. */
uint32_t bench_max_entries(const struct rte_umr_dev_info *info, enum bench_layout layout);
bool bench_arrays_alloc(struct bench_arrays *arrays);
void bench_arrays_free(struct bench_arrays *arrays);
/** Write the pieces for a path: its key, and where they are (0 for pieces of a key). */
void bench_arrays_fill(struct bench_arrays *arrays, const struct bench_row *row, uint32_t offset,
		       uint64_t addr, uint32_t lkey);
/** Order in which keys are used: a permutation of [0, nb), the same for every path. */
void bench_order_fill(const struct bench_setup *setup, uint32_t *order, uint32_t nb);

/** What the rte path has opened and others need. */
struct bench_rte_info {
	uint16_t queue_id;
	struct rte_umr_mr *mr;
	struct rte_umr_mkey *const *mkeys;
};

void bench_rte_info_get(const void *ctx, struct bench_rte_info *info);
/** Post a batch that is collected later, with a doorbell or without; not of BENCH_KEYGET. */
bool bench_rte_post(void *ctx, const struct bench_row *row, bool has_doorbell,
		    struct bench_sample *sample);
/** Bring the send ring, for writing, and the keys to the cache; nothing is on its way. */
void bench_rte_warm(const void *ctx);

/** Bytes of the work requests of one operation, as the rte path builds them. */
struct bench_wqes {
	uint8_t *data;		/**< Room for BENCH_MAX_WQEBB blocks. */
	uint8_t *list;		/**< Room for BENCH_MAX_ENTRIES entries that are elsewhere. */
	uint32_t nb_wqebb;
	uint32_t nb_list_bb;	/**< Blocks of 64 bytes of those, or 0. */
};

/** Blocks of 64 bytes of an operation: a work request of the largest size, and a write. */
#define BENCH_MAX_WQEBB		17u
#define BENCH_WQEBB_SIZE	64u

/** Run two operations, each by itself, and copy what was built for the second. */
bool bench_rte_capture(void *ctx, const struct bench_row *row, struct bench_wqes *wqes);

/**
 * Find out whether the device executes, by a write.
 *
 * @return
 *   0, or -1 (said on stderr).
 */
int bench_probe_execution(struct bench_worker *worker, bool *is_executing);

#endif /* BENCH_H */
