// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/naming.h"

#include "analysis/names.h"
#include "base/lent.h"
#include "profile/pprof.h"
#include "symbol/symbol.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the process of its own.  Returns an errno, which is its exit status. */
static int name_and_send(struct profile *profile, int fd)
{
	struct symbols_options options = {};
	struct symbols *symbols;
	struct error why;
	int r = lent_keep(0);

	if (!r)
		r = symbols_open(&options, &symbols, &why);
	if (!r)
		r = names_resolve(profile, symbols);
	return -(r ? r : pprof_send(profile, fd));
}

/* Returns 0, or -errno with a sentence. */
static int wait_for(pid_t pid, struct error *reterr)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_set(reterr, -errno, "names: lost the process: %s: try again",
					 strerror(errno));
	if (WIFSIGNALED(status))
		return error_set(reterr, -ECHILD,
				 "names: reading debug information ended with signal %d: 'profil "
				 "report' will try again",
				 WTERMSIG(status));
	if (WEXITSTATUS(status))
		return error_set(reterr, -WEXITSTATUS(status),
				 "names: %s: 'profil report' will try again",
				 strerror(WEXITSTATUS(status)));
	return 0;
}

/* By its descriptor alone: there need be no /proc to give it a name. */
static int receive(int fd, struct profile **profile, struct error *reterr)
{
	struct profile *named;
	off_t size = lseek(fd, 0, SEEK_END);
	void *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	int r;

	if (bytes == MAP_FAILED)
		return error_set(reterr, -errno, "names: %s: 'profil report' will try again",
				 strerror(errno));
	r = pprof_parse("names", bytes, (size_t)size, &named, reterr);
	(void)munmap(bytes, (size_t)size);
	if (r)
		return r;
	profile_free(*profile);
	*profile = named;
	return 0;
}

int naming_apart(struct profile **profile, struct error *reterr)
{
	int fd = memfd_create("profil-names", MFD_CLOEXEC), r;
	pid_t pid = fd < 0 ? -1 : fork();

	if (!pid)
		_exit(name_and_send(*profile, fd));
	if (pid < 0)
		r = error_set(reterr, -errno, "names: no process for them: %s: free some memory",
			      strerror(errno));
	else
		r = wait_for(pid, reterr);
	if (!r)
		r = receive(fd, profile, reterr);
	if (fd >= 0)
		close(fd);
	return r;
}
