/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Faults between a port and its link: on a link that keeps what is sent, with time that passes when
 * the test says so. */

#include "cases.h"
#include "base/log.h"
#include "wire/link/impair.h"
#include "wire/link/open.h"
#include "wire/packet/bytes.h"
#include "wire/packet/icrc.h"
#include "wire/packet/packet.h"

#define LEN 64u
#define NB 100000u
#define QPN 0x1234u
#define OTHER_QPN 0x4321u

uint64_t __wrap_swhca_now_ns(void);

static uint64_t now_ns;

uint64_t
__wrap_swhca_now_ns(void)
{
	return now_ns;
}

/* What came out: number and queue pair of a packet, when, and how many bits differ. */
struct seen {
	uint32_t number, qpn;
	uint64_t time_ns;
	unsigned int nb_wrong_bits;
	bool is_variant_wrong, is_icrc_right;
};

/* The link below. */
static struct {
	struct swhca_link link;
	struct seen seen[2 * NB];
	unsigned int nb, nb_calls;
	unsigned int room;	/* Packets that a call takes. */
	unsigned int nb_closed;
	const uint8_t *last_data;
} below;

static struct swhca_packet_ip
ip_make(void)
{
	struct swhca_packet_ip ip = { .is_df = true, .src_port = 4791 };

	ip.sgid[10] = ip.sgid[11] = ip.dgid[10] = ip.dgid[11] = 0xff;
	ip.sgid[12] = ip.dgid[12] = 127;
	ip.dgid[15] = 1;
	return ip;
}

/* A packet that carries a number, with an ICRC. */
static void
packet_make(uint32_t number, uint32_t qpn, uint8_t *data)
{
	const struct swhca_packet pkt = { .opcode = SWHCA_PACKET_SEND_ONLY, .dst_qpn = qpn,
					  .psn = number & SWHCA_24_BITS,
					  .payload_len = LEN - 16 };
	struct swhca_packet_ip ip = ip_make();

	assert_int_equal(swhca_packet_build(&pkt, data, LEN), SWHCA_BTH_LEN);
	for (uint32_t i = SWHCA_BTH_LEN; i < LEN - 4; i += 4)
		swhca_put_be32(data + i, number * i);
	swhca_put_be32(data + SWHCA_BTH_LEN, number);
	swhca_icrc_put(swhca_icrc_begin(&ip, data, LEN - 4, LEN), data + LEN - 4);
}

/* Of three places that carry the number one may be wrong. */
static uint32_t
number_of(const uint8_t *data)
{
	uint32_t number = swhca_get_be32(data + SWHCA_BTH_LEN);
	uint32_t sixth = swhca_get_be32(data + 16), seventh = swhca_get_be32(data + 20);

	return sixth % 16 == 0 && seventh % 20 == 0 && sixth / 16 == seventh / 20 ? sixth / 16 :
										    number;
}

static void
seen_add(const struct swhca_link_packet *packet)
{
	struct seen *seen = &below.seen[below.nb++];
	uint8_t want[LEN];

	assert_int_equal(packet->len, LEN);
	*seen = (struct seen){ .number = number_of(packet->data), .time_ns = now_ns };
	seen->qpn = swhca_get_be32(packet->data + 4) & SWHCA_24_BITS;
	seen->is_icrc_right = swhca_icrc_is_right(&packet->ip, packet->data, LEN);
	packet_make(seen->number, seen->qpn == OTHER_QPN ? OTHER_QPN : QPN, want);
	for (unsigned int i = 0; i < LEN; i++)
		seen->nb_wrong_bits += (unsigned int)__builtin_popcount(want[i] ^ packet->data[i]);
	seen->is_variant_wrong = want[4] != packet->data[4];
	below.last_data = packet->data;
}

static unsigned int
below_send(struct swhca_link *link, const struct swhca_link_packet *packets, unsigned int nb)
{
	assert_true(nb <= SWHCA_LINK_BATCH);
	below.nb_calls++;
	if (nb > below.room)
		nb = below.room;
	for (unsigned int i = 0; i < nb; i++)
		seen_add(&packets[i]);
	return nb;
}

static unsigned int
below_receive(struct swhca_link *link, struct swhca_link_packet *packets, unsigned int nb)
{
	return 0;
}

