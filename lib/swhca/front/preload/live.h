/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_LIVE_H
#define SWHCA_LIVE_H

/**
 * @file
 * Sysfs attributes with current values of this process (host/sysfs_attr.h): opening the file
 * returns the current value, as the first read of an attribute in sysfs does.
 */

#include <sys/types.h>

/**
 * Called when a file was opened for reading and nothing is read yet: replace it if it is such an
 * attribute. Preserves errno.
 *
 * @param path
 *   As in the call; may be relative to any folder.
 * @param fd
 *   Descriptor, or negative: nothing is done. Without memory the file is kept.
 */
void swhca_live_opened(const char *path, int fd);

/**
 * Called before a read at the current position or at an offset: at the beginning of an attribute,
 * its text is regenerated (Linux: kernfs_fop_read_iter(), seq_file). Streams that are rewound do
 * this inside libc, and see the old text. Preserves errno.
 *
 * @param offset
 *   Or -1: current position.
 */
void swhca_live_reading(int fd, off_t offset);

#endif /* SWHCA_LIVE_H */
