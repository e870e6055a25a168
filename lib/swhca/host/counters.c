/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "host/counters.h"

/* IBTA volume 1, 16.1.3.5: data is counted in units of four octets. */
#define OCTETS_PER_UNIT 4u

/*
 * Events that cannot occur: links have no symbols, there are no switch buffers or congestion
 * control.
 */
static uint64_t
never(const struct swhca_wire_stats *stats)
{
	(void)stats;
	return 0;
}

#define VALUE(name, expression)                                                                    \
	static uint64_t name(const struct swhca_wire_stats *s)                                     \
	{                                                                                          \
		return expression;                                                                 \
	}

VALUE(xmit_data, s->nb_bytes_sent / OCTETS_PER_UNIT)
VALUE(rcv_data, s->nb_bytes_received / OCTETS_PER_UNIT)
VALUE(xmit_packets, s->nb_sent)
VALUE(rcv_packets, s->nb_received)
VALUE(unicast_xmit_packets, s->nb_sent - s->nb_multicast_sent)
VALUE(unicast_rcv_packets, s->nb_received - s->nb_multicast_received)
VALUE(multicast_xmit_packets, s->nb_multicast_sent)
VALUE(multicast_rcv_packets, s->nb_multicast_received)
VALUE(xmit_discards, s->nb_send_errors)
VALUE(rcv_errors, s->nb_malformed + s->rx_icrc_encapsulated)
VALUE(rcv_constraint_errors, s->nb_bad_pkeys)
VALUE(link_downed, s->nb_link_downed)

const struct swhca_counter swhca_port_counters[] = {
	{ "symbol_error", never },
	{ "link_error_recovery", never },
	{ "link_downed", link_downed },
	{ "port_rcv_errors", rcv_errors },
	{ "port_rcv_remote_physical_errors", never },
	{ "port_rcv_switch_relay_errors", never },
	{ "port_xmit_discards", xmit_discards },
	{ "port_xmit_constraint_errors", never },
	{ "port_rcv_constraint_errors", rcv_constraint_errors },
	{ "local_link_integrity_errors", never },
	{ "excessive_buffer_overrun_errors", never },
	{ "VL15_dropped", never },
	{ "port_xmit_data", xmit_data },
	{ "port_rcv_data", rcv_data },
	{ "port_xmit_packets", xmit_packets },
	{ "port_rcv_packets", rcv_packets },
	{ "port_xmit_wait", never },
	{ "unicast_xmit_packets", unicast_xmit_packets },
	{ "unicast_rcv_packets", unicast_rcv_packets },
	{ "multicast_xmit_packets", multicast_xmit_packets },
	{ "multicast_rcv_packets", multicast_rcv_packets },
};

const size_t swhca_nb_port_counters = sizeof(swhca_port_counters) / sizeof(swhca_port_counters[0]);

#define QUEUE_VALUE(name) VALUE(name, s->name)

QUEUE_VALUE(rx_write_requests)
QUEUE_VALUE(rx_read_requests)
QUEUE_VALUE(rx_atomic_requests)
QUEUE_VALUE(rx_dct_connect)
QUEUE_VALUE(out_of_buffer)
QUEUE_VALUE(out_of_sequence)
QUEUE_VALUE(duplicate_request)
QUEUE_VALUE(rnr_nak_retry_err)
QUEUE_VALUE(packet_seq_err)
QUEUE_VALUE(implied_nak_seq_err)
QUEUE_VALUE(local_ack_timeout_err)
QUEUE_VALUE(resp_local_length_error)
QUEUE_VALUE(resp_cqe_error)
QUEUE_VALUE(req_cqe_error)
QUEUE_VALUE(req_remote_invalid_request)
QUEUE_VALUE(req_remote_access_errors)
QUEUE_VALUE(resp_remote_access_errors)
QUEUE_VALUE(resp_cqe_flush_error)
QUEUE_VALUE(req_cqe_flush_error)
QUEUE_VALUE(req_transport_retries_exceeded)
QUEUE_VALUE(req_rnr_retries_exceeded)
QUEUE_VALUE(rx_icrc_encapsulated)

/* In the order of mlx5_ib. */
const struct swhca_counter swhca_hw_counters[] = {
	{ "rx_write_requests", rx_write_requests },
	{ "rx_read_requests", rx_read_requests },
	{ "rx_atomic_requests", rx_atomic_requests },
	{ "rx_dct_connect", rx_dct_connect },
	{ "out_of_buffer", out_of_buffer },
	{ "out_of_sequence", out_of_sequence },
	{ "duplicate_request", duplicate_request },
	{ "rnr_nak_retry_err", rnr_nak_retry_err },
	{ "packet_seq_err", packet_seq_err },
	{ "implied_nak_seq_err", implied_nak_seq_err },
	{ "local_ack_timeout_err", local_ack_timeout_err },
	{ "resp_local_length_error", resp_local_length_error },
	{ "resp_cqe_error", resp_cqe_error },
	{ "req_cqe_error", req_cqe_error },
	{ "req_remote_invalid_request", req_remote_invalid_request },
	{ "req_remote_access_errors", req_remote_access_errors },
	{ "resp_remote_access_errors", resp_remote_access_errors },
	{ "resp_cqe_flush_error", resp_cqe_flush_error },
	{ "req_cqe_flush_error", req_cqe_flush_error },
	{ "req_transport_retries_exceeded", req_transport_retries_exceeded },
	{ "req_rnr_retries_exceeded", req_rnr_retries_exceeded },
	{ "roce_adp_retrans", never },
	{ "roce_adp_retrans_to", never },
	{ "roce_slow_restart", never },
	{ "roce_slow_restart_cnps", never },
	{ "roce_slow_restart_trans", never },
	{ "rp_cnp_ignored", never },
	{ "rp_cnp_handled", never },
	{ "np_ecn_marked_roce_packets", never },
	{ "np_cnp_sent", never },
	{ "rx_icrc_encapsulated", rx_icrc_encapsulated },
};

const size_t swhca_nb_hw_counters = sizeof(swhca_hw_counters) / sizeof(swhca_hw_counters[0]);

const struct swhca_counter *
swhca_counter_find(const struct swhca_counter *counters, size_t nb, const char *name)
{
	size_t i;

	for (i = 0; i < nb; i++) {
		if (strcmp(counters[i].name, name) == 0)
			return &counters[i];
	}
	return NULL;
}
