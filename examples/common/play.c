/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>

#include "play.h"

#define PORT_NAME "net_pcap0"
#define NB_RX_DESC 512u
#define MAX_SAMPLES 65536u
/* A capture ends after that long, and that many polls, without packets. */
#define IDLE_S 1u
#define IDLE_POLLS 10000u
#define RATE_S 1u
/* Size of the description of a range for a peer: address, length, key. */
#define RANGE_LEN 16u

static const char *const way_names[NB_WAYS] = {
	[WAY_KEY] = "one key, one write",
	[WAY_COPY] = "copy, one write",
	[WAY_WRITES] = "a write for each piece",
};

struct play {
	const struct play_example *example;
	uint32_t nb_rounds;
	uint32_t nb_mbufs;
	uint16_t nb_queues;
	uint16_t port;
	bool has_port;
	struct rte_mempool *pool;
	struct far far;
	struct play_queue queues[FAR_MAX_QUEUES];
	uint64_t rate_time;	/* time and packet count of the last rate message */
	uint64_t rate_packets;
};

static void
usage(const struct play_example *example)
{
	const struct play_option *option;

	printf("Usage: %s [EAL options] -- [options] CAPTURE...\n"
	       "  CAPTURE           file in the pcap format; each is a receive queue, at most %u\n"
	       "  --rounds N        play the captures N times in each way; default 10\n"
	       "  --mbufs N         mbufs that packets come in; default 4095\n",
	       example->name, FAR_MAX_QUEUES);
	for (option = example->options; option->name != NULL; option++)
		printf("  --%s N%*s%s; default %u\n", option->name,
		       (int)(14 - strlen(option->name)), "", option->help, *option->value);
	printf("  --help            this text\n"
	       "Queues are shared out among the lcores.\n");
}

static bool
number_parse(const char *text, uint32_t max, uint32_t *number)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno != 0 || *text < '0' || *text > '9' || *end != '\0' || value == 0 || value > max) {
		fprintf(stderr, "%s: not a number in [1, %u]\n", text, max);
		return false;
	}
	*number = (uint32_t)value;
	return true;
}

/* Parse an option of the example or a common one. */
static bool
option_parse(struct play *play, const char *name, const char *text)
{
	const struct play_option own[] = {
		{ "rounds", NULL, 1000000, &play->nb_rounds },
		{ "mbufs", NULL, 1u << 20, &play->nb_mbufs },
		{ 0 },
	};
	const struct play_option *const tables[] = { own, play->example->options };
	const struct play_option *option;
	unsigned int i;

	for (i = 0; i < RTE_DIM(tables); i++)
		for (option = tables[i]; option->name != NULL; option++)
			if (strcmp(name, option->name) == 0 && text != NULL)
				return number_parse(text, option->max, option->value);
	fprintf(stderr, "--%s: no such option, or no number behind it; see --help\n", name);
	return false;
}

static int
capture_add(struct play *play, const char *path)
{
	struct play_queue *queue = &play->queues[play->nb_queues];
	int ret;

	if (play->nb_queues == FAR_MAX_QUEUES) {
		fprintf(stderr, "%s: more than %u captures\n", path, FAR_MAX_QUEUES);
		return -E2BIG;
	}
	/* net_pcap separates parameters by commas. */
	ret = strchr(path, ',') != NULL ? -EINVAL : capture_open(&queue->capture, path);
	if (ret != 0) {
		fprintf(stderr, "%s: %s\n", path, ret == -EPROTO ?
			"no capture of Ethernet in the pcap format" : strerror(-ret));
		return ret;
	}
	queue->path = path;
	queue->id = play->nb_queues++;
	return 0;
}

/*
 * Parse arguments after the "--" of EAL options before EAL does, so that errors are found early.
 * Returns 0, 1 if there is nothing to do, or a negative errno.
 */
static int
args_parse(struct play *play, int argc, char **argv)
{
	int i = 1, ret = 0;

	while (i < argc && strcmp(argv[i], "--") != 0 && strcmp(argv[i], "--help") != 0)
		i++;
	i += i < argc && strcmp(argv[i], "--") == 0;
	for (; i < argc && ret == 0; i++) {
		if (strcmp(argv[i], "--help") == 0) {
			usage(play->example);
			return 1;
		}
		if (strncmp(argv[i], "--", 2) != 0) {
			ret = capture_add(play, argv[i]);
		} else {
			ret = option_parse(play, argv[i] + 2, argv[i + 1]) ? 0 : -EINVAL;
			i++;
		}
	}
	if (ret == 0 && play->nb_queues == 0) {
		fprintf(stderr, "no capture; see --help\n");
		ret = -EINVAL;
	}
	return ret;
}

