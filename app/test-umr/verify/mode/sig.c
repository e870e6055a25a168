/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Keys with block signatures: fields are checked, stripped, inserted or copied, in both domains and
 * both directions, and compared with scalar code. rte_umr_mkey_check() must report damaged blocks
 * correctly, once, and again after the key was rearmed.
 *
 * Here, ranges count bytes of the wire domain. The source of a transfer gets valid fields, then
 * damage.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "model/oracle.h"
#include "verify/bed/keys.h"
#include "verify/bed/layout.h"
#include "verify/bed/sig.h"
#include "verify/mode/modes.h"

/* Checksums are computed bit by bit. */
#define SIG_MAX_TOTAL	(24u << 10)
/* Memory for SIG_MAX_TOTAL bytes of data and their fields. */
#define SIG_MAX_IMAGE	(SIG_MAX_TOTAL * 2)

static const struct verify_way ways[] = {
	VERIFY_SIG_WAYS,
	{ "invalidated, and configured without a setter",
	  { VERIFY_STEP_ALL, VERIFY_STEP_INVALIDATE, VERIFY_STEP_NOTHING } },
};

/* Reason why the transfer itself fails. */
enum sig_trouble {
	SIG_NO_TROUBLE,
	SIG_BAD_START,	/* within a block */
	SIG_TOO_LONG,	/* beyond the key */
	SIG_NB_TROUBLES,
};

/* Invalid configurations, which must be rejected. */
static const struct {
	struct verify_rejection rejection;
	struct rte_umr_sig sig;
	uint32_t setters;	/* in addition to that of the signature */
	bool has_no_sig;
	bool is_plain_key;
} rejections[] = {
#define GOOD	.type = RTE_UMR_SIG_T10DIF_CRC, .block_size = 512
	{ { "no signature to set", -EINVAL },
	  .sig = { .mem = { GOOD } }, .has_no_sig = true },
	{ { "a signature of no domain", -EINVAL },
	  .sig = { .mem.block_size = 512 } },
	{ { "an unknown type", -EINVAL },
	  .sig = { .mem = { GOOD }, .wire.type = RTE_UMR_SIG_CRC64_XP10 + 1 } },
	{ { "a block of 1024", -EINVAL },
	  .sig = { .mem = { .type = RTE_UMR_SIG_T10DIF_CRC, .block_size = 1024 } } },
	{ { "an unknown flag of a domain", -EINVAL },
	  .sig = { .mem = { GOOD, .flags = RTE_UMR_SIG_DOMAIN_F_ALL + 1 } } },
	{ { "an unknown flag", -EINVAL },
	  .sig = { .mem = { GOOD }, .flags = RTE_UMR_SIG_F_ALL + 1 } },
	{ { "a reserved field", -EINVAL },
	  .sig = { .mem = { GOOD }, .reserved = 1 } },
	{ { "a copy to another structure", -EINVAL },
	  .sig = { .mem = { GOOD }, .wire = { .type = RTE_UMR_SIG_T10DIF_CRC, .block_size = 4096 },
	    .flags = RTE_UMR_SIG_F_COPY_MASK } },
	{ { "a signature that is set and reset", -EINVAL },
	  .sig = { .mem = { GOOD } },
	  .setters = RTE_UMR_MKEY_RESET_SIG },
	{ { "a key of more than 4 GiB", -ERANGE },
	  .sig = { .mem = { GOOD } },
	  .setters = RTE_UMR_MKEY_SET_LAYOUT },
	{ { "a signature of a plain key", -ENOTSUP },
	  .sig = { .mem = { GOOD } }, .is_plain_key = true },
#undef GOOD
};

struct sig_case {
	struct verify_move move;
	struct layout layout;
	struct rte_umr_sig sig;
	struct sig_damage damage;
	uint64_t data_len;	/* data bytes that are used, in whole units */
	uint32_t way;		/* in ways */
	enum sig_trouble trouble;
	bool has_rejection;
	uint32_t rejection;	/* in rejections */
	uint32_t nb_rounds;	/* transfers, each after a configuration */
};

