/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ETH_SWITCH_H
#define SWHCA_ETH_SWITCH_H

/**
 * @file
 * The switch between the Ethernet ports of a fabric. The fabric lock is held.
 *
 * A frame goes to every port that takes its destination: by an address of the port, by one of its
 * lists, or because it wants all of them; what is of none leaves by the link of its port, if that
 * has frames, and so do groups. What a port sends comes back to it only where a TIR asks
 * for that.
 */

#include <stddef.h>

#include "object/hca.h"

/** Most that an MTU of a vport can be. */
#define SWHCA_MAX_VPORT_MTU 9216u
/** MTU of a vport in the beginning: 1500 bytes, header, VLAN tag and check sequence. */
#define SWHCA_DEFAULT_VPORT_MTU 1522u

/** Send a frame of 14 to SWHCA_MAX_FRAME bytes out of a port. */
void swhca_switch_send(struct swhca_hca *from, const uint8_t *frame, size_t len);
/** A frame that comes to a port by its link; one that is too short or too long is none. */
void swhca_switch_receive(struct swhca_hca *hca, const uint8_t *frame, size_t len);

/** The vport of a function as after a reset of it. */
void swhca_vport_init(struct swhca_hca *hca);
/** Whether an address is one of the port's own. */
bool swhca_vport_owns(const struct swhca_vport *vport, const uint8_t *mac);
/** Whether a port takes frames for that address. */
bool swhca_vport_takes(const struct swhca_vport *vport, const uint8_t *mac);

#endif /* SWHCA_ETH_SWITCH_H */
