/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_H
#define BENCH_H

/**
 * @file
 * The bench command: what it measures, and the paths that it compares.
 *
 * Every lcore is a worker with its own queues, keys and memory. A row (layout, entries, batch) is
 * measured in rounds; in each round, the paths take turns. All times are TSC cycles.
 */

#include "tool/tool.h"

/** Maximum number of operations under one doorbell. */
#define BENCH_MAX_BATCH		256u
/** Maximum number of pieces of a layout. */
#define BENCH_MAX_ENTRIES	65532u
/** Maximum number of pieces of a work request of libmlx5. */
#define BENCH_MAX_INLINE	52u
/** Maximum number of pieces of an interleaved layout in a work request. */
#define BENCH_MAX_INTERLEAVED	51u
/** Maximum number of pieces of a list with a signature or an encryption in a work request. */
#define BENCH_MAX_BSF		48u
/** The same with both. */
#define BENCH_MAX_BSFS		44u
/** Maximum number of pieces that an update replaces: the last ones of the list. */
#define BENCH_MAX_UPDATE	64u
/** Longest wait for a batch; a software device may lose its CPU for some time. */
#define BENCH_TIMEOUT_MS	20000u
/** Maximum number of lcores. */
#define BENCH_MAX_WORKERS	16u

/** Size of the text that explains why something is not measured. */
#define BENCH_WHY_SIZE		128u

/** Repetitions of an interleaved layout. */
#define BENCH_REPEAT		4u
/** Bytes of the write of a mixed operation. */
#define BENCH_WRITE_LEN		64u
/** Data units of encrypted keys, and signed blocks. */
#define BENCH_UNIT		512u
/** Access of all keys. */
#define BENCH_ACCESS                                                                               \
	(RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_REMOTE_WRITE)

/** Operations. */
enum bench_layout {
	BENCH_LIST,		/**< Configure a key with a list. */
	BENCH_NONINLINE,	/**< Configure a key with a list too long for a work request. */
	BENCH_INTERLEAVED,	/**< Configure a key with an interleaved pattern. */
	BENCH_NESTED,		/**< Configure a key with a list of pieces of another key. */
	BENCH_INVALIDATE,	/**< Invalidate a key. */
	BENCH_MIXED,		/**< Configure a key with a list and write through it. */
	BENCH_KEYGET,		/**< Take a key from its pool and put it back. */
	BENCH_UPDATE,		/**< Replace pieces of the list of a key. */
	BENCH_CRYPTO,		/**< Configure a key with a list and encryption. */
	BENCH_SIGNATURE,	/**< Configure a key with a list and a CRC32 of each block. */
	BENCH_DIF,		/**< The same with T10-DIF in memory and a new reference tag. */
	BENCH_DIF_BOTH,		/**< The same in memory and on the wire. */
	BENCH_SIGCRYPTO,	/**< Configure a key with a list, block signature and encryption. */
	BENCH_TRANS,		/**< Configure a key with a list and a CRC32C of all its data. */
	BENCH_NB_LAYOUTS,
};

/** Name of a layout in options and results. */
const char *bench_layout_name(enum bench_layout layout);

/** Paths. */
enum {
	BENCH_RTE,
	BENCH_SINGLE,	/**< As BENCH_RTE, with one call per operation of a batch. */
	BENCH_LIBMLX5,
	BENCH_UNLOCKED,	/**< As BENCH_LIBMLX5, by one thread and without locks. */
#ifdef BENCH_HAS_SPDK
	BENCH_SPDK,
#endif
	BENCH_FLOOR,
	BENCH_NB_PATHS,
};

/** One line of the result. */
struct bench_row {
	enum bench_layout layout;
	uint32_t nb_entries;
	uint32_t batch;
	uint32_t nb_keys;	/**< Keys in use, in the same order for each path. */
};

/** Cycles of one batch; the last two times are time stamps. */
struct bench_sample {
	uint64_t post;		/**< First enqueue to the return of the doorbell. */
	uint64_t poll;		/**< The completion calls that returned the batch. */
	uint64_t posted;	/**< Time after the doorbell. */
	uint64_t done;		/**< Time when the whole batch was back. */
	bool is_late;		/**< The poll came too early: the sample does not count. */
};

/** Setup of all workers; written by the command, read-only for the paths. */
struct bench_setup {
	int16_t dev_id;
	const char *dev_name;
	uint32_t nb_workers;
	uint32_t depth;		/**< Send ring in descriptors of 64 bytes. */
	const uint32_t *depths;	/**< Depth of each worker; NULL: depth for all. */
	uint32_t max_batch;
	uint32_t max_entries;
	uint32_t max_sges;	/**< Segments of a write by libmlx5; 0: 1. */
	uint32_t nb_list_entries; /**< Entries of outstanding lists in memory; 0: default. */
	uint16_t nb_sg_mkeys;	/**< Keys of a queue, of max_entries each. */
	uint32_t max_keys;
	uint32_t max_keys_libmlx5;
	uint32_t nb_spare_keys;	/**< Additional keys in the pool, for its caches. */
	uint32_t max_entries_dev; /**< Entries that a key of the device supports. */
	bool is_single;		/**< The rte path also uses one call per operation. */
	bool is_poll_warm;	/**< CQEs are checked before they are polled. */
	uint32_t paths;		/**< RTE_BIT32() of the paths that are opened; 0: all. */
	bool is_random;		/**< Keys in random order instead of the order of their pool. */
	bool has_layout[BENCH_NB_LAYOUTS]; /**< Rows of the layout exist. */
	bool is_executing;	/**< Executes operations; false: only acknowledges them. */
};