/* State of a running case. */
struct sig_run {
	const struct sig_case *sc;
	struct rte_umr_mkey *mkey;
	uint32_t round;
	bool is_started;	/* memory has been prepared */
	bool is_passed;		/* error is known */
	struct rte_umr_mkey_error error;	/* expected error of the key */
};

/* The source domain. */
static const struct rte_umr_sig_domain *
from_domain(const struct sig_case *sc)
{
	return verify_move_is_scatter(&sc->move) ? &sc->sig.wire : &sc->sig.mem;
}

/* Generate a layout of whole units; returns its size in data bytes. */
static uint64_t
sig_layout_gen(struct prng *prng, const struct layout_gen_conf *conf,
	       const struct rte_umr_sig *sig, struct layout *layout)
{
	uint32_t unit = sig_unit(sig);
	uint64_t nb, mem_unit = sig_pass_len(&sig->mem, unit);

	do {
		layout_gen(prng, conf, true, layout);
		nb = oracle_len(layout) / mem_unit;
	} while (nb == 0);
	return nb * unit;
}

static void
sig_range_gen(struct sig_case *sc, struct prng *prng)
{
	uint64_t unit = sig_unit(&sc->sig), wire_unit = sig_pass_len(&sc->sig.wire, unit);
	uint64_t nb = sc->data_len / unit, first = prng_between(prng, 0, nb - 1);
	struct verify_move *move = &sc->move;

	if (prng_one_in(prng, 3))
		first = 0;
	nb = prng_one_in(prng, 3) ? nb - first : prng_between(prng, 1, nb - first);
	move->from = first * wire_unit;
	move->len = nb * wire_unit;
	move->nb_parts = 1;
	while (move->nb_parts < VERIFY_MOVE_MAX_PARTS && nb > move->nb_parts &&
	       prng_one_in(prng, 2)) {
		move->part_ends[move->nb_parts - 1] = move->nb_parts * wire_unit;
		move->nb_parts++;
	}
	move->part_ends[move->nb_parts - 1] = move->len;
}

/* One transfer in sixteen must fail. */
static void
sig_trouble_gen(struct sig_case *sc, struct prng *prng)
{
	uint64_t unit = sig_unit(&sc->sig), wire_unit = sig_pass_len(&sc->sig.wire, unit);
	struct verify_move *move = &sc->move;

	if (!prng_one_in(prng, 16))
		return;
	sc->trouble = (enum sig_trouble)prng_between(prng, SIG_NO_TROUBLE + 1,
						     SIG_NB_TROUBLES - 1);
	sc->nb_rounds = 1;
	move->has_error = true;
	move->nb_parts = 1;
	if (sc->trouble == SIG_BAD_START) {
		move->from += prng_between(prng, 1, wire_unit - 1);
	} else {
		move->from = 0;
		move->len = (oracle_len(&sc->layout) / sig_pass_len(&sc->sig.mem, unit) + 1) *
			    wire_unit;
	}
	move->part_ends[0] = move->len;
}

static void
sig_case_gen(void *what, const struct verify_env *env, struct prng *prng)
{
	struct sig_case *sc = what;
	const struct rte_umr_dev_info *info = verify_move_gen_path(&sc->move, env->bed, prng);
	struct layout_gen_conf conf;

	sig_gen(prng, info, &sc->sig);
	/* The BSF uses the space of four entries: the longest lists are not inline. */
	conf = verify_gen_conf_long(info, prng, SIG_MAX_TOTAL);
	sc->data_len = sig_layout_gen(prng, &conf, &sc->sig, &sc->layout);
	sc->way = (uint32_t)prng_between(prng, 0, RTE_DIM(ways) - 1);
	sc->nb_rounds = prng_one_in(prng, 3) ? 2 : 1;
	sc->has_rejection = prng_one_in(prng, 8);
	sc->rejection = (uint32_t)prng_between(prng, 0, RTE_DIM(rejections) - 1);
	sig_damage_gen(prng, from_domain(sc), sc->data_len, &sc->damage);
	sig_range_gen(sc, prng);
	sig_trouble_gen(sc, prng);
	verify_move_gen_places(&sc->move, prng);
}

