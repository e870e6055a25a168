/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Flow tables, groups, entries, counters and tables of queues; what a port says of itself. */

#include "nic.h"
#include "object/hca_state.h"

#define BAD_PARAM	0x03
#define BAD_RES		0x05
#define NO_RES		0x0f
#define RES_BUSY	0x06
#define EXCEED_LIM	0x08

static const uint8_t group_mac[6] = { 0x33, 0x33, 0, 0, 0, 1 };

/* A table by destination address with one entry for an address, that all frames meet first. */
static void
by_mac_init(struct nic_entry *entry)
{
	static uint8_t mask[64], value[64];

	memset(mask + 8, 0xff, 6);
	memcpy(value + 8, b->mac, 6);
	entry->value = value;
	assert_int_equal(nic_table_exec(b, 2, 6, b->table, &entry->table), 0);
	assert_int_equal(nic_group_exec(b, entry->table, 0, 15, mask, &entry->group), 0);
	assert_int_equal(nic_root_set(b, entry->table), 0);
}

/* Destroy a table, or what has that number in it in dword 6 (group) or 8 (entry). */
static uint8_t
flow_destroy(uint16_t opcode, uint32_t table, unsigned int dw, uint32_t num)
{
	uint8_t in[0x40] = { 0 };

	world_put(in, 5, 0, table);
	world_put(in, dw, 0, num);
	return nic_exec(b, in, sizeof(in), opcode, NULL);
}

static uint8_t
table_destroy(uint32_t table)
{
	return flow_destroy(0x931, table, 6, 0);
}

static uint8_t
group_destroy(uint32_t table, uint32_t group)
{
	return flow_destroy(0x934, table, 6, group);
}

static uint8_t
entry_delete(uint32_t table, uint32_t index)
{
	return flow_destroy(0x938, table, 8, index);
}

static uint32_t
recv_tag(void)
{
	const struct mlx5_cqe64 *cqe = nic_recv_cqe(b);

	return cqe == NULL ? 0 : be32toh(cqe->sop_drop_qpn);
}

/* With that tag a frame arrives; 0: it does not. */
static void
expect_tag(uint32_t tag)
{
	frame_send(a);
	assert_int_equal(recv_tag(), tag);
}

static void
counter_get(struct nic *nic, uint32_t num, uint64_t *packets, uint64_t *bytes)
{
	uint8_t in[0x20] = { 0 }, out[0x20];

	world_put(in, 0, 16, 0x93b);
	world_put(in, 7, 0, num);
	assert_int_equal(swhca_hca_cmd_exec(nic->hca, in, sizeof(in), out, sizeof(out)), 0);
	*packets = (uint64_t)world_get(out, 4) << 32 | world_get(out, 5);
	*bytes = (uint64_t)world_get(out, 6) << 32 | world_get(out, 7);
}

NIC_CASE(entries_match_tag_and_count)
{
	struct nic_entry entry = { .index = 3, .tag = 0x123, .dest_type = 2, .dest = b->tirn };
	uint64_t packets, bytes;

	by_mac_init(&entry);
	entry.counter = world_alloc(b->hca, 0x939);
	assert_int_equal(nic_entry_exec(b, &entry), 0);
	assert_int_equal(nic_entry_exec(b, &entry), BAD_PARAM);		/* it is there */
	assert_int_equal(nic_promisc_set(b, false, true, false), 0);
	nic_recv_post(b, 8);
	expect_tag(0x123);
	/* Another address misses, and goes on in the other table. */
	nic_frame_fill(frame, group_mac, a->mac);
	expect_tag(0x77);
	counter_get(b, entry.counter, &packets, &bytes);
	assert_int_equal(packets, 1);
	assert_int_equal(bytes, FRAME_LEN);
	assert_int_equal(world_cmd(b->hca, 0x93a, entry.counter, NULL), RES_BUSY);
	/* Dropped by an entry in front of it. */
	entry = (struct nic_entry){ .table = entry.table, .group = entry.group, .index = 1,
				    .value = entry.value };
	assert_int_equal(nic_entry_exec(b, &entry), 0);
	nic_frame_fill(frame, b->mac, a->mac);
	expect_tag(0);
}

