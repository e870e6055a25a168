/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_CALIBRATE_H
#define BENCH_CALIBRATE_H

/**
 * @file
 * Options of a device, as measured on it.
 */

#include "bench/conf.h"

/** Measure and print the thresholds of rte_umr_write_sg() and rte_umr_read_sg(). */
enum tool_exit bench_calibrate_run(const struct bench_conf *conf);

#endif /* BENCH_CALIBRATE_H */
