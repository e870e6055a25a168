/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CORE_CLASSES_H
#define SWHCA_CORE_CLASSES_H

/**
 * @file
 * Object classes of the model.
 */

#include "object/object.h"

extern const struct swhca_obj_class swhca_obj_classes[SWHCA_NB_OBJ_TYPES];

#endif /* SWHCA_CORE_CLASSES_H */
