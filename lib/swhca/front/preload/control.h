/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CONTROL_H
#define SWHCA_CONTROL_H

/**
 * @file
 * Control of the devices of this process by swhca-ctl (host/control_addr.h).
 */

/**
 * Listen, in a thread of its own; done once. Without it the devices work all the same, and the log
 * tells why, be it that another process has the address.
 */
void swhca_control_start(void);

/** In the child of fork(2): the thread is in the parent. */
void swhca_control_forget(void);

#endif /* SWHCA_CONTROL_H */
