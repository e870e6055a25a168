#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""The pairs of doc/guides/contributing/memory_order.rst as litmus tests, in all their executions.

Usage: litmus_order.py SOURCE-FOLDER

A test is two threads of a few accesses and barriers, and an outcome that must not be. Three things
are looked at, a case each:

  - no execution on x86-64 or Arm64 has that outcome;
  - without one of the barriers, one has it, on the CPU that is said to need it, and on no other;
  - the function that is said to have the barrier has it, between the same accesses.

x86-64 (Owens, Sarkar and Sewell, x86-TSO): accesses in order of the program, stores through a buffer
in order; those to write-combining memory leave another buffer in any order, SFENCE waits for both.
Arm64 (Arm ARM, B2.3, of which writes that all others see at once are the heart): accesses in any
order, but for barriers, acquire and release, equal addresses, an address that depends on a load,
and a store behind a branch that depends on one. No test reads what its own thread has stored.
"""

import pathlib
import re
import sys
from collections import namedtuple

# kind: W store, R load, B barrier, C condition. wc: to write-combining memory. order: acquire or
# release. name: of a barrier, or of an order, that can be left out.
Op = namedtuple('Op', 'kind loc value order dep wc name')

STORE_STORE, LOAD_ANY, ANY_STORE = 'store-store', 'load-any', 'any-store'


def W(loc, value, order='', name='', wc=False):
    return Op('W', loc, value, order, None, wc, name)


def R(loc, reg, order='', name='', dep=None):
    return Op('R', loc, reg, order, dep, False, name)


def B(what, name, sfence=False):
    return Op('B', None, None, what, None, sfence, name)


def C(reg, value):
    """What stores behind it does so only if a register has that value."""
    return Op('C', reg, value, '', None, False, '')


def without(threads, name):
    """The same, one barrier or order left out."""
    out = []
    for ops in threads:
        kept = [op for op in ops if not (op.kind == 'B' and op.name == name)]
        out.append([op._replace(order='') if op.name == name else op for op in kept])
    assert out != threads, name
    return out


def orders(barrier, before, after):
    what = barrier.order
    return ((what == STORE_STORE and before == 'W' and after == 'W') or
            (what == LOAD_ANY and before == 'R') or (what == ANY_STORE and after == 'W'))


def arm_is_ordered(ops, i, j):
    first, second = ops[i], ops[j]
    between = ops[i + 1:j]
    if first.loc == second.loc or first.order == 'acquire' or second.order == 'release':
        return True
    if first.kind == 'R' and second.dep == first.value:
        return True
    for op in between:
        if op.kind == 'B' and orders(op, first.kind, second.kind):
            return True
        if op.kind == 'C' and op.loc == first.value and second.kind == 'W':
            return True
    return False


def is_let_through(ops, i, regs):
    """Whether the conditions in front of a store hold."""
    return all(dict(regs).get(op.loc) == op.value for op in ops[:i] if op.kind == 'C')


def arm_steps(threads, state):
    done, memory, regs = state
    for t, ops in enumerate(threads):
        for i, op in enumerate(ops):
            if (t, i) in done or op.kind in 'BC':
                continue
            if any((t, k) not in done and ops[k].kind in 'RW' and arm_is_ordered(ops, k, i)
                   for k in range(i)):
                continue
            now = done | {(t, i)}
            if op.kind == 'R':
                yield now, memory, regs | {(op.value, dict(memory).get(op.loc, 0))}
            elif is_let_through(ops, i, regs):
                yield now, frozenset({**dict(memory), op.loc: op.value}.items()), regs
            else:
                yield now, memory, regs


def x86_steps(threads, state):
    """done: for each thread, how far it is, its buffer, and its write-combining one."""
    done, memory, regs = state
    for t, ops in enumerate(threads):
        at, fifo, combining = done[t]

        def to(*thread, t=t):
            return done[:t] + (thread,) + done[t + 1:]

        if fifo:
            yield to(at, fifo[1:], combining), frozenset({**dict(memory),
                                                          **dict(fifo[:1])}.items()), regs
        for store in combining:
            yield to(at, fifo, combining - {store}), frozenset({**dict(memory),
                                                                **dict([store])}.items()), regs
        if at == len(ops):
            continue
        op = ops[at]
        if op.kind == 'R':
            yield (to(at + 1, fifo, combining), memory,
                   regs | {(op.value, dict(memory).get(op.loc, 0))})
        elif op.kind == 'B' and op.wc and (fifo or combining):
            continue
        elif op.kind != 'W' or not is_let_through(ops, at, regs):
            yield to(at + 1, fifo, combining), memory, regs
        elif op.wc:
            yield to(at + 1, fifo, combining | {(op.loc, op.value)}), memory, regs
        else:
            yield to(at + 1, fifo + ((op.loc, op.value),), combining), memory, regs


CPUS = {
    'x86-64': (x86_steps, lambda threads: ((0, (), frozenset()),) * len(threads)),
    'arm64': (arm_steps, lambda threads: frozenset()),
}


def outcomes(cpu, threads, memory):
    """Registers at the end of each execution."""
    steps, begin = CPUS[cpu]
    first = (begin(threads), frozenset(memory.items()), frozenset())
    seen, todo, ends = {first}, [first], set()
    while todo:
        state = todo.pop()
        is_end = True
        for after in steps(threads, state):
            is_end = False
            if after not in seen:
                seen.add(after)
                todo.append(after)
        if is_end:
            ends.add(state[2])
    return [dict(regs) for regs in ends]


def is_reached(cpu, threads, test):
    return any(test['bad'](r) for r in outcomes(cpu, threads, test.get('memory', {})))


BOTH, ARM, NONE = {'x86-64', 'arm64'}, {'arm64'}, set()
DRIVER = 'drivers/common/mlx5_umr/'
MODEL = 'lib/swhca/'
READ_RECORD = (MODEL + 'object/dbr.c', 'swhca_dbr_read',
               ['dma->read(', 'atomic_thread_fence(memory_order_acquire)', '*value ='])
TAKE_DOORBELL = (MODEL + 'engine/doorbell.c', 'swhca_doorbells_take',
                 ['__atomic_exchange_n(doorbell, 0, __ATOMIC_SEQ_CST)', 'qps_rung('])

# Of each barrier: the CPUs that need it, and where it is: file, function, what comes in that order.
TESTS = {
    'D1': {
        'threads': [[W('wqe', 1), B(STORE_STORE, 'wmb'), W('dbr', 1)],
                    [R('dbr', 'd'), B(LOAD_ANY, 'rmb'), R('wqe', 'w')]],
        'bad': lambda r: r['d'] == 1 and r['w'] == 0,
        'needs': {'wmb': ARM, 'rmb': ARM},
        'code': [(DRIVER + 'ring/submit.c', 'submit_until',
                  ['PRM_CTRL_CE_ALWAYS', 'rte_io_wmb()', '*queue->sq_dbr =']), READ_RECORD],
    },
    'D2': {
        'threads': [[W('dbr', 1), B(STORE_STORE, 'wmb'), W('uar', 1)],
                    [R('uar', 'u', 'acquire', 'exchange'), R('dbr', 'd')]],
        'bad': lambda r: r['u'] == 1 and r['d'] == 0,
        'needs': {'wmb': ARM, 'exchange': ARM},
        'code': [(DRIVER + 'ring/submit.c', 'submit_until',
                  ['*queue->sq_dbr =', 'rte_io_wmb()', '__atomic_store_n(queue->doorbell']),
                 TAKE_DOORBELL],
    },
    'D3': {
        'threads': [[W('dbr', 1), B(STORE_STORE, 'wmb', sfence=True), W('uar', 1, wc=True)],
                    [R('uar', 'u', 'acquire', 'exchange'), R('dbr', 'd')]],
        'bad': lambda r: r['u'] == 1 and r['d'] == 0,
        'needs': {'wmb': BOTH, 'exchange': ARM},
        'code': [(DRIVER + 'ring/bf.c', 'mlx5_umr_bf_ring',
                  ['rte_wmb()', 'blocks_write(', '*reg =']), TAKE_DOORBELL],
    },
    'D4': {
        'threads': [[W('bf', 1, wc=True), B(STORE_STORE, 'wmb', sfence=True),
                     W('next', 1, wc=True)],
                    [R('next', 'n', 'acquire', 'exchange'), R('bf', 'b')]],
        'bad': lambda r: r['n'] == 1 and r['b'] == 0,
        'needs': {'wmb': BOTH, 'exchange': ARM},
        'code': [(DRIVER + 'ring/bf.c', 'mlx5_umr_bf_ring', ['*reg =', 'rte_wmb()', 'bf_offset ^='])],
    },
    'D5': {
        'threads': [[W('wqe', 1), B(STORE_STORE, 'wmb'), W('dbr', 1)],
                    [R('dbr', 'd'), B(LOAD_ANY, 'rmb'), R('wqe', 'w')]],
        'bad': lambda r: r['d'] == 1 and r['w'] == 0,
        'needs': {'wmb': ARM, 'rmb': ARM},
        'code': [(DRIVER + 'ring/recv.c', 'recv_ring', ['rte_io_wmb()', '*rq->dbr =']),
                 (DRIVER + 'ring/recv.c', 'recv_one', ['recv_put(', 'recv_ring(']),
                 (DRIVER + 'ring/recv.c', 'recv_many', ['recv_put(', 'recv_ring(']), READ_RECORD],
    },
    'D6': {
        'threads': [[W('cqe', 1), W('own', 1, 'release', 'release')],
                    [R('own', 'o'), B(LOAD_ANY, 'rmb'), R('cqe', 'c')]],
        'bad': lambda r: r['o'] == 1 and r['c'] == 0,
        'needs': {'release': ARM, 'rmb': ARM},
        'code': [(MODEL + 'base/dma_direct.c', 'job_bytes_last',
                  ['copy_bytes(', '__ATOMIC_RELEASE']),
                 (MODEL + 'base/dma.c', 'process_write_last',
                  ['process_write(', '__atomic_thread_fence(__ATOMIC_RELEASE)', 'process_write(']),
                 (MODEL + 'queue/cq_ring.c', 'entry_write', ['dma->write_last(']),
                 (DRIVER + 'ring/cq.h', 'mlx5_umr_cq_next',
                  ['cqe->op_own', 'rte_io_rmb()', 'return cqe'])],
    },
    'D7': {
        'threads': [[R('cqe', 'c'), B(LOAD_ANY, 'rmb'), W('ci', 1)],
                    [R('ci', 'i'), B(LOAD_ANY, 'acquire'), C('i', 1), W('cqe', 2)]],
        'bad': lambda r: r['c'] == 2,
        # The store of a new entry is behind a branch.
        'needs': {'rmb': ARM, 'acquire': NONE},
        'code': [(DRIVER + 'ring/cq.h', 'mlx5_umr_cq_ring', ['rte_io_rmb()', '*cq->dbr =']),
                 (DRIVER + 'ring/dequeue.c', 'mlx5_umr_completed',
                  ['rte_io_rmb()', '*queue->cq.dbr =']), READ_RECORD],
    },
    'T1': {
        'threads': [[W('gen', 1), B(ANY_STORE, 'release fence'), W('start', 1), W('key', 1),
                     W('gen', 2, 'release', 'release')],
                    [R('gen', 'g', 'acquire', 'acquire'), R('start', 's'), R('key', 'k'),
                     B(LOAD_ANY, 'acquire fence'), R('gen', 'h')]],
        'bad': lambda r: r['g'] == r['h'] and r['g'] != 1 and r['s'] != r['k'],
        'needs': {'release fence': ARM, 'release': ARM, 'acquire': ARM, 'acquire fence': ARM},
        'code': [('lib/umr/rte_umr_lookup.c', 'write_begin',
                  ['__atomic_store_n(gen', 'rte_atomic_thread_fence(__ATOMIC_RELEASE)']),
                 ('lib/umr/rte_umr_lookup.c', 'write_end', ['*gen + 1, __ATOMIC_RELEASE)']),
                 ('lib/umr/rte_umr_lookup.c', 'lookup',
                  ['__atomic_load_n(dev_gen, __ATOMIC_ACQUIRE)', 'table_find(',
                   'rte_atomic_thread_fence(__ATOMIC_ACQUIRE)', '__atomic_load_n(dev_gen'])],
    },
    'T2': {
        'threads': [[W('row', 1), W('table', 1, 'release', 'release')],
                    [R('table', 't', 'acquire', 'acquire'), R('row', 'r', dep='t')]],
        'bad': lambda r: r['t'] == 1 and r['r'] == 0,
        # The address of the row depends on the pointer.
        'needs': {'release': ARM, 'acquire': NONE},
        'code': [('lib/umr/rte_umr_lookup.c', 'table_grow',
                  ['table_link(', '__atomic_store_n(&devs[dev_id].table, table, __ATOMIC_RELEASE)']),
                 ('lib/umr/rte_umr_lookup.c', 'lookup',
                  ['__atomic_load_n(&devs[dev_id].table, __ATOMIC_ACQUIRE)'])],
    },
    'T3': {
        'threads': [[W('entry', 1), W('chunk', 1, 'release', 'release')],
                    [R('chunk', 'c', 'acquire', 'acquire'), R('entry', 'e', dep='c')]],
        'bad': lambda r: r['c'] == 1 and r['e'] == 0,
        'needs': {'release': ARM, 'acquire': NONE},
        'code': [(DRIVER + 'ring/key_table.c', 'chunk_get',
                  ['calloc(', '__atomic_store_n(&table->chunks[i], chunk, __ATOMIC_RELEASE)']),
                 (DRIVER + 'ring/key_table.h', 'mlx5_umr_key_table_get', ['__ATOMIC_ACQUIRE'])],
    },
    'T4': {
        'threads': [[W('status', 1), W('lost', 1, 'release', 'release')],
                    [R('lost', 'l'), B(LOAD_ANY, 'acquire fence'), R('status', 's')]],
        'bad': lambda r: r['l'] == 1 and r['s'] == 0,
        'needs': {'release': ARM, 'acquire fence': ARM},
        'code': [(DRIVER + 'ctrl/health.c', 'queue_tell', ['is_lost, true, __ATOMIC_RELEASE']),
                 (DRIVER + 'ctrl/health.c', 'lose', ['rte_umr_driver_dev_lost_set(', 'queue_tell(']),
                 (DRIVER + 'ring/cq.h', 'mlx5_umr_queue_see_lost',
                  ['mlx5_umr_queue_is_lost(', 'rte_atomic_thread_fence(__ATOMIC_ACQUIRE)'])],
    },
}


def function_of(text, name):
    """Body of a function, by the style of this project: the name begins a line."""
    found = re.search(r'^%s\(.*?^}' % re.escape(name), text, re.M | re.S)
    return found.group(0) if found else ''


def code_fault(top, file, function, parts):
    body = function_of((top / file).read_text(), function)
    if not body:
        return '%s has no function %s' % (file, function)
    at = 0
    for part in parts:
        at = body.find(part, at)
        if at < 0:
            return '%s: %s has no "%s" where it belongs' % (file, function, part)
        at += len(part)
    return None


def cases(top):
    """Name of each case, and what is wrong or None."""
    for name, test in TESTS.items():
        for cpu in CPUS:
            bad = is_reached(cpu, test['threads'], test)
            yield '%s_holds_on_%s' % (name, cpu), 'it does not' if bad else None
        for barrier, needed in test['needs'].items():
            less = without(test['threads'], barrier)
            by = {cpu for cpu in CPUS if is_reached(cpu, less, test)}
            yield ('%s_needs_%s' % (name, barrier.replace(' ', '_')),
                   None if by == needed else 'needed by %s' % (sorted(by) or 'none'))
        for file, function, parts in test['code']:
            yield '%s_is_in_%s' % (name, function), code_fault(top, file, function, parts)


def main():
    failed = 0
    for nb, (name, fault) in enumerate(cases(pathlib.Path(sys.argv[1])), 1):
        print('%s %u - %s' % ('ok' if fault is None else 'not ok', nb, name))
        if fault is not None:
            print('# ' + fault)
            failed += 1
    print('1..%u' % nb)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
