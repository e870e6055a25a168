/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * swhca-pci: software adapters as PCI functions of virtual machines, by vfio-user.
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <swhca_parts.h>
#include <umr_version.h>

#include "base/clock.h"
#include "base/log.h"
#include "front/pci/serve.h"
#include "host/conf.h"
#include "host/ident.h"
#include "host/inject_text.h"
#include "host/links.h"
#include "tools/pci_limits.h"

#define EXIT_USAGE 2
/* Time limit for clients to release resources when the server stops. */
#define STOP_NS	   UINT64_C(5000000000)
/* Unit of a memory key's translation, and maximum of a function. */
#define OCTOWORD   16u
#define MAX_XLT	   (1u << 29)

/* Options of swhca-run for devices, not for the program. */
static const char *const option_names[] = {
	"model", "link-layer", "wire", "impair", "capture", "fault", "crypto", "log", "strict",
	"strong-fence", "log-max-klm", "max-indirection", "log-max-mkey", "log-max-qp",
	"log-max-qp-size", "log-max-cq", "log-max-cq-size", "log-max-uar",
};

struct pci {
	const char *paths[SWHCA_PCI_MAX_FUNCTIONS];
	unsigned int nb;
	const struct swhca_conf *conf;
	struct swhca_pci_limits limits;
	struct swhca_pci_mem mem;
	struct swhca_fabric *fabric;
	struct swhca_pci_function functions[SWHCA_PCI_MAX_FUNCTIONS];
	struct swhca_pci_server servers[SWHCA_PCI_MAX_FUNCTIONS];
	int stop_fd;
	bool is_held_up;	/**< A client blocks the end of its thread. */
};

static void
help_print(void)
{
	char name[64];
	size_t i;

	printf("usage: swhca-pci --socket PATH [--socket PATH]... [OPTION]...\n\n"
	       "Serve software ConnectX adapters as PCI functions to virtual machines with\n"
	       "vfio-user, until SIGTERM or SIGINT. The functions of one process are connected\n"
	       "to each other.\n\n"
	       "      --socket PATH        add a function, whose VMM connects to this socket;\n"
	       "                           up to %u\n", SWHCA_PCI_MAX_FUNCTIONS);
	for (i = 0; i < sizeof(option_names) / sizeof(option_names[0]); i++) {
		snprintf(name, sizeof(name), "--%s", option_names[i]);
		printf("      %-20s as of swhca-run; also the variable %s\n", name,
		       swhca_option_find(name)->env);
	}
	printf("      --version            the version\n"
	       "  -h, --help               this text\n");
	swhca_pci_limits_print();
	puts("\nExit status: 0 ended by a signal, 1 set-up failed, 2 wrong usage.");
}

static int
usage_reject(const char *word, const char *why)
{
	fprintf(stderr, "swhca-pci: %s: %s (see --help)\n", word, why);
	return -EINVAL;
}

static const struct swhca_option *
option_find(const char *word)
{
	const struct swhca_option *option = swhca_option_find(word);
	size_t i;

	for (i = 0; option != NULL && i < sizeof(option_names) / sizeof(option_names[0]); i++)
		if (strcmp(option->name, option_names[i]) == 0)
			return option;
	return NULL;
}

/* As in swhca-run: options become variables, which are read as a whole. */
static int
option_take(const struct swhca_option *option, const char *word, const char *value)
{
	unsigned int number;
	char text[256];

	if (option->arg == NULL) {
		setenv(option->env, "1", 1);
		return 0;
	}
	if (swhca_option_parse(option, word, value, &number, text, sizeof(text)) != 0) {
		fprintf(stderr, "swhca-pci: %s\n", text);
		return -EINVAL;
	}
	setenv(option->env, value, 1);
	return 0;
}

static int
options_take(struct pci *pci, int argc, char **argv)
{
	const struct swhca_option *option;
	enum swhca_pci_limit limit;
	bool is_socket, has_arg;
	int i, ret;

	for (i = 1; i < argc; i++) {
		is_socket = strcmp(argv[i], "--socket") == 0;
		option = option_find(argv[i]);
		limit = swhca_pci_limit_find(argv[i]);
		has_arg = is_socket || limit != SWHCA_PCI_NB_LIMITS;
		if (option == NULL && !has_arg)
			return usage_reject(argv[i], "unknown option");
		has_arg = has_arg || option->arg != NULL;
		if (has_arg && i + 1 == argc)
			return usage_reject(argv[i], "needs a value");
		if (is_socket && pci->nb == SWHCA_PCI_MAX_FUNCTIONS)
			return usage_reject(argv[i], "too many");
		if (is_socket) {
			pci->paths[pci->nb++] = argv[++i];
			continue;
		}
		ret = option == NULL ?
			      swhca_pci_limit_parse(&pci->limits, limit, argv[i + 1]) :
			      option_take(option, argv[i], argv[i + 1]);
		if (ret != 0)
			return ret;
		i += has_arg;
	}
	return pci->nb > 0 ? 0 : usage_reject("--socket", "is missing");
}

/* The configuration of the process has as many devices as there are sockets. */
static int
conf_read(struct pci *pci)
{
	struct swhca_conf conf;
	char text[256];

	snprintf(text, sizeof(text), "%u", pci->nb);
	setenv("SWHCA_DEVICES", text, 1);
	if (swhca_conf_read(&conf, text, sizeof(text)) != 0) {
		fprintf(stderr, "swhca-pci: %s\n", text);
		return -EINVAL;
	}
	/* The driver of a RoCE port needs a net device. */
	if (!SWHCA_HAS_ETH && conf.link_layer == SWHCA_LINK_ETH) {
		fprintf(stderr, "swhca-pci: --link-layer eth: built without Ethernet queues"
			" (meson option swhca_eth)\n");
		return -EINVAL;
	}
	swhca_log_init();
	pci->conf = swhca_conf_get();
	swhca_links_start(pci->conf);
	return 0;
}

