/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Requests of libraries that are younger than the oldest system that this runs on, straight to the
 * device file. Numbers are those of ib_user_ioctl_cmds.h in rdma-core 65, typed here.
 */

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "rc_qp.h"
#include "request.h"

#define ATTR(n, ...) { .attr_id = (n), .flags = UVERBS_ATTR_F_MANDATORY, __VA_ARGS__ }
#define ATTR_VALUE(n, size, value) ATTR(n, .len = (size), .data = (value))
#define ATTR_OUT(n, to) ATTR(n, .len = sizeof(to), .data = (uintptr_t)&(to))

/* UVERBS_METHOD_REG_MR and UVERBS_ATTR_REG_MR_* */
#define METHOD_REG_MR	5
enum {
	MR_HANDLE = 0,
	MR_PD = 1,
	MR_DMA_HANDLE = 2,
	MR_IOVA = 3,
	MR_ADDR = 4,
	MR_LENGTH = 5,
	MR_ACCESS = 6,
	MR_FD = 7,
	MR_FD_OFFSET = 8,
	MR_LKEY = 9,
	MR_RKEY = 10,
};

/* UVERBS_METHOD_QUERY_PORT_SPEED and UVERBS_ATTR_QUERY_PORT_SPEED_* */
#define METHOD_QUERY_PORT_SPEED	7
enum {
	SPEED_PORT = 0,
	SPEED_RESP = 1,
};

/* UVERBS_OBJECT_DMAH, UVERBS_METHOD_DMAH_*, UVERBS_ATTR_ALLOC_DMAH_*; IBV_TPH_MEM_TYPE_PM */
#define OBJECT_DMAH	17
#define METHOD_DMAH_ALLOC	0
#define METHOD_DMAH_FREE	1
enum {
	DMAH_HANDLE = 0,
	DMAH_CPU = 1,
	DMAH_MEM_TYPE = 2,
	DMAH_PH = 3,
};
#define TPH_MEM_TYPE_PM	1
#define NB_TAGS		63

#define MSG_BYTES 64

struct bed {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	uint8_t mem[4096];
};

static int
setup(void **state)
{
	static struct bed bed;
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	const struct rc_qp_conf conf = { .access = IBV_ACCESS_REMOTE_WRITE };

	assert_non_null(list);
	bed.ctx = mlx5dv_open_device(list[0], &attr);
	ibv_free_device_list(list);
	assert_non_null(bed.ctx);
	bed.pd = ibv_alloc_pd(bed.ctx);
	bed.cq = ibv_create_cq(bed.ctx, 16, NULL, NULL, 0);
	assert_non_null(bed.cq);
	init.send_cq = bed.cq;
	init.recv_cq = bed.cq;
	bed.qp = ibv_create_qp(bed.pd, &init);
	assert_non_null(bed.qp);
	assert_int_equal(rc_qp_connect_itself(bed.qp, &conf), 0);
	*state = &bed;
	return 0;
}

static int
teardown(void **state)
{
	struct bed *bed = *state;

	assert_int_equal(ibv_destroy_qp(bed->qp), 0);
	assert_int_equal(ibv_destroy_cq(bed->cq), 0);
	assert_int_equal(ibv_dealloc_pd(bed->pd), 0);
	assert_int_equal(ibv_close_device(bed->ctx), 0);
	return 0;
}

/* A region, or what was asked for. */
struct region {
	uint64_t addr;
	uint64_t iova;
	uint64_t len;
	uint32_t access;
	uint32_t lkey;
	uint32_t rkey;
	int64_t handle;
};

/* Extra attributes stand behind the usual ones. @return 0 or errno. */
static int
reg_mr(struct bed *bed, struct region *mr, const struct ib_uverbs_attr *extra, unsigned int nb)
{
	struct ib_uverbs_attr attrs[MAX_ATTRS] = {
		ATTR(MR_HANDLE),
		ATTR(MR_PD, .data = bed->pd->handle),
		ATTR_VALUE(MR_IOVA, 8, mr->iova),
		ATTR_VALUE(MR_LENGTH, 8, mr->len),
		ATTR_VALUE(MR_ACCESS, 4, mr->access),
		ATTR_OUT(MR_LKEY, mr->lkey),
		ATTR_OUT(MR_RKEY, mr->rkey),
	};
	int ret;

	memcpy(&attrs[7], extra, nb * sizeof(*extra));
	ret = uverbs_request_inout(bed->ctx->cmd_fd, UVERBS_OBJECT_MR, METHOD_REG_MR, attrs,
				   7 + nb);
	mr->handle = attrs[0].data_s64;
	return ret;
}

