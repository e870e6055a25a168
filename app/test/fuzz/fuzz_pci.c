/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A PCI function between a VMM and a guest that both write what they like. An input is a list of
 * steps, each a byte of what to do, and its bytes:
 *
 *   messages:	u8 command, u8 descriptors, u16 length, the payload
 *   memory:	u16 offset, u8 length, bytes of the guest's memory
 *   slots:	u8 slot, then its 64 bytes as edits of one that is right, signed and rung
 *   time:	the engine works
 */

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "front/pci/pci_request.h"
#include "fuzz_check.h"
#include "fuzz_pci_watch.h"

#define RAM_SIZE	0x10000u
#define RAM_ADDR	0x100000u
#define CMDQ		0x1000u
#define BOXES		0x4000u
#define BOX		1024u
#define NB_BOXES	16u
#define MAX_MSG		512u

static struct {
	struct swhca_pci_mem mem;
	struct swhca_fabric *fabric;
	struct swhca_pci_function function;
	struct swhca_vfu_session session;
	struct swhca_vfu_msg msg;
	struct swhca_vfu_reply reply;
	int mem_fd;
	uint8_t *ram;
	unsigned int nb_process;	/* descriptors and threads in the beginning */
} world;

static void
put32(uint8_t *to, uint32_t value)
{
	value = htobe32(value);
	memcpy(to, &value, sizeof(value));
}

static void
message(uint16_t cmd, const void *data, size_t len, unsigned int nb_fds)
{
	struct swhca_vfu_msg *msg = &world.msg;
	int ret;

	msg->header = (struct swhca_vfu_header){ .cmd = cmd,
						 .size = (uint32_t)(sizeof(msg->header) + len) };
	msg->len = len;
	memcpy(msg->data, data, len);
	for (unsigned int i = 0; i < nb_fds; i++)
		msg->fds[i] = i % 2 == 0 ? dup(world.mem_fd) : eventfd(0, EFD_NONBLOCK);
	msg->nb_fds = nb_fds;
	ret = swhca_vfu_request(&world.session, msg, &world.reply);
	fuzz_pci_watch_message(cmd, data, len, nb_fds, ret);
	FUZZ_NEED(world.reply.len <= SWHCA_VFU_MAX_DATA);
	swhca_vfu_msg_close_fds(msg);
}

static void
bar_put(uint64_t offset, uint32_t value)
{
	uint8_t data[20] = { 0 };
	struct swhca_vfu_region_rw rw = { .offset = offset, .count = 4 };

	memcpy(data, &rw, sizeof(rw));
	put32(data + sizeof(rw), value);
	message(SWHCA_VFU_REGION_WRITE, data, sizeof(data), 0);
}

/* As a BIOS and a driver begin; what comes after may undo it. */
static void
bring_up(void)
{
	const struct swhca_vfu_dma_map map = {
		.flags = SWHCA_VFU_DMA_READ | SWHCA_VFU_DMA_WRITE, .addr = RAM_ADDR,
		.size = RAM_SIZE,
	};
	const uint8_t version[4] = { 0 };
	uint8_t command[18] = { 4 };

	message(SWHCA_VFU_VERSION, version, sizeof(version), 0);
	message(SWHCA_VFU_DMA_MAP, &map, sizeof(map), 1);
	command[8] = 7;
	command[12] = 2;
	command[16] = 6;
	message(SWHCA_VFU_REGION_WRITE, command, sizeof(command), 0);
	bar_put(0x14, RAM_ADDR + CMDQ);
}

static void
world_create(void)
{
	const struct swhca_hca_conf conf = { .lid = 1, .port_guid = 1, .log_max_uar = 8 };

	swhca_log_level = SWHCA_LOG_NONE;
	world.nb_process = fuzz_process_count();
	swhca_pci_mem_init(&world.mem);
	fuzz_pci_watch_init(&world.mem);
	world.mem_fd = memfd_create("guest", MFD_CLOEXEC);
	FUZZ_NEED(world.mem_fd >= 0 && ftruncate(world.mem_fd, RAM_SIZE) == 0);
	world.ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, world.mem_fd, 0);
	FUZZ_NEED(world.ram != MAP_FAILED);
	FUZZ_NEED(swhca_fabric_create(&world.mem.dma, &world.fabric) == 0);
	FUZZ_NEED(swhca_pci_function_init(&world.function, 0, world.fabric, &world.mem, &conf) ==
		  0);
	world.session = (struct swhca_vfu_session){ .function = &world.function };
	FUZZ_NEED(swhca_vfu_msg_init(&world.msg) == 0);
	world.reply.data = malloc(SWHCA_VFU_MAX_DATA);
	FUZZ_NEED(world.reply.data != NULL);
}

