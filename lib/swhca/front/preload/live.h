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

#endif /* SWHCA_LIVE_H */
