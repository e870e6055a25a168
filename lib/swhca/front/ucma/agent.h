/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_AGENT_H
#define SWHCA_UCMA_AGENT_H

/**
 * @file
 * Agents for the MADs of the devices.
 */

/** Start an agent for each device. Without the lock. @return 0 or a negative errno. */
int swhca_ucm_agents_start(void);
/** In the child of fork(2): the devices belong to the parent. */
void swhca_ucm_agents_forget(void);

#endif /* SWHCA_UCMA_AGENT_H */
