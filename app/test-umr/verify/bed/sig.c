/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <string.h>

#include <rte_common.h>
#include <rte_memory.h>

#include "model/layout_gen.h"
#include "verify/bed/sig.h"

static const uint16_t block_sizes[] = { 512, 520, 4048, 4096, 4160 };

static const char *const type_names[] = {
	"none", "T10-DIF with CRC", "T10-DIF with checksum", "CRC32", "CRC32C", "CRC64-XP10",
};

static const char *const error_names[] = { "no error", "guard", "application tag",
					   "reference tag" };

static void
queue_conf(const struct bed_side *side, uint16_t queue_id, bool is_extra,
	   struct rte_umr_queue_conf *conf)
{
	RTE_SET_USED(queue_id);
	RTE_SET_USED(is_extra);
	conf->nb_sig_mkeys = BED_NB_MKEYS;
	/* The completion ring of a small device has no room for both. */
	if (conf->nb_desc > side->info.max_sig_mkeys)
		conf->nb_desc = (uint16_t)RTE_MAX(side->info.max_sig_mkeys, side->info.min_desc);
}

const struct bed_conf sig_bed_conf = { .queue_conf = queue_conf };

bool
verify_sig_configure(const struct verify_way *way, struct verify_ops *ops,
		     struct rte_umr_mkey *mkey, const struct layout *layout,
		     const struct rte_umr_sig *sig, uint32_t access)
{
	static const struct rte_umr_sig other_sig = {
		.wire = { .type = RTE_UMR_SIG_T10DIF_CRC, .block_size = 512, .ref_tag = 1 },
		.check_mask = 0xff,
	};
	const struct rte_umr_seg short_list = verify_layout_seg(ops->side, 0, 5, 0);
	const struct rte_umr_mkey_op other = {
		.access = access, .segs = &short_list, .nb_entries = 1, .sig = &other_sig,
	};
	struct verify_entries entries;
	struct rte_umr_mkey_op conf = verify_layout_conf(layout, access, ops->side, &entries);

	conf.setters |= RTE_UMR_MKEY_SET_SIG;
	conf.sig = sig;
	return verify_way_add(way, ops, mkey, &conf, &other);
}

static bool
is_t10dif(const struct rte_umr_sig_domain *domain)
{
	return domain->type == RTE_UMR_SIG_T10DIF_CRC || domain->type == RTE_UMR_SIG_T10DIF_CSUM;
}

static void
domain_gen(struct prng *prng, const struct rte_umr_dev_info *info,
	   struct rte_umr_sig_domain *domain)
{
	uint32_t size;

	do {
		domain->type = (uint32_t)prng_between(prng, 1, RTE_UMR_SIG_CRC64_XP10);
	} while ((info->sig_types & RTE_BIT32(domain->type)) == 0);
	do {
		size = (uint32_t)prng_between(prng, 0, RTE_DIM(block_sizes) - 1);
	} while ((info->sig_block_sizes & RTE_BIT32(size)) == 0);
	domain->block_size = block_sizes[size];
	domain->flags = (uint32_t)prng_next(prng) &
			(RTE_UMR_SIG_DOMAIN_F_ALL & ~RTE_UMR_SIG_DOMAIN_F_TRANSACTION);
	if (!is_t10dif(domain)) {
		domain->flags &= RTE_UMR_SIG_DOMAIN_F_SEED_ONES;
		return;
	}
	domain->app_tag = prng_one_in(prng, 8) ? UINT16_MAX : (uint16_t)prng_next(prng);
	/* Sometimes one that overflows. */
	domain->ref_tag = prng_one_in(prng, 4) ? UINT32_MAX - (uint32_t)prng_between(prng, 0, 8) :
						 (uint32_t)prng_next(prng);
}

