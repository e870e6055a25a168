/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_LINK_CAPTURE_FILE_H
#define SWHCA_WIRE_LINK_CAPTURE_FILE_H

/**
 * @file
 * Capture files of packets (pcapng.h). The links of a process share one file, each as an interface.
 * No two processes write to the same file:
 *
 *   - A process that opens FILE locks it (base/file_lock.h). If another process has locked it,
 *     "-PID" is inserted before its suffix.
 *   - "%p" in the name is replaced by the process id.
 *   - An existing file is overwritten only if it is a capture of this user. Symbolic links are not
 *     followed, and only the user may read the file, as packets contain memory.
 *
 * Thread safe: any thread may call any function.
 */

#include <stdint.h>
#include <sys/uio.h>

struct swhca_capture_file;

/**
 * Open a file, or the one that this process already writes, and describe an interface.
 *
 * @param[out] interface
 *   Its number in the file.
 * @return
 *   0, or a negative errno after a log line: -ENAMETOOLONG, -EEXIST (an existing file is no
 *   capture), -EPERM (of another user), -EBUSY (two other processes write to it), -ENOMEM, or
 *   another of open(2).
 */
int swhca_capture_file_open(const char *name, const char *interface_name, const char *description,
			    struct swhca_capture_file **out, uint32_t *interface);

/** Close it for one interface. */
void swhca_capture_file_close(struct swhca_capture_file *file);

/**
 * Write blocks at once. If that fails (disk full), the file is truncated before them, an error is
 * logged, and nothing more is written.
 */
void swhca_capture_file_write(struct swhca_capture_file *file, const struct iovec *iovs, int nb);

#endif /* SWHCA_WIRE_LINK_CAPTURE_FILE_H */
