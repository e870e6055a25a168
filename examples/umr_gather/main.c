/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Gather scattered memory in one transfer: rows of a table by a write through a key with a list,
 * and a column by a read through a key with an interleaved layout. Then invalidate that key, show
 * that its use fails, and recover. The queue is connected to itself, so that one process shows both
 * sides; alternatively two processes do, see peer.c.
 *
 *   umr_gather [EAL options] -- [--listen [ADDR:]PORT | --connect HOST:PORT] [device[,option...]]
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

#include "gather.h"

static const uint32_t rows[] = { 40, 3, 17, 60 };

/* Open a device with one loopback queue and start it. */
static int
device_start(struct gather *g, const char *devargs, uint32_t transport)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	const struct rte_umr_queue_conf queue_conf = {
		.transport = transport,
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

/* Memory that the device may reach, and keys for it. */
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
		g->table[i] = gather_byte(g->side, i / ROW_LEN, i % ROW_LEN);

	mr_conf.addr = g->table;
	g->mr = rte_umr_mr_register(g->dev_id, &mr_conf);
	if (g->mr == NULL) {
		ret = -rte_errno;
		goto free_table;
	}
	/* Write to this process unless a peer sends the address of its memory. */
	g->remote = (struct gather_remote){ (uintptr_t)g->target, g->mr->rkey };
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

/* Collect nb operations one of which failed, and print each one. */
static int
errors_print(const struct gather *g, uint16_t nb, uint64_t deadline)
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
int
gather_collect(const struct gather *g, uint16_t nb)
{
	const uint64_t deadline = rte_get_timer_cycles() + TIMEOUT_S * rte_get_timer_hz();
	bool has_error = false;

	while (nb > 0 && !has_error && rte_get_timer_cycles() < deadline)
		nb -= rte_umr_completed(g->dev_id, QUEUE, nb, NULL, &has_error);
	if (has_error)
		return errors_print(g, nb, deadline);
	return nb == 0 ? 0 : -ETIMEDOUT;
}

/* Rows 40, 3, 17 and 60 go contiguously to the memory of the peer in one write. */
int
gather_rows_write(struct gather *g)
{
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
	/* From now on the key represents four rows, starting at offset 0. */
	ret = rte_umr_mkey_list(g->dev_id, QUEUE, mkey, RTE_UMR_ACCESS_LOCAL_WRITE, segs,
				RTE_DIM(segs), 0);
	if (ret < 0)
		goto put;
	local = (struct rte_umr_seg){ .length = RTE_DIM(rows) * ROW_LEN, .lkey = mkey->key };
	ret = rte_umr_write(g->dev_id, QUEUE, &local, g->remote.addr, g->remote.rkey,
			    RTE_UMR_OP_F_SUBMIT);
	if (ret >= 0)
		ret = gather_collect(g, 2);
put:
	rte_umr_mkey_put(g->pool, mkey);
	return ret;
}

/* Check whether the rows of a side are in the target. */
int
gather_rows_check(struct gather *g, uint8_t side)
{
	uint32_t i, k;

	for (i = 0; i < RTE_DIM(rows); i++)
		for (k = 0; k < ROW_LEN; k++)
			if (g->target[i * ROW_LEN + k] != gather_byte(side, rows[i], k))
				return -EBADMSG;
	/* Clear the target for the next rows. */
	memset(g->target, 0, TABLE_LEN);
	return 0;
}

static int
gather_rows(struct gather *g)
{
	int ret = gather_rows_write(g);

	return ret == 0 ? gather_rows_check(g, g->side) : ret;
}

/* Read len bytes through a key of the peer. */
int
gather_read_through(struct gather *g, uint32_t rkey, uint32_t len)
{
	const struct rte_umr_seg local = {
		.addr = (uintptr_t)g->target,
		.length = len,
		.lkey = g->mr->lkey,
	};

	return rte_umr_read(g->dev_id, QUEUE, &local, 0, rkey, RTE_UMR_OP_F_SUBMIT);
}

/* Configure a key for 16 bytes of each row, which any peer that knows the key can read. */
int
gather_column_configure(struct gather *g, struct rte_umr_mkey *mkey)
{
	const struct rte_umr_interleaved column = {
		.addr = (uintptr_t)g->table + COLUMN_OFFSET,
		.bytes_count = COLUMN_LEN,
		.bytes_skip = ROW_LEN - COLUMN_LEN,
		.lkey = g->mr->lkey,
	};

	return rte_umr_mkey_interleaved(g->dev_id, QUEUE, mkey, RTE_UMR_ACCESS_REMOTE_READ,
					NB_ROWS, &column, 1, 0);
}

/* Whether it is in the target now. */
int
gather_column_check(const struct gather *g, uint8_t side)
{
	uint32_t i, k;

	for (i = 0; i < NB_ROWS; i++)
		for (k = 0; k < COLUMN_LEN; k++)
			if (g->target[i * COLUMN_LEN + k] !=
			    gather_byte(side, i, COLUMN_OFFSET + k))
				return -EBADMSG;
	return 0;
}

/* Read 16 bytes of each row in one read. */
static int
gather_column(struct gather *g, struct rte_umr_mkey *mkey)
{
	int ret = gather_column_configure(g, mkey);

	if (ret >= 0)
		ret = gather_read_through(g, mkey->key, NB_ROWS * COLUMN_LEN);
	if (ret >= 0)
		ret = gather_collect(g, 2);
	return ret == 0 ? gather_column_check(g, g->side) : ret;
}

/* Once a key is invalidated, reads through it fail; the queue recovers afterwards. */
static int
use_after_invalidate(struct gather *g, struct rte_umr_mkey *mkey)
{
	int ret;

	ret = rte_umr_mkey_invalidate(g->dev_id, QUEUE, mkey, 0);
	if (ret < 0)
		return ret;
	ret = gather_read_through(g, mkey->key, COLUMN_LEN);
	if (ret >= 0)
		ret = gather_collect(g, 2);
	if (ret != -EIO)
		return ret == 0 ? -EBADMSG : ret;
	return rte_umr_queue_recover(g->dev_id, QUEUE);
}

/* Print what came of something. */
int
gather_report(const char *what, int ret)
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

	ret = gather_report("rows, one write", gather_rows(g));
	if (ret != 0)
		return ret;
	mkey = rte_umr_mkey_get(g->pool);
	if (mkey == NULL)
		return gather_report("key", -ENOBUFS);
	ret = gather_report("column, one read", gather_column(g, mkey));
	if (ret == 0)
		ret = gather_report("an invalidated key", use_after_invalidate(g, mkey));
	rte_umr_mkey_put(g->pool, mkey);
	/* The key can be used again, and so can the queue. */
	return ret == 0 ? gather_report("rows, after the error", gather_rows(g)) : ret;
}

