/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A port whose cable is pulled and plugged in again by swhca-ctl: programs read events, find the
 * state wherever it is told, and lose what they send meanwhile.
 */

#include <fcntl.h>

#include "../world.h"

#define NB_DEVICES 2

static struct end sides[NB_DEVICES];
/* Of the second device, by the first one. */
static volatile uint64_t *written;

static int
port_ctl(const char *arg)
{
	return ctl("port", arg);
}

static int
setup(void **state)
{
	struct end *s;

	for (s = sides; s < sides + NB_DEVICES; s++) {
		end_open(s, device_open(s == sides ? "mlx5_0" : "mlx5_1"), PAGE);
		s->qp = qp_create(s->pd, (struct ibv_qp_init_attr){ .send_cq = s->cq });
	}
	written = (uint64_t *)sides[1].buf + 1;
	return 0;
}

static int
teardown(void **state)
{
	end_close(&sides[0]);
	end_close(&sides[1]);
	return 0;
}

/* From whatever state they are in. */
static void
sides_connect(void)
{
	const struct rc_qp_conf conf = { .access = IBV_ACCESS_REMOTE_WRITE, .timeout = 8,
					 .retry_cnt = 1 };
	int i;

	for (i = 0; i < NB_DEVICES; i++) {
		qp_to(sides[i].qp, IBV_QPS_RESET);
		qp_connect(sides[i].qp, sides[!i].ctx, sides[!i].qp->qp_num, &conf);
	}
}

/* RDMA write from the first device to the second one. */
static enum ibv_wc_status
write_status(uint64_t value)
{
	memcpy(sides[0].buf, &value, sizeof(value));
	rdma_post(sides[0].qp, IBV_WR_RDMA_WRITE, sge_of(&sides[0], 0, sizeof(value)),
		  sides[1].buf + sizeof(value), sides[1].mr->rkey);
	return wc_wait(sides[0].cq).status;
}

static void
expect_event(struct ibv_context *ctx, enum ibv_event_type type)
{
	assert_int_equal(expect_async(ctx, type).element.port_num, 1);
}

static void
expect_no_event(struct ibv_context *ctx)
{
	assert_false(is_readable(ctx->async_fd, 0));
}

static void
expect_attr(const char *name, const char *text)
{
	char path[128], got[64];
	int fd = -1;
	ssize_t len;

	snprintf(path, sizeof(path), "/sys/class/infiniband/mlx5_0/ports/1/%s", name);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	len = read(fd, got, sizeof(got) - 1);
	assert_true(len >= 0);
	got[len] = '\0';
	assert_string_equal(got, text);
	assert_int_equal(close(fd), 0);
}

