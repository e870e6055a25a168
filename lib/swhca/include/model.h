/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_MODEL_H
#define SWHCA_MODEL_H

/**
 * @file
 * Adapter models of an HCA: names and features.
 *
 * A feature that some model lacks is checked by swhca_model_has() both where its capability bit is
 * set and where a request for it is checked.
 */

#include <stdbool.h>
#include <stdint.h>

/** PCI vendor of all models, and their IEEE company id. */
#define SWHCA_PCI_VENDOR	0x15b3u
#define SWHCA_VENDOR_OUI	0x02c9u

enum swhca_model {
	SWHCA_MODEL_CX7,	/* default: supports the most */
	SWHCA_MODEL_CX6DX,
	SWHCA_MODEL_CX5,
	SWHCA_NB_MODELS,
};

/** Features that only some models support. */
enum swhca_feature {
	SWHCA_FEATURE_CRYPTO,		/**< AES-XTS by BSF, data encryption keys. */
	SWHCA_FEATURE_XTS_MULTI_BLOCK,	/**< Transfers of many data units, big-endian tweak. */
	SWHCA_FEATURE_SIG_CRC,		/**< CRC32C and CRC64-XP10 in addition to CRC32 and
					 *   T10-DIF. */
	SWHCA_FEATURE_DMA_MMO,		/**< Copy of memory by the MMO opcode. */
	SWHCA_FEATURE_DCI_STREAMS,	/**< More than one stream in a DCI. */
	SWHCA_FEATURE_MEMIC_OPS,	/**< Operations on device memory. */
	SWHCA_FEATURE_REAL_TIME,	/**< Time stamps of the real-time clock. */
	SWHCA_FEATURE_TPH,		/**< Processing hints of PCI in memory keys. */
	SWHCA_FEATURE_OOO_DP,		/**< Queue pairs whose data may be placed out of order. */
	SWHCA_FEATURE_MEM_FAULT,	/**< Page faults of memory, not of transports: ODP 2. */
};

struct swhca_model_info {
	const char *name;	/**< Name in options. */
	const char *title;
	uint16_t pci_device;
	uint16_t pci_subsystem;
	struct {
		uint16_t major;
		uint16_t minor;
		uint16_t subminor;
	} fw;
	struct {
		const char *name;	/**< Signaling rate, InfiniBand name. */
		unsigned int gbps;	/**< For 4 lanes. */
		uint16_t speed;		/**< Code of active_speed (IBA, PortInfo). */
	} port;
	uint32_t features;	/**< Bit n: enum swhca_feature n. */
};

/** Negotiated rate of a link. */
struct swhca_port_rate {
	const char *name;	/**< Signaling rate of a lane, InfiniBand name. */
	uint8_t lanes;		/**< 1, 2, 4, 8 or 12. */
	uint8_t width;		/**< Code of active_width (IBA, PortInfo). */
	uint8_t speed;		/**< Code of active_speed. */
	uint32_t mbps;		/**< Sum of all lanes. */
};

/** Find a rate by signaling name ("edr") and lanes. @return false if there is none. */
bool swhca_port_rate_find(const char *name, unsigned int lanes, struct swhca_port_rate *rate);
/** Highest rate of a model. */
struct swhca_port_rate swhca_port_rate_of(enum swhca_model model);

/** @return Description of a model; never NULL below SWHCA_NB_MODELS. */
const struct swhca_model_info *swhca_model_info_get(enum swhca_model model);

/** Find a model by its name. @return false if there is none. */
bool swhca_model_find(const char *name, enum swhca_model *model);

static inline bool
swhca_model_has(enum swhca_model model, enum swhca_feature feature)
{
	return (swhca_model_info_get(model)->features & 1u << feature) != 0;
}

#endif /* SWHCA_MODEL_H */