NIC_CASE(entries_are_modified_and_deleted)
{
	struct nic_entry entry = { .index = 0, .tag = 5, .dest_type = 1, .dest = b->table };

	nic_recv_post(b, 8);
	by_mac_init(&entry);
	entry.is_modify = true;
	assert_int_equal(nic_entry_exec(b, &entry), BAD_PARAM);		/* nothing there */
	entry.is_modify = false;
	assert_int_equal(nic_entry_exec(b, &entry), 0);
	expect_tag(0x77);	/* that of the last entry */
	entry.is_modify = true;
	entry.dest_type = 2;
	entry.dest = b->tirn;
	assert_int_equal(nic_entry_exec(b, &entry), 0);
	expect_tag(5);
	/* DELETE_FLOW_TABLE_ENTRY, then the group, then the table: not in another order. */
	assert_int_equal(group_destroy(entry.table, entry.group), RES_BUSY);
	assert_int_equal(table_destroy(entry.table), RES_BUSY);
	assert_int_equal(entry_delete(entry.table, 0), 0);
	assert_int_equal(entry_delete(entry.table, 0), BAD_RES);
	assert_int_equal(group_destroy(entry.table, entry.group), 0);
	assert_int_equal(table_destroy(entry.table), 0);
	/* The root went with it: frames meet nothing. */
	expect_tag(0);
	assert_int_equal(nic_root_set(b, b->table), 0);
	expect_tag(0x77);
}

/* No way leads back: neither destinations nor misses. */
NIC_CASE(levels_rise)
{
	struct nic_entry entry = { .dest_type = 1 };

	assert_int_equal(nic_table_exec(b, 5, 2, b->table, NULL), BAD_PARAM);
	assert_int_equal(nic_table_exec(b, 9, 2, b->table, NULL), BAD_PARAM);
	assert_int_equal(nic_table_exec(b, 3, 2, 0x555, NULL), BAD_RES);
	assert_int_equal(nic_table_exec(b, 129, 2, 0, NULL), EXCEED_LIM);
	assert_int_equal(nic_table_exec(b, 3, 17, 0, NULL), EXCEED_LIM);
	assert_int_equal(nic_table_exec(b, 5, 2, 0, &entry.table), 0);
	assert_int_equal(nic_group_exec(b, entry.table, 0, 3, NULL, &entry.group), 0);
	entry.dest = b->table;
	assert_int_equal(nic_entry_exec(b, &entry), BAD_PARAM);
	entry.dest = entry.table;
	assert_int_equal(nic_entry_exec(b, &entry), BAD_PARAM);
	entry.dest = 0x555;
	assert_int_equal(nic_entry_exec(b, &entry), BAD_RES);
}

NIC_CASE(groups_do_not_overlap)
{
	struct nic_entry entry = { .dest_type = 2, .dest = b->tirn };
	uint8_t mask[64] = { 0 }, in[0x400] = { 0 };
	static const struct {
		const char *name;
		uint32_t start, end;
		uint8_t status;
	} groups[] = {
		{ "begins within another", 7, 8, BAD_PARAM },
		{ "has another within", 0, 15, BAD_PARAM },
		{ "leaves the table", 8, 16, BAD_PARAM },
		{ "ends before it begins", 9, 8, BAD_PARAM },
		{ "the rest", 8, 15, 0 },
	};

	assert_int_equal(nic_table_exec(b, 7, 4, 0, &entry.table), 0);
	assert_int_equal(nic_group_exec(b, entry.table, 4, 7, mask, &entry.group), 0);
	for (size_t i = 0; i < NB_OF(groups); i++)
		row_check(groups[i].name, nic_group_exec(b, entry.table, groups[i].start,
							 groups[i].end, mask, NULL),
			  groups[i].status);
	entry.index = 8;
	assert_int_equal(nic_entry_exec(b, &entry), BAD_PARAM);
	entry.index = 7;
	entry.group += 100;
	assert_int_equal(nic_entry_exec(b, &entry), BAD_RES);
	/* Criteria that the capabilities do not have. */
	world_put(in, 5, 0, entry.table);
	world_put(in, 15, 0, 2);
	assert_int_equal(nic_exec(b, in, sizeof(in), 0x933, NULL), BAD_PARAM);
}

