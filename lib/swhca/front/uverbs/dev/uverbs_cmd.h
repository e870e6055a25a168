/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_CMD_H
#define SWHCA_UVERBS_CMD_H

/**
 * @file
 * Commands of the front end itself, with the error codes of Linux.
 */

#include <stddef.h>
#include <stdint.h>

struct swhca_udev;

/** Execute a command. @return 0, or the errno that mlx5_core derives from the status. */
int swhca_udev_exec(struct swhca_udev *dev, const void *in, size_t in_len, void *out,
		    size_t out_len);
/** Execute a 16-byte command with one object. */
int swhca_udev_exec_obj(struct swhca_udev *dev, uint16_t op, uint16_t uid, uint32_t num);
/** Destroy a general object. */
int swhca_udev_exec_general_destroy(struct swhca_udev *dev, uint16_t uid, uint16_t obj_type,
				    uint32_t num);
/** Execute a 16-byte command that creates one object. */
int swhca_udev_exec_alloc(struct swhca_udev *dev, uint16_t op, uint16_t uid, uint32_t *num);

#endif /* SWHCA_UVERBS_CMD_H */
