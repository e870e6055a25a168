/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_ID_H
#define SWHCA_UCMA_ID_H

/**
 * @file
 * Communication identifiers: the kernel's state of each struct rdma_cm_id of a program (Linux:
 * struct ucma_context, struct rdma_id_private).
 *
 * One lock guards all of them, with their files and events. MADs sent while it is held are
 * transmitted when it is released, as the device may deliver them in the same call.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/socket.h>

#include "front/cm/cm_conn.h"
#include "front/ucma/ucma_abi.h"
#include "front/ucma/addr.h"

struct swhca_ucm_file;
struct swhca_udev;

enum swhca_ucm_state {
	SWHCA_UCM_IDLE,
	SWHCA_UCM_BOUND,		/**< Has an address. */
	SWHCA_UCM_ADDR_RESOLVED,	/**< The peer's address is resolved. */
	SWHCA_UCM_ROUTE_RESOLVED,	/**< The route is resolved. */
	SWHCA_UCM_LISTEN,
	SWHCA_UCM_CONNECT,		/**< Connecting or connected. */
	SWHCA_UCM_DISCONNECT,
};

/** Membership in a multicast group. */
struct swhca_ucm_mc {
	LIST_ENTRY(swhca_ucm_mc) link;
	struct swhca_ucm_id *id;
	uint32_t handle;
	uint64_t uid;
	uint32_t nb_reported;
};

struct swhca_ucm_id {
	LIST_ENTRY(swhca_ucm_id) link;	/**< In the list of all. */
	struct swhca_ucm_file *file;
	uint32_t handle;
	uint64_t uid;			/**< Identifier in the program; 0: none yet. */
	uint32_t nb_reported;		/**< Events read. */
	uint16_t ps;			/**< enum rdma_ucm_port_space */
	uint8_t qp_type;
	enum swhca_ucm_state state;
	struct sockaddr_storage src;
	struct sockaddr_storage dst;
	bool has_port;			/**< In the port space. */
	bool may_reuse;
	bool is_family_only;
	bool is_family_only_set;
	uint8_t tos;
	uint8_t ack_timeout;
	bool has_ack_timeout;
	/* Path. */
	struct swhca_udev *dev;		/**< NULL: not bound. */
	bool is_removed;		/**< Its device is gone: it can only be destroyed. */
	struct swhca_ucm_port local;
	uint8_t dgid[16];
	uint16_t dlid;
	bool has_route;
	uint8_t path_mtu;		/**< Of the route, like the next ones. */
	uint8_t hop_limit;
	uint8_t packet_life_time;
	/* Listening. */
	uint32_t backlog;
	uint32_t nb_requests;		/**< Waiting to be read. */
	bool is_request;		/**< It is a request; file: the listener's. */
	/* Connection. */
	struct swhca_cm_conn conn;
	bool has_conn;
	uint64_t probe_ns;		/**< Time of the next check of the peer (alive.c). */
	int last_word;			/**< From 1, see base/last_words.h; 0: none. */
	uint32_t qpn;
	uint32_t seq_num;		/**< Initial receive PSN of its queue pair. */
	uint32_t qkey;
	bool is_srq;
	LIST_HEAD(, swhca_ucm_mc) groups;
};

LIST_HEAD(swhca_ucm_ids, swhca_ucm_id);
/** All identifiers; the lock is held. */
extern struct swhca_ucm_ids swhca_ucm_ids;

void swhca_ucm_lock(void);
/** Release the lock, and send the pending MADs. */
void swhca_ucm_unlock(void);
/** In the child of fork(2): all of it belongs to the parent. */
void swhca_ucm_forget(void);
/** Fill a MAD from an identifier's port to that of its peer. */
void swhca_ucm_mad_fill(struct swhca_mad *mad, const struct swhca_udev *dev,
			const uint8_t sgid[16], const uint8_t dgid[16],
			const uint8_t data[SWHCA_MAD_LEN]);
/** Send a MAD of a device when the lock is released. Without memory it is lost. */
void swhca_ucm_mad_post(struct swhca_udev *dev, const uint8_t sgid[16], const uint8_t dgid[16],
			const uint8_t data[SWHCA_MAD_LEN]);

/* The functions below require the lock. */

/** Create an identifier with a handle. @return NULL: no memory. */
struct swhca_ucm_id *swhca_ucm_id_create(struct swhca_ucm_file *file, uint16_t ps,
					 uint8_t qp_type, uint64_t uid);
/** Destroy it with its requests, groups, and unread events; peers are notified. */
void swhca_ucm_id_destroy(struct swhca_ucm_id *id);
/** Find an identifier by handle. @return 0, -ENOENT, -EINVAL (of another file). */
int swhca_ucm_id_find(const struct swhca_ucm_file *file, uint32_t handle,
		      struct swhca_ucm_id **id);
/** The same for use. @return As above, or -EIO: its device is gone. */
int swhca_ucm_id_get(const struct swhca_ucm_file *file, uint32_t handle,
		     struct swhca_ucm_id **id);
/** Find a membership by handle. @return As above. */
int swhca_ucm_mc_get(const struct swhca_ucm_file *file, uint32_t handle,
		     struct swhca_ucm_mc **mc);
/** Allocate a handle of any type. */
uint32_t swhca_ucm_handle_next(void);
void swhca_ucm_mc_destroy(struct swhca_ucm_mc *mc);

/** Bind it to a device. @return 0, or a negative errno: there is none. */
int swhca_ucm_id_attach(struct swhca_ucm_id *id, const struct swhca_ucm_port *local);
/** Initialize a connection, or the resolution for datagrams. */
void swhca_ucm_conn_create(struct swhca_ucm_id *id);
/** Set the Q_Key; 0: default of the port space. @return 0 or -EINVAL: it has another one. */
int swhca_ucm_qkey_set(struct swhca_ucm_id *id, uint32_t qkey);
/** Service ID of an address in a port space (IBTA annex A11; cma.c: rdma_get_service_id()). */
uint64_t swhca_ucm_service_id(const struct swhca_ucm_id *id, const struct sockaddr_storage *addr);

#endif /* SWHCA_UCMA_ID_H */
