/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Subnet manager and administration, by class and attribute. */

#include <string.h>

#include "base/log.h"
#include "mad/layout.h"
#include "mad/mad_responder.h"

/* Its GUID belongs to no company: locally administered. */
#define MANAGER_GUID UINT64_C(0x0200000000005a5a)
#define TIME_1S 18u

uint16_t
swhca_mad_manager_lid(void)
{
	return 0xbfff;
}

static uint16_t
smp_get(unsigned int attr, uint8_t *out)
{
	static const char name[SMP_DATA_LEN] = "swhca subnet manager";

	switch (attr) {
	case SMP_ATTR_NODE_DESC:
		memcpy(out, name, sizeof(name));
		return 0;
	case SMP_ATTR_NODE_INFO:
		prm_set(out, NODE_INFO_BASE_VERSION, 1);
		prm_set(out, NODE_INFO_CLASS_VERSION, 1);
		prm_set(out, NODE_INFO_TYPE, NODE_TYPE_CA);
		prm_set(out, NODE_INFO_NUM_PORTS, 1);
		prm_set(out, NODE_INFO_SYS_GUID, MANAGER_GUID);
		prm_set(out, NODE_INFO_NODE_GUID, MANAGER_GUID);
		prm_set(out, NODE_INFO_PORT_GUID, MANAGER_GUID);
		prm_set(out, NODE_INFO_PARTITION_CAP, 1);
		prm_set(out, NODE_INFO_LOCAL_PORT, 1);
		return 0;
	case SMP_ATTR_SM_INFO:
		prm_set(out, SM_INFO_GUID, MANAGER_GUID);
		prm_set(out, SM_INFO_PRIORITY, 15);
		prm_set(out, SM_INFO_STATE, SM_STATE_MASTER);
		return 0;
	default:
		return MAD_STATUS_BAD_ATTR;
	}
}

static uint16_t
class_port_info(uint8_t *out)
{
	prm_set(out, CLASS_PORT_INFO_BASE_VERSION, 1);
	prm_set(out, CLASS_PORT_INFO_CLASS_VERSION, SA_CLASS_VERSION);
	prm_set(out, CLASS_PORT_INFO_RESP_TIME, TIME_1S);
	return 0;
}

static uint16_t
sa_exec(struct swhca_hca *from, const uint8_t *in, uint8_t *out)
{
	unsigned int method = (unsigned int)prm_get(in, MAD_METHOD);
	uint64_t mask = prm_get(in, SA_COMPONENT_MASK);
	const uint8_t *rec = in + SA_DATA_BYTE;
	uint8_t *answer = out + SA_DATA_BYTE;

	switch (prm_get(in, MAD_ATTR_ID)) {
	case MAD_ATTR_CLASS_PORT_INFO:
		return method == MAD_METHOD_GET ? class_port_info(answer) : MAD_STATUS_BAD_METHOD;
	case SA_ATTR_PATH:
		return method == MAD_METHOD_GET ? swhca_sa_path(from, mask, rec, answer) :
						  MAD_STATUS_BAD_METHOD;
	case SA_ATTR_MC_MEMBER:
		if (method == MAD_METHOD_GET)
			return swhca_sa_mc_get(from, mask, rec, answer);
		if (method == MAD_METHOD_SET)
			return swhca_sa_mc_join(from, mask, rec, answer);
		return swhca_sa_mc_leave(from, rec, answer);
	default:
		return MAD_STATUS_BAD_ATTR;
	}
}

/* Method of the answer to a request (13.4.5); that of a Set is the same as of a Get. */
static uint8_t
response_method(unsigned int class, unsigned int method)
{
	if (method == MAD_METHOD_GET || method == MAD_METHOD_SET)
		return MAD_METHOD_GET | MAD_METHOD_RESPONSE;
	if (method == MAD_METHOD_DELETE && class == MAD_CLASS_SUBN_ADM)
		return MAD_METHOD_DELETE | MAD_METHOD_RESPONSE;
	return 0;
}

bool
swhca_mad_manager_answer(struct swhca_hca *from, const uint8_t in[SWHCA_MAD_LEN],
			 unsigned int index, uint8_t out[SWHCA_MAD_LEN])
{
	unsigned int class = (unsigned int)prm_get(in, MAD_MGMT_CLASS);
	unsigned int method = (unsigned int)prm_get(in, MAD_METHOD);
	bool is_sa = class == MAD_CLASS_SUBN_ADM;
	uint8_t *data = out + (is_sa ? SA_DATA_BYTE : SMP_DATA_BYTE);
	uint16_t status;

	if (is_sa && method == MAD_METHOD_GET_TABLE)
		return swhca_sa_table_answer(from, in, index, out);
	if (index > 0)
		return false;
	if ((!is_sa && class != MAD_CLASS_SUBN_LID) || response_method(class, method) == 0) {
		SWHCA_LOG(DEBUG, "subnet manager: class 0x%x, method 0x%x: not for it", class,
			  method);
		return false;
	}
	memcpy(out, in, SWHCA_MAD_LEN);
	prm_set(out, MAD_METHOD, response_method(class, method));
	memset(data, 0, is_sa ? SWHCA_MAD_LEN - SA_DATA_BYTE : SMP_DATA_LEN);
	if (is_sa)
		status = sa_exec(from, in, out);
	else
		status = method == MAD_METHOD_GET ?
				 smp_get((unsigned int)prm_get(in, MAD_ATTR_ID), data) :
				 MAD_STATUS_BAD_ATTR;
	prm_set(out, MAD_STATUS, status);
	if (status != 0)
		SWHCA_LOG(DEBUG, "subnet manager: attribute 0x%x, method 0x%x: status 0x%x",
			  (unsigned int)prm_get(in, MAD_ATTR_ID), method, status);
	return true;
}
