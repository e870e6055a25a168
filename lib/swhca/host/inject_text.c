/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mlx5_prm_wqe.h"
#include "host/inject_text.h"
#include "host/text.h"

/* Not used by any check of the model (queue/wqe.h), to identify injected errors. */
#define VENDOR_DEFAULT 0xfau
#define TIME_DEFAULT_US 1000u
#define NTH_MAX UINT32_MAX
/* Longer than any program runs. */
#define FOR_MAX_US (UINT64_C(1000000) * 86400)

#define CLASS(name) (1u << SWHCA_INJECT_##name)
#define ALL_CLASSES ((1u << SWHCA_NB_INJECT_CLASSES) - 1)
#define TIMED                                                                                      \
	(CLASS(CQE_DELAY) | CLASS(DOORBELL_DELAY) | CLASS(ENGINE_STALL) | CLASS(QP_DELAY) |        \
	 CLASS(ODP_DELAY))

static const char *const class_names[SWHCA_NB_INJECT_CLASSES] = {
	[SWHCA_INJECT_ERROR_CQE] = "error-cqe",
	[SWHCA_INJECT_CQE_DELAY] = "cqe-delay",
	[SWHCA_INJECT_DOORBELL_DROP] = "doorbell-drop",
	[SWHCA_INJECT_DOORBELL_DELAY] = "doorbell-delay",
	[SWHCA_INJECT_ENGINE_STALL] = "engine-stall",
	[SWHCA_INJECT_QP_DELAY] = "qp-delay",
	[SWHCA_INJECT_FATAL] = "fatal",
	[SWHCA_INJECT_UNMAP] = "unmap",
	[SWHCA_INJECT_ODP_DELAY] = "odp-delay",
};

const char swhca_inject_no_class[] =
	"a class is none of error-cqe, cqe-delay, doorbell-drop, doorbell-delay, engine-stall, "
	"qp-delay, fatal, unmap, odp-delay";

/* Keys, in output order. */
enum key {
	KEY_QP, KEY_SIDE, KEY_ADDR, KEY_LEN, KEY_NTH, KEY_ONE_OF, KEY_SEED, KEY_COUNT, KEY_FOR,
	KEY_TIME, KEY_SYNDROME, KEY_VENDOR, NB_KEYS,
};

static const struct {
	const char *name;
	uint32_t classes;	/* that support it */
	uint64_t min;
	uint64_t max;
} keys[NB_KEYS] = {
	[KEY_QP] = { "qp", ALL_CLASSES, 0, 0xffffff },
	[KEY_SIDE] = { "side", CLASS(ERROR_CQE) | CLASS(UNMAP), 0, 0 },
	[KEY_ADDR] = { "addr", CLASS(UNMAP), 0, UINT64_MAX },
	[KEY_LEN] = { "len", CLASS(UNMAP), 1, UINT64_MAX },
	[KEY_NTH] = { "nth", ALL_CLASSES, 1, NTH_MAX },
	[KEY_ONE_OF] = { "one-of", ALL_CLASSES, 1, NTH_MAX },
	[KEY_SEED] = { "seed", ALL_CLASSES, 0, UINT64_MAX },
	[KEY_COUNT] = { "count", ALL_CLASSES, 0, NTH_MAX },
	[KEY_FOR] = { "for", ALL_CLASSES, 1, FOR_MAX_US },
	[KEY_TIME] = { "time", TIMED, 1, SWHCA_INJECT_MAX_US },
	[KEY_SYNDROME] = { "syndrome", CLASS(ERROR_CQE), 1, UINT8_MAX },
	[KEY_VENDOR] = { "vendor", CLASS(ERROR_CQE), 0, UINT8_MAX },
};

/* IBTA 11.6.2, Completion return status. */
static const struct {
	const char *name;
	uint8_t syndrome;
} syndromes[] = {
	{ "local-length", MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR },
	{ "local-qp-op", MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR },
	{ "local-prot", MLX5_CQE_SYNDROME_LOCAL_PROT_ERR },
	{ "flush", MLX5_CQE_SYNDROME_WR_FLUSH_ERR },
	{ "mw-bind", MLX5_CQE_SYNDROME_MW_BIND_ERR },
	{ "bad-resp", MLX5_CQE_SYNDROME_BAD_RESP_ERR },
	{ "local-access", MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR },
	{ "remote-inval-req", MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR },
	{ "remote-access", MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR },
	{ "remote-op", MLX5_CQE_SYNDROME_REMOTE_OP_ERR },
	{ "transport-retry", MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR },
	{ "rnr-retry", MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR },
	{ "remote-aborted", MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR },
};

/* State of the parser. */
struct reading {
	uint32_t classes;	/* named */
	uint32_t given;		/* bit n: key n */
	struct swhca_inject inject;
};

const char *
swhca_inject_class_name(enum swhca_inject_class cls)
{
	return class_names[cls];
}

enum swhca_inject_class
swhca_inject_class_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < SWHCA_NB_INJECT_CLASSES; i++)
		if (strcmp(name, class_names[i]) == 0)
			break;
	return (enum swhca_inject_class)i;
}

