/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * SIGSEGV and SIGBUS, shared by the engine and the program: sigaction(2) and its older variants
 * (signal_calls.c) are intercepted for these two, and the program's handler is called as the kernel
 * would.
 */

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/dma_direct.h"
#include "front/preload/preload.h"
#include "front/preload/signal_share.h"
#include "host/trap.h"

typedef int (*sigaction_fn)(int, const struct sigaction *, struct sigaction *);

/* Actions of the program for SIGSEGV and SIGBUS. */
static struct {
	atomic_flag lock;
	bool is_installed;
	struct sigaction program[2];
} shared = { .lock = ATOMIC_FLAG_INIT };

static int
shared_index(int sig)
{
	return sig == SIGSEGV ? 0 : sig == SIGBUS ? 1 : -1;
}

bool
swhca_signal_is_shared(int sig)
{
	return shared_index(sig) >= 0;
}

static int
real_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	static _Atomic(sigaction_fn) real;
	sigaction_fn fn = atomic_load(&real);

	if (fn == NULL) {
		fn = (sigaction_fn)dlsym(RTLD_NEXT, "sigaction");
		if (fn == NULL)
			abort();
		atomic_store(&real, fn);
	}
	return fn(sig, act, old);
}

/* Held for a few stores, with all signals blocked, as handlers may also take it. */
static void
shared_lock(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, old);
	while (atomic_flag_test_and_set_explicit(&shared.lock, memory_order_acquire))
		;
}

static void
shared_unlock(const sigset_t *old)
{
	atomic_flag_clear_explicit(&shared.lock, memory_order_release);
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

/* Get the program's action for a signal; a one-shot handler is reset by this. */
static struct sigaction
program_action(int sig)
{
	struct sigaction *slot = &shared.program[shared_index(sig)];
	struct sigaction act;
	sigset_t old;

	shared_lock(&old);
	act = *slot;
	if ((act.sa_flags & (int)SA_RESETHAND) != 0)
		slot->sa_handler = SIG_DFL;
	shared_unlock(&old);
	return act;
}

/*
 * Terminate by the default action: a fault is repeated after return, a sent signal must be resent.
 */
static void
die_of(int sig, bool is_sent)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t set;

	real_sigaction(sig, &dfl, NULL);
	if (!is_sent)
		return;
	sigemptyset(&set);
	sigaddset(&set, sig);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), sig);
}

static void
on_fault(int sig, siginfo_t *info, void *ctx)
{
	bool is_sent = info->si_code <= 0;
	int saved = errno;
	struct sigaction act;
	sigset_t mask;

	if (!is_sent)
		swhca_dma_direct_recover();
	if (!is_sent && swhca_trap_handle(info->si_addr, ctx)) {
		errno = saved;
		return;
	}
	if (is_sent && swhca_dma_direct_is_engine()) {
		/* Meant for the program: send it to the first thread, as any may take it. */
		syscall(SYS_tgkill, getpid(), getpid(), sig);
		errno = saved;
		return;
	}
	act = program_action(sig);
	if (act.sa_handler == SIG_IGN && is_sent)
		return;
	if (act.sa_handler == SIG_DFL || act.sa_handler == SIG_IGN) {
		die_of(sig, is_sent);
		errno = saved;
		return;
	}
	/* The kernel restores the old mask when this handler returns. */
	mask = act.sa_mask;
	if ((act.sa_flags & SA_NODEFER) == 0)
		sigaddset(&mask, sig);
	pthread_sigmask(SIG_BLOCK, &mask, NULL);
	errno = saved;
	if ((act.sa_flags & SA_SIGINFO) != 0)
		act.sa_sigaction(sig, info, ctx);
	else
		act.sa_handler(sig);
}

/*
 * Install our handler with the stack and SA_RESTART settings of the program; calls are also
 * restarted after a signal that it ignores.
 */
static int
handler_set(int sig, const struct sigaction *program)
{
	struct sigaction act = {
		.sa_sigaction = on_fault,
		.sa_flags = SA_SIGINFO | SA_NODEFER |
			    (program->sa_flags & (SA_ONSTACK | SA_RESTART)),
	};

	sigemptyset(&act.sa_mask);
	if (program->sa_handler == SIG_IGN)
		act.sa_flags |= SA_RESTART;
	return real_sigaction(sig, &act, NULL);
}

void
swhca_signal_install(void)
{
	static const int sigs[] = { SIGSEGV, SIGBUS };
	sigset_t old;

	shared_lock(&old);
	if (!shared.is_installed) {
		for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
			real_sigaction(sigs[i], NULL, &shared.program[i]);
			handler_set(sigs[i], &shared.program[i]);
		}
		shared.is_installed = true;
	}
	shared_unlock(&old);
}

void
swhca_signal_after_fork(void)
{
	/* Its holder is in the parent; the protected data is complete or was being copied. */
	atomic_flag_clear(&shared.lock);
}

EXPORT int
sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct sigaction new_act, old_act;
	int index = shared_index(sig);
	sigset_t mask;
	int ret = 0;

	if (index < 0)
		return real_sigaction(sig, act, old);
	if (act != NULL)
		new_act = *act;	/* act may be an invalid pointer: not under the lock */
	shared_lock(&mask);
	if (!shared.is_installed) {
		ret = real_sigaction(sig, act != NULL ? &new_act : NULL, &old_act);
	} else {
		old_act = shared.program[index];
		if (act != NULL) {
			shared.program[index] = new_act;
			ret = handler_set(sig, &new_act);
		}
	}
	shared_unlock(&mask);
	if (ret == 0 && old != NULL)
		*old = old_act;
	return ret;
}
