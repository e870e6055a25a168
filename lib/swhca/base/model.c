/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>
#include <strings.h>

#include "include/model.h"

#define HAS(feature) (1u << SWHCA_FEATURE_##feature)

/*
 * PCI ids as in pci.ids; firmware of the same generation for all: xx.35 is of late 2022, and its
 * first number identifies the adapter.
 */
static const struct swhca_model_info models[] = {
	[SWHCA_MODEL_CX7] = {
		.name = "cx7",
		.title = "ConnectX-7",
		.pci_device = 0x1021,
		.pci_subsystem = 0x0041,
		.fw = { 28, 35, 1012 },
		.port = { "NDR", 400, 128 },
		.features = HAS(CRYPTO) | HAS(XTS_MULTI_BLOCK) | HAS(SIG_CRC) | HAS(DMA_MMO) |
			    HAS(DCI_STREAMS) |
			    HAS(MEMIC_OPS) | HAS(REAL_TIME) | HAS(TPH) | HAS(OOO_DP) |
			    HAS(MEM_FAULT),
	},
	[SWHCA_MODEL_CX6DX] = {
		.name = "cx6dx",
		.title = "ConnectX-6 Dx",
		.pci_device = 0x101d,
		.pci_subsystem = 0x0058,
		.fw = { 22, 35, 1012 },
		.port = { "EDR", 100, 32 },
		.features = HAS(CRYPTO) | HAS(SIG_CRC) | HAS(DCI_STREAMS) | HAS(MEMIC_OPS) |
			    HAS(REAL_TIME),
	},
	[SWHCA_MODEL_CX5] = {
		.name = "cx5",
		.title = "ConnectX-5",
		.pci_device = 0x1017,
		.pci_subsystem = 0x0008,
		.fw = { 16, 35, 1012 },
		.port = { "EDR", 100, 32 },
		.features = 0,
	},
};

const struct swhca_model_info *
swhca_model_info_get(enum swhca_model model)
{
	return model < SWHCA_NB_MODELS ? &models[model] : NULL;
}

bool
swhca_model_find(const char *name, enum swhca_model *model)
{
	unsigned int i;

	for (i = 0; i < SWHCA_NB_MODELS; i++) {
		if (strcmp(name, models[i].name) == 0) {
			*model = i;
			return true;
		}
	}
	return false;
}

/* IBTA volume 1, 14.2.5.6, PortInfo: LinkSpeedActive and its extension, LinkWidthActive. */
static const struct {
	const char *name;
	uint8_t code;
	uint32_t mbps;	/* per lane */
} speeds[] = {
	{ "SDR", 1, 2500 },	 { "DDR", 2, 5000 },   { "QDR", 4, 10000 },  { "FDR10", 8, 10000 },
	{ "FDR", 16, 14000 }, { "EDR", 32, 25000 }, { "HDR", 64, 50000 }, { "NDR", 128, 100000 },
};

static const struct {
	uint8_t lanes;
	uint8_t code;
} widths[] = { { 1, 1 }, { 2, 16 }, { 4, 2 }, { 8, 4 }, { 12, 8 } };

bool
swhca_port_rate_find(const char *name, unsigned int lanes, struct swhca_port_rate *rate)
{
	size_t i = 0, j = 0;

	while (i < sizeof(speeds) / sizeof(speeds[0]) && strcasecmp(name, speeds[i].name) != 0)
		i++;
	while (j < sizeof(widths) / sizeof(widths[0]) && widths[j].lanes != lanes)
		j++;
	if (i == sizeof(speeds) / sizeof(speeds[0]) || j == sizeof(widths) / sizeof(widths[0]))
		return false;
	*rate = (struct swhca_port_rate){
		.name = speeds[i].name,
		.lanes = widths[j].lanes,
		.width = widths[j].code,
		.speed = speeds[i].code,
		.mbps = speeds[i].mbps * lanes,
	};
	return true;
}

struct swhca_port_rate
swhca_port_rate_of(enum swhca_model model)
{
	struct swhca_port_rate rate = { .name = "" };

	swhca_port_rate_find(swhca_model_info_get(model)->port.name, 4, &rate);
	return rate;
}
