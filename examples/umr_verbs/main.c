/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A program of plain verbs that adds a memory key to what it has: context, protection domain,
 * memory region, and a connected queue pair. rte_umr opens the same context and protection domain,
 * and configures a key for pieces of the region; the program's own queue pair moves data through
 * that key. Instead of polling, the program sleeps until the key is configured. One process shows
 * both sides: the queue pair is connected to itself, or by rdma_cm to another one.
 *
 *   umr_verbs [EAL options] -- [device | -a ADDRESS]
 *
 * ADDRESS is the IPv4 address of a device, for rdma_cm.
 */

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include <rte_cycles.h>
#include <rte_eal.h>

#include <rc_qp.h>
#include <rte_umr.h>

#include "cm.h"

#define ROW_LEN 64u
#define NB_ROWS 256u
#define NB_PIECES 20u
#define LEN (NB_PIECES * ROW_LEN)
#define TIMEOUT_MS 10000

/* What the program had before. */
struct app {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	uint8_t *rows;
	uint8_t *target; /* behind the rows, in the same region */
	struct cm cm; /* if rdma_cm connects the queue pair */
};

/* What it adds. */
struct umr {
	int16_t dev_id;
	int event_fd;
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey *mkey;
};

/* Open a device, or the first one. */
static struct ibv_context *
context_open(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	for (i = 0; list != NULL && list[i] != NULL && ctx == NULL; i++)
		if (name == NULL || strcmp(ibv_get_device_name(list[i]), name) == 0)
			ctx = ibv_open_device(list[i]);
	if (list != NULL)
		ibv_free_device_list(list);
	return ctx;
}

static void
app_close(struct app *app)
{
	if (app->qp != NULL && app->cm.client == NULL)
		ibv_destroy_qp(app->qp);
	/* Queue pairs of rdma_cm go before what they use, its context after that. */
	cm_disconnect(&app->cm);
	if (app->cq != NULL)
		ibv_destroy_cq(app->cq);
	if (app->mr != NULL)
		ibv_dereg_mr(app->mr);
	if (app->pd != NULL)
		ibv_dealloc_pd(app->pd);
	if (app->ctx != NULL && app->cm.client == NULL)
		ibv_close_device(app->ctx);
	cm_close(&app->cm);
	free(app->rows);
}

/* Create a queue pair and connect it, to itself or by rdma_cm. Returns 0 or an errno. */
static int
app_connect(struct app *app)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC, .send_cq = app->cq, .recv_cq = app->cq,
		.cap = { .max_send_wr = 16, .max_send_sge = 1 },
	};
	const struct rc_qp_conf conf = {
		.access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE, .rd_atomic = 1,
		.timeout = 14, .retry_cnt = 7,
	};

	if (app->cm.client != NULL)
		return cm_connect(&app->cm, app->pd, &attr, &app->qp);
	app->qp = ibv_create_qp(app->pd, &attr);
	return app->qp != NULL ? rc_qp_connect_itself(app->qp, &conf) : ENOMEM;
}

/*
 * Open the device with an IPv4 address, or else with a name. Returns 0, or an errno; app_close() is
 * due in any case.
 */
static int
app_open(struct app *app, const char *name, const char *address)
{
	uint32_t i;
	int ret;

	if (address != NULL) {
		ret = cm_resolve(&app->cm, address, &app->ctx);
		if (ret != 0)
			return ret;
	} else {
		app->ctx = context_open(name);
	}
	app->rows = calloc(2 * NB_ROWS, ROW_LEN);
	if (app->ctx == NULL || app->rows == NULL)
		return app->ctx == NULL ? ENODEV : ENOMEM;
	app->target = app->rows + NB_ROWS * ROW_LEN;
	for (i = 0; i < NB_ROWS * ROW_LEN; i++)
		app->rows[i] = (uint8_t)(i / ROW_LEN * 7 + i % ROW_LEN);
	app->pd = ibv_alloc_pd(app->ctx);
	if (app->pd == NULL)
		return ENOMEM;
	app->mr = ibv_reg_mr(app->pd, app->rows, 2 * NB_ROWS * ROW_LEN, IBV_ACCESS_LOCAL_WRITE |
			     IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE);
	app->cq = ibv_create_cq(app->ctx, 16, NULL, NULL, 0);
	if (app->mr == NULL || app->cq == NULL)
		return ENOMEM;
	return app_connect(app);
}

