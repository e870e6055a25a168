/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_PATH_H
#define SWHCA_UVERBS_PATH_H

/**
 * @file
 * Address paths of queue pairs.
 */

#include <stdint.h>

#include "front/uverbs/dev/uverbs_abi.h"

struct swhca_udev;

/** Write the address path of a QP context; both QP numbers select the UDP port. As resolve. */
int swhca_upath_write(const struct swhca_udev *dev, uint8_t *ads,
		      const struct ib_uverbs_qp_dest *dest, uint32_t local_qpn,
		      uint32_t remote_qpn);
void swhca_upath_read(const struct swhca_udev *dev, const uint8_t *ads,
		      struct ib_uverbs_qp_dest *dest);

#endif /* SWHCA_UVERBS_PATH_H */
