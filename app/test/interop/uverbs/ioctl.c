/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Requests that no library sends and the kernel rejects: straight to the device file. The rules
 * are those of ib_core (uverbs_ioctl.c, rdma_core.c, uverbs_cmd.c) and mlx5_ib (devx.c).
 */

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "../world.h"
#include "request.h"

#define ATTR_MUST(...) { .flags = UVERBS_ATTR_F_MANDATORY, __VA_ARGS__ }

#define BOX_BYTES	0x110
#define QUERY_MKEY	0x201
#define CREATE_PSV	0x600
#define QUERY_CQ	0x402
#define QUERY_SPECIAL_CONTEXTS 0x203
#define QUERY_HCA_CAP	0x100
#define NOP		0x80d

/* Of what cases need, made by the libraries. */
static uint32_t cqn, pdn;

static int
setup(void **state)
{
	static struct end bed;
	struct mlx5dv_cq cq;
	struct mlx5dv_pd pd;
	struct mlx5dv_obj obj = { .cq = { .out = &cq }, .pd = { .out = &pd } };

	end_open(&bed, device_open(NULL), PAGE);
	obj.cq.in = bed.cq;
	obj.pd.in = bed.pd;
	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ | MLX5DV_OBJ_PD), 0);
	cqn = cq.cqn;
	pdn = pd.pdn;
	*state = &bed;
	return 0;
}

static int
teardown(void **state)
{
	end_close(*state);
	return 0;
}

static int
pd_destroy(const struct end *bed, int64_t handle, uint16_t reserved)
{
	const struct ib_uverbs_attr attr = ATTR_MUST(
		.attr_id = UVERBS_ATTR_DESTROY_PD_HANDLE, .data_s64 = handle,
		.attr_data = { .reserved = reserved });

	return uverbs_request(bed->ctx->cmd_fd, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, &attr,
			      1);
}

CASE_OF(const struct end, bed, reserved_bytes_of_attributes_are_rejected, NULL, NULL)
{
	assert_int_equal(pd_destroy(bed, bed->pd->handle, 1), EINVAL);
	assert_int_equal(pd_destroy(bed, bed->pd->handle, 0x100), EINVAL);
	/* Rejected because of the region in it, and for nothing else. */
	assert_int_equal(pd_destroy(bed, bed->pd->handle, 0), EBUSY);
}

CASE_OF(const struct end, bed, handles_name_objects_of_their_type, NULL, NULL)
{
	assert_int_equal(pd_destroy(bed, bed->mr->handle, 0), EINVAL);
	assert_int_equal(pd_destroy(bed, 4711, 0), ENOENT);
	assert_int_equal(pd_destroy(bed, INT64_C(1) << 32 | bed->pd->handle, 0), ENOENT);
	assert_int_equal(pd_destroy(bed, -1, 0), EINVAL);
}

CASE_OF(const struct end, bed, reserved_fields_of_commands_are_rejected, NULL, NULL)
{
	const uint64_t number =
		IB_USER_VERBS_CMD_FLAG_EXTENDED | IB_USER_VERBS_EX_CMD_CREATE_QP;
	struct ib_uverbs_ex_create_qp_resp resp;
	struct ib_uverbs_ex_create_qp cmd = { .pd_handle = UINT32_MAX, .reserved = 1 };
	const struct ib_uverbs_attr attrs[] = {
		ATTR_MUST(.attr_id = UVERBS_ATTR_WRITE_CMD, .len = sizeof(number), .data = number),
		ATTR_MUST(.attr_id = UVERBS_ATTR_CORE_IN, .len = sizeof(cmd),
			  .data = (uintptr_t)&cmd),
		ATTR_MUST(.attr_id = UVERBS_ATTR_CORE_OUT, .len = sizeof(resp),
			  .data = (uintptr_t)&resp),
	};

	assert_int_equal(uverbs_request(bed->ctx->cmd_fd, UVERBS_OBJECT_DEVICE,
					UVERBS_METHOD_INVOKE_WRITE, attrs, 3), EINVAL);
	/* Receive queues by table: there are none. */
	cmd.reserved = 0;
	cmd.comp_mask = IB_UVERBS_CREATE_QP_MASK_IND_TABLE;
	assert_int_equal(uverbs_request(bed->ctx->cmd_fd, UVERBS_OBJECT_DEVICE,
					UVERBS_METHOD_INVOKE_WRITE, attrs, 3), EINVAL);
}

