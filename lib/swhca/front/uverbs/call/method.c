/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Methods of RDMA_VERBS_IOCTL and their attributes. */

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "front/uverbs/call/method.h"
#include "front/uverbs/call/write.h"
#include "front/uverbs/devx/devx.h"
#include "front/uverbs/devx/devx_event.h"
#include "front/uverbs/devx/umem.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/obj/ctx.h"
#include "front/uverbs/obj/dm.h"
#include "front/uverbs/obj/dmabuf.h"
#include "front/uverbs/obj/dmah.h"
#include "front/uverbs/obj/mr.h"
#include "front/uverbs/obj/mw.h"
#include "front/uverbs/obj/uverbs_odp.h"
#include "front/uverbs/obj/pd.h"
#include "front/uverbs/obj/pp.h"
#include "front/uverbs/obj/query_port.h"
#include "front/uverbs/obj/reg_mr.h"
#include "front/uverbs/obj/uverbs_uar.h"
#include "front/uverbs/obj/var.h"
#include "front/uverbs/queue/ah.h"
#include "front/uverbs/queue/uverbs_cq.h"
#include "front/uverbs/queue/uverbs_qp.h"
#include "front/uverbs/queue/uverbs_srq.h"
#include "front/uverbs/queue/xrcd.h"

/* Attribute number n of the common and of the driver's name space. */
#define ATTR(n)		(UINT32_C(1) << (n))
#define DRV_ATTR(n)	(UINT32_C(1) << ((n) & ~(unsigned int)UVERBS_ID_NS_MASK))
#define ATTRS(n)	(UINT32_MAX >> (32 - (n)))

/* A method and its attributes. */
struct umethod {
	uint16_t object;
	uint16_t method;
	bool needs_context;
	uint32_t attrs;
	uint32_t drv_attrs;
	swhca_ureq_handler handler;
};

#define UHW (DRV_ATTR(UVERBS_ATTR_UHW_IN) | DRV_ATTR(UVERBS_ATTR_UHW_OUT))

