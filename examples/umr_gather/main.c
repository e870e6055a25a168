/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Gather scattered memory by one transfer: rows of a table by a write through a key with a list,
 * a column by a read through a key with an interleaved layout; then make that key useless, see
 * it fail, and recover. The queue is connected to itself, so that one process shows both sides.
 *
 *   umr_gather [EAL options] -- [device[,option...]]
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_malloc.h>

#include <rte_umr.h>

#define QUEUE 0
#define TIMEOUT_S 10

/* The table, and room behind it for what is gathered. */
#define NB_ROWS 64u
#define ROW_LEN 256u
#define TABLE_LEN (NB_ROWS * ROW_LEN)
#define COLUMN_OFFSET 32u
#define COLUMN_LEN 16u

struct gather {
	int16_t dev_id;
	uint8_t *table;
	uint8_t *target;
	struct rte_umr_mr *mr;
	struct rte_umr_mkey_pool *pool;
};

/* Open a device with one loopback queue and start it. */
static int
device_start(struct gather *g, const char *devargs)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	const struct rte_umr_queue_conf queue_conf = {
		.transport = RTE_UMR_TRANSPORT_LOOPBACK,
		.nb_desc = 256,
		.socket_id = SOCKET_ID_ANY,
	};
	int ret;

	ret = rte_umr_dev_probe(devargs, &g->dev_id);
	if (ret != 0)
		return ret;
	ret = rte_umr_dev_configure(g->dev_id, &dev_conf);
	if (ret == 0)
		ret = rte_umr_queue_setup(g->dev_id, QUEUE, &queue_conf);
	if (ret == 0)
		ret = rte_umr_dev_start(g->dev_id);
	if (ret != 0)
		rte_umr_dev_close(g->dev_id);
	return ret;
}

/* Memory that the device may reach, and keys to lay over it. */
static int
memory_create(struct gather *g)
{
	const struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = 2,
		.max_entries = 8,
		.socket_id = SOCKET_ID_ANY,
	};
	struct rte_umr_mr_conf mr_conf = {
		.len = 2 * TABLE_LEN,
		.access = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ |
			  RTE_UMR_ACCESS_REMOTE_WRITE,
	};
	uint32_t i;
	int ret;

	g->table = rte_zmalloc(NULL, 2 * TABLE_LEN, 0);
	if (g->table == NULL)
		return -ENOMEM;
	g->target = g->table + TABLE_LEN;
	for (i = 0; i < TABLE_LEN; i++)
		g->table[i] = (uint8_t)(i / ROW_LEN * 7 + i % ROW_LEN);

	mr_conf.addr = g->table;
	g->mr = rte_umr_mr_register(g->dev_id, &mr_conf);
	if (g->mr == NULL) {
		ret = -rte_errno;
		goto free_table;
	}
	g->pool = rte_umr_mkey_pool_create(g->dev_id, &pool_conf);
	if (g->pool == NULL) {
		ret = -rte_errno;
		goto deregister;
	}
	return 0;

deregister:
	rte_umr_mr_deregister(g->mr);
free_table:
	rte_free(g->table);
	return ret;
}

static void
memory_destroy(struct gather *g)
{
	rte_umr_mkey_pool_destroy(g->pool);
	rte_umr_mr_deregister(g->mr);
	rte_free(g->table);
}

/* Collect nb operations one of which is known to have failed, and tell about each. */
static int
tell_errors(const struct gather *g, uint16_t nb, uint64_t deadline)
{
	struct rte_umr_completion done;

	while (nb > 0 && rte_get_timer_cycles() < deadline) {
		if (rte_umr_completed_status(g->dev_id, QUEUE, 1, &done) == 0)
			continue;
		printf("operation %u, %s: %s, syndrome 0x%02x\n", done.idx,
		       rte_umr_op_name(done.op), rte_umr_status_name(done.status),
		       done.syndrome);
		nb--;
	}
	return nb == 0 ? -EIO : -ETIMEDOUT;
}

/* Collect nb operations. */
static int
collect(const struct gather *g, uint16_t nb)
{
	const uint64_t deadline = rte_get_timer_cycles() + TIMEOUT_S * rte_get_timer_hz();
	bool has_error = false;

	while (nb > 0 && !has_error && rte_get_timer_cycles() < deadline)
		nb -= rte_umr_completed(g->dev_id, QUEUE, nb, NULL, &has_error);
	if (has_error)
		return tell_errors(g, nb, deadline);
	return nb == 0 ? 0 : -ETIMEDOUT;
}