/* Open an Ethernet device with a receive queue for each capture. */
static int
port_open(struct play *play)
{
	const struct rte_eth_conf conf = { 0 };
	char devargs[FAR_MAX_QUEUES * 512] = "";
	struct play_queue *queue;
	size_t len = 0;
	uint16_t i;
	int ret;

	for (i = 0; i < play->nb_queues && len < sizeof(devargs); i++)
		len += (size_t)snprintf(devargs + len, sizeof(devargs) - len, "%srx_pcap=%s",
					i == 0 ? "" : ",", play->queues[i].path);
	if (len >= sizeof(devargs))
		return -ENAMETOOLONG;
	ret = rte_eal_hotplug_add("vdev", PORT_NAME, devargs);
	if (ret != 0) {
		fprintf(stderr, "net_pcap with %s: %s; EAL has to find that driver of DPDK\n",
			devargs, strerror(-ret));
		return ret;
	}
	play->has_port = true;
	ret = rte_eth_dev_get_port_by_name(PORT_NAME, &play->port);
	if (ret == 0)
		ret = rte_eth_dev_configure(play->port, play->nb_queues, 0, &conf);
	for (i = 0; i < play->nb_queues && ret == 0; i++) {
		queue = &play->queues[i];
		queue->port = play->port;
		ret = rte_eth_rx_queue_setup(play->port, i, NB_RX_DESC, SOCKET_ID_ANY, NULL,
					     play->pool);
		/* net_pcap registers the same timestamp field. */
		if (ret == 0)
			ret = rte_mbuf_dyn_rx_timestamp_register(&queue->stamp_offset,
								 &queue->stamp_flag);
	}
	return ret;
}

static int
queue_open(struct play *play, struct play_queue *queue)
{
	enum way way;

	queue->far = &play->far.queues[queue->id];
	queue->state = calloc(1, play->example->state_size);
	if (queue->state == NULL)
		return -ENOMEM;
	for (way = 0; way < NB_WAYS; way++) {
		queue->tallies[way].samples = calloc(MAX_SAMPLES, sizeof(uint32_t));
		if (queue->tallies[way].samples == NULL)
			return -ENOMEM;
	}
	return play->example->start == NULL ? 0 : play->example->start(queue);
}

static int
play_open(struct play *play)
{
	const struct play_example *example = play->example;
	const struct far_conf conf = {
		.nb_queues = play->nb_queues,
		.nb_slots = example->nb_slots,
		.nb_desc = example->nb_desc,
		.slot_len = example->slot_len,
		.pool = play->pool,
	};
	uint16_t i;
	int ret;

	ret = port_open(play);
	if (ret == 0)
		ret = far_open(&play->far, &conf);
	for (i = 0; i < play->nb_queues && ret == 0; i++)
		ret = queue_open(play, &play->queues[i]);
	if (ret == 0)
		printf("%u queues of net_pcap, %u lcores, %s writes to %s\n", play->nb_queues,
		       rte_lcore_count(), play->far.names[0], play->far.names[1]);
	return ret;
}

static void
play_close(struct play *play)
{
	struct play_queue *queue;
	enum way way;
	uint16_t i;

	for (i = 0; i < play->nb_queues; i++)
		if (play->queues[i].state != NULL)
			play->example->stop(&play->queues[i]);
	far_close(&play->far);
	if (play->has_port) {
		rte_eth_dev_close(play->port);
		rte_eal_hotplug_remove("vdev", PORT_NAME);
	}
	for (i = 0; i < play->nb_queues; i++) {
		queue = &play->queues[i];
		for (way = 0; way < NB_WAYS; way++)
			free(queue->tallies[way].samples);
		free(queue->state);
	}
}

static void
captures_close(struct play *play)
{
	uint16_t i;

	for (i = 0; i < play->nb_queues; i++)
		capture_close(&play->queues[i].capture);
}

uint16_t
play_receive(struct play_queue *queue, struct rte_mbuf **mbufs)
{
	const uint16_t nb = rte_eth_rx_burst(queue->port, queue->id, mbufs, PLAY_BURST);

	queue->nb_left -= nb;
	__atomic_store_n(&queue->nb_packets, queue->nb_packets + nb, __ATOMIC_RELAXED);
	return nb;
}

uint64_t
play_time(const struct play_queue *queue, const struct rte_mbuf *mbuf)
{
	if ((mbuf->ol_flags & queue->stamp_flag) == 0)
		return 0;
	return *RTE_MBUF_DYNFIELD(mbuf, queue->stamp_offset, const rte_mbuf_timestamp_t *);
}