static uint64_t
below_deadline(const struct swhca_link *link)
{
	return UINT64_MAX;
}

static void
below_close(struct swhca_link *link)
{
	below.nb_closed++;
}

static const struct swhca_link_ops below_ops = {
	.send = below_send, .receive = below_receive, .deadline = below_deadline,
	.close = below_close,
};

/* A link with faults on the one that keeps everything. */
static struct swhca_link *faulty;

static void
faulty_open(const char *text, unsigned int index)
{
	const struct swhca_link_conf conf = { .wire = "", .impair = text, .index = index };

	below.link.ops = &below_ops;
	below.nb = below.nb_calls = 0;
	below.room = SWHCA_LINK_BATCH;
	now_ns = 1000;
	assert_int_equal(swhca_impair_open(&conf, &below.link, &faulty), 0);
}

static void
faulty_close(void)
{
	struct swhca_link *link = faulty;

	faulty = NULL;
	swhca_link_close(link);
}

static int
teardown(void **state)
{
	if (faulty != NULL)
		faulty_close();
	return 0;
}

#define FAULTY_CASE(f) CASE_WITH(f, NULL, teardown)

/* Time passes until nothing waits any more. */
static void
drain(void)
{
	struct swhca_link_impair_stats stats;
	struct swhca_link_packet in;
	uint64_t deadline;

	for (;;) {
		swhca_link_impair_stats_get(faulty, &stats);
		deadline = faulty->ops->deadline(faulty);
		if (stats.nb_waiting == 0)
			break;
		assert_true(deadline != UINT64_MAX);
		if (deadline > now_ns)
			now_ns = deadline;
		assert_int_equal(faulty->ops->receive(faulty, &in, 1), 0);
	}
	assert_true(deadline == UINT64_MAX);
}

/* Send packets from a number on, in batches, one of these each step of time. */
static void
stream(uint32_t first, uint32_t nb, unsigned int batch, uint64_t step_ns)
{
	struct swhca_link_packet packets[SWHCA_LINK_BATCH];
	uint8_t data[SWHCA_LINK_BATCH][LEN];
	uint32_t done = 0, i, in_batch;
	unsigned int taken;

	while (done < nb) {
		in_batch = nb - done < batch ? nb - done : batch;
		for (i = 0; i < in_batch; i++) {
			packet_make(first + done + i, QPN, data[i]);
			packets[i] = (struct swhca_link_packet){ .ip = ip_make(), .data = data[i],
								 .len = LEN };
		}
		taken = faulty->ops->send(faulty, packets, in_batch);
		assert_true(taken <= in_batch);
		done += taken;
		now_ns += step_ns;
	}
}

static void
send_one(uint32_t number, uint32_t qpn)
{
	uint8_t data[LEN];
	struct swhca_link_packet packet = { .ip = ip_make(), .data = data, .len = LEN };

	packet_make(number, qpn, data);
	assert_int_equal(faulty->ops->send(faulty, &packet, 1), 1);
}

static struct swhca_link_impair_stats
stats(void)
{
	struct swhca_link_impair_stats stats;

	swhca_link_impair_stats_get(faulty, &stats);
	return stats;
}

/* Of so many, a share happened: five standard deviations are once in two million. */
static void
assert_share(uint64_t nb, double percent)
{
	double want = NB * percent / 100, variance = want * (1 - percent / 100);
	double diff = (double)nb - want;

	if (diff * diff > 25 * variance)
		fail_msg("%llu of %u are not %g %%", (unsigned long long)nb, NB, percent);
}

/* So many came, in order; each one that often. */
static void
expect_numbers(uint32_t nb, uint32_t times)
{
	assert_int_equal(below.nb, nb * times);
	for (uint32_t i = 0; i < below.nb; i++)
		assert_int_equal(below.seen[i].number, i / times);
}

