/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_SYSFS_H
#define SWHCA_SYSFS_H

/**
 * @file
 * The devices in sysfs, in a separate folder.
 *
 * libibverbs reads $SYSFS_PATH instead of /sys, DPDK reads PCI functions from $SYSFS_PCI_DEVICES.
 * swhca-run creates and removes the folder; without swhca-run the first process that needs it
 * creates it.
 */

#include <stdbool.h>
#include <stdint.h>

#include "host/conf.h"

/** Character device numbers of uverbs, as Linux assigns them (ib_uverbs: IB_UVERBS_MAJOR). */
#define SWHCA_UVERBS_MAJOR 231u
#define SWHCA_UVERBS_BASE_MINOR 192u
/** Likewise for rdma_cm, a miscellaneous device, and the version of its ABI. */
#define SWHCA_RDMA_CM_MAJOR 10u
#define SWHCA_RDMA_CM_MINOR 58u
#define SWHCA_RDMA_CM_ABI 4u
/** Version of the ABI of mlx5_ib (mlx5-abi.h: MLX5_IB_UVERBS_ABI_VERSION). */
#define SWHCA_UVERBS_DRIVER_ABI 1u

/**
 * Choose the folder and set it in the environment, without writing to a disk. If there is none, or
 * another user has taken the one of swhca-run, the environment contains a place without devices.
 */
void swhca_sysfs_init(void);

/** That folder, or an empty string. */
const char *swhca_sysfs_base(void);

/** Check whether a path is in that folder, i.e. the program looks for devices. */
bool swhca_sysfs_has(const char *path);

/**
 * Use the folder, and fill it if that was not done.
 *
 * @return
 *   0, or a negative errno (logged): do not look up anything in it then. -EPERM: it is another
 *   user's, and is removed from the environment.
 */
int swhca_sysfs_create(void);

/** Fill the folder "sys" in a base folder unless it exists. @return 0 or a negative errno. */
int swhca_sysfs_fill(const char *base, const struct swhca_conf *conf);

/** Remove a device. */
void swhca_sysfs_unplug(unsigned int index);

/** In the child of fork(2): the parent uses the folder, not this process. */
void swhca_sysfs_forget(void);

/** Stop using the folder; the last user removes it. */
void swhca_sysfs_remove(void);

#endif /* SWHCA_SYSFS_H */
