/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_SYSFS_H
#define SWHCA_SYSFS_H

/**
 * @file
 * What the devices look like in sysfs, in a folder of its own.
 *
 * libibverbs looks below $SYSFS_PATH instead of /sys. swhca-run makes the folder and removes it;
 * without swhca-run the first process that needs it does. It is filled when somebody looks.
 */

#include <stdbool.h>
#include <stdint.h>

/* ConnectX-6 Dx, as PCI and IB name it. */
#define SWHCA_PCI_VENDOR	0x15b3u
#define SWHCA_PCI_DEVICE	0x101du
#define SWHCA_VENDOR_OUI	0x02c9u

#define SWHCA_FW_VER_MAJOR	22u
#define SWHCA_FW_VER_MINOR	35u
#define SWHCA_FW_VER_SUBMINOR	1012u

/** Link-local prefix, fe80::/64. */
#define SWHCA_GID_PREFIX	UINT64_C(0xfe80000000000000)

/** Choose the folder and name it in $SYSFS_PATH, unless the parent did. No file is touched. */
void swhca_sysfs_init(void);

/** Is a path below $SYSFS_PATH, that is: does somebody look for devices? */
bool swhca_sysfs_has(const char *path);

/** Fill the folder if nobody did. @return 0 or a negative errno. */
int swhca_sysfs_create(void);

/** Remove the folder, if this process made it. */
void swhca_sysfs_remove(void);

#endif /* SWHCA_SYSFS_H */
