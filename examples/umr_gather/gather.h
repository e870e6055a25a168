/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef GATHER_H
#define GATHER_H

/* Shared by the variants with one process and two. Functions return 0 or a negative errno. */

#include <stdbool.h>
#include <stdint.h>

#include <rte_umr.h>

#define QUEUE 0
#define TIMEOUT_S 60

/* The table, followed by room for gathered data. */
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
	uint8_t side; /* 1: the connecting process */
	int16_t dev_id;
	uint8_t *table;
	uint8_t *target;
	struct rte_umr_mr *mr;
	struct rte_umr_mkey_pool *pool;
	struct gather_remote remote; /* destination of rows */
};

/* Contents of the table of a side. */
static inline uint8_t
gather_byte(uint8_t side, uint32_t row, uint32_t i)
{
	return (uint8_t)(row * 7 + i + side * 101u);
}

/* Collect operations; a failure is printed, -EIO. */
int gather_collect(const struct gather *g, uint16_t nb);
/* Print the result of an action and return it. */
int gather_report(const char *what, int ret);

/* Gather four rows into the memory of the peer; check whether those of a side have arrived. */
int gather_rows_write(struct gather *g);
int gather_rows_check(struct gather *g, uint8_t side);

/* Enqueue: configure a key for a column; read through a key. Return as the functions of rte_umr. */
int gather_column_configure(struct gather *g, struct rte_umr_mkey *mkey);
int gather_read_through(struct gather *g, uint32_t rkey, uint32_t len);
int gather_column_check(const struct gather *g, uint8_t side);

/* Check the syntax of an address before a device is opened. */
int gather_where_check(const char *where, bool is_listener);
/* Run as one of two processes: wait for the other one, or connect to it. */
int gather_listen(struct gather *g, const char *where);
int gather_connect(struct gather *g, const char *where);

#endif
