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
	const uint8_t *in;
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

static const char *
library_of(enum bench_layout layout)
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
		s->sum += crc32_iscsi((uint8_t *)(uintptr_t)s->in + at, (int)len, UINT32_MAX);
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

static bool
pass_measure(struct software *s, const struct bench *bench, enum bench_layout layout,
	     struct software_line *line)
{
	for (uint32_t i = 0; i < NB_WARM_UP + bench->nb_rounds; i++) {
		const uint64_t start = bench_time();

		if (!pass(s, &bench_kinds[layout], line->len)) {
			tool_error("bench: OpenSSL fails");
			return false;
		}
		if (i >= NB_WARM_UP)
			s->values[i - NB_WARM_UP] =
				(double)(bench_time() - start) - bench->tsc_overhead;
	}
	line->bytes = bench_stat_of(s->values, bench->nb_rounds).median;
	return true;
}

static void
report_start(const struct bench *bench, enum tool_format format)
{
	if (format == TOOL_FORMAT_CSV) {
		bench_report_csv_names();
		result_print_csv_head(",layout,entries,batch,bytes,rte_cycles,software_cycles,"
				      "software_gb_per_s,library");
	} else if (format == TOOL_FORMAT_TEXT) {
		bench_report_head(bench);
		printf("%s:\nrte: cycles to post and poll a key, for any number of bytes;\n"
		       "software: cycles to compute the same over all bytes, on the lcore.\n\n"
		       "%-11s %7s %5s %8s | %9s %11s %9s %7s %s\n", note, "layout", "entries",
		       "batch", "bytes", "rte", "software", "GB/s", "by rte", "library");
	}
}

static void
report_line(const struct bench *bench, const struct software_line *line, enum tool_format format)
{
	const char *layout = bench_layout_name(line->row.layout);
	const char *library = library_of(line->row.layout);
	const double gb_per_s = line->len / bench_ns(line->bytes);

	if (format == TOOL_FORMAT_CSV) {
		bench_report_csv_values(bench);
		printf(",%s,%u,%u,%u,%.1f,%.1f,%.4f,%s", layout, line->row.nb_entries,
		       line->row.batch, line->len, line->key, line->bytes, gb_per_s, library);
		result_print_csv_end();
	} else if (format == TOOL_FORMAT_TEXT) {
		printf("%-11s %7u %5u %8u | %9.1f %11.1f %9.3f %7.1f %s\n", layout,
		       line->row.nb_entries, line->row.batch, line->len, line->key, line->bytes,
		       gb_per_s, line->bytes / line->key, library);
		fflush(stdout);
	}
}

static json_t *
line_to_json(const struct software_line *line)
{
	return json_pack("{s:s, s:I, s:I, s:I, s:f, s:f, s:f, s:s}", "layout",
			 bench_layout_name(line->row.layout), "entries",
			 (json_int_t)line->row.nb_entries, "batch", (json_int_t)line->row.batch,
			 "bytes", (json_int_t)line->len, "rte_cycles", line->key,
			 "software_cycles", line->bytes, "software_gb_per_s",
			 line->len / bench_ns(line->bytes), "library",
			 library_of(line->row.layout));
}

static enum tool_exit
lines_run(struct software *s, struct bench *bench, const struct bench_conf *conf,
	  struct bench_report_row *rows, uint32_t nb)
{
	json_t *lines = json_array(), *report;

	report_start(bench, conf->format);
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
			if (!pass_measure(s, bench, line.row.layout, &line))
				goto fail;
			report_line(bench, &line, conf->format);
			json_array_append_new(lines, line_to_json(&line));
		}
	}
	report = bench_report_env(bench);
	json_object_set_new(report, "note", json_string(note));
	json_object_set_new(report, "software", lines);
	if (conf->format == TOOL_FORMAT_JSON)
		result_print_json(report);
	else
		json_decref(report);
	return TOOL_OK;

fail:
	json_decref(lines);
	return TOOL_FAILED;
}

/* The two keys of XTS must differ. */
static bool
cipher_create(struct software *s)
{
	static const uint8_t key[32] = { 1, 2, 3 };
	static const uint8_t tweak[16];

	s->cipher = EVP_CIPHER_CTX_new();
	return s->cipher != NULL &&
	       EVP_EncryptInit_ex(s->cipher, EVP_aes_128_xts(), NULL, key, tweak) == 1;
}

enum tool_exit
bench_software_run(struct bench *bench, const struct bench_conf *conf,
		   struct bench_report_row *rows, uint32_t nb)
{
	enum tool_exit ret = TOOL_SETUP;
	struct software s = { 0 };
	uint8_t *in, *out;
	size_t max = 0;

	for (uint32_t i = 0; i < conf->sizes.nb; i++)
		max = RTE_MAX(max, (size_t)RTE_ALIGN_CEIL(conf->sizes.values[i], DATA_ALIGN));
	s.in = in = aligned_alloc(DATA_ALIGN, max);
	s.out = out = aligned_alloc(DATA_ALIGN, max);
	s.values = calloc(bench->nb_rounds, sizeof(s.values[0]));
	if (in == NULL || out == NULL || s.values == NULL || !cipher_create(&s)) {
		tool_error("bench: no memory or no AES-XTS");
	} else {
		memset(in, 0x5a, max);
		ret = lines_run(&s, bench, conf, rows, nb);
	}
	EVP_CIPHER_CTX_free(s.cipher);
	free(s.values);
	free(out);
	free(in);
	return ret;
}