/* Rows 40, 3, 17 and 60, one behind the other, by one write. */
static int
gather_rows(struct gather *g)
{
	static const uint32_t rows[] = { 40, 3, 17, 60 };
	struct rte_umr_seg segs[RTE_DIM(rows)], local;
	struct rte_umr_mkey *mkey;
	uint32_t i;
	int ret;

	mkey = rte_umr_mkey_get(g->pool);
	if (mkey == NULL)
		return -ENOBUFS;
	for (i = 0; i < RTE_DIM(rows); i++) {
		segs[i].addr = (uintptr_t)g->table + rows[i] * ROW_LEN;
		segs[i].length = ROW_LEN;
		segs[i].lkey = g->mr->lkey;
	}
	/* From here on the key stands for four rows, from offset 0 on. */
	ret = rte_umr_mkey_list(g->dev_id, QUEUE, mkey, RTE_UMR_ACCESS_LOCAL_WRITE, segs,
				RTE_DIM(segs), 0);
	if (ret < 0)
		goto put;
	local = (struct rte_umr_seg){ .length = RTE_DIM(rows) * ROW_LEN, .lkey = mkey->key };
	ret = rte_umr_write(g->dev_id, QUEUE, &local, (uintptr_t)g->target, g->mr->rkey,
			    RTE_UMR_OP_F_SUBMIT);
	if (ret >= 0)
		ret = collect(g, 2);
	for (i = 0; i < RTE_DIM(rows) && ret == 0; i++)
		if (memcmp(g->target + i * ROW_LEN, g->table + rows[i] * ROW_LEN, ROW_LEN) != 0)
			ret = -EBADMSG;
put:
	rte_umr_mkey_put(g->pool, mkey);
	return ret;
}

/* Read len bytes through a key of the peer, which here is ourselves. */
static int
read_through(struct gather *g, uint32_t rkey, uint32_t len)
{
	const struct rte_umr_seg local = {
		.addr = (uintptr_t)g->target,
		.length = len,
		.lkey = g->mr->lkey,
	};

	return rte_umr_read(g->dev_id, QUEUE, &local, 0, rkey, RTE_UMR_OP_F_SUBMIT);
}

/* 16 bytes of each row, by one read. */
static int
gather_column(struct gather *g, struct rte_umr_mkey *mkey)
{
	const struct rte_umr_interleaved column = {
		.addr = (uintptr_t)g->table + COLUMN_OFFSET,
		.bytes_count = COLUMN_LEN,
		.bytes_skip = ROW_LEN - COLUMN_LEN,
		.lkey = g->mr->lkey,
	};
	uint32_t i;
	int ret;

	ret = rte_umr_mkey_interleaved(g->dev_id, QUEUE, mkey, RTE_UMR_ACCESS_REMOTE_READ,
				       NB_ROWS, &column, 1, 0);
	if (ret < 0)
		return ret;
	ret = read_through(g, mkey->key, NB_ROWS * COLUMN_LEN);
	if (ret >= 0)
		ret = collect(g, 2);
	for (i = 0; i < NB_ROWS && ret == 0; i++)
		if (memcmp(g->target + i * COLUMN_LEN, g->table + i * ROW_LEN + COLUMN_OFFSET,
			   COLUMN_LEN) != 0)
			ret = -EBADMSG;
	return ret;
}

/* Once a key is invalidated, who still knows it reads nothing; the queue goes on afterwards. */
static int
use_after_invalidate(struct gather *g, struct rte_umr_mkey *mkey)
{
	int ret;

	ret = rte_umr_mkey_invalidate(g->dev_id, QUEUE, mkey, 0);
	if (ret < 0)
		return ret;
	ret = read_through(g, mkey->key, COLUMN_LEN);
	if (ret >= 0)
		ret = collect(g, 2);
	if (ret != -EIO)
		return ret == 0 ? -EBADMSG : ret;
	return rte_umr_queue_recover(g->dev_id, QUEUE);
}

static int
tell(const char *what, int ret)
{
	if (ret == 0)
		printf("%s: good\n", what);
	else
		printf("%s: %s\n", what, strerror(-ret));
	return ret;
}

static int
run(struct gather *g)
{
	struct rte_umr_mkey *mkey;
	int ret;

	ret = tell("rows, one write", gather_rows(g));
	if (ret != 0)
		return ret;
	mkey = rte_umr_mkey_get(g->pool);
	if (mkey == NULL)
		return tell("key", -ENOBUFS);
	ret = tell("column, one read", gather_column(g, mkey));
	if (ret == 0)
		ret = tell("an invalidated key", use_after_invalidate(g, mkey));
	rte_umr_mkey_put(g->pool, mkey);
	/* A key can be used again, and so can the queue. */
	return ret == 0 ? tell("rows, after the error", gather_rows(g)) : ret;
}

int
main(int argc, char **argv)
{
	char name[1][RTE_UMR_DEV_NAME_LEN];
	struct gather g = { 0 };
	const char *devargs;
	int ret;

	ret = rte_eal_init(argc, argv);
	if (ret < 0)
		return EXIT_FAILURE;
	devargs = ret + 1 < argc ? argv[ret + 1] : name[0];
	if (devargs == name[0] && rte_umr_dev_scan(name, 1) == 0) {
		fprintf(stderr, "no device\n");
		ret = -ENODEV;
		goto cleanup;
	}
	ret = tell("device", device_start(&g, devargs));
	if (ret != 0)
		goto cleanup;
	ret = tell("memory", memory_create(&g));
	if (ret == 0) {
		ret = run(&g);
		rte_umr_dev_stop(g.dev_id);
		memory_destroy(&g);
	}
	rte_umr_dev_close(g.dev_id);
cleanup:
	rte_eal_cleanup();
	return ret == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
