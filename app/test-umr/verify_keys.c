/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>

#include <rte_errno.h>
#include <rte_memory.h>

#include "verify_keys.h"

#define NB_PRINTED	8u

bool
verify_keys_setup(struct verify_env *env, struct verify_keys *keys, uint32_t max_entries,
		  uint32_t flags, uint8_t log_entry_size)
{
	for (uint16_t i = 0; i < env->bed->nb_sides; i++) {
		const struct bed_side *side = &env->bed->sides[i];
		const struct rte_umr_mkey_pool_conf conf = {
			.nb_mkeys = VERIFY_KEYS_NB,
			.max_entries = RTE_MIN(max_entries, side->info.max_entries),
			.socket_id = SOCKET_ID_ANY,
			.log_entry_size = log_entry_size,
			.flags = flags,
		};

		keys->pools[i] = rte_umr_mkey_pool_create(side->dev_id, &conf);
		if (keys->pools[i] == NULL) {
			tool_error("verify: creating keys of %u entries on %s: %s",
				   conf.max_entries, side->info.dev_name,
				   rte_strerror(rte_errno));
			return false;
		}
		keys->nb++;
	}
	return true;
}

void
verify_keys_teardown(struct verify_keys *keys)
{
	for (uint16_t i = 0; keys != NULL && i < keys->nb; i++)
		rte_umr_mkey_pool_destroy(keys->pools[i]);
}

struct rte_umr_mkey_pool *
verify_keys_pool(const struct verify_keys *keys, const struct verify_env *env,
		 const struct bed_side *side)
{
	return keys->pools[side - env->bed->sides];
}

struct rte_umr_mkey *
verify_keys_get(const struct verify_keys *keys, const struct verify_env *env,
		const struct bed_side *side, struct case_result *result)
{
	struct rte_umr_mkey *mkey = rte_umr_mkey_get(verify_keys_pool(keys, env, side));

	if (mkey == NULL)
		verify_result_set(result, CASE_ERROR, "no key left in the pool of %s",
				  side->info.dev_name);
	return mkey;
}

static uint64_t
piece_addr(const struct bed_side *side, const struct layout_piece *piece)
{
	return (uintptr_t)side->layout.memory + piece->offset;
}

static uint32_t
piece_lkey(const struct bed_side *side, uint32_t i)
{
	return side->layout_mrs[i % BED_NB_LAYOUT_MRS]->lkey;
}

void
verify_keys_segs(struct verify_keys *keys, const struct bed_side *side,
		 const struct layout_piece *pieces, uint32_t nb)
{
	for (uint32_t i = 0; i < nb; i++)
		keys->segs[i] = (struct rte_umr_seg){
			.addr = piece_addr(side, &pieces[i]),
			.length = pieces[i].len,
			.lkey = piece_lkey(side, i),
		};
}

void
verify_keys_interleaved(struct verify_keys *keys, const struct bed_side *side,
			const struct layout_piece *pieces, uint32_t nb)
{
	for (uint32_t i = 0; i < nb; i++)
		keys->interleaved[i] = (struct rte_umr_interleaved){
			.addr = piece_addr(side, &pieces[i]),
			.bytes_count = pieces[i].len,
			.bytes_skip = pieces[i].skip,
			.lkey = piece_lkey(side, i),
		};
}

void
verify_keys_fixed(struct verify_keys *keys, const struct bed_side *side,
		  const struct layout_piece *pieces, uint32_t nb)
{
	for (uint32_t i = 0; i < nb; i++)
		keys->fixed[i] = (struct rte_umr_fixed){
			.addr = piece_addr(side, &pieces[i]),
			.lkey = piece_lkey(side, i),
		};
}

bool
verify_keys_configure(struct verify_ops *ops, struct rte_umr_mkey *mkey,
		      const struct rte_umr_mkey_conf *conf)
{
	const struct bed_end *end = ops->end;

	return verify_ops_add(ops, rte_umr_mkey_configure(end->side->dev_id, end->queue_id, mkey,
							  conf, 0),
			      RTE_UMR_OP_MKEY_CONFIGURE, 0);
}

void
verify_keys_gen_range(struct verify_move *move, struct prng *prng, uint64_t total)
{
	uint64_t window = RTE_MIN(total, (uint64_t)BED_MAX_TOTAL);

	verify_move_gen_range(move, prng, window);
	move->from += prng_between(prng, 0, total - window);
}

struct verify_view
verify_keys_view(const struct pieces *pieces)
{
	return (struct verify_view){
		.layout = pieces,
		.total = pieces_len(pieces),
		.gather = pieces_gather,
		.scatter = pieces_scatter,
		.find = pieces_find,
	};
}

void
verify_keys_print(FILE *f, const char *prefix, const struct pieces *pieces)
{
	fprintf(f, "%s%s of %u pieces", prefix, pieces->is_pattern ? "interleaved" : "list",
		pieces->nb);
	if (pieces->is_pattern)
		fprintf(f, ", repeated %u times", pieces->repeat);
	fprintf(f, ", %" PRIu64 " bytes\n", pieces_len(pieces));
	for (uint32_t i = 0; i < pieces->nb; i++) {
		const struct layout_piece *piece = &pieces->pieces[i];

		if (i == NB_PRINTED && pieces->nb > 2 * NB_PRINTED) {
			fprintf(f, "%s  ...\n", prefix);
			i = pieces->nb - NB_PRINTED;
			piece = &pieces->pieces[i];
		}
		fprintf(f, "%s  [%u] offset 0x%05x length %u", prefix, i, piece->offset,
			piece->len);
		if (pieces->is_pattern)
			fprintf(f, " skip %u", piece->skip);
		fputc('\n', f);
	}
}
