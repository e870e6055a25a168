/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Requests of libraries that are younger than the oldest system that this runs on, straight to the
 * device file. Numbers are those of ib_user_ioctl_cmds.h in rdma-core 65, typed here.
 */

#include <sched.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "../world.h"
#include "request.h"

#define ATTR(n, ...) { .attr_id = (n), .flags = UVERBS_ATTR_F_MANDATORY, __VA_ARGS__ }
#define ATTR_VALUE(n, size, value) ATTR(n, .len = (size), .data = (value))
#define ATTR_OUT(n, to) ATTR(n, .len = sizeof(to), .data = (uintptr_t)&(to))

/* UVERBS_METHOD_REG_MR and UVERBS_ATTR_REG_MR_* */
#define METHOD_REG_MR	5
enum {
	MR_HANDLE, MR_PD, MR_DMA_HANDLE, MR_IOVA, MR_ADDR, MR_LENGTH, MR_ACCESS, MR_FD,
	MR_FD_OFFSET, MR_LKEY, MR_RKEY,
};

/* UVERBS_METHOD_QUERY_PORT_SPEED and UVERBS_ATTR_QUERY_PORT_SPEED_* */
#define METHOD_QUERY_PORT_SPEED	7
enum { SPEED_PORT, SPEED_RESP };

/* UVERBS_OBJECT_DMAH, UVERBS_METHOD_DMAH_*, UVERBS_ATTR_ALLOC_DMAH_*; IBV_TPH_MEM_TYPE_PM */
#define OBJECT_DMAH	17
#define METHOD_DMAH_ALLOC	0
#define METHOD_DMAH_FREE	1
enum { DMAH_HANDLE, DMAH_CPU, DMAH_MEM_TYPE, DMAH_PH };
#define TPH_MEM_TYPE_PM	1
#define NB_TAGS		63

#define MSG_BYTES 64

static int
setup(void **state)
{
	static struct end bed;
	const struct rc_qp_conf conf = { .access = IBV_ACCESS_REMOTE_WRITE };

	end_open(&bed, devx_open(), PAGE);
	bed.qp = qp_create(bed.pd, (struct ibv_qp_init_attr){
		.send_cq = bed.cq, .cap = { 4, 4, 1, 1, 0 } });
	assert_int_equal(rc_qp_connect_itself(bed.qp, &conf), 0);
	*state = &bed;
	return 0;
}

static int
teardown(void **state)
{
	end_close(*state);
	return 0;
}

/* A region, or what was asked for. */
struct region {
	uint64_t addr, iova, len;
	uint32_t access, lkey, rkey;
	int64_t handle;
};

/* Extra attributes stand behind the usual ones. @return 0 or errno. */
static int
reg_mr(struct end *bed, struct region *mr, const struct ib_uverbs_attr *extra, unsigned int nb)
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
reg_addr(struct end *bed, struct region *mr)
{
	const struct ib_uverbs_attr addr = ATTR_VALUE(MR_ADDR, 8, mr->addr);

	return reg_mr(bed, mr, &addr, 1);
}

static int
destroy(const struct end *bed, uint16_t object, uint16_t method, int64_t handle)
{
	const struct ib_uverbs_attr attr = ATTR(0, .data_s64 = handle);

	return uverbs_request(bed->ctx->cmd_fd, object, method, &attr, 1);
}

static int
dereg(const struct end *bed, const struct region *mr)
{
	return destroy(bed, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, mr->handle);
}

static struct region
region_of(struct end *bed)
{
	return (struct region){
		.addr = (uintptr_t)bed->buf,
		.iova = UINT64_C(0x7000000000) | ((uintptr_t)bed->buf & 0xfff), .len = PAGE,
		.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
	};
}

/* The first half of the memory is written into the second by way of the region. */
static void
write_through(struct end *bed, const struct region *mr)
{
	memset(bed->buf, 0xa5, MSG_BYTES);
	memset(bed->buf + 2048, 0, MSG_BYTES);
	rdma_post(bed->qp, IBV_WR_RDMA_WRITE, (struct ibv_sge){ mr->iova, MSG_BYTES, mr->lkey },
		  (void *)(uintptr_t)(mr->iova + 2048), mr->rkey);
	expect_success(bed->cq);
	assert_memory_equal(bed->buf, bed->buf + 2048, MSG_BYTES);
}

CASE_OF(struct end, bed, memory_is_registered_by_ioctl, NULL, NULL)
{
	struct region mr = region_of(bed);

	assert_int_equal(reg_addr(bed, &mr), 0);
	assert_int_equal(mr.lkey, mr.rkey);
	write_through(bed, &mr);
	/* The PD is in use as long as the region is there. */
	assert_int_equal(destroy(bed, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY,
				 bed->pd->handle), EBUSY);
	assert_int_equal(dereg(bed, &mr), 0);
}

