/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "ring/log.h"

RTE_LOG_REGISTER_DEFAULT(mlx5_umr_logtype, NOTICE);
