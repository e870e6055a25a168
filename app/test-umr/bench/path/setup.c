/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdio.h>
#include <stdlib.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "bench/path/kind.h"

/* Pieces of 512 bytes every KiB; interleaved: 64 of every 256 bytes. */
#define PIECE_DISTANCE		1024u
#define PIECE_LEN		512u
#define NB_PLACES		(BENCH_MEMORY_SIZE / PIECE_DISTANCE)
#define INTERLEAVED_COUNT	64u
#define INTERLEAVED_SKIP	192u

#define PAGE_SIZE		4096u
#define AREA_SIZE (RTE_ALIGN_CEIL(BENCH_MAX_ENTRIES * sizeof(struct rte_umr_seg), PAGE_SIZE) + \
		   PAGE_SIZE)

const struct bench_path *const bench_paths[BENCH_NB_PATHS] = {
	[BENCH_RTE] = &bench_path_rte,
	[BENCH_SINGLE] = &bench_path_single,
	[BENCH_LIBMLX5] = &bench_path_libmlx5,
	[BENCH_UNLOCKED] = &bench_path_unlocked,
#ifdef BENCH_HAS_SPDK
	[BENCH_SPDK] = &bench_path_spdk,
#endif
	[BENCH_FLOOR] = &bench_path_floor,
};

const char *
bench_layout_name(enum bench_layout layout)
{
	return bench_kinds[layout].name;
}

/* The pieces require many data units per key; plaintext keys need no credential. */
static bool
has_crypto(const struct rte_umr_dev_info *info)
{
	const uint64_t needed = RTE_UMR_CAPA_MKEY_CRYPTO | RTE_UMR_CAPA_CRYPTO_MULTI_UNIT |
				RTE_UMR_CAPA_DEK_PLAIN;

	return (info->dev_capa & needed) == needed;
}

static bool
has_sig(const struct rte_umr_dev_info *info, enum bench_layout layout)
{
	const struct bench_kind *kind = &bench_kinds[layout];
	const uint32_t types = kind->is_trans ? info->sig_trans_types : info->sig_types;

	return (types & RTE_BIT32(kind->sig_type)) != 0;
}

uint32_t
bench_max_entries(const struct rte_umr_dev_info *info, enum bench_layout layout)
{
	const struct bench_kind *kind = &bench_kinds[layout];

	if (layout == BENCH_INTERLEAVED)
		return info->max_interleaved_inline;
	if (kind->setters == 0)
		return info->max_list;
	return ((kind->setters & RTE_UMR_MKEY_SET_CRYPTO) == 0 || has_crypto(info)) &&
	       ((kind->setters & RTE_UMR_MKEY_SET_SIG) == 0 || has_sig(info, layout)) ?
		       kind->max_inline : 0;
}

bool
bench_asked_start(int16_t dev_id)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	struct rte_umr_queue_conf conf = { .socket_id = SOCKET_ID_ANY };
	struct rte_umr_dev_info info;
	int ret;

	ret = rte_umr_dev_info_get(dev_id, &info);
	if (ret == 0)
		ret = rte_umr_dev_configure(dev_id, &dev_conf);
	conf.nb_desc = info.min_desc;
	if (ret == 0)
		ret = rte_umr_queue_setup(dev_id, 0, &conf);
	if (ret != 0)
		tool_error("bench: a queue of %s: %s", info.dev_name, rte_strerror(-ret));
	return ret == 0;
}

/* Shape of the operation of a row, without the write of a mixed one. */
static struct rte_umr_op_shape
op_shape(enum bench_layout layout, uint32_t nb_entries)
{
	const struct bench_kind *kind = &bench_kinds[layout];
	struct rte_umr_op_shape shape = { .op = kind->op, .nb_entries = nb_entries };

	if (layout == BENCH_UPDATE) {
		shape.nb_entries = RTE_MIN(nb_entries, BENCH_MAX_UPDATE);
		shape.first = nb_entries - shape.nb_entries;
	}
	if (kind->setters != 0) {
		shape.setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT | kind->setters;
		shape.pool_flags = bench_kind_pool_flags(layout);
		shape.nb_sig_domains = (uint8_t)kind->nb_domains;
	}
	return shape;
}

