/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Requests of libraries that are younger than the oldest system that this runs on, straight to the
 * device file. Numbers are those of ib_user_ioctl_cmds.h in rdma-core 65, typed here.
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "rc_qp.h"
#include "uverbs_request.h"

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
	const struct rc_qp_conf conf = { .access = IBV_ACCESS_REMOTE_WRITE };

	assert_non_null(list);
	bed.ctx = ibv_open_device(list[0]);
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
		;
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

	assert_int_equal(reg_mr(bed, &mr, NULL, 0), EINVAL);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_registered_by_ioctl),
		cmocka_unit_test(registration_wants_one_source),
		cmocka_unit_test(registration_is_checked_as_by_the_write_abi),
		cmocka_unit_test(a_port_tells_its_speed),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