static void
sig_case_print(FILE *f, const char *prefix, const void *what)
{
	const struct sig_case *sc = what;

	verify_move_print(f, prefix, &sc->move);
	sig_print(f, prefix, &sc->sig, &sc->damage);
	fprintf(f, "%s%s; %u transfers\n", prefix, ways[sc->way].name, sc->nb_rounds);
	if (sc->has_rejection)
		verify_rejection_print(f, prefix, rejections[sc->rejection].rejection.name);
	if (sc->trouble != SIG_NO_TROUBLE)
		fprintf(f, "%sthe transfer %s, so it must fail\n", prefix, sc->trouble ==
			SIG_BAD_START ? "begins within a block" : "goes beyond the key");
	layout_print(f, prefix, &sc->layout);
}

/* Convert wire bytes to data bytes; whole units. */
static uint64_t
data_of(const struct rte_umr_sig *sig, uint64_t wire)
{
	uint64_t unit = sig_unit(sig);

	return wire / sig_pass_len(&sig->wire, unit) * unit;
}

/* Contents of the key after the transfer. */
static uint8_t mem_after[BED_MAX_TOTAL];

static void
run_pass(struct sig_run *run, bool to_wire, uint64_t from, uint64_t len, const uint8_t *in,
	 uint8_t *out)
{
	const struct rte_umr_sig *sig = &run->sc->sig;
	struct rte_umr_mkey_error error = { .type = RTE_UMR_MKEY_ERROR_NONE };

	sig_pass(sig, to_wire, data_of(sig, from), data_of(sig, len), in, out, &error);
	/* The first pass uses the bytes that the device gets. */
	if (!run->is_passed)
		run->error = error;
	run->is_passed = true;
}

/* Compute the wire bytes from memory. */
static void
view_gather(const void *arg, const uint8_t *arena, uint64_t from, uint64_t len, uint8_t *out)
{
	struct sig_run *run = (struct sig_run *)(uintptr_t)arg;
	const struct rte_umr_sig *sig = &run->sc->sig;
	const struct layout *layout = &run->sc->layout;
	static uint8_t mem[SIG_MAX_IMAGE];

	if (run->is_started) {
		oracle_gather(layout, arena, 0, oracle_len(layout), mem_after);
	} else if (run->sc->move.has_error) {
		memset(out, 0x5a, len);
	} else {
		oracle_gather(layout, arena, sig_pass_len(&sig->mem, data_of(sig, from)),
			      sig_pass_len(&sig->mem, data_of(sig, len)), mem);
		run_pass(run, true, from, len, mem, out);
	}
}

/*
 * Compute the memory contents. A source in memory gets the data with its own fields. A transfer
 * that must fail moves nothing.
 */
static void
view_scatter(const void *arg, uint8_t *arena, uint64_t from, uint64_t len, const uint8_t *in)
{
	struct sig_run *run = (struct sig_run *)(uintptr_t)arg;
	const struct sig_case *sc = run->sc;
	const struct rte_umr_sig_domain *mem_domain = &sc->sig.mem;
	uint64_t data_from, data_len;
	static uint8_t mem[SIG_MAX_IMAGE];

	if (run->is_started) {
		oracle_scatter(&sc->layout, arena, 0, oracle_len(&sc->layout), mem_after);
		return;
	}
	if (sc->move.has_error)
		return;
	data_from = data_of(&sc->sig, from);
	data_len = data_of(&sc->sig, len);
	if (verify_move_is_scatter(&sc->move)) {
		run_pass(run, false, from, len, in, mem);
	} else {
		sig_pass_image(mem_domain, data_from, data_len, in, mem);
		sig_damage_do(&sc->damage, mem_domain, data_from, data_len, mem);
	}
	oracle_scatter(&sc->layout, arena, sig_pass_len(mem_domain, data_from),
		       sig_pass_len(mem_domain, data_len), mem);
}

static bool
key_reject(const struct sig_run *run, struct verify_ops *ops)
{
	const struct rte_umr_interleaved entry = verify_long_entry(ops->side);
	const uint32_t i = run->sc->rejection;
	const struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_SIG | rejections[i].setters,
		.sig = rejections[i].has_no_sig ? NULL : &rejections[i].sig,
		.layout = RTE_UMR_LAYOUT_INTERLEAVED, .repeat = 1u << 20,
		.nb_entries = 1, .interleaved = &entry,
	};

	return verify_conf_rejected(ops, rejections[i].is_plain_key ? NULL : run->mkey, &conf,
				    &rejections[i].rejection);
}