CASE(texts_are_read)
{
	struct swhca_impair impair;

	assert_int_equal(swhca_impair_parse("off", &impair), 0);
	assert_false(swhca_impair_is_on(&impair));
	assert_int_equal(swhca_impair_parse("", &impair), 0);
	assert_false(swhca_impair_is_on(&impair));
	assert_int_equal(swhca_impair_parse("loss=0.01,dup=.5%,reorder=1.0,corrupt=0.00000001,"
					    "delay=10-250,seed=18446744073709551615,qp=0xAbC",
					    &impair), 0);
	assert_uint_in_range(impair.loss, 42949000, 42949672);
	assert_uint_in_range(impair.dup, 21474800, 21474836);
	assert_true(impair.reorder == 1ull << 32);
	assert_uint_in_range(impair.corrupt, 0, 43);
	assert_true(impair.delay_min_us == 10 && impair.delay_max_us == 250);
	assert_true(impair.seed == UINT64_MAX && impair.has_qpn && impair.qpn == 0xabc);
	assert_int_equal(swhca_impair_parse("delay=10000000", &impair), 0);
	assert_true(impair.delay_min_us == 10000000 && impair.delay_max_us == 10000000);
	assert_true(impair.loss == 0 && !impair.has_qpn && impair.seed == 1);
	assert_true(swhca_impair_is_on(&impair));
}

