/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_EQ_H
#define SWHCA_UVERBS_EQ_H

/**
 * @file
 * Event queues of a device.
 */

struct swhca_udev;

/** Create all EQs of a device. @return 0 or a negative errno; then none is left. */
int swhca_ueqs_create(struct swhca_udev *dev);
/** Interrupt of a device; arg is the struct swhca_udev. */
void swhca_ueq_interrupt(void *arg, unsigned int vector);

#endif /* SWHCA_UVERBS_EQ_H */
