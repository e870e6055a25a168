/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "front/pci/pci_function.h"

/* At the end of BAR 0: entries of 16 bytes, and a bit for each (7.7.2). */
#define MSIX_TABLE_FROM_END	0x2000u
#define MSIX_PBA_FROM_END	0x1000u
/* log2 of the UAR pages: enough for the processes of a guest. */
#define LOG_NB_UARS		11u

static void
config_init(struct swhca_pci_function *function, const struct swhca_hca_conf *conf)
{
	const struct swhca_pci_ident ident = {
		.model = conf->model,
		.link_layer = conf->link_layer,
		.serial = conf->port_guid,
		.bar_size = function->bar_size,
		.msix_table = (uint32_t)function->bar_size - MSIX_TABLE_FROM_END,
		.msix_pba = (uint32_t)function->bar_size - MSIX_PBA_FROM_END,
		.nb_vectors = SWHCA_PCI_NB_VECTORS,
	};

	swhca_pci_config_init(&function->config, &ident);
}

/* BAR of the HCA followed by MSI-X; the size of a BAR is a power of two. */
static int
bar_init(struct swhca_pci_function *function)
{
	void *bar;

	function->hca_bar_size = swhca_hca_bar_size(function->hca);
	for (function->bar_size = 1;
	     function->bar_size < function->hca_bar_size + MSIX_TABLE_FROM_END;)
		function->bar_size *= 2;
	bar = mmap(NULL, function->hca_bar_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		   swhca_hca_bar_fd(function->hca), 0);
	if (bar == MAP_FAILED)
		return -errno;
	function->bar = bar;
	return 0;
}

int
swhca_pci_function_init(struct swhca_pci_function *function, unsigned int index,
			struct swhca_fabric *fabric, struct swhca_pci_mem *mem,
			const struct swhca_hca_conf *conf)
{
	struct swhca_hca_conf own = *conf;
	int ret;

	*function = (struct swhca_pci_function){
		.mem = mem,
		.index = index,
		.iseg = { .model = conf->model },
	};
	ret = swhca_pci_irqs_init(&function->irqs);
	if (ret != 0)
		return ret;
	own.bus_space = swhca_pci_bus_space(index);
	own.first_uar = SWHCA_PCI_FIRST_UAR;
	own.has_driver = true;
	own.has_memic_ops = false;
	if (own.log_max_uar == 0)
		own.log_max_uar = LOG_NB_UARS;
	own.interrupt = swhca_pci_irq_raise;
	own.interrupt_arg = &function->irqs;
	ret = swhca_hca_create(fabric, &own, &function->hca);
	if (ret != 0)
		goto irqs_fini;
	ret = bar_init(function);
	if (ret != 0)
		goto hca_destroy;
	config_init(function, &own);
	function->cmdq = (struct swhca_pci_cmdq){ .hca = function->hca, .dma = &mem->dma };
	return 0;

hca_destroy:
	swhca_hca_destroy(function->hca);
irqs_fini:
	swhca_pci_irqs_fini(&function->irqs);
	return ret;
}

void
swhca_pci_function_fini(struct swhca_pci_function *function)
{
	if (function->hca == NULL)
		return;
	swhca_hca_destroy(function->hca);
	function->hca = NULL;
	swhca_pci_mem_unmap_all(function->mem, function->index);
	munmap(function->bar, function->hca_bar_size);
	swhca_pci_irqs_fini(&function->irqs);
}

void
swhca_pci_function_reset(struct swhca_pci_function *function)
{
	SWHCA_LOG(DEBUG, "function %u: reset", function->index);
	swhca_pci_mem_set_master(function->mem, function->index, false);
	swhca_hca_reset(function->hca);
	swhca_pci_config_reset(&function->config);
	swhca_pci_iseg_reset(&function->iseg);
	function->cmdq.addr = 0;
	function->has_half = false;
	memset(function->bar, 0, function->hca_bar_size);
}

void
swhca_pci_function_leave(struct swhca_pci_function *function)
{
	swhca_pci_function_reset(function);
	swhca_pci_mem_unmap_all(function->mem, function->index);
	swhca_pci_irqs_reset(&function->irqs);
}

int
swhca_pci_function_configure(struct swhca_pci_function *function, uint64_t offset, const void *src,
			     size_t len)
{
	bool is_flr;
	int ret = swhca_pci_config_write(&function->config, offset, src, len, &is_flr);

	if (ret != 0)
		return ret;
	if (is_flr)
		swhca_pci_function_reset(function);
	else
		swhca_pci_mem_set_master(function->mem, function->index,
					 swhca_pci_config_is_master(&function->config));
	return 0;
}
