/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>

#include <jansson.h>

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_malloc.h>

#include "peer/proto.h"

/* Longest time without a request. */
#define SILENCE_MS	300000
/* The queue that configures keys. */
#define KEY_QUEUE	0
#define NB_DESC		256u

struct area {
	uint8_t *memory;
	uint32_t size;
	struct rte_umr_mr *mrs[PEER_NB_MRS];
	struct rte_umr_mr *closed;	/* Without remote access. */
};

/* What the client asks for at first. */
struct wanted {
	uint32_t nb_areas;
	uint32_t sizes[PEER_MAX_AREAS];	/* Bytes. */
	uint32_t nb_keys;
	uint32_t max_entries;
	uint32_t nb_queues;
};

/* The channel to a client, and its objects: queues, memory, keys. */
struct peer_server {
	struct channel *channel;
	int16_t dev_id;
	bool is_open;
	struct rte_umr_dev_info info;
	uint32_t nb_queues;
	uint32_t nb_areas;
	struct area areas[PEER_MAX_AREAS];
	struct rte_umr_mkey_pool *pool;
	uint32_t nb_taken;
	struct rte_umr_mkey *taken[PEER_MAX_KEYS];
	const uint8_t *tail;	/* Bytes after the response; NULL: none. */
	uint32_t tail_len;
	bool is_lost;		/* The next bytes from the client are not a request. */
	char why[CHANNEL_WHY_SIZE];	/* Reason of a failed request. */
};

/* A request; returns its response, or NULL with a reason. */
typedef json_t *(*request_fn)(struct peer_server *server, json_t *request);

static json_t * __attribute__((format(printf, 2, 3)))
request_fail(struct peer_server *server, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(server->why, sizeof(server->why), format, args);
	va_end(args);
	/* The text may contain data from the client, even part of a character. */
	channel_clean(server->why);
	return NULL;
}

/* The same for functions that return bool. */
#define FAIL(...)	(request_fail(__VA_ARGS__) != NULL)

/* Get a required number of a request and check its range. */
static bool
number_get(struct peer_server *server, const json_t *request, const char *name, uint32_t max,
	   uint32_t *value)
{
	const json_t *member = json_object_get(request, name);

	if (!json_is_integer(member) || json_integer_value(member) < 0 ||
	    json_integer_value(member) > max)
		return FAIL(server, "%s: not a number in [0, %u]", name, max);
	*value = (uint32_t)json_integer_value(member);
	return true;
}

/* Get the numbers of an array of nb arrays: rows of nb_columns. */
static bool
rows_get(struct peer_server *server, const json_t *rows, uint32_t nb_columns, uint64_t *numbers)
{
	size_t nb = json_array_size(rows);
	const json_t *row, *number;
	size_t i, k;

	if (nb == 0 || nb > PEER_MAX_ENTRIES)
		return FAIL(server, "%zu entries, not in [1, %u]", nb, PEER_MAX_ENTRIES);
	json_array_foreach(rows, i, row) {
		if (json_array_size(row) != nb_columns)
			return FAIL(server, "entry %zu: not %u numbers", i, nb_columns);
		json_array_foreach(row, k, number) {
			if (!json_is_integer(number) || json_integer_value(number) < 0 ||
			    (k > 0 && json_integer_value(number) > UINT32_MAX))
				return FAIL(server, "entry %zu: number %zu is invalid", i, k);
			*numbers++ = (uint64_t)json_integer_value(number);
		}
	}
	return true;
}

static bool
mr_create(struct peer_server *server, const struct area *area, uint32_t access,
	  struct rte_umr_mr **mr)
{
	*mr = rte_umr_mr_register(server->dev_id, &(struct rte_umr_mr_conf){
		.addr = area->memory, .len = area->size, .access = access });
	return *mr != NULL || FAIL(server, "registering %u bytes: %s", area->size,
				   rte_strerror(rte_errno));
}

static bool
area_create(struct peer_server *server, struct area *area, uint32_t size)
{
	area->memory = rte_zmalloc("peer area", size, 4096);
	area->size = size;
	if (area->memory == NULL)
		return FAIL(server, "no memory for %u bytes", size);
	for (uint32_t i = 0; i < PEER_NB_MRS; i++)
		if (!mr_create(server, area, server->info.access_capa, &area->mrs[i]))
			return false;
	return mr_create(server, area, RTE_UMR_ACCESS_LOCAL_WRITE, &area->closed);
}

