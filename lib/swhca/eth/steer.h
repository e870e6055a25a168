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

#include "eth/eth_queue.h"

/* Limits, as in the capability page of flow tables. */
#define SWHCA_LOG_MAX_FLOW_TABLES	10u
#define SWHCA_LOG_MAX_FLOW_TABLE_SIZE	16u
#define SWHCA_LOG_MAX_FLOWS		16u
#define SWHCA_MAX_FLOW_LEVEL		128u
#define SWHCA_LOG_MAX_FLOW_DESTS	2u
#define SWHCA_MAX_FLOW_DESTS		(1u << SWHCA_LOG_MAX_FLOW_DESTS)
/** log2 of the number of counters of an entry. */
#define SWHCA_LOG_MAX_FLOW_COUNTERS	0u

/** Destination of an entry; its number prevents the destruction of an object of that type. */
struct swhca_flow_dest {
	enum swhca_obj_type type;	/**< SWHCA_OBJ_TIR or SWHCA_OBJ_FLOW_TABLE */
	uint32_t num;
};

struct swhca_flow_group {
	uint32_t start;			/**< Its entries: [start, end]. start is also its number. */
	uint32_t end;
	uint32_t nb_entries;
	uint8_t enable;			/**< PRM_FLOW_CRITERIA_OUTER, or 0: the mask is 0. */
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
	uint32_t miss;			/**< Number of the miss table, or 0. */
	uint32_t nb_groups;
	uint32_t max_groups;		/**< Capacity of the array, as below. */
	uint32_t nb_entries;
	uint32_t max_entries;
	struct swhca_flow_group **groups;	/**< Ordered by start. */
	struct swhca_flow_entry **entries;	/**< Ordered by index. */
	struct swhca_flow_entry **by_match;	/**< The same by mask, value and index. */
	uint8_t ctx[PRM_FTC_SIZE];
};

/** Counter of frames that match an entry. */
struct swhca_flow_counter {
	struct swhca_obj obj;
	uint64_t nb_packets;
	uint64_t nb_bytes;
};

struct swhca_frame;

/** Steer a frame received by a port. */
void swhca_steer_receive(struct swhca_hca *hca, const struct swhca_frame *frame, bool is_self);

/** Check whether a device may have another group or entry (struct swhca_hca_conf: max_flows). */
bool swhca_flow_has_room(const struct swhca_hca *hca);

struct swhca_flow_group *swhca_flow_group_find(const struct swhca_flow_table *table, uint32_t num);
/** Find a group that contains any of the entries [start, end], or NULL. */
struct swhca_flow_group *swhca_flow_group_overlap(const struct swhca_flow_table *table,
						  uint32_t start, uint32_t end);
/** Add a group that does not overlap others and fits. @return 0, or -ENOMEM. */
int swhca_flow_group_insert(struct swhca_hca *hca, struct swhca_flow_table *table,
			    struct swhca_flow_group *group);
/** Remove and free a group without entries. */
void swhca_flow_group_destroy(struct swhca_hca *hca, struct swhca_flow_table *table,
			      struct swhca_flow_group *group);

struct swhca_flow_entry *swhca_flow_entry_find(const struct swhca_flow_table *table,
					       uint32_t index);
/** Insert an entry with an unused index that fits. @return 0, or -ENOMEM. */
int swhca_flow_entry_insert(struct swhca_hca *hca, struct swhca_flow_table *table,
			    struct swhca_flow_entry *entry);
/** Take or drop the references of an entry. */
void swhca_flow_entry_ref(struct swhca_hca *hca, const struct swhca_flow_entry *entry);
void swhca_flow_entry_unref(struct swhca_hca *hca, const struct swhca_flow_entry *entry);
/** Remove and free an entry. */
void swhca_flow_entry_destroy(struct swhca_hca *hca, struct swhca_flow_table *table,
			      struct swhca_flow_entry *entry);
/** Set the miss table of a table; 0: none. */
void swhca_flow_table_set_miss(struct swhca_hca *hca, struct swhca_flow_table *table,
			       uint32_t miss);
void swhca_flow_table_fini(struct swhca_hca *hca, struct swhca_obj *obj);

#endif /* SWHCA_ETH_STEER_H */
