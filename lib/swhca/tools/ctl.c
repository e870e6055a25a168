/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Parts of swhca-run that a shell cannot do: options, and the temporary folder.
 *
 *   swhca-ctl help                the text of swhca-run --help
 *   swhca-ctl setup PID ARG...    parse options, sweep, make the folder of process PID;
 *                                 print words in single quotes for a shell: the number of
 *                                 arguments that are options, the folder, then VARIABLE=VALUE
 *                                 for each option; or only the word "help", "quirks" or
 *                                 "check", if that is requested
 *   swhca-ctl quirks              the text of swhca-run --quirk list
 *   swhca-ctl check               the output of swhca-run --check
 *   swhca-ctl finish FOLDER       send the last words of processes that were killed, and
 *                                 remove the folder, unless a process still uses it
 *
 * Actions of a user on the devices of a running program, PID, or of its child processes if it has
 * no devices:
 *
 *   swhca-ctl list PID            its devices
 *   swhca-ctl stats PID           counters of each device by name and value
 *   swhca-ctl counters PID N      counters of the port of device N
 *   swhca-ctl remove PID N        remove device N
 *   swhca-ctl crash PID N         fail its firmware and report it
 *   swhca-ctl halt PID N          hang it silently
 *   swhca-ctl resume PID N        resume it
 *   swhca-ctl delete-credential PID N
 *                                 delete its credential: logins become invalid
 *   swhca-ctl fail-command PID N K
 *                                 make the K-th command of device N from now on fail
 *   swhca-ctl fault PID N SPEC    faults of its data path: arm; list; off [CLASS]
 *   swhca-ctl impair PID N FAULTS faults of its wire
 *   swhca-ctl port PID N down     pull the cable of its port; up: plug it in again
 */

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <umr_version.h>

#include "include/quirk.h"
#include "host/client.h"
#include "host/deadline.h"
#include "host/peer.h"
#include "host/conf.h"
#include "host/control_addr.h"
#include "base/last_words.h"
#include "host/folder.h"
#include "host/sysfs.h"
#include "tools/check.h"

/* Name in messages: swhca-run if it is the caller. */
static const char *program = "swhca-run";

/* As in env(1) and others: the runner failed, not the command. */
#define EXIT_FAIL 125
/* Time limit for the answer of a process. */
#define CONTROL_TIMEOUT_MS 10000
/* Generations below a process that are queried. */
#define MAX_DEPTH 8
/* Size of a command to a process. */
#define MAX_LINE 512

static void
option_print(const struct swhca_option *option)
{
	char left[64], values[128] = "";
	const char *line = option->help, *end;
	size_t len = 0, i;

	snprintf(left, sizeof(left), "%c%c%s --%s%s%s", option->letter != 0 ? '-' : ' ',
		 option->letter != 0 ? option->letter : ' ', option->letter != 0 ? "," : " ",
		 option->name, option->arg != NULL ? " " : "",
		 option->arg != NULL ? option->arg : "");
	for (; (end = strchr(line, '\n')) != NULL; line = end + 1, left[0] = '\0')
		printf("  %-26s %.*s\n", left, (int)(end - line), line);
	printf("  %-26s %s\n", left, line);
	if (option->arg == NULL) {
		printf("  %-26s %s=1\n", "", option->env);
		return;
	}
	if (option->is_path || option->check != NULL) {
		printf("  %-26s %s\n", "", option->env);
		return;
	}
	if (option->words == NULL) {
		printf("  %-26s %u to %u, default %u; %s\n", "", option->min, option->max,
		       option->value, option->env);
		return;
	}
	for (i = 0; option->words[i] != NULL; i++)
		len += (size_t)snprintf(values + len, sizeof(values) - len, "%s%s",
					i == 0 ? "" : ", ", option->words[i]);
	printf("  %-26s %s; default %s; %s\n", "", values, option->words[option->value],
	       option->env);
}

static int
help_print(void)
{
	size_t i;

	puts("usage: swhca-run [OPTION]... COMMAND [ARGUMENT]...\n\n"
	     "Run COMMAND with software ConnectX devices (mlx5_0, mlx5_1) below its libibverbs.\n"
	     "The exit status is that of COMMAND, 125 if an option is wrong or the devices\n"
	     "cannot work, 126 if COMMAND cannot be executed, 127 if it is not found. No files\n"
	     "remain. Each option overrides its environment variable:\n");
	for (i = 0; i < swhca_nb_options; i++)
		option_print(&swhca_options[i]);
	puts("      --check                list what the devices need of the system, and what is\n"
	     "                             available; exit status 1 if they cannot work\n"
	     "      --version              the version\n"
	     "  -h, --help                 this text\n\n"
	     "A temporary folder is created in TMPDIR, /dev/shm, /tmp, XDG_RUNTIME_DIR, /var/tmp\n"
	     "or /run. SYSFS_PATH and SYSFS_PCI_DEVICES in the environment of COMMAND name its\n"
	     "replacements of /sys and /sys/bus/pci/devices.");
	return 0;
}

