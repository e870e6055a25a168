/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What the fast path executes, for count.py: one case after the other goes through section(),
 * whose instructions valgrind counts. The queue is plain memory, the program plays the device.
 *
 * Each line of output is a case: its name and the operations that its count is divided by.
 */

#define TEST_NB_WQEBB 1024u
#include "../unit/mlx5_umr/test_queue.h"
#include "plan/configure.h"
#include "plan/key_crypto.h"
#include "ring/mkey.h"

#define BATCH		32u
#define MAX_ENTRIES	256u

enum kind {
	LIST,
	INTERLEAVED,
	INVALIDATE,
	LIST_BURST,	/* all of the batch with one call */
	INTERLEAVED_BURST,
	INVALIDATE_BURST,
	CONFIGURE,	/* rights and a list */
	CONFIGURE_ACCESS,
	CONFIGURE_PATTERN, /* rights and an interleaved layout */
	KEEP_SIGNATURE,	/* of a signed key only rights and a list */
	SIGNATURE,	/* the same each time */
	SIGNATURE_TAGS,	/* T10-DIF in both domains, with other tags each time */
	CRYPTO,
	SIG_CRYPTO,
	FIRST_SIGNATURE, /* of a key */
	WRITE,
	SUBMIT,		/* what the doorbell of a batch costs */
	COMPLETED,	/* what a batch costs to collect */
};

struct count_case {
	const char *name;
	enum kind kind;
	uint32_t nb;		/* entries of each operation */
	bool is_of_isa;		/* once for each instruction set */
};

static const struct count_case cases[] = {
	{ "list 1", LIST, 1, true },
	{ "list 3", LIST, 3, true },
	{ "list 4", LIST, 4, true },
	{ "list 16", LIST, 16, true },
	{ "list 52", LIST, 52, true },
	{ "interleaved 3", INTERLEAVED, 3, true },
	{ "interleaved 16", INTERLEAVED, 16, true },
	{ "invalidate", INVALIDATE, 0, true },
	{ "burst list 1", LIST_BURST, 1, true },
	{ "burst list 4", LIST_BURST, 4, true },
	{ "burst list 16", LIST_BURST, 16, true },
	{ "burst list 52", LIST_BURST, 52, true },
	{ "burst interleaved 3", INTERLEAVED_BURST, 3, true },
	{ "burst interleaved 16", INTERLEAVED_BURST, 16, true },
	{ "burst invalidate", INVALIDATE_BURST, 0, true },
	{ "configure list 1", CONFIGURE, 1, true },
	{ "configure list 4", CONFIGURE, 4, true },
	{ "configure list 16", CONFIGURE, 16, true },
	{ "configure access", CONFIGURE_ACCESS, 0, true },
	{ "configure interleaved 3", CONFIGURE_PATTERN, 3, true },
	{ "keep signature list 4", KEEP_SIGNATURE, 4, true },
	{ "signature list 4", SIGNATURE, 4, true },
	{ "signature list 16", SIGNATURE, 16, true },
	{ "other tags list 4", SIGNATURE_TAGS, 4, true },
	{ "crypto list 4", CRYPTO, 4, true },
	{ "crypto list 16", CRYPTO, 16, true },
	{ "sig, crypto list 4", SIG_CRYPTO, 4, true },
	{ "first signature", FIRST_SIGNATURE, 4, false },
	{ "write", WRITE, 0, false },
	{ "submit", SUBMIT, 0, false },
	{ "completed 32", COMPLETED, 0, false },
};

static struct rte_umr_seg segs[MAX_ENTRIES];
static struct rte_umr_interleaved entries[MAX_ENTRIES];
static struct rte_umr_mkey mkeys[BATCH];
static struct rte_umr_mkey_op list_ops[BATCH];
static struct rte_umr_mkey_op interleaved_ops[BATCH];
static struct rte_umr_mkey *mkey_ptrs[BATCH];
static struct test_keys format_keys;
static struct rte_umr_mkey *const format_mkeys = format_keys.block.mkeys;
static struct rte_umr_mkey_op confs[BATCH];
static struct rte_umr_sig sigs[BATCH];
static const struct rte_umr_dek dek = { .id = 0x112233, .dev_id = TEST_DEV_ID };
static const struct rte_umr_crypto crypto = {
	.dek = &dek, .encrypt_on_tx = true, .data_unit_size = 512,
};
/* Results of calls go here, so that none is left out. */
static volatile int64_t sink;

/* All of a case that is counted. Not inlined, and found by its name. */
void section(const struct mlx5_umr_isa *isa, struct mlx5_umr_queue *queue,
	     const struct count_case *c);