static void
world_destroy(void)
{
	struct swhca_hca_stats stats;

	swhca_pci_function_leave(&world.function);
	fuzz_pci_watch_leave();
	/* A client that goes leaves nothing, and nothing is done for it. */
	swhca_hca_stats_get(world.function.hca, &stats);
	FUZZ_NEED(stats.nb_objects == 0);
	while (swhca_fabric_poll(world.fabric) != 0)
		continue;
	FUZZ_NEED(world.mem.spaces[0].nb == 0);
	swhca_pci_function_fini(&world.function);
	swhca_fabric_destroy(world.fabric);
	swhca_pci_mem_fini(&world.mem);
	swhca_vfu_msg_fini(&world.msg);
	free(world.reply.data);
	munmap(world.ram, RAM_SIZE);
	close(world.mem_fd);
	FUZZ_NEED(fuzz_process_settle(world.nb_process) == world.nb_process);
}

static void
any_message(struct fuzz_input *in)
{
	uint8_t data[MAX_MSG], cmd = fuzz_u8(in), nb_fds = fuzz_u8(in);
	size_t len = fuzz_u16(in) % sizeof(data);

	fuzz_bytes(in, data, len);
	message(cmd % 16, data, len, nb_fds % (SWHCA_VFU_MAX_FDS + 1));
}

static void
any_memory(struct fuzz_input *in)
{
	size_t offset = fuzz_u16(in), len = fuzz_u8(in);

	if (len > RAM_SIZE - offset)
		len = RAM_SIZE - offset;
	fuzz_bytes(in, world.ram + offset, len);
}

/* Mailboxes that are right, unless steps about memory came behind it. */
static void
boxes_fill(uint8_t token)
{
	uint8_t *box;

	for (unsigned int i = 0; i < NB_BOXES; i++) {
		box = world.ram + BOXES + i * BOX;
		put32(box + 564, RAM_ADDR + BOXES + (i + 1) % NB_BOXES * BOX);
		put32(box + 568, i);
		box[573] = token;
	}
}

static void
any_slot(struct fuzz_input *in)
{
	unsigned int index = fuzz_u8(in) % 32, i;
	uint8_t *slot = world.ram + CMDQ + index * 64, sum = 0;
	uint8_t is_fresh = fuzz_u8(in);

	memset(slot, 0, 64);
	slot[0] = 7;
	put32(slot + 4, fuzz_u16(in) % 2048);
	put32(slot + 12, RAM_ADDR + BOXES);
	put32(slot + 16, (uint32_t)fuzz_u16(in) << 16);
	put32(slot + 20, fuzz_u16(in));
	put32(slot + 52, RAM_ADDR + BOXES);
	put32(slot + 56, fuzz_u16(in) % 8192);
	slot[60] = fuzz_u8(in);
	slot[63] = 1;
	if (is_fresh % 2 == 0)
		boxes_fill(slot[60]);
	for (i = fuzz_u8(in) % 8; i > 0; i--)
		slot[fuzz_u8(in) % 64] = fuzz_u8(in);
	slot[61] = 0;
	for (i = 0; i < 64; i++)
		sum ^= slot[i];
	slot[61] = (uint8_t)~sum;
	bar_put(0x18, 1u << index);
}

static void
engine_poll(struct fuzz_input *in)
{
	(void)in;
	swhca_fabric_poll(world.fabric);
}

static void (*const steps[4])(struct fuzz_input *in) = {
	any_message, any_memory, any_slot, engine_poll,
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { .data = data, .left = size };

	world_create();
	bring_up();
	while (in.left > 0)
		steps[fuzz_u8(&in) % 4](&in);
	world_destroy();
	return 0;
}