/* Quote for the shell that reads it. */
static void
word_print(const char *word)
{
	putchar('\'');
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*word);
	}
	puts("'");
}

static int
quirks_print(void)
{
	unsigned int i;

	for (i = 0; i < SWHCA_NB_QUIRKS; i++)
		printf("%-22s %s\n", swhca_quirk_name(i), swhca_quirk_text(i));
	return 0;
}

/*
 * Print text of others safely: bytes that could control a terminal are escaped in the format of
 * printf(1).
 */
static void
text_print(FILE *f, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (text[i] == '\\')
			fputs("\\\\", f);
		else if ((text[i] < ' ' && text[i] != '\n') || text[i] > '~')
			fprintf(f, "\\x%02x", (unsigned char)text[i]);
		else
			putc(text[i], f);
	}
}

static int
fail(const char *text)
{
	fprintf(stderr, "%s: ", program);
	text_print(stderr, text, strlen(text));
	putc('\n', stderr);
	return EXIT_FAIL;
}

/*
 * Options up to the command become variables of our environment, which is checked as a whole
 * afterwards: an invalid variable is an error even without a corresponding option.
 *
 * @return
 *   Number of arguments, or a negative value after a message.
 */
static int
options_parse(int argc, char **argv, const char **names)
{
	const struct swhca_option *option;
	char text[256];
	unsigned int value;
	int i;

	for (i = 0; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--") == 0)
			return i + 1;
		if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
			word_print("help");
			exit(0);
		}
		if (strcmp(argv[i], "--check") == 0 || strcmp(argv[i], "--version") == 0) {
			word_print(argv[i] + 2);
			exit(0);
		}
		option = swhca_option_find(argv[i]);
		if (option == NULL) {
			snprintf(text, sizeof(text), "%s: unknown option (see --help)", argv[i]);
			fail(text);
			return -1;
		}
		names[option - swhca_options] = argv[i];
		if (option->arg == NULL) {
			setenv(option->env, "1", 1);
			continue;
		}
		if (i + 1 == argc) {
			snprintf(text, sizeof(text), "%s: needs a value (see --help)", argv[i]);
			fail(text);
			return -1;
		}
		if (strcmp(option->name, "quirk") == 0 && strcmp(argv[i + 1], "list") == 0) {
			word_print("quirks");
			exit(0);
		}
		if (swhca_option_parse(option, argv[i], argv[i + 1], &value, text, sizeof(text)) !=
		    0) {
			fail(text);
			return -1;
		}
		setenv(option->env, argv[++i], 1);
	}
	return i;
}

/* @return 0, or a negative errno of *call. */
static int
folder_try(const char *parent, pid_t pid, const struct swhca_conf *conf, char *path, size_t size,
	   const char **call)
{
	int ret, fd;

	*call = "mkdir";
	ret = swhca_folder_create(path, size, parent, pid);
	if (ret != 0)
		return ret;
	/* Without locks, no process of the run could use it. */
	fd = swhca_folder_hold(path, call);
	if (fd >= 0) {
		*call = "making links and files in it";
		ret = swhca_sysfs_fill(path, conf);
		close(fd);
	} else {
		ret = fd;
	}
	if (ret != 0)
		swhca_folder_remove(path);
	return ret;
}

/* Make a folder in the first possible parent. @return 0, or -1: why has the reason for each. */
static int
folder_make(pid_t pid, const struct swhca_conf *conf, char *path, size_t size, char *why,
	    size_t why_size)
{
	const char *parent, *call;
	size_t len = 0;
	unsigned int i;
	int ret;

	why[0] = '\0';
	for (i = 0; (parent = swhca_folder_parent(i)) != NULL; i++) {
		if (parent[0] == '\0')
			continue;
		swhca_folder_sweep(parent);
		ret = folder_try(parent, pid, conf, path, size, &call);
		if (ret == 0)
			return 0;
		if (len < why_size)
			len += (size_t)snprintf(why + len, why_size - len, "%s%s: %s: %s",
						len == 0 ? "" : "; ", parent,
						call != NULL ? call : "open", strerror(-ret));
	}
	return -1;
}

