/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_CONF_H
#define SWHCA_WIRE_CONF_H

/**
 * @file
 * Texts of the wire options. They are checked before a program runs; links are opened when the
 * program looks for devices (links.h).
 */

#include <stdbool.h>
#include <stddef.h>

#include "host/conf.h"

/** Check a text. @return Error message, or NULL. */
const char *swhca_wire_check(const char *word);
const char *swhca_capture_check(const char *word);

/**
 * Check the texts against each other and the devices: a wire with addresses sets the number of
 * devices, unless the user does.
 *
 * @param text
 *   Error message, at most size bytes, if invalid.
 * @return
 *   0 or -EINVAL.
 */
int swhca_wire_conf_finish(struct swhca_conf *conf, bool is_nb_given, char *text, size_t size);

/** Check whether devices have links. */
bool swhca_wire_has_links(const struct swhca_conf *conf);

/** Get the text for one device (link.h: struct swhca_link_conf), for a configuration with links. */
void swhca_wire_device_text(const struct swhca_conf *conf, unsigned int index,
			    char text[static SWHCA_CONF_TEXT]);

#endif /* SWHCA_WIRE_CONF_H */