static bool
memory_create(struct peer_server *server, const struct wanted *wanted)
{
	const struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = wanted->nb_keys,
		.max_entries = RTE_MIN(wanted->max_entries, server->info.max_entries),
		.socket_id = SOCKET_ID_ANY,
	};

	/* Count an incomplete area, too, so that it is freed. */
	while (server->nb_areas < wanted->nb_areas) {
		const uint32_t i = server->nb_areas++;

		if (!area_create(server, &server->areas[i], wanted->sizes[i]))
			return false;
	}
	server->pool = rte_umr_mkey_pool_create(server->dev_id, &pool_conf);
	return server->pool != NULL || FAIL(server, "creating %u keys of %u entries: %s",
					    wanted->nb_keys, wanted->max_entries,
					    rte_strerror(rte_errno));
}

static bool
queues_create(struct peer_server *server, uint32_t nb)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = (uint16_t)nb };
	const struct rte_umr_dev_info *info = &server->info;
	const struct rte_umr_queue_conf conf = {
		.transport = RTE_UMR_TRANSPORT_RC,
		.nb_desc = (uint16_t)RTE_MAX(RTE_MIN(NB_DESC, info->max_desc), info->min_desc),
		.socket_id = SOCKET_ID_ANY,
	};
	int ret = rte_umr_dev_configure(server->dev_id, &dev_conf);

	for (uint32_t i = 0; ret == 0 && i < nb; i++)
		ret = rte_umr_queue_setup(server->dev_id, (uint16_t)i, &conf);
	if (ret == 0)
		ret = rte_umr_dev_start(server->dev_id);
	if (ret != 0)
		return FAIL(server, "%u queues of %s: %s", nb, info->dev_name, rte_strerror(-ret));
	server->nb_queues = nb;
	return true;
}

static void
keys_give(struct peer_server *server)
{
	if (server->nb_taken != 0)
		rte_umr_mkey_put_bulk(server->pool, server->taken, server->nb_taken);
	server->nb_taken = 0;
}

static void
objects_destroy(struct peer_server *server)
{
	rte_umr_dev_stop(server->dev_id);
	keys_give(server);
	rte_umr_mkey_pool_destroy(server->pool);
	server->pool = NULL;
	for (struct area *area = server->areas; server->nb_areas > 0; area++, server->nb_areas--) {
		for (uint32_t i = 0; i < PEER_NB_MRS; i++)
			rte_umr_mr_deregister(area->mrs[i]);
		rte_umr_mr_deregister(area->closed);
		rte_free(area->memory);
		*area = (struct area){ 0 };
	}
}

static bool
objects_create(struct peer_server *server, const struct wanted *wanted)
{
	const uint64_t needed = RTE_UMR_CAPA_RC | RTE_UMR_CAPA_MKEY_LIST;
	int ret = rte_umr_dev_info_get(server->dev_id, &server->info);

	if (ret != 0)
		return FAIL(server, "device %d: %s", server->dev_id, rte_strerror(-ret));
	if ((server->info.dev_capa & needed) != needed)
		return FAIL(server, "%s lacks RC or lists", server->info.dev_name);
	if (memory_create(server, wanted) && queues_create(server, wanted->nb_queues))
		return true;
	objects_destroy(server);
	return false;
}

static json_t *
areas_to_json(const struct peer_server *server)
{
	json_t *areas = json_array(), *keys;

	for (const struct area *area = server->areas; area != &server->areas[server->nb_areas];
	     area++) {
		keys = json_array();
		for (uint32_t m = 0; m < PEER_NB_MRS; m++)
			json_array_append_new(keys, json_pack("[I, I]",
					      (json_int_t)area->mrs[m]->lkey,
					      (json_int_t)area->mrs[m]->rkey));
		json_array_append_new(areas, json_pack("{s:I, s:o, s:[I, I]}", "addr",
				      (json_int_t)(uintptr_t)area->memory, "keys", keys, "closed",
				      (json_int_t)area->closed->lkey,
				      (json_int_t)area->closed->rkey));
	}
	return areas;
}

