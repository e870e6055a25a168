/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Commands of parts that a build may lack (features swhca_* of meson): the device executes them, or
 * rejects them as an adapter without that capability.
 */

#include <swhca_parts.h>

#include "pair.h"

#define BAD_OP		0x02
#define QUERY_HCA_CAP	0x100
#define MODIFY_NIC_VPORT 0x755
#define MAD_IFC		0x50d

/* Functions with a driver, an InfiniBand and an Ethernet one. */
struct functions {
	struct swhca_fabric *fabric;
	struct swhca_hca *ib;
	struct swhca_hca *eth;
};

static int
functions_setup(void **state)
{
	const struct swhca_hca_conf ib = { .lid = 5, .has_driver = true };
	const struct swhca_hca_conf eth = { .mac = { 2, 0, 0, 0, 0, 1 }, .has_driver = true,
					    .link_layer = SWHCA_LINK_ETH };
	struct functions *f = NOT_NULL(calloc(1, sizeof(*f)));

	assert_int_equal(swhca_fabric_create(NULL, &f->fabric), 0);
	assert_int_equal(swhca_hca_create(f->fabric, &ib, &f->ib), 0);
	assert_int_equal(swhca_hca_create(f->fabric, &eth, &f->eth), 0);
	*state = f;
	return 0;
}

static int
functions_teardown(void **state)
{
	struct functions *f = *state;

	swhca_fabric_destroy(f->fabric);
	free(f);
	return 0;
}

static uint32_t
general_cap(struct swhca_hca *hca, unsigned int dword, unsigned int bit)
{
	uint8_t out[0x1010];

	assert_int_equal(world_query(hca, QUERY_HCA_CAP, 1, 0, out, sizeof(out)), 0);
	return world_get(out, 4 + dword) >> bit & 1;
}

CASE_OF(struct functions, f, ethernet_queues_are_commands_and_capabilities,
	functions_setup, functions_teardown)
{
	/* CREATE_SQ, CREATE_RQ, CREATE_RQT, CREATE_TIR, CREATE_TIS, CREATE_FLOW_TABLE */
	static const uint16_t creators[] = { 0x904, 0x908, 0x916, 0x900, 0x912, 0x930 };

	for (size_t i = 0; i < NB_OF(creators); i++)
		assert_int_equal(world_cmd(f->eth, creators[i], 0, NULL) != BAD_OP, SWHCA_HAS_ETH);
	assert_int_equal(world_cmd(f->eth, MODIFY_NIC_VPORT, 0, NULL) != BAD_OP, SWHCA_HAS_ETH);
	assert_int_equal(general_cap(f->eth, 13, 25), SWHCA_HAS_ETH);	/* nic_flow_table */
	assert_int_equal(general_cap(f->eth, 16, 3), SWHCA_HAS_ETH);	/* eth_net_offloads */
	assert_int_equal(general_cap(f->ib, 13, 25), 0);
}

/* PortInfo by MAD_IFC: it has the LID of the manager. */
CASE_OF(struct functions, f, port_names_its_subnet_manager, functions_setup, functions_teardown)
{
	uint8_t in[0x110] = { 0 }, out[0x110], *mad = in + 16;

	world_put(in, 0, 16, MAD_IFC);
	world_put(in, 1, 0, 3);
	world_put(in, 2, 0, 1);
	memcpy(mad, (const uint8_t[]){ 1, 1, 1, 1 }, 4);
	mad[17] = 0x15;
	mad[23] = 1;
	assert_int_equal(swhca_hca_cmd_exec(f->ib, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_equal(world_get(out, 4 + 16 + 4) >> 16, 5);
	assert_int_equal(world_get(out, 4 + 16 + 4) & 0xffff, SWHCA_HAS_SM ? WORLD_SM_LID : 0);
}
