/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <dump/dump.h>

#include "main.h"
#include "tool/print.h"

/* More than a whole send ring of a large queue. */
#define DUMP_MAX_BYTES	(16u << 20)
#define CQE_SIZE	64u
#define MKC_SIZE	64u

enum dump_type {
	DUMP_WQE,
	DUMP_CQE,
	DUMP_MKC,
};

/* Bytes parsed so far. */
struct dump_input {
	uint8_t *bytes;
	size_t len;
	size_t size;
	int high;	/* first digit of a byte, -1 between bytes */
};

/* Options of the command line. */
struct dump_conf {
	enum dump_type type;
	enum prm_dump_service service;
	enum tool_format format;
	struct dump_input in;
	bool has_args;
};

static void
print_help(FILE *f)
{
	fprintf(f,
		"Usage: " TOOL_NAME " -- dump [--type wqe|cqe|mkc] [--service TYPE]\n"
		"       [--format FORMAT] [HEX... | -]\n"
		"\n"
		"Decode work queue entries, completion queue entries or memory key contexts.\n"
		"It needs neither a device nor EAL options.\n"
		"\n"
		"  --type TYPE    wqe (default), cqe or mkc\n"
		"  --service TYPE service type of the queue: rc (default, also uc), ud, xrc, dc;\n"
		"                 a WQE does not contain it\n"
		"  --file FILE    read hex digits from a file\n"
		"  --format FORMAT\n"
		"                 table (default), json or csv: a line for each field\n"
		"  HEX...         hex digits; blanks, colons, commas and 0x are ignored\n"
		"  -              read hex digits from standard input (default)\n"
		"\n"
		"Several entries may follow each other as in a ring: CQEs and contexts every 64\n"
		"bytes, WQEs at multiples of 64 bytes according to their size. A '#' starts a\n"
		"comment that ends with the line.\n"
		"\n"
		TOOL_EXIT_HELP "An incomplete entry is a failure (1).\n");
}

static bool
input_add(struct dump_input *in, uint8_t byte)
{
	if (in->len == DUMP_MAX_BYTES) {
		tool_error("dump: more than %u bytes", DUMP_MAX_BYTES);
		return false;
	}
	if (in->len == in->size) {
		size_t size = in->size == 0 ? 4096 : in->size * 2;
		uint8_t *bytes = realloc(in->bytes, size);

		if (bytes == NULL) {
			tool_error("dump: out of memory");
			return false;
		}
		in->bytes = bytes;
		in->size = size;
	}
	in->bytes[in->len++] = byte;
	return true;
}

static int
digit_value(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return tolower(c) - 'a' + 10;
}

/* Drop the zero of a "0x" prefix at its "x". */
static bool
is_prefix_x(const struct dump_input *in, int c)
{
	return (c == 'x' || c == 'X') && in->high == 0;
}

/* Parse one character outside comments. */
static bool
input_char(struct dump_input *in, int c)
{
	if (isxdigit(c)) {
		if (in->high < 0) {
			in->high = digit_value(c);
			return true;
		}
		c = in->high << 4 | digit_value(c);
		in->high = -1;
		return input_add(in, (uint8_t)c);
	}
	if (is_prefix_x(in, c)) {
		in->high = -1;
		return true;
	}
	if (!isspace(c) && c != ':' && c != ',') {
		tool_error("dump: '%c' is not a hex digit", c);
		return false;
	}
	if (in->high >= 0) {
		tool_error("dump: an odd number of hex digits in front of a blank");
		return false;
	}
	return true;
}

static bool
input_text(struct dump_input *in, const char *text)
{
	while (*text != '\0')
		if (!input_char(in, (unsigned char)*text++))
			return false;
	return input_char(in, ' ');
}

static bool
input_file(struct dump_input *in, FILE *f)
{
	bool is_comment = false;
	int c;

	while ((c = fgetc(f)) != EOF) {
		if (c == '#')
			is_comment = true;
		if (c == '\n')
			is_comment = false;
		if (!is_comment && !input_char(in, c))
			return false;
	}
	return input_char(in, ' ');
}

static bool
input_path(struct dump_input *in, const char *path)
{
	FILE *f = fopen(path, "r");
	bool is_ok;

	if (f == NULL) {
		tool_error("dump: %s: %s", path, strerror(errno));
		return false;
	}
	is_ok = input_file(in, f);
	if (is_ok && ferror(f)) {
		tool_error("dump: %s: %s", path, strerror(errno));
		is_ok = false;
	}
	fclose(f);
	return is_ok;
}

static size_t
dump_text(FILE *f, const struct dump_conf *conf, const uint8_t *bytes, size_t len)
{
	switch (conf->type) {
	case DUMP_WQE:
		return prm_wqe_dump_as(f, conf->service, bytes, len);
	case DUMP_CQE:
		prm_cqe_dump(f, bytes, len);
		return CQE_SIZE;
	default:
		prm_mkc_dump(f, bytes, len);
		return MKC_SIZE;
	}
}

