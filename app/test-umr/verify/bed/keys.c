/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <stdlib.h>

#include <rte_memory.h>

#include "verify/bed/keys.h"
#include "verify/bed/layout.h"

#define NB_PRINTED	8u

bool
verify_keys_create(struct verify_keys *keys, const struct verify_env *env, uint32_t max_entries,
		   uint32_t flags, uint8_t log_entry_size)
{
	const struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = VERIFY_KEYS_NB,
		.max_entries = max_entries,
		.socket_id = SOCKET_ID_ANY,
		.log_entry_size = log_entry_size,
		.flags = flags,
	};

	return verify_pools_create(&keys->pools, env, &conf);
}

void
verify_keys_destroy(struct verify_keys *keys)
{
	verify_pools_destroy(&keys->pools);
}

bool
verify_keys_setup(struct verify_env *env, uint32_t max_entries, uint32_t flags)
{
	struct verify_keys *keys = verify_private_alloc(env, sizeof(*keys));

	return keys != NULL && verify_keys_create(keys, env, max_entries, flags, 0);
}

void
verify_keys_teardown(struct verify_env *env)
{
	if (env->mode_private != NULL)
		verify_keys_destroy(env->mode_private);
	free(env->mode_private);
}

void
verify_keys_fixed(struct verify_keys *keys, const struct bed_side *side,
		  const struct layout_piece *pieces, uint32_t nb)
{
	for (uint32_t i = 0; i < nb; i++)
		keys->fixed[i] = (struct rte_umr_fixed){
			.addr = (uintptr_t)side->layout.memory + pieces[i].offset,
			.lkey = side->layout_mrs[i % BED_NB_LAYOUT_MRS]->lkey,
		};
}

void
verify_keys_gen_range(struct verify_move *move, struct prng *prng, uint64_t total)
{
	uint64_t window = RTE_MIN(total, (uint64_t)BED_MAX_TOTAL);

	verify_move_gen_range(move, prng, window);
	move->from += prng_between(prng, 0, total - window);
}

void
verify_keys_move(const struct verify_move *move, const struct pieces *pieces, bool is_beyond,
		 const struct verify_steps *steps, const uint8_t *noise, struct case_result *result)
{
	const struct verify_view view = {
		pieces, pieces_len(pieces), pieces_gather, pieces_scatter, pieces_find, pieces,
	};
	struct verify_steps from = *steps;

	from.from = is_beyond ? view.total - move->part_ends[0] + 1 : move->from;
	verify_move_run(move, &view, &from, noise, result);
}

void
verify_keys_run(struct verify_keys *keys, struct rte_umr_mkey **mkey,
		const struct verify_move *move, const struct pieces *pieces, bool is_beyond,
		const struct verify_steps *steps, const struct verify_env *env,
		struct case_result *result)
{
	const struct bed_side *side = verify_move_key_end(move)->side;
	struct rte_umr_mkey_pool *pool = verify_pools_of(&keys->pools, env, side);
	struct verify_steps own = *steps;

	*mkey = verify_pool_get(pool, side, result);
	if (*mkey == NULL)
		return;
	own.key = (*mkey)->key;
	verify_keys_move(move, pieces, is_beyond, &own, env->noise, result);
	rte_umr_mkey_put(pool, *mkey);
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
