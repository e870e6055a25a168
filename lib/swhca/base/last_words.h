/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_LAST_WORDS_H
#define SWHCA_LAST_WORDS_H

/**
 * @file
 * What is to be sent when a process dies that cannot say it any more: packets, in a file of the
 * folder of its run, that swhca-run sends in its name. A lock on the file tells that it lives.
 *
 * Not thread safe.
 */

#include "include/mad.h"

/** Have a packet sent then. @return A number for it, or a negative errno: that will not be. */
int swhca_last_words_add(const struct swhca_mad_packet *packet);
/** No longer. */
void swhca_last_words_remove(int number);
/** In the child of fork(2): they are the parent's. */
void swhca_last_words_forget(void);

/** Send what the dead of a run have left in its folder, an open one. */
void swhca_last_words_say(int dirfd);

#endif /* SWHCA_LAST_WORDS_H */