/* Move bytes by the queue pair of the program, and wait. Returns 0 or an errno. */
static int
app_move(const struct app *app, enum ibv_wr_opcode opcode, struct ibv_sge sge, uint64_t remote_addr,
	 uint32_t rkey)
{
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = remote_addr, .rkey = rkey },
	};
	const uint64_t end = rte_get_timer_cycles() + rte_get_timer_hz() / 1000 * TIMEOUT_MS;
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	int ret, nb;

	memset(app->target, 0, LEN);
	ret = ibv_post_send(app->qp, &wr, &bad);
	if (ret != 0)
		return ret;
	do
		nb = ibv_poll_cq(app->cq, 1, &wc);
	while (nb == 0 && rte_get_timer_cycles() < end);
	if (nb != 1)
		return nb == 0 ? ETIMEDOUT : EIO;
	return wc.status == IBV_WC_SUCCESS ? 0 : EREMOTEIO;
}

/* Whether the target has the pieces: every third row, the last one first. */
static bool
has_pieces(const struct app *app)
{
	uint32_t i;

	for (i = 0; i < NB_PIECES; i++)
		if (memcmp(app->target + i * ROW_LEN, app->rows + (NB_PIECES - 1 - i) * 3 * ROW_LEN,
			   ROW_LEN) != 0)
			return false;
	return true;
}

/* Open the context and the protection domain of the program. Returns 0 or a negative errno. */
static int
umr_open(struct umr *umr, const struct app *app)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	const struct rte_umr_queue_conf queue_conf = {
		.transport = RTE_UMR_TRANSPORT_LOOPBACK, .nb_desc = 64, .socket_id = SOCKET_ID_ANY,
	};
	const struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = 1, .max_entries = NB_PIECES, .socket_id = SOCKET_ID_ANY,
	};
	char devargs[128];
	int ret;

	snprintf(devargs, sizeof(devargs), "%s,cmd_fd=%d,pd_handle=%u",
		 ibv_get_device_name(app->ctx->device), app->ctx->cmd_fd, app->pd->handle);
	ret = rte_umr_dev_probe(devargs, &umr->dev_id);
	if (ret != 0)
		return ret;
	ret = rte_umr_dev_configure(umr->dev_id, &dev_conf);
	if (ret == 0)
		ret = rte_umr_queue_setup(umr->dev_id, 0, &queue_conf);
	if (ret == 0)
		ret = rte_umr_dev_start(umr->dev_id);
	if (ret != 0)
		goto close_device;
	umr->event_fd = rte_umr_queue_event_fd(umr->dev_id, 0);
	ret = umr->event_fd < 0 ? umr->event_fd : 0;
	umr->pool = ret == 0 ? rte_umr_mkey_pool_create(umr->dev_id, &pool_conf) : NULL;
	if (umr->pool != NULL) {
		/* A new pool has a key. */
		umr->mkey = rte_umr_mkey_get(umr->pool);
		return 0;
	}
	ret = ret != 0 ? ret : -rte_errno;

close_device:
	rte_umr_dev_close(umr->dev_id);
	return ret;
}

static void
umr_close(const struct umr *umr)
{
	rte_umr_mkey_put(umr->pool, umr->mkey);
	rte_umr_mkey_pool_destroy(umr->pool);
	rte_umr_dev_stop(umr->dev_id);
	rte_umr_dev_close(umr->dev_id);
}

