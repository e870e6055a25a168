/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include <jansson.h>

#include <rte_errno.h>

#include "peer/client.h"

static bool __attribute__((format(printf, 2, 3)))
peer_fail(struct peer *peer, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(peer->why, sizeof(peer->why), format, args);
	va_end(args);
	channel_clean(peer->why);
	return false;
}

static bool
channel_failed(struct peer *peer)
{
	return peer_fail(peer, "%s", peer->channel.why);
}

/* Send a request, which is released, and its data. */
static bool
request_send(struct peer *peer, json_t *request, const void *tail, uint32_t len)
{
	char *text = request != NULL ? json_dumps(request, JSON_COMPACT) : NULL;
	bool is_sent;

	json_decref(request);
	if (text == NULL)
		return peer_fail(peer, "out of memory");
	is_sent = channel_printf(&peer->channel, "%s", text) == 0 &&
		  (tail == NULL || channel_send(&peer->channel, tail, len) == 0);
	free(text);
	return is_sent || channel_failed(peer);
}

/*
 * Receive the response to a request; NULL with a reason if the server failed. The caller frees it.
 */
static json_t *
answer_get(struct peer *peer)
{
	char line[CHANNEL_MAX_LINE];
	json_error_t error;
	json_t *answer;
	const char *why;

	if (channel_hear(&peer->channel, line) != 0) {
		channel_failed(peer);
		return NULL;
	}
	answer = json_loads(line, JSON_REJECT_DUPLICATES, &error);
	if (!json_is_object(answer)) {
		peer_fail(peer, "%s: not an answer: %s", peer->channel.where, error.text);
		json_decref(answer);
		return NULL;
	}
	why = json_string_value(json_object_get(answer, "error"));
	if (why == NULL)
		return answer;
	peer_fail(peer, "%s: %.200s", peer->channel.where, why);
	json_decref(answer);
	return NULL;
}

static json_t *
peer_ask(struct peer *peer, json_t *request, const void *tail, uint32_t len)
{
	return request_send(peer, request, tail, len) ? answer_get(peer) : NULL;
}

/* Execute a request without results. */
static bool
peer_do(struct peer *peer, json_t *request, const void *tail, uint32_t len)
{
	json_t *answer = peer_ask(peer, request, tail, len);

	json_decref(answer);
	return answer != NULL;
}

/* Parse a limit of the device of the server, used to generate cases. */
static bool
limit_parse(struct peer *peer, const json_t *answer, const char *name, json_int_t min,
	    uint16_t *limit)
{
	const json_t *member = json_object_get(answer, name);
	const json_int_t value = json_integer_value(member);

	if (!json_is_integer(member) || value < min || value > UINT16_MAX)
		return peer_fail(peer, "%s: %s of its device: not a number in [%d, %u]",
				 peer->channel.where, name, (int)min, UINT16_MAX);
	*limit = (uint16_t)value;
	return true;
}

/* Parse the information about the device of the server. */
static bool
info_parse(struct peer *peer, json_t *answer)
{
	struct rte_umr_dev_info *info = &peer->info;
	json_int_t capa, access;
	const char *name;

	if (json_unpack(answer, "{s:s, s:I, s:I}", "device", &name, "capa", &capa, "access",
			&access) != 0)
		return peer_fail(peer, "%s: a field of its answer is missing",
				 peer->channel.where);
	snprintf(info->dev_name, sizeof(info->dev_name), "peer's %.*s",
		 (int)sizeof(info->dev_name) - 8, name);
	channel_clean(info->dev_name);
	info->dev_capa = (uint64_t)capa;
	info->access_capa = (uint32_t)access;
	return limit_parse(peer, answer, "max_list_inline", 1, &info->max_list_inline) &&
	       limit_parse(peer, answer, "max_interleaved_inline",
			   (info->dev_capa & RTE_UMR_CAPA_MKEY_INTERLEAVED) != 0,
			   &info->max_interleaved_inline) &&
	       limit_parse(peer, answer, "max_nesting", 0, &info->max_nesting);
}

