/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include <dump/dump.h>

#include "tool/print.h"
#include "tool/tool.h"

/* More than a whole send ring of a large queue. */
#define DUMP_MAX_BYTES	(16u << 20)
#define CQE_SIZE	64u
#define MKC_SIZE	64u

enum dump_type {
	DUMP_WQE,
	DUMP_CQE,
	DUMP_MKC,
};

/* Options of the command line. */
struct dump_conf {
	enum dump_type type;
	enum prm_dump_service service;
	enum tool_format format;
};

/* Bytes parsed so far. */
struct dump_input {
	uint8_t *bytes;
	size_t len;
	size_t size;
	int high;	/* first digit of a byte, -1 between bytes */
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
		tool_error("dump: reading %s failed", path);
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
		tool_print_json(json_pack("{s:O}", "entries", entries));
	if (conf->format != TOOL_FORMAT_CSV)
		return;
	printf("entry,field,value\n");
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
parse_type(const char *text, enum dump_type *type)
{
	if (strcmp(text, "wqe") == 0)
		*type = DUMP_WQE;
	else if (strcmp(text, "cqe") == 0)
		*type = DUMP_CQE;
	else if (strcmp(text, "mkc") == 0)
		*type = DUMP_MKC;
	else {
		tool_error("--type: '%s' is not wqe, cqe or mkc", text);
		return false;
	}
	return true;
}

static bool
parse_service(const char *text, enum prm_dump_service *service)
{
	if (strcmp(text, "rc") == 0)
		*service = PRM_DUMP_CONNECTED;
	else if (strcmp(text, "ud") == 0)
		*service = PRM_DUMP_DATAGRAM;
	else if (strcmp(text, "xrc") == 0)
		*service = PRM_DUMP_XRC;
	else if (strcmp(text, "dc") == 0)
		*service = PRM_DUMP_DC;
	else {
		tool_error("--service: '%s' is not rc, ud, xrc or dc", text);
		return false;
	}
	return true;
}

static bool
input_args(struct dump_input *in, int argc, char **argv)
{
	if (optind == argc && in->len == 0)
		return input_file(in, stdin);
	for (int i = optind; i < argc; i++) {
		bool is_ok = strcmp(argv[i], "-") == 0 ? input_file(in, stdin) :
							 input_text(in, argv[i]);

		if (!is_ok)
			return false;
	}
	return true;
}

static const struct option options[] = {
	{ "type", required_argument, NULL, 't' },
	{ "service", required_argument, NULL, 's' },
	{ "file", required_argument, NULL, 'f' },
	{ "format", required_argument, NULL, 'F' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static enum tool_exit
dump_run(int argc, char **argv)
{
	struct dump_input in = { .high = -1 };
	struct dump_conf conf = { .type = DUMP_WQE };
	enum tool_exit ret = TOOL_USAGE;
	int opt;

	while ((opt = getopt_long(argc, argv, "t:s:f:h", options, NULL)) != -1) {
		if (opt == 'h') {
			print_help(stdout);
			ret = TOOL_OK;
			goto free_input;
		}
		if (opt == '?' || (opt == 't' && !parse_type(optarg, &conf.type)) ||
		    (opt == 's' && !parse_service(optarg, &conf.service)) ||
		    (opt == 'f' && !input_path(&in, optarg)) ||
		    (opt == 'F' && !tool_parse_format(optarg, &conf.format)))
			goto free_input;
	}
	if (!input_args(&in, argc, argv))
		goto free_input;
	if (in.len == 0)
		tool_error("dump: no bytes given");
	else
		ret = dump_all(&conf, &in);

free_input:
	free(in.bytes);
	return ret;
}

const struct tool_command cmd_dump = {
	.name = "dump",
	.summary = "decode work queue and completion queue entries from hex",
	.needs_eal = false,
	.options = options,
	.run = dump_run,
};
