/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_FAULTS_H
#define SOAK_FAULTS_H

/**
 * @file
 * Faults that are not in an operation: those of a queue, of a command, of the device.
 */

#include "soak/lane.h"

/** Number of a device below its control: that at the end of its name. */
unsigned int soak_device_number(const struct soak_device *device);

/** Classes that a device can show, of those asked for; has_control is set. */
uint32_t soak_faults_possible(struct soak_device *device);

/** Classes that a queue of a transport can show. */
uint32_t soak_faults_of_transport(unsigned int transport);

/** Whether a step must hold the device's control lock from its beginning to its end. */
bool soak_fault_is_exclusive(enum soak_fault fault);

/** Have the device fail in this step. */
void soak_fault_arm(struct soak_lane *lane);
/** Have it work again. */
void soak_fault_disarm(struct soak_lane *lane);

/** Have a command of a control function fail; the call is made again and must succeed then. */
void soak_fault_command(struct soak_lane *lane);

/** One end leaves: it is reset, and its peer is not told. */
void soak_fault_leave(struct soak_lane *lane, enum soak_side side);

#endif /* SOAK_FAULTS_H */
