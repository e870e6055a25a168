/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef AUTOTEST_CONTROL_H
#define AUTOTEST_CONTROL_H

/**
 * @file
 * Control of the software ConnectX that this process runs on, as swhca-ctl does it.
 */

#include <stdbool.h>
#include <stdint.h>

/** Counters of a device that cases look at. */
struct at_device_stats {
	uint64_t nb_cmd_errors;	/**< Firmware commands that were rejected. */
	uint64_t nb_wqes;	/**< Send work requests that have been completed. */
	uint64_t nb_objects;	/**< Objects of the device, those of the kernel too. */
	uint64_t nb_umems;	/**< Of them, memory of DevX users. */
	uint64_t nb_mkeys;	/**< Of them, memory keys: also those of regions. */
};

/** Whether the device is a software one that has been opened; else nothing here works. */
bool at_has_control(void);

/** Make the n-th firmware command of device 0 from now on fail; 0: none. @return TEST_SUCCESS. */
int at_command_fail(unsigned int n);

/** Do something to a device: a command of swhca-ctl, "halt 0". @return TEST_SUCCESS or _FAILED. */
int at_device_do(const char *command);

/** Read the counters of device 0. @return TEST_SUCCESS or TEST_FAILED (printed). */
int at_device_stats(struct at_device_stats *stats);

#endif /* AUTOTEST_CONTROL_H */
