/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What a VMM may do to others: a function whose client means ill, and one beside it that is to be
 * answered all the same; and the next client of the first one.
 */

#include <fcntl.h>
#include <time.h>

#include "fuse.h"
#include "vmm.h"

#define REST_MS 100u

static struct swhca_pci_mem mem;
static struct swhca_fabric *fabric;
static struct vmm vmms[2];
static struct vmm *const bad = &vmms[0], *const good = &vmms[1];

static int
setup(void **state)
{
	swhca_pci_mem_init(&mem);
	assert_int_equal(swhca_fabric_create(&mem.dma, &fabric), 0);
	for (unsigned int i = 0; i < 2; i++) {
		vmm_init(&vmms[i], i, fabric, &mem);
		client_come(&vmms[i]);
	}
	assert_int_equal(swhca_fabric_start(fabric), 0);
	bring_up(good);
	return 0;
}

static int
teardown(void **state)
{
	swhca_fabric_stop(fabric);
	for (unsigned int i = 0; i < 2; i++) {
		client_leave(&vmms[i]);
		vmm_fini(&vmms[i]);
	}
	swhca_fabric_destroy(fabric);
	swhca_pci_mem_fini(&mem);
	return 0;
}

/* It has commands executed, and memory mapped and taken away. */
static void
is_served(struct vmm *vmm)
{
	const struct swhca_vfu_dma_map map = { .argsz = sizeof(map), .addr = 4096, .size = 4096 };
	const struct swhca_vfu_dma_unmap unmap = { .addr = 4096, .size = 4096 };
	const uint32_t words[4] = { 0 };

	assert_int_equal(call(vmm, SWHCA_VFU_DMA_MAP, &map, sizeof(map), vmm->mem_fd), 0);
	assert_int_equal(call(vmm, SWHCA_VFU_DMA_UNMAP, &unmap, sizeof(unmap), -1), 0);
	assert_int_equal(call(vmm, SWHCA_VFU_RESET, "", 0, -1), 0);
	assert_int_equal(region_write(vmm, 7, 4, "\6", 2), 0);
	bar_put(vmm, 0x14, MEM_ADDR + CMDQ);
	command(vmm, ENABLE_HCA, 0, words, 4, 0);
}

/* The bad one is gone, and somebody else comes in its place. */
static void
successor_is_served(void)
{
	client_leave(bad);
	client_come(bad);
	bring_up(bad);
	is_served(bad);
}

/* ---- Interrupts ---- */

/* An eventfd that is full, whose writers wait: the server's flag is gone. */
static int
full_eventfd_give(struct vmm *vmm, unsigned int vector)
{
	int fd = eventfd(0, EFD_CLOEXEC);

	assert_int_equal(eventfd_write(fd, UINT64_MAX - 1), 0);
	assert_int_equal(eventfd_give(vmm, vector, fd), 0);
	assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
	return fd;
}

static void
someone_waits(struct vmm *vmm)
{
	struct swhca_pci_irqs *irqs = &vmm->function.irqs;
	uint64_t end = patience_end();
	bool is_waiting = false;

	while (!is_waiting) {
		assert_false(patience_is_over(end));
		if (pthread_mutex_trylock(&irqs->lock) != 0)
			continue;
		is_waiting = irqs->writing_fd >= 0;
		pthread_mutex_unlock(&irqs->lock);
	}
}

static void *
cable_pull(void *hca)
{
	swhca_hca_port_set(hca, false);
	return NULL;
}

/* Who raises the interrupt has the lock of all functions. */
CASE_WITH(a_full_eventfd_holds_up_its_own_interrupts_alone, setup, teardown)
{
	pthread_t thread;
	int fd;

	bring_up(bad);
	events_ask(bad);
	fd = full_eventfd_give(bad, VECTOR);
	assert_int_equal(pthread_create(&thread, NULL, cable_pull, bad->function.hca), 0);
	someone_waits(bad);
	is_served(good);
	assert_int_equal(bar_get(bad, 4), 5u << 16 | 1012);
	assert_int_equal(pthread_join(thread, NULL), 0);
	/* And whoever reads it has it go on. */
	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(eventfd_read(fd, &(eventfd_t){ 0 }), 0);
	close(fd);
}

CASE_WITH(a_full_eventfd_is_let_go_of, setup, teardown)
{
	struct pollfd fds = { .fd = eventfd(0, EFD_CLOEXEC), .events = POLLIN };
	int fd = -1;

	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(call_version(bad), 0);
		fd = full_eventfd_give(bad, VECTOR);
		swhca_pci_irq_raise(&bad->function.irqs, VECTOR);
		someone_waits(bad);
		/* By another one of the same client, or by its end. */
		if (i == 0)
			assert_int_equal(eventfd_give(bad, VECTOR, fds.fd), 0);
		successor_is_served();
		client_leave(bad);
		client_come(bad);
		close(fd);
	}
	assert_int_equal(call_version(bad), 0);
	assert_int_equal(eventfd_give(bad, VECTOR, fds.fd), 0);
	swhca_pci_irq_raise(&bad->function.irqs, VECTOR);
	assert_int_equal(poll(&fds, 1, patience_ms()), 1);
	close(fds.fd);
}

