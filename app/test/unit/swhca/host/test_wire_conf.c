/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Options about the wire: what is taken, what is rejected, and with which words. */

#include "cases.h"
#include "host/wire_conf.h"

static int
env_clear(void **state)
{
	for (size_t i = 0; i < swhca_nb_options; i++)
		unsetenv(swhca_options[i].env);
	return 0;
}

/* The configuration with some variables set; wire may be NULL. */
static int
conf_of(struct swhca_conf *conf, const char *wire, const char *other, const char *value,
	char text[static 256])
{
	env_clear(NULL);
	text[0] = '\0';
	if (wire != NULL)
		setenv("SWHCA_WIRE", wire, 1);
	if (other != NULL)
		setenv(other, value, 1);
	return swhca_conf_read(conf, text, 256);
}

CASE(texts_that_are_right_are_taken)
{
	static const char *const wires[] = {
		"inproc", "udp", "udp:127.0.0.1", "udp:10.1.2.3%eth0", "udp:fe80::1%enp8s0f0np0",
		"udp:2001:db8::1,2001:db8::2", "eth:5000:5001:10.0.0.1",
		("udp:1.2.3.4,1.2.3.5,1.2.3.6,1.2.3.7,1.2.3.8,"
		 "1.2.3.9,1.2.3.10,1.2.3.11"),
		"eth:5000:5001:10.0.0.1:4200", "eth:1:2:10.0.0.1:576,3:4:10.0.0.2:9000",
		"eth:1:65535:10.0.0.1,2:3:10.0.0.2",
	};

	for (size_t i = 0; i < NB_OF(wires); i++)
		assert_null(swhca_wire_check(wires[i]));
	assert_null(swhca_capture_check("a/file.pcapng"));
}

CASE(texts_that_are_wrong_are_rejected)
{
	static const char *const wires[] = {
		"", "ud", "udpx", "udp:", "udp:,", "udp:1.2.3.4,", "udp:1.2.3", "udp:host",
		"udp:1.2.3.4%", "udp:1.2.3.4%a-name-too-long-for-it", "udp:1.2.3.4:4791",
		"udp:[::1]", "inproc:1",
		("udp:1.1.1.1,1.1.1.2,1.1.1.3,1.1.1.4,1.1.1.5,1.1.1.6,1.1.1.7,1.1.1.8,"
		 "1.1.1.9"), "inprocs", "eth", "eth:", "eth:1:2", "eth:1:2:",
		"eth:0:1:10.0.0.1", "eth:1:65536:10.0.0.1", "eth:1:-2:10.0.0.1",
		"eth:1:2:10.0.0.1,", "eth:1:2:10.0.0.1:",
		"eth:1:2:10.0.0.1:575", "eth:1:2:10.0.0.1:9001", "eth:1:2:10.0.0.1:1500x",
		"eth:1:2:::1", "eth: 1:2:10.0.0.1",
	};

	for (size_t i = 0; i < NB_OF(wires); i++)
		assert_non_null(swhca_wire_check(wires[i]));
	assert_non_null(swhca_capture_check(""));
	assert_non_null(swhca_capture_check("folder/"));
}

CASE_WITH(what_is_wrong_is_told_with_its_name, NULL, env_clear)
{
	char text[256], word[SWHCA_CONF_TEXT + 1];
	struct swhca_conf conf;

	assert_int_equal(conf_of(&conf, "tcp", NULL, NULL, text), -EINVAL);
	assert_string_equal(text, "SWHCA_WIRE: tcp: not one of inproc, udp, eth");
	assert_int_equal(conf_of(&conf, "udp", "SWHCA_IMPAIR", "loss=200", text), -EINVAL);
	assert_string_equal(text, "SWHCA_IMPAIR: loss=200: loss is not in [0, 1], or [0%, 100%]");
	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_int_equal(conf_of(&conf, "udp", "SWHCA_CAPTURE", word, text), -EINVAL);
	word[SWHCA_CONF_TEXT - 1] = '\0';
	assert_int_equal(conf_of(&conf, "udp", "SWHCA_CAPTURE", word, text), 0);
	assert_string_equal(conf.capture, word);
}

CASE_WITH(faults_and_captures_need_packets, NULL, env_clear)
{
	static const char *const wires[] = { NULL, "", "inproc" };
	struct swhca_conf conf;
	char text[256];

	for (size_t i = 0; i < NB_OF(wires); i++) {
		assert_int_equal(conf_of(&conf, wires[i], NULL, NULL, text), 0);
		assert_false(swhca_wire_has_links(&conf));
		assert_int_equal(conf_of(&conf, wires[i], "SWHCA_IMPAIR", "loss=1", text), -EINVAL);
		assert_string_equal(text,
				    "--impair: there is no wire that packets go by (--wire udp)");
		assert_int_equal(conf_of(&conf, wires[i], "SWHCA_CAPTURE", "f", text), -EINVAL);
	}
	assert_int_equal(conf_of(&conf, "udp", "SWHCA_IMPAIR", "loss=1", text), 0);
	assert_true(swhca_wire_has_links(&conf));
	assert_string_equal(conf.impair, "loss=1");
}

CASE_WITH(addresses_tell_the_number_of_devices, NULL, env_clear)
{
	struct swhca_conf conf;
	char text[256];

	assert_int_equal(conf_of(&conf, "udp", NULL, NULL, text), 0);
	assert_int_equal(conf.nb_devices, 2);
	assert_int_equal(conf_of(&conf, "udp:10.0.0.1", NULL, NULL, text), 0);
	assert_int_equal(conf.nb_devices, 1);
	assert_int_equal(conf_of(&conf, "udp:::1,::2,::3", NULL, NULL, text), 0);
	assert_int_equal(conf.nb_devices, 3);
	assert_int_equal(conf_of(&conf, "udp:::1,::2,::3", "SWHCA_DEVICES", "3", text), 0);
	assert_int_equal(conf_of(&conf, "udp:::1,::2,::3", "SWHCA_DEVICES", "2", text), -EINVAL);
	assert_string_equal(text, "--wire: udp:::1,::2,::3: 3 addresses, for 2 devices");
}

CASE_WITH(each_device_has_its_part_of_the_text, NULL, env_clear)
{
	char text[256], wire[SWHCA_CONF_TEXT];
	struct swhca_conf conf;

	assert_int_equal(conf_of(&conf, "udp", NULL, NULL, text), 0);
	swhca_wire_device_text(&conf, 1, wire);
	assert_string_equal(wire, "udp");
	assert_int_equal(conf_of(&conf, "udp:1.2.3.4%a,fe80::2%b", NULL, NULL, text), 0);
	swhca_wire_device_text(&conf, 0, wire);
	assert_string_equal(wire, "udp:1.2.3.4%a");
	swhca_wire_device_text(&conf, 1, wire);
	assert_string_equal(wire, "udp:fe80::2%b");
	assert_int_equal(conf_of(&conf, "eth:1:2:1.2.3.4", NULL, NULL, text), 0);
	swhca_wire_device_text(&conf, 0, wire);
	assert_string_equal(wire, "eth:1:2:1.2.3.4");
}
