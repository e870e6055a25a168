/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What a CPU pays for a key with a signature or encryption, beside what it pays to compute the same
 * over the bytes of the key: with OpenSSL and ISA-L. Both are costs of a CPU; the speed of a device
 * or model is not measured here.
 */

#include <stdlib.h>
#include <string.h>

#ifdef BENCH_HAS_ISAL
#include <isa-l/crc.h>
#endif
#include <openssl/evp.h>

#include "bench/conf.h"
#include "bench/measure/clock.h"
#include "bench/path/kind.h"
#include "bench/report.h"

#define DATA_ALIGN	64u
/* Unmeasured passes, which bring code and data to the caches. */
#define NB_WARM_UP	4u

static const char note[] = "All columns are the cost of a CPU, none the speed of a device or model";

struct software {
	uint8_t *in;
	uint8_t *out;
	EVP_CIPHER_CTX *cipher;
	double *values;		/* Cycles of each round. */
	uint64_t sum;		/* Keeps results of checksums. */
};

/* A line of the result. */
struct software_line {
	struct bench_row row;
	uint32_t len;
	double key;	/* Cycles. */
	double bytes;	/* Cycles of all bytes. */
};

bool
bench_software_is_offered(enum bench_layout layout)
{
	uint32_t setters = RTE_UMR_MKEY_SET_CRYPTO;

#ifdef BENCH_HAS_ISAL
	setters |= RTE_UMR_MKEY_SET_SIG;
#endif
	return bench_kinds[layout].setters != 0 && (bench_kinds[layout].setters & ~setters) == 0;
}

const char *
bench_software_library(enum bench_layout layout)
{
	const uint32_t setters = bench_kinds[layout].setters;

	if ((setters & RTE_UMR_MKEY_SET_CRYPTO) == 0)
		return "ISA-L";
	return (setters & RTE_UMR_MKEY_SET_SIG) == 0 ? "OpenSSL" : "OpenSSL and ISA-L";
}

/* Encrypt one unit: its tweak is its number. */
static bool
unit_encrypt(struct software *s, uint64_t number, uint32_t at)
{
	uint64_t tweak[2] = { number, 0 };
	int done;

	return EVP_EncryptInit_ex(s->cipher, NULL, NULL, NULL, (const uint8_t *)tweak) == 1 &&
	       EVP_EncryptUpdate(s->cipher, s->out + at, &done, s->in + at, BENCH_UNIT) == 1;
}

/* Compute the checksum of a block, or of all data. */
static void
block_sum(struct software *s, const struct bench_kind *kind, uint32_t at, uint32_t len)
{
#ifdef BENCH_HAS_ISAL
	if (kind->is_trans)
		s->sum += crc32_iscsi(s->in + at, (int)len, UINT32_MAX);
	else if (kind->sig_type == RTE_UMR_SIG_T10DIF_CRC)
		s->sum += crc16_t10dif(0, s->in + at, len);
	else
		s->sum += crc32_gzip_refl(0, s->in + at, len);
#else
	RTE_SET_USED(s);
	RTE_SET_USED(kind);
	RTE_SET_USED(at);
	RTE_SET_USED(len);
#endif
}

/* Compute over all bytes what the key of a layout stands for. */
static bool
pass(struct software *s, const struct bench_kind *kind, uint32_t len)
{
	const uint32_t step = kind->is_trans ? len : BENCH_UNIT;

	for (uint32_t at = 0; at < len; at += step) {
		if ((kind->setters & RTE_UMR_MKEY_SET_CRYPTO) != 0 &&
		    !unit_encrypt(s, at / BENCH_UNIT, at))
			return false;
		if ((kind->setters & RTE_UMR_MKEY_SET_SIG) != 0)
			block_sum(s, kind, at, step);
	}
	return true;
}

