/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SOAK_H
#define SOAK_H

/**
 * @file
 * Two processes with queue pairs of every service between them, random operations, and a ledger.
 *
 * The client writes, reads, sends, and changes words in the memory of the server. It always knows
 * the contents of that memory and the order of completions. The server checks received messages:
 * each contains its sender and number.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

enum soak_service { SOAK_RC, SOAK_XRC, SOAK_DC, SOAK_UC, SOAK_UD, SOAK_NB };

#define SOAK_NB_SLOTS	32u
#define SOAK_SLOT	32768u
#define SOAK_MAX_SEND	8192u	/**< UD: 2048. */
#define SOAK_UD_SEND	2048u
#define SOAK_GRH	40u
#define SOAK_NB_RECV	64u
#define SOAK_DEPTH	16u	/**< Outstanding requests of a queue pair. */
#define SOAK_DC_KEY	UINT64_C(0x50a4)
#define SOAK_QKEY	0x11111111u

/** Information for the other end. */
struct soak_end {
	uint16_t lid;
	union ibv_gid gid;
	uint32_t qpn[SOAK_NB];	/**< XRC: of its target; DC: of the DCT. */
	uint32_t srqn;		/**< XRC */
	uint64_t addr;
	uint32_t rkey;
};

/** Memory of the server: slots for each service, followed by a word. */
struct soak_region {
	uint8_t slots[SOAK_NB][SOAK_NB_SLOTS][SOAK_SLOT];
	uint64_t words[SOAK_NB];
};

/** Counters of the server. */
struct soak_received {
	uint64_t nb[SOAK_NB];
	uint64_t nb_bad;	/**< Corrupted. */
	uint64_t nb_lost;	/**< Missing in the sequence of a reliable service. */
	uint64_t nb_double;	/**< Duplicated. */
	uint64_t nb_errors;	/**< Error completions. */
};

/** Header of a message. */
struct soak_msg {
	uint32_t service;
	uint32_t len;		/**< Including this header. */
	uint64_t seq;
};

struct soak_device {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_xrcd *xrcd;
	struct ibv_srq *srq;	/**< Of XRC (server). */
	struct ibv_srq *dc_srq;	/**< Of DC (server). */
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
/** Bytes that depend only on seed, service and number. */
void soak_pattern(uint8_t *dst, uint32_t len, uint32_t service, uint64_t number);
/** Next random number. */
uint64_t soak_random(void);
uint64_t soak_now_ns(void);

/** Open the device and create its queues. @return False after an error was printed. */
bool soak_device_open(struct soak_device *d, const char *name, bool is_server);
void soak_device_close(struct soak_device *d);
/** Connect the queues. */
bool soak_device_connect(struct soak_device *d, const struct soak_end *peer);
void soak_device_tell(const struct soak_device *d, struct soak_end *end);

/**
 * Serve until the other end of fd requests the end, then send the counters. @return False: failed.
 */
bool soak_serve(struct soak_device *d, int fd);
/** Run for some seconds. @return False: a message is lost, duplicated or wrong. */
bool soak_ask(struct soak_device *d, int fd, unsigned int seconds);

/** Send all bytes. @return False: the other end is gone. */
bool soak_put(int fd, const void *data, size_t len);
bool soak_get(int fd, void *data, size_t len);

#endif /* SOAK_H */