static json_t *
request_open(struct peer_server *server, json_t *request)
{
	const json_t *areas = json_object_get(request, "areas"), *size;
	struct wanted wanted = { .nb_areas = (uint32_t)json_array_size(areas) };
	const struct rte_umr_dev_info *info = &server->info;
	size_t i;

	if (server->is_open)
		return request_fail(server, "it is open");
	if (wanted.nb_areas == 0 || wanted.nb_areas > PEER_MAX_AREAS)
		return request_fail(server, "areas: not in [1, %u]", PEER_MAX_AREAS);
	json_array_foreach(areas, i, size) {
		json_int_t value = json_integer_value(size);

		if (value <= 0 || value > PEER_MAX_AREA_SIZE || value % 8 != 0)
			return request_fail(server, "area %zu: not a multiple of 8 in [8, %u]", i,
					    PEER_MAX_AREA_SIZE);
		wanted.sizes[i] = (uint32_t)value;
	}
	if (!number_get(server, request, "keys", PEER_MAX_KEYS, &wanted.nb_keys) ||
	    !number_get(server, request, "entries", PEER_MAX_ENTRIES, &wanted.max_entries) ||
	    !number_get(server, request, "queues", PEER_MAX_QUEUES, &wanted.nb_queues))
		return NULL;
	wanted.nb_queues = RTE_MAX(wanted.nb_queues, KEY_QUEUE + 1u);
	if (!objects_create(server, &wanted))
		return NULL;
	server->is_open = true;
	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:o}", "device", info->dev_name, "capa",
			 (json_int_t)info->dev_capa, "access", (json_int_t)info->access_capa,
			 "max_list_inline", (json_int_t)info->max_list_inline,
			 "max_interleaved_inline", (json_int_t)info->max_interleaved_inline,
			 "max_nesting", (json_int_t)info->max_nesting, "areas",
			 areas_to_json(server));
}

/*
 * Disconnect a queue from its peer: collect outstanding operations, whatever their status, until
 * the queue leaves the error state.
 */
static bool
queue_leave(struct peer_server *server, const json_t *request, uint16_t *queue_id)
{
	const uint64_t deadline = rte_get_timer_cycles() +
				  rte_get_timer_hz() * PEER_TIMEOUT_MS / 1000;
	struct rte_umr_completion done;
	uint32_t queue;
	int ret;

	if (!number_get(server, request, "queue", PEER_MAX_QUEUES, &queue))
		return false;
	if (queue >= server->nb_queues)
		return FAIL(server, "queue %u: there are %u", queue, server->nb_queues);
	*queue_id = (uint16_t)queue;
	while ((ret = rte_umr_queue_recover(server->dev_id, *queue_id)) == -EBUSY &&
	       rte_get_timer_cycles() < deadline)
		if (rte_umr_completed_status(server->dev_id, *queue_id, 1, &done) == 0)
			sched_yield();
	return ret == 0 || ret == -EALREADY ||
	       FAIL(server, "recovering queue %u: %s", queue, rte_strerror(-ret));
}

static json_t *
request_leave(struct peer_server *server, json_t *request)
{
	uint16_t queue_id;

	return queue_leave(server, request, &queue_id) ? json_object() : NULL;
}

/* Disconnect a queue and connect it again, which changes its address. */
static json_t *
request_connect(struct peer_server *server, json_t *request)
{
	const char *text = json_string_value(json_object_get(request, "endpoint"));
	char digits[2 * sizeof(struct rte_umr_endpoint) + 1];
	struct rte_umr_endpoint remote, local;
	uint16_t queue_id;
	int ret;

	if (text == NULL || channel_unhex(text, &remote, sizeof(remote)) != 0)
		return request_fail(server, "endpoint: not %zu hexadecimal digits",
				    2 * sizeof(remote));
	if (!queue_leave(server, request, &queue_id))
		return NULL;
	ret = rte_umr_queue_endpoint_get(server->dev_id, queue_id, &local);
	if (ret == 0 && local.link_layer != remote.link_layer)
		return request_fail(server, "the client's device has another link layer");
	if (ret == 0)
		ret = rte_umr_queue_connect(server->dev_id, queue_id, &remote);
	if (ret != 0)
		return request_fail(server, "connecting: %s", rte_strerror(-ret));
	channel_hex(digits, &local, sizeof(local));
	return json_pack("{s:s}", "endpoint", digits);
}

static struct area *
area_get(struct peer_server *server, const json_t *request)
{
	uint32_t index;

	return number_get(server, request, "area", server->nb_areas - 1, &index) ?
	       &server->areas[index] : NULL;
}

/* Get a range of an area. */
static uint8_t *
range_get(struct peer_server *server, const json_t *request, uint32_t *len)
{
	const struct area *area = area_get(server, request);
	uint32_t offset;

	if (area == NULL || !number_get(server, request, "offset", area->size, &offset) ||
	    !number_get(server, request, "len", area->size - offset, len))
		return NULL;
	return area->memory + offset;
}

