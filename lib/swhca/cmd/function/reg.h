/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_REG_H
#define SWHCA_CMD_REG_H

/**
 * @file
 * Registers of the adapter, as ACCESS_REG reads and writes them.
 */

#include "mlx5_prm_hca.h"
#include "cmd/cmd.h"

struct swhca_reg {
	const char *name;
	enum prm_reg id;
	uint16_t size;
	bool is_of_port;	/**< It names one. */
	/* reg holds what the command brought, and what it answers; NULL: it cannot be done. */
	uint8_t (*read)(struct swhca_cmd *cmd, uint8_t *reg);
	uint8_t (*write)(struct swhca_cmd *cmd, const uint8_t *reg);
};

/** @return A register of an Ethernet port, or NULL: it is that of any port, or there is none. */
const struct swhca_reg *swhca_eth_reg_find(unsigned int id);

#endif /* SWHCA_CMD_REG_H */
