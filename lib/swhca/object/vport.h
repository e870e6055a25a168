/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_VPORT_H
#define SWHCA_OBJECT_VPORT_H

/**
 * @file
 * NIC state of the port of a function: addresses, modes, counters. The fabric lock guards it.
 */

#include <stdbool.h>
#include <stdint.h>

/** Bytes of an Ethernet address. */
#define SWHCA_MAC_LEN 6u

/* log2 of the sizes of the lists. */
#define SWHCA_LOG_MAX_UC_LIST	7u
#define SWHCA_LOG_MAX_MC_LIST	9u
#define SWHCA_LOG_MAX_VLAN_LIST	9u

/** Frames at one end of a port, by the kind of their destination. */
struct swhca_frame_counters {
	uint64_t nb_unicast;
	uint64_t nb_multicast;
	uint64_t nb_broadcast;
	uint64_t nb_unicast_bytes;
	uint64_t nb_multicast_bytes;
	uint64_t nb_broadcast_bytes;
};

/** Monotonic counters; a reset of the function clears them. */
struct swhca_eth_counters {
	struct swhca_frame_counters tx;
	struct swhca_frame_counters rx;	/**< For this port, including dropped ones. */
	uint64_t tx_port_down;		/**< Dropped: the port was down. */
	uint64_t rx_port_down;		/**< Dropped on receive: the port was down. */
	uint64_t rx_too_long;		/**< Dropped: longer than the MTU. */
	uint64_t rx_steer_missed;	/**< Dropped: no entry of a flow table matched. */
	uint64_t rx_steer_dropped;	/**< Dropped by the action of an entry. */
	uint64_t rx_self;		/**< Dropped: from the port itself. */
	uint64_t rx_no_queue;		/**< Dropped: the receive queue is not ready. */
	uint64_t rx_out_of_buffer;	/**< Dropped: no receive WQE. */
	uint64_t rx_errors;		/**< The frame does not fit the WQE: CQE with an error. */
};

struct swhca_vport {
	uint8_t mac[SWHCA_MAC_LEN];
	uint16_t mtu;			/**< Frame bytes including the check sequence. */
	uint16_t port_mtu;		/**< The same for the cable: only stored. */
	bool is_roce_enabled;
	bool is_promisc_uc;
	bool is_promisc_mc;
	bool is_promisc_all;
	bool is_admin_down;		/**< Software sets the link down. */
	uint16_t nb_uc;
	uint16_t nb_mc;
	uint16_t nb_vlans;
	uint8_t uc[1u << SWHCA_LOG_MAX_UC_LIST][SWHCA_MAC_LEN];
	uint8_t mc[1u << SWHCA_LOG_MAX_MC_LIST][SWHCA_MAC_LEN];
	uint16_t vlans[1u << SWHCA_LOG_MAX_VLAN_LIST];	/**< Only stored: tables filter. */
	uint32_t root_table;		/**< First flow table for frames; 0: none. */
	struct swhca_eth_counters counters;
};

struct swhca_hca;

/** Set the vport of a function to its state after reset. */
void swhca_vport_init(struct swhca_hca *hca);

#endif /* SWHCA_OBJECT_VPORT_H */
