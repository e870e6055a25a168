/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_VMM_H
#define SWHCA_VMM_H

/**
 * @file
 * A VMM and the driver of the guest: messages to a function over a socket.
 */

#include <linux/vfio.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cases.h"
#include "../../../../patience.h"
#include "front/pci/serve.h"
#include "front/pci/vfu.h"

#define MEM_SIZE 0x100000u
#define MEM_ADDR 0x40000000u
#define CMDQ 0x1000u		/* offsets in the memory of the guest */
#define BOXES_IN 0x10000u
#define BOXES_OUT 0x40000u
#define BOX 1024u		/* distance of mailboxes */

#define EQ 0x80000u		/* event queue of the port */
#define EQ_SIZE 4096u
#define VECTOR 3u		/* interrupt of the event queue */
#define MAX_WORDS 4096u

enum {
	QUERY_HCA_CAP = 0x100, INIT_HCA = 0x102, ENABLE_HCA = 0x104, QUERY_PAGES = 0x107,
	MANAGE_PAGES = 0x108, SET_ISSI = 0x10b, CREATE_EQ = 0x301, ALLOC_UAR = 0x802,
};
enum { PAGES_BOOT = 1, PAGES_INIT = 2, PAGES_GIVE = 1 };

struct vmm {
	struct swhca_pci_function function;
	struct swhca_pci_server server;
	pthread_t thread;
	int sock, their_sock, stop_fd, mem_fd;
	uint8_t *ram;
	/* The last reply. */
	struct swhca_vfu_header header;
	uint8_t data[8192];
	int fd;
};

static inline void *
serve(void *arg)
{
	struct vmm *vmm = arg;

	swhca_pci_client_serve(&vmm->server, vmm->their_sock);
	close(vmm->their_sock);
	return NULL;
}

/* Connect a client, until client_leave(). */
static inline void
client_come(struct vmm *vmm)
{
	int socks[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socks), 0);
	vmm->sock = socks[0];
	vmm->their_sock = socks[1];
	assert_int_equal(pthread_create(&vmm->thread, NULL, serve, vmm), 0);
}

static inline void
client_leave(struct vmm *vmm)
{
	close(vmm->sock);
	assert_int_equal(pthread_join(vmm->thread, NULL), 0);
}

