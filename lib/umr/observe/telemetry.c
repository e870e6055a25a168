/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Telemetry: read-only access to the information of control functions over the socket. It runs in
 * its own thread, in parallel to control functions: the lock keeps the objects that it reads.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_string_fns.h>
#include <rte_telemetry.h>

#include "rte_umr_compat.h"
#include "observe/observe.h"
#include "rte_umr_private.h"

#define MAX_NUMBERS 3u

/* Default number of operations of a ring that are shown. */
#define DUMP_NB_OPS 4u
/* A response has no room for more, and control functions wait for the lock. */
#define DUMP_MAX_NB_OPS 64u
/* Room for lines, as JSON, in a response of 16 KiB (DPDK, telemetry.c: MAX_OUTPUT_LEN). */
#define DUMP_MAX_LEN 15000u
/* Two quotation marks and a comma. */
#define DUMP_LINE_EXTRA 3u

/** Parse nb_min to nb_max comma-separated numbers. Returns their count or -EINVAL. */
static int
numbers_parse_some(const char *params, uint32_t *numbers, uint32_t nb_min, uint32_t nb_max)
{
	const char *at = params;
	unsigned long n;
	char *end;
	uint32_t i;

	if (params == NULL)
		return -EINVAL;
	for (i = 0; i < nb_max; i++) {
		errno = 0;
		n = strtoul(at, &end, 0);
		if (errno != 0 || end == at || *at == '-' || n > UINT32_MAX)
			return -EINVAL;
		numbers[i] = (uint32_t)n;
		if (*end == '\0')
			return i + 1 >= nb_min ? (int)i + 1 : -EINVAL;
		if (*end != ',')
			return -EINVAL;
		at = end + 1;
	}
	return -EINVAL;
}

/** Parse a fixed count of numbers. Returns 0 or -EINVAL. */
static int
numbers_parse(const char *params, uint32_t *numbers, uint32_t nb)
{
	return numbers_parse_some(params, numbers, nb, nb) < 0 ? -EINVAL : 0;
}

/** Device of the first number; the lock is held. */
static struct rte_umr_dev *
dev_of(uint32_t number)
{
	return number < RTE_UMR_MAX_DEVS ? rte_umr_dev_get((int16_t)number) : NULL;
}

static int
list_answer(const char *cmd, const char *params, struct rte_tel_data *data)
{
	int16_t id;

	RTE_SET_USED(cmd);
	RTE_SET_USED(params);
	rte_tel_data_start_array(data, RTE_TEL_INT_VAL);
	rte_umr_objs_lock();
	RTE_UMR_FOREACH_DEV(id)
		rte_tel_data_add_array_int(data, id);
	rte_umr_objs_unlock();
	return 0;
}

static void
info_fill(const struct rte_umr_dev *dev, struct rte_tel_data *data)
{
	uint8_t status = RTE_UMR_DEV_STATUS_OK;
	struct rte_umr_dev_info info;

	rte_umr_dev_status(dev->dev_id, &status);
	rte_umr_dev_info_get(dev->dev_id, &info);
	rte_tel_data_add_dict_string(data, "name", info.dev_name);
	rte_tel_data_add_dict_string(data, "driver", info.driver_name);
	rte_tel_data_add_dict_string(data, "fw_version", info.fw_version);
	rte_tel_data_add_dict_string(data, "status", rte_umr_dev_status_name(status));
	rte_tel_data_add_dict_int(data, "numa_node", info.numa_node);
	umr_tel_add_dict_uint(data, "port", info.port);
	umr_tel_add_dict_uint(data, "is_port_active", info.is_port_active);
	umr_tel_add_dict_uint(data, "is_started", info.is_started);
	umr_tel_add_dict_uint(data, "dev_capa", info.dev_capa);
	umr_tel_add_dict_uint(data, "access_capa", info.access_capa);
	umr_tel_add_dict_uint(data, "mr_access_capa", info.mr_access_capa);
	umr_tel_add_dict_uint(data, "odp_capa", info.odp_capa);
	umr_tel_add_dict_uint(data, "nb_queues", info.nb_queues);
	umr_tel_add_dict_uint(data, "nb_mrs",
			      __atomic_load_n(&dev->nb_mrs, __ATOMIC_RELAXED));
	umr_tel_add_dict_uint(data, "nb_pools", dev->nb_pools);
	umr_tel_add_dict_uint(data, "nb_mkeys", dev->nb_mkeys);
	umr_tel_add_dict_uint(data, "max_mkeys", info.max_mkeys);
	umr_tel_add_dict_uint(data, "max_entries", info.max_entries);
	umr_tel_add_dict_uint(data, "max_list_inline", info.max_list_inline);
	umr_tel_add_dict_uint(data, "max_nesting", info.max_nesting);
}

