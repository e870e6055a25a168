/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <time.h>

#include "base/clock.h"
#include "front/pci/cmdq.h"
#include "front/pci/iseg.h"

/* Offsets of Linux' struct mlx5_init_seg, and of struct health_buffer at 0x200. */
enum {
	FW_REV = 0x0,			/* minor, major */
	CMDIF_REV_FW_SUB = 0x4,
	CMDQ_ADDR_H = 0x10,
	CMDQ_ADDR_L_SZ = 0x14,
	CMD_DBELL = 0x18,
	INITIALIZING = 0x1fc,
	HEALTH_FW_VER = 0x230,
	INTERNAL_TIMER_H = 0x1000,
	INTERNAL_TIMER_L = 0x1004,
	HEALTH_COUNTER = 0x1010,
	REAL_TIME_H = 0x1040,
	REAL_TIME_L = 0x1044,
};

#define CMDIF_REV	5u	/* Linux: CMD_IF_REV */
#define CMDQ_ADDR_MASK	0xfffff000u
/* nic_interface, and its value for a reset (Linux: MLX5_NIC_IFC_OFFSET, MLX5_NIC_IFC_SW_RESET). */
#define NIC_IFC_LSB	8u
#define NIC_IFC_MASK	(7u << NIC_IFC_LSB)
#define NIC_IFC_SW_RESET 7u
/* The counter only stops with the firmware. */
#define HEALTH_TICK_NS	UINT64_C(10000000)
#define HEALTH_MASK	0xffffffu

void
swhca_pci_iseg_reset(struct swhca_pci_iseg *iseg)
{
	iseg->cmdq_addr_h = 0;
	iseg->cmdq_addr_l_sz = 0;
}

uint64_t
swhca_pci_iseg_cmdq(const struct swhca_pci_iseg *iseg)
{
	return (uint64_t)iseg->cmdq_addr_h << 32 | (iseg->cmdq_addr_l_sz & CMDQ_ADDR_MASK);
}

static struct timespec
real_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now;
}

uint32_t
swhca_pci_iseg_load(const struct swhca_pci_iseg *iseg, uint64_t offset)
{
	const struct swhca_model_info *info = swhca_model_info_get(iseg->model);

	switch (offset) {
	case FW_REV:
		return (uint32_t)info->fw.minor << 16 | info->fw.major;
	case CMDIF_REV_FW_SUB:
		return CMDIF_REV << 16 | info->fw.subminor;
	case CMDQ_ADDR_H:
		return iseg->cmdq_addr_h;
	case CMDQ_ADDR_L_SZ:
		return (iseg->cmdq_addr_l_sz & (CMDQ_ADDR_MASK | NIC_IFC_MASK)) |
		       SWHCA_PCI_LOG_CMDS << 4 | SWHCA_PCI_LOG_CMD_STRIDE;
	case HEALTH_FW_VER:
		return (uint32_t)info->fw.major << 24 | (uint32_t)info->fw.minor << 16 |
		       info->fw.subminor;
	case INTERNAL_TIMER_H:
		return (uint32_t)(swhca_now_ns() >> 32);
	case INTERNAL_TIMER_L:
		return (uint32_t)swhca_now_ns();
	case HEALTH_COUNTER:
		return (uint32_t)(swhca_now_ns() / HEALTH_TICK_NS) & HEALTH_MASK;
	case REAL_TIME_H:
		return (uint32_t)real_time().tv_sec;
	case REAL_TIME_L:
		return (uint32_t)real_time().tv_nsec;
	case INITIALIZING:	/* never: it is always ready */
	default:
		return 0;
	}
}

enum swhca_pci_iseg_act
swhca_pci_iseg_store(struct swhca_pci_iseg *iseg, uint64_t offset, uint32_t value)
{
	switch (offset) {
	case CMDQ_ADDR_H:
		iseg->cmdq_addr_h = value;
		return SWHCA_PCI_ISEG_CMDQ;
	case CMDQ_ADDR_L_SZ:
		iseg->cmdq_addr_l_sz = value;
		return (value & NIC_IFC_MASK) >> NIC_IFC_LSB == NIC_IFC_SW_RESET ?
			       SWHCA_PCI_ISEG_RESET :
			       SWHCA_PCI_ISEG_CMDQ;
	case CMD_DBELL:
		return SWHCA_PCI_ISEG_RING;
	default:
		return SWHCA_PCI_ISEG_NOTHING;
	}
}