void
play_posted(struct play_queue *queue, uint64_t begin, uint32_t nb_units, int idx,
	    struct rte_mbuf **mbufs, uint32_t nb_mbufs)
{
	struct tally *tally = &queue->tallies[queue->way];
	uint64_t cycles;

	/* The FIFO has room: examples have fewer outstanding mbufs than descriptors. */
	rte_umr_mbuf_fifo_hold(queue->far->fifo, (uint16_t)idx, mbufs, (uint16_t)nb_mbufs);
	cycles = rte_rdtsc() - begin + queue->far->cycles;
	queue->far->cycles = 0;
	if (tally->nb_samples < MAX_SAMPLES)
		tally->samples[tally->nb_samples++] = (uint32_t)(cycles / nb_units);
}

/* Print the rate at intervals. */
static void
rate_print(struct play *play)
{
	const uint64_t now = rte_get_timer_cycles(), hz = rte_get_timer_hz();
	uint64_t nb = 0;
	uint16_t i;

	if (now - play->rate_time < RATE_S * hz)
		return;
	for (i = 0; i < play->nb_queues; i++)
		nb += __atomic_load_n(&play->queues[i].nb_packets, __ATOMIC_RELAXED);
	printf("%" PRIu64 " packets/s: this program and its device on this CPU, no adapter\n",
	       (nb - play->rate_packets) * hz / (now - play->rate_time));
	fflush(stdout);
	play->rate_packets = nb;
	play->rate_time = now;
}

/* Missing packets had no mbuf, or the file changed. */
static int
queue_finish(struct play *play, struct play_queue *queue)
{
	struct rte_eth_stats stats = { 0 };

	if (queue->nb_left == 0)
		return play->example->finish(queue);
	rte_eth_stats_get(queue->port, &stats);
	fprintf(stderr, "%s: %u packets did not come; net_pcap had no mbuf for %" PRIu64
		", and %" PRIu64 " errors\n", queue->path, queue->nb_left, stats.rx_nombuf,
		stats.ierrors);
	return -ENOBUFS;
}

/* Serve each nb-th queue on an lcore, in turn, until their captures end. */
static int
lcore_play(void *arg)
{
	const uint32_t first = (uint32_t)rte_lcore_index(-1), nb = rte_lcore_count();
	const uint64_t idle = IDLE_S * rte_get_timer_hz();
	uint64_t last = rte_get_timer_cycles();
	uint32_t i, nb_busy = 1, nb_idle = 0;
	struct play *play = arg;
	int ret = 0;

	while (nb_busy != 0 &&
	       (nb_idle < IDLE_POLLS || rte_get_timer_cycles() - last < idle)) {
		nb_busy = 0;
		nb_idle++;
		for (i = first; i < play->nb_queues; i += nb) {
			ret = play->example->poll(&play->queues[i]);
			if (ret < 0)
				return ret;
			if (ret > 0) {
				last = rte_get_timer_cycles();
				nb_idle = 0;
			}
			nb_busy += play->queues[i].nb_left != 0;
		}
		if (rte_lcore_id() == rte_get_main_lcore())
			rate_print(play);
	}
	for (i = first, ret = 0; i < play->nb_queues && ret == 0; i += nb)
		ret = queue_finish(play, &play->queues[i]);
	return ret;
}

/* Add or subtract the counters of a queue to or from the tally of its way. */
static void
tally_add(struct play_queue *queue, int sign)
{
	struct tally *tally = &queue->tallies[queue->way];
	struct rte_umr_queue_stats stats = { 0 };

	rte_umr_queue_stats_get(queue->far->dev_id, queue->far->id, &stats);
	tally->nb_requests += sign * (int64_t)stats.nb_submitted;
	tally->nb_messages += sign * (int64_t)queue->far->nb_posted;
}

/* Play all captures once in one way. */
static int
play_once(struct play *play, enum way way)
{
	unsigned int lcore;
	uint16_t i;
	int ret, err;

	for (i = 0; i < play->nb_queues; i++) {
		play->queues[i].way = way;
		play->queues[i].nb_left = play->queues[i].capture.nb_packets;
		capture_rewind(&play->queues[i].capture);
		tally_add(&play->queues[i], -1);
	}
	/* Opens the files at their start. */
	ret = rte_eth_dev_start(play->port);
	if (ret != 0)
		return ret;
	rte_eal_mp_remote_launch(lcore_play, play, CALL_MAIN);
	RTE_LCORE_FOREACH(lcore) {
		err = rte_eal_wait_lcore(lcore);
		ret = ret == 0 ? err : ret;
	}
	for (i = 0; i < play->nb_queues; i++)
		tally_add(&play->queues[i], 1);
	rte_eth_dev_stop(play->port);
	return ret;
}

