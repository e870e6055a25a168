/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "include/gid.h"
#include "include/hca.h"
#include "include/link.h"
#include "base/log.h"
#include "host/control_addr.h"
#include "host/counters.h"
#include "host/inject_text.h"
#include "host/links.h"
#include "host/server.h"
#include "host/text.h"
#include "front/preload/control.h"
#include "front/ucma/ucma.h"
#include "front/uverbs/call/uverbs.h"
#include "front/uverbs/nl/resource.h"

/* The thread needs little stack. */
#define STACK_BYTES (256u << 10)

/* Address of a device on the wire, as " wire ADDRESS"; empty without a wire. */
static const char *
wire_text(unsigned int index, char text[static INET6_ADDRSTRLEN + 8])
{
	static const char word[] = " wire ";
	struct swhca_link_addr addr;
	bool is_ipv4;

	text[0] = '\0';
	if (!swhca_links_addr(index, &addr))
		return text;
	is_ipv4 = swhca_gid_is_ipv4(addr.gid);
	strcpy(text, word);
	inet_ntop(is_ipv4 ? AF_INET : AF_INET6, is_ipv4 ? addr.gid + 12 : addr.gid,
		  text + sizeof(word) - 1, INET6_ADDRSTRLEN);
	return text;
}

static void
list_answer(char *answer, size_t size)
{
	char wire[INET6_ADDRSTRLEN + 8];
	size_t len = 0;
	unsigned int i;

	answer[0] = '\0';
	for (i = 0; i < swhca_uverbs_nb_devices(); i++) {
		if (swhca_uverbs_is_removed(i))
			len = swhca_text_append(answer, size, len, "mlx5_%u removed\n", i);
		else
			len = swhca_text_append(answer, size, len, "mlx5_%u present port %s%s\n", i,
						swhca_uverbs_port_is_down(i) ? "down" : "up",
						wire_text(i, wire));
	}
}

/* Injected faults that have fired: in total, and by class, with names without hyphens. */
static size_t
stats_faults(const struct swhca_hca_stats *s, char *answer, size_t size, size_t len)
{
	const char *name;
	uint64_t nb_all = 0;
	unsigned int i;

	for (i = 0; i < SWHCA_NB_INJECT_CLASSES; i++)
		nb_all += s->nb_injected[i];
	len = swhca_text_append(answer, size, len, " faults %" PRIu64, nb_all);
	for (i = 0; i < SWHCA_NB_INJECT_CLASSES; i++) {
		len = swhca_text_append(answer, size, len, " fault_");
		name = swhca_inject_class_name((enum swhca_inject_class)i);
		for (; *name != '\0'; name++)
			len = swhca_text_append(answer, size, len, "%c",
						*name == '-' ? '_' : *name);
		len = swhca_text_append(answer, size, len, " %" PRIu64, s->nb_injected[i]);
	}
	return len;
}

/* Counters of wire faults since they were set, for a device on a wire. */
static size_t
stats_impair(unsigned int index, char *answer, size_t size, size_t len)
{
	struct swhca_link_impair_stats s;

	if (swhca_uverbs_impair_stats(index, &s) != 0)
		return len;
	return swhca_text_append(answer, size, len, " wire_lost %" PRIu64 " wire_duplicated %"
				 PRIu64 " wire_reordered %" PRIu64 " wire_corrupted %" PRIu64
				 " wire_delayed %" PRIu64, s.nb_lost, s.nb_duplicated,
				 s.nb_reordered, s.nb_corrupted, s.nb_delayed);
}

