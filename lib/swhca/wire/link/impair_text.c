/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/log.h"
#include "wire/link/impair.h"
#include "wire/packet/packet.h"

#define TEXT_MAX 256u
#define DELAY_MAX_US 10000000u
#define DECIMALS_MAX 9u

/* Parse digits of a base at the start of a text. @return Rest; NULL: none, or beyond max. */
static const char *
number_read(const char *text, unsigned int base, uint64_t max, uint64_t *value)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = text, *digit;
	uint64_t sum = 0;

	for (; *at != '\0'; at++) {
		digit = memchr(digits, tolower((unsigned char)*at), base);
		if (digit == NULL)
			break;
		if (sum > (max - (uint64_t)(digit - digits)) / base)
			return NULL;
		sum = sum * base + (uint64_t)(digit - digits);
	}
	*value = sum;
	return at != text ? at : NULL;
}

/* Decimal, or hexadecimal after 0x; the whole text. */
static bool
whole_read(const char *text, uint64_t max, uint64_t *value)
{
	bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *end = number_read(text + (is_hex ? 2 : 0), is_hex ? 16 : 10, max, value);

	return end != NULL && *end == '\0';
}

/* After the point: numerator and denominator. @return As number_read(). */
static const char *
decimals_read(const char *text, uint64_t *part, uint64_t *scale)
{
	const char *end = number_read(text, 10, 999999999, part);

	if (end == NULL || (size_t)(end - text) > DECIMALS_MAX)
		return NULL;
	for (; text < end; text++)
		*scale *= 10;
	return end;
}

/* "0.01" or "1%". strtod(3) depends on the locale of the program. */
static bool
chance_read(const char *text, uint64_t *chance)
{
	uint64_t whole = 0, part = 0, scale = 1, one;
	const char *end = text;

	if (*text != '.')
		end = number_read(text, 10, 100, &whole);
	if (end != NULL && *end == '.')
		end = decimals_read(end + 1, &part, &scale);
	if (end == NULL || (*end == '%' ? end[1] : *end) != '\0')
		return false;
	one = *end == '%' ? 100 : 1;
	if (whole * scale + part > one * scale)
		return false;
	/* In two steps: the first number is up to 10^11, thus below 2^37. */
	*chance = ((whole * scale + part) << 24) / (one * scale) << 8;
	return true;
}

static bool
delay_read(const char *text, struct swhca_impair *impair)
{
	const char *end;
	uint64_t min, max;

	end = number_read(text, 10, DELAY_MAX_US, &min);
	if (end == NULL)
		return false;
	max = min;
	if (*end == '-')
		end = number_read(end + 1, 10, DELAY_MAX_US, &max);
	if (end == NULL || *end != '\0' || max < min)
		return false;
	impair->delay_min_us = (uint32_t)min;
	impair->delay_max_us = (uint32_t)max;
	return true;
}

static bool
qp_read(const char *text, struct swhca_impair *impair)
{
	uint64_t qpn;

	if (!whole_read(text, SWHCA_24_BITS, &qpn))
		return false;
	impair->has_qpn = true;
	impair->qpn = (uint32_t)qpn;
	return true;
}

static bool
word_is(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && strncmp(word, name, len) == 0;
}

/* Name, offset and complaint of a member that is a probability. */
#define CHANCE(name)                                                                               \
	#name, offsetof(struct swhca_impair, name), #name " is not in [0, 1], or [0%, 100%]"

/* Parse WORD=VALUE. @return Error message, or NULL. */
static const char *
item_read(const char *item, struct swhca_impair *impair)
{
	static const struct {
		const char *word;
		size_t offset;
		const char *why;
	} chances[] = {
		{ CHANCE(loss) }, { CHANCE(dup) }, { CHANCE(reorder) }, { CHANCE(corrupt) },
	};
	size_t len = strcspn(item, "="), i;
	const char *value = item[len] == '=' ? item + len + 1 : item + len;

	for (i = 0; i < sizeof(chances) / sizeof(chances[0]); i++) {
		uint64_t *chance = (uint64_t *)((uint8_t *)impair + chances[i].offset);

		if (word_is(item, len, chances[i].word))
			return chance_read(value, chance) ? NULL : chances[i].why;
	}
	if (word_is(item, len, "delay"))
		return delay_read(value, impair) ? NULL :
						   "delay is not USEC or USEC-USEC, up to 10000000";
	if (word_is(item, len, "seed"))
		return whole_read(value, UINT64_MAX, &impair->seed) ? NULL : "seed is not a number";
	if (word_is(item, len, "qp"))
		return qp_read(value, impair) ? NULL : "qp is not a number up to 0xffffff";
	return "none of loss, dup, reorder, corrupt, delay, seed, qp, off";
}

/* @return Error message, or NULL; *impair is always written. */
static const char *
text_read(const char *text, struct swhca_impair *impair)
{
	char copy[TEXT_MAX], *item, *rest = NULL;
	const char *why = NULL;

	*impair = (struct swhca_impair){ .seed = 1 };
	if (strlen(text) >= sizeof(copy))
		return "longer than 255 bytes";
	if (strcmp(text, "off") == 0)
		return NULL;
	strcpy(copy, text);
	for (item = strtok_r(copy, ",", &rest); item != NULL && why == NULL;
	     item = strtok_r(NULL, ",", &rest))
		why = item_read(item, impair);
	return why;
}

const char *
swhca_link_impair_check(const char *text)
{
	struct swhca_impair ignored;

	return text_read(text, &ignored);
}

int
swhca_impair_parse(const char *text, struct swhca_impair *impair)
{
	struct swhca_impair got;
	const char *why = text_read(text, &got);

	if (why != NULL) {
		SWHCA_LOG(ERR, "impair: %.64s: %s", text, why);
		return -EINVAL;
	}
	*impair = got;
	return 0;
}

bool
swhca_impair_is_on(const struct swhca_impair *impair)
{
	return impair->loss != 0 || impair->dup != 0 || impair->reorder != 0 ||
	       impair->corrupt != 0 || impair->delay_max_us != 0;
}
