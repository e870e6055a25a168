/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include <rte_lcore.h>

#include "bench/conf.h"
#include "bench/instr.h"
#include "bench/pipeline/pipeline.h"
#include "bench/report.h"
#include "main.h"
#include "peer/client.h"

#define DEFAULT_ROUNDS		51u
#define MAX_ROUNDS		10001u
#define MAX_KEYS		(1u << 20)
#define MAX_SECONDS		(24u * 3600)

static void
print_help(FILE *f)
{
	fprintf(f,
		"Usage: " TOOL_NAME " [EAL options] -- bench [options]\n"
		"\n"
		"Measure the CPU cost of configuring memory keys, with several methods in one\n"
		"run:\n"
		"  rte      the rte_umr API, with burst functions where they exist\n"
		"  single   the same with one call for each operation of a batch\n"
		"  libmlx5  mlx5dv_wr_mkey_configure(), its setters and ibv_poll_cq()\n"
		"  unlocked the same without locks: a thread domain and a CQ for one thread\n"
#ifdef BENCH_HAS_SPDK
		"  spdk     SPDK's spdk_mlx5_umr_configure() and its variants\n"
#endif
		"  floor    only stores the bytes that rte built to a ring of the same kind, in\n"
		"           the fastest of several ways, with the same doorbell and completion\n"
		"\n"
		"  --layout NAME,...  list, noninline (a list that is too long for a WQE),\n"
		"                     interleaved, nested, invalidate, mixed (a list and a write\n"
		"                     through the key), keyget (get a key from its pool, and put\n"
		"                     it back), update (replace the last %u pieces of a list); a\n"
		"                     list with crypto (AES-XTS), signature (CRC32 of blocks),\n"
		"                     dif (T10-DIF in memory), dif-both (also on the wire),\n"
		"                     sigcrypto (CRC32 and AES-XTS) or transaction (CRC32C of\n"
		"                     all data); or all that the device supports (default:\n"
		"                     list,interleaved). Each list has a new tweak or reference\n"
		"                     tag. One at a time:\n"
		"                     mbuf (chains of mbufs, compared with copies, segments and\n"
		"                     one write each), lookup (find the key of an address,\n"
		"                     compared with the lookup of DPDK's drivers) and register\n"
		"                     (many regions, compared with libibverbs)\n"
		"  --entries N,N...   pieces per key, 1 to %u (default 1,4,16,52; for noninline\n"
		"                     alone 64,256,1024,4096). The limit is %u for interleaved,\n"
		"                     %u with a signature or encryption, %u with both;\n"
		"                     noninline has at least %u\n"
		"  --batch N,N...     operations per doorbell, 1 to %u (default 1,32)\n"
		"  --depth N          descriptors of 64 bytes in the send ring (default %u, or\n"
		"                     what the largest batch needs, or the limit of the device)\n"
		"  --keys N           keys in use (default %u, or fewer on small devices; at\n"
		"                     most 8192 with a signature); for several depths or\n"
		"                     numbers of keys: --measure flat\n"
		"  --order ORDER      order of keys: of allocation from their pool (pool), or\n"
		"                     random\n"
		"  --lcores N         lcores, each with its own queues and keys (default 1)\n"
		"  --calls HOW        rte configures keys with one call per batch (burst,\n"
		"                     default), or with one call per key (single)\n"
		"  --poll HOW         the timed call is the first to read the CQE (cold,\n"
		"                     default), or the wait before it has read it (warm)\n"
		"  --rounds R         rounds per line, 1 to %u (default %u)\n"
		"  --measure WHAT     cost (default)\n"
		"                     latency: from doorbell to completion\n"
		"                     jobs: transfer 2 to 1000 pieces to a peer as one UMR and\n"
		"                     one write, one write each, writes of many segments (also\n"
		"                     by libmlx5), inline, packed by memcpy(), or by\n"
		"                     rte_umr_write_sg(), which chooses\n"
		"                     flat: cost of one row for each --depth N,N,... or\n"
		"                     --keys N,N,...\n"
		"                     lcores: cost of one row while another lcore does the same\n"
		"                     (-l 0,1)\n"
		"                     software: cost of a key with a signature or encryption,\n"
		"                     beside that of computing the same over its bytes (--size,\n"
		"                     default 512,4096,65536) with OpenSSL and ISA-L; all\n"
		"                     such layouts by default\n"
		"                     recover: time to recover a failed queue, %u times or\n"
		"                     --rounds, and its effect on the queue of another lcore\n"
		"  --instructions BY  count instructions with the CPU's counter, if it has one\n"
		"                     (cpu, default); with valgrind in a separate run before\n"
		"                     this one, without AVX-512 (callgrind); or not (off)\n"
		"  --peer HOST[:PORT] measure writes to another process instead, which runs\n"
		"                     '" TOOL_NAME " -- serve': single writes, several at a\n"
		"                     time, and writes of a list of pieces; or what --size,\n"
		"                     --operation and --batch say. Percentiles are of batches,\n"
		"                     GB/s of all queues. With --layout (list, or one with a\n"
		"                     signature or encryption), each operation configures a\n"
		"                     key and goes through it, beside OpenSSL and ISA-L on one\n"
		"                     lcore. Only these options, --queues, --lcores, --rounds,\n"
		"                     --seconds, --device and --format apply. On the software\n"
		"                     ConnectX the result is the speed of the model\n"
		"  --size N,N...      with --peer: bytes of each operation, 1 to %u (default\n"
		"                     64,65536); with --measure software, or --peer and\n"
		"                     --layout: bytes of data of a key, in blocks of %u\n"
		"  --operation OP,OP  with --peer: write (default), read\n"
		"  --queues N         with --peer: queues, 1 to %u (default 1), each of which has\n"
		"                     one batch outstanding; --lcores share them\n"
		"  --seconds S        with --peer: time of each row, instead of --rounds\n"
		"  --compare A B      compare two files with JSON of bench, as of two commits or\n"
		"                     machines, instead: cycles of each row and method, B / A,\n"
		"                     and how far the quartiles of both spread this ratio. Needs\n"
		"                     no device and no EAL; only --format applies\n"
		"  --plot DIR         also draw SVG plots of costs or jobs (needs gnuplot)\n"
		"  --device NAME      device to use (default: the first device)\n"
		"  --format FORMAT    table (default), json or csv\n"
		TOOL_PROGRESS_HELP("         ")
		"\n"
		"N,N... can also be " TOOL_RANGE_HELP ".\n"
		"Default entries and batches that exceed the limits of the device are omitted,\n"
		"with a message.\n"
		"\n",
		BENCH_MAX_UPDATE, BENCH_MAX_ENTRIES, BENCH_MAX_INTERLEAVED, BENCH_MAX_BSF,
		BENCH_MAX_BSFS,
		BENCH_MAX_INLINE + 1,
		BENCH_MAX_BATCH, BENCH_DEFAULT_DEPTH, BENCH_DEFAULT_KEYS, MAX_ROUNDS,
		DEFAULT_ROUNDS, BENCH_RECOVERIES, PEER_MAX_AREA_SIZE, BENCH_UNIT,
		PEER_MAX_QUEUES);
	fprintf(f,
		"How it is measured: a round posts about %u operations (fewer with more than\n"
		"4096 pieces) in batches with one method, then as many with the next. The\n"
		"methods take turns to be first.\n"
		"'post' is the time from the first enqueue call to the return of the call that\n"
		"rings the doorbell. 'poll' is the time of the call that takes the CQE. Neither\n"
		"includes the wait for the device. The wait does not read the CQE, so that the\n"
		"poll reads a cache line that the device has written. Its length is calibrated\n"
		"by batches that are not measured; a batch that has not completed after it is\n"
		"discarded. With --poll warm and --measure latency, the wait reads the CQE,\n"
		"which is in the cache afterwards.\n"
		"\n"
		"Sections are fenced; the cost of fences and of reading the TSC is measured and\n"
		"subtracted. A round is the mean of its batches without the slowest sixteenth; a\n"
		"line is the median of its rounds; ratios are medians of the ratios of rounds.\n"
		"\n"
		"All methods use the same arrays of pieces at the same address, which moves\n"
		"within a page from round to round. They have rings of the same size and memory\n"
		"(hugepages unless EAL runs with --no-huge), use the same number of keys in the\n"
		"same order with the same access, and request one completion per batch. Threads\n"
		"of others, such as the engine of the software ConnectX, are moved to other CPUs\n"
		"than those of lcores where possible.\n"
		"\n"
		"On the software ConnectX the cache lines of the ring move to the engine on\n"
		"another core and back. With 'swhca-run --acknowledge-only' they do not, so that\n"
		"only the cost of the driver is measured. A write detects which of both applies;\n"
		"it is printed with every result.\n"
		"\n"
		TOOL_EXIT_HELP, BENCH_OPS_PER_ROUND);
}

