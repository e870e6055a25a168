/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <endian.h>
#include <errno.h>
#include <linux/pci_regs.h>
#include <string.h>

#include "front/pci/config.h"

/* Offsets of capabilities. */
#define PM_CAP		0x40u
#define MSIX_CAP	0x50u
#define EXP_CAP		0x60u
#define DSN_CAP		0x100u

/* Class codes (PCI Code and ID Assignment): network, of these Ethernet and InfiniBand. */
#define CLASS_NETWORK		0x02u
#define SUBCLASS_ETHERNET	0x00u
#define SUBCLASS_INFINIBAND	0x07u

/* Link: 16 GT/s, 16 lanes; Supported Link Speeds of Link Capabilities 2 has a bit for each. */
#define LINK_SPEED	PCI_EXP_LNKCAP_SLS_16_0GB
#define LINK_WIDTH	(16u << 4)
#define LINK_SPEEDS	(0xfu << 1)

static void
put16(uint8_t *to, size_t offset, uint16_t value)
{
	value = htole16(value);
	memcpy(to + offset, &value, sizeof(value));
}

static void
put32(uint8_t *to, size_t offset, uint32_t value)
{
	value = htole32(value);
	memcpy(to + offset, &value, sizeof(value));
}

static uint16_t
get16(const uint8_t *from, size_t offset)
{
	uint16_t value;

	memcpy(&value, from + offset, sizeof(value));
	return le16toh(value);
}

/* Type 0 header (7.5.1.2); BAR 0 has 64 bits and is prefetchable, as that of the adapter. */
static void
header_fill(struct swhca_pci_config *config, const struct swhca_pci_ident *ident)
{
	const struct swhca_model_info *model = swhca_model_info_get(ident->model);
	bool is_eth = ident->link_layer == SWHCA_LINK_ETH;
	uint8_t *reset = config->reset;

	put16(reset, PCI_VENDOR_ID, SWHCA_PCI_VENDOR);
	put16(reset, PCI_DEVICE_ID, model->pci_device);
	put16(reset, PCI_STATUS, PCI_STATUS_CAP_LIST);
	reset[PCI_CLASS_DEVICE] = is_eth ? SUBCLASS_ETHERNET : SUBCLASS_INFINIBAND;
	reset[PCI_CLASS_DEVICE + 1] = CLASS_NETWORK;
	put32(reset, PCI_BASE_ADDRESS_0,
	      PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH);
	put16(reset, PCI_SUBSYSTEM_VENDOR_ID, SWHCA_PCI_VENDOR);
	put16(reset, PCI_SUBSYSTEM_ID, model->pci_subsystem);
	reset[PCI_CAPABILITY_LIST] = PM_CAP;
	put16(config->mask, PCI_COMMAND,
	      PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY | PCI_COMMAND_SERR |
		      PCI_COMMAND_INTX_DISABLE);
	config->mask[PCI_CACHE_LINE_SIZE] = 0xff;
	config->mask[PCI_INTERRUPT_LINE] = 0xff;
	put32(config->mask, PCI_BASE_ADDRESS_0, (uint32_t)~(ident->bar_size - 1));
	put32(config->mask, PCI_BASE_ADDRESS_1, (uint32_t)(~(ident->bar_size - 1) >> 32));
}

/* Power management (7.5.2): D0 and D3hot, without a reset on return. */
static void
pm_fill(struct swhca_pci_config *config)
{
	uint8_t *reset = config->reset + PM_CAP;

	reset[PCI_CAP_LIST_ID] = PCI_CAP_ID_PM;
	reset[PCI_CAP_LIST_NEXT] = MSIX_CAP;
	put16(reset, PCI_PM_PMC, 3);
	put16(reset, PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET);
	put16(config->mask + PM_CAP, PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK);
}