static int
setup(int argc, char **argv)
{
	const char *names[64] = { NULL };
	char path[PATH_MAX - 512], why[2 * PATH_MAX], text[sizeof(why) + 256];
	struct swhca_conf conf;
	int nb_args;
	size_t i;

	nb_args = options_parse(argc - 1, argv + 1, names);
	if (nb_args < 0)
		return EXIT_FAIL;
	if (swhca_conf_read(&conf, text, sizeof(text)) != 0)
		return fail(text);
	if (nb_args == argc - 1)
		return fail("no command (see --help)");
	if (folder_make((pid_t)strtol(argv[0], NULL, 10), &conf, path, sizeof(path), why,
			sizeof(why)) != 0) {
		snprintf(text, sizeof(text), "no temporary folder (see --check): %s", why);
		return fail(text);
	}
	printf("%d\n", nb_args);
	word_print(path);
	for (i = 0; i < swhca_nb_options; i++) {
		if (names[i] == NULL)
			continue;
		printf("%s=", swhca_options[i].env);
		word_print(getenv(swhca_options[i].env));
	}
	return 0;
}

/* Check whether the listener is the requested process. */
static bool
is_right(int fd, pid_t pid)
{
	struct ucred peer = { 0 };
	char text[128];

	if (swhca_peer_get(fd, &peer) == 0 && swhca_peer_is_process(&peer, pid))
		return true;
	if (peer.pid == pid)
		snprintf(text, sizeof(text), "process %ld: belongs to user %ld", (long)pid,
			 (long)peer.uid);
	else
		snprintf(text, sizeof(text),
			 "process %ld: its address was taken by process %ld of user %ld", (long)pid,
			 (long)peer.pid, (long)peer.uid);
	fail(text);
	return false;
}

/*
 * Send a line to a process and print its answer.
 *
 * @return
 *   0, 1 (rejected), or a negative errno: -ENOTUNIQ (another process listens there; reported),
 *   -ECONNREFUSED (no listener), -ECONNRESET, -ETIMEDOUT ...
 */
static int
request(pid_t pid, const char *line)
{
	const int64_t deadline = swhca_deadline_in(CONTROL_TIMEOUT_MS);
	char answer[SWHCA_CONTROL_MAX];
	struct sockaddr_un addr;
	socklen_t addr_len = swhca_control_addr(pid, &addr);
	ssize_t len = -ENOTUNIQ;
	int fd;

	fd = swhca_ask_connect(SOCK_STREAM, (const struct sockaddr *)&addr, addr_len, deadline);
	if (fd < 0)
		return fd;
	if (is_right(fd, pid))
		len = swhca_ask(fd, line, strlen(line), answer, sizeof(answer), deadline);
	close(fd);
	if (len < 0)
		return (int)len;
	text_print(stdout, answer, (size_t)len);
	return len >= 6 && memcmp(answer, "error:", 6) == 0 ? 1 : 0;
}

/* Query a process, or else its children. @return As request(); -ECONNREFUSED: no listener. */
static int
request_tree(pid_t pid, const char *line, unsigned int depth)
{
	int ret = request(pid, line), child_ret;
	char path[64];
	long child;
	FILE *f;

	if (ret != -ECONNREFUSED || depth == 0)
		return ret;
	snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", (long)pid, (long)pid);
	f = fopen(path, "re");
	while (f != NULL && fscanf(f, "%ld", &child) == 1) {
		child_ret = request_tree((pid_t)child, line, depth - 1);
		/* The worst answer counts, but no answer only if there is none at all. */
		if (child_ret != -ECONNREFUSED && (ret == -ECONNREFUSED || child_ret != 0))
			ret = child_ret;
	}
	if (f != NULL)
		fclose(f);
	return ret;
}

static int
control(const char *pid_word, const char *line)
{
	char text[128], *end;
	long pid = strtol(pid_word, &end, 10);
	int ret;

	if (pid <= 0 || pid > INT_MAX || *end != '\0') {
		snprintf(text, sizeof(text), "%.32s: not a process number", pid_word);
		return fail(text);
	}
	ret = request_tree((pid_t)pid, line, MAX_DEPTH);
	if (ret == -ENOTUNIQ)
		return EXIT_FAIL;
	if (ret == -ECONNREFUSED) {
		snprintf(text, sizeof(text), "process %ld: %s", pid,
			 kill((pid_t)pid, 0) != 0 && errno == ESRCH ? "does not exist" :
								      "has no devices open");
		return fail(text);
	}
	if (ret == -ECONNRESET) {
		snprintf(text, sizeof(text), "process %ld: hung up without an answer", pid);
		return fail(text);
	}
	if (ret < 0) {
		snprintf(text, sizeof(text), "process %ld: %s", pid, strerror(-ret));
		return fail(text);
	}
	return ret;
}