static int
info_answer(const char *cmd, const char *params, struct rte_tel_data *data)
{
	const struct rte_umr_dev *dev;
	uint32_t id;
	int ret = 0;

	RTE_SET_USED(cmd);
	if (numbers_parse(params, &id, 1) != 0)
		return -EINVAL;
	rte_tel_data_start_dict(data);
	rte_umr_objs_lock();
	dev = dev_of(id);
	if (dev != NULL)
		info_fill(dev, data);
	else
		ret = -ENODEV;
	rte_umr_objs_unlock();
	return ret;
}

/** Rejections by reason, if not 0, as a separate dictionary. */
static void
rejects_fill(const struct rte_umr_queue_stats *stats, struct rte_tel_data *data)
{
	struct rte_tel_data *rejects = rte_tel_data_alloc();
	char name[RTE_UMR_XSTATS_NAME_LEN];
	uint32_t i;

	if (rejects == NULL)
		return;
	rte_tel_data_start_dict(rejects);
	for (i = 0; i < RTE_UMR_REJECT_MAX; i++) {
		if (stats->nb_rejects[i] == 0)
			continue;
		strlcpy(name, rte_umr_reject_name((enum rte_umr_reject)i), sizeof(name));
		/* Names in a dictionary must not contain '-'. */
		rte_umr_underscore(name);
		umr_tel_add_dict_uint(rejects, name, stats->nb_rejects[i]);
	}
	rte_tel_data_add_dict_container(data, "rejects", rejects, 0);
}

static void
queue_stats_fill(const struct rte_umr_queue_stats *stats, struct rte_tel_data *data)
{
	umr_tel_add_dict_uint(data, "submitted", stats->nb_submitted);
	umr_tel_add_dict_uint(data, "completed", stats->nb_completed);
	umr_tel_add_dict_uint(data, "errors", stats->nb_errors);
	umr_tel_add_dict_uint(data, "doorbells", stats->nb_doorbells);
	umr_tel_add_dict_uint(data, "full", stats->nb_full);
	umr_tel_add_dict_uint(data, "rejected", stats->nb_rejected);
	umr_tel_add_dict_uint(data, "recv_posted", stats->nb_recv_posted);
	umr_tel_add_dict_uint(data, "recv_completed", stats->nb_recv_completed);
	umr_tel_add_dict_uint(data, "recv_errors", stats->nb_recv_errors);
	umr_tel_add_dict_uint(data, "recoveries", stats->nb_recoveries);
	umr_tel_add_dict_uint(data, "auto_recoveries", stats->nb_auto_recoveries);
	umr_tel_add_dict_uint(data, "auto_recovery_failures", stats->nb_auto_recovery_failures);
	rejects_fill(stats, data);
}

static int
queue_stats_answer(const char *cmd, const char *params, struct rte_tel_data *data)
{
	struct rte_umr_queue_stats stats;
	uint32_t numbers[MAX_NUMBERS];
	const struct rte_umr_dev *dev;
	const char *status = NULL;
	uint16_t queue_id;
	int ret = -ENODEV;

	RTE_SET_USED(cmd);
	if (numbers_parse(params, numbers, 2) != 0)
		return -EINVAL;
	rte_umr_objs_lock();
	dev = dev_of(numbers[0]);
	if (dev != NULL && numbers[1] < dev->nb_queues && dev->queues[numbers[1]] != NULL) {
		queue_id = (uint16_t)numbers[1];
		ret = rte_umr_queue_stats_get(dev->dev_id, queue_id, &stats);
		status = rte_umr_queue_status_name(rte_umr_queue_status_of(dev, queue_id));
	}
	rte_umr_objs_unlock();
	if (ret != 0)
		return ret;
	rte_tel_data_start_dict(data);
	rte_tel_data_add_dict_string(data, "status", status);
	queue_stats_fill(&stats, data);
	return 0;
}

static int
odp_stats_answer(const char *cmd, const char *params, struct rte_tel_data *data)
{
	struct rte_umr_odp_stats stats;
	uint32_t id;
	int ret;

	RTE_SET_USED(cmd);
	if (numbers_parse(params, &id, 1) != 0)
		return -EINVAL;
	rte_umr_objs_lock();
	ret = dev_of(id) != NULL ? rte_umr_odp_stats_get((int16_t)id, &stats) : -ENODEV;
	rte_umr_objs_unlock();
	if (ret != 0)
		return ret;
	rte_tel_data_start_dict(data);
	umr_tel_add_dict_uint(data, "regions", stats.nb_regions);
	umr_tel_add_dict_uint(data, "page_faults", stats.nb_page_faults);
	umr_tel_add_dict_uint(data, "page_invalidations", stats.nb_page_invalidations);
	umr_tel_add_dict_uint(data, "prefetches", stats.nb_prefetches);
	return 0;
}