static json_t *
request_put(struct peer_server *server, json_t *request)
{
	uint32_t len;
	uint8_t *to = range_get(server, request, &len);

	/* The client sends the bytes in any case. */
	server->is_lost = to == NULL;
	if (to == NULL)
		return NULL;
	if (channel_recv(server->channel, to, len) != 0)
		return request_fail(server, "%s", server->channel->why);
	return json_object();
}

static json_t *
request_get(struct peer_server *server, json_t *request)
{
	server->tail = range_get(server, request, &server->tail_len);
	return server->tail != NULL ? json_object() : NULL;
}

static json_t *
request_sum(struct peer_server *server, json_t *request)
{
	const struct area *area = area_get(server, request);
	char text[17];

	if (area == NULL)
		return NULL;
	snprintf(text, sizeof(text), "%016" PRIx64, peer_sum_of(area->memory, area->size));
	return json_pack("{s:s}", "sum", text);
}

static json_t *
request_take(struct peer_server *server, json_t *request)
{
	json_t *keys;
	uint32_t nb;

	if (!number_get(server, request, "nb", PEER_MAX_KEYS, &nb))
		return NULL;
	if (server->nb_taken != 0 || nb == 0)
		return request_fail(server, "%u keys, beside %u that are taken; at most %u", nb,
				    server->nb_taken, PEER_MAX_KEYS);
	if (rte_umr_mkey_get_bulk(server->pool, server->taken, nb) != 0)
		return request_fail(server, "there are no %u keys", nb);
	server->nb_taken = nb;
	keys = json_array();
	for (uint32_t i = 0; i < nb; i++)
		json_array_append_new(keys, json_integer(server->taken[i]->key));
	return json_pack("{s:o}", "keys", keys);
}

static json_t *
request_give(struct peer_server *server, json_t *request)
{
	RTE_SET_USED(request);
	keys_give(server);
	return json_object();
}

/* Get a taken key. */
static struct rte_umr_mkey *
key_get(struct peer_server *server, const json_t *request)
{
	uint32_t key;

	if (!number_get(server, request, "key", PEER_MAX_KEYS, &key))
		return NULL;
	if (key < server->nb_taken)
		return server->taken[key];
	request_fail(server, "key %u: %u are taken", key, server->nb_taken);
	return NULL;
}

/* Submit the operation that an enqueue function returned, and wait for it. */
static json_t *
op_finish(struct peer_server *server, int ret, const char *what)
{
	const uint64_t deadline = rte_get_timer_cycles() +
				  rte_get_timer_hz() * PEER_TIMEOUT_MS / 1000;
	struct rte_umr_completion done;

	if (ret >= 0)
		ret = rte_umr_submit(server->dev_id, KEY_QUEUE);
	if (ret < 0)
		return request_fail(server, "%s was rejected: %s", what, rte_strerror(-ret));
	while (rte_umr_completed_status(server->dev_id, KEY_QUEUE, 1, &done) == 0) {
		if (rte_get_timer_cycles() > deadline)
			return request_fail(server, "%s did not complete within %d ms", what,
					    PEER_TIMEOUT_MS);
		/* A software device needs a CPU, too. */
		sched_yield();
	}
	if (done.status != RTE_UMR_STATUS_SUCCESS)
		return request_fail(server, "%s ended with '%s', syndrome 0x%02x", what,
				    rte_umr_status_name(done.status), done.syndrome);
	return json_object();
}

static json_t *
layout_configure(struct peer_server *server, json_t *request, bool is_list)
{
	const json_t *rows = json_object_get(request, "entries");
	const uint32_t nb_columns = is_list ? 3 : 4;
	struct rte_umr_seg segs[PEER_MAX_ENTRIES];
	struct rte_umr_interleaved entries[PEER_MAX_ENTRIES];
	uint64_t numbers[PEER_MAX_ENTRIES * 4], *n = numbers;
	uint32_t access, repeat = 0, nb;
	struct rte_umr_mkey *mkey;

	if (!number_get(server, request, "access", UINT32_MAX, &access) ||
	    (!is_list && !number_get(server, request, "repeat", UINT32_MAX, &repeat)) ||
	    !rows_get(server, rows, nb_columns, numbers))
		return NULL;
	mkey = key_get(server, request);
	if (mkey == NULL)
		return NULL;
	nb = (uint32_t)json_array_size(rows);
	for (uint32_t i = 0; i < nb; i++, n += nb_columns) {
		segs[i] = (struct rte_umr_seg){ n[0], (uint32_t)n[1], (uint32_t)n[2] };
		entries[i] = (struct rte_umr_interleaved){
			.addr = n[0], .bytes_count = (uint32_t)n[1], .bytes_skip = (uint32_t)n[2],
			.lkey = is_list ? 0 : (uint32_t)n[3],
		};
	}
	if (is_list)
		return op_finish(server, rte_umr_mkey_list(server->dev_id, KEY_QUEUE, mkey, access,
							   segs, nb, 0), "list");
	return op_finish(server, rte_umr_mkey_interleaved(server->dev_id, KEY_QUEUE, mkey, access,
							  repeat, entries, nb, 0), "interleaved");
}

