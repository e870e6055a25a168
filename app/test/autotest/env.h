/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef AUTOTEST_ENV_H
#define AUTOTEST_ENV_H

/**
 * @file
 * Environment of a test case: one or two started and connected devices, with memory and keys. The
 * runner tears it down, also after a failure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_umr.h>

/** Bytes of the memory region of each side. */
#define AT_BUF_LEN 0x20000u
/** Maximum number of keys that a case can take on one side. */
#define AT_MAX_KEYS 64u
/** Maximum number of keys with a pool of their own. */
#define AT_MAX_OWN_KEYS 2u
/** Maximum number of regions that a case has beside that of the side, and of mappings. */
#define AT_MAX_OWN 2u

/** Connections. */
enum at_topology {
	AT_LOOPBACK = 0, /**< Queue 0 of the first device, with itself. */
	AT_SAME_DEVICE, /**< Queue 0 with queue 1 of the first device. */
	AT_TWO_DEVICES, /**< Queue 0 of the first device with queue 0 of the second. */
	AT_NB_TOPOLOGIES,
};

/** What to build; zero selects the default in the comment. */
struct at_conf {
	enum at_topology topology;
	uint16_t nb_queues; /**< AT_LOOPBACK: number of queues, all loopback; 1. */
	uint16_t nb_desc; /**< 256. */
	uint16_t nb_recv_desc; /**< 64. */
	uint16_t max_recv_segs; /**< 2. */
	uint32_t nb_mkeys; /**< 16. */
	uint32_t max_entries; /**< 52, or the limit of one operation if that is less. */
	uint32_t mkey_flags; /**< Of the pool; queues have room for signature errors if required. */
	uint32_t access; /**< Of the memory regions; RTE_UMR_ACCESS_ALL. */
	uint16_t queue_flags; /**< RTE_UMR_QUEUE_F_*; 0. */
	uint16_t nb_sg_mkeys; /**< Keys of a queue; 0. */
	uint32_t max_sg_entries; /**< Their entries; 0. */
	const char *options; /**< Options of the devices, beginning with a comma; NULL: none. */
	bool is_unconnected; /**< Do not connect RC queues. */
	uint64_t capa; /**< RTE_UMR_CAPA_* that the devices must have. */
};

/** One device. */
struct at_side {
	int16_t dev_id; /**< -1: none. */
	struct rte_umr_dev_info info; /**< When it was probed. */
	uint8_t *buf; /**< AT_BUF_LEN bytes. */
	struct rte_umr_mr *mr; /**< All of buf. */
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey *keys[AT_MAX_KEYS]; /**< Taken by at_key(). */
	uint32_t nb_keys;
	struct {
		struct rte_umr_mkey_pool *pool;
		struct rte_umr_mkey *mkey;
	} own[AT_MAX_OWN_KEYS]; /**< Taken by at_own_key(). */
	uint32_t nb_own;
	struct rte_umr_mr *mrs[AT_MAX_OWN]; /**< Made by at_own_mr(). */
	uint32_t nb_mrs;
};

/** Environment of a case. */
struct at_env {
	struct at_side sides[2];
	struct at_side *tx; /**< Side that posts. */
	struct at_side *rx; /**< Side that is the target; may be the same. */
	uint16_t rx_queue; /**< Queue of rx; tx uses queue 0. */
	const char *options; /**< As in struct at_conf. */
	struct {
		void *addr;
		size_t len;
	} maps[AT_MAX_OWN]; /**< Made by at_map(). */
	uint32_t nb_maps;
};

void at_env_init(struct at_env *env);

/** Free everything. @return 0, or the last error. */
int at_env_fini(struct at_env *env);

/**
 * Build the environment.
 *
 * @return
 *   TEST_SUCCESS; TEST_FAILED (printed); TEST_SKIPPED (printed): AT_TWO_DEVICES, and there is one,
 *   or a device lacks capabilities.
 */
int at_env_build(struct at_env *env, const struct at_conf *conf);

/** Build an environment with these members of struct at_conf, or return from the case. */
#define AT_BUILD(env, ...) TEST_NEED(at_env_build(env, &(const struct at_conf){ __VA_ARGS__ }))

