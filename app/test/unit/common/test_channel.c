/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <arpa/inet.h>
#include <netdb.h>
#include <signal.h>
#include <sys/time.h>

#include "../../patience.h"
#include "cases.h"
#include "channel.h"

#define SHORT_MS 50

/* Addresses that a name has in front of its own, and behind it; NULL: none. */
static const char *addr_in_front, *addr_behind;

int __real_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
		       struct addrinfo **list);
int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
		       struct addrinfo **list);

int
__wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
		   struct addrinfo **list)
{
	const char *const hosts[] = { addr_in_front, host, addr_behind };
	struct addrinfo **end = list;
	int ret = 0;

	for (size_t i = 0; i < NB_OF(hosts) && ret == 0; i++) {
		if (hosts[i] == NULL)
			continue;
		ret = __real_getaddrinfo(hosts[i], port, hints, end);
		while (ret == 0 && *end != NULL)
			end = &(*end)->ai_next;
	}
	return ret;
}

static struct channel listener, a, b;
static char line[CHANNEL_MAX_LINE];

/* Nothing is open. */
static int
closed_setup(void **state)
{
	listener.fd = a.fd = b.fd = -1;
	return 0;
}

static int
setup(void **state)
{
	closed_setup(state);
	assert_int_equal(channel_listen(&listener, "0", patience_ms()), 0);
	assert_int_equal(channel_connect(&a, listener.where, NULL, patience_ms()), 0);
	assert_int_equal(channel_accept(&listener, &b), 0);
	return 0;
}

static int
teardown(void **state)
{
	channel_close(&a);
	channel_close(&b);
	channel_close(&listener);
	addr_in_front = addr_behind = NULL;
	return 0;
}

/* The call has failed, and the channel has the reason. */
static void
fails(int ret, int expected, const struct channel *channel, const char *why)
{
	assert_int_equal(ret, expected);
	assert_non_null(strstr(channel->why, why));
}

static void
hears(const char *expected)
{
	assert_int_equal(channel_hear(&b, line), 0);
	assert_string_equal(line, expected);
}

CASE_WITH(without_address_it_listens_to_this_host_only, setup, teardown)
{
	assert_int_equal(strncmp(listener.where, "127.0.0.1:", 10), 0);
}

CASE_WITH(lines_and_bytes_arrive_in_order, setup, teardown)
{
	uint8_t bytes[70000], back[sizeof(bytes)];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 + i / 256);
	assert_int_equal(channel_printf(&a, "%s", ""), 0);
	assert_int_equal(channel_printf(&a, "two %d", 2), 0);
	/* Behind a line, as what is in the same packet. */
	assert_int_equal(channel_send(&a, bytes, 60000), 0);
	hears("");
	hears("two 2");
	assert_int_equal(channel_recv(&b, back, 60000), 0);
	assert_memory_equal(back, bytes, 60000);
}

CASE_WITH(longest_line_arrives_and_a_longer_one_is_refused, setup, teardown)
{
	static char text[CHANNEL_MAX_LINE + 1];

	memset(text, 'x', sizeof(text));
	text[CHANNEL_MAX_LINE - 1] = '\0';
	assert_int_equal(channel_printf(&a, "%s", text), 0);
	hears(text);
	text[CHANNEL_MAX_LINE - 1] = 'x';
	text[CHANNEL_MAX_LINE] = '\0';
	assert_int_equal(channel_printf(&a, "%s", text), -EMSGSIZE);
	assert_int_equal(channel_send(&a, text, CHANNEL_MAX_LINE), 0);
	assert_int_equal(channel_hear(&b, line), -EMSGSIZE);
}

CASE_WITH(silence_ends_at_the_deadline, setup, teardown)
{
	b.timeout_ms = SHORT_MS;
	fails(channel_hear(&b, line), -ETIMEDOUT, &b, "no answer within 50 ms");
	listener.timeout_ms = SHORT_MS;
	channel_close(&b);
	fails(channel_accept(&listener, &b), -ETIMEDOUT, &listener,
	      "no peer connected to 127.0.0.1:");
}

CASE_WITH(who_does_not_greet_is_busy_or_another, setup, teardown)
{
	a.timeout_ms = SHORT_MS;
	fails(channel_greet(&a, "thing", 1), -ETIMEDOUT, &a,
	      "no greeting within 50 ms: it is busy");
}

