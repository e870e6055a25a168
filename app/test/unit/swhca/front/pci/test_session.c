/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A function as a VMM has it: by messages on a socket. The test is the VMM, and the guest's driver.
 */

#include "vmm.h"

static struct swhca_pci_mem mem;
static struct swhca_fabric *fabric;
static struct vmm bed, *const vmm = &bed;

static int
setup(void **state)
{
	memset(vmm, 0, sizeof(*vmm));
	swhca_pci_mem_init(&mem);
	assert_int_equal(swhca_fabric_create(&mem.dma, &fabric), 0);
	vmm_init(vmm, 0, fabric, &mem);
	client_come(vmm);
	return 0;
}

static int
teardown(void **state)
{
	client_leave(vmm);
	vmm_fini(vmm);
	swhca_fabric_destroy(fabric);
	swhca_pci_mem_fini(&mem);
	return 0;
}

CASE_WITH(versions_are_agreed_on, setup, teardown)
{
	static const uint8_t other[] = "\1\0\0\0";

	assert_int_equal(call_version(vmm), 0);
	assert_memory_equal(vmm->data, "\0\0\1\0{", 5);
	assert_non_null(strstr((const char *)vmm->data + 4, "\"max_msg_fds\":16"));
	assert_int_equal(call(vmm, SWHCA_VFU_VERSION, other, 4, -1), EPROTO);
	assert_true(is_hung_up(vmm));
}

CASE_WITH(nothing_comes_before_the_version, setup, teardown)
{
	assert_int_equal(call(vmm, SWHCA_VFU_GET_INFO, "", 0, -1), EPROTO);
	assert_true(is_hung_up(vmm));
}

CASE_WITH(the_device_tells_what_it_is, setup, teardown)
{
	struct vfio_region_info region = { .argsz = sizeof(region) + 32 };
	struct vfio_irq_info irq = { .argsz = sizeof(irq), .index = VFIO_PCI_MSIX_IRQ_INDEX };
	uint64_t area[2];

	assert_int_equal(call_version(vmm), 0);
	assert_int_equal(call(vmm, SWHCA_VFU_GET_INFO, "", 0, -1), 0);
	assert_memory_equal(vmm->data, ((uint32_t[]){ 16, 3, 9, 5 }), 16);

	assert_int_equal(call(vmm, SWHCA_VFU_GET_REGION_INFO, &region, sizeof(region), -1), 0);
	memcpy(&region, vmm->data, sizeof(region));
	assert_int_equal(region.flags, 15);
	assert_int_equal(region.size & (region.size - 1), 0);
	memcpy(area, vmm->data + sizeof(region) + 16, sizeof(area));
	assert_int_equal(area[0], 5 * 4096);
	assert_true(area[1] > 4096 && area[0] + area[1] <= region.size);
	assert_true(vmm->fd >= 0);
	assert_true(lseek(vmm->fd, 0, SEEK_END) >= (off_t)(area[0] + area[1]));
	close(vmm->fd);
	/* Who has no room for all is told how much to have. */
	region = (struct vfio_region_info){ .argsz = sizeof(region) };
	assert_int_equal(call(vmm, SWHCA_VFU_GET_REGION_INFO, &region, sizeof(region), -1), 0);
	memcpy(&region, vmm->data, sizeof(region));
	assert_int_equal(region.argsz, sizeof(region) + 32);
	assert_int_equal(vmm->fd, -1);
	region = (struct vfio_region_info){ .argsz = sizeof(region), .index = 9 };
	assert_int_equal(call(vmm, SWHCA_VFU_GET_REGION_INFO, &region, sizeof(region), -1), EINVAL);

	assert_int_equal(call(vmm, SWHCA_VFU_GET_IRQ_INFO, &irq, sizeof(irq), -1), 0);
	memcpy(&irq, vmm->data, sizeof(irq));
	assert_int_equal(irq.count, SWHCA_PCI_NB_VECTORS);
	assert_int_equal(bar_get(vmm, 0), 35u << 16 | 28);
	assert_int_equal(bar_get(vmm, 4), 5u << 16 | 1012);
	assert_int_equal(bar_get(vmm, 0x14), 0x56);
}