static const struct umethod umethods[] = {
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, false, ATTRS(3), UHW,
	  swhca_uwrite_req },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT, false, ATTRS(2), UHW,
	  swhca_uctx_get_req },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT, true, ATTRS(2), ATTRS(1),
	  swhca_uctx_query_req },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT, true, ATTRS(2), 0,
	  swhca_uquery_port_req },
	{ UVERBS_OBJECT_DEVICE, UABI_METHOD_QUERY_PORT_SPEED, true,
	  ATTRS(UABI_NB_ATTRS_QUERY_PORT_SPEED), 0, swhca_uquery_port_speed_req },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE, true, ATTRS(4), 0,
	  swhca_uquery_gid_table_req },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY, true, ATTRS(4), 0,
	  swhca_uquery_gid_entry_req },
	{ UVERBS_OBJECT_DEVICE, MLX5_IB_METHOD_QUERY_PORT, true, 0, ATTRS(2),
	  swhca_uquery_mlx5_port_req },
	{ UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC, true, ATTRS(1), 0,
	  swhca_uctx_async_fd_req },
	{ UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, true, ATTRS(1), 0, swhca_upd_destroy_req },
	{ UVERBS_OBJECT_PD, MLX5_IB_METHOD_PD_QUERY, true, 0, ATTRS(2), swhca_upd_query_req },
	{ UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, true, ATTRS(1), 0,
	  swhca_ureg_destroy_req },
	{ UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR, true, ATTRS(5), 0, swhca_ureg_query_req },
	{ UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, true, ATTRS(3), ATTRS(3),
	  swhca_udm_alloc_req },
	{ UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, true, ATTRS(1), 0, swhca_udm_free_req },
	{ UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_MAP_OP_ADDR, true, 0, ATTRS(4),
	  swhca_udm_map_op_req },
	{ UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_QUERY, true, 0, ATTRS(4), swhca_udm_query_req },
	{ UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR, true, ATTRS(9), 0,
	  swhca_ureg_dmabuf_req },
	{ UVERBS_OBJECT_MR, UABI_METHOD_REG_MR, true, ATTRS(UABI_NB_ATTRS_REG_MR), 0,
	  swhca_ureg_mr_req },
	{ UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR, true, ATTRS(4), 0, swhca_uodp_advise_req },
	{ UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG, true, ATTRS(8), 0, swhca_udm_reg_req },
	{ UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY, true, ATTRS(1), 0, swhca_umw_destroy_req },
	{ UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, true, ATTRS(8), UHW, swhca_ucq_create_req },
	{ UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, true, ATTRS(2), 0, swhca_ucq_destroy_req },
	{ UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE, true, ATTRS(14), UHW,
	  swhca_usrq_create_req },
	{ UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY, true, ATTRS(2), 0,
	  swhca_usrq_destroy_req },
	{ UVERBS_OBJECT_XRCD, UVERBS_METHOD_XRCD_DESTROY, true, ATTRS(1), 0,
	  swhca_uxrcd_destroy_req },
	{ UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY, true, ATTRS(1), 0, swhca_uah_destroy_req },
	{ UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, true, ATTRS(15), UHW,
	  swhca_uqp_create_req },
	{ UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, true, ATTRS(2), 0, swhca_uqp_destroy_req },
	{ UABI_OBJECT_DMAH, UABI_METHOD_DMAH_ALLOC, true, ATTRS(UABI_NB_ATTRS_ALLOC_DMAH), 0,
	  swhca_udmah_alloc_req },
	{ UABI_OBJECT_DMAH, UABI_METHOD_DMAH_FREE, true, ATTRS(1), 0, swhca_udmah_free_req },
	{ MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC, true, 0, ATTRS(5),
	  swhca_uuar_alloc_req },
	{ MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY, true, 0, ATTRS(1),
	  swhca_uuar_destroy_req },
	{ MLX5_IB_OBJECT_VAR, MLX5_IB_METHOD_VAR_OBJ_ALLOC, true, 0, ATTRS(4),
	  swhca_uvar_alloc_req },
	{ MLX5_IB_OBJECT_VAR, MLX5_IB_METHOD_VAR_OBJ_DESTROY, true, 0, ATTRS(1),
	  swhca_uvar_destroy_req },
	{ MLX5_IB_OBJECT_PP, MLX5_IB_METHOD_PP_OBJ_ALLOC, true, 0, ATTRS(4), swhca_upp_alloc_req },
	{ MLX5_IB_OBJECT_PP, MLX5_IB_METHOD_PP_OBJ_DESTROY, true, 0, ATTRS(1),
	  swhca_upp_destroy_req },
	{ MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER, true, 0, ATTRS(2),
	  swhca_udevx_other_req },
	{ MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_UAR, true, 0, ATTRS(2),
	  swhca_udevx_query_uar_req },
	{ MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_EQN, true, 0, ATTRS(2),
	  swhca_udevx_query_eqn_req },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE, true, 0, ATTRS(3),
	  swhca_udevx_create_req },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY, true, 0, ATTRS(1),
	  swhca_udevx_destroy_req },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY, true, 0, ATTRS(3),
	  swhca_udevx_modify_req },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_QUERY, true, 0, ATTRS(3),
	  swhca_udevx_query_req },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY, true, 0, ATTRS(5),
	  swhca_udevx_query_async_req },
	{ MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT, true, 0, ATTRS(5),
	  swhca_udevx_subscribe_req },
	{ MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC, true, 0,
	  ATTRS(2), swhca_udevx_event_fd_req },
	{ MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC, true, 0,
	  ATTRS(1), swhca_udevx_cmd_fd_req },
	{ MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG, true, 0, ATTRS(7),
	  swhca_udevx_umem_reg_req },
	{ MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG, true, 0, ATTRS(1),
	  swhca_udevx_umem_dereg_req },
};

/* Attributes that select an enum value, without data (UVERBS_ATTR_TYPE_ENUM_IN). */
static const struct uchoice {
	uint16_t object;
	uint16_t method;
	uint16_t attr;
	uint8_t nb;
} uchoices[] = {
	{ UABI_OBJECT_DMAH, UABI_METHOD_DMAH_ALLOC, UABI_ATTR_ALLOC_DMAH_TPH_MEM_TYPE,
	  UABI_NB_TPH_MEM_TYPES },
};

