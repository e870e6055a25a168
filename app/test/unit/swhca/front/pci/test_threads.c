/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Functions of one fabric that are used at once: clients that come, have an event queue, reset and
 * go; doorbells by pages that are mapped, before and behind a reset; the cable, of which events
 * tell that are written to memory of guests; interrupts; and the engine. For ThreadSanitizer to
 * look at; without it, a test that each client is answered as if it were alone, and that events
 * come.
 *
 * A check that fails in another thread ends the program (cmocka: exit_test()).
 */

#include <sched.h>
#include <stdatomic.h>

#include "../../../../patience.h"
#include "vmm.h"

#define NB_FUNCTIONS 2u
#define NB_CLIENTS   12u
#define TURN_US	     100u

static struct swhca_pci_mem mem;
static struct swhca_fabric *fabric;
static struct vmm vmms[NB_FUNCTIONS];
static atomic_bool is_over;
static atomic_uint nb_rings, nb_pulls;

static int
setup(void **state)
{
	swhca_pci_mem_init(&mem);
	assert_int_equal(swhca_fabric_create(&mem.dma, &fabric), 0);
	for (unsigned int i = 0; i < NB_FUNCTIONS; i++)
		vmm_init(&vmms[i], i, fabric, &mem);
	assert_int_equal(swhca_fabric_start(fabric), 0);
	return 0;
}

static int
teardown(void **state)
{
	swhca_fabric_stop(fabric);
	for (unsigned int i = 0; i < NB_FUNCTIONS; i++)
		vmm_fini(&vmms[i]);
	swhca_fabric_destroy(fabric);
	swhca_pci_mem_fini(&mem);
	return 0;
}

/* An interrupt has somewhere to go, and comes there. */
static void
interrupts_ask(struct vmm *vmm)
{
	struct pollfd fds = { .fd = eventfd(0, EFD_CLOEXEC), .events = POLLIN };

	assert_int_equal(eventfd_give(vmm, VECTOR, fds.fd), 0);
	assert_int_equal(poll(&fds, 1, patience_ms()), 1);
	close(fds.fd);
}

/* What a client does to a function before it goes, by turns. */
static void
function_reset(struct vmm *vmm, unsigned int turn)
{
	const uint8_t flr[] = { 0x00, 0x80 };

	switch (turn % 4) {
	case 0:
		assert_int_equal(call(vmm, SWHCA_VFU_RESET, "", 0, -1), 0);
		break;
	case 1:
		assert_int_equal(region_write(vmm, 7, 0x68, flr, sizeof(flr)), 0);
		break;
	case 2:
		bar_put(vmm, 0x14, 7u << 8);
		break;
	default:	/* It is left as it is. */
		break;
	}
}

static void *
client_main(void *arg)
{
	struct vmm *vmm = arg;
	_Atomic uint8_t *owner;
	uint64_t end;

	for (unsigned int i = 0; i < NB_CLIENTS; i++) {
		client_come(vmm);
		bring_up(vmm);
		events_ask(vmm);
		interrupts_ask(vmm);
		/* Whose entry the first one is, in its last byte. */
		owner = (void *)(vmm->ram + EQ + 63);
		end = patience_end();
		while ((atomic_load(owner) & 1) != 0) {
			assert_false(patience_is_over(end));
			usleep(TURN_US);
		}
		function_reset(vmm, i);
		client_leave(vmm);
	}
	return NULL;
}

/* Doorbells of queues that there are not, by a page that is mapped. */
static void *
doorbell_main(void *arg)
{
	struct swhca_hca *hca = vmms[0].function.hca;
	const size_t size = swhca_hca_bar_size(hca);
	_Atomic uint64_t *doorbell;
	uint8_t *bar;

	bar = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, swhca_hca_bar_fd(hca), 0);
	assert_ptr_not_equal(bar, MAP_FAILED);
	doorbell = (void *)(bar + (size_t)(SWHCA_PCI_FIRST_UAR + 1) * SWHCA_UAR_SIZE + 0x800);
	while (!atomic_load(&is_over)) {
		atomic_store(doorbell, htobe64(UINT64_C(0x12345600000003)));
		atomic_fetch_add(&nb_rings, 1);
		sched_yield();
	}
	munmap(bar, size);
	return NULL;
}

/* As the engine raises them. */
static void *
interrupts_main(void *arg)
{
	for (unsigned int i = 0; !atomic_load(&is_over); i++) {
		swhca_pci_irq_raise(&vmms[i % NB_FUNCTIONS].function.irqs, VECTOR);
		sched_yield();
	}
	return NULL;
}

static void *
cable_main(void *arg)
{
	unsigned int i = 0;

	while (!atomic_load(&is_over)) {
		swhca_hca_port_set(vmms[i / 2 % NB_FUNCTIONS].function.hca, i % 2 != 0);
		i++;
		atomic_fetch_add(&nb_pulls, 1);
		sched_yield();
	}
	return NULL;
}

CASE_WITH(clients_of_functions_are_answered_beside_each_other, setup, teardown)
{
	void *(*const mains[])(void *arg) = { doorbell_main, cable_main, interrupts_main };
	pthread_t clients[NB_FUNCTIONS], others[3];

	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&others[i], NULL, mains[i], NULL), 0);
	for (unsigned int i = 0; i < NB_FUNCTIONS; i++)
		assert_int_equal(pthread_create(&clients[i], NULL, client_main, &vmms[i]), 0);
	for (unsigned int i = 0; i < NB_FUNCTIONS; i++)
		assert_int_equal(pthread_join(clients[i], NULL), 0);
	while (atomic_load(&nb_rings) == 0 || atomic_load(&nb_pulls) == 0)
		sched_yield();
	atomic_store(&is_over, true);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(pthread_join(others[i], NULL), 0);
	for (unsigned int i = 0; i < NB_FUNCTIONS; i++)
		assert_int_equal(mem.spaces[i].nb, 0);
}
