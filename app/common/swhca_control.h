/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CONTROL_H
#define SWHCA_CONTROL_H

/*
 * Control the software ConnectX devices of this or another process of the same user, like
 * swhca-ctl. A request is one line to the address at which the process listens, with one response
 * (doc/guides/tools/swhca.rst, "Control of a running program").
 *
 * Thread safe. A call without a response ends after SWHCA_CONTROL_TIMEOUT_MS.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Longest line and response, including the NUL. */
#define SWHCA_CONTROL_SIZE 8193
/* Longest wait for a response. */
#define SWHCA_CONTROL_TIMEOUT_MS 30000

/*
 * Send a line ("list", "stats", "halt 0" ...) and receive the response.
 *
 * size is that of answer, at least 1; longer responses are truncated. On error answer is "".
 * Returns 0 (the response may be a rejection, which starts with "error:"), or a negative errno:
 * -ECONNREFUSED (the process has no open devices), -EPERM (another process listens at its address),
 * -ECONNRESET, -ETIMEDOUT, or an error of socket(2), connect(2), send(2).
 */
int swhca_control_ask(pid_t pid, const char *line, char *answer, size_t size);

/* Whether a process has software devices open. */
bool swhca_control_is_there(pid_t pid);

/*
 * Run a command of a device whose response is "ok".
 *
 * why, of size bytes, receives any other response; it may be NULL. Returns 0, -EINVAL (rejected) or
 * a negative errno of swhca_control_ask().
 */
int swhca_control_do(pid_t pid, const char *line, char *why, size_t size);

/*
 * Read a counter of a device by its name in the response to "stats": "wqes", "faults" ...
 *
 * Returns 0, -ENOENT (no such device or counter) or a negative errno of swhca_control_ask().
 */
int swhca_control_counter(pid_t pid, unsigned int device, const char *name, uint64_t *value);

/*
 * Arm a fault of the data path: "error-cqe,qp=0x48,nth=3" (doc/guides/tools/swhca.rst, "Faults of
 * the data path").
 *
 * Returns as swhca_control_do().
 */
int swhca_control_fault_arm(pid_t pid, unsigned int device, const char *spec, char *why,
			    size_t size);

/* Disarm the faults of a class, or all of them (NULL). Returns as swhca_control_do(). */
int swhca_control_fault_off(pid_t pid, unsigned int device, const char *fault_class);

/*
 * Count how often faults of a class ("error-cqe"), or of all classes (NULL), occurred since the
 * device was opened, including disarmed faults.
 *
 * Returns as swhca_control_counter(); -ENOENT: no such class.
 */
int swhca_control_fault_fired(pid_t pid, unsigned int device, const char *fault_class,
			      uint64_t *nb);

#endif /* SWHCA_CONTROL_H */
