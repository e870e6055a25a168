/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_SYSFS_H
#define SWHCA_SYSFS_H

/**
 * @file
 * What the devices look like in sysfs, in a folder of its own.
 *
 * libibverbs looks below $SYSFS_PATH instead of /sys, DPDK for PCI functions in
 * $SYSFS_PCI_DEVICES. swhca-run makes the folder and removes it; without swhca-run the first
 * process that needs it does.
 */

#include <stdbool.h>
#include <stdint.h>

#include "host/conf.h"

/** Character device numbers of uverbs, as Linux assigns them (ib_uverbs: IB_UVERBS_MAJOR). */
#define SWHCA_UVERBS_MAJOR 231u
#define SWHCA_UVERBS_BASE_MINOR 192u
/** The same of rdma_cm, among the miscellaneous devices, and the version of its ABI. */
#define SWHCA_RDMA_CM_MAJOR 10u
#define SWHCA_RDMA_CM_MINOR 58u
#define SWHCA_RDMA_CM_ABI 4u
/** Version of the ABI of mlx5_ib (mlx5-abi.h: MLX5_IB_UVERBS_ABI_VERSION). */
#define SWHCA_UVERBS_DRIVER_ABI 1u

/**
 * Choose the folder and name it in the environment; nothing is written to a disk. If there is none,
 * or the one of swhca-run has become another user's, the environment names a place without devices.
 */
void swhca_sysfs_init(void);

/** That folder, or an empty string. */
const char *swhca_sysfs_base(void);

/** Is a path in that folder, that is: does somebody look for devices? */
bool swhca_sysfs_has(const char *path);

/**
 * Use the folder, and fill it if nobody did.
 *
 * @return
 *   0, or a negative errno (logged): nothing may be looked up in it then. With -EPERM it is another
 *   user's, and the environment does not name it any more.
 */
int swhca_sysfs_create(void);

/** Fill the folder "sys" in a base folder unless it is there. @return 0 or a negative errno. */
int swhca_sysfs_fill(const char *base, const struct swhca_conf *conf);

/** Take a device away. */
void swhca_sysfs_unplug(unsigned int index);

/** In the child of fork(2): the folder is in use by the parent, not by us. */
void swhca_sysfs_forget(void);

/** Stop using the folder; remove it if this process was the last one to need it. */
void swhca_sysfs_remove(void);

#endif /* SWHCA_SYSFS_H */