CASE_WITH(messages_that_are_none_end_the_session, setup, teardown)
{
	const struct swhca_vfu_header reply = { .cmd = 4, .size = 16, .flags = SWHCA_VFU_REPLY };
	const struct swhca_vfu_header tiny = { .cmd = 4, .size = 15 };
	const struct swhca_vfu_header huge = { .cmd = 4, .size = UINT32_MAX };
	const struct swhca_vfu_header *wrong[] = { &reply, &tiny, &huge };

	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(send(vmm->sock, wrong[i], sizeof(*wrong[i]), 0), 16);
		assert_true(is_hung_up(vmm));
		client_leave(vmm);
		client_come(vmm);
	}
	/* Half a message, and the client is gone. */
	assert_int_equal(send(vmm->sock, &tiny, 7, 0), 7);
}

CASE_WITH(requests_that_are_wrong_are_answered, setup, teardown)
{
	const struct swhca_vfu_region_rw outside = { .offset = UINT64_MAX - 3, .count = 8 };
	const struct swhca_vfu_region_rw lying = { .offset = 0, .count = 4 };
	const struct swhca_vfu_region_rw large = { .count = SWHCA_VFU_MAX_XFER + 1 };
	const struct swhca_vfu_region_rw other = { .region = 3, .count = 4 };
	const struct swhca_vfu_dma_map flags = { .flags = 4, .size = 4096 };
	const struct swhca_vfu_dma_unmap unmap = { .addr = 4096, .size = 4096 };
	uint8_t buf[16];

	assert_int_equal(call_version(vmm), 0);
	assert_int_equal(call(vmm, 99, "", 0, -1), ENOTSUP);
	assert_int_equal(call(vmm, 6, buf, 16, -1), ENOTSUP);
	assert_int_equal(call(vmm, 0, "", 0, -1), ENOTSUP);
	assert_int_equal(call(vmm, SWHCA_VFU_REGION_READ, &outside, 15, -1), EINVAL);
	assert_int_equal(call(vmm, SWHCA_VFU_REGION_READ, &outside, 16, -1), EINVAL);
	assert_int_equal(call(vmm, SWHCA_VFU_REGION_READ, &large, 16, -1), EINVAL);
	assert_int_equal(call(vmm, SWHCA_VFU_REGION_READ, &other, 16, -1), EINVAL);
	assert_int_equal(call(vmm, SWHCA_VFU_REGION_WRITE, &lying, 16, -1), EINVAL);
	assert_int_equal(call(vmm, SWHCA_VFU_DMA_MAP, &flags, sizeof(flags), -1), EINVAL);
	assert_int_equal(call(vmm, SWHCA_VFU_DMA_UNMAP, &unmap, sizeof(unmap), -1), ENOENT);
	assert_int_equal(region_read(vmm, 0, vmm->function.bar_size - 4, buf, 4), 0);
	assert_int_equal(region_read(vmm, 0, vmm->function.bar_size - 3, buf, 4), EINVAL);
}

CASE_WITH(commands_are_executed, setup, teardown)
{
	uint8_t *slot;

	bring_up(vmm);
	hca_enable(vmm);
	/* Before its driver has it initialized, the function knows few. */
	slot = slot_fill(vmm, 31, 0xfff, 0, 16, 16);
	assert_int_equal(slot_ring(vmm, 31), 0);
	assert_int_not_equal(slot[32], 0);
	assert_int_not_equal(get32(slot + 36), 0);
}

