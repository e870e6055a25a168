/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CONTROL_H
#define SWHCA_CONTROL_H

/*
 * Control of the software ConnectX devices of a process, its own or another one of the same user:
 * what swhca-ctl does, as calls. A line goes to the address at which the process listens, and one
 * answer comes back (doc/guides/tools/swhca.rst, "Control of a running program").
 *
 * Thread safe. A call that gets no answer ends after SWHCA_CONTROL_TIMEOUT_MS.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Longest line and answer, with the NUL. */
#define SWHCA_CONTROL_SIZE 8193
/* How long an answer may take. */
#define SWHCA_CONTROL_TIMEOUT_MS 30000

/*
 * Send a line ("list", "stats", "halt 0" ...) and receive the answer.
 *
 * size is that of answer, at least 1; what does not fit is cut off. On error answer is "".
 * Returns 0 (the answer may be a rejection, which begins with "error:"), or a negative errno:
 * -ECONNREFUSED (the process has no devices open), -EPERM (another one listens at its address),
 * -ECONNRESET, -ETIMEDOUT, or one of socket(2), connect(2), send(2).
 */
int swhca_control_ask(pid_t pid, const char *line, char *answer, size_t size);

/* Whether a process has software devices open. */
bool swhca_control_is_there(pid_t pid);

/*
 * Do something to a device: a line whose answer is "ok".
 *
 * why, of size bytes, gets the answer if it is another one; it may be NULL.
 * Returns 0, -EINVAL (rejected) or a negative errno of swhca_control_ask().
 */
int swhca_control_do(pid_t pid, const char *line, char *why, size_t size);

/*
 * Read a counter of a device by its name in the answer to "stats": "wqes", "faults" ...
 *
 * Returns 0, -ENOENT (no such device, or counter) or a negative errno of swhca_control_ask().
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
 * How often faults of a class ("error-cqe") have fired since the device was opened, or faults of
 * all classes (NULL); also those that are not armed any more.
 *
 * Returns as swhca_control_counter(); -ENOENT: there is no such class.
 */
int swhca_control_fault_fired(pid_t pid, unsigned int device, const char *fault_class,
			      uint64_t *nb);

#endif /* SWHCA_CONTROL_H */
