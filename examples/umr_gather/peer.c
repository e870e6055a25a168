/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The same with two processes, on one host or two. The connecting process starts all transfers:
 *
 *   --connect                                       --listen
 *   greeting, address of the queue, memory  <---->  the same
 *   four rows by one write
 *                                     rows  ----->
 *                                           <-----  good: they have arrived
 *                                   column  ----->  configures a key for a column
 *                                           <-----  key NUMBER
 *   one read through it
 *                               invalidate  ----->  invalidates it
 *                                           <-----  good
 *   a read that fails
 *            recover, new address of the queue  <---->  the same
 *   rows again, then bye
 */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "channel.h"
#include "gather.h"

#define NAME "umr-gather"
#define VERSION 1
/* Time for the user to start the other process. */
#define WAIT_S 60

static int
failed(const char *why, int ret)
{
	fprintf(stderr, "%s\n", why);
	return ret;
}

/* Receive a response that starts with a word, and the number after it, if any. */
static int
answer_hear(struct channel *c, const char *word, uint32_t *number)
{
	char line[CHANNEL_MAX_LINE];
	const size_t len = strlen(word);
	int ret = channel_hear(c, line);

	if (ret != 0)
		return failed(c->why, ret);
	if (strncmp(line, word, len) != 0 ||
	    (number != NULL && sscanf(line + len, " %" SCNu32, number) != 1)) {
		channel_clean(line);
		fprintf(stderr, "%s says '%.100s', not '%s'\n", c->where, line, word);
		return -EPROTO;
	}
	return 0;
}

static int
word_send(struct channel *c, const char *word)
{
	const int ret = channel_printf(c, "%s", word);

	return ret == 0 ? 0 : failed(c->why, ret);
}

/* Exchange addresses with the other side and connect the queues. */
static int
queues_connect(struct gather *g, struct channel *c)
{
	struct rte_umr_endpoint local, remote;
	char digits[2 * sizeof(local) + 1], line[CHANNEL_MAX_LINE], heard[sizeof(digits)];
	int ret;

	ret = rte_umr_queue_endpoint_get(g->dev_id, QUEUE, &local);
	if (ret != 0)
		return ret;
	static_assert(sizeof(digits) == 129, "%128s below takes as many");
	channel_hex(digits, &local, sizeof(local));
	ret = channel_printf(c, "%s %" PRIu64 " %" PRIu32, digits, (uint64_t)(uintptr_t)g->target,
			   g->mr->rkey);
	if (ret == 0)
		ret = channel_hear(c, line);
	if (ret != 0)
		return failed(c->why, ret);
	if (sscanf(line, "%128s %" SCNu64 " %" SCNu32, heard, &g->remote.addr,
		   &g->remote.rkey) != 3 || channel_unhex(heard, &remote, sizeof(remote)) != 0)
		return failed("an invalid address", -EPROTO);
	ret = rte_umr_queue_connect(g->dev_id, QUEUE, &remote);
	/* Neither side sends before both are connected. */
	if (ret == 0)
		ret = word_send(c, "connected");
	return ret == 0 ? answer_hear(c, "connected", NULL) : ret;
}

/* Both sides are in error or connected to such a queue; recovery changes their addresses. */
static int
queues_recover(struct gather *g, struct channel *c)
{
	int ret = rte_umr_queue_recover(g->dev_id, QUEUE);

	return ret == 0 || ret == -EALREADY ? queues_connect(g, c) : ret;
}

static int
session_start(struct gather *g, struct channel *c)
{
	int ret;

	c->timeout_ms = TIMEOUT_S * 1000;
	ret = channel_greet(c, NAME, VERSION);
	return ret == 0 ? queues_connect(g, c) : failed(c->why, ret);
}

/* Execute a request of the other side; it ends with bye. */
static int
word_serve(struct gather *g, struct channel *c, struct rte_umr_mkey *mkey, char *word)
{
	int ret;

	if (strcmp(word, "rows") == 0) {
		ret = gather_report("rows, written by the peer", gather_rows_check(g, 1));
		return ret == 0 ? word_send(c, "good") : ret;
	}
	if (strcmp(word, "column") == 0) {
		ret = gather_column_configure(g, mkey);
		if (ret >= 0)
			ret = rte_umr_submit(g->dev_id, QUEUE);
		if (ret == 0)
			ret = gather_collect(g, 1);
		if (gather_report("column, a key for the peer", ret) != 0)
			return ret;
		ret = channel_printf(c, "key %" PRIu32, mkey->key);
		return ret == 0 ? 0 : failed(c->why, ret);
	}
	if (strcmp(word, "invalidate") == 0) {
		ret = rte_umr_mkey_invalidate(g->dev_id, QUEUE, mkey, RTE_UMR_OP_F_SUBMIT);
		if (ret >= 0)
			ret = gather_collect(g, 1);
		if (gather_report("the key, invalidated", ret) != 0)
			return ret;
		return word_send(c, "good");
	}
	if (strcmp(word, "recover") == 0)
		return gather_report("recovery", queues_recover(g, c));
	channel_clean(word);
	fprintf(stderr, "%s asks for '%.100s'\n", c->where, word);
	return -EPROTO;
}