/* 4112 bytes: 16 in the slot, and 8 mailboxes. */
CASE_WITH(long_outputs_come_in_mailboxes, setup, teardown)
{
	uint8_t *slot;

	bring_up(vmm);
	hca_enable(vmm);
	slot = slot_fill(vmm, 1, QUERY_HCA_CAP, 1, 16, 4112);
	assert_int_equal(slot_ring(vmm, 1), 0);
	assert_int_equal(slot[32], 0);
	for (unsigned int i = 0; i < 8; i++) {
		const uint8_t *box = vmm->ram + BOXES_OUT + i * BOX;

		/* Linux: verify_block_sig() */
		assert_int_equal(xor_of(box, 576), 0xff);
		assert_int_equal(xor_of(box + 512, 63), 0xff);
		assert_int_equal(box[573], 0x51);
	}
	/* log_max_qp of the general capabilities: dword 4, bits 4..0. */
	assert_int_equal(get32(vmm->ram + BOXES_OUT + 16) & 0x1f, 16);
}

CASE_WITH(slots_that_are_wrong_are_given_back, setup, teardown)
{
	static const struct {
		size_t at;
		uint8_t value, status;
	} faults[] = {
		{ 0, 6, 0x10 },		/* type */
		{ 4, 0x7f, 0x7 },	/* input of 2 GB */
		{ 56, 0x7f, 0x8 },	/* and output */
		{ 60, 1, 0x2 },		/* token of the slot */
		{ 15, 1, 0x5 },		/* alignment of the input */
		{ 55, 1, 0x4 },		/* and of the output */
		{ 8, 0x12, 0x6 },	/* input that is nowhere */
		{ 48, 0x12, 0x6 },
	};
	uint8_t *slot;

	bring_up(vmm);
	for (size_t i = 0; i < NB_OF(faults); i++) {
		slot = slot_fill(vmm, 3, QUERY_HCA_CAP, 1, 600, 600);
		slot[faults[i].at] = faults[i].value;
		row_check_at(i, slot_ring(vmm, 3), faults[i].status);
	}
	slot = slot_fill(vmm, 3, QUERY_HCA_CAP, 1, 600, 600);
	put32(vmm->ram + BOXES_IN + BOX + 568, 7);
	assert_int_equal(slot_ring(vmm, 3), 0x3);
	/* A chain that is a loop has no block number 1. */
	slot = slot_fill(vmm, 3, QUERY_HCA_CAP, 1, 16, 600);
	put32(vmm->ram + BOXES_OUT + 564, MEM_ADDR + BOXES_OUT);
	assert_int_equal(slot_ring(vmm, 3), 0x3);
	/* A signature that is wrong: the slot is not what software wrote. */
	slot = slot_fill(vmm, 3, ENABLE_HCA, 0, 16, 16);
	slot[61] = (uint8_t)~xor_of(slot, 64) ^ 1;
	bar_put(vmm, 0x18, 1u << 3);
	assert_int_equal(slot[63], 0x1 << 1);
	/* One that software owns stays so. */
	memset(slot, 0, 64);
	bar_put(vmm, 0x18, 1u << 3);
	assert_int_equal(xor_of(slot, 64), 0);
}

CASE_WITH(a_queue_that_is_nowhere_harms_nobody, setup, teardown)
{
	bring_up(vmm);
	bar_put(vmm, 0x10, 0xffffffff);
	bar_put(vmm, 0x18, 0xffffffff);
	bar_put(vmm, 0x10, 0);
	bar_put(vmm, 0x14, MEM_ADDR + MEM_SIZE - 0x1000);
	bar_put(vmm, 0x18, 0xffffffff);
	bar_put(vmm, 0x14, MEM_ADDR + CMDQ);
	hca_enable(vmm);
}

/* How often an eventfd is told of something, which is waited for. */
static uint64_t
told(int fd)
{
	struct pollfd fds = { .fd = fd, .events = POLLIN };
	uint64_t nb = 0;

	assert_int_equal(poll(&fds, 1, patience_ms()), 1);
	assert_int_equal(read(fd, &nb, sizeof(nb)), sizeof(nb));
	return nb;
}

