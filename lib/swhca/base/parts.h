/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PARTS_H
#define SWHCA_PARTS_H

/**
 * @file
 * Parts of the model that a build may lack: features swhca_* of meson_options.txt.
 *
 * meson replaces the sources of a missing part by one file with the functions that others call
 * (*_none.c). What others report of a part, they ask here.
 */

/** rdma_cm (swhca_cm): front/cm, front/ucma. */
#ifdef SWHCA_WITHOUT_CM
#define SWHCA_HAS_CM 0
#else
#define SWHCA_HAS_CM 1
#endif

/** The subnet manager (swhca_sm): mad. */
#ifdef SWHCA_WITHOUT_SM
#define SWHCA_HAS_SM 0
#else
#define SWHCA_HAS_SM 1
#endif

#endif /* SWHCA_PARTS_H */