/* Who keeps the file open and goes back to its beginning reads what it is then. */
static void
expect_reads(int fd, const char *text)
{
	char got[64];
	ssize_t len;

	len = read(fd, got, sizeof(got) - 1);
	assert_true(len >= 0);
	got[len] = '\0';
	assert_string_equal(got, text);
	assert_int_equal(read(fd, got, sizeof(got)), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	len = pread(fd, got, sizeof(got) - 1, 0);
	assert_int_equal(len, strlen(text));
	assert_memory_equal(got, text, strlen(text));
}

static void
expect_state(enum ibv_port_state want)
{
	struct ibv_port_attr attr;

	assert_int_equal(ibv_query_port(sides[0].ctx, 1, &attr), 0);
	assert_int_equal(attr.state, want);
	expect_attr("state", want == IBV_PORT_ACTIVE ? "4: ACTIVE\n" : "1: DOWN\n");
}

CASE(port_that_goes_down_is_told_by_an_event)
{
	int fd = open("/sys/class/infiniband/mlx5_0/ports/1/state", O_RDONLY);

	assert_true(fd >= 0);
	expect_reads(fd, "4: ACTIVE\n");
	expect_state(IBV_PORT_ACTIVE);
	expect_attr("counters/link_downed", "0\n");
	assert_int_equal(port_ctl("0 down"), 0);
	expect_event(sides[0].ctx, IBV_EVENT_PORT_ERR);
	expect_no_event(sides[1].ctx);
	expect_state(IBV_PORT_DOWN);
	expect_reads(fd, "1: DOWN\n");
	expect_attr("counters/link_downed", "1\n");
	/* What is so already is no event. */
	assert_int_equal(port_ctl("0 down"), 0);
	expect_no_event(sides[0].ctx);
	assert_int_equal(port_ctl("0 up"), 0);
	expect_event(sides[0].ctx, IBV_EVENT_PORT_ACTIVE);
	expect_state(IBV_PORT_ACTIVE);
	expect_reads(fd, "4: ACTIVE\n");
	expect_attr("counters/link_downed", "1\n");
	assert_int_equal(close(fd), 0);
}

CASE(nothing_passes_a_port_that_is_down)
{
	int i;

	/* That of the sender, and that of the receiver. */
	for (i = 0; i < NB_DEVICES; i++) {
		sides_connect();
		assert_int_equal(write_status(1), IBV_WC_SUCCESS);
		assert_int_equal(*written, 1);
		assert_int_equal(port_ctl(i == 0 ? "0 down" : "1 down"), 0);
		assert_int_equal(write_status(2), IBV_WC_RETRY_EXC_ERR);
		assert_int_equal(*written, 1);
		assert_int_equal(port_ctl(i == 0 ? "0 up" : "1 up"), 0);
		expect_event(sides[i].ctx, IBV_EVENT_PORT_ERR);
		expect_event(sides[i].ctx, IBV_EVENT_PORT_ACTIVE);
	}
	sides_connect();
	assert_int_equal(write_status(3), IBV_WC_SUCCESS);
	assert_int_equal(*written, 3);
}

CASE(words_that_are_wrong_are_rejected)
{
	static const char *const commands[] = { "0 sideways", "9 down", "x up", "0 downs",
						"-1 down" };
	size_t i;

	for (i = 0; i < NB_OF(commands); i++)
		assert_int_equal(port_ctl(commands[i]), 1);
	expect_no_event(sides[0].ctx);
	expect_state(IBV_PORT_ACTIVE);
}

/* Verbs and sysfs tell the same, and both events were there. */
CASE(link_comes_back_at_another_rate)
{
	int fd = open("/sys/class/infiniband/mlx5_0/ports/1/rate", O_RDONLY);
	struct ibv_port_attr attr;

	assert_true(fd >= 0);
	expect_reads(fd, "400 Gb/sec (4X NDR)\n");
	assert_int_equal(port_ctl("0 speed=hdr,width=2"), 0);
	expect_event(sides[0].ctx, IBV_EVENT_PORT_ERR);
	expect_event(sides[0].ctx, IBV_EVENT_PORT_ACTIVE);
	expect_no_event(sides[1].ctx);
	expect_reads(fd, "100 Gb/sec (2X HDR)\n");
	assert_int_equal(ibv_query_port(sides[0].ctx, 1, &attr), 0);
	assert_int_equal(attr.active_width, 16);
	assert_int_equal(attr.active_speed, 64);
	assert_int_equal(attr.state, IBV_PORT_ACTIVE);
	/* Who is down tells it when it comes up. */
	assert_int_equal(port_ctl("0 down"), 0);
	expect_event(sides[0].ctx, IBV_EVENT_PORT_ERR);
	assert_int_equal(port_ctl("0 speed=SDR,width=1"), 0);
	expect_no_event(sides[0].ctx);
	assert_int_equal(port_ctl("0 up"), 0);
	expect_event(sides[0].ctx, IBV_EVENT_PORT_ACTIVE);
	expect_reads(fd, "2.5 Gb/sec (1X SDR)\n");
	/* What is no rate changes nothing. */
	assert_int_equal(port_ctl("0 speed=xyz"), 1);
	assert_int_equal(port_ctl("0 speed=edr,width=3"), 1);
	expect_no_event(sides[0].ctx);
	assert_int_equal(port_ctl("0 speed=ndr"), 0);
	expect_event(sides[0].ctx, IBV_EVENT_PORT_ERR);
	expect_event(sides[0].ctx, IBV_EVENT_PORT_ACTIVE);
	expect_reads(fd, "400 Gb/sec (4X NDR)\n");
	assert_int_equal(close(fd), 0);
}

int
main(void)
{
	return cases_run(setup, teardown);
}