CASE_WITH(interrupts_wait_for_their_eventfd, setup, teardown)
{
	struct vfio_irq_set set = {
		.argsz = sizeof(set), .index = VFIO_PCI_MSIX_IRQ_INDEX,
		.flags = VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER,
	};
	struct pollfd fds = { .fd = eventfd(0, EFD_CLOEXEC), .events = POLLIN };
	int fd = fds.fd;

	assert_int_equal(call_version(vmm), 0);
	swhca_pci_irq_raise(&vmm->function.irqs, 3);
	swhca_pci_irq_raise(&vmm->function.irqs, 4);
	assert_int_equal(eventfd_give(vmm, 3, fd), 0);
	assert_int_equal(told(fd), 1);
	swhca_pci_irq_raise(&vmm->function.irqs, 3);
	assert_int_equal(told(fd), 1);
	/* All are taken away, and given again. */
	assert_int_equal(call(vmm, SWHCA_VFU_SET_IRQS, &set, sizeof(set), -1), 0);
	swhca_pci_irq_raise(&vmm->function.irqs, 3);
	assert_int_equal(poll(&fds, 1, 0), 0);
	assert_int_equal(eventfd_give(vmm, 3, fd), 0);
	assert_int_equal(told(fd), 1);
	assert_int_equal(eventfd_give(vmm, SWHCA_PCI_NB_VECTORS, fd), EINVAL);
	set.start = 1;
	set.count = UINT32_MAX;
	assert_int_equal(call(vmm, SWHCA_VFU_SET_IRQS, &set, sizeof(set), fd), EINVAL);
	swhca_pci_irq_raise(&vmm->function.irqs, 1000);
	close(fd);
}

CASE_WITH(too_many_descriptors_end_the_session, setup, teardown)
{
	int fds[17];

	assert_int_equal(call_version(vmm), 0);
	for (unsigned int i = 0; i < 17; i++)
		fds[i] = vmm->mem_fd;
	send_msg(vmm, SWHCA_VFU_GET_INFO, "", 0, fds, 17, 0);
	assert_true(is_hung_up(vmm));
}

CASE_WITH(who_wants_no_reply_gets_none, setup, teardown)
{
	assert_int_equal(call_version(vmm), 0);
	send_msg(vmm, SWHCA_VFU_GET_INFO, "", 0, NULL, 0, SWHCA_VFU_NO_REPLY);
	send_msg(vmm, 99, "", 0, NULL, 0, SWHCA_VFU_NO_REPLY);
	assert_int_equal(bar_get(vmm, 4), 5u << 16 | 1012);
}

CASE_WITH(resets_take_everything_back, setup, teardown)
{
	const uint8_t flr[] = { 0x00, 0x80 };
	uint8_t command[2];

	for (unsigned int i = 0; i < 3; i++) {
		client_leave(vmm);
		client_come(vmm);
		bring_up(vmm);
		hca_enable(vmm);
		if (i == 0)
			assert_int_equal(call(vmm, SWHCA_VFU_RESET, "", 0, -1), 0);
		else if (i == 1)
			assert_int_equal(region_write(vmm, 7, 0x68, flr, 2), 0);
		else
			bar_put(vmm, 0x14, 7u << 8);
		assert_int_equal(region_read(vmm, 7, 4, command, 2), 0);
		assert_int_equal(command[0] & 4, 0);
		assert_int_equal(bar_get(vmm, 0x14), 0x56);
		/* The memory is still there, as a VMM expects. */
		command[0] = 6;
		assert_int_equal(region_write(vmm, 7, 4, command, 2), 0);
		bar_put(vmm, 0x14, MEM_ADDR + CMDQ);
		hca_enable(vmm);
	}
}

CASE_WITH(a_client_that_goes_leaves_nothing_behind, setup, teardown)
{
	bring_up(vmm);
	hca_enable(vmm);
	client_leave(vmm);
	assert_int_equal(mem.spaces[0].nb, 0);
	client_come(vmm);
	bring_up(vmm);
	hca_enable(vmm);
}

CASE_WITH(a_server_that_is_told_to_stop_does, setup, teardown)
{
	const uint64_t one = 1;

	assert_int_equal(call_version(vmm), 0);
	assert_int_equal(write(vmm->stop_fd, &one, sizeof(one)), sizeof(one));
	assert_true(is_hung_up(vmm));
}
