/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_LINK_CAPTURE_FILE_H
#define SWHCA_WIRE_LINK_CAPTURE_FILE_H

/**
 * @file
 * Files that packets are written to (pcapng.h). The links of a process share one, each is an
 * interface of it. No two processes write to the same file:
 *
 *   - Who opens FILE locks it (base/file_lock.h). While another process has it, it is FILE with
 * "-PID" in front of its suffix instead.
 *   - "%p" in the name is the number of the process, wherever it stands.
 *   - What is there already is overwritten if it is a capture of this user, and nothing else is.
 *     Links in the file system are not followed, and only the user may read it: packets are memory.
 *
 * All functions may be called by any thread.
 */

#include <stdint.h>
#include <sys/uio.h>

struct swhca_capture_file;

/**
 * Open a file, or the one that this process writes to already, and describe an interface.
 *
 * @param[out] interface
 *   Its number in the file.
 * @return
 *   0, or a negative errno after a log line: -ENAMETOOLONG, -EEXIST (what is there is no capture),
 *   -EPERM (of another user), -EBUSY (two others write to it), -ENOMEM, or another of open(2).
 */
int swhca_capture_file_open(const char *name, const char *interface_name, const char *description,
			    struct swhca_capture_file **out, uint32_t *interface);

/** Close it for one interface. */
void swhca_capture_file_close(struct swhca_capture_file *file);

/**
 * Write blocks, at once. If they cannot be (a full disk), the file ends in front of them: a line is
 * logged, and no more is written.
 */
void swhca_capture_file_write(struct swhca_capture_file *file, const struct iovec *iovs, int nb);

#endif /* SWHCA_WIRE_LINK_CAPTURE_FILE_H */
