/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_FUNCTION_H
#define SWHCA_OBJECT_FUNCTION_H

/**
 * @file
 * State of a function under the driver of a kernel. The fabric lock guards it.
 *
 * 	DISABLED --ENABLE_HCA--> ENABLED --INIT_HCA--> READY
 * 	         <-DISABLE_HCA--         <-TEARDOWN_HCA-
 *
 * A function without such a driver is always READY.
 */

#include <stdbool.h>
#include <stdint.h>

struct swhca_hca;

enum swhca_function_state {
	SWHCA_FUNCTION_DISABLED,
	SWHCA_FUNCTION_ENABLED,
	SWHCA_FUNCTION_READY,
};

/** The only interface version supported by the model (Linux: mlx5_core_set_issi()). */
#define SWHCA_ISSI 1u

/** Bytes of a node description (IBTA 14.2.5.2). */
#define SWHCA_NODE_DESC_LEN 64u

/**
 * CapabilityMask: bits of the port itself, and bits that software sets (Linux: ib_modify_port(),
 * enum ib_port_capability_mask_bits): subnet manager, connection management, SNMP, device
 * management, vendor classes.
 */
#define SWHCA_PORT_SYS_IMAGE_GUID	(1u << 11)
#define SWHCA_PORT_EXTENDED_SPEEDS	(1u << 14)
#define SWHCA_PORT_CLIENT_REREG		(1u << 25)
#define SWHCA_PORT_CAPS (SWHCA_PORT_SYS_IMAGE_GUID | SWHCA_PORT_EXTENDED_SPEEDS |                  \
			 SWHCA_PORT_CLIENT_REREG)
#define SWHCA_PORT_CAPS_OF_SOFTWARE (1u << 1 | 1u << 16 | 1u << 17 | 1u << 19 | 1u << 20)

/** Capabilities that SET_HCA_CAP may set: cmd/function/cmd_cap_set.c has a row for each. */
#define SWHCA_NB_CAP_CHOICES 10u

struct swhca_function {
	enum swhca_function_state state;
	uint16_t issi;
	uint64_t *pages;	/**< Bus addresses of pages from the host. */
	uint32_t nb_pages;
	uint32_t max_pages;	/**< Capacity of the list. */
	bool has_choice[SWHCA_NB_CAP_CHOICES];
	uint32_t choices[SWHCA_NB_CAP_CHOICES];
	uint32_t cap_mask;	/**< CapabilityMask of its port (IBTA 14.2.5.6). */
	char node_desc[SWHCA_NODE_DESC_LEN];
};

/** Set the state after a reset of the function. */
void swhca_function_init(struct swhca_hca *hca);
/** Release its resources. */
void swhca_function_fini(struct swhca_hca *hca);

#endif /* SWHCA_OBJECT_FUNCTION_H */