static int
reg_addr(struct bed *bed, struct region *mr)
{
	const struct ib_uverbs_attr addr = ATTR_VALUE(MR_ADDR, 8, mr->addr);

	return reg_mr(bed, mr, &addr, 1);
}

static int
destroy(const struct bed *bed, uint16_t object, uint16_t method, int64_t handle)
{
	const struct ib_uverbs_attr attr = ATTR(0, .data_s64 = handle);

	return uverbs_request(bed->ctx->cmd_fd, object, method, &attr, 1);
}

static int
dereg(const struct bed *bed, const struct region *mr)
{
	return destroy(bed, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, mr->handle);
}

static struct region
region_of(struct bed *bed)
{
	return (struct region){
		.addr = (uintptr_t)bed->mem,
		.iova = UINT64_C(0x7000000000) | ((uintptr_t)bed->mem & 0xfff),
		.len = sizeof(bed->mem),
		.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
	};
}

/* The first half of the memory is written into the second by way of the region. */
static void
write_through(struct bed *bed, const struct region *mr)
{
	struct ibv_sge sge = { .addr = mr->iova, .length = MSG_BYTES, .lkey = mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = mr->iova + 2048, .rkey = mr->rkey },
	};
	struct ibv_wc wc;

	memset(bed->mem, 0xa5, MSG_BYTES);
	memset(bed->mem + 2048, 0, MSG_BYTES);
	assert_int_equal(ibv_post_send(bed->qp, &wr, &bad), 0);
	while (ibv_poll_cq(bed->cq, 1, &wc) == 0)
		sched_yield();
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_memory_equal(bed->mem, bed->mem + 2048, MSG_BYTES);
}

static void
memory_is_registered_by_ioctl(void **state)
{
	struct bed *bed = *state;
	struct region mr = region_of(bed);

	assert_int_equal(reg_addr(bed, &mr), 0);
	assert_int_equal(mr.lkey, mr.rkey);
	write_through(bed, &mr);
	/* The PD is in use as long as the region is there. */
	assert_int_equal(destroy(bed, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY,
				 bed->pd->handle), EBUSY);
	assert_int_equal(dereg(bed, &mr), 0);
}

static void
registration_wants_one_source(void **state)
{
	struct bed *bed = *state;
	struct region mr = region_of(bed);
	const struct ib_uverbs_attr addr = ATTR_VALUE(MR_ADDR, 8, mr.addr);
	const struct ib_uverbs_attr fd = ATTR(MR_FD, .data_s64 = bed->ctx->cmd_fd);
	const struct ib_uverbs_attr offset = ATTR_VALUE(MR_FD_OFFSET, 8, mr.addr & 0xfff);
	const struct ib_uverbs_attr bad_fd = ATTR(MR_FD, .data_s64 = INT64_C(1) << 31);
	const struct ib_uverbs_attr addr_offset[] = { addr, offset };
	const struct ib_uverbs_attr all[] = { addr, fd, offset };
	const struct ib_uverbs_attr by_fd[] = { fd, offset };
	const struct ib_uverbs_attr by_bad_fd[] = { bad_fd, offset };

	assert_int_equal(reg_mr(bed, &mr, &addr, 0), EINVAL);
	assert_int_equal(reg_mr(bed, &mr, &fd, 1), EINVAL);
	assert_int_equal(reg_mr(bed, &mr, addr_offset, 2), EINVAL);
	assert_int_equal(reg_mr(bed, &mr, all, 3), EINVAL);
	assert_int_equal(reg_mr(bed, &mr, by_bad_fd, 2), EINVAL);
	/* A descriptor, and its offset, but it is not that of a DMA buffer. */
	assert_int_equal(reg_mr(bed, &mr, by_fd, 2), EINVAL);
}

static void
registration_is_checked_as_by_the_write_abi(void **state)
{
	struct bed *bed = *state;
	struct region mr = region_of(bed);

	mr.iova++;
	assert_int_equal(reg_addr(bed, &mr), EINVAL);
	mr = region_of(bed);
	mr.access = IBV_ACCESS_REMOTE_WRITE;
	assert_int_equal(reg_addr(bed, &mr), EINVAL);
	mr = region_of(bed);
	mr.access |= 1u << 30;
	assert_int_equal(reg_addr(bed, &mr), EINVAL);
	mr = region_of(bed);
	mr.addr = UINT64_C(0x7ffffffff000);
	mr.iova = 0;
	assert_int_equal(reg_addr(bed, &mr), EFAULT);
}

