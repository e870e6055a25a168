/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "ring/log.h"

RTE_LOG_REGISTER_DEFAULT(mlx5_umr_logtype, NOTICE);

const char *
mlx5_umr_pin_error(int error, char text[MLX5_UMR_PIN_ERROR_SIZE])
{
	struct rlimit limit;

	if (error == ENOMEM && getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY)
		snprintf(text, MLX5_UMR_PIN_ERROR_SIZE,
			 "%s; the limit of locked memory is %ju bytes (ulimit -l)", strerror(error),
			 (uintmax_t)limit.rlim_cur);
	else
		snprintf(text, MLX5_UMR_PIN_ERROR_SIZE, "%s", strerror(error));
	return text;
}