static void
layout_reject(const char *word)
{
	char names[256] = "";
	size_t len = 0;

	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s, ",
					bench_layout_name(i));
	tool_error("--layout: '%s' is not %sall, mbuf, lookup or register", word, names);
}

static bool
layout_add(const char *word, void *arg)
{
	struct bench_conf *conf = arg;
	const bool is_all = strcmp(word, "all") == 0;
	bool is_known = is_all;

	conf->is_all |= is_all;
	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		if (is_all || strcmp(word, bench_layout_name(i)) == 0)
			conf->has_layout[i] = is_known = true;
	for (unsigned int i = 0; i < BENCH_NB_PIPELINES; i++)
		if (strcmp(word, bench_pipeline_name(i)) == 0)
			conf->has_pipeline[i] = conf->is_pipeline = is_known = true;
	if (!is_known)
		layout_reject(word);
	return is_known;
}

/* Number of selected layouts other than one. */
static unsigned int
nb_layouts(const struct bench_conf *conf, enum bench_layout but)
{
	unsigned int nb = 0;

	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		nb += conf->has_layout[i] && i != but;
	return nb;
}

static bool
parse_layouts(const char *text, void *arg)
{
	struct bench_conf *conf = arg;

	memset(conf->has_layout, 0, sizeof(conf->has_layout));
	conf->has_layouts = true;
	if (!tool_parse_list(text, layout_add, conf))
		return false;
	if (!conf->is_pipeline || nb_layouts(conf, BENCH_NB_LAYOUTS) == 0)
		return true;
	tool_error("--layout: mbuf, lookup and register are measured by themselves: %s", text);
	return false;
}