CASE_OF(struct end, bed, registration_wants_one_source, NULL, NULL)
{
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

CASE_OF(struct end, bed, registration_is_checked_as_by_the_write_abi, NULL, NULL)
{
	struct region mr = region_of(bed), wrong[] = { mr, mr, mr, mr };

	wrong[0].iova++;
	wrong[1].access = IBV_ACCESS_REMOTE_WRITE;
	wrong[2].access |= 1u << 30;
	wrong[3].addr = UINT64_C(0x7ffffffff000);
	wrong[3].iova = 0;
	assert_int_equal(reg_addr(bed, &wrong[0]), EINVAL);
	assert_int_equal(reg_addr(bed, &wrong[1]), EINVAL);
	assert_int_equal(reg_addr(bed, &wrong[2]), EINVAL);
	assert_int_equal(reg_addr(bed, &wrong[3]), EFAULT);
}

static int
query_speed(const struct end *bed, uint32_t port, uint64_t *speed)
{
	const struct ib_uverbs_attr attrs[] = {
		ATTR_VALUE(SPEED_PORT, 8, port),
		ATTR_OUT(SPEED_RESP, *speed),
	};

	return uverbs_request(bed->ctx->cmd_fd, UVERBS_OBJECT_DEVICE, METHOD_QUERY_PORT_SPEED,
			      attrs, 2);
}

CASE_OF(const struct end, bed, a_port_tells_its_speed, NULL, NULL)
{
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
dmah_alloc(const struct end *bed, const struct ib_uverbs_attr *extra, unsigned int nb,
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
dmah_free(const struct end *bed, int64_t handle)
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

CASE_OF(struct end, bed, a_region_is_made_with_a_dma_handle, NULL, NULL)
{
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

CASE_OF(const struct end, bed, dma_handles_want_whole_hints, NULL, NULL)
{
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

	for (i = 0; i < NB_OF(cases); i++) {
		assert_int_equal(dmah_alloc(bed, cases[i].attrs, cases[i].nb, &handle),
				 cases[i].error);
		if (cases[i].error == 0)
			assert_int_equal(dmah_free(bed, handle), 0);
	}
}

CASE_OF(const struct end, bed, dma_handles_share_steering_tags, NULL, NULL)
{
	const struct ib_uverbs_attr hints[] = { ATTR_CPU(own_cpu()), ATTR_MEM_TYPE(0), ATTR_PH(1) };
	int64_t handles[NB_TAGS + 1];
	unsigned int i;

	/* More handles than the table has tags; they are all for the same CPU and memory. */
	for (i = 0; i <= NB_TAGS; i++)
		assert_int_equal(dmah_alloc(bed, hints, 3, &handles[i]), 0);
	while (i > 0)
		assert_int_equal(dmah_free(bed, handles[--i]), 0);
}

CASE_OF(const struct end, bed, libmlx5_reserves_numbers_of_queue_pairs, NULL, NULL)
{
	uint32_t qpns[2];

	assert_int_equal(mlx5dv_reserved_qpn_alloc(bed->ctx, &qpns[0]), 0);
	assert_int_equal(mlx5dv_reserved_qpn_alloc(bed->ctx, &qpns[1]), 0);
	assert_int_not_equal(qpns[0], qpns[1]);
	assert_int_not_equal(qpns[0], bed->qp->qp_num);
	assert_int_equal(mlx5dv_reserved_qpn_dealloc(bed->ctx, qpns[0]), 0);
	assert_int_equal(mlx5dv_reserved_qpn_dealloc(bed->ctx, qpns[1]), 0);
}

static struct mlx5dv_devx_obj *
devx_create(const struct end *bed, uint16_t opcode, uint8_t out[static 16])
{
	const uint8_t in[16] = { opcode >> 8, opcode & 0xff };

	memset(out, 0, 16);
	return mlx5dv_devx_obj_create(bed->ctx, in, sizeof(in), out, 16);
}

CASE_OF(const struct end, bed, devx_has_flow_counters, NULL, NULL)
{
	uint8_t in[32] = { 0x09, 0x3b }, out[32];
	struct mlx5dv_devx_obj *counter = devx_create(bed, 0x939, out);

	assert_non_null(counter);
	memcpy(in + 28, out + 8, 4);
	assert_int_equal(mlx5dv_devx_obj_query(counter, in, sizeof(in), out, sizeof(out)), 0);
	in[31]++;
	assert_int_not_equal(mlx5dv_devx_obj_query(counter, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(counter), 0);
}

CASE_OF(const struct end, bed, devx_creators_that_are_absent_get_a_status, NULL, NULL)
{
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
	return cases_run(setup, teardown);
}
