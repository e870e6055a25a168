/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_H
#define SOAK_H

/**
 * @file
 * Two processes, queue pairs of every service between them, random work, and a ledger.
 *
 * The client asks: it writes, reads, sends, and changes words of the server's memory. It knows at
 * any time what the server's memory must hold, and in which order its requests must complete. The
 * server looks at what it receives: each message says who has sent it and which one it is.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

enum soak_service {
	SOAK_RC,
	SOAK_XRC,
	SOAK_DC,
	SOAK_UC,
	SOAK_UD,
	SOAK_NB,
};

#define SOAK_NB_SLOTS	32u
#define SOAK_SLOT	32768u
#define SOAK_MAX_SEND	8192u	/**< UD: 2048. */
#define SOAK_UD_SEND	2048u
#define SOAK_GRH	40u
#define SOAK_NB_RECV	64u
#define SOAK_DEPTH	16u	/**< Requests of a queue pair on their way. */
#define SOAK_DC_KEY	UINT64_C(0x50a4)
#define SOAK_QKEY	0x11111111u

/** What one end tells the other. */
struct soak_end {
	uint16_t lid;
	union ibv_gid gid;
	uint32_t qpn[SOAK_NB];	/**< XRC: of its target; DC: of the DCT. */
	uint32_t srqn;		/**< XRC */
	uint64_t addr;
	uint32_t rkey;
};

/** Memory of the server: for each service slots, then a word. */
struct soak_region {
	uint8_t slots[SOAK_NB][SOAK_NB_SLOTS][SOAK_SLOT];
	uint64_t words[SOAK_NB];
};

/** What the server counts. */
struct soak_received {
	uint64_t nb[SOAK_NB];
	uint64_t nb_bad;	/**< Corrupted, */
	uint64_t nb_lost;	/**< of reliable services: missing in the sequence, */
	uint64_t nb_double;	/**< there twice, */
	uint64_t nb_errors;	/**< completions with an error. */
};

/** Header of a message. */
struct soak_msg {
	uint32_t service;
	uint32_t len;		/**< With this. */
	uint64_t seq;
};

struct soak_device {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_xrcd *xrcd;
	struct ibv_srq *srq;	/**< Of XRC (server), */
	struct ibv_srq *dc_srq;	/**< of DC (server). */
	struct ibv_qp *qps[SOAK_NB];
	struct ibv_ah *ah;	/**< To the peer: UD, DC. */
	struct ibv_port_attr port;
	union ibv_gid gid;
	int gid_index;
	bool is_server;
};

static inline bool
soak_is_reliable(unsigned int service)
{
	return service <= SOAK_DC;
}

const char *soak_name(unsigned int service);
/** Bytes that only seed, service and number tell. */
void soak_pattern(uint8_t *dst, uint32_t len, uint32_t service, uint64_t number);
/** The next of random numbers. */
uint64_t soak_random(void);
uint64_t soak_now_ns(void);

/** Open the device and make its queues. @return false: said why. */
bool soak_device_open(struct soak_device *d, const char *name, bool is_server);
void soak_device_close(struct soak_device *d);
/** Connect them. */
bool soak_device_connect(struct soak_device *d, const struct soak_end *peer);
void soak_device_tell(const struct soak_device *d, struct soak_end *end);

/** Until the other end of fd says enough; then its counters go there. @return false: failed. */
bool soak_serve(struct soak_device *d, int fd);
/** For so long. @return false: something is lost, double, or not what it should be. */
bool soak_ask(struct soak_device *d, int fd, unsigned int seconds);

/** All bytes. @return false: the other end is gone. */
bool soak_put(int fd, const void *data, size_t len);
bool soak_get(int fd, void *data, size_t len);

#endif /* SOAK_H */