/* One line per device: its name, then counters (struct swhca_hca_stats) by name and value. */
static void
stats_answer(char *answer, size_t size)
{
	struct swhca_hca_stats s;
	size_t len = 0;
	unsigned int i;

	answer[0] = '\0';
	for (i = 0; i < swhca_uverbs_nb_devices(); i++) {
		if (swhca_uverbs_stats(i, &s) != 0)
			continue;
		len = swhca_text_append(
			answer, size, len,
			"mlx5_%u cmds %" PRIu64 " cmd_errors %" PRIu64 " doorbells %" PRIu64
			" doorbell_errors %" PRIu64 " wqes %" PRIu64 " cqes %" PRIu64
			" cqe_errors %" PRIu64 " bytes %" PRIu64 " page_faults %" PRIu64
			" page_invalidations %" PRIu64 " page_prefetch %" PRIu64
			" odp_children %" PRIu64 " stale_regions %" PRIu64
			" stale_accesses %" PRIu64 " objects %" PRIu64 " umems %" PRIu64
			" mkeys %" PRIu64,
			i, s.nb_cmds, s.nb_cmd_errors, s.nb_doorbells, s.nb_doorbell_errors,
			s.nb_wqes, s.nb_cqes, s.nb_cqe_errors, s.nb_bytes, s.nb_page_faults,
			s.nb_page_invalidations, s.nb_page_prefetches, s.nb_odp_children,
			s.nb_stale_regions, s.nb_stale_accesses, s.nb_objects, s.nb_umems,
			s.nb_mkeys);
		len = stats_faults(&s, answer, size, len);
		len = stats_impair(i, answer, size, len);
		len = swhca_text_append(answer, size, len, "\n");
	}
}

/* Lines of names and values, with the file names of sysfs. @return Bytes. */
static size_t
counters_list(const char *dir, const struct swhca_counter *counters, size_t nb,
	      const struct swhca_wire_stats *stats, char *answer, size_t size)
{
	size_t len = 0, i;

	for (i = 0; i < nb && len < size; i++)
		len += (size_t)snprintf(answer + len, size - len, "%s/%s %" PRIu64 "\n", dir,
					counters[i].name, counters[i].value(stats));
	return len < size ? len : size - 1;
}

/*
 * Parse a device number: digits only, which scanf(3) and strtoul(3) do not enforce. *rest is the
 * text after it and a space. An impossible number stays invalid.
 */
static bool
device_read(const char *words, unsigned int *index, const char **rest)
{
	unsigned long number;
	char *end;

	if (words[0] < '0' || words[0] > '9')
		return false;
	number = strtoul(words, &end, 10);
	*index = number < UINT_MAX ? (unsigned int)number : UINT_MAX;
	*rest = *end == ' ' ? end + 1 : end;
	return *end == ' ' || *end == '\0';
}

static void
counters_answer(const char *word, char *answer, size_t size)
{
	struct swhca_hca_stats stats;
	const char *rest;
	unsigned int index;
	size_t len;

	if (!device_read(word, &index, &rest) || *rest != '\0') {
		snprintf(answer, size, "error: %.64s: not the number of a device\n", word);
		return;
	}
	if (swhca_uverbs_stats(index, &stats) != 0) {
		snprintf(answer, size, "error: mlx5_%u: %s\n", index, strerror(ENODEV));
		return;
	}
	len = counters_list("counters", swhca_port_counters, swhca_nb_port_counters, &stats.wire,
			    answer, size);
	counters_list("hw_counters", swhca_hw_counters, swhca_nb_hw_counters, &stats.wire,
		      answer + len, size - len);
}

/* Act on the device with a number. */
static void
device_answer(const char *word, int (*act)(unsigned int index), char *answer, size_t size)
{
	unsigned int index;
	const char *rest;
	int ret;

	if (!device_read(word, &index, &rest) || *rest != '\0') {
		snprintf(answer, size, "error: %.64s: not the number of a device\n", word);
		return;
	}
	ret = index < swhca_uverbs_nb_devices() ? act(index) : -ENODEV;
	if (ret != 0)
		snprintf(answer, size, "error: mlx5_%u: %s\n", index, strerror(-ret));
	else
		snprintf(answer, size, "ok\n");
}

/* "N K": let the K-th command of device N from now on fail. */
static void
fail_answer(const char *words, char *answer, size_t size)
{
	unsigned int index;
	const char *rest;
	uint64_t n;
	int len = 0, ret;

	if (!device_read(words, &index, &rest) || rest[0] < '0' || rest[0] > '9' ||
	    sscanf(rest, "%18" SCNu64 "%n", &n, &len) != 1 || rest[len] != '\0') {
		snprintf(answer, size, "error: %.64s: not a device and a number\n", words);
		return;
	}
	ret = swhca_uverbs_cmd_fail(index, n);
	if (ret != 0)
		snprintf(answer, size, "error: mlx5_%u: %s\n", index, strerror(-ret));
	else
		snprintf(answer, size, "ok\n");
}

