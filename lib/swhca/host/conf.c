/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/link.h"
#include "include/pages.h"
#include "include/quirk.h"
#include "host/conf.h"
#include "host/inject_text.h"
#include "host/wire_conf.h"
#include "base/log.h"

/* In the order of enum swhca_log_level, swhca_model, swhca_link_layer; swhca_stale. */
static const char *const log_words[] = { "none", "error", "warning", "debug", "wqe", NULL };
static const char *const model_words[] = { "cx7", "cx6dx", "cx5", NULL };
static const char *const link_words[] = { "ib", "eth", NULL };
static const char *const crypto_words[] = { "plain", "wrapped", NULL };
static const char *const stale_words[] = { "warn", "error", "follow", NULL };
static const char *const flag_words[] = { "0", "1", NULL };

_Static_assert(sizeof(model_words) / sizeof(model_words[0]) == SWHCA_NB_MODELS + 1,
	       "a word for each model");

static const char *
quirks_check(const char *word)
{
	return swhca_quirks_parse(word, NULL);
}

#define AT(field) .offset = offsetof(struct swhca_conf, field)
#define LIMIT(field, option, variable, lowest, highest, text)                                      \
	{                                                                                          \
		.name = option, .arg = "N", .env = variable, .min = lowest, .max = highest,        \
		.value = highest, .help = text, .is_limit = true, AT(field)                        \
	}

