/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The ABI: size of each public struct, offset and size of each member, on 64-bit machines. A change
 * here affects programs that are already compiled. The only valid change replaces a reserved member
 * by the new members that use it; anything else breaks the ABI. devtools/check/abi.py finds missing
 * entries, and prints the new table with --print.
 */

#include <assert.h>
#include <stddef.h>

#include "rte_umr.h"

#define SIZE(type, size) static_assert(sizeof(struct type) == (size), "size of struct " #type)
#define AT(type, member, offset, size)                                                             \
	static_assert(offsetof(struct type, member) == (offset) &&                                 \
		      sizeof(((struct type *)0)->member) == (size), #type "::" #member)

SIZE(rte_umr_dev_info, 288);
AT(rte_umr_dev_info, dev_name, 0, 64);
AT(rte_umr_dev_info, driver_name, 64, 8);
AT(rte_umr_dev_info, fw_version, 72, 64);
AT(rte_umr_dev_info, vendor_id, 136, 4);
AT(rte_umr_dev_info, vendor_part_id, 140, 4);
AT(rte_umr_dev_info, numa_node, 144, 2);
AT(rte_umr_dev_info, port, 146, 1);
AT(rte_umr_dev_info, link_layer, 147, 1);
AT(rte_umr_dev_info, lid, 148, 2);
AT(rte_umr_dev_info, is_port_active, 150, 1);
AT(rte_umr_dev_info, is_started, 151, 1);
AT(rte_umr_dev_info, dev_capa, 152, 8);
AT(rte_umr_dev_info, access_capa, 160, 4);
AT(rte_umr_dev_info, mr_access_capa, 164, 4);
AT(rte_umr_dev_info, odp_capa, 168, 4);
AT(rte_umr_dev_info, nb_queues, 172, 2);
AT(rte_umr_dev_info, max_queues, 174, 2);
AT(rte_umr_dev_info, min_desc, 176, 2);
AT(rte_umr_dev_info, max_desc, 178, 2);
AT(rte_umr_dev_info, max_recv_desc, 180, 2);
AT(rte_umr_dev_info, max_recv_segs, 182, 2);
AT(rte_umr_dev_info, max_dct_recv_desc, 184, 2);
AT(rte_umr_dev_info, max_dct_recv_segs, 186, 2);
AT(rte_umr_dev_info, max_list_inline, 188, 2);
AT(rte_umr_dev_info, max_interleaved_inline, 190, 2);
AT(rte_umr_dev_info, max_nesting, 192, 2);
AT(rte_umr_dev_info, max_inline, 194, 2);
AT(rte_umr_dev_info, max_dci_inline, 196, 2);
AT(rte_umr_dev_info, max_bf_desc, 198, 2);
AT(rte_umr_dev_info, max_recv_inline, 200, 2);
AT(rte_umr_dev_info, min_log_entry_size, 202, 1);
AT(rte_umr_dev_info, max_log_entry_size, 203, 1);
AT(rte_umr_dev_info, max_entries, 204, 4);
AT(rte_umr_dev_info, max_list, 208, 4);
AT(rte_umr_dev_info, max_interleaved, 212, 4);
AT(rte_umr_dev_info, max_mkeys, 216, 4);
AT(rte_umr_dev_info, max_mws, 220, 4);
AT(rte_umr_dev_info, max_entry_len, 224, 4);
AT(rte_umr_dev_info, max_interleaved_stride, 228, 4);
AT(rte_umr_dev_info, max_msg_len, 232, 8);
AT(rte_umr_dev_info, max_mw_len, 240, 8);
AT(rte_umr_dev_info, sig_types, 248, 4);
AT(rte_umr_dev_info, sig_trans_types, 252, 4);
AT(rte_umr_dev_info, sig_block_sizes, 256, 4);
AT(rte_umr_dev_info, max_sig_mkeys, 260, 4);
AT(rte_umr_dev_info, max_mr_len, 264, 8);
AT(rte_umr_dev_info, max_deks, 272, 4);
AT(rte_umr_dev_info, crypto_unit_sizes, 276, 4);
AT(rte_umr_dev_info, max_segs, 280, 2);
AT(rte_umr_dev_info, max_read_segs, 282, 2);
AT(rte_umr_dev_info, max_dci_segs, 284, 2);
AT(rte_umr_dev_info, max_dci_read_segs, 286, 2);

SIZE(rte_umr_dev_conf, 32);
AT(rte_umr_dev_conf, nb_queues, 0, 2);
AT(rte_umr_dev_conf, reserved, 2, 30);

SIZE(rte_umr_swap, 16);
AT(rte_umr_swap, compare, 0, 8);
AT(rte_umr_swap, swap, 8, 8);

SIZE(rte_umr_fp_ops, 512);
AT(rte_umr_fp_ops, mkey_list, 0, 8);
AT(rte_umr_fp_ops, mkey_configure_burst, 8, 8);
AT(rte_umr_fp_ops, write, 16, 8);
AT(rte_umr_fp_ops, read, 24, 8);
AT(rte_umr_fp_ops, submit, 32, 8);
AT(rte_umr_fp_ops, completed, 40, 8);
AT(rte_umr_fp_ops, mkey_interleaved, 48, 8);
AT(rte_umr_fp_ops, mkey_invalidate, 56, 8);
AT(rte_umr_fp_ops, write_imm, 64, 8);
AT(rte_umr_fp_ops, send, 72, 8);
AT(rte_umr_fp_ops, send_imm, 80, 8);
AT(rte_umr_fp_ops, recv, 88, 8);
AT(rte_umr_fp_ops, completed_status, 96, 8);
AT(rte_umr_fp_ops, recv_completed, 104, 8);
AT(rte_umr_fp_ops, desc_avail, 112, 8);
AT(rte_umr_fp_ops, send_inv, 120, 8);
AT(rte_umr_fp_ops, fetch_add, 128, 8);
AT(rte_umr_fp_ops, cmp_swap, 136, 8);
AT(rte_umr_fp_ops, mkey_configure, 144, 8);
AT(rte_umr_fp_ops, mkey_update, 152, 8);
AT(rte_umr_fp_ops, mw_bind, 160, 8);
AT(rte_umr_fp_ops, mw_invalidate, 168, 8);
AT(rte_umr_fp_ops, mkey_invalidate_burst, 176, 8);
AT(rte_umr_fp_ops, dc_addr_set, 184, 8);
AT(rte_umr_fp_ops, write_burst, 192, 8);
AT(rte_umr_fp_ops, read_burst, 200, 8);
AT(rte_umr_fp_ops, send_burst, 208, 8);
AT(rte_umr_fp_ops, recv_burst, 216, 8);
AT(rte_umr_fp_ops, write_list, 224, 8);
AT(rte_umr_fp_ops, read_list, 232, 8);
AT(rte_umr_fp_ops, send_list, 240, 8);
AT(rte_umr_fp_ops, write_sg, 248, 8);
AT(rte_umr_fp_ops, read_sg, 256, 8);
AT(rte_umr_fp_ops, reserved, 264, 248);

SIZE(rte_umr_fp_queue, 32);
AT(rte_umr_fp_queue, drv_ops, 0, 8);
AT(rte_umr_fp_queue, dev_id, 8, 2);
AT(rte_umr_fp_queue, queue_id, 10, 2);
AT(rte_umr_fp_queue, reserved0, 12, 4);
AT(rte_umr_fp_queue, user, 16, 8);
AT(rte_umr_fp_queue, reserved1, 24, 8);

SIZE(rte_umr_fp_entry, 16);
AT(rte_umr_fp_entry, ops, 0, 8);
AT(rte_umr_fp_entry, queue, 8, 8);

SIZE(rte_umr_lookup_entry, 32);
AT(rte_umr_lookup_entry, start, 0, 8);
AT(rte_umr_lookup_entry, len, 8, 8);
AT(rte_umr_lookup_entry, gen, 16, 8);
AT(rte_umr_lookup_entry, lkey, 24, 4);
AT(rte_umr_lookup_entry, reserved, 28, 4);

SIZE(rte_umr_fp_object, 64);
AT(rte_umr_fp_object, mkey_check, 0, 8);
AT(rte_umr_fp_object, lookup_cache, 8, 8);
AT(rte_umr_fp_object, lookup_gen, 16, 8);
AT(rte_umr_fp_object, lookup_nb_lcores, 24, 4);
AT(rte_umr_fp_object, lookup_short, 28, 4);
AT(rte_umr_fp_object, reserved, 32, 32);

SIZE(rte_umr_completion, 16);
AT(rte_umr_completion, idx, 0, 2);
AT(rte_umr_completion, op, 2, 1);
AT(rte_umr_completion, status, 3, 1);
AT(rte_umr_completion, syndrome, 4, 1);
AT(rte_umr_completion, vendor_syndrome, 5, 1);
AT(rte_umr_completion, flags, 6, 2);
AT(rte_umr_completion, length, 8, 4);
AT(rte_umr_completion, imm, 12, 4);
AT(rte_umr_completion, invalidated, 12, 4);

SIZE(rte_umr_type, 128);
AT(rte_umr_type, kind, 0, 1);
AT(rte_umr_type, reserved, 1, 1);
AT(rte_umr_type, ndims, 2, 2);
AT(rte_umr_type, flags, 4, 4);
AT(rte_umr_type, count, 8, 8);
AT(rte_umr_type, blocklen, 16, 8);
AT(rte_umr_type, stride, 24, 8);
AT(rte_umr_type, child, 32, 8);
AT(rte_umr_type, children, 40, 8);
AT(rte_umr_type, blocklens, 48, 8);
AT(rte_umr_type, displs, 56, 8);
AT(rte_umr_type, shape, 64, 8);
AT(rte_umr_type, strides, 72, 8);
AT(rte_umr_type, sizes, 80, 8);
AT(rte_umr_type, starts, 88, 8);
AT(rte_umr_type, lb, 96, 8);
AT(rte_umr_type, extent, 104, 8);
AT(rte_umr_type, reserved2, 112, 16);

SIZE(rte_umr_layout_conf, 72);
AT(rte_umr_layout_conf, flags, 0, 4);
AT(rte_umr_layout_conf, max_keys, 4, 4);
AT(rte_umr_layout_conf, max_entries, 8, 4);
AT(rte_umr_layout_conf, max_list, 12, 4);
AT(rte_umr_layout_conf, max_list_inline, 16, 4);
AT(rte_umr_layout_conf, max_interleaved, 20, 4);
AT(rte_umr_layout_conf, max_interleaved_inline, 24, 4);
AT(rte_umr_layout_conf, max_interleaved_stride, 28, 4);
AT(rte_umr_layout_conf, max_entry_len, 32, 4);
AT(rte_umr_layout_conf, max_levels, 36, 2);
AT(rte_umr_layout_conf, reserved, 38, 2);
AT(rte_umr_layout_conf, reserved2, 40, 32);

SIZE(rte_umr_layout_cost, 72);
AT(rte_umr_layout_cost, len, 0, 8);
AT(rte_umr_layout_cost, lb, 8, 8);
AT(rte_umr_layout_cost, ub, 16, 8);
AT(rte_umr_layout_cost, nb_pieces, 24, 8);
AT(rte_umr_layout_cost, nb_entries, 32, 8);
AT(rte_umr_layout_cost, nb_keys, 40, 4);
AT(rte_umr_layout_cost, max_entries, 44, 4);
AT(rte_umr_layout_cost, nb_levels, 48, 2);
AT(rte_umr_layout_cost, is_contiguous, 50, 1);
AT(rte_umr_layout_cost, reserved, 51, 5);
AT(rte_umr_layout_cost, reserved2, 56, 16);

SIZE(rte_umr_layout_key, 24);
AT(rte_umr_layout_key, len, 0, 8);
AT(rte_umr_layout_key, nb_entries, 8, 4);
AT(rte_umr_layout_key, repeat, 12, 4);
AT(rte_umr_layout_key, level, 16, 2);
AT(rte_umr_layout_key, layout, 18, 1);
AT(rte_umr_layout_key, reserved, 19, 5);

SIZE(rte_umr_layout_size, 32);
AT(rte_umr_layout_size, nb_desc, 0, 8);
AT(rte_umr_layout_size, nb_list_entries, 8, 8);
AT(rte_umr_layout_size, reserved, 16, 16);

SIZE(rte_umr_layout_op, 48);
AT(rte_umr_layout_op, addr, 0, 8);
AT(rte_umr_layout_op, lkey, 8, 4);
AT(rte_umr_layout_op, access, 12, 4);
AT(rte_umr_layout_op, mkeys, 16, 8);
AT(rte_umr_layout_op, nb_mkeys, 24, 4);
AT(rte_umr_layout_op, first, 28, 4);
AT(rte_umr_layout_op, reserved, 32, 16);

SIZE(rte_umr_mbuf_part, 16);
AT(rte_umr_mbuf_part, mbuf, 0, 8);
AT(rte_umr_mbuf_part, offset, 8, 4);
AT(rte_umr_mbuf_part, len, 12, 4);

SIZE(rte_umr_mbuf_op, 24);
AT(rte_umr_mbuf_op, mkey, 0, 8);
AT(rte_umr_mbuf_op, mbuf, 8, 8);
AT(rte_umr_mbuf_op, offset, 16, 4);
AT(rte_umr_mbuf_op, len, 20, 4);

SIZE(rte_umr_mbuf_split, 40);
AT(rte_umr_mbuf_split, header_pool, 0, 8);
AT(rte_umr_mbuf_split, data_pool, 8, 8);
AT(rte_umr_mbuf_split, data_len, 16, 4);
AT(rte_umr_mbuf_split, header_len, 20, 2);
AT(rte_umr_mbuf_split, data_align, 22, 2);
AT(rte_umr_mbuf_split, reserved, 24, 16);

SIZE(rte_umr_seg, 16);
AT(rte_umr_seg, addr, 0, 8);
AT(rte_umr_seg, length, 8, 4);
AT(rte_umr_seg, lkey, 12, 4);

SIZE(rte_umr_rdma_op, 32);
AT(rte_umr_rdma_op, local, 0, 16);
AT(rte_umr_rdma_op, remote_addr, 16, 8);
AT(rte_umr_rdma_op, rkey, 24, 4);
AT(rte_umr_rdma_op, reserved, 28, 4);

SIZE(rte_umr_mr, 64);
AT(rte_umr_mr, addr, 0, 8);
AT(rte_umr_mr, len, 8, 8);
AT(rte_umr_mr, lkey, 16, 4);
AT(rte_umr_mr, rkey, 20, 4);
AT(rte_umr_mr, access, 24, 4);
AT(rte_umr_mr, dev_id, 28, 2);
AT(rte_umr_mr, is_lost, 30, 1);
AT(rte_umr_mr, driver_private, 32, 8);
AT(rte_umr_mr, iova, 40, 8);
AT(rte_umr_mr, pd, 48, 8);
AT(rte_umr_mr, flags, 56, 4);

SIZE(rte_umr_mr_conf, 72);
AT(rte_umr_mr_conf, addr, 0, 8);
AT(rte_umr_mr_conf, len, 8, 8);
AT(rte_umr_mr_conf, access, 16, 4);
AT(rte_umr_mr_conf, flags, 20, 4);
AT(rte_umr_mr_conf, pd, 24, 8);
AT(rte_umr_mr_conf, iova, 32, 8);
AT(rte_umr_mr_conf, dmabuf_offset, 40, 8);
AT(rte_umr_mr_conf, dmabuf_fd, 48, 4);
AT(rte_umr_mr_conf, reserved, 52, 4);
AT(rte_umr_mr_conf, reserved2, 56, 16);

SIZE(rte_umr_odp_stats, 64);
AT(rte_umr_odp_stats, nb_regions, 0, 8);
AT(rte_umr_odp_stats, nb_page_faults, 8, 8);
AT(rte_umr_odp_stats, nb_page_invalidations, 16, 8);
AT(rte_umr_odp_stats, nb_prefetches, 24, 8);
AT(rte_umr_odp_stats, reserved, 32, 32);

SIZE(rte_umr_mw, 24);
AT(rte_umr_mw, rkey, 0, 4);
AT(rte_umr_mw, type, 4, 1);
AT(rte_umr_mw, reserved, 5, 1);
AT(rte_umr_mw, dev_id, 6, 2);
AT(rte_umr_mw, pd, 8, 8);
AT(rte_umr_mw, driver_private, 16, 8);

SIZE(rte_umr_mw_range, 48);
AT(rte_umr_mw_range, mr, 0, 8);
AT(rte_umr_mw_range, addr, 8, 8);
AT(rte_umr_mw_range, length, 16, 8);
AT(rte_umr_mw_range, access, 24, 4);
AT(rte_umr_mw_range, flags, 28, 4);
AT(rte_umr_mw_range, reserved, 32, 16);

SIZE(rte_umr_crypto_login_conf, 32);
AT(rte_umr_crypto_login_conf, credential_id, 0, 4);
AT(rte_umr_crypto_login_conf, import_kek_id, 4, 4);
AT(rte_umr_crypto_login_conf, credential, 8, 8);
AT(rte_umr_crypto_login_conf, reserved, 16, 16);

SIZE(rte_umr_dek_conf, 56);
AT(rte_umr_dek_conf, key, 0, 8);
AT(rte_umr_dek_conf, key_len, 8, 4);
AT(rte_umr_dek_conf, size, 12, 1);
AT(rte_umr_dek_conf, has_keytag, 13, 1);
AT(rte_umr_dek_conf, reserved, 14, 2);
AT(rte_umr_dek_conf, login, 16, 8);
AT(rte_umr_dek_conf, pd, 24, 8);
AT(rte_umr_dek_conf, opaque, 32, 8);
AT(rte_umr_dek_conf, reserved2, 40, 16);

SIZE(rte_umr_dek, 32);
AT(rte_umr_dek, id, 0, 4);
AT(rte_umr_dek, dev_id, 4, 2);
AT(rte_umr_dek, size, 6, 1);
AT(rte_umr_dek, state, 7, 1);
AT(rte_umr_dek, has_keytag, 8, 1);
AT(rte_umr_dek, is_wrapped, 9, 1);
AT(rte_umr_dek, reserved, 10, 6);
AT(rte_umr_dek, pd, 16, 8);
AT(rte_umr_dek, driver_private, 24, 8);

SIZE(rte_umr_dek_attr, 32);
AT(rte_umr_dek_attr, state, 0, 1);
AT(rte_umr_dek_attr, reserved, 1, 7);
AT(rte_umr_dek_attr, opaque, 8, 8);
AT(rte_umr_dek_attr, reserved2, 16, 16);

SIZE(rte_umr_mkey_pool_conf, 48);
AT(rte_umr_mkey_pool_conf, nb_mkeys, 0, 4);
AT(rte_umr_mkey_pool_conf, max_entries, 4, 4);
AT(rte_umr_mkey_pool_conf, cache_size, 8, 4);
AT(rte_umr_mkey_pool_conf, socket_id, 12, 2);
AT(rte_umr_mkey_pool_conf, log_entry_size, 14, 1);
AT(rte_umr_mkey_pool_conf, reserved, 15, 1);
AT(rte_umr_mkey_pool_conf, flags, 16, 4);
AT(rte_umr_mkey_pool_conf, reserved2, 20, 4);
AT(rte_umr_mkey_pool_conf, pd, 24, 8);
AT(rte_umr_mkey_pool_conf, reserved3, 32, 16);

SIZE(rte_umr_mkey, 16);
AT(rte_umr_mkey, key, 0, 4);
AT(rte_umr_mkey, max_entries, 4, 4);
AT(rte_umr_mkey, dev_id, 8, 2);
AT(rte_umr_mkey, flags, 10, 2);
AT(rte_umr_mkey, log_entry_size, 12, 1);
AT(rte_umr_mkey, is_out, 13, 1);
AT(rte_umr_mkey, is_laid, 14, 1);
AT(rte_umr_mkey, is_unknown, 15, 1);

SIZE(rte_umr_mkey_attr, 64);
AT(rte_umr_mkey_attr, key, 0, 4);
AT(rte_umr_mkey_attr, is_free, 4, 1);
AT(rte_umr_mkey_attr, is_fixed_size, 5, 1);
AT(rte_umr_mkey_attr, has_signature, 6, 1);
AT(rte_umr_mkey_attr, has_crypto, 7, 1);
AT(rte_umr_mkey_attr, can_remote_invalidate, 8, 1);
AT(rte_umr_mkey_attr, reserved, 9, 3);
AT(rte_umr_mkey_attr, access, 12, 4);
AT(rte_umr_mkey_attr, addr, 16, 8);
AT(rte_umr_mkey_attr, len, 24, 8);
AT(rte_umr_mkey_attr, nb_entries, 32, 4);
AT(rte_umr_mkey_attr, pd, 36, 4);
AT(rte_umr_mkey_attr, reserved2, 40, 24);

SIZE(rte_umr_interleaved, 24);
AT(rte_umr_interleaved, addr, 0, 8);
AT(rte_umr_interleaved, bytes_count, 8, 4);
AT(rte_umr_interleaved, bytes_skip, 12, 4);
AT(rte_umr_interleaved, lkey, 16, 4);

SIZE(rte_umr_sig_domain, 16);
AT(rte_umr_sig_domain, type, 0, 4);
AT(rte_umr_sig_domain, flags, 4, 4);
AT(rte_umr_sig_domain, block_size, 8, 2);
AT(rte_umr_sig_domain, app_tag, 10, 2);
AT(rte_umr_sig_domain, ref_tag, 12, 4);

SIZE(rte_umr_sig, 40);
AT(rte_umr_sig, mem, 0, 16);
AT(rte_umr_sig, wire, 16, 16);
AT(rte_umr_sig, flags, 32, 4);
AT(rte_umr_sig, check_mask, 36, 1);
AT(rte_umr_sig, copy_mask, 37, 1);
AT(rte_umr_sig, reserved, 38, 2);

SIZE(rte_umr_mkey_error, 48);
AT(rte_umr_mkey_error, type, 0, 1);
AT(rte_umr_mkey_error, is_wire, 1, 1);
AT(rte_umr_mkey_error, reserved, 2, 2);
AT(rte_umr_mkey_error, qpn, 4, 4);
AT(rte_umr_mkey_error, expected, 8, 8);
AT(rte_umr_mkey_error, actual, 16, 8);
AT(rte_umr_mkey_error, offset, 24, 8);
AT(rte_umr_mkey_error, reserved2, 32, 16);

SIZE(rte_umr_crypto, 48);
AT(rte_umr_crypto, dek, 0, 8);
AT(rte_umr_crypto, standard, 8, 1);
AT(rte_umr_crypto, order, 9, 1);
AT(rte_umr_crypto, encrypt_on_tx, 10, 1);
AT(rte_umr_crypto, reserved, 11, 1);
AT(rte_umr_crypto, data_unit_size, 12, 2);
AT(rte_umr_crypto, reserved2, 14, 2);
AT(rte_umr_crypto, tweak, 16, 16);
AT(rte_umr_crypto, keytag, 32, 8);
AT(rte_umr_crypto, reserved3, 40, 8);

SIZE(rte_umr_fixed, 16);
AT(rte_umr_fixed, addr, 0, 8);
AT(rte_umr_fixed, lkey, 8, 4);
AT(rte_umr_fixed, reserved, 12, 4);

SIZE(rte_umr_mkey_op, 64);
AT(rte_umr_mkey_op, mkey, 0, 8);
AT(rte_umr_mkey_op, segs, 8, 8);
AT(rte_umr_mkey_op, interleaved, 8, 8);
AT(rte_umr_mkey_op, fixed, 8, 8);
AT(rte_umr_mkey_op, nb_entries, 16, 4);
AT(rte_umr_mkey_op, access, 20, 4);
AT(rte_umr_mkey_op, setters, 24, 4);
AT(rte_umr_mkey_op, layout, 28, 4);
AT(rte_umr_mkey_op, repeat, 32, 4);
AT(rte_umr_mkey_op, reserved, 36, 4);
AT(rte_umr_mkey_op, sig, 40, 8);
AT(rte_umr_mkey_op, crypto, 48, 8);
AT(rte_umr_mkey_op, reserved_2, 56, 8);

SIZE(rte_umr_queue_conf, 72);
AT(rte_umr_queue_conf, transport, 0, 4);
AT(rte_umr_queue_conf, nb_desc, 4, 2);
AT(rte_umr_queue_conf, nb_recv_desc, 6, 2);
AT(rte_umr_queue_conf, max_recv_segs, 8, 2);
AT(rte_umr_queue_conf, socket_id, 10, 2);
AT(rte_umr_queue_conf, nb_list_entries, 12, 4);
AT(rte_umr_queue_conf, max_inline, 16, 2);
AT(rte_umr_queue_conf, flags, 18, 2);
AT(rte_umr_queue_conf, nb_sg_mkeys, 20, 2);
AT(rte_umr_queue_conf, reserved0, 22, 2);
AT(rte_umr_queue_conf, pd, 24, 8);
AT(rte_umr_queue_conf, dc_key, 32, 8);
AT(rte_umr_queue_conf, nb_sig_mkeys, 40, 4);
AT(rte_umr_queue_conf, max_sg_entries, 44, 4);
AT(rte_umr_queue_conf, reserved, 48, 24);

SIZE(rte_umr_endpoint, 64);
AT(rte_umr_endpoint, qpn, 0, 4);
AT(rte_umr_endpoint, psn, 4, 4);
AT(rte_umr_endpoint, lid, 8, 2);
AT(rte_umr_endpoint, link_layer, 10, 1);
AT(rte_umr_endpoint, mtu, 11, 1);
AT(rte_umr_endpoint, gid, 12, 16);
AT(rte_umr_endpoint, mac, 28, 6);
AT(rte_umr_endpoint, reserved, 34, 30);

SIZE(rte_umr_queue_stats, 512);
AT(rte_umr_queue_stats, nb_submitted, 0, 8);
AT(rte_umr_queue_stats, nb_completed, 8, 8);
AT(rte_umr_queue_stats, nb_errors, 16, 8);
AT(rte_umr_queue_stats, nb_doorbells, 24, 8);
AT(rte_umr_queue_stats, nb_bf, 32, 8);
AT(rte_umr_queue_stats, nb_full, 40, 8);
AT(rte_umr_queue_stats, nb_rejected, 48, 8);
AT(rte_umr_queue_stats, nb_recv_posted, 56, 8);
AT(rte_umr_queue_stats, nb_recv_completed, 64, 8);
AT(rte_umr_queue_stats, nb_recv_errors, 72, 8);
AT(rte_umr_queue_stats, nb_rejects, 80, 256);
AT(rte_umr_queue_stats, nb_recoveries, 336, 8);
AT(rte_umr_queue_stats, nb_auto_recoveries, 344, 8);
AT(rte_umr_queue_stats, last_recovery_ns, 352, 8);
AT(rte_umr_queue_stats, max_recovery_ns, 360, 8);
AT(rte_umr_queue_stats, nb_auto_recovery_failures, 368, 8);
AT(rte_umr_queue_stats, reserved, 376, 136);

SIZE(rte_umr_op_shape, 48);
AT(rte_umr_op_shape, op, 0, 1);
AT(rte_umr_op_shape, layout, 1, 1);
AT(rte_umr_op_shape, nb_sig_domains, 2, 1);
AT(rte_umr_op_shape, is_up_to, 3, 1);
AT(rte_umr_op_shape, setters, 4, 4);
AT(rte_umr_op_shape, pool_flags, 8, 4);
AT(rte_umr_op_shape, nb_entries, 12, 4);
AT(rte_umr_op_shape, first, 16, 4);
AT(rte_umr_op_shape, length, 20, 4);
AT(rte_umr_op_shape, flags, 24, 8);
AT(rte_umr_op_shape, reserved2, 32, 16);

SIZE(rte_umr_op_size, 16);
AT(rte_umr_op_size, nb_desc, 0, 2);
AT(rte_umr_op_size, reserved, 2, 2);
AT(rte_umr_op_size, nb_list_entries, 4, 4);
AT(rte_umr_op_size, reserved2, 8, 8);

SIZE(rte_umr_dc_addr, 64);
AT(rte_umr_dc_addr, av, 0, 48);
AT(rte_umr_dc_addr, dev_id, 48, 2);
AT(rte_umr_dc_addr, is_filled, 50, 1);
AT(rte_umr_dc_addr, reserved, 51, 5);
AT(rte_umr_dc_addr, reserved2, 56, 8);

SIZE(rte_umr_xstat_name, 64);
AT(rte_umr_xstat_name, name, 0, 56);
AT(rte_umr_xstat_name, id, 56, 4);
AT(rte_umr_xstat_name, reserved, 60, 4);

SIZE(rte_umr_xstat, 16);
AT(rte_umr_xstat, value, 0, 8);
AT(rte_umr_xstat, id, 8, 4);
AT(rte_umr_xstat, reserved, 12, 4);
