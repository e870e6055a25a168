/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include <jansson.h>

#include <rte_common.h>

#include "peer/server.h"
#include "peer/session.h"

/* Longest time without a request. */
#define SILENCE_MS	300000

struct peer_server {
	struct channel *channel;
	int16_t dev_id;
	bool is_open;
	struct peer_session session;
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

/* Get a required number of a request and check its range. */
static bool
number_get(struct peer_server *server, const json_t *request, const char *name, uint64_t max,
	   uint64_t *value)
{
	const json_t *member = json_object_get(request, name);

	if (!json_is_integer(member) || json_integer_value(member) < 0 ||
	    (uint64_t)json_integer_value(member) > max) {
		request_fail(server, "%s: not a number in [0, %" PRIu64 "]", name, max);
		return false;
	}
	*value = (uint64_t)json_integer_value(member);
	return true;
}

/* Get the numbers of an array of nb arrays: rows of nb_columns. */
static bool
rows_get(struct peer_server *server, const json_t *rows, uint32_t nb_columns, uint64_t *numbers)
{
	size_t nb = json_array_size(rows);
	const json_t *row, *number;
	size_t i, k;

	if (nb == 0 || nb > PEER_MAX_ENTRIES) {
		request_fail(server, "%zu entries, not in [1, %u]", nb, PEER_MAX_ENTRIES);
		return false;
	}
	json_array_foreach(rows, i, row) {
		if (json_array_size(row) != nb_columns) {
			request_fail(server, "entry %zu: not %u numbers", i, nb_columns);
			return false;
		}
		json_array_foreach(row, k, number) {
			if (!json_is_integer(number) || json_integer_value(number) < 0 ||
			    (k > 0 && json_integer_value(number) > UINT32_MAX)) {
				request_fail(server, "entry %zu: number %zu is invalid", i, k);
				return false;
			}
			*numbers++ = (uint64_t)json_integer_value(number);
		}
	}
	return true;
}

static json_t *
areas_to_json(const struct peer_session *s)
{
	json_t *areas = json_array(), *keys;

	for (uint32_t i = 0; i < s->nb_areas; i++) {
		const struct peer_area *area = &s->areas[i];

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
	struct peer_session_conf conf = { .nb_areas = (uint32_t)json_array_size(areas) };
	const struct rte_umr_dev_info *info = &server->session.info;
	uint64_t nb_keys, max_entries, nb_queues;
	size_t i;

	if (server->is_open)
		return request_fail(server, "it is open");
	if (conf.nb_areas == 0 || conf.nb_areas > PEER_MAX_AREAS)
		return request_fail(server, "areas: not in [1, %u]", PEER_MAX_AREAS);
	json_array_foreach(areas, i, size) {
		json_int_t value = json_integer_value(size);

		if (value <= 0 || value > PEER_MAX_AREA_SIZE || value % 8 != 0)
			return request_fail(server, "area %zu: not a multiple of 8 in [8, %u]", i,
					    PEER_MAX_AREA_SIZE);
		conf.sizes[i] = (uint32_t)value;
	}
	if (!number_get(server, request, "keys", PEER_MAX_KEYS, &nb_keys) ||
	    !number_get(server, request, "entries", PEER_MAX_ENTRIES, &max_entries) ||
	    !number_get(server, request, "queues", PEER_MAX_QUEUES, &nb_queues))
		return NULL;
	conf.nb_keys = (uint32_t)nb_keys;
	conf.max_entries = (uint32_t)max_entries;
	/* Requests that configure keys use the first queue. */
	conf.nb_queues = (uint32_t)RTE_MAX(nb_queues, 1u);
	if (peer_session_open(&server->session, server->dev_id, &conf) != 0)
		return request_fail(server, "%s", server->session.why);
	server->is_open = true;
	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:o}", "device", info->dev_name, "capa",
			 (json_int_t)info->dev_capa, "access", (json_int_t)info->access_capa,
			 "max_list_inline", (json_int_t)info->max_list_inline,
			 "max_interleaved_inline", (json_int_t)info->max_interleaved_inline,
			 "max_nesting", (json_int_t)info->max_nesting, "areas",
			 areas_to_json(&server->session));
}

static json_t *
request_connect(struct peer_server *server, json_t *request)
{
	const char *text = json_string_value(json_object_get(request, "endpoint"));
	char digits[2 * sizeof(struct rte_umr_endpoint) + 1];
	struct rte_umr_endpoint remote, local;
	uint64_t queue;

	if (text == NULL || channel_unhex(text, &remote, sizeof(remote)) != 0)
		return request_fail(server, "endpoint: not %zu hexadecimal digits",
				    2 * sizeof(remote));
	if (!number_get(server, request, "queue", PEER_MAX_QUEUES, &queue))
		return NULL;
	if (peer_session_connect(&server->session, (uint32_t)queue, &remote, &local) != 0)
		return request_fail(server, "%s", server->session.why);
	channel_hex(digits, &local, sizeof(local));
	return json_pack("{s:s}", "endpoint", digits);
}

