/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_LAST_WORDS_H
#define SWHCA_LAST_WORDS_H

/**
 * @file
 * Packets to be sent after the death of a process that could not send them, in a file in the folder
 * of its run. swhca-run sends them in its name. A lock on the file shows that the process is alive.
 *
 * Not thread safe.
 */

#include "include/mad.h"

/** Add a packet. @return Its number, or a negative errno: it will not be sent. */
int swhca_last_words_add(const struct swhca_mad_packet *packet);
/** Remove a packet. */
void swhca_last_words_remove(int number);
/** In the child of fork(2): the packets belong to the parent. */
void swhca_last_words_forget(void);

/** Send the packets of dead processes of a run from its open folder. */
void swhca_last_words_say(int dirfd);

#endif /* SWHCA_LAST_WORDS_H */
