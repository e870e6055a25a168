/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_MAD_RESPONDER_H
#define SWHCA_MAD_RESPONDER_H

/**
 * @file
 * Responders of management datagrams: the agents of a port, and the built-in subnet manager. The
 * fabric lock is held.
 *
 * The manager is a separate node, at a LID that no device has: a port does not talk to itself, and
 * queries of software on a host are answered. Ports are up without it.
 */

#include <stdbool.h>
#include <stdint.h>

#include "include/mad.h"
#include "object/hca_state.h"

/** LID of the manager: the last one of the unicast range (IBTA 4.1.3); 0: the build has none. */
uint16_t swhca_mad_manager_lid(void);

/**
 * Answer for a port: subnet management and performance.
 *
 * @return
 *   false: it is no request, or of another class. out is not written.
 */
bool swhca_mad_port_answer(struct swhca_hca *hca, const uint8_t in[SWHCA_MAD_LEN],
			   uint8_t out[SWHCA_MAD_LEN]);

/** Check whether a datagram is of performance management. */
bool swhca_mad_is_performance(const uint8_t mad[SWHCA_MAD_LEN]);

/**
 * The same for the manager, whose answer may have several datagrams.
 *
 * @param from
 *   Requesting port.
 * @param index
 *   Index of the datagram, from 0.
 * @return
 *   false: it is no request, or has no such datagram.
 */
bool swhca_mad_manager_answer(struct swhca_hca *from, const uint8_t in[SWHCA_MAD_LEN],
			      unsigned int index, uint8_t out[SWHCA_MAD_LEN]);

/** Attribute of subnet administration: returns the status, with the record in out. */
uint16_t swhca_sa_path(struct swhca_hca *from, uint64_t mask, const uint8_t *in, uint8_t *out);
uint16_t swhca_sa_mc_join(struct swhca_hca *from, uint64_t mask, const uint8_t *in, uint8_t *out);
uint16_t swhca_sa_mc_leave(struct swhca_hca *from, const uint8_t *in, uint8_t *out);
uint16_t swhca_sa_mc_get(struct swhca_hca *from, uint64_t mask, const uint8_t *in, uint8_t *out);
struct swhca_sa_group;
/** Get the group after another one; NULL: the first. @return NULL: there is none. */
const struct swhca_sa_group *swhca_sa_group_next(const struct swhca_fabric *fabric,
						 const struct swhca_sa_group *group);
/** @return MCMemberRecord of a group. */
const uint8_t *swhca_sa_group_rec(const struct swhca_sa_group *group);
/** Datagram of the answer to SubnAdmGetTable, like swhca_mad_manager_answer(). */
bool swhca_sa_table_answer(struct swhca_hca *from, const uint8_t in[SWHCA_MAD_LEN],
			   unsigned int index, uint8_t out[SWHCA_MAD_LEN]);
/** Fill NodeInfo of a port. */
void swhca_mad_node_info(const struct swhca_hca *hca, uint8_t *out);
/** Remove a port from all groups. */
void swhca_sa_forget(struct swhca_hca *hca);
/** Release the groups of the fabric. */
void swhca_sa_fini(struct swhca_fabric *fabric);
/** Code of a port's rate (IBTA 15.2.5.16). */
uint8_t swhca_sa_rate(const struct swhca_hca *hca);

#endif /* SWHCA_MAD_RESPONDER_H */
