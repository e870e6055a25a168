/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "include/model.h"

#define HAS(feature) (1u << SWHCA_FEATURE_##feature)

/*
 * PCI ids as in pci.ids; firmware of the same generation for all: xx.35 is of late 2022, and its
 * first number tells the adapter.
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