static bool
operation_add(const char *word, void *arg)
{
	static const struct tool_word words[] = { { "write", false }, { "read", true }, { 0 } };
	struct bench_conf *conf = arg;
	unsigned int is_read;

	if (!tool_parse_word("operation", word, strlen(word), words, &is_read))
		return false;
	conf->has_read |= is_read != 0;
	conf->has_write |= is_read == 0;
	return true;
}

static bool
parse_operations(const char *text, void *conf)
{
	return tool_parse_list(text, operation_add, conf);
}

/* Take the second file of --compare. */
static bool
file_add(const char *arg, void *to)
{
	struct bench_conf *conf = to;

	if (conf->compare[0] == NULL || conf->compare[1] != NULL) {
		tool_error("bench: unexpected argument '%s'", arg);
		return false;
	}
	conf->compare[1] = arg;
	return true;
}

/* A combination of options that is rejected, and what is printed then. */
struct rule {
	bool is_broken;
	const char *text;
};

static bool
rules_check(const struct rule *rules, size_t nb)
{
	for (size_t i = 0; i < nb; i++)
		if (rules[i].is_broken) {
			tool_error("%s", rules[i].text);
			return false;
		}
	return true;
}

static bool
compare_check(const struct bench_conf *conf)
{
	const struct rule rule = {
		conf->compare[1] == NULL || conf->has_other || conf->has_layouts ||
		conf->nb_lcores > 1 || conf->has_entries ||
		conf->has_batches || conf->has_rounds || conf->peer != NULL ||
		conf->has_transfer || conf->has_sizes || conf->devices.nb_names != 0,
		"bench: --compare takes two files and --format, and no other option",
	};

	return rules_check(&rule, 1);
}