/* Make the domains similar in some respects, so that fields are copied. */
static void
domains_relate(struct prng *prng, struct rte_umr_sig *sig)
{
	const struct rte_umr_sig_domain wire = sig->wire;

	if (prng_one_in(prng, 3)) {
		/* A block of one domain equals several of the other: 8 of 512 or 520. */
		if (sig->mem.block_size != 4096 && sig->mem.block_size != 4160)
			sig->wire.block_size = sig->mem.block_size;
		else if (prng_one_in(prng, 2))
			sig->wire.block_size = sig->mem.block_size / 8;
		else
			sig->wire.block_size = sig->mem.block_size;
		return;
	}
	sig->wire = sig->mem;
	if (prng_one_in(prng, 3))
		sig->wire.app_tag = wire.app_tag;
	if (prng_one_in(prng, 3))
		sig->wire.ref_tag = wire.ref_tag;
	if (prng_one_in(prng, 3))
		sig->wire.flags ^= RTE_UMR_SIG_DOMAIN_F_SEED_ONES;
	if (is_t10dif(&sig->mem) && prng_one_in(prng, 3))
		sig->wire.flags ^= RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT;
	if (is_t10dif(&sig->mem) && prng_one_in(prng, 3))
		sig->wire.type ^= RTE_UMR_SIG_T10DIF_CRC ^ RTE_UMR_SIG_T10DIF_CSUM;
	if (prng_one_in(prng, 3)) {
		sig->flags = RTE_UMR_SIG_F_COPY_MASK;
		sig->copy_mask = (uint8_t)prng_next(prng);
	}
}

void
sig_gen(struct prng *prng, const struct rte_umr_dev_info *info, struct rte_umr_sig *sig)
{
	*sig = (struct rte_umr_sig){ .check_mask = 0xff };
	domain_gen(prng, info, &sig->mem);
	domain_gen(prng, info, &sig->wire);
	switch (prng_between(prng, 0, 3)) {
	case 0:
		sig->mem = (struct rte_umr_sig_domain){ 0 };
		break;
	case 1:
		sig->wire = (struct rte_umr_sig_domain){ 0 };
		break;
	default:
		domains_relate(prng, sig);
		break;
	}
	if (prng_one_in(prng, 3))
		sig->check_mask = (uint8_t)prng_next(prng);
}

uint32_t
sig_unit(const struct rte_umr_sig *sig)
{
	uint32_t mem = sig->mem.type != RTE_UMR_SIG_NONE ? sig->mem.block_size : 0;
	uint32_t wire = sig->wire.type != RTE_UMR_SIG_NONE ? sig->wire.block_size : 0;

	/* One is a multiple of the other, see domains_relate(). */
	return RTE_MAX(mem, wire);
}

void
sig_damage_gen(struct prng *prng, const struct rte_umr_sig_domain *domain, uint64_t data_len,
	       struct sig_damage *damage)
{
	uint32_t field = rte_umr_sig_size((enum rte_umr_sig_type)domain->type), nb_blocks;

	*damage = (struct sig_damage){ 0 };
	if (domain->type == RTE_UMR_SIG_NONE || prng_one_in(prng, 3))
		return;
	nb_blocks = (uint32_t)(data_len / domain->block_size);
	damage->nb_flips = (uint32_t)prng_between(prng, 0, SIG_MAX_DAMAGE);
	for (uint32_t i = 0; i < damage->nb_flips; i++) {
		uint32_t min = prng_one_in(prng, 3) ? 0 : domain->block_size;

		damage->flips[i] = (struct sig_flip){
			.block = (uint32_t)prng_between(prng, 0, nb_blocks - 1),
			.byte = (uint32_t)prng_between(prng, min, domain->block_size + field - 1),
			.bits = (uint8_t)prng_between(prng, 1, UINT8_MAX),
		};
	}
	if (!is_t10dif(domain) || !prng_one_in(prng, 2))
		return;
	damage->nb_ones = prng_one_in(prng, 2) ? 2 : 6;
	/* Often the damaged block. */
	damage->ones_block = damage->nb_flips != 0 && prng_one_in(prng, 2) ?
				     damage->flips[0].block :
				     (uint32_t)prng_between(prng, 0, nb_blocks - 1);
}

/* Address of a byte of the image, or NULL if its block is outside the image. */
static uint8_t *
byte_at(const struct rte_umr_sig_domain *domain, uint64_t data_from, uint64_t data_len,
	uint8_t *image, uint32_t block, uint32_t byte)
{
	uint64_t first = data_from / domain->block_size;

	if (block < first || block - first >= data_len / domain->block_size)
		return NULL;
	return image + (block - first) * sig_pass_len(domain, domain->block_size) + byte;
}