CASE(bad_texts_are_refused)
{
	static const char *const bad[] = {
		"loss", "loss=", "loss=x", "loss=-1", "loss=101%", "loss=100.1%", "loss=1.",
		"loss=1.1", "loss=2", "loss=.", "loss=%", "loss=.%",
		"loss=1%%", "loss=1 ", "loss=0.0000000001", "lossy=1", "los=1", "on",
		"off,loss=1",
		"dup=1e2", "reorder=nan", "corrupt=0x1", "delay=", "delay=5-4", "delay=1-",
		"delay=-1", "delay=10000001", "delay=1-10000001", "delay=1-2-3", "seed=",
		"seed=18446744073709551616", "seed=-1", "qp=0x1000000", "qp=16777216", "qp=0x",
		"qp=", "loss=1;dup=1", "loss=1,dup", "loss=99999999999999999999",
	};
	char text[300];
	struct swhca_impair impair = { .seed = 77 };

	for (unsigned int i = 0; i < NB_OF(bad); i++)
		row_check(bad[i], swhca_impair_parse(bad[i], &impair), -EINVAL);
	memset(text, ',', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(swhca_impair_parse(text, &impair), -EINVAL);
	assert_true(impair.seed == 77);
}

FAULTY_CASE(without_faults_packets_pass_untouched)
{
	uint8_t data[LEN];
	struct swhca_link_packet packet = { .ip = ip_make(), .data = data, .len = LEN };

	faulty_open(NULL, 0);
	packet_make(1, QPN, data);
	assert_int_equal(faulty->ops->send(faulty, &packet, 1), 1);
	assert_ptr_equal(below.last_data, data);
	below.room = 0;
	assert_int_equal(faulty->ops->send(faulty, &packet, 1), 0);
	assert_true(faulty->ops->deadline(faulty) == UINT64_MAX);
	assert_int_equal(stats().nb_packets, 0);
	below.nb_closed = 0;
	faulty_close();
	assert_int_equal(below.nb_closed, 1);
}

FAULTY_CASE(share_is_lost_and_the_rest_stays_in_order)
{
	faulty_open("loss=10%", 0);
	stream(0, NB, 64, 1000);
	assert_int_equal(stats().nb_waiting, 0);
	assert_int_equal(stats().nb_packets, NB);
	assert_share(stats().nb_lost, 10);
	assert_int_equal(below.nb + stats().nb_lost, NB);
	for (uint32_t i = 0; i < below.nb; i++) {
		assert_int_equal(below.seen[i].nb_wrong_bits, 0);
		assert_true(i == 0 || below.seen[i].number > below.seen[i - 1].number);
	}
	/* Batches stay batches. */
	assert_true(below.nb_calls <= NB / 64 + 1);
	faulty_close();
	faulty_open("loss=100%", 0);
	stream(0, 1000, 64, 1000);
	assert_int_equal(below.nb, 0);
}

FAULTY_CASE(share_is_sent_twice)
{
	uint32_t i, nb_twice = 0;

	faulty_open("dup=3%", 0);
	stream(0, NB, 17, 1000);
	assert_share(stats().nb_duplicated, 3);
	assert_int_equal(below.nb, NB + stats().nb_duplicated);
	for (i = 1; i < below.nb; i++) {
		nb_twice += below.seen[i].number == below.seen[i - 1].number;
		assert_int_equal(below.seen[i].nb_wrong_bits, 0);
	}
	assert_int_equal(nb_twice, stats().nb_duplicated);
	assert_int_equal(below.seen[below.nb - 1].number, NB - 1);
}

FAULTY_CASE(share_has_one_bit_wrong_that_the_icrc_counts)
{
	uint32_t i, nb_wrong = 0;

	faulty_open("corrupt=20%", 0);
	stream(1, NB, 64, 1000);
	assert_share(stats().nb_corrupted, 20);
	assert_int_equal(below.nb, NB);
	for (i = 0; i < below.nb; i++) {
		assert_true(below.seen[i].nb_wrong_bits <= 1);
		assert_false(below.seen[i].is_variant_wrong);
		assert_int_equal(below.seen[i].is_icrc_right, below.seen[i].nb_wrong_bits == 0);
		nb_wrong += below.seen[i].nb_wrong_bits;
	}
	assert_int_equal(nb_wrong, stats().nb_corrupted);
}

FAULTY_CASE(share_is_passed_by_others)
{
	uint32_t i, max = 0, nb_late = 0;
	static uint8_t came[NB];

	faulty_open("reorder=5%", 0);
	stream(0, NB, 64, 1000);
	drain();
	assert_int_equal(below.nb, NB);
	for (i = 0; i < NB; i++) {
		assert_int_equal(came[below.seen[i].number]++, 0);
		assert_int_equal(below.seen[i].nb_wrong_bits, 0);
		/* Up to 8 that leave pass, and those that step aside in the meantime. */
		assert_true(below.seen[i].number + 40 > i && below.seen[i].number < i + 40);
		nb_late += below.seen[i].number < max;
		if (below.seen[i].number > max)
			max = below.seen[i].number;
	}
	assert_share(stats().nb_reordered, 5);
	assert_true(nb_late > NB / 25 && nb_late <= stats().nb_reordered);
}

FAULTY_CASE(last_one_does_not_wait_for_others)
{
	faulty_open("reorder=100%", 0);
	send_one(1, QPN);
	assert_int_equal(below.nb, 0);
	assert_uint_in_range(faulty->ops->deadline(faulty), now_ns + 1, now_ns + 1000000);
	drain();
	assert_int_equal(below.nb, 1);
	assert_int_equal(stats().nb_reordered, 0);
}

FAULTY_CASE(packets_wait_and_keep_their_order)
{
	uint64_t sum = 0, delay;

	faulty_open("delay=100-300", 0);
	for (uint32_t i = 0; i < 1000; i++) {
		uint64_t sent_ns = now_ns;

		send_one(i, QPN);
		assert_uint_in_range(faulty->ops->deadline(faulty), now_ns + 100000,
				     now_ns + 300000);
		drain();
		delay = below.seen[i].time_ns - sent_ns;
		assert_uint_in_range(delay, 100000, 300000);
		sum += delay;
	}
	assert_uint_in_range(sum / 1000, 190000, 210000);
	assert_int_equal(stats().nb_delayed, 1000);
	/* Close behind each other. */
	below.nb = 0;
	stream(0, NB, 3, 777);
	drain();
	expect_numbers(NB, 1);
}

/* Numbers of the packets that were lost, as a checksum. */
static uint64_t
trace_of(const char *text, unsigned int index, unsigned int batch, uint64_t step_ns)
{
	uint64_t sum = 0;
	uint32_t i, number = 0;

	faulty_open(text, index);
	stream(0, 10000, batch, step_ns);
	drain();
	for (i = 0; i < below.nb; i++) {
		for (; number < below.seen[i].number; number++)
			sum = sum * 31 + number;
		number = below.seen[i].number + 1;
	}
	faulty_close();
	return sum;
}

FAULTY_CASE(seed_decides_and_nothing_else)
{
	uint64_t first = trace_of("loss=5%,seed=42", 0, 64, 1000);

	assert_true(first != 0);
	assert_true(trace_of("loss=5%,seed=42", 0, 64, 1000) == first);
	assert_true(trace_of("loss=5%,seed=42", 0, 7, 5) == first);
	assert_true(trace_of("loss=5%,seed=42,dup=10%", 0, 64, 1000) == first);
	assert_true(trace_of("loss=5%,seed=42,delay=10-500", 0, 9, 1000) == first);
	assert_true(trace_of("loss=5%,seed=43", 0, 64, 1000) != first);
	assert_true(trace_of("loss=5%,seed=42", 1, 64, 1000) != first);
}

/* All faults, and a link below that takes few, or nothing for a while. */
FAULTY_CASE(nothing_else_is_lost)
{
	static uint8_t came[NB];
	uint64_t nb_none = 0, nb_twice = 0;
	struct swhca_link_impair_stats sum;

	faulty_open("loss=2%,dup=2%,reorder=4%,corrupt=1%,delay=0-50", 3);
	for (uint32_t i = 0; i < NB; i += 100) {
		below.room = i / 100 % 4 == 0 ? 0 : 1 + i / 100 % 61;
		stream(i, 100, 1 + i % 64, 3000);
	}
	below.room = 64;
	drain();
	sum = stats();
	for (uint32_t i = 0; i < below.nb; i++) {
		assert_true(below.seen[i].nb_wrong_bits <= 1);
		came[below.seen[i].number]++;
	}
	for (uint32_t i = 0; i < NB; i++) {
		assert_true(came[i] <= 2);
		nb_none += came[i] == 0;
		nb_twice += came[i] == 2;
	}
	assert_int_equal(sum.nb_packets, NB);
	assert_int_equal(nb_none, sum.nb_lost);
	assert_int_equal(nb_twice, sum.nb_duplicated);
	assert_share(sum.nb_lost, 2);
	assert_share(sum.nb_corrupted, 0.98);
}

FAULTY_CASE(those_that_wait_are_bounded)
{
	uint8_t data[LEN];
	struct swhca_link_packet packet = { .ip = ip_make(), .data = data, .len = LEN };
	uint32_t nb = 0;

	faulty_open("delay=10000000,dup=100%", 0);
	for (;;) {
		packet_make(nb, QPN, data);
		if (faulty->ops->send(faulty, &packet, 1) == 0)
			break;
		nb++;
		assert_true(nb <= SWHCA_IMPAIR_MAX_WAITING);
	}
	assert_int_equal(stats().nb_waiting, SWHCA_IMPAIR_MAX_WAITING);
	assert_int_equal(below.nb, 0);
	drain();
	expect_numbers(nb, 2);
	faulty_close();
	/* Of a link that is closed they leave; what nobody takes is gone, memory and all. */
	faulty_open("delay=1000,reorder=50%", 0);
	stream(0, 100, 64, 1000);
	faulty_close();
	assert_int_equal(below.nb, 100);
	faulty_open("delay=1000,reorder=50%", 0);
	stream(0, 100, 64, 1000);
	below.room = 10;
	faulty_close();
	assert_true(below.nb < 100);
}

FAULTY_CASE(queue_pairs_that_are_not_meant_are_left_alone)
{
	faulty_open("loss=100%,qp=0x1234", 0);
	for (uint32_t i = 0; i < 100; i++) {
		send_one(i, OTHER_QPN);
		send_one(i, QPN);
	}
	expect_numbers(100, 1);
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(below.seen[i].qpn, OTHER_QPN);
	assert_int_equal(stats().nb_packets, 100);
}

FAULTY_CASE(faults_change_and_those_that_wait_keep_their_place)
{
	faulty_open("delay=5000", 0);
	stream(0, 100, 64, 0);
	assert_int_equal(swhca_link_set_impair(faulty, "loss=200%"), -EINVAL);
	assert_int_equal(swhca_link_set_impair(faulty, "off"), 0);
	stream(100, 100, 64, 0);
	assert_int_equal(below.nb, 0);
	drain();
	stream(200, 1, 1, 0);
	expect_numbers(201, 1);
	assert_int_equal(swhca_link_set_impair(faulty, "loss=100%"), 0);
	stream(201, 100, 64, 0);
	assert_int_equal(below.nb, 201);
	assert_int_equal(stats().nb_lost, 100);
}
