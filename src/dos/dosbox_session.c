// SPDX-License-Identifier: BSD-2-Clause
#include "dos/dosbox_session.h"

#include "dos/program.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What DOS takes behind a program's name, PROFIL's own switches and the name included. */
#define TAIL_MAX 126
#define INPUT_MAX (16 << 20)

/* The clock of the emulated machine counts its instructions, so that they must be as many in each
 * millisecond: with a number that changes meanwhile, the early ones would weigh more.  No sound and
 * no other device that could ask for something; the 8086's core instruction by instruction, so that
 * a tick falls where the program is. */
static const char configuration[] = "[sdl]\n"
				    "output=surface\n"
				    "[dosbox]\n"
				    "memsize=16\n"
				    "[cpu]\n"
				    "core=normal\n"
				    "cycles=fixed %u\n"
				    "[mixer]\n"
				    "nosound=%s\n"
				    "[midi]\n"
				    "mpu401=none\n"
				    "mididevice=none\n"
				    "[joystick]\n"
				    "joysticktype=none\n"
				    "[autoexec]\n"
				    "@echo off\n"
				    "mount c \"%s\"\n"
				    "mount d \"%s\"\n"
				    "call d:\\GO.BAT\n"
				    "exit\n";

static FILE *create(const char *folder, const char *name)
{
	char *path;
	FILE *file;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return NULL;
	file = fopen(path, "we");
	free(path);
	return file;
}

static int finish(FILE *file)
{
	bool bad = ferror(file);

	return fclose(file) || bad ? -EIO : 0;
}

