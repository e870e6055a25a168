/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "main.h"
#include "peer/proto.h"

#define DEFAULT_IDLE_S	3600u
/* The timeout in milliseconds must fit in an int. */
#define MAX_IDLE_S	(24u * 24 * 3600)

struct serve_conf {
	const char *listen;
	uint64_t idle_s;
	bool is_once;
	struct tool_devices devices;
};

static volatile sig_atomic_t has_quit;

static void
print_help(FILE *f)
{
	fprintf(f,
		"Usage: " TOOL_NAME " [EAL options] -- serve [options]\n"
		"\n"
		"Be the remote side of 'verify --peer', 'bench --peer' and 'soak --peer' of\n"
		"another process, with memory, queues, and keys that it configures on request.\n"
		"It serves one client after the other, until SIGINT or SIGTERM.\n"
		"\n"
		"The processes exchange addresses and requests over TCP. A client has full access\n"
		"to the served memory: admit only clients that you trust.\n"
		"\n"
		"  --listen [ADDR:]PORT\n"
		"                     address and port to listen on (default 127.0.0.1, which\n"
		"                     admits only this host, and port " PEER_DEFAULT_PORT ").\n"
		"                     Port 0 selects a free port, which is printed\n"
		"  --once             exit after the first client\n"
		"  --idle S           exit if no client connects for S seconds (default %u)\n"
		"  --device NAME      device to use (default: the first device)\n"
		"\n"
		TOOL_EXIT_HELP, DEFAULT_IDLE_S);
}

static void
quit(int signum)
{
	(void)signum;
	has_quit = 1;
}

static void
signals_catch(void)
{
	const struct sigaction action = { .sa_handler = quit };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static enum tool_exit
clients_serve(const struct serve_conf *conf, struct channel *listener)
{
	static struct channel client;
	bool is_ok = true;
	int ret;

	printf("listening on %s\n", listener->where);
	fflush(stdout);
	do {
		ret = channel_accept(listener, &client);
		if (ret == -ECANCELED)
			break;
		if (ret == -ETIMEDOUT) {
			tool_error("serve: no client connected for %" PRIu64 " s", conf->idle_s);
			return TOOL_FAILED;
		}
		if (ret != 0) {
			tool_error("serve: %s", listener->why);
			return TOOL_FAILED;
		}
		is_ok = peer_serve(&client, conf->devices.ids[0]) && is_ok;
		channel_close(&client);
	} while (!conf->is_once);
	return is_ok ? TOOL_OK : TOOL_FAILED;
}

static enum tool_exit
serve_run(void *arg)
{
	static struct channel listener;
	struct serve_conf *conf = arg;
	enum tool_exit ret = TOOL_SETUP;

	if (channel_listen(&listener, conf->listen, (int)conf->idle_s * 1000) != 0) {
		tool_error("--listen: %s", listener.why);
		return TOOL_SETUP;
	}
	listener.has_quit = &has_quit;
	if (tool_devices_open(&conf->devices, 1)) {
		signals_catch();
		ret = clients_serve(conf, &listener);
	}
	channel_close(&listener);
	tool_devices_close(&conf->devices);
	return ret;
}

static bool
listen_check(const char *arg)
{
	char why[CHANNEL_WHY_SIZE];

	if (channel_where_check(arg, CHANNEL_LISTEN, why) == 0)
		return true;
	tool_error("--listen: %s", why);
	return false;
}

static const struct tool_option options[] = {
	{ "listen", TOOL_OPTION_TEXT, TOOL_AT(struct serve_conf, listen),
	  .check = listen_check },
	{ "once", TOOL_OPTION_FLAG, TOOL_AT(struct serve_conf, is_once) },
	{ "idle", TOOL_OPTION_NUMBER, TOOL_AT(struct serve_conf, idle_s), .min = 1,
	  .max = MAX_IDLE_S },
	{ "device", TOOL_OPTION_DEVICE, TOOL_AT(struct serve_conf, devices), .letter = 'd' },
	{ 0 },
};

static bool
serve_check(void *conf)
{
	return tool_devices_check("serve", &((struct serve_conf *)conf)->devices);
}

static struct serve_conf serve_conf = { .listen = PEER_DEFAULT_PORT, .idle_s = DEFAULT_IDLE_S };

const struct tool_command cmd_serve = {
	.name = "serve",
	.summary = "be the remote side of verify, bench and soak --peer",
	.needs_eal = true,
	.options = options,
	.conf = &serve_conf,
	.print_help = print_help,
	.check = serve_check,
	.run = serve_run,
};