const struct swhca_option swhca_options[] = {
	{ .name = "devices", .letter = 'd', .arg = "N", .env = "SWHCA_DEVICES", .min = 1,
	  .max = SWHCA_MAX_DEVICES, .value = 2, AT(nb_devices),
	  .help = "number of devices: mlx5_0, mlx5_1 ..." },
	{ .name = "model", .letter = 'm', .arg = "MODEL", .env = "SWHCA_MODEL",
	  .words = model_words, .value = SWHCA_MODEL_CX7, AT(model),
	  .help = "adapter: ConnectX-7, ConnectX-6 Dx, ConnectX-5;\nselects ids and capabilities" },
	{ .name = "link-layer", .arg = "LINK", .env = "SWHCA_LINK_LAYER", .words = link_words,
	  .value = SWHCA_LINK_IB, AT(link_layer),
	  .help = "link layer of ports: InfiniBand, Ethernet (RoCE)" },
	{ .name = "wire", .arg = "WIRE", .env = "SWHCA_WIRE", .check = swhca_wire_check,
	  AT(wire),
	  .help = "connection of ports, in the process or by RoCEv2 packets:\n"
		  "inproc: the devices of one process; default\n"
		  "udp: each device of each process uses the next free\n"
		  "  address of 127.0.0.0/8\n"
		  "udp:ADDR[%IF][,ADDR[%IF]]...: one address per device\n"
		  "eth:PORT:PORT:ADDR[,PORT:PORT:ADDR]...: Ethernet frames\n"
		  "  in UDP, as of QEMU: local port, remote port, local\n"
		  "  address" },
	{ .name = "impair", .arg = "FAULTS", .env = "SWHCA_IMPAIR",
	  .check = swhca_link_impair_check, AT(impair),
	  .help = "faults of the wire: loss=P,dup=P,reorder=P,corrupt=P,\n"
		  "delay=USEC[-USEC],seed=N,qp=N; P is 0 to 1, or N%" },
	{ .name = "capture", .arg = "FILE", .env = "SWHCA_CAPTURE", .check = swhca_capture_check,
	  AT(capture), .help = "write sent and received packets to FILE (pcapng)" },
	{ .name = "fault", .arg = "SPEC", .env = "SWHCA_FAULT", .check = swhca_inject_check,
	  AT(fault),
	  .help = "faults of the data path, armed in each device at start:\n"
		  "CLASS[+CLASS]...[,KEY=VALUE]..., as of swhca-ctl fault" },
	{ .name = "crypto", .arg = "MODE", .env = "SWHCA_CRYPTO", .words = crypto_words,
	  .value = 0, AT(has_wrapped_keys),
	  .help = "import of data encryption keys: in plaintext, or\n"
		  "wrapped in a login session" },
	{ .name = "log", .letter = 'l', .arg = "LEVEL", .env = "SWHCA_LOG", .words = log_words,
	  .value = SWHCA_LOG_ERR, AT(log),
	  .help = "log level of the devices, which log to stderr" },
	{ .name = "library", .letter = 'L', .arg = "LIB", .env = "SWHCA_LIB", .is_path = true,
	  .help = "libswhca.so to load; default: that of the build tree\n"
		  "or installation of swhca-run" },
	{ .name = "static-uar", .env = "SWHCA_STATIC_UAR", .words = flag_words,
	  AT(is_uar_static), .help = "static UAR pages, as of kernels before Linux 5.7" },
	{ .name = "no-copy-on-fork", .env = "SWHCA_NO_COPY_ON_FORK", .words = flag_words,
	  AT(is_fork_unsafe),
	  .help = "do not report copy-on-fork, as kernels before Linux 5.12:\n"
		  "libibverbs excludes registered memory from children" },
	{ .name = "acknowledge-only", .env = "SWHCA_ACK_ONLY", .words = flag_words,
	  AT(is_ack_only),
	  .help = "complete WQEs without executing them: no data moves, no key\n"
		  "changes; only for measurements of CPU cost. One doorbell of\n"
		  "a queue may be outstanding: an earlier one may be missed" },
	{ .name = "strict", .env = "SWHCA_STRICT", .words = flag_words, AT(is_strict),
	  .help = "move a queue to error if its doorbell rings before its\n"
		  "doorbell record is written" },
	{ .name = "memlock", .env = "SWHCA_MEMLOCK", .words = flag_words, AT(has_memlock),
	  .help = "keep the limit of locked memory (ulimit -l), as the kernel\n"
		  "does for processes without CAP_IPC_LOCK" },
	{ .name = "strong-fence", .env = "SWHCA_STRONG_FENCE", .words = flag_words,
	  AT(needs_strong_fence),
	  .help = "require strong ordering of UMRs, and reject UMRs without\n"
		  "it" },
	{ .name = "stale-region", .arg = "MODE", .env = "SWHCA_STALE_REGION",
	  .words = stale_words, .value = SWHCA_STALE_WARN, AT(stale_region),
	  .help = "what to do if a pinned region is unmapped, remapped,\n"
		  "discarded or moved: log it, reject its use, or keep its\n"
		  "old pages, as adapters do" },
	{ .name = "quirk", .arg = "NAMES", .env = "SWHCA_QUIRK", .check = quirks_check, AT(quirk),
	  .help = "deviate from the assumed behavior of adapters, see\n"
		  "dpdk-test-umr check; comma-separated, or list" },
	LIMIT(log_max_klm, "log-max-klm", "SWHCA_LOG_MAX_KLM", 1, 16,
	      "log2 of the entries of a memory key"),
	{ .name = "max-indirection", .arg = "N", .env = "SWHCA_MAX_INDIRECTION", .min = 1,
	  .max = 8, .value = 4, .is_limit = true, AT(max_indirection),
	  .help = "levels of nested memory keys" },
	LIMIT(log_max_mkey, "log-max-mkey", "SWHCA_LOG_MAX_MKEY", 6, 22,
	      "log2 of the number of memory keys"),
	LIMIT(log_max_qp, "log-max-qp", "SWHCA_LOG_MAX_QP", 1, 16,
	      "log2 of the number of queue pairs"),
	LIMIT(log_max_qp_sz, "log-max-qp-size", "SWHCA_LOG_MAX_QP_SIZE", 6, 15,
	      "log2 of the entries of a work queue"),
	LIMIT(log_max_cq, "log-max-cq", "SWHCA_LOG_MAX_CQ", 1, 16,
	      "log2 of the number of completion queues"),
	LIMIT(log_max_cq_sz, "log-max-cq-size", "SWHCA_LOG_MAX_CQ_SIZE", 6, 22,
	      "log2 of the entries of a completion queue"),
	{ .name = "log-max-uar", .arg = "N", .env = "SWHCA_LOG_MAX_UAR", .min = 8, .max = 15,
	  .value = 9, .is_limit = true, AT(log_max_uar),
	  .help = "log2 of the number of doorbell pages" },
};

const size_t swhca_nb_options = sizeof(swhca_options) / sizeof(swhca_options[0]);