/* The folder of PROGRAM as an absolute path, heap; NULL where it is not to be found. */
static char *folder_of(const char *program)
{
	char *copy = strdup(program), *folder;

	folder = copy ? realpath(dirname(copy), NULL) : NULL;
	free(copy);
	return folder;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- the batch file ---- */

static int check_argument(const char *argument, struct error *reterr)
{
	for (const char *at = argument; *at; at++)
		if ((unsigned char)*at < ' ' || (unsigned char)*at > '~' || strchr("<>|%", *at))
			return error_set(reterr, -EINVAL,
					 "'%s': a word that DOS's command line cannot hold: leave "
					 "out < > | %% and what is not ASCII",
					 argument);
	return 0;
}

static int check_job(const struct dosbox_job *job, size_t *ret_length, struct error *reterr)
{
	const char *name = base_name(job->program);
	size_t length = strlen(name);
	int ret = 0;

	if (!dos_name_is_short(name))
		return error_set(reterr, -EINVAL,
				 "%s: not a name for DOS: give it eight characters, a dot, three",
				 job->program);
	for (char *const *argument = job->arguments; !ret && *argument; argument++) {
		ret = check_argument(*argument, reterr);
		length += strlen(*argument) + 1;
	}
	*ret_length = length;
	return ret;
}

/* "if errorlevel N" is true of N and above, and is all that a batch file knows of it. */
static void put_status(FILE *file)
{
	(void)fputs("set S=0\r\n", file); /* lint: prints into the batch file */
	for (int i = 1; i < 256; i++)
		(void)fprintf(file, "if errorlevel %d set S=%d\r\n", i, i); /* lint: prints */
	(void)fputs("echo %S%>d:\\" SESSION_STATUS "\r\n", file);	    /* lint: prints */
}

static int make_batch(const struct dosbox_job *job, const char *folder, struct error *reterr)
{
	char switches[64];
	size_t length = 0;
	FILE *file;
	int ret = check_job(job, &length, reterr);

	if (ret)
		return ret;
	(void)snprintf(switches, sizeof(switches), "/E /B:%u /T:%u", job->bucket_size,
		       job->interval_us);
	if (strlen(switches) + length + 2 > TAIL_MAX)
		return error_set(reterr, -EINVAL,
				 "%s: its words are longer than DOS's command line: give %zu "
				 "characters at most",
				 job->program, TAIL_MAX - 2 - strlen(switches));
	file = create(folder, "GO.BAT");
	if (!file)
		return -errno;
	(void)fprintf(file, "@echo off\r\nc:\r\nd:\\PROFIL %s %s", switches, /* lint: prints */
		      base_name(job->program));
	for (char *const *argument = job->arguments; *argument; argument++)
		(void)fprintf(file, " %s", *argument); /* lint: prints */
	if (!job->window)
		(void)fputs(" <d:\\IN.TXT >d:\\" SESSION_OUTPUT, file); /* lint: prints */
	(void)fputs("\r\n", file);					/* lint: prints */
	put_status(file);
	return finish(file);
}

/* ---- the other files ---- */

static int make_configuration(const struct dosbox_job *job, const char *folder,
			      struct error *reterr)
{
	char *program_folder = folder_of(job->program);
	FILE *file;
	int ret;

	if (!program_folder)
		return error_set(reterr, -errno, "%s: %s: name a program that is there",
				 job->program, strerror(errno));
	if (strchr(program_folder, '"') || strchr(program_folder, '\n')) {
		ret = error_set(reterr, -EINVAL,
				"%s: DOSBox cannot be told of a folder with \" in its name: "
				"rename it",
				program_folder);
		free(program_folder);
		return ret;
	}
	file = create(folder, SESSION_CONFIGURATION);
	if (file) {
		const char *silent = job->window ? "false" : "true";

		(void)fprintf(file, configuration, job->cycles, silent, /* lint: prints */
			      program_folder, folder);
	}
	ret = file ? finish(file) : -errno;
	free(program_folder);
	return ret;
}

static int copy_bytes(int from, FILE *to)
{
	char buffer[65536];
	size_t total = 0;
	ssize_t got;

	while ((got = read(from, buffer, sizeof(buffer))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		total += (size_t)got;
		if (total > INPUT_MAX)
			return -EFBIG;
		(void)fwrite(buffer, 1, (size_t)got, to);
	}
	return 0;
}

/* What standard input has, for the program to read; nothing of a terminal, which nobody sees the
 * questions of. */
static int make_input(const struct dosbox_job *job, const char *folder)
{
	FILE *file = create(folder, "IN.TXT");
	int ret = file ? 0 : -errno, closed;

	if (!ret && !job->window && !isatty(STDIN_FILENO))
		ret = copy_bytes(STDIN_FILENO, file);
	closed = file ? finish(file) : 0;
	return ret == -EBADF ? closed : ret ? ret : closed;
}

/* PROFIL.COM is in the build's folder or where it was installed, each as seen from profil itself.
 */
static int open_profil(void)
{
	static const char *const places[] = {"dos/PROFIL.COM", "../share/profil/dos/PROFIL.COM"};
	char self[4096], *path;
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int fd = -1;

	if (length < 0)
		return -1;
	self[length] = '\0';
	for (size_t i = 0; fd < 0 && i < sizeof(places) / sizeof(*places); i++) {
		if (asprintf(&path, "%.*s%s", (int)(base_name(self) - self), self, places[i]) < 0)
			return -1;
		fd = open(path, O_RDONLY | O_CLOEXEC);
		free(path);
	}
	return fd;
}

static int copy_profil(const char *folder, struct error *reterr)
{
	int fd = open_profil(), ret, closed;
	FILE *file;

	if (fd < 0)
		return error_set(reterr, -ENOENT,
				 "PROFIL.COM: not installed: build profil where there are bcc and "
				 "as86 (Debian: bcc)");
	file = create(folder, "PROFIL.COM");
	ret = file ? copy_bytes(fd, file) : -errno;
	closed = file ? finish(file) : 0;
	close(fd);
	return ret ? ret : closed;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)remove(path);
	return 0;
}

/* DOSBox may have made folders of its own in it. */
void session_remove(char *folder)
{
	if (folder)
		(void)nftw(folder, remove_one, /* descriptors= */ 8, FTW_DEPTH | FTW_PHYS);
	free(folder);
}

static char *new_folder(void)
{
	const char *temporary = getenv("TMPDIR");
	char *folder;

	if (asprintf(&folder, "%s/profil-dos-XXXXXX",
		     temporary && *temporary ? temporary : "/tmp") < 0)
		return NULL;
	if (mkdtemp(folder))
		return folder;
	free(folder);
	return NULL;
}

int session_make(const struct dosbox_job *job, char **ret_folder, struct error *reterr)
{
	char *folder = new_folder();
	int ret;

	if (!folder)
		return error_set(reterr, -errno, "a temporary folder: %s: set TMPDIR to another",
				 strerror(errno));
	*reterr = (struct error){""};
	ret = make_batch(job, folder, reterr);
	ret = ret ? ret : make_configuration(job, folder, reterr);
	ret = ret ? ret : copy_profil(folder, reterr);
	ret = ret ? ret : make_input(job, folder);
	if (!ret) {
		*ret_folder = folder;
		return 0;
	}
	if (!*reterr->text)
		(void)error_set(reterr, ret, "%s: %s: set TMPDIR to another folder", folder,
				strerror(-ret));
	session_remove(folder);
	return ret;
}

int session_read(const char *folder, const char *name, char **ret_text, size_t *ret_size)
{
	char *path, *text = NULL;
	size_t size = 0;
	FILE *out;
	int fd, ret;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ret = fd < 0 ? -errno : 0;
	free(path);
	if (ret)
		return ret;
	out = open_memstream(&text, &size);
	ret = out ? copy_bytes(fd, out) : -ENOMEM;
	if (out && fclose(out))
		ret = -ENOMEM;
	close(fd);
	if (ret) {
		free(text);
		return ret;
	}
	*ret_text = text;
	*ret_size = size;
	return 0;
}