static void
mkey_fill(const struct rte_umr_mkey_attr *attr, struct rte_tel_data *data)
{
	umr_tel_add_dict_uint(data, "key", attr->key);
	umr_tel_add_dict_uint(data, "is_free", attr->is_free);
	umr_tel_add_dict_uint(data, "is_fixed_size", attr->is_fixed_size);
	umr_tel_add_dict_uint(data, "has_signature", attr->has_signature);
	umr_tel_add_dict_uint(data, "has_crypto", attr->has_crypto);
	umr_tel_add_dict_uint(data, "can_remote_invalidate", attr->can_remote_invalidate);
	umr_tel_add_dict_uint(data, "access", attr->access);
	umr_tel_add_dict_uint(data, "addr", attr->addr);
	umr_tel_add_dict_uint(data, "len", attr->len);
	umr_tel_add_dict_uint(data, "entries", attr->nb_entries);
	umr_tel_add_dict_uint(data, "pd", attr->pd);
}

static int
mkey_answer(const char *cmd, const char *params, struct rte_tel_data *data)
{
	const struct rte_umr_mkey *mkey = NULL;
	struct rte_umr_mkey_attr attr;
	uint32_t numbers[MAX_NUMBERS];
	struct rte_umr_dev *dev;
	int ret = -ENOENT;

	RTE_SET_USED(cmd);
	if (numbers_parse(params, numbers, 2) != 0)
		return -EINVAL;
	rte_umr_objs_lock();
	dev = dev_of(numbers[0]);
	if (dev != NULL)
		mkey = rte_umr_mkey_find(dev, numbers[1]);
	if (mkey != NULL)
		ret = rte_umr_mkey_query(mkey, &attr);
	rte_umr_objs_unlock();
	if (ret != 0)
		return ret;
	rte_tel_data_start_dict(data);
	mkey_fill(&attr, data);
	return 0;
}

static int
xstats_answer(const char *cmd, const char *params, struct rte_tel_data *data)
{
	struct rte_umr_xstat_row *rows = NULL;
	uint32_t numbers[MAX_NUMBERS];
	const struct rte_umr_dev *dev;
	int nb, i, ret = -ENODEV;

	RTE_SET_USED(cmd);
	nb = numbers_parse_some(params, numbers, 1, 2);
	if (nb < 0 || (nb == 2 && numbers[1] >= RTE_UMR_MAX_QUEUES))
		return -EINVAL;
	rte_umr_objs_lock();
	dev = dev_of(numbers[0]);
	if (dev != NULL)
		ret = rte_umr_xstats_rows(dev, nb == 2 ? (uint16_t)numbers[1] : RTE_UMR_XSTATS_DEV,
					  &rows);
	rte_umr_objs_unlock();
	if (ret < 0)
		return ret;
	rte_tel_data_start_dict(data);
	for (i = 0; i < ret; i++)
		umr_tel_add_dict_uint(data, rows[i].name, rows[i].value);
	free(rows);
	return 0;
}

static int
pool_fill(const struct rte_umr_mkey_pool_state *pool, uint32_t number, struct rte_tel_data *data)
{
	struct rte_tel_data *dict = rte_tel_data_alloc();
	char name[16];

	if (dict == NULL)
		return -ENOMEM;
	rte_tel_data_start_dict(dict);
	umr_tel_add_dict_uint(dict, "mkeys", pool->nb_mkeys);
	umr_tel_add_dict_uint(dict, "entries", pool->max_entries);
	umr_tel_add_dict_uint(dict, "flags", pool->flags);
	umr_tel_add_dict_uint(dict, "in_use", pool->nb_in_use);
	umr_tel_add_dict_uint(dict, "empty", pool->nb_empty);
	umr_tel_add_dict_uint(dict, "unreturned", pool->nb_unreturned);
	snprintf(name, sizeof(name), "%u", number);
	return rte_tel_data_add_dict_container(data, name, dict, 0);
}

