/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A context as older libraries get it: the command GET_CONTEXT of the write ABI, which also gives
 * the file of asynchronous events. Straight to the device file, below libibverbs.
 */

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "cases.h"
#include "request.h"

#define NB_ATTRS 5
#define ATTR(id, size, value)                                                                      \
	{ .attr_id = (id), .len = (uint16_t)(size), .flags = UVERBS_ATTR_F_MANDATORY,              \
	  .data = (value) }

/* Execute a command; core and driver part, in and out. @return 0 or errno. */
static int
invoke_write(int fd, uint64_t cmd, const void *in, size_t in_len, void *out, size_t out_len,
	     const void *uhw_in, size_t uhw_in_len, void *uhw_out, size_t uhw_out_len)
{
	struct ib_uverbs_attr attrs[NB_ATTRS] = {
		ATTR(UVERBS_ATTR_WRITE_CMD, sizeof(cmd), cmd),
		ATTR(UVERBS_ATTR_CORE_IN, in_len, (uintptr_t)in),
		ATTR(UVERBS_ATTR_CORE_OUT, out_len, (uintptr_t)out),
		ATTR(UVERBS_ATTR_UHW_IN, uhw_in_len, (uintptr_t)uhw_in),
		ATTR(UVERBS_ATTR_UHW_OUT, uhw_out_len, (uintptr_t)uhw_out),
	};

	/* What fits into the attribute is there. */
	if (in_len <= sizeof(attrs[1].data))
		memcpy(&attrs[1].data, in, in_len);
	return uverbs_request(fd, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, attrs,
			      NB_ATTRS);
}

static int
get_context(int fd, struct ib_uverbs_get_context_resp *resp)
{
	const struct mlx5_ib_alloc_ucontext_req_v2 driver = {
		.total_num_bfregs = 16, .num_low_latency_bfregs = 4, .max_cqe_version = 1,
		.lib_caps = MLX5_LIB_CAP_4K_UAR,
	};
	const struct ib_uverbs_get_context cmd = { .response = 0 };
	struct mlx5_ib_alloc_ucontext_resp driver_resp;

	return invoke_write(fd, IB_USER_VERBS_CMD_GET_CONTEXT, &cmd, sizeof(cmd), resp,
			    sizeof(*resp), &driver, sizeof(driver), &driver_resp,
			    sizeof(driver_resp));
}

CASE(command_gives_context_and_event_file)
{
	struct ib_uverbs_get_context_resp resp = { 0 }, other;
	struct ib_uverbs_async_event_desc desc;
	struct pollfd poll_fd = { .events = POLLIN };
	int fd = open("/dev/infiniband/uverbs0", O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(get_context(fd, &resp), 0);
	assert_true(resp.num_comp_vectors > 1);
	/* A file has one context. */
	assert_int_equal(get_context(fd, &other), EINVAL);
	poll_fd.fd = (int)resp.async_fd;
	assert_int_equal(poll(&poll_fd, 1, 0), 0);
	assert_int_equal(fcntl(poll_fd.fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(read(poll_fd.fd, &desc, sizeof(desc)), -1);
	assert_int_equal(errno, EAGAIN);
	/* Without its context it has nothing to tell any more, and does not say so. */
	close(fd);
	assert_int_equal(poll(&poll_fd, 1, 0), 0);
	assert_int_equal(read(poll_fd.fd, &desc, sizeof(desc)), -1);
	assert_int_equal(errno, EAGAIN);
	close(poll_fd.fd);
}

/* A DevX command of 16 bytes about no object. @return 0 or errno. */
static int
devx_general(int fd, const uint8_t in[static 16], void *out, uint16_t out_len)
{
	const struct ib_uverbs_attr attrs[] = {
		ATTR(MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, 16, (uintptr_t)in),
		ATTR(MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, out_len, (uintptr_t)out),
	};

	return uverbs_request(fd, MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER, attrs,
			      NB_OF(attrs));
}

/* GET_CONTEXT of above does not ask for DevX (mlx5_ib: devx_is_whitelist_cmd()). */
CASE(capabilities_need_no_user_context)
{
	const uint8_t query_hca_cap[16] = { 0x01, 0x00 }, query_adapter[16] = { 0x01, 0x01 };
	int fd = open("/dev/infiniband/uverbs0", O_RDWR | O_CLOEXEC);
	struct ib_uverbs_get_context_resp resp = { 0 };
	uint8_t out[0x1010];

	assert_true(fd >= 0);
	assert_int_equal(get_context(fd, &resp), 0);
	assert_int_equal(devx_general(fd, query_hca_cap, out, sizeof(out)), 0);
	assert_int_equal(devx_general(fd, query_adapter, out, sizeof(out)), EINVAL);
	close((int)resp.async_fd);
	close(fd);
}

CASE(other_commands_need_a_context)
{
	const struct ib_uverbs_query_device cmd = { .response = 0 };
	struct ib_uverbs_query_device_resp resp;
	int fd = open("/dev/infiniband/uverbs0", O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(invoke_write(fd, IB_USER_VERBS_CMD_QUERY_DEVICE, &cmd, sizeof(cmd), &resp,
				      sizeof(resp), NULL, 0, NULL, 0), EINVAL);
	close(fd);
}