/* Decimal, or hexadecimal after 0x: digits only, which strtoull(3) does not enforce. */
static bool
number_read(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
	const char *at = text + (base == 16 ? 2 : 0), *digit;
	uint64_t sum = 0;

	if (*at == '\0')
		return false;
	for (; *at != '\0'; at++) {
		digit = memchr(digits, *at >= 'A' && *at <= 'F' ? *at - 'A' + 'a' : *at, base);
		if (digit == NULL || sum > (max - (uint64_t)(digit - digits)) / base)
			return false;
		sum = sum * base + (uint64_t)(digit - digits);
	}
	*value = sum;
	return sum >= min;
}

static bool
side_read(const char *value, struct reading *reading)
{
	static const struct {
		const char *word;
		uint32_t classes;
		uint8_t sides;
	} words[] = {
		{ "send", CLASS(ERROR_CQE), SWHCA_INJECT_LOCAL },
		{ "recv", CLASS(ERROR_CQE), SWHCA_INJECT_REMOTE },
		{ "local", CLASS(UNMAP), SWHCA_INJECT_LOCAL },
		{ "remote", CLASS(UNMAP), SWHCA_INJECT_REMOTE },
	};
	const uint32_t sided = reading->classes & keys[KEY_SIDE].classes;
	size_t i;

	/* A word must be valid for each class with sides. */
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(value, words[i].word) != 0 || sided != words[i].classes)
			continue;
		reading->inject.sides = words[i].sides;
		return true;
	}
	return false;
}

static bool
syndrome_read(const char *value, struct reading *reading)
{
	uint64_t number;
	size_t i;

	for (i = 0; i < sizeof(syndromes) / sizeof(syndromes[0]); i++) {
		if (strcmp(value, syndromes[i].name) == 0) {
			reading->inject.syndrome = syndromes[i].syndrome;
			return true;
		}
	}
	if (!number_read(value, keys[KEY_SYNDROME].min, keys[KEY_SYNDROME].max, &number))
		return false;
	reading->inject.syndrome = (uint8_t)number;
	return true;
}

/* Numeric keys. */
static void
number_set(struct swhca_inject *inject, enum key key, uint64_t number)
{
	switch (key) {
	case KEY_QP:
		inject->has_qpn = true;
		inject->qpn = (uint32_t)number;
		break;
	case KEY_ADDR:
		inject->addr = number;
		break;
	case KEY_LEN:
		inject->len = number;
		break;
	case KEY_NTH:
		inject->nth = number;
		break;
	case KEY_ONE_OF:
		inject->one_of = number;
		break;
	case KEY_SEED:
		inject->seed = number;
		break;
	case KEY_COUNT:
		inject->count = number;
		break;
	case KEY_FOR:
		inject->for_us = number;
		break;
	case KEY_TIME:
		inject->time_us = (uint32_t)number;
		break;
	case KEY_VENDOR:
	default:
		inject->vendor = (uint8_t)number;
		break;
	}
}

/* Parse KEY=VALUE. @return Error message, valid until the next call of the thread, or NULL. */
static const char *
key_read(const char *item, struct reading *reading)
{
	size_t len = strcspn(item, "=");
	const char *value = item[len] == '=' ? item + len + 1 : item + len;
	static __thread char why[96];
	uint64_t number;
	unsigned int i;

	for (i = 0; i < NB_KEYS; i++)
		if (strlen(keys[i].name) == len && strncmp(item, keys[i].name, len) == 0)
			break;
	if (i == NB_KEYS)
		return "a key is none of qp, side, addr, len, nth, one-of, seed, count, for, time, "
		       "syndrome, vendor";
	if ((reading->classes & keys[i].classes) == 0)
		return "a key that its class does not have";
	if ((reading->given & 1u << i) != 0)
		return "a key twice";
	reading->given |= 1u << i;
	if (i == KEY_SIDE)
		return side_read(value, reading) ? NULL :
						   "not send or recv, or local or remote";
	if (i == KEY_SYNDROME)
		return syndrome_read(value, reading) ? NULL : "not a syndrome";
	if (!number_read(value, keys[i].min, keys[i].max, &number)) {
		snprintf(why, sizeof(why), "%s is not a number in [%" PRIu64 ", %" PRIu64 "]",
			 keys[i].name, keys[i].min, keys[i].max);
		return why;
	}
	number_set(&reading->inject, (enum key)i, number);
	return NULL;
}

/* Parse CLASS[+CLASS]... @return Error message, or NULL. */
static const char *
classes_read(char *text, uint32_t *classes)
{
	unsigned int cls;
	char *word;

	*classes = 0;
	while ((word = strsep(&text, "+")) != NULL) {
		cls = swhca_inject_class_find(word);
		if (cls == SWHCA_NB_INJECT_CLASSES)
			return swhca_inject_no_class;
		*classes |= 1u << cls;
	}
	return NULL;
}

