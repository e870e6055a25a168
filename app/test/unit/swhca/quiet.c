/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "base/log.h"

/* Cases cause errors; a case that reads what is logged raises the level. */
static __attribute__((constructor)) void
log_silence(void)
{
	swhca_log_level = SWHCA_LOG_NONE;
}