static bool
peer_check(const struct bench_conf *conf)
{
	const struct rule rules[] = {
		{ conf->peer != NULL && (conf->has_other || conf->has_entries || conf->is_pipeline),
		  "bench: --peer takes --size, --operation, --batch, --queues, --layout, --lcores, "
		  "--rounds, --seconds, --device and --format, and no other option" },
		{ conf->peer != NULL && conf->nb_lcores > conf->nb_queues,
		  "bench: --lcores: each needs a queue of its own (--queues)" },
		{ conf->peer == NULL && (conf->has_transfer ||
					 (conf->has_sizes && conf->mode != BENCH_SOFTWARE)),
		  "bench: --size, --operation, --queues and --seconds need --peer" },
		{ conf->seconds != 0 && conf->has_rounds, "bench: takes --rounds or --seconds" },
	};

	return rules_check(rules, RTE_DIM(rules));
}

/* Whether layouts are measured that compute something. */
static bool
is_computing(const struct bench_conf *conf)
{
	return conf->mode == BENCH_SOFTWARE || (conf->peer != NULL && conf->has_layouts);
}

/* What is not given: all layouts that compute something, and a few sizes. */
static void
software_default(struct bench_conf *conf)
{
	if (!conf->has_layouts)
		layout_add("all", conf);
	if (conf->sizes.nb == 0)
		conf->sizes = (struct tool_numbers){ 3, { 512, 4096, 65536 } };
}

static bool
software_check(const struct bench_conf *conf)
{
	for (uint32_t i = 0; i < conf->sizes.nb; i++)
		if (conf->sizes.values[i] % BENCH_UNIT != 0) {
			tool_error("--size: %u is not a multiple of %u", conf->sizes.values[i],
				   BENCH_UNIT);
			return false;
		}
	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		if (conf->has_layout[i] && !conf->is_all &&
		    !(conf->peer != NULL ? bench_peer_is_offered(i) :
					   bench_software_is_offered(i))) {
			tool_error("%s: %s has no signature or encryption", conf->peer != NULL ?
				   "--peer" : "--measure software", bench_layout_name(i));
			return false;
		}
	return true;
}

static bool
mode_check(const struct bench_conf *conf)
{
	const bool is_cost = conf->mode == BENCH_COST;
	const bool has_callgrind = conf->instr_by == BENCH_INSTR_CALLGRIND;
	const struct rule rules[] = {
		{ (conf->mode == BENCH_FLAT) != (conf->depths.nb > 1 || conf->keys.nb > 1),
		  "--measure: flat, and nothing else, takes several depths or numbers of keys" },
		{ conf->depths.nb > 1 && conf->keys.nb > 1,
		  "--measure flat: takes several depths or several numbers of keys" },
		{ conf->plot_dir != NULL && !is_cost && conf->mode != BENCH_JOBS,
		  "--plot: there are plots of costs and jobs only" },
		{ conf->mode == BENCH_LATENCY && !conf->is_all && conf->has_layout[BENCH_KEYGET],
		  "--measure latency: keyget has no completion" },
		{ !is_cost && has_callgrind, "--instructions: they are counted with costs only" },
		{ !is_cost && conf->nb_lcores > 1,
		  "--lcores: only costs are measured on more than one" },
		{ conf->is_pipeline && (!is_cost || conf->nb_lcores > 1 ||
					conf->plot_dir != NULL || conf->has_entries ||
					conf->has_batches || conf->depth != 0 ||
					conf->nb_keys != 0 || has_callgrind),
		  "--layout: mbuf, lookup and register take --rounds, --poll, --device and "
		  "--format, and no other option" },
	};

	return rules_check(rules, RTE_DIM(rules));
}