static int
control_help_print(void)
{
	puts("usage: swhca-ctl COMMAND PID [N [K]]\n\n"
	     "Control the software ConnectX devices of process PID, or of its child processes if\n"
	     "it has no devices (as swhca-run). N is the number of a device, starting at 0.\n\n"
	     "  list PID                   list the devices\n"
	     "  stats PID                  print the counters of each device by name and value\n"
	     "  counters PID N             print the counters of its port, as in sysfs\n"
	     "  remove PID N               remove device N\n"
	     "  crash PID N                fail its firmware, and report it\n"
	     "  halt PID N                 hang it silently\n"
	     "  resume PID N               continue a device that hangs; restart a failed one\n"
	     "                             that has no queues\n"
	     "  delete-credential PID N    delete its credential, so that logins become invalid\n"
	     "  fail-command PID N K       fail its K-th command from now on; 0: none\n"
	     "  port PID N down|up         unplug or plug in the cable of its port;\n"
	     "                             speed=SPEED[,width=LANES]: restart its link with speed\n"
	     "                             sdr, ddr, qdr, fdr10, fdr, edr, hdr or ndr, and 1, 2,\n"
	     "                             4, 8 or 12 lanes\n"
	     "  fault PID N SPEC           arm faults of its data path, as of swhca-run --fault;\n"
	     "                             list: list the armed faults, and how often they fired;\n"
	     "                             off [CLASS]: disarm all, or those of a class\n"
	     "  impair PID N FAULTS        set faults of its wire, as swhca-run --impair, or off\n"
	     "  --version                  the version\n"
	     "  -h, --help                 this text\n\n"
	     "Exit status: 0 done, 1 rejected by the process, 125 no response or wrong usage.");
	return 0;
}

/* Commands for a process: their arguments behind PID. */
static const struct command {
	const char *name;
	const char *args;
	int min;
	int max;
} commands[] = {
	{ "list", "PID", 0, 0 },
	{ "stats", "PID", 0, 0 },
	{ "counters", "PID N", 1, 1 },
	{ "remove", "PID N", 1, 1 },
	{ "crash", "PID N", 1, 1 },
	{ "halt", "PID N", 1, 1 },
	{ "resume", "PID N", 1, 1 },
	{ "delete-credential", "PID N", 1, 1 },
	{ "fail-command", "PID N K", 2, 2 },
	{ "port", "PID N down|up|speed=SPEED[,width=LANES]", 2, 2 },
	{ "impair", "PID N FAULTS|off", 2, 2 },
	{ "fault", "PID N SPEC|list|off [CLASS]", 2, 3 },
};

/* Send a command with its arguments, "fault" "PID" "N" ..., as a line. */
static int
command_run(int argc, char **argv)
{
	char line[MAX_LINE], text[256];
	size_t nb = sizeof(commands) / sizeof(commands[0]), len, i;
	const struct command *command = commands;

	while (command < commands + nb && strcmp(argv[0], command->name) != 0)
		command++;
	if (command == commands + nb) {
		snprintf(text, sizeof(text), "%.32s: no such command (see --help)", argv[0]);
		return fail(text);
	}
	if (argc - 2 < command->min || argc - 2 > command->max ||
	    (argc == 5 && strcmp(argv[3], "off") != 0)) {
		snprintf(text, sizeof(text), "%s: its arguments are %s (see --help)",
			 command->name, command->args);
		return fail(text);
	}
	len = (size_t)snprintf(line, sizeof(line), "%s", command->name);
	for (i = 2; i < (size_t)argc && len < sizeof(line); i++)
		len += (size_t)snprintf(line + len, sizeof(line) - len, " %s", argv[i]);
	if (len >= MAX_LINE) {
		snprintf(text, sizeof(text), "%s: a line of %zu bytes, at most %d", command->name,
			 len, MAX_LINE - 1);
		return fail(text);
	}
	return control(argv[1], line);
}

static int
version_print(const char *name)
{
	printf("%s %s\n", name, UMR_VERSION_TEXT);
	return 0;
}

static void
finish(const char *folder)
{
	int fd = swhca_folder_open(folder);

	if (fd >= 0) {
		swhca_last_words_say(fd);
		close(fd);
	}
	swhca_folder_reap(folder, true);
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "help") == 0)
		return help_print();
	if (argc == 2 && strcmp(argv[1], "quirks") == 0)
		return quirks_print();
	if (argc == 2 && strcmp(argv[1], "version") == 0)
		return version_print("swhca-run");
	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return version_print("swhca-ctl");
	if (argc == 2 && strcmp(argv[1], "check") == 0)
		return swhca_check_print();
	if (argc >= 3 && strcmp(argv[1], "setup") == 0)
		return setup(argc - 2, argv + 2);
	if (argc == 3 && strcmp(argv[1], "finish") == 0) {
		finish(argv[2]);
		return 0;
	}
	program = "swhca-ctl";
	if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return control_help_print();
	return argc == 1 ? fail("no command (see --help)") : command_run(argc - 1, argv + 1);
}
