/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ENGINE_ACK_H
#define SWHCA_ENGINE_ACK_H

/**
 * @file
 * Completion without execution: see ack.c.
 */

#include "object/uar.h"

/**
 * Complete the WQEs of doorbells at a page of queues.
 *
 * @param doorbells
 *   Values taken from the registers of the page.
 * @param nb
 *   Number of values, at least 1.
 */
void swhca_ack_doorbells(struct swhca_uar *uar, const uint64_t *doorbells, unsigned int nb);

#endif /* SWHCA_ENGINE_ACK_H */
