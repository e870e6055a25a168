/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Device memory: allocation, keys over it, and that both of its sides see the same bytes. */

#include "pair.h"

#define MEMIC_SIZE (256u << 10)

static uint64_t
memic_bar(struct swhca_hca *hca)
{
	uint8_t out[0x1010];

	/* Device memory, current. */
	assert_int_equal(world_query(hca, 0x100, 0x0f << 1 | 1, 0, out, sizeof(out)), 0);
	assert_int_equal(out[16] >> 7, 1);
	return world_get64(out, 6);
}

static uint8_t
memic_alloc(struct swhca_hca *hca, uint64_t first, uint32_t range, uint32_t len,
	    uint32_t log_align, uint64_t *start)
{
	uint8_t in[32] = { 0x02, 0x05 }, out[16];
	uint8_t status;

	world_put(in, 3, 0, log_align);
	world_put64(in, 4, first);
	world_put(in, 6, 0, range);
	world_put(in, 7, 0, len);
	status = swhca_hca_cmd_exec(hca, in, sizeof(in), out, sizeof(out));
	if (start != NULL)
		*start = world_get64(out, 2);
	return status;
}

/* Anywhere in device memory, which there is. */
static uint64_t
memic_get(struct swhca_hca *hca, uint32_t len)
{
	uint64_t start;

	assert_int_equal(memic_alloc(hca, memic_bar(hca), MEMIC_SIZE, len, 0, &start), 0);
	return start;
}

static uint8_t
memic_dealloc(struct swhca_hca *hca, uint64_t start, uint32_t len)
{
	uint8_t in[32] = { 0x02, 0x06 };

	world_put64(in, 4, start);
	world_put(in, 6, 0, len);
	return world_exec(hca, in, sizeof(in));
}

static void
key_box(struct world *w, int dev, uint8_t *in, uint64_t start, uint64_t len)
{
	world_mkey_box(w, dev, in, (0x5 & 3) | WORLD_ALL);
	world_put(in, 4, 26, 0x5 >> 2);		/* access mode MEMIC */
	world_put(in, 9, 0, (uint32_t)start);
	world_put(in, 11, 0, (uint32_t)len);
}

static uint32_t
key_create(struct world *w, int dev, uint64_t start, uint64_t len)
{
	uint8_t in[WORLD_BOX];

	key_box(w, dev, in, start, len);
	return world_exec_create(w->dev[dev].hca, in, sizeof(in)) << 8;
}

PAIR_CASE(transfer_to_device_memory_is_seen_in_the_bar)
{
	uint64_t start = memic_get(p->b.hca, 4096);
	uint32_t key = key_create(&p->w, 1, start + 64, 1024);

	fill(p->w.mem, 512);
	/* Addresses count from the beginning of the key. */
	post_transfer(&p->a, OP_WRITE, CE, 512, key, p->w.mem, p->w.mem_key[0], 512);
	expect_run(p, &p->a, 0);
	assert_memory_equal(p->w.dev[1].bar + start + 64 + 512, p->w.mem, 512);
	/* And back: what the host stores there is what a read gets. */
	p->w.dev[1].bar[start + 64] = 0x77;
	post_transfer(&p->a, OP_READ, CE, 0, key, p->w.mem + 4096, p->w.mem_key[0], 1);
	expect_run(p, &p->a, 0);
	assert_int_equal(p->w.mem[4096], 0x77);
	/* Its last byte is 1023. */
	post_transfer(&p->a, OP_WRITE, CE, 1020, key, p->w.mem, p->w.mem_key[0], 8);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

CASES(keys_and_memory_belong_together)
{
	struct pair *p = next_case(state, "key outside");
	uint64_t start;
	uint8_t in[WORLD_BOX];
	uint32_t key;

	key_box(&p->w, 0, in, memic_bar(p->a.hca), 64);
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0x03);
	start = memic_get(p->a.hca, 128);
	key_box(&p->w, 0, in, start + 64, 65);
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0x03);
	key_box(&p->w, 0, in, start, 128);
	world_put(in, 4, 15, 1);	/* umr_en */
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0x03);

	p = next_case(state, "memory with a key");
	start = memic_get(p->a.hca, 128);
	key = key_create(&p->w, 0, start, 128);
	assert_int_equal(memic_dealloc(p->a.hca, start, 128), 0x06);
	assert_int_equal(world_cmd(p->a.hca, 0x202, key >> 8, NULL), 0);
	assert_int_equal(memic_dealloc(p->a.hca, start, 64), 0x05);
	assert_int_equal(memic_dealloc(p->a.hca, start, 128), 0);
	assert_int_equal(memic_dealloc(p->a.hca, start, 128), 0x05);
}