/* The two keys of XTS must differ. */
static bool
software_open(struct software *s, uint32_t len, uint32_t nb_rounds)
{
	static const uint8_t tweak[16];
	const size_t size = RTE_ALIGN_CEIL(len, DATA_ALIGN);

	s->in = aligned_alloc(DATA_ALIGN, size);
	s->out = aligned_alloc(DATA_ALIGN, size);
	s->values = calloc(nb_rounds, sizeof(s->values[0]));
	s->cipher = EVP_CIPHER_CTX_new();
	if (s->in == NULL || s->out == NULL || s->values == NULL || s->cipher == NULL)
		return false;
	memset(s->in, 0x5a, size);
	return EVP_EncryptInit_ex(s->cipher, EVP_aes_128_xts(), NULL, bench_aes_keys, tweak) == 1;
}

static void
software_close(struct software *s)
{
	EVP_CIPHER_CTX_free(s->cipher);
	free(s->values);
	free(s->out);
	free(s->in);
}

bool
bench_software_measure(enum bench_layout layout, uint32_t len, uint32_t nb_rounds, double overhead,
		       double *cycles)
{
	struct software s = { 0 };
	bool is_ok = software_open(&s, len, nb_rounds);

	for (uint32_t i = 0; i < NB_WARM_UP + nb_rounds && is_ok; i++) {
		const uint64_t start = bench_time();

		is_ok = pass(&s, &bench_kinds[layout], len);
		if (i >= NB_WARM_UP)
			s.values[i - NB_WARM_UP] = (double)(bench_time() - start) - overhead;
	}
	if (is_ok)
		*cycles = bench_stat_of(s.values, nb_rounds).median;
	else
		tool_error("bench: no memory, or OpenSSL has no AES-XTS");
	software_close(&s);
	return is_ok;
}

static const struct tool_column columns[] = {
	BENCH_ROW_COLUMNS, { .name = "bytes", "bytes", TOOL_COUNT, 8 }, TOOL_BAR,
	{ .name = "rte_cycles", "rte", TOOL_REAL, 9, 1, 1 },
	{ .name = "software_cycles", "software", TOOL_REAL, 11, 1, 1 },
	{ .name = "software_gb_per_s", "GB/s", TOOL_REAL, 9, 3, 4 },
	{ .name = "by_rte", "by rte", TOOL_REAL | TOOL_NO_CSV | TOOL_NO_JSON, 7, 1 },
	{ .name = "library", "library", TOOL_TEXT }, { 0 },
};

static json_t *
line_report(const struct bench *bench, const struct software_line *line, enum tool_format format)
{
	const union tool_cell cells[] = {
		BENCH_ROW_CELLS(&line->row), { line->len }, { line->key }, { line->bytes },
		{ line->len / bench_ns(line->bytes) }, { line->bytes / line->key },
		{ .text = bench_software_library(line->row.layout) },
	};

	bench_report_line(bench, columns, cells, format);
	return tool_line_to_json(columns, cells);
}

enum tool_exit
bench_software_run(struct bench *bench, const struct bench_conf *conf,
		   struct bench_report_row *rows, uint32_t nb)
{
	json_t *lines = json_array(), *report;

	if (conf->format == TOOL_FORMAT_TEXT) {
		bench_report_head(bench);
		printf("%s:\nrte: cycles to post and poll a key, for any number of bytes;\n"
		       "software: cycles to compute the same over all bytes, on the lcore.\n\n",
		       note);
	}
	bench_report_columns(columns, conf->format);
	for (uint32_t i = 0; i < nb; i++) {
		struct software_line line = { .row = rows[i].row };

		if (!bench_software_is_offered(line.row.layout))
			continue;
		bench_progress("rows", i, nb);
		if (!bench_measure(bench, &line.row, &rows[i]))
			goto fail;
		line.key = rows[i].paths[BENCH_RTE].total.median;
		for (uint32_t k = 0; k < conf->sizes.nb; k++) {
			line.len = conf->sizes.values[k];
			if (!bench_software_measure(line.row.layout, line.len, bench->nb_rounds,
						    bench->tsc_overhead, &line.bytes))
				goto fail;
			json_array_append_new(lines, line_report(bench, &line, conf->format));
		}
	}
	report = bench_report_env(bench);
	json_object_set_new(report, "note", json_string(note));
	json_object_set_new(report, "software", lines);
	tool_report_print(report, conf->format);
	return TOOL_OK;

fail:
	json_decref(lines);
	return TOOL_FAILED;
}