static inline void
receive(struct vmm *vmm, void *to, size_t len)
{
	union {
		struct cmsghdr align;
		uint8_t bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { .iov_base = to, .iov_len = len };
	struct msghdr hdr = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct pollfd fds = { .fd = vmm->sock, .events = POLLIN };

	assert_int_equal(poll(&fds, 1, patience_ms()), 1);
	assert_int_equal(recvmsg(vmm->sock, &hdr, MSG_CMSG_CLOEXEC | MSG_WAITALL), len);
	if (CMSG_FIRSTHDR(&hdr) != NULL)
		memcpy(&vmm->fd, CMSG_DATA(CMSG_FIRSTHDR(&hdr)), sizeof(vmm->fd));
}

static inline void
send_msg(struct vmm *vmm, uint16_t cmd, const void *data, size_t len, const int *fds,
	 unsigned int nb_fds, uint32_t flags)
{
	struct swhca_vfu_header header = { .id = 77, .cmd = cmd, .flags = flags,
					   .size = (uint32_t)(sizeof(header) + len) };
	struct iovec iov[] = { { &header, sizeof(header) }, { (void *)(uintptr_t)data, len } };
	union {
		struct cmsghdr align;
		uint8_t bytes[CMSG_SPACE(32 * sizeof(int))];
	} control = { 0 };
	struct msghdr hdr = { .msg_iov = iov, .msg_iovlen = 2 };

	if (nb_fds > 0) {
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(nb_fds * sizeof(int));
		memcpy(CMSG_DATA(&control.align), fds, nb_fds * sizeof(int));
		hdr.msg_control = &control;
		hdr.msg_controllen = CMSG_SPACE(nb_fds * sizeof(int));
	}
	assert_int_equal(sendmsg(vmm->sock, &hdr, MSG_NOSIGNAL), sizeof(header) + len);
}

/* @return errno of the reply. */
static inline int
call(struct vmm *vmm, uint16_t cmd, const void *data, size_t len, int fd)
{
	size_t reply_len;

	vmm->fd = -1;
	send_msg(vmm, cmd, data, len, &fd, fd >= 0, 0);
	receive(vmm, &vmm->header, sizeof(vmm->header));
	assert_int_equal(vmm->header.id, 77);
	assert_int_equal(vmm->header.cmd, cmd);
	reply_len = vmm->header.size - sizeof(vmm->header);
	assert_true(reply_len <= sizeof(vmm->data));
	if (reply_len > 0)
		receive(vmm, vmm->data, reply_len);
	if ((vmm->header.flags & SWHCA_VFU_ERROR) == 0) {
		assert_int_equal(vmm->header.flags, SWHCA_VFU_REPLY);
		return 0;
	}
	assert_int_equal(reply_len, 0);
	return (int)vmm->header.error;
}

static inline int
call_version(struct vmm *vmm)
{
	static const uint8_t version[] = "\0\0\1\0{\"capabilities\":{}}";

	return call(vmm, SWHCA_VFU_VERSION, version, sizeof(version), -1);
}

static inline bool
is_hung_up(struct vmm *vmm)
{
	struct pollfd fds = { .fd = vmm->sock, .events = POLLIN };
	uint8_t byte;

	return poll(&fds, 1, patience_ms()) == 1 && recv(vmm->sock, &byte, 1, 0) <= 0;
}

static inline int
region_write(struct vmm *vmm, uint32_t region, uint64_t offset, const void *src, uint32_t len)
{
	uint8_t data[sizeof(struct swhca_vfu_region_rw) + 4096];
	struct swhca_vfu_region_rw rw = { .offset = offset, .region = region, .count = len };

	memcpy(data, &rw, sizeof(rw));
	memcpy(data + sizeof(rw), src, len);
	return call(vmm, SWHCA_VFU_REGION_WRITE, data, sizeof(rw) + len, -1);
}

static inline int
region_read(struct vmm *vmm, uint32_t region, uint64_t offset, void *dst, uint32_t len)
{
	struct swhca_vfu_region_rw rw = { .offset = offset, .region = region, .count = len };
	int ret = call(vmm, SWHCA_VFU_REGION_READ, &rw, sizeof(rw), -1);

	if (ret == 0)
		memcpy(dst, vmm->data + sizeof(rw), len);
	return ret;
}

static inline uint32_t
bar_get(struct vmm *vmm, uint64_t offset)
{
	uint32_t value = 0;

	assert_int_equal(region_read(vmm, 0, offset, &value, sizeof(value)), 0);
	return be32toh(value);
}

static inline void
bar_put(struct vmm *vmm, uint64_t offset, uint32_t value)
{
	value = htobe32(value);
	assert_int_equal(region_write(vmm, 0, offset, &value, sizeof(value)), 0);
}

/* Set up memory, bus mastering and the command queue, like a BIOS and a driver. */
static inline void
bring_up(struct vmm *vmm)
{
	const struct swhca_vfu_dma_map map = {
		.argsz = sizeof(map), .flags = SWHCA_VFU_DMA_READ | SWHCA_VFU_DMA_WRITE,
		.addr = MEM_ADDR, .size = MEM_SIZE,
	};
	const uint8_t command[] = { 0x06, 0x00 };

	assert_int_equal(call_version(vmm), 0);
	assert_int_equal(call(vmm, SWHCA_VFU_DMA_MAP, &map, sizeof(map), vmm->mem_fd), 0);
	assert_int_equal(region_write(vmm, 7, 4, command, sizeof(command)), 0);
	bar_put(vmm, 0x10, 0);
	bar_put(vmm, 0x14, MEM_ADDR + CMDQ);
}

static inline uint8_t
xor_of(const uint8_t *from, size_t len)
{
	uint8_t sum = 0;

	while (len-- > 0)
		sum ^= *from++;
	return sum;
}

static inline void
put32(uint8_t *to, uint32_t value)
{
	value = htobe32(value);
	memcpy(to, &value, sizeof(value));
}

static inline uint32_t
get32(const uint8_t *from)
{
	uint32_t value;

	memcpy(&value, from, sizeof(value));
	return be32toh(value);
}

static inline uint8_t *
slot_of(struct vmm *vmm, unsigned int index)
{
	return vmm->ram + CMDQ + index * 64;
}

/* Fill a chain of mailboxes with the bytes after the first 16. */
static inline void
boxes_fill(struct vmm *vmm, uint32_t at, uint32_t len, uint8_t token)
{
	uint32_t i, nb = len > 16 ? (len - 16 + 511) / 512 : 0;
	uint8_t *box;

	for (i = 0; i < nb; i++) {
		box = vmm->ram + at + i * BOX;
		memset(box, 0, 576);
		put32(box + 564, i + 1 < nb ? MEM_ADDR + at + (i + 1) * BOX : 0);
		put32(box + 568, i);
		box[573] = token;
	}
}

/* Fill a slot with a command without signature and doorbell. */
static inline uint8_t *
slot_fill(struct vmm *vmm, unsigned int index, uint16_t opcode, uint16_t mod, uint32_t in_len,
	  uint32_t out_len)
{
	uint8_t *slot = slot_of(vmm, index), token = (uint8_t)(0x50 + index);

	memset(slot, 0, 64);
	slot[0] = 7;
	put32(slot + 4, in_len);
	put32(slot + 12, MEM_ADDR + BOXES_IN);
	put32(slot + 16, (uint32_t)opcode << 16);
	put32(slot + 20, mod);
	put32(slot + 52, MEM_ADDR + BOXES_OUT);
	put32(slot + 56, out_len);
	slot[60] = token;
	slot[63] = 1;
	boxes_fill(vmm, BOXES_IN, in_len, token);
	boxes_fill(vmm, BOXES_OUT, out_len, token);
	return slot;
}

/* @return Delivery status. */
static inline uint8_t
slot_ring(struct vmm *vmm, unsigned int index)
{
	uint8_t *slot = slot_of(vmm, index);

	slot[61] = 0;
	slot[61] = (uint8_t)~xor_of(slot, 64);
	bar_put(vmm, 0x18, 1u << index);
	assert_int_equal(slot[63] & 1, 0);
	assert_int_equal(xor_of(slot, 64), 0xff);
	return slot[63] >> 1;
}

/* The simplest command is executed. */
static inline void
hca_enable(struct vmm *vmm)
{
	slot_fill(vmm, 0, ENABLE_HCA, 0, 16, 12);
	assert_int_equal(slot_ring(vmm, 0), 0);
	assert_int_equal(slot_of(vmm, 0)[32], 0);
}

/*
 * Execute a command of nb words; all but the first four are in mailboxes. @return A word of the
 * reply.
 */
static inline uint32_t
command(struct vmm *vmm, uint16_t opcode, uint16_t mod, const uint32_t *words, uint32_t nb,
	unsigned int reply)
{
	uint8_t *slot = slot_fill(vmm, 0, opcode, mod, nb * 4, 16);

	for (uint32_t i = 2; i < nb; i++)
		put32(i < 4 ? slot + 16 + 4 * i :
			      vmm->ram + BOXES_IN + (i - 4) / 128 * BOX + (i - 4) % 128 * 4,
		      words[i]);
	assert_int_equal(slot_ring(vmm, 0), 0);
	assert_int_equal(slot[32], 0);
	return get32(slot + 32 + 4 * (size_t)reply);
}

static inline void
pages_give(struct vmm *vmm, uint16_t what)
{
	uint32_t words[MAX_WORDS] = { 0 }, i;

	words[3] = command(vmm, QUERY_PAGES, what, words, 4, 3);
	assert_in_range(words[3], 0, MAX_WORDS / 2 - 2);
	for (i = 0; i < words[3]; i++)
		words[5 + 2 * i] = MEM_ADDR + MEM_SIZE + what * MEM_SIZE + i * 4096;
	command(vmm, MANAGE_PAGES, PAGES_GIVE, words, 4 + 2 * words[3], 2);
}

/*
 * Like mlx5_function_enable() and mlx5_function_open() of Linux, with an event queue of the port
 * that raises interrupts.
 */
static inline void
events_ask(struct vmm *vmm)
{
	uint32_t words[0x118 / 4] = { 0 }, uar, eqn;

	command(vmm, ENABLE_HCA, 0, words, 4, 0);
	words[2] = 1;
	command(vmm, SET_ISSI, 0, words, 4, 0);
	words[2] = 0;
	pages_give(vmm, PAGES_BOOT);
	pages_give(vmm, PAGES_INIT);
	command(vmm, INIT_HCA, 0, words, 8, 0);
	uar = command(vmm, ALLOC_UAR, 0, words, 4, 2);
	words[7] = 6u << 24 | uar;
	words[9] = VECTOR;
	words[23] = 1u << 9;
	words[69] = MEM_ADDR + EQ;
	memset(vmm->ram + EQ, 0xff, EQ_SIZE);
	eqn = command(vmm, CREATE_EQ, 0, words, 0x118 / 4, 2);
	bar_put(vmm, (uint64_t)uar * SWHCA_UAR_SIZE + 0x40, eqn << 24);
}

/* @return errno of the reply. */
static inline int
eventfd_give(struct vmm *vmm, unsigned int vector, int fd)
{
	const struct vfio_irq_set set = {
		.argsz = sizeof(set), .index = VFIO_PCI_MSIX_IRQ_INDEX, .start = vector, .count = 1,
		.flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
	};

	return call(vmm, SWHCA_VFU_SET_IRQS, &set, sizeof(set), fd);
}

/* A function of a fabric with memory of a guest and no client. */
static inline void
vmm_init(struct vmm *vmm, unsigned int index, struct swhca_fabric *fabric,
	 struct swhca_pci_mem *mem)
{
	const struct swhca_hca_conf conf = { .lid = (uint16_t)(index + 1),
					     .port_guid = index + 1 };

	vmm->mem_fd = memfd_create("guest", MFD_CLOEXEC);
	assert_int_equal(ftruncate(vmm->mem_fd, MEM_SIZE), 0);
	vmm->ram = mmap(NULL, MEM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, vmm->mem_fd, 0);
	assert_ptr_not_equal(vmm->ram, MAP_FAILED);
	assert_int_equal(swhca_pci_function_init(&vmm->function, index, fabric, mem, &conf), 0);
	vmm->stop_fd = eventfd(0, EFD_CLOEXEC);
	vmm->server = (struct swhca_pci_server){ .function = &vmm->function,
						 .stop_fd = vmm->stop_fd,
						 .rest_ms = SWHCA_VFU_REST_MS };
	assert_int_equal(swhca_vfu_msg_init(&vmm->server.msg), 0);
	vmm->server.reply.data = malloc(SWHCA_VFU_MAX_DATA);
	assert_non_null(vmm->server.reply.data);
}

/* No client may be connected. */
static inline void
vmm_fini(struct vmm *vmm)
{
	swhca_vfu_msg_fini(&vmm->server.msg);
	free(vmm->server.reply.data);
	swhca_pci_function_fini(&vmm->function);
	munmap(vmm->ram, MEM_SIZE);
	close(vmm->mem_fd);
	close(vmm->stop_fd);
}

#endif /* SWHCA_VMM_H */
