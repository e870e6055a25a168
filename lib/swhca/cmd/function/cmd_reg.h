/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_REG_H
#define SWHCA_CMD_REG_H

/**
 * @file
 * Registers of the adapter, for ACCESS_REG.
 */

#include "mlx5_prm_hca.h"
#include "cmd/cmd.h"

struct swhca_reg {
	const char *name;
	enum prm_reg id;
	uint16_t size;
	bool is_of_port;	/**< Has a port number. */
	/* reg contains the input of the command, and its output; NULL: unsupported. */
	uint8_t (*read)(struct swhca_cmd *cmd, uint8_t *reg);
	uint8_t (*write)(struct swhca_cmd *cmd, const uint8_t *reg);
};

/** @return A register of an Ethernet port, or NULL: it is common to all ports, or unsupported. */
const struct swhca_reg *swhca_eth_reg_find(unsigned int id);

#endif /* SWHCA_CMD_REG_H */