/* Invert every byte that will be written to memory, including tags. */
static void
memory_invert(const struct sig_run *run, const struct bed_area *area)
{
	const struct layout *layout = &run->sc->layout;
	uint64_t len = sig_pass_len(&run->sc->sig.mem, data_of(&run->sc->sig, run->sc->move.len));
	uint64_t from = sig_pass_len(&run->sc->sig.mem, data_of(&run->sc->sig, run->sc->move.from));
	static uint8_t mem[SIG_MAX_IMAGE];

	oracle_gather(layout, area->expected, from, len, mem);
	for (uint64_t i = 0; i < len; i++)
		mem[i] = (uint8_t)~mem[i];
	oracle_scatter(layout, area->memory, from, len, mem);
}

static bool
key_make(const void *arg, struct verify_ops *ops)
{
	static const struct rte_umr_mkey_op nothing = { 0 };
	struct sig_run *run = (struct sig_run *)(uintptr_t)arg;
	const struct sig_case *sc = run->sc;

	if (verify_move_is_scatter(&sc->move) && !sc->move.has_error)
		memory_invert(run, &ops->side->layout);
	run->is_started = true;
	if (run->round != 0)
		return verify_conf_add(ops, run->mkey, &nothing);
	if (sc->has_rejection && !key_reject(run, ops))
		return false;
	return verify_sig_configure(&ways[sc->way], ops, run->mkey, &sc->layout, &sc->sig,
				    sc->move.access);
}

/* Make the wire source of a transfer: data with valid fields, then damage. */
static const uint8_t *
source_make(const struct sig_case *sc, const uint8_t *noise)
{
	const struct rte_umr_sig_domain *wire = &sc->sig.wire;
	uint64_t data_from, data_len;
	static uint8_t image[BED_MAX_TOTAL];

	noise += sc->move.noise_offset;
	memcpy(image, noise, sc->move.len);
	if (sc->move.has_error || !verify_move_is_scatter(&sc->move))
		return image;
	data_from = data_of(&sc->sig, sc->move.from);
	data_len = data_of(&sc->sig, sc->move.len);
	sig_pass_image(wire, data_from, data_len, noise, image);
	sig_damage_do(&sc->damage, wire, data_from, data_len, image);
	return image;
}

static void
sig_case_run(const void *what, const struct verify_env *env, struct case_result *result)
{
	const struct sig_case *sc = what;
	const struct bed_side *side = verify_move_key_end(&sc->move)->side;
	struct sig_run run = { .sc = sc, .mkey = verify_key_get(env, side, result) };
	const struct verify_view view = { &run, sc->move.len, view_gather, view_scatter,
					  oracle_find, &sc->layout };
	struct verify_steps steps = { .before = key_make, .arg = &run };
	const uint8_t *source = source_make(sc, env->noise);
	struct verify_move move = sc->move;

	if (run.mkey == NULL)
		return;
	move.noise_offset = 0;
	steps.key = run.mkey->key;
	for (; run.round < sc->nb_rounds && result->outcome == CASE_PASSED; run.round++) {
		run.is_started = false;
		verify_move_run(&move, &view, &steps, source, result);
		if (result->outcome == CASE_PASSED)
			verify_sig_compare(run.mkey, &move, run.round, &run.error, result);
	}
	rte_umr_mkey_put(verify_pool_of(env, side), run.mkey);
}

const struct verify_mode verify_mode_sig = {
	.name = "sig",
	.summary = "layouts with block signatures, and signature errors",
	.capa = RTE_UMR_CAPA_MKEY_SIG | RTE_UMR_CAPA_MKEY_CONFIGURE,
	.bed_conf = &sig_bed_conf,
	.case_size = sizeof(struct sig_case),
	.pools = { VERIFY_SIG_POOL },
	.gen = sig_case_gen,
	.run = sig_case_run,
	.print = sig_case_print,
};