/* Check what only EAL knows. */
static bool
lcores_check(const struct bench_conf *conf)
{
	const unsigned int nb = rte_lcore_count();

	if (conf->nb_lcores > nb)
		tool_error("--lcores: %u, but the EAL has %u (-l)", conf->nb_lcores, nb);
	else if (conf->mode == BENCH_LCORES && nb < 2)
		tool_error("--measure lcores: the EAL has 1 lcore, it takes 2 (-l)");
	else
		return true;
	return false;
}

static enum tool_exit
run_conf(const struct bench_conf *conf)
{
	if (conf->peer != NULL)
		return bench_peer_run(conf);
	if (conf->is_pipeline)
		return bench_pipeline_run(conf);
	switch (conf->mode) {
	case BENCH_JOBS:
		return bench_jobs_run(conf);
	case BENCH_FLAT:
		return bench_flat_run(conf);
	case BENCH_RECOVER:
		return bench_recover_run(conf);
	case BENCH_LCORES:
		return bench_lcores_run(conf);
	default:
		return bench_table_run(conf);
	}
}

/* Fill in the numbers of entries if the user chose none. */
static void
entries_default(struct bench_conf *conf)
{
	static const struct tool_numbers usual = { 4, { 1, 4, 16, 52 } };
	static const struct tool_numbers of_noninline = { 4, { 64, 256, 1024, 4096 } };

	if (conf->entries.nb == 0)
		conf->entries = conf->has_layout[BENCH_NONINLINE] &&
				nb_layouts(conf, BENCH_NONINLINE) == 0 ? of_noninline : usual;
}

static const struct tool_word orders[] = { { "pool", false }, { "random", true }, { 0 } };
static const struct tool_word calls[] = { { "burst", false }, { "single", true }, { 0 } };
static const struct tool_word polls[] = { { "cold", false }, { "warm", true }, { 0 } };
static const struct tool_word modes[] = {
	{ "cost", BENCH_COST }, { "latency", BENCH_LATENCY }, { "jobs", BENCH_JOBS },
	{ "flat", BENCH_FLAT }, { "recover", BENCH_RECOVER }, { "lcores", BENCH_LCORES },
	{ "software", BENCH_SOFTWARE }, { 0 },
};
static const struct tool_word counters[] = {
	{ "cpu", BENCH_INSTR_CPU }, { "callgrind", BENCH_INSTR_CALLGRIND },
	{ "off", BENCH_INSTR_OFF }, { 0 },
};

#define AT(member)	TOOL_AT(struct bench_conf, member)
#define GIVEN(member)	.given = offsetof(struct bench_conf, member)
/* An option that does not combine with --peer. */
#define OTHER		GIVEN(has_other)
/* An option that needs --peer. */
#define TRANSFER	GIVEN(has_transfer)

static bool
plot_dir_check(const char *arg)
{
	const char *dot = strrchr(arg, '.');

	if (dot == NULL || strcmp(dot, ".svg") != 0)
		return true;
	tool_error("--plot: %s: takes a folder, and writes a file for each plot into it", arg);
	return false;
}

