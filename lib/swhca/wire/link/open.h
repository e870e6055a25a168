/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_LINK_OPEN_H
#define SWHCA_WIRE_LINK_OPEN_H

/**
 * @file
 * Construction of a stack of links. The bottom link carries packets and is selected by the first
 * word of the text (the table is in link.c); the others are on top of it:
 *
 *   port -> faults (impair.h) -> capture file (capture.c) -> udp, eth
 *
 * so that the file contains what is on the wire, including faults.
 */

#include "wire/link/link_ops.h"

/**
 * Open the bottom link.
 *
 * @param conf
 *   Complete configuration; wire is not NULL.
 * @param args
 *   Text after the word and its colon; NULL without a colon.
 * @param[out] out
 *   Written on success. Closed by its ops.
 * @return
 *   0, or a negative errno after a log line; see swhca_link_open().
 */
typedef int (*swhca_link_open_fn)(const struct swhca_link_conf *conf, const char *args,
				  struct swhca_link **out);

/** wire/link/udp.c */
int swhca_udp_open(const struct swhca_link_conf *conf, const char *args, struct swhca_link **out);
/** wire/link/eth.c */
int swhca_eth_open(const struct swhca_link_conf *conf, const char *args, struct swhca_link **out);

/** wire/link/impair.c: on top of another link, which it closes when it is closed. */
int swhca_impair_open(const struct swhca_link_conf *conf, struct swhca_link *below,
		      struct swhca_link **out);

/** wire/link/capture.c: as swhca_impair_open(). */
int swhca_capture_open(const struct swhca_link_conf *conf, struct swhca_link *below,
		       struct swhca_link **out);

/** Copy the properties of the link below: addresses, descriptor, MTU. */
static inline void
swhca_link_stand_on(struct swhca_link *link, const struct swhca_link_ops *ops,
		    struct swhca_link *below)
{
	*link = *below;
	link->ops = ops;
	link->below = below;
	link->stats = (struct swhca_link_stats){ 0 };
}

#endif /* SWHCA_WIRE_LINK_OPEN_H */