CASES(allocations_are_within_device_memory)
{
	struct pair *p = next_case(state, "they do not overlap");
	uint64_t bar = memic_bar(p->a.hca), first = memic_get(p->a.hca, 64), second;
	struct swhca_hca *hca;

	assert_int_equal(memic_alloc(p->a.hca, bar, MEMIC_SIZE, MEMIC_SIZE / 2, 6, &second), 0);
	assert_int_equal(second % 4096, 0);
	assert_true(second >= first + 64);
	assert_int_equal(memic_alloc(p->a.hca, bar, MEMIC_SIZE, MEMIC_SIZE / 2, 0, NULL), 0x0f);
	/* Freed memory is zeroed for its next owner. */
	p->w.dev[0].bar[first] = 1;
	assert_int_equal(memic_dealloc(p->a.hca, first, 64), 0);
	assert_int_equal(memic_get(p->a.hca, 64), first);
	assert_int_equal(p->w.dev[0].bar[first], 0);

	p = next_case(state, "outside");
	hca = p->a.hca;
	bar = memic_bar(hca);
	assert_int_equal(memic_alloc(hca, bar, MEMIC_SIZE, 0, 0, NULL), 0x40);
	assert_int_equal(memic_alloc(hca, bar, MEMIC_SIZE, 65, 0, NULL), 0x40);
	assert_int_equal(memic_alloc(hca, bar, MEMIC_SIZE, 64, 7, NULL), 0x03);
	assert_int_equal(memic_alloc(hca, bar - 4096, 4096, 64, 0, NULL), 0x03);
	assert_int_equal(memic_alloc(hca, bar + 4096, MEMIC_SIZE, 64, 0, NULL), 0x03);
	assert_int_equal(memic_alloc(hca, UINT64_MAX - 63, 64, 64, 0, NULL), 0x03);
	assert_int_equal(memic_alloc(hca, bar, 64, 128, 0, NULL), 0x03);
}

static uint8_t
modify(struct swhca_hca *hca, uint16_t op_mod, uint8_t op, uint64_t start, uint64_t *addr)
{
	uint8_t in[64] = { 0x02, 0x07 }, out[64];
	uint8_t status;

	world_put(in, 1, 0, op_mod);
	world_put(in, 3, 0, op);
	world_put64(in, 4, start);
	status = swhca_hca_cmd_exec(hca, in, sizeof(in), out, sizeof(out));
	if (addr != NULL)
		*addr = world_get64(out, 4);
	return status;
}

/* A device whose front end sees accesses to operation addresses. */
static struct swhca_hca *
hca_with_ops(struct world *w)
{
	const struct swhca_hca_conf conf = { .vhca_id = 7, .lid = 7, .port_guid = 0x7777,
					     .has_memic_ops = true };
	struct swhca_hca *hca;

	assert_int_equal(swhca_hca_create(w->fabric, &conf, &hca), 0);
	return hca;
}

CASES(operation_addresses_act_on_the_byte)
{
	struct pair *p = next_case(state, "operations");
	struct swhca_hca *hca = hca_with_ops(&p->w);
	uint64_t start = memic_get(hca, 64), inc, tas;
	uint8_t value = 3;

	assert_int_equal(modify(hca, 0, 0, start, &inc), 0);
	assert_int_equal(modify(hca, 0, 1, start, &tas), 0);
	assert_true(inc >= swhca_hca_bar_size(hca) && tas >= swhca_hca_bar_size(hca));
	assert_int_equal(swhca_hca_memic_access(hca, inc + 5, true, &value), 0);
	assert_int_equal(swhca_hca_memic_access(hca, inc + 5, true, &value), 0);
	assert_int_equal(swhca_hca_memic_access(hca, tas + 5, false, &value), 0);
	assert_int_equal(value, 6);
	assert_int_equal(swhca_hca_memic_access(hca, tas + 5, false, &value), 0);
	assert_int_equal(value, 1);
	/* The other kind of access, and an address that nobody asked for. */
	assert_int_equal(swhca_hca_memic_access(hca, inc, false, &value), -EFAULT);
	assert_int_equal(swhca_hca_memic_access(hca, tas, true, &value), -EFAULT);
	assert_int_equal(swhca_hca_memic_access(hca, tas + 64, false, &value), -EFAULT);
	assert_int_equal(swhca_hca_memic_access(hca, UINT64_MAX, false, &value), -EFAULT);
	/* Given back: its address is none, and the memory can go. */
	assert_int_equal(memic_dealloc(hca, start, 64), 0x06);
	assert_int_equal(modify(hca, 1, 0, start, NULL), 0);
	assert_int_equal(swhca_hca_memic_access(hca, inc, true, &value), -EFAULT);
	assert_int_equal(modify(hca, 1, 1, start, NULL), 0);
	assert_int_equal(memic_dealloc(hca, start, 64), 0);

	p = next_case(state, "not there");
	hca = hca_with_ops(&p->w);
	assert_int_equal(modify(hca, 0, 0, memic_bar(hca), NULL), 0x05);
	start = memic_get(hca, 64);
	assert_int_equal(modify(hca, 0, 2, start, NULL), 0x03);
	assert_int_equal(modify(hca, 1, 0, start, NULL), 0x09);
	assert_int_equal(modify(hca, 0, 0, start, NULL), 0);
	assert_int_equal(modify(hca, 0, 0, start, NULL), 0x09);
	/* A front end that does not see the accesses: no operations at all. */
	assert_int_equal(modify(p->a.hca, 0, 0, memic_get(p->a.hca, 64), NULL), 0x03);
}
