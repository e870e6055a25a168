/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef GATHER_H
#define GATHER_H

/* What one process and two of them have in common. Functions return 0 or a negative errno. */

#include <stdbool.h>
#include <stdint.h>

#include <rte_umr.h>

#define QUEUE 0
#define TIMEOUT_S 60

/* The table, and room behind it for what is gathered. */
#define NB_ROWS 64u
#define ROW_LEN 256u
#define TABLE_LEN (NB_ROWS * ROW_LEN)
#define COLUMN_OFFSET 32u
#define COLUMN_LEN 16u

/* Memory of the peer. */
struct gather_remote {
	uint64_t addr;
	uint32_t rkey;
};

struct gather {
	uint8_t side; /* 1: the one of two processes that connects */
	int16_t dev_id;
	uint8_t *table;
	uint8_t *target;
	struct rte_umr_mr *mr;
	struct rte_umr_mkey_pool *pool;
	struct gather_remote remote; /* where rows go */
};

/* What is in the table of a side. */
static inline uint8_t
gather_byte(uint8_t side, uint32_t row, uint32_t i)
{
	return (uint8_t)(row * 7 + i + side * 101u);
}

/* Collect operations; one that fails is told, -EIO. */
int gather_collect(const struct gather *g, uint16_t nb);
/* Print what came of something, and return it. */
int gather_tell(const char *what, int ret);

/* Gather four rows into the peer's memory; see whether those of a side have come. */
int gather_rows_write(struct gather *g);
int gather_rows_check(struct gather *g, uint8_t side);

/* Enqueue: lay a key over a column; read through a key. As the functions of rte_umr. */
int gather_column_configure(struct gather *g, struct rte_umr_mkey *mkey);
int gather_read_through(struct gather *g, uint32_t rkey, uint32_t len);
int gather_column_check(const struct gather *g, uint8_t side);

/* Whether a text names the place of one of two processes, before a device is opened. */
int gather_where_check(const char *where, bool is_listener);
/* Be one of two processes: wait for the other one, or go to it. */
int gather_listen(struct gather *g, const char *where);
int gather_connect(struct gather *g, const char *where);

#endif
