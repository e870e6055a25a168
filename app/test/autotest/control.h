/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef AUTOTEST_CONTROL_H
#define AUTOTEST_CONTROL_H

/**
 * @file
 * Control the software ConnectX of this process, as swhca-ctl does.
 */

#include <stdbool.h>
#include <stdint.h>

/** Counters of a device used by test cases. */
struct at_device_stats {
	uint64_t nb_cmd_errors;	/**< Firmware commands that were rejected. */
	uint64_t nb_wqes;	/**< Completed send work requests. */
	uint64_t nb_objects;	/**< Objects of the device, including those of the kernel. */
	uint64_t nb_umems;	/**< Objects that are memory of DevX users. */
	uint64_t nb_mkeys;	/**< Objects that are memory keys, including those of regions. */
};

/** Whether the device is an open software device; otherwise nothing here works. */
bool at_has_control(void);

/** @return TEST_SUCCESS; TEST_SKIPPED (printed): another device; TEST_FAILED: no answer. */
int at_need_control(void);

/** Make the n-th firmware command of device 0 from now on fail; 0: none. @return TEST_SUCCESS. */
int at_command_fail(unsigned int n);

/** Run a command of swhca-ctl such as "halt 0". @return TEST_SUCCESS or _FAILED. */
int at_device_do(const char *command);

/** Read the counters of device 0. @return TEST_SUCCESS or TEST_FAILED (printed). */
int at_device_stats(struct at_device_stats *stats);

#endif /* AUTOTEST_CONTROL_H */