/* "speed=WORD[,width=LANES]" @return false: it is something else. */
static bool
rate_read(const char *text, struct swhca_port_rate *rate)
{
	unsigned int lanes = 4;
	char name[16];
	int end = 0;

	if (sscanf(text, "speed=%15[a-zA-Z0-9]%n", name, &end) != 1)
		return false;
	text += end;
	end = 0;
	if (*text != '\0' && (sscanf(text, ",width=%2u%n", &lanes, &end) != 1 || text[end] != '\0'))
		return false;
	return swhca_port_rate_find(name, lanes, rate);
}

/* "N speed=WORD[,width=LANES]" @return false: it is something else. */
static bool
rate_answer(const char *words, char *answer, size_t size)
{
	struct swhca_port_rate rate;
	unsigned int index;
	const char *rest;
	int ret;

	if (!device_read(words, &index, &rest) || strncmp(rest, "speed=", 6) != 0)
		return false;
	if (!rate_read(rest, &rate)) {
		snprintf(answer, size, "error: %.64s: no speed=sdr ... ndr, width=1, 2, 4, 8, 12\n",
			 rest);
		return true;
	}
	ret = swhca_uverbs_port_rate_set(index, &rate);
	if (ret != 0)
		snprintf(answer, size, "error: mlx5_%u: %s\n", index, strerror(-ret));
	else
		snprintf(answer, size, "ok\n");
	return true;
}

/* "N down", "N up" or "N speed=...". */
static void
port_answer(const char *words, char *answer, size_t size)
{
	const char *state = strchr(words, ' ');
	char number[16];

	if (rate_answer(words, answer, size))
		return;
	if (state == NULL || (size_t)(state - words) >= sizeof(number) ||
	    (strcmp(state, " down") != 0 && strcmp(state, " up") != 0)) {
		snprintf(answer, size, "error: %.64s: not a device, and down or up\n", words);
		return;
	}
	snprintf(number, sizeof(number), "%.*s", (int)(state - words), words);
	device_answer(number,
		      strcmp(state, " up") == 0 ? swhca_uverbs_port_up : swhca_uverbs_port_down,
		      answer, size);
}

/* "N TEXT": faults of the wire. */
static void
impair_answer(const char *words, char *answer, size_t size)
{
	const char *why, *rest;
	unsigned int index;
	int ret;

	if (!device_read(words, &index, &rest) || *rest == '\0') {
		snprintf(answer, size, "error: %.64s: not a device and a text\n", words);
		return;
	}
	why = swhca_link_impair_check(rest);
	ret = why == NULL ? swhca_uverbs_impair(index, rest) : -EINVAL;
	if (why != NULL)
		snprintf(answer, size, "error: %.128s: %s\n", rest, why);
	else if (ret == -ENODEV)
		snprintf(answer, size, "error: mlx5_%u: is not open, or on no wire\n", index);
	else if (ret != 0)
		snprintf(answer, size, "error: mlx5_%u: %s\n", index, strerror(-ret));
	else
		snprintf(answer, size, "ok\n");
}

/* List armed faults, or a line if there are none. @return As swhca_uverbs_inject_list(). */
static int
faults_list(unsigned int index, char *answer, size_t size)
{
	struct swhca_inject_state states[SWHCA_MAX_INJECTS];
	int nb = swhca_uverbs_inject_list(index, states), i;
	size_t len = 0;

	for (i = 0; i < nb; i++)
		len += swhca_inject_print(&states[i], answer + len, size - len);
	if (nb == 0)
		snprintf(answer, size, "none\n");
	return nb;
}

static int
faults_off(unsigned int index, const char *word)
{
	enum swhca_inject_class cls = SWHCA_NB_INJECT_CLASSES;

	if (*word == ' ') {
		cls = swhca_inject_class_find(word + 1);
		if (cls == SWHCA_NB_INJECT_CLASSES)
			return -EINVAL;
	}
	return swhca_uverbs_inject_off(index, cls);
}

/* @return Error message, or NULL. */
static const char *
faults_arm(unsigned int index, const char *text, int *ret)
{
	struct swhca_inject injects[SWHCA_NB_INJECT_CLASSES];
	unsigned int nb = 0;
	const char *why = swhca_inject_read(text, injects, &nb);

	*ret = why == NULL ? swhca_uverbs_inject(index, injects, nb) : -EINVAL;
	return *ret == -ENOSPC ? "too many are armed, see list and off" : why;
}

