/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Two users of one device, each with a context of its own. One is hostile: it knows all numbers of
 * the other's objects, and has every command that DevX lets through. It gets at none of them.
 */

#include "devx_queue.h"

#define ACCESS_REMOTE	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)
#define NB_OPCODES	0x1000u
#define QUERY_QP	0x50b
#define STATE_RTS	3u
#define CREATE_MKEY	0x200
#define MKEY_BYTES	0x120u
#define BAD_PARAM	0x03
#define BAD_RES		0x05	/* status of a command: no such object */
/* How long a doorbell that nobody must hear is waited for. */
#define SILENCE_US	20000

/* Whoever is attacked, and its keys. */
struct bed {
	struct queue victim;
	struct queue hostile;
	struct ibv_mr *mr;
	uint32_t pdn;
	uint8_t mem[4096];
};

static uint32_t
pd_number(struct ibv_pd *pd)
{
	struct mlx5dv_pd dv_pd;
	struct mlx5dv_obj obj = { .pd = { .in = pd, .out = &dv_pd } };

	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD), 0);
	return dv_pd.pdn;
}

static int
setup(void **state)
{
	static struct bed bed;

	queue_create(&bed.victim, MLX5DV_UAR_ALLOC_TYPE_NC);
	queue_create(&bed.hostile, MLX5DV_UAR_ALLOC_TYPE_NC);
	bed.mr = ibv_reg_mr(bed.victim.pd, bed.mem, sizeof(bed.mem), ACCESS_REMOTE);
	assert_non_null(bed.mr);
	bed.pdn = pd_number(bed.victim.pd);
	*state = &bed;
	return 0;
}

static int
teardown(void **state)
{
	struct bed *bed = *state;

	assert_int_equal(ibv_dereg_mr(bed->mr), 0);
	queue_destroy(&bed->hostile);
	queue_destroy(&bed->victim);
	return 0;
}