const struct swhca_option *
swhca_option_find(const char *word)
{
	const struct swhca_option *option;
	size_t i;

	for (i = 0; i < swhca_nb_options; i++) {
		option = &swhca_options[i];
		if (strncmp(word, "--", 2) == 0 && strcmp(word + 2, option->name) == 0)
			return option;
		if (word[0] == '-' && option->letter != 0 && word[1] == option->letter &&
		    word[2] == '\0')
			return option;
	}
	return NULL;
}

static void
words_list(char *text, size_t size, const char *const *words)
{
	size_t len = 0;

	for (; *words != NULL && len < size; words++)
		len += (size_t)snprintf(text + len, size - len, "%s%s", len == 0 ? "" : ", ",
					*words);
}

int
swhca_option_parse(const struct swhca_option *option, const char *name, const char *word,
		   unsigned int *value, char *text, size_t size)
{
	char list[128] = "";
	unsigned long number;
	const char *why;
	unsigned int i;
	char *end;

	if (option->check != NULL) {
		why = strlen(word) >= SWHCA_CONF_TEXT ? "too long" : option->check(word);
		if (why == NULL)
			return 0;
		snprintf(text, size, "%s: %s: %s", name, word, why);
		return -EINVAL;
	}
	if (option->is_path) {
		if (access(word, R_OK) == 0)
			return 0;
		snprintf(text, size, "%s: %s: %s", name, word, strerror(errno));
		return -EINVAL;
	}
	if (option->words != NULL) {
		for (i = 0; option->words[i] != NULL; i++) {
			if (strcmp(word, option->words[i]) == 0) {
				*value = i;
				return 0;
			}
		}
		words_list(list, sizeof(list), option->words);
		snprintf(text, size, "%s: %s: not one of %s", name, word, list);
		return -EINVAL;
	}
	errno = 0;
	number = strtoul(word, &end, 10);
	/* strtoul() accepts spaces and signs. */
	if (word[0] < '0' || word[0] > '9' || *end != '\0' || errno != 0 ||
	    number < option->min || number > option->max) {
		snprintf(text, size, "%s: %s: not a number in %u to %u", name, word, option->min,
			 option->max);
		return -EINVAL;
	}
	*value = (unsigned int)number;
	return 0;
}

/* A text names files and addresses: a program with elevated privileges ignores the environment. */
static int
option_read(const struct swhca_option *option, struct swhca_conf *conf, char *text, size_t size)
{
	void *field = (char *)conf + option->offset;
	unsigned int ignored, *value = option->check != NULL ? &ignored : field;
	const char *word;
	int ret;

	if (option->check != NULL)
		*(char *)field = '\0';
	else
		*value = option->is_limit ? 0 : option->value;
	word = option->check != NULL ? secure_getenv(option->env) : getenv(option->env);
	if (word == NULL || word[0] == '\0')
		return 0;
	ret = swhca_option_parse(option, option->env, word, value, text, size);
	/* Its length was checked. */
	if (ret == 0 && option->check != NULL)
		strcpy(field, word);
	return ret;
}

uint64_t
swhca_conf_quirks(const struct swhca_conf *conf)
{
	uint64_t quirks = 0;

	/* They were checked when they were read. */
	if (conf->quirk[0] != '\0')
		swhca_quirks_parse(conf->quirk, &quirks);
	return quirks;
}

int
swhca_conf_read(struct swhca_conf *conf, char *text, size_t size)
{
	size_t i;
	int ret;

	for (i = 0; i < swhca_nb_options; i++) {
		if (swhca_options[i].is_path)
			continue;
		ret = option_read(&swhca_options[i], conf, text, size);
		if (ret != 0)
			return ret;
	}
	return swhca_wire_conf_finish(conf, getenv("SWHCA_DEVICES") != NULL, text, size);
}

static struct swhca_conf process_conf;

static void
process_conf_read(void)
{
	char text[256];

	if (swhca_conf_read(&process_conf, text, sizeof(text)) == 0)
		return;
	SWHCA_LOG(ERR, "%s; there are no devices", text);
	process_conf = (struct swhca_conf){ .log = SWHCA_LOG_ERR };
}

const struct swhca_conf *
swhca_conf_get(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, process_conf_read);
	return &process_conf;
}