__attribute__((noinline)) void
section(const struct mlx5_umr_isa *isa, struct mlx5_umr_queue *queue, const struct count_case *c)
{
	uint16_t last_idx;
	bool has_error;
	uint32_t i;

	switch (c->kind) {
	case LIST:
		for (i = 0; i < BATCH; i++)
			sink = isa->mkey_list(queue, &mkeys[i], RTE_UMR_ACCESS_LOCAL_WRITE, segs,
					      c->nb, 0);
		break;
	case INTERLEAVED:
		for (i = 0; i < BATCH; i++)
			sink = isa->mkey_interleaved(queue, &mkeys[i], RTE_UMR_ACCESS_LOCAL_WRITE,
						     4, entries, c->nb, 0);
		break;
	case INVALIDATE:
		for (i = 0; i < BATCH; i++)
			sink = mlx5_umr_mkey_invalidate(queue, &mkeys[i], 0);
		break;
	case LIST_BURST:
		sink = isa->mkey_configure_burst(queue, list_ops, BATCH, 0) - (int)BATCH;
		break;
	case INTERLEAVED_BURST:
		sink = isa->mkey_configure_burst(queue, interleaved_ops, BATCH, 0) - (int)BATCH;
		break;
	case INVALIDATE_BURST:
		sink = isa->mkey_invalidate_burst(queue, mkey_ptrs, BATCH, 0) - (int)BATCH;
		break;
	case CONFIGURE:
	case CONFIGURE_ACCESS:
	case CONFIGURE_PATTERN:
	case KEEP_SIGNATURE:
	case SIGNATURE:
	case SIGNATURE_TAGS:
	case CRYPTO:
	case SIG_CRYPTO:
	case FIRST_SIGNATURE:
		for (i = 0; i < BATCH; i++)
			sink = isa->mkey_configure(queue, &confs[i], 0);
		break;
	case WRITE:
		for (i = 0; i < BATCH; i++)
			sink = mlx5_umr_write(queue, &segs[i], 0x2000, 0x200, 0);
		break;
	case SUBMIT:
		sink = mlx5_umr_submit(queue);
		break;
	case COMPLETED:
		sink = mlx5_umr_completed(queue, BATCH, &last_idx, &has_error);
		break;
	}
}

static void
batch_complete(struct test_queue *t)
{
	struct mlx5_umr_queue *queue = &t->queue;
	uint16_t last, last_idx;
	bool has_error;

	mlx5_umr_submit(queue);	/* unless that was the section */
	last = queue->submit_pi - 1;
	test_cqe_write(t, queue->submits[last & queue->sq_mask].wqe_counter, MLX5_CQE_REQ, 0);
	while (mlx5_umr_completed(queue, BATCH, &last_idx, &has_error) != 0)
		continue;
	if (has_error || queue->error != 0)
		exit(EXIT_FAILURE);
}

static const struct rte_umr_sig crc32 = {
	.mem = { .type = RTE_UMR_SIG_CRC32, .flags = RTE_UMR_SIG_DOMAIN_F_SEED_ONES,
		 .block_size = 512 },
	.check_mask = RTE_UMR_SIG_MASK_CRC32,
};

/* Keys with formats begin as they come from a pool. */
static void
formats_init(struct test_queue *t, enum kind kind, uint32_t nb)
{
	const struct rte_umr_sig_domain dif = {
		.type = RTE_UMR_SIG_T10DIF_CRC, .flags = RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT,
		.block_size = 512,
	};
	bool has_sig = kind >= KEEP_SIGNATURE && kind != CRYPTO;
	bool has_crypto = kind == CRYPTO || kind == SIG_CRYPTO;
	uint32_t setters = RTE_UMR_MKEY_SET_ACCESS;

	if (kind != CONFIGURE_ACCESS)
		setters |= RTE_UMR_MKEY_SET_LAYOUT;
	for (uint32_t i = 0; i < BATCH; i++) {
		sigs[i] = crc32;
		if (kind == SIGNATURE_TAGS)
			sigs[i] = (struct rte_umr_sig){ dif, dif, .check_mask = 0xff };
		test_keys_set(&format_keys, i, MAX_ENTRIES,
			      (has_sig ? RTE_UMR_MKEY_POOL_F_SIG : 0) |
			      (has_crypto ? RTE_UMR_MKEY_POOL_F_CRYPTO : 0));
		if (has_sig)
			mlx5_umr_mkey_sig(&format_mkeys[i])->keys = &t->dev.sig_keys;
		confs[i] = (struct rte_umr_mkey_op){
			.mkey = &format_mkeys[i],
			.setters = setters | (has_sig ? RTE_UMR_MKEY_SET_SIG : 0) |
				   (has_crypto ? RTE_UMR_MKEY_SET_CRYPTO : 0),
			.access = RTE_UMR_ACCESS_LOCAL_WRITE, .nb_entries = nb, .segs = segs,
			.repeat = 4, .sig = &sigs[i], .crypto = &crypto,
		};
		if (kind == CONFIGURE_PATTERN) {
			confs[i].layout = RTE_UMR_LAYOUT_INTERLEAVED;
			confs[i].interleaved = entries;
		}
	}
}