/**
 * Arrays of pieces of a worker. All paths pass the same memory; only the memory key in it is
 * rewritten when the path changes.
 */
struct bench_arrays {
	uint8_t *memory;	/**< Contents of the pieces: BENCH_MEMORY_SIZE bytes. */
	uint8_t *area;		/**< Arrays begin in its first page. */
	struct rte_umr_seg *segs;
	struct rte_umr_interleaved *entries;
};

/** Size of the memory that contains the pieces. */
#define BENCH_MEMORY_SIZE	(1u << 20)
/** Number of page offsets of the arrays, one per round, and their distance. */
#define BENCH_NB_OFFSETS	8u
#define BENCH_OFFSET_STEP	528u

/** One lcore. */
struct bench_worker {
	const struct bench_setup *setup;
	uint32_t index;		/**< Uses queues 2 * index and 2 * index + 1. */
	unsigned int lcore;
	struct bench_arrays arrays;
	void *ctx[BENCH_NB_PATHS];
};

/** A path. The functions print an error on failure. */
struct bench_path {
	const char *name;
	const char *what;	/**< One line: the functions called. */
	size_t size;		/**< Of the context; 0: it is that of BENCH_RTE. */
	/**
	 * Open everything in a zeroed context, which is closed in any case. Called for one worker
	 * at a time.
	 */
	bool (*open)(void *ctx, struct bench_worker *worker);
	/** Whether the path supports a row; prints nothing. */
	bool (*can_run)(const void *ctx, const struct bench_row *row);
	/** Prepare a round of a row, with the arrays at an offset. */
	bool (*begin)(void *ctx, const struct bench_row *row, uint32_t offset);
	/**
	 * Post row->batch operations; writes sample->post and posted, and poll for BENCH_KEYGET.
	 */
	bool (*post)(void *ctx, const struct bench_row *row, struct bench_sample *sample);
	/** Check whether the next CQE has arrived; this reads it. */
	bool (*has_completion)(const void *ctx);
	/**
	 * Take the completed part of the next nb operations; adds to sample->poll and writes
	 * sample->done. Accesses nothing before the timed section. Returns the number of
	 * operations, or -1.
	 */
	int (*take)(void *ctx, uint32_t nb, struct bench_sample *sample);
	/** Doorbells rung and CQEs written since the path was opened. */
	void (*counts)(const void *ctx, uint64_t *nb_doorbells, uint64_t *nb_cqes);
	/** Also after open() failed. */
	void (*close)(void *ctx);
};

extern const struct bench_path bench_path_rte;
extern const struct bench_path bench_path_single;
extern const struct bench_path bench_path_libmlx5;
extern const struct bench_path bench_path_unlocked;
extern const struct bench_path bench_path_spdk;
extern const struct bench_path bench_path_floor;
/** Indexed by the enum. */
extern const struct bench_path *const bench_paths[BENCH_NB_PATHS];

/* Set-up: setup.c */
/** Configure and start the device for all workers. */
bool bench_device_start(const struct bench_setup *setup);
/** Stop the device. */
void bench_device_stop(const struct bench_setup *setup);
/** Give a stopped device a queue to query the size of operations. */
bool bench_asked_start(int16_t dev_id);

/** Resources of a batch in its queue. */
struct bench_batch_size {
	uint32_t nb_desc;		/**< Descriptors. */
	uint32_t nb_list_entries;	/**< Memory for long lists; 0: stored in the ring. */
};

/** Query the size of a batch of a row from the first queue of the device. */
struct bench_batch_size bench_batch_size(int16_t dev_id, const struct bench_row *row);
/** Query the descriptors of nb writes. */
uint32_t bench_writes_desc(int16_t dev_id, uint32_t nb);
/**
 * Reduce the number of spare keys for a device with few or small keys; requested values do not
 * change. Return false, with the reason in why, if the device has too few resources.
 */
bool bench_setup_fit(struct bench_setup *setup, const struct rte_umr_dev_info *info,
		     char why[BENCH_WHY_SIZE]);
/** Maximum number of entries of a layout on a device; 0: unsupported. */
uint32_t bench_max_entries(const struct rte_umr_dev_info *info, enum bench_layout layout);
bool bench_arrays_alloc(struct bench_arrays *arrays);
void bench_arrays_free(struct bench_arrays *arrays);
/** Fill in the pieces for a path: its key and their address (0 for pieces of a key). */
void bench_arrays_fill(struct bench_arrays *arrays, const struct bench_row *row, uint32_t offset,
		       uint64_t addr, uint32_t lkey);
/** Order of the keys: a permutation of [0, nb), the same for every path. */
void bench_order_fill(const struct bench_setup *setup, uint32_t *order, uint32_t nb);

/** Objects of the rte path that others need. */
struct bench_rte_info {
	uint16_t queue_id;
	struct rte_umr_mr *mr;
	struct rte_umr_mkey *const *mkeys;
};

void bench_rte_info_get(const void *ctx, struct bench_rte_info *info);
/** Post a batch for later collection, with or without a doorbell; not for BENCH_KEYGET. */
bool bench_rte_post(void *ctx, const struct bench_row *row, bool has_doorbell,
		    struct bench_sample *sample);
/** Bring the send ring, for writing, and the keys to the cache; the queue must be idle. */
void bench_rte_warm(const void *ctx);

/**
 * Determine by a write whether the device executes operations.
 *
 * @return
 *   0, or -1 after an error was printed.
 */
int bench_probe_execution(struct bench_worker *worker, bool *is_executing);

#endif /* BENCH_H */
