/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <stdarg.h>

#include "dump/text.h"

#define HEX_ROW 16u /* bytes per line */

const char *
prm_name_of(const struct prm_name *table, size_t nb, uint64_t value)
{
	for (size_t i = 0; i < nb; i++)
		if (table[i].value == value)
			return table[i].name;
	return "unknown";
}

void
prm_put(const struct prm_dump *d, const char *format, ...)
{
	va_list args;

	fprintf(d->f, "%*s", (int)d->indent * 2, "");
	va_start(args, format);
	vfprintf(d->f, format, args);
	va_end(args);
	fputc('\n', d->f);
}

void
prm_put_flags(const struct prm_dump *d, const char *name, int digits, uint64_t value,
	      const struct prm_name *table, size_t nb)
{
	const char *separator = "";
	uint64_t rest = value;

	fprintf(d->f, "%*s%s: 0x%0*" PRIx64 " (", (int)d->indent * 2, "", name, digits, value);
	for (size_t i = 0; i < nb; i++) {
		if ((value & table[i].value) == 0)
			continue;
		fprintf(d->f, "%s%s", separator, table[i].name);
		separator = "|";
		rest &= ~table[i].value;
	}
	if (rest != 0)
		fprintf(d->f, "%s0x%" PRIx64, separator, rest);
	else if (value == 0)
		fputs("none", d->f);
	fputs(")\n", d->f);
}

void
prm_put_hex(const struct prm_dump *d, const uint8_t *bytes, size_t len)
{
	for (size_t row = 0; row < len; row += HEX_ROW) {
		fprintf(d->f, "%*s0x%04zx:", (int)d->indent * 2, "", row);
		for (size_t i = row; i < len && i < row + HEX_ROW; i++)
			fprintf(d->f, " %02x", bytes[i]);
		fputc('\n', d->f);
	}
}

const uint8_t *
prm_take(struct prm_dump *d, size_t len)
{
	const uint8_t *bytes = d->bytes + d->pos;

	if (prm_left(d) >= len) {
		d->pos += len;
		return bytes;
	}
	prm_put(d, "truncated: %zu of %zu bytes", prm_left(d), len);
	d->indent++;
	prm_put_hex(d, bytes, prm_left(d));
	d->indent--;
	d->pos = d->len;
	return NULL;
}

void
prm_section_open(struct prm_dump *d, const char *name)
{
	prm_put(d, "%s:", name);
	d->indent++;
}

void
prm_section_close(struct prm_dump *d)
{
	d->indent--;
}

void
prm_put_rest(struct prm_dump *d, const char *name)
{
	size_t len = prm_left(d);

	if (len == 0)
		return;
	prm_section_open(d, name);
	prm_put_hex(d, d->bytes + d->pos, len);
	d->pos = d->len;
	prm_section_close(d);
}