/* Get ready, count, clean up. The first time is not counted: see main(). */
static void
run(struct test_queue *t, const struct mlx5_umr_isa *isa, const struct count_case *c)
{
	struct mlx5_umr_queue *queue = &t->queue;
	uint32_t i;

	for (i = 0; i < BATCH; i++) {
		list_ops[i].nb_entries = c->nb;
		interleaved_ops[i].nb_entries = c->nb;
	}
	if (c->kind == SUBMIT || c->kind == COMPLETED)
		for (i = 0; i < BATCH; i++)
			mlx5_umr_write(queue, &segs[i], 0x2000, 0x200, 0);
	if (c->kind >= CONFIGURE && c->kind <= FIRST_SIGNATURE)
		formats_init(t, c->kind, c->nb);
	if (c->kind >= KEEP_SIGNATURE && c->kind < FIRST_SIGNATURE) {
		for (i = 0; i < BATCH; i++) {
			isa->mkey_configure(queue, &confs[i], 0);
			sigs[i].mem.ref_tag += c->kind == SIGNATURE_TAGS;
			if (c->kind == KEEP_SIGNATURE)
				confs[i].setters &= ~RTE_UMR_MKEY_SET_SIG;
		}
		batch_complete(t);
	}
	if (c->kind == COMPLETED) {
		mlx5_umr_submit(queue);
		test_cqe_write(t, queue->ops[(queue->op_pi - 1) & queue->sq_mask].pi, MLX5_CQE_REQ,
			       0);
	}
	section(isa, queue, c);
	if (sink < 0)
		exit(EXIT_FAILURE);
	if (c->kind != COMPLETED)
		batch_complete(t);
}

static void
run_isa(struct test_queue *t, const struct mlx5_umr_isa *isa, bool is_of_isa)
{
	const struct count_case *c;

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		c = &cases[i];
		if (c->is_of_isa != is_of_isa)
			continue;
		/* A queue of its own: no case goes round the ring. */
		t->queue.sq_pi = 0;
		t->queue.sq_end = TEST_NB_WQEBB;
		run(t, isa, c);
		printf("%s%s%s\t%u\n", c->name, is_of_isa ? " " : "", is_of_isa ? isa->name : "",
		       c->kind == SUBMIT || c->kind == COMPLETED ? 1 : BATCH);
	}
}

static void
arrays_init(void)
{
	for (uint32_t i = 0; i < MAX_ENTRIES; i++) {
		segs[i] = (struct rte_umr_seg){ 0x10000 + i * 4096, 512, 0x100 };
		entries[i] = (struct rte_umr_interleaved){ 0x10000 + i * 4096, 64, 192, 0x100 };
	}
	for (uint32_t i = 0; i < BATCH; i++) {
		mkeys[i] = test_mkey(MAX_ENTRIES);
		mkey_ptrs[i] = &mkeys[i];
		list_ops[i] = (struct rte_umr_mkey_op){
			.mkey = &mkeys[i], .setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT, .segs = segs,
		};
		interleaved_ops[i] = (struct rte_umr_mkey_op){
			.mkey = &mkeys[i], .setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT,
			.layout = RTE_UMR_LAYOUT_INTERLEAVED, .interleaved = entries, .repeat = 4,
		};
	}
}

int
main(void)
{
	struct test_queue *t;
	void *state;

	if (test_queue_setup(&state) != 0)
		return EXIT_FAILURE;
	t = state;
	t->dev.sig_caps = (struct mlx5_umr_sig_caps){ UINT32_MAX, UINT32_MAX, 0 };
	t->dev.caps.crypto = (struct mlx5_umr_crypto_caps){
		.has_xts = true, .has_multi_block = true,
	};
	arrays_init();
	for (unsigned int i = 0; i < test_nb_isas(); i++)
		if (test_isa_at(i)->is_supported())
			run_isa(t, test_isa_at(i), true);
	run_isa(t, &test_reference, false);
	test_queue_teardown(&state);
	return EXIT_SUCCESS;
}