static void
msix_fill(struct swhca_pci_config *config, const struct swhca_pci_ident *ident)
{
	uint8_t *reset = config->reset + MSIX_CAP;

	reset[PCI_CAP_LIST_ID] = PCI_CAP_ID_MSIX;
	reset[PCI_CAP_LIST_NEXT] = EXP_CAP;
	put16(reset, PCI_MSIX_FLAGS, (uint16_t)(ident->nb_vectors - 1));
	put32(reset, PCI_MSIX_TABLE, ident->msix_table);
	put32(reset, PCI_MSIX_PBA, ident->msix_pba);
	put16(config->mask + MSIX_CAP, PCI_MSIX_FLAGS,
	      PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
}

/* PCI Express capability (7.5.3), version 2, of an endpoint. */
static void
exp_fill(struct swhca_pci_config *config)
{
	uint8_t *reset = config->reset + EXP_CAP, *mask = config->mask + EXP_CAP;

	reset[PCI_CAP_LIST_ID] = PCI_CAP_ID_EXP;
	put16(reset, PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_ENDPOINT << 4);
	/* Payload of 512 bytes, tags of 8 bits. */
	put32(reset, PCI_EXP_DEVCAP,
	      2 | PCI_EXP_DEVCAP_EXT_TAG | PCI_EXP_DEVCAP_RBER | PCI_EXP_DEVCAP_FLR);
	put16(reset, PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN |
					     PCI_EXP_DEVCTL_READRQ_512B);
	put16(mask, PCI_EXP_DEVCTL, (uint16_t)~PCI_EXP_DEVCTL_BCR_FLR);
	put32(reset, PCI_EXP_LNKCAP, LINK_SPEED | LINK_WIDTH);
	put16(mask, PCI_EXP_LNKCTL, PCI_EXP_LNKCTL_CCC | PCI_EXP_LNKCTL_RCB);
	put16(reset, PCI_EXP_LNKSTA, LINK_SPEED | LINK_WIDTH);
	put32(reset, PCI_EXP_DEVCAP2, PCI_EXP_DEVCAP2_COMP_TMOUT_DIS);
	put16(mask, PCI_EXP_DEVCTL2, PCI_EXP_DEVCTL2_COMP_TIMEOUT | PCI_EXP_DEVCTL2_COMP_TMOUT_DIS);
	put32(reset, PCI_EXP_LNKCAP2, LINK_SPEEDS);
	put16(reset, PCI_EXP_LNKCTL2, LINK_SPEED);
	put16(mask, PCI_EXP_LNKCTL2, PCI_EXP_LNKCTL2_TLS);
}

/* Device Serial Number (7.9.3): the only extended capability. */
static void
dsn_fill(struct swhca_pci_config *config, uint64_t serial)
{
	put32(config->reset, DSN_CAP, PCI_EXT_CAP_ID_DSN | 1u << 16);
	put32(config->reset, DSN_CAP + 4, (uint32_t)serial);
	put32(config->reset, DSN_CAP + 8, (uint32_t)(serial >> 32));
}

void
swhca_pci_config_init(struct swhca_pci_config *config, const struct swhca_pci_ident *ident)
{
	memset(config, 0, sizeof(*config));
	header_fill(config, ident);
	pm_fill(config);
	msix_fill(config, ident);
	exp_fill(config);
	dsn_fill(config, ident->serial);
	swhca_pci_config_reset(config);
}

void
swhca_pci_config_reset(struct swhca_pci_config *config)
{
	memcpy(config->bytes, config->reset, sizeof(config->bytes));
}

static int
range_check(uint64_t offset, size_t len)
{
	return offset <= SWHCA_PCI_CONFIG_SIZE && len <= SWHCA_PCI_CONFIG_SIZE - offset ? 0 :
											   -EINVAL;
}

int
swhca_pci_config_read(const struct swhca_pci_config *config, uint64_t offset, void *dst,
		      size_t len)
{
	int ret = range_check(offset, len);

	if (ret == 0)
		memcpy(dst, config->bytes + offset, len);
	return ret;
}

int
swhca_pci_config_write(struct swhca_pci_config *config, uint64_t offset, const void *src,
		       size_t len, bool *is_flr)
{
	const uint64_t flr = EXP_CAP + PCI_EXP_DEVCTL + 1;
	int ret = range_check(offset, len);
	const uint8_t *from = src;
	uint8_t *to;
	size_t i;

	if (ret != 0)
		return ret;
	*is_flr = offset <= flr && flr - offset < len &&
		  (from[flr - offset] & PCI_EXP_DEVCTL_BCR_FLR >> 8) != 0;
	for (i = 0; i < len; i++) {
		to = &config->bytes[offset + i];
		*to = (uint8_t)((*to & ~config->mask[offset + i]) |
				(from[i] & config->mask[offset + i]));
	}
	return 0;
}

bool
swhca_pci_config_is_master(const struct swhca_pci_config *config)
{
	return (get16(config->bytes, PCI_COMMAND) & PCI_COMMAND_MASTER) != 0;
}