static void
put(uint8_t *box, unsigned int dw, unsigned int lsb, uint32_t value)
{
	uint32_t be;

	memcpy(&be, box + dw * 4, sizeof(be));
	be = htobe32(be32toh(be) | value << lsb);
	memcpy(box + dw * 4, &be, sizeof(be));
}

/* A DevX query of an object by handle. */
static int
devx_query(const struct end *bed, uint32_t handle, const uint8_t in[static 16])
{
	uint8_t out[BOX_BYTES];
	const struct ib_uverbs_attr attrs[] = {
		ATTR_MUST(.attr_id = MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE, .data = handle),
		ATTR_MUST(.attr_id = MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN, .len = 16,
			  .data = (uintptr_t)in),
		ATTR_MUST(.attr_id = MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT, .len = sizeof(out),
			  .data = (uintptr_t)out),
	};

	return uverbs_request(bed->ctx->cmd_fd, MLX5_IB_OBJECT_DEVX_OBJ,
			      MLX5_IB_METHOD_DEVX_OBJ_QUERY, attrs, 3);
}

CASE_OF(const struct end, bed, devx_asks_about_queues_and_its_own_objects, NULL, NULL)
{
	uint8_t in[16] = { 0 };

	put(in, 0, 16, QUERY_CQ);
	put(in, 2, 0, cqn);
	assert_int_equal(devx_query(bed, bed->cq->handle, in), 0);
	/* The function behind a tunnel is not ours. */
	put(in, 1, 16, 1);
	assert_int_equal(devx_query(bed, bed->cq->handle, in), EINVAL);
	/* A region of memory is the kernel's. */
	memset(in, 0, sizeof(in));
	put(in, 0, 16, QUERY_MKEY);
	put(in, 2, 0, bed->mr->lkey >> 8);
	assert_int_equal(devx_query(bed, bed->mr->handle, in), EINVAL);
}

CASE_OF(const struct end, bed, devx_creates_one_object_at_a_time, NULL, NULL)
{
	uint8_t in[16] = { 0 }, out[0x20];
	struct mlx5dv_devx_obj *psv;

	put(in, 0, 16, CREATE_PSV);
	put(in, 2, 0, pdn);
	put(in, 2, 28, 2);
	assert_null(mlx5dv_devx_obj_create(bed->ctx, in, sizeof(in), out, sizeof(out)));
	memset(in + 8, 0, 8);
	put(in, 2, 0, pdn);
	put(in, 2, 28, 1);
	psv = mlx5dv_devx_obj_create(bed->ctx, in, sizeof(in), out, sizeof(out));
	assert_non_null(psv);
	assert_int_equal(mlx5dv_devx_obj_destroy(psv), 0);
}

CASE_OF(const struct end, bed, devx_has_the_general_commands_of_linux, NULL, NULL)
{
	uint8_t in[16] = { 0 }, out[0x1010];

	put(in, 0, 16, QUERY_HCA_CAP);
	assert_int_equal(mlx5dv_devx_general_cmd(bed->ctx, in, sizeof(in), out, sizeof(out)), 0);
	memset(in, 0, sizeof(in));
	put(in, 0, 16, QUERY_SPECIAL_CONTEXTS);
	assert_int_not_equal(
		mlx5dv_devx_general_cmd(bed->ctx, in, sizeof(in), out, sizeof(out)), 0);
	memset(in, 0, sizeof(in));
	put(in, 0, 16, NOP);
	assert_int_equal(mlx5dv_devx_general_cmd(bed->ctx, in, sizeof(in), out, sizeof(out)), 0);
}

CASE_OF(const struct end, bed, device_file_has_no_contents, NULL, NULL)
{
	uint8_t byte = 1;

	assert_int_equal(ftruncate(bed->ctx->cmd_fd, 4096), -1);
	assert_int_equal(pwrite(bed->ctx->cmd_fd, &byte, 1, 0), -1);
	assert_true(pread(bed->ctx->cmd_fd, &byte, 1, 0) <= 0);
	assert_int_equal(write(bed->ctx->cmd_fd, &byte, 1), -1);
	assert_int_equal(read(bed->ctx->cmd_fd, &byte, 1), -1);
}

int
main(void)
{
	return cases_run(setup, teardown);
}