static struct rte_umr_op_size
op_size(int16_t dev_id, const struct rte_umr_op_shape *shape)
{
	struct rte_umr_op_size size = { .nb_desc = UINT16_MAX };

	rte_umr_op_desc(dev_id, 0, shape, &size);
	return size;
}

uint32_t
bench_writes_desc(int16_t dev_id, uint32_t nb)
{
	const struct rte_umr_op_shape shape = { .op = RTE_UMR_OP_WRITE };

	return nb * op_size(dev_id, &shape).nb_desc;
}

struct bench_batch_size
bench_batch_size(int16_t dev_id, const struct bench_row *row)
{
	const struct rte_umr_op_shape shape = op_shape(row->layout, row->nb_entries);
	const struct rte_umr_op_size size = op_size(dev_id, &shape);
	const uint32_t nb_writes = row->layout == BENCH_MIXED;
	struct bench_batch_size batch = {
		.nb_desc = (size.nb_desc + bench_writes_desc(dev_id, nb_writes)) * row->batch,
		.nb_list_entries = size.nb_list_entries * row->batch,
	};

	/* The list itself is laid first, and alone. */
	if (row->layout == BENCH_UPDATE) {
		const struct rte_umr_op_shape whole = op_shape(BENCH_LIST, row->nb_entries);

		batch.nb_list_entries = RTE_MAX(batch.nb_list_entries,
						op_size(dev_id, &whole).nb_list_entries);
	}
	return batch;
}

/* Keys of regions, and keys that nested layouts refer to. */
#define NB_OTHER_KEYS		8u

bool
bench_setup_fit(struct bench_setup *setup, const struct rte_umr_dev_info *info,
		char why[BENCH_WHY_SIZE])
{
	uint32_t nb_keys = (setup->max_keys + setup->max_keys_libmlx5 + setup->max_batch +
			    NB_OTHER_KEYS) * setup->nb_workers;
	uint32_t nb_queues = 2 * setup->nb_workers, depth = setup->depth;
	const char *name = info->dev_name;

	for (uint32_t i = 0; setup->depths != NULL && i < setup->nb_workers; i++)
		depth = RTE_MAX(depth, setup->depths[i]);
	why[0] = '\0';
	if (depth > info->max_desc)
		snprintf(why, BENCH_WHY_SIZE, "send rings of %u descriptors are needed, %s has %u",
			 depth, name, info->max_desc);
	else if (nb_queues > info->max_queues)
		snprintf(why, BENCH_WHY_SIZE, "%u queues are needed, %s has %u", nb_queues, name,
			 info->max_queues);
	else if (nb_keys > info->max_mkeys)
		snprintf(why, BENCH_WHY_SIZE, "%u keys are needed, %s has %u", nb_keys, name,
			 info->max_mkeys);
	else if (setup->max_entries > info->max_entries)
		snprintf(why, BENCH_WHY_SIZE, "keys of %u entries are needed, %s has %u",
			 setup->max_entries, name, info->max_entries);
	setup->max_entries_dev = info->max_entries;
	/* Half of the remaining keys: others may use the device. */
	setup->nb_spare_keys = RTE_MIN(4 * BENCH_MAX_BATCH + 1, setup->max_batch +
				       (info->max_mkeys - RTE_MIN(info->max_mkeys, nb_keys)) / 2 /
				       setup->nb_workers);
	return why[0] == '\0';
}

/* Signature keys of all workers. */
static uint32_t
nb_sig_mkeys(const struct bench_setup *setup)
{
	uint32_t nb = 0;

	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		if (setup->has_layout[i] && (bench_kinds[i].setters & RTE_UMR_MKEY_SET_SIG) != 0)
			nb += bench_kind_pool_keys(i, setup->max_keys);
	return nb * setup->nb_workers;
}