/* Get a range of an area. */
static uint8_t *
range_get(struct peer_server *server, const json_t *request, uint32_t *len)
{
	const struct peer_area *area;
	uint64_t index, offset, nb;

	if (!number_get(server, request, "area", server->session.nb_areas - 1, &index))
		return NULL;
	area = &server->session.areas[index];
	if (!number_get(server, request, "offset", area->size, &offset) ||
	    !number_get(server, request, "len", area->size - offset, &nb))
		return NULL;
	*len = (uint32_t)nb;
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
	const struct peer_area *area;
	char text[17];
	uint64_t index;

	if (!number_get(server, request, "area", server->session.nb_areas - 1, &index))
		return NULL;
	area = &server->session.areas[index];
	snprintf(text, sizeof(text), "%016" PRIx64, peer_sum_of(area->memory, area->size));
	return json_pack("{s:s}", "sum", text);
}

static json_t *
request_take(struct peer_server *server, json_t *request)
{
	struct peer_session *s = &server->session;
	json_t *keys;
	uint64_t nb;

	if (!number_get(server, request, "nb", PEER_MAX_KEYS, &nb))
		return NULL;
	if (peer_session_take(s, (uint32_t)nb) != 0)
		return request_fail(server, "%s", s->why);
	keys = json_array();
	for (uint32_t i = 0; i < s->nb_taken; i++)
		json_array_append_new(keys, json_integer(s->taken[i]->key));
	return json_pack("{s:o}", "keys", keys);
}

static json_t *
request_give(struct peer_server *server, json_t *request)
{
	RTE_SET_USED(request);
	peer_session_give(&server->session);
	return json_object();
}

static json_t *
answer_of(struct peer_server *server, int ret)
{
	return ret == 0 ? json_object() : request_fail(server, "%s", server->session.why);
}

static json_t *
request_leave(struct peer_server *server, json_t *request)
{
	uint64_t queue;

	if (!number_get(server, request, "queue", PEER_MAX_QUEUES, &queue))
		return NULL;
	return answer_of(server, peer_session_leave(&server->session, (uint32_t)queue));
}

static json_t *
request_list(struct peer_server *server, json_t *request)
{
	const json_t *rows = json_object_get(request, "entries");
	uint64_t numbers[PEER_MAX_ENTRIES][3], key, access;
	struct rte_umr_seg segs[PEER_MAX_ENTRIES];

	if (!number_get(server, request, "key", PEER_MAX_KEYS, &key) ||
	    !number_get(server, request, "access", UINT32_MAX, &access) ||
	    !rows_get(server, rows, RTE_DIM(numbers[0]), numbers[0]))
		return NULL;
	for (size_t i = 0; i < json_array_size(rows); i++)
		segs[i] = (struct rte_umr_seg){
			.addr = numbers[i][0],
			.length = (uint32_t)numbers[i][1],
			.lkey = (uint32_t)numbers[i][2],
		};
	return answer_of(server, peer_session_list(&server->session, (uint32_t)key,
						   (uint32_t)access, segs,
						   (uint32_t)json_array_size(rows)));
}

static json_t *
request_interleaved(struct peer_server *server, json_t *request)
{
	const json_t *rows = json_object_get(request, "entries");
	uint64_t numbers[PEER_MAX_ENTRIES][4], key, access, repeat;
	struct rte_umr_interleaved entries[PEER_MAX_ENTRIES] = { 0 };

	if (!number_get(server, request, "key", PEER_MAX_KEYS, &key) ||
	    !number_get(server, request, "access", UINT32_MAX, &access) ||
	    !number_get(server, request, "repeat", UINT32_MAX, &repeat) ||
	    !rows_get(server, rows, RTE_DIM(numbers[0]), numbers[0]))
		return NULL;
	for (size_t i = 0; i < json_array_size(rows); i++) {
		entries[i].addr = numbers[i][0];
		entries[i].bytes_count = (uint32_t)numbers[i][1];
		entries[i].bytes_skip = (uint32_t)numbers[i][2];
		entries[i].lkey = (uint32_t)numbers[i][3];
	}
	return answer_of(server, peer_session_interleaved(&server->session, (uint32_t)key,
							  (uint32_t)access, (uint32_t)repeat,
							  entries,
							  (uint32_t)json_array_size(rows)));
}

static json_t *
request_invalidate(struct peer_server *server, json_t *request)
{
	uint64_t key;

	if (!number_get(server, request, "key", PEER_MAX_KEYS, &key))
		return NULL;
	return answer_of(server, peer_session_invalidate(&server->session, (uint32_t)key));
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
		peer_session_close(&server.session);
	if (ret == 0 || ret == -ECANCELED)
		return true;
	tool_error("serve: %s", server.is_lost ? server.why : channel->why);
	return false;
}
