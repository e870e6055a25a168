/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_SPACE_H
#define SWHCA_UCMA_SPACE_H

/**
 * @file
 * Port spaces: who has which port. Each process has its own, for its devices have addresses of
 * their own. The lock is held.
 */

struct swhca_ucm_id;

/**
 * Give an identifier the port of its address, or any if that is 0 (cma.c: cma_get_port()).
 *
 * @return
 *   0, -EPROTONOSUPPORT (no such port space), -EADDRINUSE, -EADDRNOTAVAIL.
 */
int swhca_ucm_space_bind(struct swhca_ucm_id *id);
/** May it listen? Who shared the port so far may not. @return 0 or as above. */
int swhca_ucm_space_listen(const struct swhca_ucm_id *id);

#endif /* SWHCA_UCMA_SPACE_H */
