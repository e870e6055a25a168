/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Faults of the data path as text. */

#include "cases.h"
#include "host/inject_text.h"

static struct swhca_inject
read_one(const char *text)
{
	struct swhca_inject injects[SWHCA_NB_INJECT_CLASSES];
	unsigned int nb = 0;
	const char *why = swhca_inject_read(text, injects, &nb);

	if (why != NULL)
		fail_msg("%s: %s", text, why);
	assert_int_equal(nb, 1);
	return injects[0];
}

static void
expect_printed(const char *text, const char *printed)
{
	struct swhca_inject_state state = { .inject = read_one(text), .nb_seen = 5, .nb_fired = 2 };
	char line[SWHCA_INJECT_TEXT_MAX], again[SWHCA_INJECT_TEXT_MAX];
	size_t len = swhca_inject_print(&state, line, sizeof(line));

	assert_int_equal(len, strlen(line));
	line[strcspn(line, " ")] = '\0';
	assert_string_equal(line, printed);
	/* It says the same again. */
	state.inject = read_one(line);
	swhca_inject_print(&state, again, sizeof(again));
	again[strcspn(again, " ")] = '\0';
	assert_string_equal(again, printed);
}

CASE(class_alone_has_defaults)
{
	struct swhca_inject inject = read_one("error-cqe");

	assert_int_equal(inject.cls, SWHCA_INJECT_ERROR_CQE);
	assert_false(inject.has_qpn);
	assert_int_equal(inject.sides, SWHCA_INJECT_LOCAL);
	assert_int_equal(inject.syndrome, 2);
	assert_int_equal(inject.vendor, 0xfa);
	assert_int_equal(inject.nth, 1);
	assert_int_equal(inject.count, 1);
	assert_int_equal(inject.one_of, 1);
	assert_int_equal(inject.seed, 1);
	assert_int_equal(read_one("cqe-delay").time_us, 1000);
	assert_int_equal(read_one("qp-delay,one-of=9").count, 0);
	assert_int_equal(read_one("qp-delay,one-of=9,count=3").count, 3);
	assert_int_equal(read_one("unmap,addr=0,len=1").sides,
			 SWHCA_INJECT_LOCAL | SWHCA_INJECT_REMOTE);
}

CASE(every_key_is_read_and_printed)
{
	expect_printed("error-cqe,qp=72,nth=3,syndrome=remote-access,vendor=0x88",
		       "error-cqe,qp=0x48,side=send,nth=3,syndrome=0x13,vendor=0x88");
	expect_printed("error-cqe,side=recv,count=0,for=20",
		       "error-cqe,side=recv,count=0,for=20,syndrome=0x2,vendor=0xfa");
	expect_printed("cqe-delay,one-of=100,seed=0x7,time=50",
		       "cqe-delay,one-of=100,seed=7,time=50");
	expect_printed("cqe-delay,one-of=3,count=1", "cqe-delay,one-of=3,seed=1,count=1,time=1000");
	expect_printed("fatal,one-of=3,count=0", "fatal,one-of=3,seed=1");
	expect_printed("doorbell-drop,qp=0xffffff", "doorbell-drop,qp=0xffffff");
	expect_printed("doorbell-delay,time=10000000", "doorbell-delay,time=10000000");
	expect_printed("engine-stall,count=2", "engine-stall,count=2,time=1000");
	expect_printed("fatal,nth=4294967295", "fatal,nth=4294967295");
	expect_printed("unmap,addr=0xffffffffffffffff,len=1,side=remote",
		       "unmap,side=remote,addr=0xffffffffffffffff,len=1");
	expect_printed("odp-delay,time=1", "odp-delay,time=1");
}

CASE(classes_share_what_is_said)
{
	struct swhca_inject injects[SWHCA_NB_INJECT_CLASSES];
	unsigned int nb = 0;

	assert_null(swhca_inject_read("qp-delay+cqe-delay+error-cqe,one-of=100,time=7,vendor=3",
				      injects, &nb));
	assert_int_equal(nb, 3);
	assert_int_equal(injects[0].cls, SWHCA_INJECT_ERROR_CQE);
	assert_int_equal(injects[0].vendor, 3);
	assert_int_equal(injects[1].cls, SWHCA_INJECT_CQE_DELAY);
	assert_int_equal(injects[1].time_us, 7);
	assert_int_equal(injects[2].cls, SWHCA_INJECT_QP_DELAY);
	assert_int_equal(injects[2].one_of, 100);
}

CASE(what_cannot_be_is_told)
{
	static const char *const texts[] = {
		"", ",", "+", "nosuch", "error-cqe+nosuch", "error-cqe,nosuch=1", "error-cqe,qp",
		"error-cqe,qp=", "error-cqe,qp=-1", "error-cqe,qp= 1", "error-cqe,qp=0x",
		"error-cqe,qp=0x1000000", "error-cqe,qp=1x", "error-cqe,nth=0",
		"error-cqe,nth=4294967296", "error-cqe,nth=99999999999999999999999",
		"error-cqe,nth=1,nth=2", "error-cqe,time=5", "error-cqe,side=local",
		"error-cqe,syndrome=0", "error-cqe,syndrome=256", "error-cqe,syndrome=remote",
		"error-cqe,vendor=256", "cqe-delay,syndrome=2", "cqe-delay,time=0",
		"cqe-delay,time=10000001", "unmap", "unmap,addr=5", "unmap,addr=5,len=0",
		"unmap,addr=5,len=1,side=send", "qp-delay,one-of=0", "list", "off",
		"unmap,len=5", "error-cqe,,nth=3", ",error-cqe", "error-cqe,", "+error-cqe",
		"error-cqe+", "error-cqe++fatal", "error-cqe+unmap,addr=5,len=1,side=send",
		"error-cqe+unmap,addr=5,len=1,side=local",
	};
	char text[400];

	for (size_t i = 0; i < NB_OF(texts); i++)
		if (swhca_inject_check(texts[i]) == NULL)
			fail_msg("'%s' is taken", texts[i]);
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_non_null(swhca_inject_check(text));
}

CASE(classes_have_names)
{
	for (unsigned int i = 0; i < SWHCA_NB_INJECT_CLASSES; i++)
		assert_int_equal(swhca_inject_class_find(
					 swhca_inject_class_name((enum swhca_inject_class)i)), i);
	assert_int_equal(swhca_inject_class_find(""), SWHCA_NB_INJECT_CLASSES);
}
