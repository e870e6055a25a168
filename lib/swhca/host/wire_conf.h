/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_CONF_H
#define SWHCA_WIRE_CONF_H

/**
 * @file
 * Texts of the options about the wire. They are checked before a program runs; what they name is
 * opened when it looks for devices (links.h).
 */

#include <stdbool.h>
#include <stddef.h>

#include "host/conf.h"

/** What is wrong with a text? @return NULL: nothing. */
const char *swhca_wire_check(const char *word);
const char *swhca_capture_check(const char *word);

/**
 * What the texts say about each other and about the devices: a wire with addresses tells how many
 * devices there are, unless the user says so.
 *
 * @param text
 *   What is wrong, if it is; size bytes.
 * @return
 *   0 or -EINVAL.
 */
int swhca_wire_conf_finish(struct swhca_conf *conf, bool is_nb_given, char *text, size_t size);

/** Whether devices are to be plugged into links. */
bool swhca_wire_has_links(const struct swhca_conf *conf);

/** The text for one device (link.h: struct swhca_link_conf), of a configuration with links. */
void swhca_wire_device_text(const struct swhca_conf *conf, unsigned int index,
			    char text[static SWHCA_CONF_TEXT]);

#endif /* SWHCA_WIRE_CONF_H */