static int
query_speed(const struct bed *bed, uint32_t port, uint64_t *speed)
{
	const struct ib_uverbs_attr attrs[] = {
		ATTR_VALUE(SPEED_PORT, 8, port),
		ATTR_OUT(SPEED_RESP, *speed),
	};

	return uverbs_request(bed->ctx->cmd_fd, UVERBS_OBJECT_DEVICE, METHOD_QUERY_PORT_SPEED,
			      attrs, 2);
}

static void
a_port_tells_its_speed(void **state)
{
	const struct bed *bed = *state;
	uint64_t speed = 0;

	assert_int_equal(query_speed(bed, 1, &speed), 0);
	/* ConnectX-7: NDR, 400 Gbit/s, in units of 100 Mbit/s. */
	assert_int_equal(speed, 4000);
	assert_int_equal(query_speed(bed, 0, &speed), EINVAL);
	assert_int_equal(query_speed(bed, 2, &speed), EINVAL);
}

#define ATTR_CPU(cpu)	ATTR_VALUE(DMAH_CPU, 4, cpu)
#define ATTR_PH(ph)	ATTR_VALUE(DMAH_PH, 1, ph)
#define ATTR_MEM_TYPE(type)                                                                        \
	ATTR(DMAH_MEM_TYPE, .attr_data = { .enum_data = { .elem_id = (type) } })

/* @return 0 or errno. */
static int
dmah_alloc(const struct bed *bed, const struct ib_uverbs_attr *extra, unsigned int nb,
	   int64_t *handle)
{
	struct ib_uverbs_attr attrs[MAX_ATTRS] = { ATTR(DMAH_HANDLE) };
	int ret;

	memcpy(&attrs[1], extra, nb * sizeof(*extra));
	ret = uverbs_request_inout(bed->ctx->cmd_fd, OBJECT_DMAH, METHOD_DMAH_ALLOC, attrs,
				   1 + nb);
	*handle = attrs[0].data_s64;
	return ret;
}

static int
dmah_free(const struct bed *bed, int64_t handle)
{
	return destroy(bed, OBJECT_DMAH, METHOD_DMAH_FREE, handle);
}

/* A CPU that we may run on. */
static uint32_t
own_cpu(void)
{
	cpu_set_t set;
	uint32_t cpu = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	return cpu;
}

static void
a_region_is_made_with_a_dma_handle(void **state)
{
	struct bed *bed = *state;
	struct region mr = region_of(bed);
	const struct ib_uverbs_attr hints[] = {
		ATTR_CPU(own_cpu()), ATTR_MEM_TYPE(TPH_MEM_TYPE_PM), ATTR_PH(3),
	};
	struct ib_uverbs_attr extra[] = { ATTR_VALUE(MR_ADDR, 8, mr.addr), ATTR(MR_DMA_HANDLE) };
	int64_t handle;

	assert_int_equal(dmah_alloc(bed, hints, 3, &handle), 0);
	extra[1].data_s64 = handle;
	assert_int_equal(reg_mr(bed, &mr, extra, 2), 0);
	write_through(bed, &mr);
	assert_int_equal(dmah_free(bed, handle), EBUSY);
	assert_int_equal(dereg(bed, &mr), 0);
	/* Pages that come and go have no hints. */
	mr.access |= IBV_ACCESS_ON_DEMAND;
	assert_int_equal(reg_mr(bed, &mr, extra, 2), EOPNOTSUPP);
	assert_int_equal(dmah_free(bed, handle), 0);
	mr.access &= ~(uint32_t)IBV_ACCESS_ON_DEMAND;
	assert_int_equal(reg_mr(bed, &mr, extra, 2), ENOENT);
}