/** Skip a case (printed) if the device lacks one of these RTE_UMR_CAPA_*. */
int at_need_capa(const struct rte_umr_dev_info *info, uint64_t capa);

/** The same as AT_BUILD(), filled by at_fill(), for a device with these capabilities. */
int at_env_build_capable(struct at_env *env, uint64_t capa, const struct at_conf *conf);

/** Connect the two queues of an environment. */
int at_env_connect(struct at_env *env);
/** Recover the two queues from an error, and connect them again. */
int at_env_recover(struct at_env *env);

/**
 * Run a case between each pair of queues, with memory filled by at_fill(). It counts as skipped
 * only if it is skipped for all pairs.
 *
 * @param max_entries
 *   Of the keys, as in struct at_conf.
 */
int at_everywhere(struct at_env *env, uint32_t max_entries, int (*run)(struct at_env *env));

/** A function of an environment that is one call with env. */
#define AT_CALL(name, call)                                                                        \
	static int name(struct at_env *env)                                                        \
	{                                                                                          \
		return call;                                                                       \
	}

/** A case that is one call with env. */
#define AT_CASE_CALL(suite, name, call)                                                            \
	AT_CASE(suite, name)                                                                       \
	{                                                                                          \
		return call;                                                                       \
	}

/** A case everywhere with keys of the default size. */
#define AT_EVERYWHERE(suite, name, function)                                                       \
	AT_CASE_CALL(suite, name, at_everywhere(env, 0, function))

/** Name of the n-th device: there is a first one. @return as at_env_build(). */
int at_device_name(unsigned int n, char name[RTE_UMR_DEV_NAME_LEN]);

/** Probe only the n-th device into side n, with env->options. @return as at_env_build(). */
int at_side_probe(struct at_env *env, unsigned int n);

/** The first device is not opened with an option such as "bf=often". */
int at_option_rejected(const char *option);

/** Create memory, region and keys of a side. @return as at_env_build(). */
int at_side_memory(struct at_side *side, const struct at_conf *conf);

/** Take a key from the pool of a side; the environment returns it. NULL if there is none. */
struct rte_umr_mkey *at_key(struct at_side *side);

/** The same, but a case fails if there is none. */
#define AT_KEY(side) TEST_NOT_NULL(at_key(side))

/**
 * Take the key of a pool of its own; the environment returns it and destroys the pool. NULL if
 * there is none.
 */
struct rte_umr_mkey *at_own_key(struct at_side *side, const struct rte_umr_mkey_pool_conf *conf);

/** The same with these members of struct rte_umr_mkey_pool_conf; a case fails if there is none. */
#define AT_OWN_KEY(side, ...)                                                                      \
	TEST_NOT_NULL(at_own_key(side, &(const struct rte_umr_mkey_pool_conf){                     \
		.nb_mkeys = 1, .socket_id = -1, __VA_ARGS__ }))

/** Register memory with the usual parameters. */
static inline struct rte_umr_mr *
at_mr_register(int16_t dev_id, void *addr, size_t len, uint32_t access, uint32_t flags)
{
	const struct rte_umr_mr_conf conf = {
		.addr = addr,
		.len = len,
		.access = access,
		.flags = flags,
	};

	return rte_umr_mr_register(dev_id, &conf);
}

/** The same for a region that the environment deregisters; a case fails if there is none. */
struct rte_umr_mr *at_own_mr(struct at_side *side, void *addr, size_t len, uint32_t access,
			     uint32_t flags);
#define AT_OWN_MR(side, ...) TEST_NOT_NULL(at_own_mr(side, __VA_ARGS__))

/** Map memory that the environment unmaps; a case fails if there is none. */
void *at_map(struct at_env *env, size_t len);
#define AT_MAP(env, len) TEST_NOT_NULL(at_map(env, len))

