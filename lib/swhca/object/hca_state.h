/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_HCA_STATE_H
#define SWHCA_HCA_STATE_H

/**
 * @file
 * State of an HCA.
 */

#include "base/pacer.h"
#include "base/timer.h"
#include "include/hca.h"
#include "include/quirk.h"
#include "object/fabric.h"
#include "object/function.h"
#include "object/inject_event.h"
#include "object/object.h"
#include "object/vport.h"

/** Entry of the GID table of a RoCE port. */
struct swhca_roce_addr {
	bool is_valid;
	uint8_t version;	/**< PRM_ROCE_VERSION_* */
	uint8_t l3_type;	/**< PRM_ROCE_L3_TYPE_* */
	uint8_t gid[16];
	uint8_t mac[6];
};

/** Number of entries of that table. */
#define SWHCA_NB_ROCE_ADDRS 32u

/** Queue pairs for management datagrams: subnet management, general services. */
#define SWHCA_NB_MAD_QPS 2u

/** Event types have 8 bits. */
#define SWHCA_NB_EVENT_TYPES 256u

/** Number of entries of the rate table; 0 is no limit. */
#define SWHCA_NB_RATES 128u

/** An entry of the rate table. */
struct swhca_rate {
	uint16_t uid;		/**< User context that may use it, or PRM_UID_SHARED. */
	struct swhca_pacer pacer;
};

/** Start of an absent range found by an access. */
struct swhca_absent {
	uint32_t key;		/**< Key of the translation. */
	uint64_t addr;		/**< In the address space of the key. */
	uint64_t len;		/**< Absent bytes of the access from there on. */
};

/** Page faults of a device that software resolves: queue/page_fault.h. */
struct swhca_page_faults {
	LIST_HEAD(, swhca_page_fault) pending;
	uint32_t last_token;
	bool by_memory;		/**< Events report memory faults, not queue faults. */
	struct swhca_absent absent;	/**< Result of the last translation. */
	uint32_t delay_us;	/**< Wait time although the page is present; 0: none. */
	bool has_due;		/**< Some pending faults may be resumed by time. */
};

struct swhca_hca {
	struct swhca_fabric *fabric;
	struct swhca_hca_conf conf;
	struct swhca_net *net;	/**< wire/conn: link and connections of the port, or NULL. */
	struct swhca_gsi *gsi;	/**< wire/conn: its management datagrams, or NULL. */
	bool is_failed;		/**< Removed from the bus, or in an internal error. */
	bool is_halted;		/**< No queue is executed, no CQE written. */
	bool is_port_down;	/**< Nothing is sent or received. */
	struct swhca_port_rate port_rate;
	uint64_t stall_end_ns;	/**< Halted until then; 0: not. */
	struct swhca_injects injects;	/**< Injected faults. */
	uint64_t fail_in;	/**< Commands until one is made to fail; 0: none. */
	uint8_t ib_gid[16];	/**< Entry 0 of the GID table of an InfiniBand port. */
	struct swhca_roce_addr roce_addrs[SWHCA_NB_ROCE_ADDRS];
	struct swhca_function function;	/**< State set by its driver. */
	/** Send frames of its port out of the fabric, or NULL: its link carries no frames. */
	void (*frame_out)(struct swhca_hca *hca, const uint8_t *frame, size_t len);
	struct swhca_vport vport;	/**< NIC state of its port. */
	const struct swhca_obj_class *classes;	/**< Object classes, by type. */
	struct swhca_table tables[SWHCA_NB_OBJ_TYPES];
	struct swhca_qp *mad_qps[SWHCA_NB_MAD_QPS];	/**< QPs of its driver, or NULL. */
	struct swhca_obj no_pd;	/**< For queues of the kernel without a PD; no key is in it. */
	int bar_fd;
	uint8_t *bar;
	size_t bar_size;
	struct swhca_timers timers;	/**< Pages that show the clock. */
	struct swhca_timer bar_timer;	/**< Clock page of the BAR. */
	LIST_HEAD(, swhca_uar) active_uars;
	LIST_HEAD(, swhca_odp) odps;	/**< Keys with on-demand paging. */
	uint64_t nb_xlt;		/**< Octowords of all keys. */
	uint32_t nb_flows;		/**< Groups and entries of all flow tables. */
	struct swhca_page_faults page_faults;
	LIST_HEAD(, swhca_mcg_member) mcg_members;
	LIST_HEAD(, swhca_cq) open_cqs;	/**< Hold back CQEs to compress them. */
	LIST_HEAD(, swhca_cq) due_cqs;	/**< Notification delayed by moderation. */
	LIST_HEAD(, swhca_cq) held_cqs;	/**< Contain delayed CQEs. */
	LIST_HEAD(, swhca_qp) late_qps;	/**< Have a delayed doorbell. */
	struct swhca_eq *event_eqs[SWHCA_NB_EVENT_TYPES]; /**< EQ of each event type. */
	bool is_credential_deleted;	/**< Logins and wrapped keys are invalid. */
	struct swhca_rate rates[SWHCA_NB_RATES];	/**< Entry 0 is no limit. */
	struct swhca_hca_stats stats;
	struct swhca_wire_stats no_set;	/**< Events of queues without a counter set. */
	LIST_ENTRY(swhca_hca) link;
};

/** Check whether it executes and completes nothing, permanently or temporarily. */
static inline bool
swhca_hca_is_still(const struct swhca_hca *hca)
{
	return hca->is_halted || hca->stall_end_ns != 0;
}

/** Check whether a device has a quirk: include/quirk.h. */
static inline bool
swhca_has_quirk(const struct swhca_hca *hca, enum swhca_quirk quirk)
{
	return (hca->conf.quirks >> quirk & 1) != 0;
}

#endif /* SWHCA_HCA_STATE_H */
