/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * libc calls other than sigaction(2) that set a handler. Inside libc they bypass the interception,
 * so each is implemented here by sigaction for the signals that the engine shares with the program.
 * For all other signals the functions of libc are called.
 */

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "front/preload/preload.h"
#include "front/preload/signal_share.h"

/* siginterrupt(3) setting of SIGSEGV, SIGBUS, used by signal(2). */
static _Atomic bool does_interrupt[2];

static _Atomic bool *
interrupt_of(int sig)
{
	return &does_interrupt[sig == SIGBUS];
}

/* Set an action that blocks the signal itself or nothing. @return Previous handler, or SIG_ERR. */
static sighandler_t
handler_set(int sig, sighandler_t handler, int flags)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = flags }, old;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	sigemptyset(&act.sa_mask);
	if ((flags & SA_NODEFER) == 0)
		sigaddset(&act.sa_mask, sig);
	return sigaction(sig, &act, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* BSD semantics: signal(2). */
#define SIGNAL_BSD(name)                                                                           \
	sighandler_t name(int sig, sighandler_t handler);                                          \
	EXPORT sighandler_t name(int sig, sighandler_t handler)                                    \
	{                                                                                          \
		REAL(sighandler_t, name, int, sighandler_t);                                       \
		if (!swhca_signal_is_shared(sig))                                                  \
			return real(sig, handler);                                                 \
		return handler_set(sig, handler,                                                   \
				   atomic_load(interrupt_of(sig)) ? 0 : SA_RESTART);               \
	}
/* System V: reset by one signal, which is not blocked meanwhile. */
#define SIGNAL_SYSV(name)                                                                          \
	sighandler_t name(int sig, sighandler_t handler);                                          \
	EXPORT sighandler_t name(int sig, sighandler_t handler)                                    \
	{                                                                                          \
		REAL(sighandler_t, name, int, sighandler_t);                                       \
		if (!swhca_signal_is_shared(sig))                                                  \
			return real(sig, handler);                                                 \
		return handler_set(sig, handler, (int)SA_RESETHAND | SA_NODEFER);                  \
	}

SIGNAL_BSD(signal)
SIGNAL_BSD(bsd_signal)
SIGNAL_BSD(ssignal)
SIGNAL_SYSV(sysv_signal)
/* signal() in a program that requests only POSIX. */
SIGNAL_SYSV(__sysv_signal)

/* Alias of sigaction() used by old libraries. */
int __sigaction(int sig, const struct sigaction *act, struct sigaction *old);

EXPORT int
__sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	return sigaction(sig, act, old);
}

/* Block or unblock a signal in this thread. @return Whether it was blocked. */
static bool
blocked_set(int sig, bool is_blocked)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, sig);
	pthread_sigmask(is_blocked ? SIG_BLOCK : SIG_UNBLOCK, &set, &old);
	return sigismember(&old, sig) == 1;
}

/* sigset(3): System V, reliable; SIG_HOLD blocks, and is returned if it was blocked before. */
EXPORT sighandler_t
sigset(int sig, sighandler_t handler)
{
	REAL(sighandler_t, sigset, int, sighandler_t);
	struct sigaction act = { .sa_handler = handler }, old;
	bool was_blocked;

	if (!swhca_signal_is_shared(sig))
		return real(sig, handler);
	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	sigemptyset(&act.sa_mask);
	if (sigaction(sig, handler == SIG_HOLD ? NULL : &act, &old) != 0)
		return SIG_ERR;
	was_blocked = blocked_set(sig, handler == SIG_HOLD);
	return was_blocked ? SIG_HOLD : old.sa_handler;
}

EXPORT int
sigignore(int sig)
{
	REAL(int, sigignore, int);
	struct sigaction act = { .sa_handler = SIG_IGN };

	if (!swhca_signal_is_shared(sig))
		return real(sig);
	sigemptyset(&act.sa_mask);
	return sigaction(sig, &act, NULL);
}

EXPORT int
siginterrupt(int sig, int interrupt)
{
	REAL(int, siginterrupt, int, int);
	struct sigaction act;

	if (!swhca_signal_is_shared(sig))
		return real(sig, interrupt);
	if (sigaction(sig, NULL, &act) != 0)
		return -1;
	atomic_store(interrupt_of(sig), interrupt != 0);
	if (interrupt != 0)
		act.sa_flags &= ~SA_RESTART;
	else
		act.sa_flags |= SA_RESTART;
	return sigaction(sig, &act, NULL);
}

/* sigvec(2) of 4.3BSD: removed from headers, but programs built before glibc 2.21 may call it. */
struct sigvec {
	sighandler_t sv_handler;
	int sv_mask;		/* bit n: signal n + 1 */
	int sv_flags;
};

#define SV_ONSTACK	1
#define SV_INTERRUPT	2
#define SV_RESETHAND	4
#define NB_MASK_BITS	32

static void
sigvec_to_action(const struct sigvec *vec, struct sigaction *act)
{
	int i;

	*act = (struct sigaction){
		.sa_handler = vec->sv_handler,
		.sa_flags = ((vec->sv_flags & SV_ONSTACK) != 0 ? SA_ONSTACK : 0) |
			    ((vec->sv_flags & SV_INTERRUPT) != 0 ? 0 : SA_RESTART) |
			    ((vec->sv_flags & SV_RESETHAND) != 0 ? (int)SA_RESETHAND : 0),
	};
	sigemptyset(&act->sa_mask);
	for (i = 0; i < NB_MASK_BITS; i++) {
		if (((unsigned int)vec->sv_mask >> i & 1) != 0)
			sigaddset(&act->sa_mask, i + 1);
	}
}

static void
action_to_sigvec(const struct sigaction *act, struct sigvec *vec)
{
	unsigned int mask = 0;
	int i;

	for (i = 0; i < NB_MASK_BITS; i++)
		mask |= sigismember(&act->sa_mask, i + 1) == 1 ? 1u << i : 0;
	*vec = (struct sigvec){
		.sv_handler = act->sa_handler,
		.sv_mask = (int)mask,
		.sv_flags = ((act->sa_flags & SA_ONSTACK) != 0 ? SV_ONSTACK : 0) |
			    ((act->sa_flags & SA_RESTART) != 0 ? 0 : SV_INTERRUPT) |
			    ((act->sa_flags & (int)SA_RESETHAND) != 0 ? SV_RESETHAND : 0),
	};
}

int sigvec(int sig, const struct sigvec *vec, struct sigvec *old);

EXPORT int
sigvec(int sig, const struct sigvec *vec, struct sigvec *old)
{
	struct sigaction act, old_act;

	if (vec != NULL)
		sigvec_to_action(vec, &act);
	if (sigaction(sig, vec != NULL ? &act : NULL, &old_act) != 0)
		return -1;
	if (old != NULL)
		action_to_sigvec(&old_act, old);
	return 0;
}
