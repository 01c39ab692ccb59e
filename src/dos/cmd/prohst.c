// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "base/path.h"
#include "base/visible.h"
#include "profile/replace.h"
#include "dos/prohst/listing.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The files as names, and as they are read: each twice, see dos/prohst/listing.h. */
struct job {
	bool original;
	const char *profile, *listing, *map; /* map: NULL, none */
	FILE *inputs[4];
	char *text; /* the listing; heap */
	size_t size;
	unsigned complaints;
	char complaint[64]; /* the first */
};

const struct option_row prohst_options[] = {
	{0, "original", NULL, "byte for byte as PROHST 1.0 had it, faults and all", "Options",
	 SETS(struct job, original, true)},
	OPTION_HELP_ROW,
	{0},
};

static int next_byte(void *context)
{
	return getc((FILE *)context);
}

static void put_byte(void *context, int byte)
{
	(void)putc(byte, (FILE *)context);
}

static void take_complaint(void *context, const char *text)
{
	struct job *job = context;

	if (!job->complaints++)
		(void)snprintf(job->complaint, sizeof(job->complaint), "%s", text);
}

/* "DIR/PROG.PRF" to "DIR/PROG.HST", in small letters where the old ending has them. */
static char *listing_name(const char *profile)
{
	const char *dot = strrchr(path_base(profile), '.');
	size_t length = dot ? (size_t)(dot - profile) : strlen(profile);
	bool small = dot && !strcmp(dot, ".prf");
	char *name;

	if (asprintf(&name, "%.*s%s", (int)length, profile, small ? ".hst" : ".HST") < 0)
		return NULL;
	return name;
}

static bool is_standard_output(const struct job *job)
{
	return !strcmp(job->listing, "-");
}

static int open_input(struct job *job, int index, const char *path)
{
	struct stat status;

	if (!path)
		return 0;
	job->inputs[index] = fopen(path, "re");
	if (!job->inputs[index])
		return cmd_fail("%s: %s: name a file that can be read", path, strerror(errno));
	if (fstat(fileno(job->inputs[index]), &status) || !S_ISREG(status.st_mode))
		return cmd_fail("%s: not a regular file: it is read more than once", path);
	return 0;
}

static int open_inputs(struct job *job)
{
	const char *const paths[] = {job->profile, job->profile, job->map, job->map};
	int status = 0;

	for (int i = 0; i < 4 && !status; i++)
		status = open_input(job, i, paths[i]);
	return status;
}

/* A listing in the place of what it is made from would be the end of that. */
static int check_listing(const struct job *job)
{
	struct stat listing, input;

	if (is_standard_output(job) || stat(job->listing, &listing))
		return 0;
	for (int i = 0; i < 4; i++)
		if (job->inputs[i] && !fstat(fileno(job->inputs[i]), &input) &&
		    input.st_dev == listing.st_dev && input.st_ino == listing.st_ino)
			return cmd_fail("%s: is what the listing is made from: name another file "
					"for the listing",
					job->listing);
	return 0;
}

static struct prohst_input input_of(FILE *file)
{
	return (struct prohst_input){file ? next_byte : NULL, file};
}

/* Make the listing in memory, so that nothing is written of one that cannot be made. */
static int list(struct job *job)
{
	const struct prohst_complaint complaint = {take_complaint, job};
	FILE *text = open_memstream(&job->text, &job->size);
	struct prohst_files files = {
		.sums = input_of(job->inputs[0]),
		.rows = input_of(job->inputs[1]),
		.modules = input_of(job->inputs[2]),
		.lines = input_of(job->inputs[3]),
		.listing = {put_byte, text},
		.complaint = &complaint,
	};
	int ret;

	if (!text)
		return cmd_fail("%s: out of memory: free some", job->profile);
	ret = prohst_list(&files, job->original, is_standard_output(job) && !job->original);
	if (fclose(text) || !job->text)
		return cmd_fail("%s: out of memory: free some", job->profile);
	if (ret < 0)
		return cmd_fail("%s: shorter than its header says: is it a .PRF of PROFIL?",
				job->profile);
	return 0;
}

static int put_listing(const struct job *job)
{
	struct error why;
	FILE *out;

	if (is_standard_output(job)) {
		out = visible_open(stdout); /* a MAP file's names are as they are */
		if (!out)
			return cmd_fail("%s: out of memory: free some", job->profile);
		(void)fwrite(job->text, 1, job->size, out);
		(void)visible_close(out, stdout); /* main() says what went wrong */
		return 0;
	}
	if (replace_with(job->listing, /* how= */ 0, job->text, job->size, &why))
		return cmd_fail("%s", why.text);
	return 0;
}

static int run_job(struct job *job)
{
	int status = open_inputs(job);

	status = status ? status : check_listing(job);
	status = status ? status : list(job);
	status = status ? status : put_listing(job);
	if (!status && job->complaints)
		(void)fprintf(stderr,
			      "profil: %s: %s (%u times): what could not be read stands as 0\n",
			      job->map, job->complaint, job->complaints);
	for (int i = 0; i < 4; i++)
		if (job->inputs[i])
			(void)fclose(job->inputs[i]);
	free(job->text);
	return status;
}

int command_prohst(int argc, char **argv)
{
	struct job job = {0};
	char *usual;
	int first, status;

	first = options_read(command_find("prohst"), argc, argv, &job);
	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (first == argc)
		return cmd_fail("prohst: no file: name a .PRF: see 'profil help prohst'");
	if (argc - first > 3)
		return cmd_fail("prohst: '%s' is one word too many: give a .PRF, a .HST, a .MAP",
				argv[first + 3]);
	usual = listing_name(argv[first]);
	if (!usual)
		return cmd_fail("out of memory: free some");
	job.profile = argv[first];
	job.listing = argc - first > 1 && *argv[first + 1] ? argv[first + 1] : usual;
	job.map = argc - first > 2 ? argv[first + 2] : NULL;
	status = run_job(&job);
	free(usual);
	return status;
}