static json_t *
request_list(struct peer_server *server, json_t *request)
{
	return layout_configure(server, request, true);
}

static json_t *
request_interleaved(struct peer_server *server, json_t *request)
{
	return layout_configure(server, request, false);
}

static json_t *
request_invalidate(struct peer_server *server, json_t *request)
{
	struct rte_umr_mkey *mkey = key_get(server, request);

	if (mkey == NULL)
		return NULL;
	return op_finish(server, rte_umr_mkey_invalidate(server->dev_id, KEY_QUEUE, mkey, 0),
			 "invalidate");
}

static const struct {
	const char *name;
	request_fn fn;
} requests[] = {
	{ "open", request_open },
	{ "connect", request_connect },
	{ "leave", request_leave },
	{ "put", request_put },
	{ "get", request_get },
	{ "sum", request_sum },
	{ "take", request_take },
	{ "give", request_give },
	{ "list", request_list },
	{ "interleaved", request_interleaved },
	{ "invalidate", request_invalidate },
};

static json_t *
request_do(struct peer_server *server, const char *line)
{
	json_error_t error;
	json_t *request = json_loads(line, JSON_REJECT_DUPLICATES, &error), *answer = NULL;
	const char *name = json_string_value(json_object_get(request, "do"));
	size_t i = 0;

	if (request == NULL)
		return request_fail(server, "no JSON: %s", error.text);
	while (name != NULL && i < RTE_DIM(requests) && strcmp(requests[i].name, name) != 0)
		i++;
	if (name == NULL || i == RTE_DIM(requests))
		request_fail(server, "'%.40s' is not a request", name != NULL ? name : line);
	else if (!server->is_open && requests[i].fn != request_open)
		request_fail(server, "%s: open comes first", name);
	else
		answer = requests[i].fn(server, request);
	json_decref(request);
	return answer;
}

static int
answer_send(struct peer_server *server, json_t *answer)
{
	char *text;
	int ret;

	if (answer == NULL)
		answer = json_pack("{s:s}", "error", server->why);
	text = json_dumps(answer, JSON_COMPACT);
	json_decref(answer);
	if (text == NULL) {
		server->is_lost = true;
		request_fail(server, "out of memory");
		return -ENOMEM;
	}
	ret = channel_printf(server->channel, "%s", text);
	free(text);
	if (ret == 0 && server->is_lost)
		return -EPROTO;
	if (ret == 0 && server->tail != NULL)
		ret = channel_send(server->channel, server->tail, server->tail_len);
	return ret;
}

static int
line_hear(struct channel *channel, char *line)
{
	int ret;

	channel->timeout_ms = SILENCE_MS;
	ret = channel_hear(channel, line);
	channel->timeout_ms = PEER_TIMEOUT_MS;
	return ret;
}

static int
requests_serve(struct peer_server *server)
{
	char line[CHANNEL_MAX_LINE];
	json_t *answer;
	int ret;

	for (;;) {
		ret = line_hear(server->channel, line);
		/* A client may disconnect between requests, but not within a line. */
		if (ret == -ECONNRESET && server->channel->nb_in == 0)
			return 0;
		if (ret != 0)
			return ret;
		server->tail = NULL;
		answer = request_do(server, line);
		if (answer == NULL)
			tool_error("serve: %s: %s", server->channel->where, server->why);
		ret = answer_send(server, answer);
		if (ret != 0)
			return ret;
	}
}

bool
peer_serve(struct channel *channel, int16_t dev_id)
{
	struct peer_server server = { .channel = channel, .dev_id = dev_id };
	int ret;

	channel->timeout_ms = PEER_TIMEOUT_MS;
	ret = channel_greet(channel, PEER_PROTO_NAME, PEER_PROTO_VERSION);
	if (ret == 0)
		ret = requests_serve(&server);
	if (server.is_open)
		objects_destroy(&server);
	if (ret == 0 || ret == -ECANCELED)
		return true;
	tool_error("serve: %s", server.is_lost ? server.why : channel->why);
	return false;
}
