/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef PEER_SERVER_H
#define PEER_SERVER_H

/**
 * @file
 * Serve one client: see proto.h.
 */

#include "channel.h"
#include "tool/tool.h"

/**
 * Exchange greetings with a client and execute its requests on an open device until it disconnects
 * or the channel has to quit.
 *
 * @return
 *   Whether the client disconnected properly; otherwise an error was printed.
 */
bool peer_serve(struct channel *channel, int16_t dev_id);

#endif /* PEER_SERVER_H */