CASE_WITH(a_full_eventfd_does_not_hold_up_the_end, setup, teardown)
{
	int fd;

	assert_int_equal(call_version(bad), 0);
	fd = full_eventfd_give(bad, VECTOR);
	swhca_pci_irq_raise(&bad->function.irqs, VECTOR);
	someone_waits(bad);
	assert_int_equal(eventfd_write(bad->stop_fd, 1), 0);
	assert_true(is_hung_up(bad));
	assert_int_equal(eventfd_read(bad->stop_fd, &(eventfd_t){ 0 }), 0);
	close(fd);
}

CASE_WITH(an_interrupt_is_an_eventfd_or_none, setup, teardown)
{
	int fds[2];

	assert_int_equal(call_version(bad), 0);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(eventfd_give(bad, VECTOR, fds[1]), EINVAL);
	assert_int_equal(eventfd_give(bad, VECTOR, bad->mem_fd), EINVAL);
	assert_int_equal(eventfd_give(bad, VECTOR, bad->sock), EINVAL);
	is_served(good);
	close(fds[0]);
	close(fds[1]);
}

/* ---- Memory ---- */

CASE_WITH(memory_that_comes_from_a_program_is_rejected, setup, teardown)
{
	const struct swhca_vfu_dma_map map = {
		.argsz = sizeof(map), .flags = SWHCA_VFU_DMA_READ | SWHCA_VFU_DMA_WRITE,
		.addr = MEM_ADDR, .size = FUSE_FILE_SIZE,
	};
	const uint8_t master[] = { 0x06, 0x00 };
	struct fuse_file file;

	if (!fuse_file_open(&file, true))
		skip();
	assert_int_equal(call_version(bad), 0);
	assert_int_equal(call(bad, SWHCA_VFU_DMA_MAP, &map, sizeof(map), file.fd), EINVAL);
	/* There is no command queue in it, which would have whoever reads it wait for ever. */
	assert_int_equal(region_write(bad, 7, 4, master, sizeof(master)), 0);
	bar_put(bad, 0x14, MEM_ADDR + CMDQ);
	bar_put(bad, 0x18, 1);
	is_served(good);
	successor_is_served();
	fuse_file_close(&file);
}

CASE_WITH(memory_that_is_cut_off_is_the_end_of_nothing, setup, teardown)
{
	bring_up(bad);
	assert_int_equal(ftruncate(bad->mem_fd, 0), 0);
	bar_put(bad, 0x18, 0xffffffff);
	is_served(good);
	assert_int_equal(ftruncate(bad->mem_fd, MEM_SIZE), 0);
	is_served(bad);
	successor_is_served();
}

/* ---- Silence ---- */

/* Another client, which is not waited for as long. */
static void
hurried_come(void)
{
	client_leave(bad);
	bad->server.rest_ms = REST_MS;
	client_come(bad);
}

/* So many bytes of a message, and then nothing. */
static void
part_send(const struct swhca_vfu_header *header, size_t len)
{
	uint8_t bytes[64] = { 0 };

	memcpy(bytes, header, sizeof(*header));
	assert_int_equal(send(bad->sock, bytes, len, MSG_NOSIGNAL), len);
}

CASE_WITH(a_message_without_an_end_is_not_waited_for, setup, teardown)
{
	const struct swhca_vfu_header header = { .cmd = SWHCA_VFU_VERSION, .size = 64 };
	const size_t lens[] = { 0, 1, 15, 16, 63 };

	for (unsigned int i = 0; i < 2 * NB_OF(lens); i++) {
		hurried_come();
		/* The first message, and one of a session; between two of these all is well. */
		if (i % 2 != 0)
			assert_int_equal(call_version(bad), 0);
		part_send(&header, lens[i / 2]);
		is_served(good);
		if (i != 1)
			assert_true(is_hung_up(bad));
	}
	successor_is_served();
}

CASE_WITH(a_client_that_has_said_its_version_may_be_silent, setup, teardown)
{
	const struct timespec pause = { .tv_nsec = REST_MS * 3000000 };

	hurried_come();
	bring_up(bad);
	nanosleep(&pause, NULL);
	is_served(bad);
}

CASE_WITH(answers_that_nobody_reads_end_the_session, setup, teardown)
{
	const struct swhca_vfu_header header = { .cmd = SWHCA_VFU_GET_INFO, .size = 16 };
	struct pollfd fds = { .events = POLLOUT };

	hurried_come();
	fds.fd = bad->sock;
	assert_int_equal(call_version(bad), 0);
	while (send(bad->sock, &header, sizeof(header), MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
		;
	is_served(good);
	do
		assert_int_equal(poll(&fds, 1, patience_ms()), 1);
	while ((fds.revents & POLLHUP) == 0 &&
	       send(bad->sock, &header, sizeof(header), MSG_NOSIGNAL | MSG_DONTWAIT) > 0);
	successor_is_served();
}

int
main(void)
{
	return swhca_pci_faults_catch() != 0 ? 1 : cases_run(NULL, NULL);
}
