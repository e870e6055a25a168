/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "nic.h"

struct nics *all;
struct nic *a, *b, *c;
uint8_t frame[FRAME_LEN];

static void
nic_interrupt(void *arg, unsigned int vector)
{
}

static void
memory_init(struct nic *nic)
{
	nic->eq = world_pages(NIC_PAGE);
	nic->scq = world_pages(NIC_PAGE);
	nic->rcq = world_pages(NIC_PAGE);
	nic->sq = world_pages(NIC_PAGE);
	nic->rq = world_pages(NIC_PAGE);
	nic->dbr = world_pages(NIC_PAGE);
	nic->bufs = world_pages((size_t)NIC_WQES * NIC_BUF_BYTES);
	nic->tx = world_pages(NIC_MAX_SEND);
	for (unsigned int i = 0; i < 32; i++) {
		nic->scq[i * 64 + 63] = 0xf1;
		nic->rcq[i * 64 + 63] = 0xf1;
		nic->eq[i * 64 + 63] = 1;
	}
}

static uint32_t
eq_create(struct nic *nic)
{
	uint8_t in[0x118] = { 0 };

	world_put(in, 7, 24, 5);	/* log_eq_size */
	world_put(in, 7, 0, nic->uarn);
	world_put(in, 22, 0, 0xffffffff);
	world_put(in, 23, 0, 0xffffffff);
	world_put_bus(in, 68, nic->eq);
	return nic_create(nic, in, sizeof(in), 0x301);
}

/* All of memory, as mlx5e has it (mlx5e_create_mkey()). */
static uint32_t
key_create(struct nic *nic)
{
	uint8_t in[0x110] = { 0 };

	world_put(in, 4, 8, WORLD_LR | WORLD_LW);	/* access mode PA */
	world_put(in, 5, 8, 0xffffff);
	world_put(in, 7, 31, 1);
	world_put(in, 7, 0, nic->pdn);
	return nic_create(nic, in, sizeof(in), 0x200) << 8;
}

static void
objects_init(struct nic *nic)
{
	uint8_t in[WQ_BOX], tis[0xc0] = { 0 };

	nic->uarn = world_alloc(nic->hca, 0x802);
	nic->pdn = world_alloc(nic->hca, 0x800);
	nic->tdn = world_alloc(nic->hca, 0x816);
	nic->eqn = eq_create(nic);
	nic->key = key_create(nic);
	nic->scqn = nic_cq_create(nic, nic->scq, nic->dbr + 128);
	nic->rcqn = nic_cq_create(nic, nic->rcq, nic->dbr + 192);
	world_put(tis, 8 + 9, 0, nic->tdn);
	nic->tisn = nic_create(nic, tis, sizeof(tis), 0x912);
	nic_wq_box(nic, in, true);
	nic->sqn = nic_create(nic, in, sizeof(in), 0x904);
	nic_wq_box(nic, in, false);
	nic->rqn = nic_create(nic, in, sizeof(in), 0x908);
	assert_int_equal(nic_wq_modify(nic, 0x905, nic->sqn, 0, 1), 0);
	assert_int_equal(nic_wq_modify(nic, 0x909, nic->rqn, 0, 1), 0);
	nic->tirn = nic_tir_create(nic, nic->rqn);
}

/* A table whose only entry has no mask. */
static void
steering_init(struct nic *nic)
{
	struct nic_entry entry = { .tag = 0x77, .dest_type = 2, .dest = nic->tirn };

	assert_int_equal(nic_table_exec(nic, 5, 4, 0, &nic->table), 0);
	assert_int_equal(nic_group_exec(nic, nic->table, 0, 3, NULL, &entry.group), 0);
	entry.table = nic->table;
	assert_int_equal(nic_entry_exec(nic, &entry), 0);
	assert_int_equal(nic_root_set(nic, nic->table), 0);
}

/* Pages of the host, which the model only keeps. */
static void
pages_give(struct nic *nic, uint32_t nb, uint32_t addr)
{
	uint8_t in[16 + 2048 * 8] = { 0 };

	assert_true(nb <= 2048);
	world_put(in, 1, 0, 1);
	world_put(in, 3, 0, nb);
	for (uint32_t i = 0; i < nb; i++)
		world_put(in, 5 + 2 * i, 0, addr + i * NIC_PAGE);
	assert_int_equal(nic_exec(nic, in, 16 + (size_t)nb * 8, 0x108, NULL), 0);
}

static uint32_t
pages_wanted(struct nic *nic, uint32_t what)
{
	uint8_t in[16] = { 0 }, out[16];

	world_put(in, 0, 16, 0x107);
	world_put(in, 1, 0, what);
	assert_int_equal(swhca_hca_cmd_exec(nic->hca, in, sizeof(in), out, sizeof(out)), 0);
	return world_get(out, 3);
}

/* ENABLE_HCA, SET_ISSI, pages, INIT_HCA */
static void
bring_up(struct nic *nic)
{
	assert_int_equal(world_cmd(nic->hca, 0x104, 0, NULL), 0);
	assert_int_equal(world_cmd(nic->hca, 0x10b, 1, NULL), 0);
	pages_give(nic, pages_wanted(nic, 1), 0x1000000);
	pages_give(nic, pages_wanted(nic, 2), 0x2000000);
	assert_int_equal(world_cmd(nic->hca, 0x102, 0, NULL), 0);
}

static void
nic_init(unsigned int i)
{
	struct nic *nic = &all->nic[i];
	struct swhca_hca_conf conf = {
		.vhca_id = (uint16_t)i, .port_guid = 0x1000 + i, .link_layer = SWHCA_LINK_ETH,
		.mac = { 0x02, 0, 0, 0, 0, (uint8_t)(i + 1) },
		.has_driver = true,
		.interrupt = nic_interrupt,
	};

	memcpy(nic->mac, conf.mac, sizeof(nic->mac));
	assert_int_equal(swhca_hca_create(all->fabric, &conf, &nic->hca), 0);
	nic->bar = mmap(NULL, swhca_hca_bar_size(nic->hca), PROT_READ | PROT_WRITE, MAP_SHARED,
			swhca_hca_bar_fd(nic->hca), 0);
	assert_true(nic->bar != MAP_FAILED);
	memory_init(nic);
	bring_up(nic);
	objects_init(nic);
	steering_init(nic);
}

int
nics_setup(void **state)
{
	all = NOT_NULL(calloc(1, sizeof(*all)));
	assert_int_equal(swhca_fabric_create(NULL, &all->fabric), 0);
	for (unsigned int i = 0; i < NB_NICS; i++)
		nic_init(i);
	a = &all->nic[0];
	b = &all->nic[1];
	c = &all->nic[2];
	nic_frame_fill(frame, b->mac, a->mac);
	return 0;
}

int
nics_teardown(void **state)
{
	struct nic *nic;

	for (nic = all->nic; nic < all->nic + NB_NICS; nic++)
		munmap(nic->bar, swhca_hca_bar_size(nic->hca));
	swhca_fabric_destroy(all->fabric);
	for (nic = all->nic; nic < all->nic + NB_NICS; nic++) {
		free(nic->eq);
		free(nic->scq);
		free(nic->rcq);
		free(nic->sq);
		free(nic->rq);
		free(nic->dbr);
		free(nic->bufs);
		free(nic->tx);
	}
	free(all);
	return 0;
}
