// SPDX-License-Identifier: BSD-2-Clause
#include "target/dosbox.h"

#include "target/dosbox_session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* What PROFIL says when it has measured. */
static const char ended[] = "\r\nProgram terminated normally\r\n";
static const char aborted[] = "\r\nProgram aborted\r\n";

void dosbox_done(struct dosbox_result *result)
{
	free(result->report);
	free(result->output);
	*result = (struct dosbox_result){0};
}

/* ---- the process ---- */

/* Without a window there is no screen, no sound, and no configuration of the user's. */
static void set_environment(const struct dosbox_job *job, const char *folder)
{
	if (job->window)
		return;
	(void)setenv("SDL_VIDEODRIVER", "dummy", 1);
	(void)setenv("SDL_AUDIODRIVER", "dummy", 1);
	(void)setenv("HOME", folder, 1);
}

static int add_log(posix_spawn_file_actions_t *actions, const char *log)
{
	int ret = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

	if (!ret)
		ret = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, log,
						       O_WRONLY | O_CREAT | O_TRUNC, 0600);
	return ret ? ret : posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO);
}

static int start(char **arguments, const char *log, const sigset_t *mask, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int ret = posix_spawn_file_actions_init(&actions);

	if (ret)
		return -ret;
	ret = posix_spawnattr_init(&attributes);
	if (!ret) {
		(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
		(void)posix_spawnattr_setsigmask(&attributes, mask);
		ret = add_log(&actions, log);
		if (!ret)
			ret = posix_spawnp(ret_pid, arguments[0], &actions, &attributes, arguments,
					   environ);
		(void)posix_spawnattr_destroy(&attributes);
	}
	(void)posix_spawn_file_actions_destroy(&actions);
	return -ret;
}

/* Whoever ends profil means DOSBox, too; a terminal has told it already. */
static void wait_for(pid_t pid, const sigset_t *signals)
{
	siginfo_t info;

	while (!waitpid(pid, NULL, WNOHANG)) {
		int number = sigwaitinfo(signals, &info);

		if (number > 0 && number != SIGCHLD)
			(void)kill(pid, SIGTERM);
	}
}

static int run(char **arguments, const char *log, struct error *reterr)
{
	static const int watched[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t signals, before;
	pid_t pid;
	int ret;

	sigemptyset(&signals);
	for (size_t i = 0; i < sizeof(watched) / sizeof(*watched); i++)
		sigaddset(&signals, watched[i]);
	(void)signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &signals, &before);
	ret = start(arguments, log, &before, &pid);
	if (!ret)
		wait_for(pid, &signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (ret == -ENOENT)
		return error_set(reterr, ret,
				 "dosbox: not installed: a DOS program runs in it: install it "
				 "(Debian: dosbox)");
	if (ret)
		return error_set(reterr, ret, "dosbox: %s: see that it runs by itself",
				 strerror(-ret));
	return 0;
}

static int run_dosbox(const struct dosbox_job *job, const char *folder, struct error *reterr)
{
	char *configuration = NULL, *log = NULL;
	int ret = -ENOMEM;

	if (asprintf(&configuration, "%s/" SESSION_CONFIGURATION, folder) >= 0 &&
	    asprintf(&log, "%s/" SESSION_LOG, folder) >= 0) {
		char *arguments[] = {"dosbox", "-noconsole", "-conf", configuration, NULL};

		set_environment(job, folder);
		ret = run(arguments, log, reterr);
	}
	free(configuration);
	free(log);
	return ret;
}

/* ---- what came of it ---- */

/* "DIR/prog.exe" to "DIR/PROG.PRF", as DOS has created it, or to what stands there in other
 * letters. */
static char *report_path(const char *program)
{
	const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
	int stem = (int)strcspn(name, ".");
	char *path;

	if (asprintf(&path, "%.*s%.*s.PRF", (int)(name - program), program, stem, name) < 0)
		return NULL;
	for (char *at = path + (name - program); *at; at++)
		if (*at >= 'a' && *at <= 'z')
			*at = (char)(*at - 'a' + 'A');
	if (!access(path, F_OK))
		return path;
	free(path);
	if (asprintf(&path, "%.*s%.*s.prf", (int)(name - program), program, stem, name) < 0)
		return NULL;
	return path;
}

static void look_at(const char *program, struct stat *ret_status)
{
	char *path = report_path(program);

	memset(ret_status, 0, sizeof(*ret_status));
	if (path && stat(path, ret_status))
		memset(ret_status, 0, sizeof(*ret_status));
	free(path);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* PROFIL's own last words are cut from behind the program's. */
static bool cut_words(struct dosbox_result *result)
{
	const char *const words[] = {ended, aborted};

	for (size_t i = 0; i < 2; i++) {
		size_t length = strlen(words[i]);
		char *found = NULL, *at = result->output, *next;

		while ((next = memmem(at, result->output_size - (size_t)(at - result->output),
				      words[i], length))) {
			found = next;
			at = next + 1;
		}
		if (!found)
			continue;
		result->output_size = (size_t)(found - result->output);
		*found = '\0';
		result->aborted = i == 1;
		return true;
	}
	return false;
}

static int refusal(const struct dosbox_job *job, struct dosbox_result *result, struct error *reterr)
{
	const char *words = result->output ? result->output : "";
	size_t length;

	words += strspn(words, "\r\n");
	length = strcspn(words, "\r\n");
	if (!length)
		return error_set(reterr, -ECANCELED,
				 "%s: DOSBox was ended before the program: nothing was measured",
				 job->program);
	return error_set(reterr, -ENOEXEC, "%s: PROFIL: %.*s: nothing was measured", job->program,
			 (int)length, words);
}

static int collect(const struct dosbox_job *job, const char *folder, const struct stat *before,
		   struct dosbox_result *result, struct error *reterr)
{
	char *status = NULL;
	struct stat after;
	size_t size;
	bool measured;

	if (!job->window)
		(void)session_read(folder, SESSION_OUTPUT, &result->output, &result->output_size);
	measured = job->window || (result->output && cut_words(result));
	look_at(job->program, &after);
	if (!measured || !after.st_ino || is_same(before, &after))
		return refusal(job, result, reterr);
	if (!session_read(folder, SESSION_STATUS, &status, &size))
		result->status = (int)strtol(status, NULL, 10) & 0xff;
	free(status);
	result->report = report_path(job->program);
	return result->report ? 0 : -ENOMEM;
}

int dosbox_measure(const struct dosbox_job *job, struct dosbox_result *ret_result,
		   struct error *reterr)
{
	struct dosbox_result result = {0};
	struct stat before;
	char *folder;
	int ret = session_make(job, &folder, reterr);

	if (ret)
		return ret;
	look_at(job->program, &before);
	ret = run_dosbox(job, folder, reterr);
	ret = ret ? ret : collect(job, folder, &before, &result, reterr);
	session_remove(folder);
	if (ret == -ENOMEM)
		(void)error_set(reterr, ret, "%s: out of memory: close something", job->program);
	if (ret)
		dosbox_done(&result);
	else
		*ret_result = result;
	return ret;
}