static const struct tool_option options[] = {
	{ "layout", TOOL_OPTION_PARSE, .parse = parse_layouts },
	{ "entries", TOOL_OPTION_NUMBERS, AT(entries), .min = 1, .max = BENCH_MAX_ENTRIES,
	  GIVEN(has_entries) },
	{ "batch", TOOL_OPTION_NUMBERS, AT(batches), .min = 1, .max = BENCH_MAX_BATCH,
	  GIVEN(has_batches) },
	{ "depth", TOOL_OPTION_NUMBERS, AT(depths), .min = 1, .max = UINT16_MAX, OTHER },
	{ "keys", TOOL_OPTION_NUMBERS, AT(keys), .min = 1, .max = MAX_KEYS, OTHER },
	{ "order", TOOL_OPTION_WORD, AT(is_random), .words = orders, OTHER },
	{ "lcores", TOOL_OPTION_NUMBER, AT(nb_lcores), .min = 1, .max = BENCH_MAX_WORKERS },
	{ "calls", TOOL_OPTION_WORD, AT(is_single), .words = calls, OTHER },
	{ "poll", TOOL_OPTION_WORD, AT(is_poll_warm), .words = polls, OTHER },
	{ "rounds", TOOL_OPTION_NUMBER, AT(nb_rounds), .min = 1, .max = MAX_ROUNDS,
	  GIVEN(has_rounds) },
	{ "measure", TOOL_OPTION_WORD, AT(mode), .words = modes, OTHER },
	{ "instructions", TOOL_OPTION_WORD, AT(instr_by), .words = counters, OTHER },
	{ "peer", TOOL_OPTION_TEXT, AT(peer), .check = peer_where_check },
	{ "size", TOOL_OPTION_NUMBERS, AT(sizes), .min = 1, .max = PEER_MAX_AREA_SIZE,
	  GIVEN(has_sizes) },
	{ "operation", TOOL_OPTION_PARSE, .parse = parse_operations, TRANSFER },
	{ "queues", TOOL_OPTION_NUMBER, AT(nb_queues), .min = 1, .max = PEER_MAX_QUEUES,
	  TRANSFER },
	{ "seconds", TOOL_OPTION_NUMBER, AT(seconds), .min = 1, .max = MAX_SECONDS, TRANSFER },
	{ "compare", TOOL_OPTION_TEXT, AT(compare[0]) },
	{ "plot", TOOL_OPTION_TEXT, AT(plot_dir), .check = plot_dir_check, OTHER },
	{ "device", TOOL_OPTION_DEVICE, AT(devices), .letter = 'd' },
	TOOL_FORMAT(struct bench_conf),
	TOOL_PROGRESS,
	{ 0 },
};

static bool
bench_is_offline(const void *conf)
{
	return ((const struct bench_conf *)conf)->compare[0] != NULL;
}

static bool
bench_check(void *arg)
{
	struct bench_conf *conf = arg;

	if (bench_is_offline(conf))
		return compare_check(conf);
	conf->depth = conf->depths.values[0];
	conf->nb_keys = conf->keys.values[0];
	entries_default(conf);
	if (is_computing(conf))
		software_default(conf);
	return tool_devices_check("bench", &conf->devices) && peer_check(conf) &&
	       (!is_computing(conf) || software_check(conf)) && mode_check(conf);
}

static enum tool_exit
bench_run(void *arg)
{
	struct bench_conf *conf = arg;
	enum tool_exit ret = TOOL_SETUP;

	if (bench_is_offline(conf))
		return bench_compare_run(conf);
	if (!lcores_check(conf))
		return TOOL_USAGE;
	if (conf->plot_dir != NULL && !bench_plot_prepare(conf->plot_dir))
		return TOOL_SETUP;
	if (tool_devices_open(&conf->devices, 1))
		ret = run_conf(conf);
	tool_devices_close(&conf->devices);
	return ret;
}

static struct bench_conf bench_conf = {
	.has_layout = { [BENCH_LIST] = true, [BENCH_INTERLEAVED] = true },
	.batches = { 2, { 1, 32 } },
	.nb_lcores = 1,
	.nb_rounds = DEFAULT_ROUNDS,
	.nb_queues = 1,
	.instr_by = BENCH_INSTR_CPU,
};

const struct tool_command cmd_bench = {
	.name = "bench",
	.summary = "measure the CPU cost of key configuration, compared with libmlx5",
	.needs_eal = true,
	.is_offline = bench_is_offline,
	.options = options,
	.conf = &bench_conf,
	.print_help = print_help,
	.arg_add = file_add,
	.check = bench_check,
	.prepare = bench_instr_prepare,
	.run = bench_run,
};
