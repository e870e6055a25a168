/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_FAULTS_H
#define SOAK_FAULTS_H

/**
 * @file
 * Faults that do not belong to an operation: faults of a queue, a command or the device.
 */

#include "soak/lane.h"

/** Number of a device in the control interface: the number at the end of its name. */
unsigned int soak_device_number(const struct soak_device *device);

/** The requested classes that a device supports; sets has_control. */
uint32_t soak_faults_possible(struct soak_device *device);

/** Classes that a queue of a transport supports. */
uint32_t soak_faults_of_transport(unsigned int transport);

/** Whether a step must hold the control lock of the device for its whole duration. */
bool soak_fault_is_exclusive(enum soak_fault fault);

/** Make the device fail in this step. */
void soak_fault_arm(struct soak_lane *lane);
/** End the failure. */
void soak_fault_disarm(struct soak_lane *lane);

/** Make a command of a control function fail; repeat the call, which must then succeed. */
void soak_fault_command(struct soak_lane *lane);

/** Reset one end without notifying its peer. */
void soak_fault_leave(struct soak_lane *lane, enum soak_side side);

#endif /* SOAK_FAULTS_H */