static int
compare(const void *one, const void *other)
{
	const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	return (a > b) - (a < b);
}

/* Print the totals of the queues per play; cycles are the median of all samples. */
static void
way_print(struct play *play, enum way way)
{
	uint64_t nb_messages = 0, nb_requests = 0, nb_copied = 0, nb_ranges;
	uint32_t *samples, nb_samples = 0;
	const struct tally *tally;
	uint16_t i;

	samples = calloc(play->nb_queues, MAX_SAMPLES * sizeof(*samples));
	for (i = 0; i < play->nb_queues; i++) {
		tally = &play->queues[i].tallies[way];
		nb_messages += tally->nb_messages;
		nb_requests += tally->nb_requests;
		nb_copied += tally->nb_copied;
		if (samples == NULL)
			continue;
		memcpy(samples + nb_samples, tally->samples,
		       tally->nb_samples * sizeof(*samples));
		nb_samples += tally->nb_samples;
	}
	nb_ranges = way == WAY_WRITES ? nb_requests : nb_messages;
	if (nb_samples != 0)
		qsort(samples, nb_samples, sizeof(*samples), compare);
	printf("%-22s | %8" PRIu64 " %13" PRIu64 " %12" PRIu64 " %9" PRIu64 " %9u\n",
	       way_names[way], nb_messages / play->nb_rounds, nb_requests / play->nb_rounds,
	       nb_copied / play->nb_rounds, nb_ranges / play->nb_rounds * RANGE_LEN,
	       nb_samples != 0 ? samples[nb_samples / 2] : 0);
	free(samples);
}

static void
results_print(struct play *play)
{
	const struct capture *capture;
	enum way way;
	uint16_t i;

	for (i = 0; i < play->nb_queues; i++)
		play->example->print(&play->queues[i], play->nb_rounds * NB_WAYS);
	for (i = 0; i < play->nb_queues; i++) {
		capture = &play->queues[i].capture;
		printf("far side %u: %" PRIu64 " bytes as the capture has them, fnv1a %016" PRIx64
		       "\n", i, capture->nb_same, capture->fnv);
	}
	printf("For one play; a message is %s. keys: bytes of address, length and key\n"
	       "that the far side would need to read messages itself. cycles: CPU, of\n"
	       "posting and collecting a %s, the median; not what an adapter takes.\n"
	       "                       | messages work requests bytes copied      keys    cycles\n",
	       play->example->message, play->example->unit);
	for (way = 0; way < NB_WAYS; way++)
		way_print(play, way);
}

static int
play_all(struct play *play)
{
	uint32_t round;
	enum way way;
	int ret;

	ret = play_open(play);
	play->rate_time = rte_get_timer_cycles();
	for (round = 0; round < play->nb_rounds && ret == 0; round++)
		for (way = 0; way < NB_WAYS && ret == 0; way++)
			ret = play_once(play, way);
	if (ret == 0)
		results_print(play);
	play_close(play);
	return ret;
}

/* Run with the mempool, whose mbufs must all be returned in the end in any case. */
static int
play_run(struct play *play)
{
	unsigned int nb_before, nb_behind;
	int ret;

	play->pool = rte_pktmbuf_pool_create("packets", play->nb_mbufs, 0, 0,
					     play->example->mbuf_len, SOCKET_ID_ANY);
	if (play->pool == NULL)
		return -rte_errno;
	nb_before = rte_mempool_avail_count(play->pool);
	ret = play_all(play);
	nb_behind = rte_mempool_avail_count(play->pool);
	printf("mbufs: %u before, %u behind\n", nb_before, nb_behind);
	rte_mempool_free(play->pool);
	return ret == 0 && nb_before != nb_behind ? -ENOTRECOVERABLE : ret;
}

int
play_main(int argc, char **argv, const struct play_example *example)
{
	static struct play play = {
		.nb_rounds = 10,
		.nb_mbufs = 4095,
		.far.dev_ids = { -1, -1 },
	};
	int ret;

	play.example = example;
	ret = args_parse(&play, argc, argv);
	if (ret == 0 && rte_eal_init(argc, argv) < 0) {
		ret = -rte_errno;
	} else if (ret == 0) {
		ret = play_run(&play);
		rte_eal_cleanup();
	}
	captures_close(&play);
	if (ret > 0)
		return EXIT_SUCCESS;
	printf("%s: %s\n", example->name, ret == 0 ? "good" : strerror(-ret));
	return ret == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