/* Sleep until an operation completes. Returns 0 or a negative errno. */
static int
umr_wait(const struct umr *umr)
{
	struct pollfd pollfd = { .fd = umr->event_fd, .events = POLLIN };
	struct rte_umr_completion done;
	int ret;

	for (;;) {
		ret = rte_umr_queue_event_arm(umr->dev_id, 0);
		if (ret != 0)
			return ret;
		/* It may have completed before the queue was armed. */
		if (rte_umr_completed_status(umr->dev_id, 0, 1, &done) == 1)
			return done.status == RTE_UMR_STATUS_SUCCESS ? 0 : -EIO;
		ret = poll(&pollfd, 1, TIMEOUT_MS);
		if (ret <= 0)
			return ret == 0 ? -ETIMEDOUT : -errno;
		ret = rte_umr_queue_event_clear(umr->dev_id, 0);
		if (ret < 0)
			return ret;
	}
}

/* Configure the key with pieces of the region that the program registered. */
static int
umr_configure(const struct umr *umr, const struct app *app)
{
	struct rte_umr_seg segs[NB_PIECES];
	uint32_t i;
	int ret;

	for (i = 0; i < NB_PIECES; i++)
		segs[i] = (struct rte_umr_seg){
			.addr = (uintptr_t)app->rows + (NB_PIECES - 1 - i) * 3 * ROW_LEN,
			.length = ROW_LEN,
			.lkey = app->mr->lkey,
		};
	ret = rte_umr_mkey_list(umr->dev_id, 0, umr->mkey, RTE_UMR_ACCESS_REMOTE_READ, segs,
				NB_PIECES, RTE_UMR_OP_F_SUBMIT);
	return ret < 0 ? ret : umr_wait(umr);
}

/* Print a step; returns whether it succeeded. ret is an errno of either sign. */
static bool
step(const char *what, int ret, bool is_right)
{
	if (ret != 0)
		printf("%s: %s\n", what, strerror(abs(ret)));
	else
		printf("%s: %s\n", what, is_right ? "good" : "wrong bytes");
	return ret == 0 && is_right;
}

static bool
run(struct app *app, const char *name, const char *address)
{
	struct ibv_sge sge = { .length = LEN };
	struct umr umr = { .dev_id = -1 };
	bool is_good;
	int ret;

	if (!step("the program's connection", app_open(app, name, address), true) ||
	    !step("rte_umr on its context", umr_open(&umr, app), true))
		return false;
	ret = umr_configure(&umr, app);
	is_good = step("a key for its region", ret, true);
	/* One write of the program gathers the pieces; one read, as by a peer, does, too. */
	sge.lkey = umr.mkey->key;
	if (is_good) {
		ret = app_move(app, IBV_WR_RDMA_WRITE, sge, (uintptr_t)app->target, app->mr->rkey);
		is_good = step("its write through the key", ret, has_pieces(app));
	}
	sge.addr = (uintptr_t)app->target;
	sge.lkey = app->mr->lkey;
	if (is_good) {
		ret = app_move(app, IBV_WR_RDMA_READ, sge, 0, umr.mkey->key);
		is_good = step("a peer's read through the key", ret, has_pieces(app));
	}
	umr_close(&umr);
	/* Everything that the program had is still there. */
	sge.addr = (uintptr_t)app->rows;
	ret = app_move(app, IBV_WR_RDMA_WRITE, sge, (uintptr_t)app->target, app->mr->rkey);
	return step("its connection without rte_umr", ret,
		    memcmp(app->target, app->rows, LEN) == 0) && is_good;
}

int
main(int argc, char **argv)
{
	const char *name = NULL, *address = NULL;
	struct app app = { 0 };
	bool is_good;
	int ret;

	ret = rte_eal_init(argc, argv);
	if (ret < 0) {
		fprintf(stderr, "umr_verbs: EAL does not start: %s\n", rte_strerror(rte_errno));
		return EXIT_FAILURE;
	}
	argc -= ret;
	argv += ret;
	if (argc == 3 && strcmp(argv[1], "-a") == 0) {
		address = argv[2];
	} else if (argc <= 2) {
		name = argv[1];
	} else {
		fprintf(stderr, "usage: umr_verbs [EAL options] -- [device | -a ADDRESS]\n");
		return EXIT_FAILURE;
	}
	is_good = run(&app, name, address);
	app_close(&app);
	rte_eal_cleanup();
	return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
