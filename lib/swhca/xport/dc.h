/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_DC_H
#define SWHCA_DC_H

/**
 * @file
 * Dynamically connected transport: a target (DCT) answers whoever knows its access key; an
 * initiator (DCI) is a queue pair that names another target in every WQE.
 *
 * A DCI may have streams. A WQE belongs to one; if it ends in error then the others of its stream
 * are flushed until software resets the stream, and the other streams go on. The DCI itself goes
 * to error when as many streams as it was created for are.
 */

#include "mlx5_prm_dc.h"
#include "xport/xport.h"

/* Limits that QUERY_HCA_CAP reports and the commands enforce. */
#define SWHCA_LOG_MAX_DCT		16u
#define SWHCA_FIRST_DCT			0x40000u
#define SWHCA_LOG_MAX_DCI_STREAMS	7u
#define SWHCA_LOG_MAX_DCI_ERRORED	6u
#define SWHCA_NB_AV_QP_MAPPINGS		4096u

struct swhca_cmd;

struct swhca_dct {
	struct swhca_obj obj;
	struct swhca_obj *pd;
	struct swhca_cq *cq;
	struct swhca_srq *srq;
	enum prm_dct_state state;
	bool is_armed;			/**< A wrong key raises an event, once. */
	uint32_t nb_violations;		/**< Requests with a wrong key. */
	uint8_t dctc[PRM_DCTC_SIZE];	/**< As it was created. */
};

/** What a DCI knows of its streams. */
struct swhca_dci {
	uint32_t max_errored;		/**< So many streams in error put the DCI there. */
	uint32_t nb_errored;
	uint16_t errored[];		/**< Their numbers, max_errored entries. */
};

/* Targets: dct.c */
uint8_t swhca_cmd_create_dct(struct swhca_cmd *cmd);
uint8_t swhca_cmd_destroy_dct(struct swhca_cmd *cmd);
uint8_t swhca_cmd_drain_dct(struct swhca_cmd *cmd);
uint8_t swhca_cmd_query_dct(struct swhca_cmd *cmd);
uint8_t swhca_cmd_arm_dct(struct swhca_cmd *cmd);
void swhca_dct_fini(struct swhca_dct *dct);
/** Find the target that a WQE of a DCI names. @return As swhca_xport_find(). */
enum swhca_wqe_end swhca_dct_find(struct swhca_qp *qp, struct swhca_wqe *wqe,
				  struct swhca_responder *to);

/* Streams: dci.c */
/** Check what a new QP says about streams, and allocate them. */
uint8_t swhca_cmd_dci_init(struct swhca_cmd *cmd, struct swhca_qp *qp);
/** Whether the stream of a WQE is in error: the WQE is to be flushed. */
bool swhca_dci_is_errored(const struct swhca_qp *qp, const struct swhca_wqe *wqe);
/** A WQE ended in error. @return Whether that is an error of its stream alone. */
bool swhca_dci_take_error(struct swhca_qp *qp, const struct swhca_wqe *wqe);
/** RTS2RTS: whether a stream is in error, and take it out. */
uint8_t swhca_cmd_dci_stream_check(struct swhca_cmd *cmd, const struct swhca_qp *qp);
void swhca_dci_stream_reset(struct swhca_qp *qp, uint16_t stream);
/** The DCI is reset: no stream is in error. */
void swhca_dci_reset(struct swhca_qp *qp);

/* Mappings of addresses to the congestion control of QPs: av_map.c */
uint8_t swhca_av_map_create(struct swhca_cmd *cmd);
uint8_t swhca_av_map_query(struct swhca_cmd *cmd, const struct swhca_obj *obj);

#endif /* SWHCA_DC_H */