static const struct uchoice *
uchoice_find(const struct umethod *method, uint16_t attr)
{
	size_t i;

	for (i = 0; i < SWHCA_ARRAY_SIZE(uchoices); i++) {
		if (uchoices[i].object == method->object &&
		    uchoices[i].method == method->method && uchoices[i].attr == attr)
			return &uchoices[i];
	}
	return NULL;
}

static const struct umethod *
umethod_find(const struct swhca_ureq *req)
{
	size_t i;

	for (i = 0; i < SWHCA_ARRAY_SIZE(umethods); i++) {
		if (umethods[i].object == req->object_id &&
		    umethods[i].method == req->method_id)
			return &umethods[i];
	}
	return NULL;
}

/* Log an unsupported request once; programs usually have a fallback. */
static void
log_unknown(const struct swhca_ureq *req)
{
	static _Atomic uint32_t seen[64];
	uint32_t key = (uint32_t)req->object_id << 16 | req->method_id;
	uint32_t none;
	size_t i;

	for (i = 0; i < SWHCA_ARRAY_SIZE(seen); i++) {
		none = 0;
		if (atomic_compare_exchange_strong(&seen[i], &none, key))
			break;
		if (none == key)
			return;
	}
	SWHCA_LOG(WARNING, "uverbs object 0x%x method 0x%x: not supported", req->object_id,
		  req->method_id);
}

/* Bytes next to the length are reserved, except for a choice (uverbs_process_attr()). */
static int
attr_data_check(const struct umethod *method, const struct ib_uverbs_attr *attr)
{
	const struct uchoice *choice = uchoice_find(method, attr->attr_id);

	if (choice == NULL)
		return attr->attr_data.reserved != 0 ? -EINVAL : 0;
	if (attr->attr_data.enum_data.elem_id >= choice->nb)
		return -EOPNOTSUPP;
	return attr->attr_data.enum_data.reserved != 0 || attr->len != 0 ? -EINVAL : 0;
}

/* Every attribute at most once; unknown ones only if they are optional. */
static int
attrs_check(const struct swhca_ureq *req, const struct umethod *method)
{
	uint32_t seen[2] = { 0, 0 };
	const struct ib_uverbs_attr *attr;
	unsigned int i, ns, nr;
	uint32_t known;
	int ret;

	for (i = 0; i < req->nb_attrs; i++) {
		attr = &req->attrs[i];
		ns = attr->attr_id >> UVERBS_ID_NS_SHIFT;
		nr = attr->attr_id & ~(unsigned int)UVERBS_ID_NS_MASK;
		known = ns == 0 ? method->attrs : ns == 1 ? method->drv_attrs : 0;
		if (nr >= 32 || (known & ATTR(nr)) == 0) {
			if ((attr->flags & UVERBS_ATTR_F_MANDATORY) != 0)
				return -EPROTONOSUPPORT;
			continue;
		}
		if ((seen[ns] & ATTR(nr)) != 0)
			return -EINVAL;
		ret = attr_data_check(method, attr);
		if (ret != 0)
			return ret;
		seen[ns] |= ATTR(nr);
	}
	return 0;
}

int
swhca_ureq_exec(struct swhca_ureq *req)
{
	const struct umethod *method = umethod_find(req);
	int ret;

	if (method == NULL) {
		log_unknown(req);
		return -EPROTONOSUPPORT;
	}
	ret = attrs_check(req, method);
	if (ret != 0)
		return ret;
	if (method->needs_context && !req->file->has_context)
		return -EINVAL;
	ret = method->handler(req);
	/* The output of a rejected DevX command is returned. */
	if (ret == 0 || ret == -EREMOTEIO) {
		if (swhca_ureq_commit(req) != 0)
			ret = -EFAULT;
	}
	SWHCA_LOG(DEBUG, "uverbs object 0x%x method 0x%x: %s", req->object_id,
		  req->method_id, ret == 0 ? "done" : strerror(-ret));
	return ret;
}
