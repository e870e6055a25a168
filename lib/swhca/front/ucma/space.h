/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_SPACE_H
#define SWHCA_UCMA_SPACE_H

/**
 * @file
 * Port spaces: allocation of ports. Each process has its own, as its devices have their own
 * addresses. The lock is held.
 */

struct swhca_ucm_id;

/**
 * Assign the port of its address to an identifier, or any port if that is 0 (cma.c:
 * cma_get_port()).
 *
 * @return
 *   0, -EPROTONOSUPPORT (no such port space), -EADDRINUSE, -EADDRNOTAVAIL.
 */
int swhca_ucm_space_bind(struct swhca_ucm_id *id);
/** Check whether it may listen; not if it shares its port. @return 0 or as above. */
int swhca_ucm_space_listen(const struct swhca_ucm_id *id);

#endif /* SWHCA_UCMA_SPACE_H */
