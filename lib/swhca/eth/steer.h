/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ETH_STEER_H
#define SWHCA_ETH_STEER_H

/**
 * @file
 * Flow steering of received frames: tables, groups of entries with one mask, entries. The fabric
 * lock is held.
 *
 *	root table --> first entry that matches --> TIR, table of a higher level, or dropped
 *	           --> none matches: miss table, of a higher level, or dropped
 */

#include "eth/queue.h"

/* Limits, as the capability page of flow tables says them. */
#define SWHCA_LOG_MAX_FLOW_TABLES	10u
#define SWHCA_LOG_MAX_FLOW_TABLE_SIZE	16u
#define SWHCA_LOG_MAX_FLOWS		16u
#define SWHCA_MAX_FLOW_LEVEL		128u
#define SWHCA_LOG_MAX_FLOW_DESTS	2u
#define SWHCA_MAX_FLOW_DESTS		(1u << SWHCA_LOG_MAX_FLOW_DESTS)
/** log2 of the counters of an entry. */
#define SWHCA_LOG_MAX_FLOW_COUNTERS	0u

/** Where an entry sends frames; the number keeps an object of a type from being destroyed. */
struct swhca_flow_dest {
	enum swhca_obj_type type;	/**< SWHCA_OBJ_TIR or SWHCA_OBJ_FLOW_TABLE */
	uint32_t num;
};

struct swhca_flow_group {
	uint32_t start;			/**< Its entries: [start, end]. start is its number, too. */
	uint32_t end;
	uint32_t nb_entries;
	uint8_t enable;			/**< PRM_FLOW_CRITERIA_OUTER, or nothing is matched. */
	uint8_t mask[PRM_MATCH_OUTER_SIZE];
};

struct swhca_flow_entry {
	uint32_t index;
	uint32_t tag;
	uint16_t action;		/**< PRM_FLOW_ACTION_* */
	uint8_t nb_dests;
	struct swhca_flow_dest dests[SWHCA_MAX_FLOW_DESTS];
	struct swhca_flow_counter *counter;	/**< Or NULL. */
	struct swhca_flow_group *group;
	uint8_t value[PRM_MATCH_OUTER_SIZE];	/**< Under the mask of its group. */
};

struct swhca_flow_table {
	struct swhca_obj obj;
	uint8_t level;
	uint8_t log_size;
	uint32_t miss;			/**< Number of the table for what none matches, or 0. */
	uint32_t nb_groups;
	uint32_t max_groups;		/**< Room in the array, as below. */
	uint32_t nb_entries;
	uint32_t max_entries;
	struct swhca_flow_group **groups;	/**< In order of where they begin. */
	struct swhca_flow_entry **entries;	/**< In order of their indices. */
	uint8_t ctx[PRM_FTC_SIZE];
};

/** What frames that match an entry are counted in. */
struct swhca_flow_counter {
	struct swhca_obj obj;
	uint64_t nb_packets;
	uint64_t nb_bytes;
};

struct swhca_frame;

/** A frame has come to a port: bring it where the tables say. */
void swhca_steer_receive(struct swhca_hca *hca, const struct swhca_frame *frame, bool is_self);

/** Whether a device may have one more group or entry (struct swhca_hca_conf: max_flows). */
bool swhca_flow_has_room(const struct swhca_hca *hca);

struct swhca_flow_group *swhca_flow_group_find(const struct swhca_flow_table *table, uint32_t num);
/** The group that has one of the entries [start, end], or NULL. */
struct swhca_flow_group *swhca_flow_group_overlap(const struct swhca_flow_table *table,
						  uint32_t start, uint32_t end);
/** Add a group that overlaps none, for which there is room. @return 0, or -ENOMEM. */
int swhca_flow_group_insert(struct swhca_hca *hca, struct swhca_flow_table *table,
			    struct swhca_flow_group *group);
/** Take a group without entries out and free it. */
void swhca_flow_group_destroy(struct swhca_hca *hca, struct swhca_flow_table *table,
			      struct swhca_flow_group *group);

struct swhca_flow_entry *swhca_flow_entry_find(const struct swhca_flow_table *table,
					       uint32_t index);
/** Put an entry where its index says; there is none with it, and room. @return 0, or -ENOMEM. */
int swhca_flow_entry_insert(struct swhca_hca *hca, struct swhca_flow_table *table,
			    struct swhca_flow_entry *entry);
/** Count, or do not any more, the references that an entry holds. */
void swhca_flow_entry_ref(struct swhca_hca *hca, const struct swhca_flow_entry *entry);
void swhca_flow_entry_unref(struct swhca_hca *hca, const struct swhca_flow_entry *entry);
/** Take an entry out and free it. */
void swhca_flow_entry_destroy(struct swhca_hca *hca, struct swhca_flow_table *table,
			      struct swhca_flow_entry *entry);
/** Let a table lead elsewhere what none of its entries matches; 0: nowhere. */
void swhca_flow_table_set_miss(struct swhca_hca *hca, struct swhca_flow_table *table,
			       uint32_t miss);
void swhca_flow_table_fini(struct swhca_hca *hca, struct swhca_obj *obj);

#endif /* SWHCA_ETH_STEER_H */