/** Call rte_umr_mkey_configure() for that key, which op does not contain. */
static inline int
at_mkey_configure(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *mkey,
		  const struct rte_umr_mkey_op *op, uint64_t flags)
{
	struct rte_umr_mkey_op of_key = *op;

	of_key.mkey = mkey;
	return rte_umr_mkey_configure(dev_id, queue_id, &of_key, flags);
}

/** Segment of a side's memory. */
static inline struct rte_umr_seg
at_seg(const struct at_side *side, uint32_t offset, uint32_t len)
{
	return (struct rte_umr_seg){
		.addr = (uintptr_t)side->buf + offset,
		.length = len,
		.lkey = side->mr->lkey,
	};
}

/** Segment of a configured key. */
static inline struct rte_umr_seg
at_key_seg(const struct rte_umr_mkey *mkey, uint64_t offset, uint32_t len)
{
	return (struct rte_umr_seg){ .addr = offset, .length = len, .lkey = mkey->key };
}

/** Remote address of a byte of a side's memory. */
static inline uint64_t
at_addr(const struct at_side *side, uint32_t offset)
{
	return (uintptr_t)side->buf + offset;
}

/** Write to memory of rx, by queue 0 of tx. @return as rte_umr_write(). */
static inline int
at_write(const struct at_env *env, struct rte_umr_seg local, uint32_t offset, uint64_t flags)
{
	return rte_umr_write(env->tx->dev_id, 0, &local, at_addr(env->rx, offset),
			     env->rx->mr->rkey, flags);
}

/** Read memory of rx. @return as rte_umr_read(). */
static inline int
at_read(const struct at_env *env, struct rte_umr_seg local, uint32_t offset, uint64_t flags)
{
	return rte_umr_read(env->tx->dev_id, 0, &local, at_addr(env->rx, offset),
			    env->rx->mr->rkey, flags);
}

/** Send from queue 0 of tx. @return as rte_umr_send(). */
static inline int
at_send(const struct at_env *env, struct rte_umr_seg local, uint64_t flags)
{
	return rte_umr_send(env->tx->dev_id, 0, &local, flags);
}

/** Lay a list, by queue 0 of tx. @return as rte_umr_mkey_list(). */
static inline int
at_list(const struct at_env *env, struct rte_umr_mkey *mkey, uint32_t access,
	const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	return rte_umr_mkey_list(env->tx->dev_id, 0, mkey, access, segs, nb_segs, flags);
}

/**
 * Collect nb operations with their status, until a deadline.
 *
 * @return
 *   Number collected; less than nb only after the deadline.
 */
uint16_t at_collect(int16_t dev_id, uint16_t queue_id, struct rte_umr_completion *done,
		    uint16_t nb);

/** The same for receives. */
uint16_t at_collect_recv(int16_t dev_id, uint16_t queue_id, struct rte_umr_completion *done,
			 uint16_t nb);

/** Collect an operation of queue 0 of tx, which must have this status. @param done May be NULL. */
int at_expect_tx(const struct at_env *env, enum rte_umr_status status,
		 struct rte_umr_completion *done);

/** The same for an operation of the queue of rx. */
int at_expect_rx(const struct at_env *env, enum rte_umr_status status,
		 struct rte_umr_completion *done);

/** The same for a receive of the queue of rx. */
int at_expect_recv(const struct at_env *env, enum rte_umr_status status,
		   struct rte_umr_completion *done);

/**
 * Collect nb operations of queue 0 of tx, the first with that index, and no more: operation bad has
 * this status, those before it succeeded, those behind it were flushed.
 */
int at_expect_failure(const struct at_env *env, uint16_t first_idx, uint16_t nb, uint16_t bad,
		      enum rte_umr_status status);

/** Submit queue 0 of tx and expect nb successful operations. */
int at_finish(struct at_env *env, uint16_t nb);

/** Submit queue 0 of tx; expect nb - 1 successes followed by one operation with this status. */
int at_finish_status(struct at_env *env, uint16_t nb, enum rte_umr_status status);

/** Fill the memory of both sides with bytes that depend on place and side. */
void at_fill(struct at_env *env);

/** Name of a topology, for messages. */
const char *at_topology_name(enum at_topology topology);

#endif /* AUTOTEST_ENV_H */