/* Decode an entry and print it, or add its tree to entries. Return its size; 0: out of memory. */
static size_t
dump_one(const struct dump_conf *conf, const uint8_t *bytes, size_t len, size_t pos,
	 json_t *entries)
{
	char *text = NULL;
	json_t *tree;
	size_t size, ret;
	FILE *f;

	if (conf->format == TOOL_FORMAT_TEXT)
		return dump_text(stdout, conf, bytes, len);
	f = open_memstream(&text, &size);
	if (f == NULL)
		return 0;
	ret = dump_text(f, conf, bytes, len);
	fclose(f);
	tree = text == NULL ? NULL : tool_tree_of_text(text);
	free(text);
	if (tree == NULL ||
	    json_object_set_new(tree, "offset", json_integer((json_int_t)pos)) != 0 ||
	    json_array_append_new(entries, tree) != 0)
		return 0;
	return ret;
}

/* Print what was decoded, including everything before an incomplete entry. */
static void
dump_print(const struct dump_conf *conf, json_t *entries)
{
	const json_t *entry;
	char number[24];
	size_t i;

	if (conf->format == TOOL_FORMAT_JSON)
		result_print_json(json_pack("{s:O}", "entries", entries));
	if (conf->format != TOOL_FORMAT_CSV)
		return;
	result_print_csv_head("entry,field,value");
	json_array_foreach(entries, i, entry) {
		snprintf(number, sizeof(number), "%zu", i);
		tool_print_csv_leaves(number, entry);
	}
}

/* Whether the entry is complete; the last WQE may omit the end of its last basic block. */
static bool
is_whole(enum dump_type type, const uint8_t *wqe, size_t entry_len, size_t len)
{
	if (type == DUMP_WQE)
		return (wqe[7] & 0x3fu) * 16u <= len;
	return entry_len <= len;
}

static enum tool_exit
dump_all(const struct dump_conf *conf, const struct dump_input *in)
{
	json_t *entries = json_array();
	enum tool_exit ret = TOOL_OK;
	size_t pos = 0, len;

	while (pos < in->len && ret == TOOL_OK) {
		len = dump_one(conf, in->bytes + pos, in->len - pos, pos, entries);
		if (len == 0 || !is_whole(conf->type, in->bytes + pos, len, in->len - pos)) {
			tool_error("dump: the entry at byte %zu is not complete", pos);
			ret = TOOL_FAILED;
		}
		pos += len;
	}
	dump_print(conf, entries);
	json_decref(entries);
	return ret;
}

static bool
parse_file(const char *path, void *conf)
{
	return input_path(&((struct dump_conf *)conf)->in, path);
}

static bool
arg_add(const char *arg, void *conf)
{
	struct dump_input *in = &((struct dump_conf *)conf)->in;

	((struct dump_conf *)conf)->has_args = true;
	return strcmp(arg, "-") == 0 ? input_file(in, stdin) : input_text(in, arg);
}

static const struct tool_word types[] = {
	{ "wqe", DUMP_WQE }, { "cqe", DUMP_CQE }, { "mkc", DUMP_MKC }, { 0 },
};
static const struct tool_word services[] = {
	{ "rc", PRM_DUMP_CONNECTED }, { "ud", PRM_DUMP_DATAGRAM }, { "xrc", PRM_DUMP_XRC },
	{ "dc", PRM_DUMP_DC }, { 0 },
};

static const struct tool_option options[] = {
	{ "type", TOOL_OPTION_WORD, TOOL_AT(struct dump_conf, type), .letter = 't',
	  .words = types },
	{ "service", TOOL_OPTION_WORD, TOOL_AT(struct dump_conf, service), .letter = 's',
	  .words = services },
	{ "file", TOOL_OPTION_PARSE, .letter = 'f', .parse = parse_file },
	TOOL_FORMAT(struct dump_conf),
	{ 0 },
};

static enum tool_exit
dump_run(void *arg)
{
	struct dump_conf *conf = arg;
	enum tool_exit ret = TOOL_USAGE;

	if (!conf->has_args && conf->in.len == 0 && !input_file(&conf->in, stdin))
		return TOOL_USAGE;
	if (conf->in.len == 0)
		tool_error("dump: no bytes given");
	else
		ret = dump_all(conf, &conf->in);
	free(conf->in.bytes);
	return ret;
}

static struct dump_conf dump_conf = { .in.high = -1 };

const struct tool_command cmd_dump = {
	.name = "dump",
	.summary = "decode work queue and completion queue entries from hex",
	.options = options,
	.conf = &dump_conf,
	.print_help = print_help,
	.arg_add = arg_add,
	.run = dump_run,
};