/* Parse the addresses of the memory of the server. */
static bool
areas_parse(struct peer *peer, json_t *answer, uint32_t nb_areas)
{
	json_t *areas = json_object_get(answer, "areas");
	json_int_t addr, lkey, rkey, closed;

	for (uint32_t i = 0; i < nb_areas; i++)
		for (uint32_t k = 0; k < PEER_NB_MRS; k++) {
			json_t *area = json_array_get(areas, i);
			json_t *keys = json_array_get(json_object_get(area, "keys"), k);

			if (json_unpack(area, "{s:I, s:[I, I]}", "addr", &addr, "closed", &lkey,
					&closed) != 0 ||
			    json_unpack(keys, "[I, I]", &lkey, &rkey) != 0)
				return peer_fail(peer, "%s: area %u is missing",
						 peer->channel.where, i);
			peer->areas[i].addr = (uint64_t)addr;
			peer->areas[i].lkeys[k] = (uint32_t)lkey;
			peer->areas[i].rkeys[k] = (uint32_t)rkey;
			peer->areas[i].closed_rkey = (uint32_t)closed;
		}
	return true;
}

static bool
session_open(struct peer *peer, const uint32_t *sizes, uint32_t nb_areas, uint32_t nb_queues)
{
	json_t *areas = json_array(), *answer;
	bool is_ok;

	for (uint32_t i = 0; i < nb_areas; i++) {
		json_array_append_new(areas, json_integer(sizes[i]));
		peer->areas[i].size = sizes[i];
	}
	answer = peer_ask(peer, json_pack("{s:s, s:o, s:I, s:I, s:I}", "do", "open", "areas", areas,
					  "keys", (json_int_t)PEER_MAX_KEYS, "entries",
					  (json_int_t)PEER_MAX_ENTRIES, "queues",
					  (json_int_t)nb_queues), NULL, 0);
	is_ok = answer != NULL && info_parse(peer, answer) && areas_parse(peer, answer, nb_areas);
	json_decref(answer);
	return is_ok;
}

bool
peer_where_check(const char *where)
{
	char why[CHANNEL_WHY_SIZE];

	if (channel_where_check(where, CHANNEL_CONNECT_DEFAULT, why) == 0)
		return true;
	tool_error("--peer: %s", why);
	return false;
}

struct peer *
peer_open(const char *command, const char *where, const uint32_t *sizes, uint32_t nb_areas,
	  uint32_t nb_queues)
{
	struct peer *peer = tool_calloc(command, 1, sizeof(*peer));
	bool is_ok;

	if (peer == NULL)
		return NULL;
	is_ok = channel_connect(&peer->channel, where, PEER_DEFAULT_PORT, PEER_CONNECT_MS) == 0;
	peer->channel.timeout_ms = PEER_TIMEOUT_MS;
	is_ok = is_ok &&
		channel_greet(&peer->channel, PEER_PROTO_NAME, PEER_PROTO_VERSION) == 0;
	if (!is_ok)
		channel_failed(peer);
	if (is_ok && session_open(peer, sizes, nb_areas, nb_queues))
		return peer;
	tool_error("%s: --peer %s: %s", command, where, peer->why);
	peer_close(peer);
	return NULL;
}

void
peer_close(struct peer *peer)
{
	if (peer != NULL)
		channel_close(&peer->channel);
	free(peer);
}

static bool
answer_connect(struct peer *peer, json_t *answer, int16_t dev_id, uint16_t queue_id)
{
	const char *text = json_string_value(json_object_get(answer, "endpoint"));
	struct rte_umr_endpoint remote;
	int ret;

	if (text == NULL || channel_unhex(text, &remote, sizeof(remote)) != 0)
		return peer_fail(peer, "%s: it sent an invalid endpoint", peer->channel.where);
	ret = rte_umr_queue_connect(dev_id, queue_id, &remote);
	return ret == 0 || peer_fail(peer, "connecting to the queue of %s: %s",
				     peer->channel.where, rte_strerror(-ret));
}

bool
peer_connect(struct peer *peer, int16_t dev_id, uint16_t queue_id, uint32_t number)
{
	char text[2 * sizeof(struct rte_umr_endpoint) + 1];
	struct rte_umr_endpoint local;
	json_t *answer;
	bool is_ok;
	int ret;

	ret = rte_umr_queue_endpoint_get(dev_id, queue_id, &local);
	if (ret != 0)
		return peer_fail(peer, "the address of queue %u: %s", queue_id,
				 rte_strerror(-ret));
	channel_hex(text, &local, sizeof(local));
	answer = peer_ask(peer, json_pack("{s:s, s:s, s:I}", "do", "connect", "endpoint", text,
					  "queue", (json_int_t)number), NULL, 0);
	is_ok = answer != NULL && answer_connect(peer, answer, dev_id, queue_id);
	json_decref(answer);
	return is_ok;
}