/* An answer that comes late is not that to the next question. */
CASE_WITH(behind_an_error_nothing_is_heard_or_told, setup, teardown)
{
	char byte;

	b.timeout_ms = SHORT_MS;
	assert_int_equal(channel_printf(&a, "one"), 0);
	assert_int_equal(channel_hear(&b, line), 0);
	assert_int_equal(channel_send(&a, "two\nthr", 7), 0);
	assert_int_equal(channel_recv(&b, line, 8), -ETIMEDOUT);
	assert_int_equal(channel_printf(&a, "four"), 0);
	assert_int_equal(channel_hear(&b, line), -ETIMEDOUT);
	assert_int_equal(channel_recv(&b, &byte, 1), -ETIMEDOUT);
	fails(channel_printf(&b, "five"), -ETIMEDOUT, &b, "no answer within 50 ms");
}

static volatile sig_atomic_t has_quit;

static void
quit(int signum)
{
	has_quit = 1;
}

CASE_WITH(waits_end_by_a_signal, setup, teardown)
{
	const struct sigaction action = { .sa_handler = quit };
	const struct itimerval soon = { .it_value.tv_usec = SHORT_MS * 1000 };

	has_quit = 0;
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	listener.has_quit = &has_quit;
	listener.timeout_ms = 3600 * 1000;
	channel_close(&a);
	channel_close(&b);
	assert_int_equal(channel_connect(&a, listener.where, NULL, patience_ms()), 0);
	assert_int_equal(channel_accept(&listener, &b), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
	assert_int_equal(channel_hear(&b, line), -ECANCELED);
	channel_close(&b);
	assert_int_equal(channel_accept(&listener, &b), -ECANCELED);
}

CASE_WITH(who_babbles_is_not_heard_behind_a_signal, setup, teardown)
{
	has_quit = 0;
	b.has_quit = &has_quit;
	assert_int_equal(channel_printf(&a, "one\ntwo\nthree"), 0);
	assert_int_equal(channel_hear(&b, line), 0);
	has_quit = 1;
	assert_int_equal(channel_hear(&b, line), -ECANCELED);
	has_quit = 0;
	assert_int_equal(channel_hear(&b, line), -ECANCELED);
}

CASE_WITH(what_is_told_of_the_other_side_can_be_printed, setup, teardown)
{
	assert_int_equal(channel_printf(&a, "thing \x1b[31m\xc3\x07\x7f"), 0);
	fails(channel_greet(&b, "thing", 1), -EPROTO, &b,
	      "speaks 'thing ?[31m?" "?" "?', not 'thing 1'");
}

CASE_WITH(lines_have_no_zeros, setup, teardown)
{
	assert_int_equal(channel_send(&a, "go\0od\n", 6), 0);
	fails(channel_hear(&b, line), -EBADMSG, &b, "a line with a byte that is 0");
}

CASE_WITH(who_is_gone_is_gone, setup, teardown)
{
	channel_close(&a);
	fails(channel_hear(&b, line), -ECONNRESET, &b, "is gone");
}

CASE_WITH(greetings_have_to_be_the_same, setup, teardown)
{
	assert_int_equal(channel_printf(&a, "thing 1"), 0);
	assert_int_equal(channel_greet(&b, "thing", 1), 0);
	assert_int_equal(channel_printf(&a, "thing 2"), 0);
	fails(channel_greet(&b, "thing", 1), -EPROTO, &b, "speaks 'thing 2', not 'thing 1'");
}

CASE_WITH(nobody_listens, closed_setup, teardown)
{
	assert_int_equal(channel_listen(&listener, "127.0.0.1:0", patience_ms()), 0);
	channel_close(&listener);
	fails(channel_connect(&a, listener.where, NULL, SHORT_MS), -ECONNREFUSED, &a,
	      "Connection refused");
}

CASE_WITH(names_have_several_addresses, closed_setup, teardown)
{
	/* This host does not have the first one. */
	addr_in_front = "192.0.2.1";
	assert_int_equal(channel_listen(&listener, "127.0.0.1:0", patience_ms()), 0);
	assert_int_equal(strncmp(listener.where, "127.0.0.1:", 10), 0);
	addr_in_front = NULL;
	/* Behind an address that works there is one that never will. */
	addr_behind = "255.255.255.255";
	assert_int_equal(channel_connect(&a, listener.where, NULL, patience_ms()), 0);
	channel_close(&a);
	channel_close(&listener);
	assert_int_equal(channel_connect(&a, listener.where, NULL, SHORT_MS), -ECONNREFUSED);
}

CASE_WITH(who_is_told_by_the_address_that_answered, closed_setup, teardown)
{
	char *port;

	assert_int_equal(channel_listen(&listener, "0", patience_ms()), 0);
	port = strrchr(listener.where, ':') + 1;
	assert_int_equal(channel_connect(&a, "127.0.0.1", port, patience_ms()), 0);
	assert_string_equal(a.where, listener.where);
}

CASE_WITH(addresses_of_ipv6_have_brackets, closed_setup, teardown)
{
	char *port;

	if (channel_listen(&listener, "[::1]:0", patience_ms()) != 0)
		skip(); /* a host without it */
	port = strrchr(listener.where, ':') + 1;
	assert_int_equal(strncmp(listener.where, "[::1]:", 6), 0);
	assert_int_equal(channel_connect(&a, "[::1]", port, patience_ms()), 0);
	assert_string_equal(a.where, listener.where);
}

CASE_WITH(places_that_are_none_are_told, closed_setup, teardown)
{
	static const char *const bad[] = { "", ":1", "h:", "h:x", "h:65536", "h:-1", "h:1:2",
		"[::1", "[::1]2", "127.0.0.1:0", "127.0.0.1" };
	char why[CHANNEL_WHY_SIZE];

	for (size_t i = 0; i < NB_OF(bad); i++) {
		row_check(bad[i], channel_where_check(bad[i], CHANNEL_CONNECT, why), -EINVAL);
		assert_non_null(strstr(why, "not HOST:PORT, with a port in [1, 65535]"));
		fails(channel_connect(&a, bad[i], NULL, SHORT_MS), -EINVAL, &a,
		      "not HOST:PORT, with a port in [1, 65535]");
	}
	fails(channel_listen(&a, "127.0.0.1:65536", SHORT_MS), -EINVAL, &a,
	      "127.0.0.1:65536: not [ADDR:]PORT");
	assert_int_equal(channel_listen(&a, "192.0.2.1:0", SHORT_MS), -EADDRNOTAVAIL);
}

CASE(places_are_checked_without_looking_them_up)
{
	static const char *const good[] = { "no.such.host.invalid:1", "[::1]:65535",
		"[fe80::1%x]:2" };
	char why[CHANNEL_WHY_SIZE], longer[CHANNEL_WHERE_SIZE + 1];

	for (size_t i = 0; i < NB_OF(good); i++) {
		row_check(good[i], channel_where_check(good[i], CHANNEL_CONNECT, why), 0);
		row_check(good[i], channel_where_check(good[i], CHANNEL_LISTEN, why), 0);
	}
	assert_int_equal(channel_where_check("0", CHANNEL_LISTEN, why), 0);
	assert_int_equal(channel_where_check("h", CHANNEL_CONNECT_DEFAULT, why), 0);
	assert_int_equal(channel_where_check("[::1]", CHANNEL_CONNECT_DEFAULT, why), 0);
	assert_int_equal(channel_where_check("", CHANNEL_CONNECT_DEFAULT, why), -EINVAL);
	assert_int_equal(channel_where_check("h:", CHANNEL_CONNECT_DEFAULT, why), -EINVAL);
	assert_non_null(strstr(why, "h:: not HOST[:PORT], with a port in [1, 65535]"));
	memset(longer, 'h', sizeof(longer));
	longer[CHANNEL_WHERE_SIZE] = '\0';
	assert_int_equal(channel_where_check(longer, CHANNEL_CONNECT_DEFAULT, why), -EINVAL);
	assert_non_null(strstr(why, "300 characters, at most 299"));
}

CASE(digits_are_bytes)
{
	static const uint8_t bytes[] = { 0x00, 0x7f, 0xa5 };
	uint8_t back[3];
	char text[7];

	channel_hex(text, bytes, sizeof(bytes));
	assert_string_equal(text, "007fa5");
	assert_int_equal(channel_unhex(text, back, sizeof(back)), 0);
	assert_memory_equal(back, bytes, sizeof(bytes));
	assert_int_equal(channel_unhex("007fa", back, sizeof(back)), -EINVAL);
	assert_int_equal(channel_unhex("007fa55", back, sizeof(back)), -EINVAL);
	assert_int_equal(channel_unhex("007f 5", back, sizeof(back)), -EINVAL);
}