/* Frames of several flows come to all queues of a table, each flow to one. */
NIC_CASE(tables_of_queues_spread_flows)
{
	uint8_t rqt[0x110 + 8 * 4] = { 0 }, tir[0x110] = { 0 };
	struct nic_entry entry = { .index = 1, .dest_type = 2, .tag = 9, .is_modify = false };
	unsigned int port, nb_first = 0, nb = 200;
	uint32_t rqtn, i;
	uint8_t box[WQ_BOX], *ring = world_pages(NIC_PAGE);
	uint32_t rqn;

	/* A queue that never has WQEs, in half of the entries. */
	nic_wq_box(b, box, false);
	memset(box + 68 * 4, 0, 8);
	world_put_bus(box, 68, ring);
	memset(box + 24 * 4, 0, 8);
	world_put_bus(box, 24, ring + 2048);
	rqn = nic_create(b, box, sizeof(box), 0x908);
	assert_int_equal(nic_wq_modify(b, 0x909, rqn, 0, 1), 0);
	world_put(rqt, 8 + 5, 0, 8);
	world_put(rqt, 8 + 6, 0, 8);
	for (i = 0; i < 8; i++)
		world_put(rqt, 68 + i, 0, i % 2 ? rqn : b->rqn);
	rqtn = nic_create(b, rqt, sizeof(rqt), 0x916);
	world_put(tir, 9, 28, 1);		/* indirect */
	world_put(tir, 16, 0, rqtn);
	world_put(tir, 17, 28, 2);		/* Toeplitz */
	world_put(tir, 17, 0, b->tdn);
	for (i = 0; i < 10; i++)
		world_put(tir, 18 + i, 0, 0x6d5a56da * (2 * i + 1));
	world_put(tir, 28, 0, 0x4000000f);	/* IPv4, UDP: addresses and ports */
	entry.dest = nic_create(b, tir, sizeof(tir), 0x900);
	assert_int_equal(nic_table_exec(b, 1, 4, 0, &entry.table), 0);
	assert_int_equal(nic_group_exec(b, entry.table, 0, 3, NULL, &entry.group), 0);
	assert_int_equal(nic_entry_exec(b, &entry), 0);
	assert_int_equal(nic_root_set(b, entry.table), 0);
	nic_frame_fill(frame, b->mac, a->mac);
	memcpy(frame + 12, "\x08\x00\x45\x00\x00\x1c\x00\x00\x00\x00\x40\x11\x00\x00", 14);
	for (port = 0; port < nb; port++) {
		frame[35] = (uint8_t)port;
		nic_recv_post(b, 1);
		frame_send(a);
		assert_non_null(nic_send_cqe(a));
		if (recv_tag() == 9)
			nb_first++;
		else
			world_store(b->dbr + 64, --b->rq_pi);
	}
	assert_in_range(nb_first, nb / 4, nb * 3 / 4);
	assert_int_equal(world_cmd(b->hca, 0x918, rqtn, NULL), RES_BUSY);
	swhca_hca_reset(b->hca);
	free(ring);
}

static uint32_t
cap_dword(uint32_t page, unsigned int dw)
{
	uint8_t out[0x1010];

	assert_int_equal(world_query(a->hca, 0x100, page << 1 | 1, 0, out, sizeof(out)), 0);
	return world_get(out, 4 + dw);
}

/* What Linux looks for before it has a net device (mlx5_eth_supported()), and what is masked. */
NIC_CASE(capabilities_are_those_of_mlx5e)
{
	assert_int_equal(cap_dword(0, 13) >> 25 & 1, 1);	/* nic_flow_table */
	assert_int_equal(cap_dword(0, 13) >> 24 & 1, 0);	/* eswitch_manager */
	assert_int_equal(cap_dword(0, 16) >> 3 & 1, 1);	/* eth_net_offloads */
	assert_int_equal(cap_dword(0, 16) >> 30 & 1, 0);	/* striding_rq */
	assert_int_equal(cap_dword(1, 0) >> 30, 3);	/* csum_cap, vlan_cap */
	assert_int_equal(cap_dword(1, 0) >> 16 & 0x1f, 18);	/* max_lso_cap */
	assert_int_equal(cap_dword(1, 0) >> 12 & 3, 2);	/* no inline headers */
	assert_int_not_equal(cap_dword(1, 0) >> 8 & 0xf, 0);	/* rss_ind_tbl_cap */
	assert_int_equal(cap_dword(1, 0) & 0x20, 0);	/* enhanced MPW */
	assert_int_equal(cap_dword(7, 16) >> 31, 1);	/* ft_support of NIC RX */
	assert_in_range(cap_dword(7, 17) & 0xff, 67, 255);	/* max_ft_level */
	assert_int_equal(cap_dword(7, 64) >> 31, 0);	/* of NIC TX */
}

