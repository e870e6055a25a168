/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_AGENT_H
#define SWHCA_UCMA_AGENT_H

/**
 * @file
 * Who takes the MADs of the devices.
 */

/** All devices have one from now on. Without the lock. @return 0 or a negative errno. */
int swhca_ucm_agents_start(void);
/** In the child of fork(2): the devices are the parent's. */
void swhca_ucm_agents_forget(void);

#endif /* SWHCA_UCMA_AGENT_H */
