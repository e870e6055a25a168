/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CONF_H
#define SWHCA_CONF_H

/**
 * @file
 * User configuration: one table for the options of swhca-run and the environment variables that
 * pass them to the program.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/hca.h"

/** Maximum number of devices of a process. */
#define SWHCA_MAX_DEVICES 8u

/** Maximum size of an option's text, including its end. */
#define SWHCA_CONF_TEXT 512

/** Values of the options; zero in a limit means the default of the model. */
struct swhca_conf {
	unsigned int nb_devices;
	unsigned int log;		/**< enum swhca_log_level */
	unsigned int is_uar_static;
	unsigned int model;		/**< enum swhca_model */
	unsigned int link_layer;	/**< enum swhca_link_layer */
	unsigned int has_wrapped_keys;	/**< --crypto wrapped */
	unsigned int is_fork_unsafe;	/**< --no-copy-on-fork */
	unsigned int is_ack_only;
	unsigned int is_strict;
	unsigned int has_memlock;	/**< --memlock */
	unsigned int needs_strong_fence;
	unsigned int stale_region;	/**< enum swhca_stale */
	unsigned int log_max_klm;
	unsigned int max_indirection;
	unsigned int log_max_qp;
	unsigned int log_max_qp_sz;
	unsigned int log_max_cq;
	unsigned int log_max_cq_sz;
	unsigned int log_max_mkey;
	unsigned int log_max_uar;
	char wire[SWHCA_CONF_TEXT];	/**< Empty: only devices of the process reach each other. */
	char impair[SWHCA_CONF_TEXT];	/**< Or empty. */
	char capture[SWHCA_CONF_TEXT];	/**< File, or empty. */
	char fault[SWHCA_CONF_TEXT];	/**< Data path faults (host/inject_text.h), or empty. */
	char quirk[SWHCA_CONF_TEXT];	/**< Names, or empty. */
};

/** An option: a number in [min, max], one of some words, or a text. */
struct swhca_option {
	const char *name;		/**< After "--". */
	char letter;			/**< After "-"; 0: none. */
	const char *arg;		/**< Name of its value; NULL: a flag. */
	const char *env;
	const char *help;		/**< Help lines, without the values and the default. */
	const char *const *words;	/**< NULL-terminated, indexed by value; or NULL. */
	unsigned int min;
	unsigned int max;
	unsigned int value;		/**< Default. */
	size_t offset;			/**< Offset in struct swhca_conf. */
	/** Text of SWHCA_CONF_TEXT bytes in the configuration: returns what is wrong, or NULL. */
	const char *(*check)(const char *word);
	bool is_path;			/**< The value is a file, which is not part of the
					 *   configuration. */
	bool is_limit;			/**< 0 in the configuration means the default. */
};

extern const struct swhca_option swhca_options[];
extern const size_t swhca_nb_options;

/** Find an option by "--name" or "-x". @return NULL if there is none. */
const struct swhca_option *swhca_option_find(const char *word);

/**
 * Parse a value.
 *
 * @param value
 *   Written on success, unless the value is a text or a file.
 * @param text
 *   Error message, "NAME: VALUE: not ...", of at most size bytes; written on error.
 * @return
 *   0 or -EINVAL.
 */
int swhca_option_parse(const struct swhca_option *option, const char *name, const char *word,
		       unsigned int *value, char *text, size_t size);

/** The configured quirks, in the format of struct swhca_hca_conf. */
uint64_t swhca_conf_quirks(const struct swhca_conf *conf);

/** Read the environment. @return 0, or -EINVAL with a text as above. */
int swhca_conf_read(struct swhca_conf *conf, char *text, size_t size);

/**
 * Get the configuration of this process, which is read once.
 *
 * @return
 *   Never NULL. If the environment is invalid, which is logged, nb_devices is 0.
 */
const struct swhca_conf *swhca_conf_get(void);

#endif /* SWHCA_CONF_H */
