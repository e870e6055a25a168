/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_ADDR_H
#define SWHCA_UCMA_ADDR_H

/**
 * @file
 * Socket addresses, and where they lead: ports have the addresses that their GIDs stand for, no
 * interface of the kernel is asked (Linux: drivers/infiniband/core/addr.c).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/** An end of a path. */
struct swhca_ucm_port {
	unsigned int dev;		/**< Device that it is of. */
	uint8_t gid_index;
	uint8_t gid[16];
	uint16_t lid;			/**< 0 on Ethernet. */
};

/** Length of an address, 0: of no family that is known. */
size_t swhca_ucm_addr_len(const struct sockaddr_storage *addr);
/** Is it no address (0.0.0.0, ::)? */
bool swhca_ucm_addr_is_zero(const struct sockaddr_storage *addr);
/** Is it that, or one of the loopback interface? */
bool swhca_ucm_addr_is_any(const struct sockaddr_storage *addr);
/** Is it 127.0.0.1 or ::1? */
bool swhca_ucm_addr_is_localhost(const struct sockaddr_storage *addr);
/** The same address, whatever the ports? */
bool swhca_ucm_addr_is_same(const struct sockaddr_storage *a, const struct sockaddr_storage *b);
/** Port, host byte order; low bits of a service ID. */
uint16_t swhca_ucm_addr_port(const struct sockaddr_storage *addr);
void swhca_ucm_addr_set_port(struct sockaddr_storage *addr, uint16_t port);
/** The address as 16 bytes: IPv4 is mapped. */
void swhca_ucm_addr_raw(const struct sockaddr_storage *addr, uint8_t raw[16]);
/** Make one of a family, with the port that it had, of such bytes. */
void swhca_ucm_addr_set_raw(struct sockaddr_storage *addr, sa_family_t family,
			    const uint8_t raw[16]);

/** Own port that has an address. @return false: none. */
bool swhca_ucm_port_find(const struct sockaddr_storage *addr, struct swhca_ucm_port *port);
/** Own port from which an address is reached. @return false: none. */
bool swhca_ucm_port_nearest(const struct sockaddr_storage *addr, struct swhca_ucm_port *port);
/** The first port that has an address of the same kind; on InfiniBand any. @return false: none. */
bool swhca_ucm_port_alike(const struct sockaddr_storage *addr, struct swhca_ucm_port *port);
/** The same for a GID of a device. */
bool swhca_ucm_port_of_gid(unsigned int dev, const uint8_t gid[16], struct swhca_ucm_port *port);
/** The port of a device, if it is not removed. */
bool swhca_ucm_port_of(unsigned int dev, struct swhca_ucm_port *port);
/** Its address as 16 bytes. */
void swhca_ucm_port_raw(const struct swhca_ucm_port *port, uint8_t raw[16]);

/**
 * Find the way to an address of a port.
 *
 * @param local
 *   Where it begins, if "is_bound"; else written: the own port whose address is most like it.
 * @param gid
 *   Written: of the peer. So is its LID.
 * @return
 *   0, -ENODEV (no own port), -EHOSTUNREACH (nobody has the address).
 */
int swhca_ucm_way_find(const struct sockaddr_storage *to, bool is_bound,
		       struct swhca_ucm_port *local, uint8_t gid[16], uint16_t *lid);

#endif /* SWHCA_UCMA_ADDR_H */
