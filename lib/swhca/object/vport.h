/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_VPORT_H
#define SWHCA_OBJECT_VPORT_H

/**
 * @file
 * The port of a function as a NIC has it: addresses, modes, counters. The fabric lock guards it.
 */

#include <stdbool.h>
#include <stdint.h>

/** Bytes of an Ethernet address. */
#define SWHCA_MAC_LEN 6u

/* log2 of the entries of the lists. */
#define SWHCA_LOG_MAX_UC_LIST	7u
#define SWHCA_LOG_MAX_MC_LIST	9u
#define SWHCA_LOG_MAX_VLAN_LIST	9u

/** Frames that one end of a port has seen, by the kind of their destination. */
struct swhca_frame_counters {
	uint64_t nb_unicast;
	uint64_t nb_multicast;
	uint64_t nb_broadcast;
	uint64_t nb_unicast_bytes;
	uint64_t nb_multicast_bytes;
	uint64_t nb_broadcast_bytes;
};

/** Each counter is monotonic; a reset of the function begins anew. */
struct swhca_eth_counters {
	struct swhca_frame_counters tx;
	struct swhca_frame_counters rx;	/**< For this port, whatever became of them. */
	uint64_t tx_port_down;		/**< Dropped: the port was down. */
	uint64_t rx_port_down;		/**< The same of frames that came. */
	uint64_t rx_too_long;		/**< Dropped: longer than the MTU. */
	uint64_t rx_steer_missed;	/**< Dropped: no entry of a flow table matched. */
	uint64_t rx_steer_dropped;	/**< Dropped by an entry that says so. */
	uint64_t rx_self;		/**< Dropped: from the port itself. */
	uint64_t rx_no_queue;		/**< Dropped: the receive queue is not ready. */
	uint64_t rx_out_of_buffer;	/**< Dropped: it had no WQE. */
	uint64_t rx_errors;		/**< A WQE could not take the frame: CQE with an error. */
};

struct swhca_vport {
	uint8_t mac[SWHCA_MAC_LEN];
	uint16_t mtu;			/**< Bytes of a frame with its check sequence. */
	uint16_t port_mtu;		/**< The same of the cable: only remembered. */
	bool is_roce_enabled;
	bool is_promisc_uc;
	bool is_promisc_mc;
	bool is_promisc_all;
	bool is_admin_down;		/**< Software wants the link to be down. */
	uint16_t nb_uc;
	uint16_t nb_mc;
	uint16_t nb_vlans;
	uint8_t uc[1u << SWHCA_LOG_MAX_UC_LIST][SWHCA_MAC_LEN];
	uint8_t mc[1u << SWHCA_LOG_MAX_MC_LIST][SWHCA_MAC_LEN];
	uint16_t vlans[1u << SWHCA_LOG_MAX_VLAN_LIST];	/**< Only remembered: tables filter. */
	uint32_t root_table;		/**< Flow table that frames meet first; 0: none. */
	struct swhca_eth_counters counters;
};

#endif /* SWHCA_OBJECT_VPORT_H */