static void
expect_unharmed(struct queue *q)
{
	uint8_t in[16] = { 0 }, out[0x110] = { 0 };
	uint16_t index = q->pi;

	put(in, 0, 16, QUERY_QP);
	put(in, 2, 0, q->qpn);
	assert_int_equal(mlx5dv_devx_obj_query(q->qp, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_equal(out[0x18] >> 4, STATE_RTS);
	nop_ring(q);
	expect_nop_done(q, index);
}

/* A command about an object of somebody else, by each way that DevX has. */
static void
command_tried(struct queue *q, uint16_t opcode, uint32_t number)
{
	uint8_t in[BOX_BYTES] = { 0 }, out[0x410] = { 0 };
	struct mlx5dv_devx_obj *obj;

	put(in, 0, 16, opcode);
	put(in, 2, 0, number);
	assert_int_not_equal(mlx5dv_devx_obj_query(q->qp, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_not_equal(mlx5dv_devx_obj_query(q->cq, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_not_equal(mlx5dv_devx_obj_modify(q->qp, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_not_equal(mlx5dv_devx_obj_modify(q->cq, in, sizeof(in), out, sizeof(out)), 0);
	/* These two may do something: not to what is named. */
	mlx5dv_devx_general_cmd(q->ctx, in, sizeof(in), out, sizeof(out));
	obj = mlx5dv_devx_obj_create(q->ctx, in, sizeof(in), out, sizeof(out));
	if (obj != NULL)
		assert_int_equal(mlx5dv_devx_obj_destroy(obj), 0);
}

CASE_OF(struct bed, bed, no_command_reaches_objects_of_another_context, NULL, NULL)
{
	const uint32_t numbers[] = { bed->victim.qpn, bed->victim.cqn, bed->pdn,
				     bed->victim.umem->umem_id, bed->victim.uar->page_id,
				     bed->mr->lkey >> 8 };
	uint32_t op, i;

	for (op = 0; op < NB_OPCODES; op++) {
		for (i = 0; i < NB_OF(numbers); i++) {
			/* Its own may have the same number, of another type. */
			if (numbers[i] != bed->hostile.qpn && numbers[i] != bed->hostile.cqn)
				command_tried(&bed->hostile, (uint16_t)op, numbers[i]);
		}
		if (op % 64 == 0)
			expect_unharmed(&bed->victim);
	}
	expect_unharmed(&bed->victim);
	expect_unharmed(&bed->hostile);
}

/* Creation is rejected for an object that is not there, as far as this user can tell. */
static void
expect_rejected(struct queue *q, const uint8_t *in, size_t len, uint8_t status)
{
	uint8_t out[16] = { 0 };

	assert_null(mlx5dv_devx_obj_create(q->ctx, in, len, out, sizeof(out)));
	assert_int_equal(out[0], status);
}

/* Each part by itself; the mailbox with none of them is right, else what fails proves nothing. */
CASE_OF(struct bed, bed, no_queue_is_made_of_parts_of_another, NULL, NULL)
{
	struct queue mixed[5];
	uint8_t in[BOX_BYTES];
	uint32_t i;

	for (i = 0; i < 5; i++)
		mixed[i] = bed->hostile;
	mixed[0].pd = bed->victim.pd;
	mixed[1].cqn = bed->victim.cqn;
	mixed[2].umem = bed->victim.umem;
	mixed[3].uar = bed->victim.uar;
	for (i = 0; i < 4; i++) {
		memset(in, 0, sizeof(in));
		qp_box(&mixed[i], in);
		expect_rejected(&bed->hostile, in, sizeof(in), BAD_RES);
	}
	for (i = 2; i < 4; i++) {
		memset(in, 0, sizeof(in));
		cq_box(&mixed[i], in);
		expect_rejected(&bed->hostile, in, sizeof(in), BAD_RES);
	}
	devx_qp_create(&mixed[4]);
	assert_int_equal(mlx5dv_devx_obj_destroy(mixed[4].qp), 0);
	expect_unharmed(&bed->victim);
}

/* A record that goes on in the next page would be 4 bytes of somebody's. */
CASE_OF(struct bed, bed, no_record_leaves_its_page, NULL, NULL)
{
	struct queue q = bed->hostile;
	uint8_t in[BOX_BYTES] = { 0 };

	q.umem = mlx5dv_devx_umem_reg(q.ctx, q.mem + 4089, 2 * 4096, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(q.umem);
	cq_box(&bed->hostile, in);
	memset(in + 5 * 4, 0, 4);
	put(in, 5, 0, q.umem->umem_id);
	memset(in + 19 * 4, 0, 4);
	expect_rejected(&q, in, sizeof(in), BAD_PARAM);
	put(in, 19, 0, 8);
	expect_rejected(&q, in, sizeof(in), BAD_PARAM);
	assert_int_equal(mlx5dv_devx_umem_dereg(q.umem), 0);
}

/* Memory that was registered for reading may be a file of somebody else, mapped. */
CASE_OF(struct bed, bed, no_completion_goes_to_memory_for_reading, NULL, NULL)
{
	struct queue q = bed->hostile;
	uint8_t in[BOX_BYTES] = { 0 };

	q.umem = mlx5dv_devx_umem_reg(q.ctx, q.mem, 2 * 4096, 0);
	assert_non_null(q.umem);
	cq_box(&q, in);
	expect_rejected(&q, in, sizeof(in), BAD_PARAM);
	assert_int_equal(mlx5dv_devx_umem_dereg(q.umem), 0);
}

/* An SRQ of that kind has its ring and record at bus addresses: it would show any memory. */
CASE_OF(struct bed, bed, no_queue_is_made_of_bus_addresses, NULL, NULL)
{
	uint8_t in[BOX_BYTES] = { 0 };

	put(in, 0, 16, 0x700);			/* CREATE_SRQ */
	put(in, 4, 24, 4);			/* log_srq_size */
	put(in, 7, 0, pd_number(bed->hostile.pd));
	expect_rejected(&bed->hostile, in, sizeof(in), BAD_PARAM);
}

/* A key over 4 kB: of the umem, in pages of 4 kB. */
static void
mkey_box(uint8_t *in, uint32_t access_mode, uint32_t pdn, uint32_t umem_id)
{
	memset(in, 0, MKEY_BYTES);
	put(in, 0, 16, CREATE_MKEY);
	put(in, 3, 30, 1);			/* mkey_umem_valid */
	put(in, 4, 8, access_mode);		/* the context is from dword 4 on */
	put(in, 4, 10, 3);			/* lw, lr */
	put(in, 5, 8, 0xffffff);		/* of no QP alone */
	put(in, 7, 0, pdn);
	put(in, 11, 0, RING_BYTES);		/* len */
	put(in, 17, 0, RING_BYTES / 4096 / 2);	/* translations_octword_size */
	put(in, 18, 0, 12);			/* log_page_size */
	put(in, 25, 0, umem_id);
}

CASE_OF(struct bed, bed, no_key_is_made_of_parts_of_another, NULL, NULL)
{
	struct queue *q = &bed->hostile;
	const uint32_t own_pdn = pd_number(q->pd);
	uint8_t in[MKEY_BYTES], out[16] = { 0 };
	struct mlx5dv_devx_obj *key;

	mkey_box(in, 1, own_pdn, q->umem->umem_id);
	key = mlx5dv_devx_obj_create(q->ctx, in, sizeof(in), out, sizeof(out));
	assert_non_null(key);
	assert_int_equal(mlx5dv_devx_obj_destroy(key), 0);
	mkey_box(in, 1, bed->pdn, q->umem->umem_id);
	expect_rejected(q, in, sizeof(in), BAD_RES);
	mkey_box(in, 1, own_pdn, bed->victim.umem->umem_id);
	expect_rejected(q, in, sizeof(in), BAD_RES);
	/* Bus addresses are for the kernel: all memory is behind them. */
	mkey_box(in, 0, own_pdn, q->umem->umem_id);
	put(in, 3, 30, 0);
	put(in, 17, 0, 0);
	put(in, 25, 0, 0);
	memset(out, 0, sizeof(out));
	assert_null(mlx5dv_devx_obj_create(q->ctx, in, sizeof(in), out, sizeof(out)));
	assert_int_not_equal(out[0], 0);
}

/* Who can write to the memory of a queue, but not to its UAR page, cannot make it begin. */
CASE_OF(struct bed, bed, nobody_rings_for_a_queue_of_another_page, NULL, NULL)
{
	struct queue *victim = &bed->victim;
	struct queue false_friend = *victim;
	uint16_t index = victim->pi;
	const struct mlx5_wqe_ctrl_seg *ctrl = post_nop(victim, MLX5_WQE_CTRL_CQ_UPDATE);
	const uint8_t *cqe = victim->mem + CQ_OFFSET + victim->ci % NB_BB * 64;
	uint8_t before = cqe[63];

	false_friend.pi = victim->pi;
	false_friend.uar = bed->hostile.uar;
	ring(&false_friend, ctrl, 0, 8);
	usleep(SILENCE_US);
	assert_int_equal(*(const volatile uint8_t *)&cqe[63], before);
	ring(victim, ctrl, 0, 8);
	expect_nop_done(victim, index);
}

int
main(void)
{
	return cases_run(setup, teardown);
}