static const char *
text_read(const char *text, struct reading *reading)
{
	char copy[SWHCA_INJECT_TEXT_MAX], *rest = copy, *item;
	const char *why;

	*reading = (struct reading){
		.inject = {
			.syndrome = MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR,
			.vendor = VENDOR_DEFAULT,
			.nth = 1,
			.count = 1,
			.one_of = 1,
			.seed = 1,
			.time_us = TIME_DEFAULT_US,
		},
	};
	if (strlen(text) >= sizeof(copy))
		return "longer than 255 bytes";
	strcpy(copy, text);
	why = classes_read(strsep(&rest, ","), &reading->classes);
	while (why == NULL && (item = strsep(&rest, ",")) != NULL)
		why = key_read(item, reading);
	return why;
}

/* Keys given for several classes apply to each that supports them. */
static struct swhca_inject
inject_of(const struct reading *reading, enum swhca_inject_class cls)
{
	struct swhca_inject inject = reading->inject;

	inject.cls = cls;
	if ((reading->given & 1u << KEY_ONE_OF) != 0 && (reading->given & 1u << KEY_COUNT) == 0)
		inject.count = 0;
	if (inject.sides == 0)
		inject.sides = cls == SWHCA_INJECT_ERROR_CQE ?
				       SWHCA_INJECT_LOCAL :
				       SWHCA_INJECT_LOCAL | SWHCA_INJECT_REMOTE;
	return inject;
}

const char *
swhca_inject_read(const char *text, struct swhca_inject injects[SWHCA_NB_INJECT_CLASSES],
		  unsigned int *nb)
{
	struct reading reading;
	const char *why = text_read(text, &reading);
	unsigned int i;

	if (why != NULL)
		return why;
	if ((reading.classes & CLASS(UNMAP)) != 0 &&
	    (~reading.given & (1u << KEY_ADDR | 1u << KEY_LEN)) != 0)
		return "unmap needs addr and len";
	*nb = 0;
	for (i = 0; i < SWHCA_NB_INJECT_CLASSES; i++)
		if ((reading.classes & 1u << i) != 0)
			injects[(*nb)++] = inject_of(&reading, (enum swhca_inject_class)i);
	return NULL;
}

const char *
swhca_inject_check(const char *text)
{
	struct swhca_inject ignored[SWHCA_NB_INJECT_CLASSES];
	unsigned int nb;

	return swhca_inject_read(text, ignored, &nb);
}

int
swhca_inject_arm(struct swhca_hca *hca, const char *text)
{
	struct swhca_inject injects[SWHCA_NB_INJECT_CLASSES];
	unsigned int nb = 0;

	if (text[0] == '\0')
		return 0;
	if (swhca_inject_read(text, injects, &nb) != NULL)
		return -EINVAL;
	return swhca_hca_inject(hca, injects, nb);
}

static const char *
side_name(const struct swhca_inject *inject)
{
	bool is_local = (inject->sides & SWHCA_INJECT_LOCAL) != 0;

	if (inject->cls == SWHCA_INJECT_ERROR_CQE)
		return is_local ? "send" : "recv";
	return is_local ? "local" : "remote";
}

size_t
swhca_inject_print(const struct swhca_inject_state *state, char *text, size_t size)
{
	const struct swhca_inject *inject = &state->inject;
	const uint32_t cls = 1u << inject->cls;
	size_t len = swhca_text_append(text, size, 0, "%s", class_names[inject->cls]);

	if (inject->has_qpn)
		len = swhca_text_append(text, size, len, ",qp=0x%x", inject->qpn);
	if ((keys[KEY_SIDE].classes & cls) != 0 &&
	    inject->sides != (SWHCA_INJECT_LOCAL | SWHCA_INJECT_REMOTE))
		len = swhca_text_append(text, size, len, ",side=%s", side_name(inject));
	if ((keys[KEY_ADDR].classes & cls) != 0)
		len = swhca_text_append(text, size, len, ",addr=0x%" PRIx64 ",len=%" PRIu64,
					inject->addr, inject->len);
	if (inject->nth != 1)
		len = swhca_text_append(text, size, len, ",nth=%" PRIu64, inject->nth);
	if (inject->one_of != 1)
		len = swhca_text_append(text, size, len, ",one-of=%" PRIu64 ",seed=%" PRIu64,
					inject->one_of, inject->seed);
	/* Random faults are unlimited by default, others fire once. */
	if (inject->count != (inject->one_of == 1))
		len = swhca_text_append(text, size, len, ",count=%" PRIu64, inject->count);
	if (inject->for_us != 0)
		len = swhca_text_append(text, size, len, ",for=%" PRIu64, inject->for_us);
	if ((keys[KEY_TIME].classes & cls) != 0)
		len = swhca_text_append(text, size, len, ",time=%u", inject->time_us);
	if ((keys[KEY_SYNDROME].classes & cls) != 0)
		len = swhca_text_append(text, size, len, ",syndrome=0x%x,vendor=0x%x",
					inject->syndrome, inject->vendor);
	return swhca_text_append(text, size, len, " seen %" PRIu64 " fired %" PRIu64 "%s\n",
				 state->nb_seen, state->nb_fired, state->is_over ? " over" : "");
}