static int
peer_serve(struct gather *g, struct channel *c)
{
	struct rte_umr_mkey *mkey = rte_umr_mkey_get(g->pool);
	char line[CHANNEL_MAX_LINE] = "";
	int ret;

	if (mkey == NULL)
		return -ENOBUFS;
	ret = gather_report("peer", session_start(g, c));
	while (ret == 0) {
		ret = channel_hear(c, line);
		if (ret != 0)
			failed(c->why, ret);
		else if (strcmp(line, "bye") == 0)
			break;
		else
			ret = word_serve(g, c, mkey, line);
	}
	rte_umr_mkey_put(g->pool, mkey);
	return ret;
}

int
gather_where_check(const char *where, bool is_listener)
{
	char why[CHANNEL_WHY_SIZE];
	int ret = channel_where_check(where, is_listener ? CHANNEL_LISTEN : CHANNEL_CONNECT, why);

	return ret == 0 ? 0 : failed(why, ret);
}

int
gather_listen(struct gather *g, const char *where)
{
	static struct channel listener, c;
	int ret;

	ret = channel_listen(&listener, where, WAIT_S * 1000);
	if (ret != 0)
		return failed(listener.why, ret);
	printf("listening on %s\n", listener.where);
	fflush(stdout);
	ret = channel_accept(&listener, &c);
	if (ret == 0) {
		ret = peer_serve(g, &c);
		channel_close(&c);
	} else {
		failed(listener.why, ret);
	}
	channel_close(&listener);
	return ret;
}

static int
rows_bring(struct gather *g, struct channel *c)
{
	int ret = gather_rows_write(g);

	if (ret == 0)
		ret = word_send(c, "rows");
	return ret == 0 ? answer_hear(c, "good", NULL) : ret;
}

static int
column_fetch(struct gather *g, struct channel *c, uint32_t *rkey)
{
	int ret = word_send(c, "column");

	if (ret == 0)
		ret = answer_hear(c, "key", rkey);
	if (ret == 0)
		ret = gather_read_through(g, *rkey, NB_ROWS * COLUMN_LEN);
	if (ret >= 0)
		ret = gather_collect(g, 1);
	return ret == 0 ? gather_column_check(g, 0) : ret;
}

/* Reads through an invalidated key fail; both sides recover afterwards. */
static int
use_after_invalidate(struct gather *g, struct channel *c, uint32_t rkey)
{
	int ret = word_send(c, "invalidate");

	if (ret == 0)
		ret = answer_hear(c, "good", NULL);
	if (ret == 0)
		ret = gather_read_through(g, rkey, COLUMN_LEN);
	if (ret >= 0)
		ret = gather_collect(g, 1);
	if (ret != -EIO)
		return ret == 0 ? -EBADMSG : ret;
	ret = word_send(c, "recover");
	return ret == 0 ? queues_recover(g, c) : ret;
}

static int
peer_use(struct gather *g, struct channel *c)
{
	uint32_t rkey = 0;
	int ret;

	ret = gather_report("peer", session_start(g, c));
	if (ret == 0)
		ret = gather_report("rows, one write", rows_bring(g, c));
	if (ret == 0)
		ret = gather_report("column, one read", column_fetch(g, c, &rkey));
	if (ret == 0)
		ret = gather_report("an invalidated key", use_after_invalidate(g, c, rkey));
	if (ret == 0)
		ret = gather_report("rows, after the error", rows_bring(g, c));
	return ret == 0 ? word_send(c, "bye") : ret;
}

int
gather_connect(struct gather *g, const char *where)
{
	static struct channel c;
	int ret;

	ret = channel_connect(&c, where, NULL, TIMEOUT_S * 1000);
	if (ret != 0)
		return failed(c.why, ret);
	ret = peer_use(g, &c);
	channel_close(&c);
	return ret;
}