static void
dma_handles_want_whole_hints(void **state)
{
	const struct bed *bed = *state;
	const struct ib_uverbs_attr cpu = ATTR_CPU(own_cpu()), no_cpu = ATTR_CPU(0xffff);
	const struct ib_uverbs_attr mem = ATTR_MEM_TYPE(0), bad_mem = ATTR_MEM_TYPE(2);
	const struct ib_uverbs_attr ph = ATTR_PH(0), bad_ph = ATTR_PH(4);
	const struct {
		struct ib_uverbs_attr attrs[3];
		unsigned int nb;
		int error;
	} cases[] = {
		{ { ph }, 1, 0 },
		{ { cpu, mem, ph }, 3, 0 },
		{ { cpu, mem }, 2, EINVAL },
		{ { cpu, ph }, 2, EINVAL },
		{ { mem, ph }, 2, EINVAL },
		{ { bad_ph }, 1, EINVAL },
		{ { no_cpu, mem, ph }, 3, EINVAL },
		{ { cpu, bad_mem, ph }, 3, EOPNOTSUPP },
	};
	int64_t handle;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(dmah_alloc(bed, cases[i].attrs, cases[i].nb, &handle),
				 cases[i].error);
		if (cases[i].error == 0)
			assert_int_equal(dmah_free(bed, handle), 0);
	}
}

static void
dma_handles_share_steering_tags(void **state)
{
	const struct bed *bed = *state;
	const struct ib_uverbs_attr hints[] = { ATTR_CPU(own_cpu()), ATTR_MEM_TYPE(0), ATTR_PH(1) };
	int64_t handles[NB_TAGS + 1];
	unsigned int i;

	/* More handles than the table has tags; they are all for the same CPU and memory. */
	for (i = 0; i <= NB_TAGS; i++)
		assert_int_equal(dmah_alloc(bed, hints, 3, &handles[i]), 0);
	while (i > 0)
		assert_int_equal(dmah_free(bed, handles[--i]), 0);
}

static void
libmlx5_reserves_numbers_of_queue_pairs(void **state)
{
	const struct bed *bed = *state;
	uint32_t qpns[2];

	assert_int_equal(mlx5dv_reserved_qpn_alloc(bed->ctx, &qpns[0]), 0);
	assert_int_equal(mlx5dv_reserved_qpn_alloc(bed->ctx, &qpns[1]), 0);
	assert_int_not_equal(qpns[0], qpns[1]);
	assert_int_not_equal(qpns[0], bed->qp->qp_num);
	assert_int_equal(mlx5dv_reserved_qpn_dealloc(bed->ctx, qpns[0]), 0);
	assert_int_equal(mlx5dv_reserved_qpn_dealloc(bed->ctx, qpns[1]), 0);
}

static struct mlx5dv_devx_obj *
devx_create(const struct bed *bed, uint16_t opcode, uint8_t out[static 16])
{
	const uint8_t in[16] = { opcode >> 8, opcode & 0xff };

	memset(out, 0, 16);
	return mlx5dv_devx_obj_create(bed->ctx, in, sizeof(in), out, 16);
}

static void
devx_has_flow_counters(void **state)
{
	const struct bed *bed = *state;
	uint8_t in[32] = { 0x09, 0x3b }, out[32];
	struct mlx5dv_devx_obj *counter = devx_create(bed, 0x939, out);

	assert_non_null(counter);
	memcpy(in + 28, out + 8, 4);
	assert_int_equal(mlx5dv_devx_obj_query(counter, in, sizeof(in), out, sizeof(out)), 0);
	in[31]++;
	assert_int_not_equal(mlx5dv_devx_obj_query(counter, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(counter), 0);
}

static void
devx_creators_that_are_absent_get_a_status(void **state)
{
	const struct bed *bed = *state;
	uint8_t out[16];

	/* CREATE_FLOW_TABLE and CREATE_TIR: bad opcode, or too short, with a syndrome. */
	assert_null(devx_create(bed, 0x930, out));
	assert_int_not_equal(out[0], 0);
	assert_null(devx_create(bed, 0x900, out));
	assert_int_not_equal(out[0], 0);
	/* What Linux does not let through does not get as far: ENABLE_HCA. */
	assert_null(devx_create(bed, 0x104, out));
	assert_int_equal(out[0], 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_registered_by_ioctl),
		cmocka_unit_test(registration_wants_one_source),
		cmocka_unit_test(registration_is_checked_as_by_the_write_abi),
		cmocka_unit_test(a_port_tells_its_speed),
		cmocka_unit_test(a_region_is_made_with_a_dma_handle),
		cmocka_unit_test(dma_handles_want_whole_hints),
		cmocka_unit_test(dma_handles_share_steering_tags),
		cmocka_unit_test(libmlx5_reserves_numbers_of_queue_pairs),
		cmocka_unit_test(devx_has_flow_counters),
		cmocka_unit_test(devx_creators_that_are_absent_get_a_status),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
