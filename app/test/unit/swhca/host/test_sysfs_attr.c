/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Attributes of sysfs that are of a process or of a moment: by name, and their text. */

#include "cases.h"
#include "host/counters.h"
#include "host/sysfs_attr.h"

static const struct swhca_conf ib = { .nb_devices = 2, .link_layer = SWHCA_LINK_IB };
static const struct swhca_conf eth = { .nb_devices = 2, .link_layer = SWHCA_LINK_ETH };

static const char *
text_of(const struct swhca_sysfs_dev *dev, const char *name)
{
	static char text[SWHCA_SYSFS_TEXT];

	return swhca_sysfs_attr(dev, name, text) ? text : NULL;
}

CASE(addresses_are_those_of_the_device)
{
	const struct swhca_sysfs_dev ib1 = { .conf = &ib, .index = 1 };
	const struct swhca_sysfs_dev eth1 = { .conf = &eth, .index = 1 };

	assert_string_equal(text_of(&ib1, "infiniband/mlx5_1/node_guid"), "0200:c0ff:fe5a:0002\n");
	assert_string_equal(text_of(&ib1, "infiniband/mlx5_1/sys_image_guid"),
			    "0200:c0ff:fe5a:0002\n");
	assert_string_equal(text_of(&ib1, "infiniband/mlx5_1/ports/1/lid"), "0x2\n");
	assert_string_equal(text_of(&eth1, "infiniband/mlx5_1/ports/1/lid"), "0x0\n");
	assert_string_equal(text_of(&ib1, "infiniband/mlx5_1/ports/1/gids/0"),
			    "fe80:0000:0000:0000:0200:c0ff:fe5a:0002\n");
	assert_string_equal(text_of(&eth1, "infiniband/mlx5_1/ports/1/gids/3"),
			    "0000:0000:0000:0000:0000:ffff:c000:0202\n");
	assert_string_equal(text_of(&eth1, "infiniband/mlx5_1/ports/1/gids/31"),
			    "0000:0000:0000:0000:0000:0000:0000:0000\n");
	assert_string_equal(text_of(&eth1, "net/enp8s0f1np1/address"), "02:00:c0:5a:00:02\n");
}

CASE(names_that_are_none_have_no_text)
{
	static const char *const names[] = {
		"", "infiniband", "infiniband/mlx5_0/node_guid", "infiniband/mlx5_1/",
		"infiniband/mlx5_1/node_desc", "infiniband/mlx5_1/ports/1/link_layer",
		"infiniband/mlx5_1/ports/2/lid", "infiniband/mlx5_1/ports/1/gids/32",
		"infiniband/mlx5_1/ports/1/gids/", "infiniband/mlx5_1/ports/1/gids/1x",
		"infiniband/mlx5_1/ports/1/gids/-1", "infiniband/mlx5_1/ports/1/counters/none",
		"infiniband/mlx5_1/ports/1/counters/np_cnp_sent",
		"infiniband/mlx5_1/ports/1/hw_counters/", "net/enp8s0f0np0/address",
		"net/enp8s0f1np1/mtu", "infiniband_verbs/uverbs1/dev",
	};
	const struct swhca_sysfs_dev dev = { .conf = &eth, .index = 1 };

	for (size_t i = 0; i < NB_OF(names); i++)
		row_check(names[i], text_of(&dev, names[i]) != NULL, false);
}

CASE(state_is_that_of_the_port)
{
	struct swhca_sysfs_dev dev = { .conf = &ib };

	assert_string_equal(text_of(&dev, "infiniband/mlx5_0/ports/1/state"), "4: ACTIVE\n");
	assert_string_equal(text_of(&dev, "infiniband/mlx5_0/ports/1/phys_state"), "5: LinkUp\n");
	dev.is_port_down = true;
	assert_string_equal(text_of(&dev, "infiniband/mlx5_0/ports/1/state"), "1: DOWN\n");
	assert_string_equal(text_of(&dev, "infiniband/mlx5_0/ports/1/phys_state"), "2: Polling\n");
	dev.conf = &eth;
	assert_string_equal(text_of(&dev, "infiniband/mlx5_0/ports/1/phys_state"), "3: Disabled\n");
	assert_string_equal(text_of(&dev, "net/enp8s0f0np0/operstate"), "down\n");
	assert_string_equal(text_of(&dev, "net/enp8s0f0np0/carrier"), "0\n");
}

/* Each field has another value: a name that reads another one's is found. */
CASE(counters_are_those_of_the_port)
{
	static const struct {
		const char *name;
		const char *text;
	} cases[] = {
		{ "counters/port_xmit_data", "250\n" },
		{ "counters/port_rcv_data", "500\n" },
		{ "counters/port_xmit_packets", "10\n" },
		{ "counters/port_rcv_packets", "20\n" },
		{ "counters/unicast_xmit_packets", "7\n" },
		{ "counters/unicast_rcv_packets", "16\n" },
		{ "counters/multicast_xmit_packets", "3\n" },
		{ "counters/multicast_rcv_packets", "4\n" },
		{ "counters/port_xmit_discards", "5\n" },
		{ "counters/port_rcv_errors", "13\n" },
		{ "counters/port_rcv_constraint_errors", "8\n" },
		{ "counters/link_downed", "9\n" },
		{ "counters/symbol_error", "0\n" },
		{ "hw_counters/rx_icrc_encapsulated", "7\n" },
		{ "hw_counters/out_of_sequence", "101\n" },
		{ "hw_counters/packet_seq_err", "102\n" },
		{ "hw_counters/local_ack_timeout_err", "103\n" },
		{ "hw_counters/rnr_nak_retry_err", "104\n" },
		{ "hw_counters/duplicate_request", "105\n" },
		{ "hw_counters/implied_nak_seq_err", "106\n" },
		{ "hw_counters/np_cnp_sent", "0\n" },
	};
	const struct swhca_sysfs_dev dev = {
		.conf = &eth,
		.stats = {
			.nb_sent = 10, .nb_received = 20, .nb_multicast_sent = 3,
			.nb_multicast_received = 4, .nb_bytes_sent = 1000,
			.nb_bytes_received = 2003, .nb_send_errors = 5, .nb_malformed = 6,
			.rx_icrc_encapsulated = 7, .nb_bad_pkeys = 8, .nb_link_downed = 9,
			.out_of_sequence = 101, .packet_seq_err = 102,
			.local_ack_timeout_err = 103, .rnr_nak_retry_err = 104,
			.duplicate_request = 105, .implied_nak_seq_err = 106,
		},
	};
	char name[128];

	for (size_t i = 0; i < NB_OF(cases); i++) {
		snprintf(name, sizeof(name), "infiniband/mlx5_0/ports/1/%s", cases[i].name);
		assert_non_null(text_of(&dev, name));
		assert_string_equal(text_of(&dev, name), cases[i].text);
	}
}

CASE(files_that_are_looked_at_twice_are_those_with_texts)
{
	assert_true(swhca_sysfs_attr_may_be("0"));
	assert_true(swhca_sysfs_attr_may_be("lid"));
	assert_true(swhca_sysfs_attr_may_be("np_cnp_sent"));
	assert_true(swhca_sysfs_attr_may_be("address"));
	assert_false(swhca_sysfs_attr_may_be(""));
	assert_true(swhca_sysfs_attr_may_be("rate"));
	assert_false(swhca_sysfs_attr_may_be("mtu"));
	assert_false(swhca_sysfs_attr_may_be("0x"));
	assert_null(swhca_counter_find(swhca_hw_counters, swhca_nb_hw_counters, "symbol_error"));
}
