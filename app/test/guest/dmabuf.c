/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Regions of dma-bufs (ibv_reg_dmabuf_mr(3)), whose pages the kernel gives to the device when it
 * asks for them: memory of a udmabuf, or of the system's heap, is written and read through one, and
 * compared with what the CPU sees there. Exit status 77: this kernel has neither.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <linux/dma-heap.h>
#include <linux/udmabuf.h>

#include "../patience.h"
#include "rc_qp.h"

#define LEN		(64u * 4096u)
#define ACCESS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)
#define EXIT_SKIPPED	77

struct rig {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;	/* of plain */
	uint8_t *plain;
};

static void
die(const char *what)
{
	fprintf(stderr, "dmabuf: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static void
check(int is_good, const char *what)
{
	if (!is_good)
		die(what);
}

/* Of a file in memory (linux/udmabuf.h). @return Descriptor of a dma-buf, or -1: there are none. */
static int
udmabuf_open(void)
{
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = LEN };
	int dev = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), memfd, fd;

	if (dev < 0)
		return -1;
	memfd = memfd_create("dmabuf", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	check(memfd >= 0 && ftruncate(memfd, LEN) == 0 &&
	      fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK) == 0, "memfd");
	create.memfd = (uint32_t)memfd;
	fd = ioctl(dev, UDMABUF_CREATE, &create);
	check(fd >= 0, "UDMABUF_CREATE");
	close(memfd);
	close(dev);
	return fd;
}

/* The same of the system's heap (linux/dma-heap.h). */
static int
heap_open(void)
{
	struct dma_heap_allocation_data data = { .len = LEN, .fd_flags = O_RDWR | O_CLOEXEC };
	int dev = open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);

	if (dev < 0)
		return -1;
	check(ioctl(dev, DMA_HEAP_IOCTL_ALLOC, &data) == 0, "DMA_HEAP_IOCTL_ALLOC");
	close(dev);
	return (int)data.fd;
}

static void
rig_open(struct rig *r)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	const struct rc_qp_conf conf = { .access = ACCESS, .rd_atomic = 1, .timeout = 14,
					 .retry_cnt = 7, .rnr_retry = 7, .min_rnr_timer = 12 };
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 4, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1,
	};

	check(list != NULL && list[0] != NULL, "no device");
	r->ctx = ibv_open_device(list[0]);
	ibv_free_device_list(list);
	check(r->ctx != NULL, "ibv_open_device");
	r->pd = ibv_alloc_pd(r->ctx);
	r->cq = ibv_create_cq(r->ctx, 4, NULL, NULL, 0);
	check(r->pd != NULL && r->cq != NULL, "PD and CQ");
	attr.send_cq = r->cq;
	attr.recv_cq = r->cq;
	r->qp = ibv_create_qp(r->pd, &attr);
	check(r->qp != NULL, "ibv_create_qp");
	errno = rc_qp_connect_itself(r->qp, &conf);
	check(errno == 0, "rc_qp_connect_itself");
	r->plain = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(r->plain != MAP_FAILED, "mmap");
	r->mr = ibv_reg_mr(r->pd, r->plain, LEN, ACCESS);
	check(r->mr != NULL, "ibv_reg_mr");
}

static void
rig_close(struct rig *r)
{
	check(ibv_destroy_qp(r->qp) == 0 && ibv_dereg_mr(r->mr) == 0 &&
	      ibv_destroy_cq(r->cq) == 0 && ibv_dealloc_pd(r->pd) == 0 &&
	      ibv_close_device(r->ctx) == 0, "close");
	munmap(r->plain, LEN);
}

/* All of the plain memory to a remote address, or from there. */
static void
move(struct rig *r, enum ibv_wr_opcode opcode, uint64_t raddr, uint32_t rkey)
{
	struct ibv_sge sge = { .addr = (uintptr_t)r->plain, .length = LEN, .lkey = r->mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = opcode }, *bad;
	const uint64_t deadline = patience_end();
	struct ibv_wc wc;
	int ret;

	wr.wr.rdma.remote_addr = raddr;
	wr.wr.rdma.rkey = rkey;
	errno = ibv_post_send(r->qp, &wr, &bad);
	check(errno == 0, "ibv_post_send");
	while ((ret = ibv_poll_cq(r->cq, 1, &wc)) == 0) {
		errno = ETIMEDOUT;
		check(!patience_is_over(deadline), "no completion");
	}
	errno = 0;
	if (ret < 0 || wc.status != IBV_WC_SUCCESS)
		die(ret < 0 ? "ibv_poll_cq" : ibv_wc_status_str(wc.status));
}

static void
fill(uint8_t *bytes, unsigned int seed)
{
	for (uint32_t i = 0; i < LEN; i++)
		bytes[i] = (uint8_t)(i * 7 + (i >> 12) * 31 + seed);
}

static void
both_ways(struct rig *r, int fd)
{
	const uint64_t iova = 0x100000;
	uint8_t *mem = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct ibv_mr *mr = ibv_reg_dmabuf_mr(r->pd, 0, LEN, iova, fd, ACCESS);

	check(mem != MAP_FAILED, "mmap of a dma-buf");
	check(mr != NULL, "ibv_reg_dmabuf_mr");
	memset(mem, 0, LEN);
	fill(r->plain, 1);
	move(r, IBV_WR_RDMA_WRITE, iova, mr->rkey);
	errno = 0;
	check(memcmp(mem, r->plain, LEN) == 0, "the dma-buf has not what was written");
	fill(mem, 2);
	move(r, IBV_WR_RDMA_READ, iova, mr->rkey);
	errno = 0;
	check(memcmp(mem, r->plain, LEN) == 0, "what was read is not in the dma-buf");
	check(ibv_dereg_mr(mr) == 0, "ibv_dereg_mr");
	munmap(mem, LEN);
}

int
main(void)
{
	int fds[2] = { udmabuf_open(), heap_open() };
	struct rig rig;

	if (fds[0] < 0 && fds[1] < 0) {
		fprintf(stderr, "dmabuf: no /dev/udmabuf, no /dev/dma_heap/system\n");
		return EXIT_SKIPPED;
	}
	rig_open(&rig);
	for (int i = 0; i < 2; i++) {
		if (fds[i] < 0)
			continue;
		both_ways(&rig, fds[i]);
		printf("%s: %u bytes both ways\n", i == 0 ? "udmabuf" : "heap", LEN);
		close(fds[i]);
	}
	rig_close(&rig);
	return EXIT_SUCCESS;
}