static int
pools_answer(const char *cmd, const char *params, struct rte_tel_data *data)
{
	struct rte_umr_mkey_pool_state pool;
	const struct rte_umr_dev *dev;
	uint32_t id, i;
	int ret = 0;

	RTE_SET_USED(cmd);
	if (numbers_parse(params, &id, 1) != 0)
		return -EINVAL;
	rte_tel_data_start_dict(data);
	rte_umr_objs_lock();
	dev = dev_of(id);
	if (dev == NULL)
		ret = -ENODEV;
	/* Pools that do not fit the response are omitted. */
	for (i = 0; ret == 0 && rte_umr_mkey_pool_state(dev, i, &pool); i++)
		ret = pool_fill(&pool, i, data);
	rte_umr_objs_unlock();
	return i != 0 ? 0 : ret;
}

/** Whether data fit a response. */
static bool
dump_fits(const char *text, size_t len)
{
	uint32_t nb = 0;

	for (; (text = strchr(text, '\n')) != NULL; text++)
		nb++;
	return nb <= RTE_TEL_MAX_ARRAY_ENTRIES && len + nb * DUMP_LINE_EXTRA <= DUMP_MAX_LEN;
}

/**
 * State of a queue as text with at most nb_ops operations, freed by the caller; NULL: no memory.
 */
static char *
dump_text(const struct rte_umr_dev *dev, uint16_t queue_id, uint32_t nb_ops)
{
	char *text;
	size_t len;
	FILE *f;

	for (;; nb_ops /= 2) {
		text = NULL;
		f = open_memstream(&text, &len);
		if (f == NULL)
			return NULL;
		rte_umr_queue_dump_of(dev, queue_id, nb_ops, f);
		if (fclose(f) != 0) {
			free(text);
			return NULL;
		}
		if (nb_ops == 0 || dump_fits(text, len))
			return text;
		free(text);
	}
}

/** Add each line as an array entry, as far as they fit a response. */
static void
lines_fill(char *text, struct rte_tel_data *lines)
{
	size_t room = DUMP_MAX_LEN;
	char *line, *rest;

	rte_tel_data_start_array(lines, RTE_TEL_STRING_VAL);
	for (line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		const size_t len = strlen(line) + DUMP_LINE_EXTRA;

		if (len > room || rte_tel_data_add_array_string(lines, line) == -ENOSPC)
			return;
		room -= len;
	}
}

static int
queue_dump_answer(const char *cmd, const char *params, struct rte_tel_data *data)
{
	struct rte_tel_data *lines = rte_tel_data_alloc();
	uint32_t numbers[MAX_NUMBERS];
	const struct rte_umr_dev *dev;
	uint32_t nb_ops;
	char *text = NULL;
	int nb;

	RTE_SET_USED(cmd);
	nb = numbers_parse_some(params, numbers, 2, 3);
	if (nb < 0 || lines == NULL) {
		rte_tel_data_free(lines);
		return -EINVAL;
	}
	nb_ops = nb == 3 ? RTE_MIN(numbers[2], DUMP_MAX_NB_OPS) : DUMP_NB_OPS;
	rte_umr_objs_lock();
	dev = dev_of(numbers[0]);
	if (dev != NULL && numbers[1] < dev->nb_queues && dev->queues[numbers[1]] != NULL)
		text = dump_text(dev, (uint16_t)numbers[1], nb_ops);
	rte_umr_objs_unlock();
	if (text == NULL) {
		rte_tel_data_free(lines);
		return -ENODEV;
	}
	lines_fill(text, lines);
	free(text);
	rte_tel_data_start_dict(data);
	return rte_tel_data_add_dict_container(data, "lines", lines, 0);
}

RTE_INIT(rte_umr_telemetry_init)
{
	rte_telemetry_register_cmd("/umr/list", list_answer,
				   "Identifiers of UMR devices. No parameters.");
	rte_telemetry_register_cmd("/umr/info", info_answer,
				   "Capabilities and limits. Parameters: dev_id.");
	rte_telemetry_register_cmd("/umr/queue_stats", queue_stats_answer,
				   "Counters of a queue. Parameters: dev_id,queue_id.");
	rte_telemetry_register_cmd("/umr/odp_stats", odp_stats_answer,
				   "Counters of on-demand paging. Parameters: dev_id.");
	rte_telemetry_register_cmd("/umr/mkey", mkey_answer,
				   "State of a key in the device. Parameters: dev_id,key.");
	rte_telemetry_register_cmd("/umr/xstats", xstats_answer,
				   "Extended statistics of a device, or of a queue. Parameters: "
				   "dev_id[,queue_id].");
	rte_telemetry_register_cmd("/umr/pools", pools_answer,
				   "Key pools of a device. Parameters: dev_id.");
	rte_telemetry_register_cmd("/umr/queue_dump", queue_dump_answer,
				   "State and last entries of the rings of a queue, decoded. "
				   "Parameters: dev_id,queue_id[,nb_ops].");
}
