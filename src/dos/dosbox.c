// SPDX-License-Identifier: BSD-2-Clause
#include "dos/dosbox.h"

#include "base/path.h"
#include "dos/dosbox_counts.h"
#include "dos/dosbox_session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* DOSBox writes what it holds when it is told to end, and then ends at once. */
#define PATIENCE_S 5

/* What PROFIL says when it has measured. */
static const char ended[] = "\r\nProgram terminated normally\r\n";
static const char aborted[] = "\r\nProgram aborted\r\n";

void dosbox_done(struct dosbox_result *result)
{
	free(result->report);
	free(result->output);
	free(result->counts);
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

/* In the child: it ends with its parent, whatever ends that, and what a terminal says is said to
 * the parent alone, which reads what was counted first.  Returns only when it cannot become
 * DOSBox. */
static int become(char **arguments, const char *log, const sigset_t *mask, pid_t parent)
{
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(out, STDERR_FILENO) < 0)
		return errno;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)setpgid(0, 0);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(arguments[0], arguments);
	return errno;
}

/* What the child could not do comes through a pipe that closes when it is DOSBox. */
static int start(char **arguments, const char *log, const sigset_t *mask, pid_t *ret_pid)
{
	pid_t parent = getpid();
	int channel[2], problem = 0;

	if (pipe2(channel, O_CLOEXEC))
		return -errno;
	*ret_pid = fork();
	if (!*ret_pid) {
		problem = become(arguments, log, mask, parent);
		(void)!write(channel[1], &problem, sizeof(problem));
		_exit(EXIT_FAILURE);
	}
	close(channel[1]);
	if (*ret_pid < 0)
		problem = EAGAIN;
	else if (read(channel[0], &problem, sizeof(problem)) != sizeof(problem))
		problem = 0;
	else
		(void)waitpid(*ret_pid, NULL, 0);
	close(channel[0]);
	return -problem;
}

/* Ctrl-Z at a terminal stops both. */
static void stop_with(pid_t pid)
{
	(void)kill(pid, SIGSTOP);
	(void)raise(SIGSTOP);
	(void)kill(pid, SIGCONT);
}

/* The counts are read while nothing moves; then DOSBox may write what it holds and end. */
static void end(pid_t pid, int number, struct dosbox_result *result)
{
	siginfo_t info;

	(void)kill(pid, SIGSTOP);
	if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WEXITED | WNOWAIT) ||
	    info.si_code != CLD_STOPPED)
		return;
	if (!dosbox_counts(pid, &result->counts, &result->counts_size))
		result->status = 128 + number;
	(void)kill(pid, SIGTERM);
	(void)kill(pid, SIGCONT);
}

/* Whoever ends profil means DOSBox, too: the second time, and after a while, at once. */
static void wait_for(pid_t pid, const sigset_t *signals, struct dosbox_result *result)
{
	const struct timespec patience = {.tv_sec = PATIENCE_S};
	bool ending = false;

	while (!waitpid(pid, NULL, WNOHANG)) {
		int number = ending ? sigtimedwait(signals, NULL, &patience)
				    : sigwaitinfo(signals, NULL);

		if (number == SIGCHLD || (number < 0 && errno == EINTR))
			continue;
		if (number == SIGTSTP) {
			stop_with(pid);
		} else if (ending) {
			(void)kill(pid, SIGKILL);
		} else {
			end(pid, number, result);
			ending = true;
		}
	}
}

static int run(char **arguments, const char *log, struct dosbox_result *result,
	       struct error *reterr)
{
	static const int watched[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
	sigset_t signals, before;
	pid_t pid = -1;
	int ret;

	sigemptyset(&signals);
	for (size_t i = 0; i < sizeof(watched) / sizeof(*watched); i++)
		sigaddset(&signals, watched[i]);
	(void)signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &signals, &before);
	ret = start(arguments, log, &before, &pid);
	if (!ret)
		wait_for(pid, &signals, result);
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

static int run_dosbox(const struct dosbox_job *job, const char *folder,
		      struct dosbox_result *result, struct error *reterr)
{
	char *configuration = NULL, *log = NULL;
	int ret = -ENOMEM;

	if (asprintf(&configuration, "%s/" SESSION_CONFIGURATION, folder) >= 0 &&
	    asprintf(&log, "%s/" SESSION_LOG, folder) >= 0) {
		char *arguments[] = {"dosbox", "-noconsole", "-conf", configuration, NULL};

		set_environment(job, folder);
		ret = run(arguments, log, result, reterr);
	}
	free(configuration);
	free(log);
	return ret;
}

/* ---- what came of it ---- */

/* "DIR/prog.exe" to "DIR/PROG.PRF", as DOS creates it, or to what stands there in small letters. */
static char *report_path(const char *program)
{
	const char *name = path_base(program);
	int stem = (int)strcspn(name, ".");
	char *path, *small;

	if (asprintf(&path, "%.*s%.*s.PRF", (int)(name - program), program, stem, name) < 0)
		return NULL;
	for (char *at = path + (name - program); *at; at++)
		if (*at >= 'a' && *at <= 'z')
			*at = (char)(*at - 'a' + 'A');
	if (!access(path, F_OK) ||
	    asprintf(&small, "%.*s%.*s.prf", (int)(name - program), program, stem, name) < 0)
		return path;
	if (!access(small, F_OK)) {
		free(path);
		return small;
	}
	free(small);
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
				 "%s: DOSBox was ended before the program: nothing was measured%s",
				 job->program,
				 job->window ? "" : ": --window shows what it waits for");
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
	if (result->counts) {
		result->report = report_path(job->program);
		return result->report ? 0 : -ENOMEM;
	}
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
	ret = run_dosbox(job, folder, &result, reterr);
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
