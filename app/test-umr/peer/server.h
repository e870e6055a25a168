/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef PEER_SERVER_H
#define PEER_SERVER_H

/**
 * @file
 * Serving one client: see proto.h.
 */

#include "channel.h"
#include "tool/tool.h"

/**
 * Greet a client and do what it asks for on an open device, until it is gone or the channel is to
 * quit.
 *
 * @return
 *   Whether the client has left as it should; else why is said on stderr.
 */
bool peer_serve(struct channel *channel, int16_t dev_id);

#endif /* PEER_SERVER_H */