/* "N list", "N off", "N off CLASS", "N SPEC": faults of the data path. */
static void
fault_answer(const char *words, char *answer, size_t size)
{
	const char *why = NULL, *text;
	unsigned int index;
	int ret;

	if (!device_read(words, &index, &text) || *text == '\0') {
		snprintf(answer, size, "error: %.64s: not a device and a text\n", words);
		return;
	}
	if (strcmp(text, "list") == 0) {
		ret = faults_list(index, answer, size);
		if (ret >= 0)
			return;
	} else if (strncmp(text, "off", 3) == 0 && (text[3] == '\0' || text[3] == ' ')) {
		ret = faults_off(index, text + 3);
		if (ret == -EINVAL)
			why = swhca_inject_no_class;
	} else {
		why = faults_arm(index, text, &ret);
	}
	if (why != NULL)
		snprintf(answer, size, "error: %.128s: %s\n", text, why);
	else if (ret != 0)
		snprintf(answer, size, "error: mlx5_%u: %s\n", index, strerror(-ret));
	else
		snprintf(answer, size, "ok\n");
}

static int
device_remove(unsigned int index)
{
	int ret = swhca_uverbs_remove(index);

	if (ret == 0)
		swhca_ucma_removed(index);
	return ret;
}

/* Actions on a device: "WORD N". */
static const struct {
	const char *word;
	int (*act)(unsigned int index);
} acts[] = {
	{ "remove ", device_remove },
	{ "crash ", swhca_uverbs_crash },
	{ "halt ", swhca_uverbs_halt },
	{ "resume ", swhca_uverbs_resume },
	{ "delete-credential ", swhca_uverbs_credential_delete },
};

static bool
act_answer(const char *line, char *answer, size_t size)
{
	size_t i, len;

	for (i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		len = strlen(acts[i].word);
		if (strncmp(line, acts[i].word, len) != 0)
			continue;
		device_answer(line + len, acts[i].act, answer, size);
		return true;
	}
	return false;
}

static void
line_answer(const char *line, char *answer, size_t size)
{
	if (strcmp(line, "list") == 0)
		list_answer(answer, size);
	else if (strcmp(line, "stats") == 0)
		stats_answer(answer, size);
	else if (act_answer(line, answer, size))
		return;
	else if (strncmp(line, "fail-command ", 13) == 0)
		fail_answer(line + 13, answer, size);
	else if (strncmp(line, "counters ", 9) == 0)
		counters_answer(line + 9, answer, size);
	else if (strncmp(line, "impair ", 7) == 0)
		impair_answer(line + 7, answer, size);
	else if (strncmp(line, "fault ", 6) == 0)
		fault_answer(line + 6, answer, size);
	else if (strncmp(line, "port ", 5) == 0)
		port_answer(line + 5, answer, size);
	else
		snprintf(answer, size, "error: %.64s: not a command\n", line);
}

static void
serve(int fd, const struct ucred *peer, const void *request, size_t len)
{
	char line[SWHCA_CONTROL_MAX + 1];
	_Alignas(struct swhca_resource) char answer[SWHCA_CONTROL_MAX];

	(void)peer;
	len = len < SWHCA_CONTROL_MAX ? len : SWHCA_CONTROL_MAX;
	memcpy(line, request, len);
	line[len] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "resources ", 10) == 0) {
		len = swhca_resources_answer(line + 10, answer, sizeof(answer));
	} else {
		line_answer(line, answer, sizeof(answer));
		len = strlen(answer);
	}
	send(fd, answer, len, MSG_NOSIGNAL);
}

static struct swhca_server server = {
	.name = "swhca-control",
	.type = SOCK_STREAM,
	.stack_bytes = STACK_BYTES,
	.serve = serve,
	.listener = -1,
};

void
swhca_control_start(void)
{
	struct sockaddr_un addr;
	socklen_t len = swhca_control_addr(getpid(), &addr);
	int ret;

	if (atomic_load(&server.listener) >= 0)
		return;
	ret = swhca_server_start(&server, &addr, len);
	if (ret != 0)
		SWHCA_LOG(ERR, "no control by swhca-ctl: %s", strerror(-ret));
}

void
swhca_control_forget(void)
{
	swhca_server_forget(&server);
}
