/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ETH_SWITCH_H
#define SWHCA_ETH_SWITCH_H

/**
 * @file
 * Switch between the Ethernet ports of a fabric. The fabric lock is held.
 *
 * A frame goes to every port that accepts its destination: by an address of the port, by one of its
 * lists, or because the port is promiscuous. Frames that no port accepts leave by the link of their
 * port, if it carries frames, and so do multicast frames. A frame returns to its own port only if a
 * TIR requests that.
 */

#include <stddef.h>

#include "object/hca_state.h"

/** Maximum MTU of a vport. */
#define SWHCA_MAX_VPORT_MTU 9216u

/** Send a frame of 14 to SWHCA_MAX_FRAME bytes out of a port. */
void swhca_switch_send(struct swhca_hca *from, const uint8_t *frame, size_t len);
/** Receive a frame from the link of a port; frames that are too short or too long are dropped. */
void swhca_switch_receive(struct swhca_hca *hca, const uint8_t *frame, size_t len);

/** Check whether an address is one of the port's own. */
bool swhca_vport_owns(const struct swhca_vport *vport, const uint8_t *mac);
/** Check whether a port accepts frames to an address. */
bool swhca_vport_takes(const struct swhca_vport *vport, const uint8_t *mac);

#endif /* SWHCA_ETH_SWITCH_H */