bool
peer_leave(struct peer *peer, uint32_t number)
{
	return peer_do(peer, json_pack("{s:s, s:I}", "do", "leave", "queue", (json_int_t)number),
		       NULL, 0);
}

static json_t *
range_request(const char *what, uint32_t area, uint32_t offset, uint32_t len)
{
	return json_pack("{s:s, s:I, s:I, s:I}", "do", what, "area", (json_int_t)area, "offset",
			 (json_int_t)offset, "len", (json_int_t)len);
}

bool
peer_put(struct peer *peer, uint32_t area, uint32_t offset, const void *bytes, uint32_t len)
{
	return peer_do(peer, range_request("put", area, offset, len), bytes, len);
}

bool
peer_get(struct peer *peer, uint32_t area, uint32_t offset, void *bytes, uint32_t len)
{
	if (!peer_do(peer, range_request("get", area, offset, len), NULL, 0))
		return false;
	return channel_recv(&peer->channel, bytes, len) == 0 || channel_failed(peer);
}

bool
peer_sum(struct peer *peer, uint32_t area, uint64_t *sum)
{
	json_t *answer = peer_ask(peer, json_pack("{s:s, s:I}", "do", "sum", "area",
						  (json_int_t)area), NULL, 0);
	const char *text = json_string_value(json_object_get(answer, "sum"));
	bool is_ok = text != NULL && sscanf(text, "%16" SCNx64, sum) == 1;

	if (answer != NULL && !is_ok)
		peer_fail(peer, "%s: it sent an invalid sum", peer->channel.where);
	json_decref(answer);
	return is_ok;
}

bool
peer_keys_take(struct peer *peer, uint32_t nb, uint32_t *values)
{
	json_t *answer = peer_ask(peer, json_pack("{s:s, s:I}", "do", "take", "nb",
						  (json_int_t)nb), NULL, 0);
	json_t *keys = json_object_get(answer, "keys");
	bool is_ok = json_array_size(keys) == nb;

	for (uint32_t i = 0; is_ok && i < nb; i++)
		values[i] = (uint32_t)json_integer_value(json_array_get(keys, i));
	if (answer != NULL && !is_ok)
		peer_fail(peer, "%s: not %u keys", peer->channel.where, nb);
	json_decref(answer);
	return is_ok;
}

bool
peer_keys_give(struct peer *peer)
{
	return peer_do(peer, json_pack("{s:s}", "do", "give"), NULL, 0);
}

bool
peer_key_list(struct peer *peer, uint32_t key, uint32_t access, const struct rte_umr_seg *segs,
	      uint32_t nb)
{
	json_t *entries = json_array();

	for (uint32_t i = 0; i < nb; i++)
		json_array_append_new(entries, json_pack("[I, I, I]", (json_int_t)segs[i].addr,
							 (json_int_t)segs[i].length,
							 (json_int_t)segs[i].lkey));
	return peer_do(peer, json_pack("{s:s, s:I, s:I, s:o}", "do", "list", "key",
				       (json_int_t)key, "access", (json_int_t)access, "entries",
				       entries), NULL, 0);
}

bool
peer_key_interleaved(struct peer *peer, uint32_t key, uint32_t access, uint32_t repeat,
		     const struct rte_umr_interleaved *entries, uint32_t nb)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < nb; i++)
		json_array_append_new(rows, json_pack("[I, I, I, I]",
						      (json_int_t)entries[i].addr,
						      (json_int_t)entries[i].bytes_count,
						      (json_int_t)entries[i].bytes_skip,
						      (json_int_t)entries[i].lkey));
	return peer_do(peer, json_pack("{s:s, s:I, s:I, s:I, s:o}", "do", "interleaved", "key",
				       (json_int_t)key, "access", (json_int_t)access, "repeat",
				       (json_int_t)repeat, "entries", rows), NULL, 0);
}

bool
peer_key_invalidate(struct peer *peer, uint32_t key)
{
	return peer_do(peer, json_pack("{s:s, s:I}", "do", "invalidate", "key", (json_int_t)key),
		       NULL, 0);
}