static uint64_t
share(const struct pci *pci, enum swhca_pci_limit limit)
{
	return swhca_pci_limit_share(&pci->limits, limit, pci->nb);
}

/* Octowords: at most the maximum of one function. */
static uint32_t
max_xlt(const struct pci *pci)
{
	uint64_t nb = share(pci, SWHCA_PCI_KEY_MEMORY) / OCTOWORD;

	return nb < MAX_XLT ? (uint32_t)nb : MAX_XLT;
}

static struct swhca_hca_conf
hca_conf(const struct pci *pci, unsigned int index)
{
	const struct swhca_conf *conf = pci->conf;
	struct swhca_hca_conf hca = {
		.vhca_id = (uint16_t)index,
		.lid = swhca_ident_lid(conf, index),
		.port_guid = swhca_ident_guid(index),
		.model = conf->model,
		.link_layer = conf->link_layer,
		.log_max_uar = (uint8_t)conf->log_max_uar,
		.log_max_klm = (uint8_t)conf->log_max_klm,
		.max_indirection = (uint8_t)conf->max_indirection,
		.log_max_qp = (uint8_t)conf->log_max_qp,
		.log_max_qp_sz = (uint8_t)conf->log_max_qp_sz,
		.log_max_cq = (uint8_t)conf->log_max_cq,
		.log_max_cq_sz = (uint8_t)conf->log_max_cq_sz,
		.has_wrapped_keys = conf->has_wrapped_keys != 0,
		.is_strict = conf->is_strict != 0,
		.needs_strong_fence = conf->needs_strong_fence != 0,
		.quirks = swhca_conf_quirks(conf),
		.log_max_mkey = (uint8_t)conf->log_max_mkey,
		.max_xlt = max_xlt(pci),
		.max_flows = (uint32_t)share(pci, SWHCA_PCI_FLOWS),
	};

	swhca_ident_mac(index, hca.mac);
	return hca;
}

static int
functions_init(struct pci *pci)
{
	struct swhca_hca_conf conf;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < pci->nb && ret == 0; i++) {
		conf = hca_conf(pci, i);
		ret = swhca_pci_function_init(&pci->functions[i], i, pci->fabric, &pci->mem, &conf);
		if (ret == 0)
			ret = swhca_links_plug(i, pci->functions[i].hca);
		if (ret == 0)
			ret = swhca_inject_arm(pci->functions[i].hca, pci->conf->fault);
	}
	return ret;
}

static void
functions_fini(struct pci *pci)
{
	unsigned int i;

	for (i = 0; i < pci->nb; i++)
		if (pci->functions[i].hca != NULL)
			swhca_pci_function_fini(&pci->functions[i]);
}

static void
socket_fail(const char *path, int ret)
{
	fprintf(stderr, "swhca-pci: --socket: %s: %s\n", path,
		ret == -EADDRINUSE ? "another process has this name, or it is no socket" :
		ret == -ENAMETOOLONG ? "a name of at most 106 bytes is needed" : strerror(-ret));
}

/* Serve until a signal arrives. */
static int
serve(struct pci *pci, const sigset_t *signals)
{
	const uint64_t one = 1;
	uint64_t deadline_ns;
	unsigned int nb;
	int ret = 0, sig;

	for (nb = 0; nb < pci->nb; nb++) {
		ret = swhca_pci_server_start(&pci->servers[nb], &pci->functions[nb], pci->paths[nb],
					     pci->stop_fd);
		if (ret != 0) {
			socket_fail(pci->paths[nb], ret);
			break;
		}
	}
	if (ret == 0)
		sigwait(signals, &sig);
	if (write(pci->stop_fd, &one, sizeof(one)) < 0)
		SWHCA_LOG(ERR, "eventfd: %s", strerror(errno));
	deadline_ns = swhca_now_ns() + STOP_NS;
	while (nb > 0)
		if (swhca_pci_server_join(&pci->servers[--nb], deadline_ns) != 0)
			pci->is_held_up = true;
	return ret;
}

static int
run(struct pci *pci)
{
	sigset_t signals;
	int ret;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	pci->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ret = pci->stop_fd < 0 ? -errno : swhca_pci_faults_catch();
	if (ret != 0) {
		fprintf(stderr, "swhca-pci: %s\n", strerror(-ret));
		return ret;
	}
	swhca_pci_mem_init(&pci->mem);
	pci->mem.max_mapped = share(pci, SWHCA_PCI_GUEST_MEMORY);
	ret = swhca_fabric_create(&pci->mem.dma, &pci->fabric);
	if (ret == 0)
		ret = functions_init(pci);
	if (ret == 0)
		ret = swhca_fabric_start(pci->fabric);
	if (ret != 0)
		fprintf(stderr, "swhca-pci: starting the functions: %s\n", strerror(-ret));
	else
		ret = serve(pci, &signals);
	/* A thread still uses what would be freed. */
	if (pci->is_held_up)
		_exit(EXIT_FAILURE);
	functions_fini(pci);
	swhca_fabric_destroy(pci->fabric);
	swhca_pci_mem_fini(&pci->mem);
	close(pci->stop_fd);
	return ret;
}

int
main(int argc, char **argv)
{
	static struct pci pci;

	if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		help_print();
		return EXIT_SUCCESS;
	}
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		puts("swhca-pci " UMR_VERSION_TEXT);
		return EXIT_SUCCESS;
	}
	if (options_take(&pci, argc, argv) != 0 || conf_read(&pci) != 0)
		return EXIT_USAGE;
	return run(&pci) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