struct options {
	const char *listen;
	const char *connect;
	const char *devargs; /* NULL: the first device */
};

/* Parse the arguments after those of EAL. */
static int
options_parse(int argc, char **argv, struct options *options)
{
	int i;

	for (i = 1; i < argc; i++) {
		const char **value = strcmp(argv[i], "--listen") == 0 ? &options->listen :
				     strcmp(argv[i], "--connect") == 0 ? &options->connect : NULL;

		if (value == NULL && argv[i][0] != '-' && options->devargs == NULL) {
			options->devargs = argv[i];
		} else if (value != NULL && i + 1 < argc) {
			*value = argv[++i];
		} else {
			fprintf(stderr, "%s: not --listen [ADDR:]PORT, --connect HOST:PORT or a "
				"device\n", argv[i]);
			return -EINVAL;
		}
	}
	if (options->listen != NULL && options->connect != NULL) {
		fprintf(stderr, "--listen and --connect are two processes\n");
		return -EINVAL;
	}
	if (options->listen != NULL)
		return gather_where_check(options->listen, true);
	return options->connect != NULL ? gather_where_check(options->connect, false) : 0;
}

static int
device_run(const struct options *options, const char *devargs)
{
	const bool has_peer = options->listen != NULL || options->connect != NULL;
	struct gather g = { .side = options->connect != NULL };
	int ret;

	ret = gather_report("device", device_start(&g, devargs, has_peer ? RTE_UMR_TRANSPORT_RC :
						 RTE_UMR_TRANSPORT_LOOPBACK));
	if (ret != 0)
		return ret;
	ret = gather_report("memory", memory_create(&g));
	if (ret == 0) {
		if (options->listen != NULL)
			ret = gather_listen(&g, options->listen);
		else if (options->connect != NULL)
			ret = gather_connect(&g, options->connect);
		else
			ret = run(&g);
		rte_umr_dev_stop(g.dev_id);
		memory_destroy(&g);
	}
	rte_umr_dev_close(g.dev_id);
	return ret;
}

int
main(int argc, char **argv)
{
	char name[1][RTE_UMR_DEV_NAME_LEN];
	struct options options = { NULL, NULL, NULL };
	int ret;

	ret = rte_eal_init(argc, argv);
	if (ret < 0)
		return EXIT_FAILURE;
	ret = options_parse(argc - ret, argv + ret, &options);
	if (ret != 0)
		goto cleanup;
	if (options.devargs == NULL && rte_umr_dev_scan(name, 1) == 0) {
		fprintf(stderr, "no device (swhca-run has some) or no driver (EAL's -d)\n");
		ret = -ENODEV;
		goto cleanup;
	}
	ret = device_run(&options, options.devargs != NULL ? options.devargs : name[0]);
cleanup:
	rte_eal_cleanup();
	return ret == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
