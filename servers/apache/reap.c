/*
 * Preloaded into Apache, so that the CPU time of CGI programs is counted. The daemon that starts them (mod_cgid) ignores
 * SIGCHLD, and Linux adds the times of children that nobody waits for to nobody's (times(2), wait(2)). Who ignores
 * SIGCHLD waits for its children here instead; nothing else differs.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

typedef int set_action(int, const struct sigaction *, struct sigaction *);

static void wait_for_children(int number)
{
	int kept = errno;

	(void)number;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	errno = kept;
}

int sigaction(int number, const struct sigaction *wanted, struct sigaction *before)
{
	static set_action *next;
	struct sigaction waiting;

	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "sigaction");
	if (number == SIGCHLD && wanted != NULL && wanted->sa_handler == SIG_IGN) {
		waiting = *wanted;
		waiting.sa_handler = wait_for_children;
		waiting.sa_flags |= SA_RESTART | SA_NOCLDSTOP;
		wanted = &waiting;
	}
	return next(number, wanted, before);
}