void
sig_damage_do(const struct sig_damage *damage, const struct rte_umr_sig_domain *domain,
	      uint64_t data_from, uint64_t data_len, uint8_t *image)
{
	uint8_t *at;

	for (uint32_t i = 0; i < damage->nb_flips; i++) {
		at = byte_at(domain, data_from, data_len, image, damage->flips[i].block,
			     damage->flips[i].byte);
		if (at != NULL)
			*at ^= damage->flips[i].bits;
	}
	if (damage->nb_ones == 0)
		return;
	at = byte_at(domain, data_from, data_len, image, damage->ones_block,
		     domain->block_size + 2u);
	if (at != NULL)
		memset(at, 0xff, damage->nb_ones);
}

static void
domain_print(FILE *f, const char *prefix, const char *name,
	     const struct rte_umr_sig_domain *domain)
{
	if (domain->type == RTE_UMR_SIG_NONE)
		return;
	fprintf(f, "%s%s: %s, blocks of %u, flags 0x%x, tags 0x%04x 0x%08x\n", prefix, name,
		type_names[domain->type], domain->block_size, domain->flags, domain->app_tag,
		domain->ref_tag);
}

void
sig_print(FILE *f, const char *prefix, const struct rte_umr_sig *sig,
	  const struct sig_damage *damage)
{
	domain_print(f, prefix, "memory", &sig->mem);
	domain_print(f, prefix, "wire", &sig->wire);
	fprintf(f, "%scheck mask 0x%02x", prefix, sig->check_mask);
	if ((sig->flags & RTE_UMR_SIG_F_COPY_MASK) != 0)
		fprintf(f, ", copy mask 0x%02x", sig->copy_mask);
	fprintf(f, "\n");
	for (uint32_t i = 0; i < damage->nb_flips; i++)
		fprintf(f, "%sblock %u byte %u: bits 0x%02x are flipped\n", prefix,
			damage->flips[i].block, damage->flips[i].byte, damage->flips[i].bits);
	if (damage->nb_ones != 0)
		fprintf(f, "%sblock %u: %u bytes of its tags are 0xff\n", prefix,
			damage->ones_block, damage->nb_ones);
}

static void
error_print(const struct rte_umr_mkey_error *error, char *text, size_t size)
{
	if (error->type == RTE_UMR_MKEY_ERROR_NONE) {
		snprintf(text, size, "no error");
		return;
	}
	snprintf(text, size, "%s of the %s: 0x%" PRIx64 " there, 0x%" PRIx64 " computed, offset %"
		 PRIu64, error->type < RTE_DIM(error_names) ? error_names[error->type] : "?",
		 error->is_wire ? "wire" : "memory", error->expected, error->actual,
		 error->offset);
}

bool
sig_check(struct rte_umr_mkey *mkey, const struct rte_umr_mkey_error *expected, char *why,
	  size_t why_size)
{
	char want[128], have[128];
	struct rte_umr_mkey_error error;
	int ret;

	ret = rte_umr_mkey_check(mkey, &error);
	if (ret != 0) {
		snprintf(why, why_size, "checking the key returned %d", ret);
		return false;
	}
	if (error.type == expected->type &&
	    (error.type == RTE_UMR_MKEY_ERROR_NONE ||
	     (error.is_wire == expected->is_wire && error.expected == expected->expected &&
	      error.actual == expected->actual && error.offset == expected->offset)))
		return true;
	error_print(expected, want, sizeof(want));
	error_print(&error, have, sizeof(have));
	snprintf(why, why_size, "the key reports: %s; expected: %s", have, want);
	return false;
}

void
verify_sig_compare(struct rte_umr_mkey *mkey, const struct verify_move *move, uint32_t round,
		   const struct rte_umr_mkey_error *expected, struct case_result *result)
{
	static const struct rte_umr_mkey_error none = { .type = RTE_UMR_MKEY_ERROR_NONE };
	const struct bed_end *end = verify_move_key_end(move);
	struct rte_umr_completion done;
	char why[320];

	/* If the other side started the transfer, no operation completes here. */
	if (rte_umr_completed_status(end->side->dev_id, end->queue_id, 1, &done) != 0 ||
	    rte_umr_recv_completed(end->side->dev_id, end->queue_id, 1, &done) != 0)
		verify_result_set(result, CASE_ERROR, "an operation came back twice");
	else if (!sig_check(mkey, expected, why, sizeof(why)) ||
		 !sig_check(mkey, &none, why, sizeof(why)))
		verify_result_set(result, CASE_MISMATCH, "transfer %u: %s", round + 1, why);
}
