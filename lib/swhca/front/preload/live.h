/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_LIVE_H
#define SWHCA_LIVE_H

/**
 * @file
 * Attributes in sysfs that are of this process, or of this moment (host/sysfs_attr.h): who opens
 * the file is given what the device would answer now, as in sysfs when an attribute is first read.
 */

#include <sys/types.h>

/**
 * A file was opened for reading, and nothing is read yet: put the attribute in its place, if it is
 * one. errno is kept.
 *
 * @param path
 *   As the call had it; may be relative to any folder.
 * @param fd
 *   Descriptor, or negative: nothing is done. If there is no memory the file stays.
 */
void swhca_live_opened(const char *path, int fd);

/**
 * A descriptor is going to be read from where it is, or from an offset: at the beginning of an
 * attribute, its text is made anew (Linux: kernfs_fop_read_iter(), seq_file). Streams that go back
 * to the beginning do that inside of libc, and see what they saw. errno is kept.
 *
 * @param offset
 *   Or -1: where it is.
 */
void swhca_live_reading(int fd, off_t offset);

#endif /* SWHCA_LIVE_H */
