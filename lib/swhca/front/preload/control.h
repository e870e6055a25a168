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
 * Listen in a separate thread; done once. On failure, including an address used by another process,
 * the devices still work and the reason is logged.
 */
void swhca_control_start(void);

/** In the child of fork(2): the thread is in the parent. */
void swhca_control_forget(void);

#endif /* SWHCA_CONTROL_H */
