/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_ADDR_H
#define SWHCA_UCMA_ADDR_H

/**
 * @file
 * Socket addresses and routes: ports have the addresses of their GIDs, and no interface of the
 * kernel is queried (Linux: drivers/infiniband/core/addr.c).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/** End of a path. */
struct swhca_ucm_port {
	unsigned int dev;		/**< Index of its device. */
	uint8_t gid_index;
	uint8_t gid[16];
	uint16_t lid;			/**< 0 on Ethernet. */
};

/** Size of an address, 0: unknown family. */
size_t swhca_ucm_addr_len(const struct sockaddr_storage *addr);
/** Check for the unspecified address (0.0.0.0, ::). */
bool swhca_ucm_addr_is_zero(const struct sockaddr_storage *addr);
/** Check for that or a loopback address. */
bool swhca_ucm_addr_is_any(const struct sockaddr_storage *addr);
/** Check for 127.0.0.1 or ::1. */
bool swhca_ucm_addr_is_localhost(const struct sockaddr_storage *addr);
/** Compare addresses, ignoring ports. */
bool swhca_ucm_addr_is_same(const struct sockaddr_storage *a, const struct sockaddr_storage *b);
/** Port in host byte order; low bits of a service ID. */
uint16_t swhca_ucm_addr_port(const struct sockaddr_storage *addr);
void swhca_ucm_addr_set_port(struct sockaddr_storage *addr, uint16_t port);
/** The address as 16 bytes: IPv4 is mapped. */
void swhca_ucm_addr_raw(const struct sockaddr_storage *addr, uint8_t raw[16]);
/** Set the address from such bytes, with a family, keeping the port. */
void swhca_ucm_addr_set_raw(struct sockaddr_storage *addr, sa_family_t family,
			    const uint8_t raw[16]);

/** Find the own port that has an address. @return false: none. */
bool swhca_ucm_port_find(const struct sockaddr_storage *addr, struct swhca_ucm_port *port);
/** Find the own port from which an address is reached. @return false: none. */
bool swhca_ucm_port_nearest(const struct sockaddr_storage *addr, struct swhca_ucm_port *port);
/**
 * Find the first port with an address of the same family; on InfiniBand any. @return false: none.
 */
bool swhca_ucm_port_alike(const struct sockaddr_storage *addr, struct swhca_ucm_port *port);
/** The same for a GID of a device. */
bool swhca_ucm_port_of_gid(unsigned int dev, const uint8_t gid[16], struct swhca_ucm_port *port);
/** Get the port of a device, unless it is removed. */
bool swhca_ucm_port_of(unsigned int dev, struct swhca_ucm_port *port);
/** Address of a port as 16 bytes. */
void swhca_ucm_port_raw(const struct swhca_ucm_port *port, uint8_t raw[16]);

/**
 * Find the route to the address of a port.
 *
 * @param local
 *   Source, if "is_bound"; else written: the own port with the most similar address.
 * @param gid
 *   Written: of the peer, as is its LID.
 * @return
 *   0, -ENODEV (no own port), -EHOSTUNREACH (no port has the address).
 */
int swhca_ucm_way_find(const struct sockaddr_storage *to, bool is_bound,
		       struct swhca_ucm_port *local, uint8_t gid[16], uint16_t *lid);

#endif /* SWHCA_UCMA_ADDR_H */