/* Set up a queue for the rte path of each worker and one for its floor. */
static int
queues_setup(const struct bench_setup *setup)
{
	struct rte_umr_queue_conf conf = {
		.transport = RTE_UMR_TRANSPORT_LOOPBACK,
		.nb_list_entries = setup->nb_list_entries,
		.nb_sig_mkeys = nb_sig_mkeys(setup),
		.nb_sg_mkeys = setup->nb_sg_mkeys,
		.max_sg_entries = setup->nb_sg_mkeys == 0 ? 0 : setup->max_entries,
		.socket_id = SOCKET_ID_ANY,
	};
	int ret = 0;

	for (uint32_t i = 0; i < 2 * setup->nb_workers && ret == 0; i++) {
		conf.nb_desc = (uint16_t)(setup->depths != NULL ? setup->depths[i / 2] :
								  setup->depth);
		ret = rte_umr_queue_setup(setup->dev_id, (uint16_t)i, &conf);
	}
	return ret;
}

bool
bench_device_start(const struct bench_setup *setup)
{
	struct rte_umr_dev_conf conf = { .nb_queues = (uint16_t)(2 * setup->nb_workers) };
	int ret;

	ret = rte_umr_dev_configure(setup->dev_id, &conf);
	if (ret == 0)
		ret = queues_setup(setup);
	if (ret == 0)
		ret = rte_umr_dev_start(setup->dev_id);
	if (ret != 0)
		tool_error("bench: starting %s with %u queues of %u descriptors: %s",
			   setup->dev_name, conf.nb_queues, setup->depth, rte_strerror(-ret));
	return ret == 0;
}

void
bench_device_stop(const struct bench_setup *setup)
{
	rte_umr_dev_stop(setup->dev_id);
}

bool
bench_arrays_alloc(struct bench_arrays *arrays)
{
	arrays->memory = rte_zmalloc("bench memory", BENCH_MEMORY_SIZE, PAGE_SIZE);
	arrays->area = rte_zmalloc("bench arrays", AREA_SIZE, PAGE_SIZE);
	if (arrays->memory != NULL && arrays->area != NULL)
		return true;
	tool_error("bench: no memory for %u bytes", (unsigned int)(BENCH_MEMORY_SIZE + AREA_SIZE));
	return false;
}

void
bench_arrays_free(struct bench_arrays *arrays)
{
	rte_free(arrays->area);
	rte_free(arrays->memory);
}

void
bench_arrays_fill(struct bench_arrays *arrays, const struct bench_row *row, uint32_t offset,
		  uint64_t addr, uint32_t lkey)
{
	arrays->segs = (struct rte_umr_seg *)(arrays->area + offset);
	arrays->entries = (struct rte_umr_interleaved *)(arrays->area + offset);
	if (row->layout == BENCH_INTERLEAVED) {
		for (uint32_t i = 0; i < row->nb_entries; i++)
			arrays->entries[i] = (struct rte_umr_interleaved){
				.addr = addr + i * PIECE_DISTANCE,
				.bytes_count = INTERLEAVED_COUNT,
				.bytes_skip = INTERLEAVED_SKIP,
				.lkey = lkey,
			};
		return;
	}
	for (uint32_t i = 0; i < row->nb_entries; i++)
		arrays->segs[i] = (struct rte_umr_seg){
			.addr = addr + i % NB_PLACES * PIECE_DISTANCE,
			.length = PIECE_LEN,
			.lkey = lkey,
		};
}

/* Fisher-Yates shuffle with a fixed generator (Knuth's MMIX), so that runs are repeatable. */
void
bench_order_fill(const struct bench_setup *setup, uint32_t *order, uint32_t nb)
{
	uint64_t state = 1;
	uint32_t other, value;

	for (uint32_t i = 0; i < nb; i++)
		order[i] = i;
	for (uint32_t i = nb; setup->is_random && i > 1; i--) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		other = (uint32_t)(state >> 33) % i;
		value = order[i - 1];
		order[i - 1] = order[other];
		order[other] = value;
	}
}