NIC_CASE(vport_says_what_was_set)
{
	uint8_t in[16] = { 0 }, out[0x110 + 16], list[2][6];

	memcpy(list[0], a->mac, 6);
	memcpy(list[1], group_mac, 6);
	assert_int_equal(nic_list_set(a, 1, (const void *)list, 2), 0);
	assert_int_equal(nic_promisc_set(a, true, false, true), 0);
	world_put(in, 0, 16, 0x754);
	world_put(in, 3, 24, 1);
	assert_int_equal(swhca_hca_cmd_exec(a->hca, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_equal(world_get(out, 4 + 9), 1522);
	assert_int_equal(world_get(out, 4 + 60), 0xa1000002);
	assert_memory_equal(out + 16 + 0xf6, a->mac, 6);
	assert_memory_equal(out + 0x110 + 2, a->mac, 6);
	assert_memory_equal(out + 0x118 + 2, group_mac, 6);
	swhca_hca_reset(a->hca);
}

/* PAOS: software takes the link down and up, is told, and sees it. */
NIC_CASE(administrator_takes_the_link_down)
{
	uint8_t in[0x20] = { 0 };

	nic_recv_post(b, 4);
	for (int status = 2; status > 0; status--) {
		memset(in, 0, sizeof(in));
		world_put(in, 2, 0, 0x5006);
		world_put(in, 4, 16, 1);
		world_put(in, 4, 8, (uint32_t)status);
		assert_int_equal(nic_exec(b, in, sizeof(in), 0x805, NULL), 0);
		/* PORT_CHANGE: DOWN is subtype 1, ACTIVE 4. */
		assert_int_equal(b->eq[b->eq_ci * 64 + 1], 0x09);
		assert_int_equal(b->eq[b->eq_ci++ * 64 + 3], status == 2 ? 1 : 4);
		expect_tag(status == 2 ? 0 : 0x77);
	}
	world_put(memset(in, 0, sizeof(in)), 2, 0, 0x5006);
	world_put(in, 4, 16, 1);
	world_put(in, 4, 8, 7);
	assert_int_equal(nic_exec(b, in, sizeof(in), 0x805, NULL), BAD_PARAM);
}

/* An entry for an address of its own, which is made of a number; the number is its tag. */
static void
numbered_set(struct nic *nic, struct nic_entry *entry, uint32_t index, uint32_t number)
{
	/* It stays with the entry. */
	static uint8_t value[64];

	value[8] = 0x02;
	value[11] = (uint8_t)(number >> 16);
	value[12] = (uint8_t)(number >> 8);
	value[13] = (uint8_t)number;
	entry->index = index;
	entry->tag = index;
	entry->value = value;
	assert_int_equal(nic_entry_exec(nic, entry), 0);
}

static uint32_t
numbered_tag(uint32_t number)
{
	const uint8_t mac[6] = { 0x02, 0, 0, (uint8_t)(number >> 16), (uint8_t)(number >> 8),
				 (uint8_t)number };

	nic_recv_post(b, 1);
	nic_frame_fill(frame, mac, a->mac);
	frame_send(a);
	assert_non_null(nic_send_cqe(a));
	return recv_tag();
}

/* Time of frames that no entry matches. */
static uint64_t
missed_ns(uint32_t nb)
{
	const uint8_t mac[6] = { 0x02, 0x10 };
	uint64_t begin_ns = cpu_ns();

	nic_frame_fill(frame, mac, a->mac);
	for (; nb > 0; nb--) {
		frame_send(a);
		assert_non_null(nic_send_cqe(a));
	}
	assert_int_equal(recv_tag(), 0);
	return cpu_ns() - begin_ns;
}

/*
 * A table that is full, from its end to its beginning: one half is one group, each of the others is
 * a group for itself. With a walk to the place of each, a command took some 400 times as long as
 * one that is rejected at once; without it, some 15 times.
 */
NIC_CASE(a_table_is_filled_in_any_order)
{
	const uint32_t half = 1u << 15;
	struct nic_entry entry = { .dest_type = 2, .dest = b->tirn };
	uint64_t begin_ns = cpu_ns(), plain_ns;
	uint8_t mask[64] = { 0 };
	uint32_t empty;

	memset(mask + 8, 0xff, 6);
	assert_int_equal(nic_promisc_set(b, false, true, true), 0);
	for (uint32_t i = 0; i < 3 * half; i++)
		assert_int_equal(nic_entry_exec(b, &entry), BAD_RES);
	plain_ns = cpu_ns() - begin_ns;
	begin_ns = cpu_ns();
	assert_int_equal(nic_table_exec(b, 2, 16, 0, &entry.table), 0);
	for (uint32_t i = 2 * half; i-- > half;) {
		assert_int_equal(nic_group_exec(b, entry.table, i, i, mask, &entry.group), 0);
		numbered_set(b, &entry, i, i - half);
	}
	assert_int_equal(nic_group_exec(b, entry.table, 0, half - 1, mask, &entry.group), 0);
	assert_int_equal(nic_group_exec(b, entry.table, half, half, mask, NULL), BAD_PARAM);
	for (uint32_t i = half; i-- > 0;)
		numbered_set(b, &entry, i, i);
	assert_in_range((cpu_ns() - begin_ns) / plain_ns, 0, 100);
	assert_int_equal(nic_root_set(b, entry.table), 0);
	/* The first one that matches counts, and behind it the one in the other half. */
	for (uint32_t i = 1; i < half; i *= 8) {
		assert_int_equal(numbered_tag(i), i);
		assert_int_equal(entry_delete(entry.table, i), 0);
		assert_int_equal(entry_delete(entry.table, i), BAD_RES);
		assert_int_equal(numbered_tag(i), half + i);
	}
	assert_int_equal(numbered_tag(half), 0);
	/* With each entry compared, a frame took some 200 times as long as in an empty table. */
	assert_int_equal(nic_table_exec(b, 2, 16, 0, &empty), 0);
	assert_int_equal(nic_root_set(b, empty), 0);
	plain_ns = missed_ns(1000);
	assert_int_equal(nic_root_set(b, entry.table), 0);
	assert_in_range(missed_ns(1000) / plain_ns, 0, 10);
}

/* Groups by address, by its first byte, and by nothing: the index alone decides. */
NIC_CASE(the_first_entry_counts_whatever_its_mask)
{
	static const uint32_t orders[][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	struct nic_entry entry = { .dest_type = 2, .dest = b->tirn };
	uint8_t masks[2][64] = { 0 };
	uint32_t groups[3];

	memset(masks[0] + 8, 0xff, 6);
	masks[1][8] = 0xff;
	assert_int_equal(nic_promisc_set(b, false, true, true), 0);
	for (size_t i = 0; i < NB_OF(orders); i++) {
		assert_int_equal(nic_table_exec(b, 2, 6, 0, &entry.table), 0);
		for (size_t j = 0; j < 3; j++)
			assert_int_equal(nic_group_exec(b, entry.table, orders[i][j] * 8,
							orders[i][j] * 8 + 7,
							j < 2 ? masks[j] : NULL, &groups[j]), 0);
		/* Other entries of the groups do not come in between. */
		for (size_t j = 0; j < 3; j++) {
			entry.group = groups[j];
			numbered_set(b, &entry, orders[i][j] * 8 + 5, 5);
			numbered_set(b, &entry, orders[i][j] * 8 + 3, 5);
			if (j == 0)
				numbered_set(b, &entry, orders[i][j] * 8 + 1, 6);
		}
		assert_int_equal(nic_root_set(b, entry.table), 0);
		for (size_t j = 0; j < 3; j++) {
			assert_int_equal(numbered_tag(5), j * 8 + 3);
			assert_int_equal(entry_delete(entry.table, (uint32_t)j * 8 + 3), 0);
			assert_int_equal(numbered_tag(5), j * 8 + 5);
			assert_int_equal(entry_delete(entry.table, (uint32_t)j * 8 + 5), 0);
		}
		assert_int_equal(numbered_tag(5), 0);
	}
}

NIC_CASE(there_is_a_limit_of_groups_and_entries)
{
	struct nic_entry entry = { .dest_type = 2, .dest = b->tirn };

	assert_int_equal(nic_table_exec(b, 2, 6, 0, &entry.table), 0);
	b->hca->conf.max_flows = b->hca->nb_flows + 3;
	assert_int_equal(nic_group_exec(b, entry.table, 0, 7, NULL, &entry.group), 0);
	numbered_set(b, &entry, 0, 0);
	numbered_set(b, &entry, 1, 1);
	entry.index = 2;
	assert_int_equal(nic_entry_exec(b, &entry), NO_RES);
	assert_int_equal(nic_group_exec(b, entry.table, 8, 15, NULL, NULL), NO_RES);
	entry.index = 1;
	entry.is_modify = true;
	assert_int_equal(nic_entry_exec(b, &entry), 0);
	assert_int_equal(entry_delete(entry.table, 1), 0);
	assert_int_equal(nic_group_exec(b, entry.table, 8, 15, NULL, NULL), 0);
	assert_int_equal(nic_group_exec(b, entry.table, 16, 16, NULL, NULL), NO_RES);
	assert_int_equal(group_destroy(entry.table, 8), 0);
	entry.is_modify = false;
	assert_int_equal(nic_entry_exec(b, &entry), 0);
	/* As if it had never had any. */
	swhca_hca_reset(b->hca);
	assert_int_equal(b->hca->nb_flows, 0);
}
