/* SPDX-License-Identifier: BSD-2-Clause */
/* PROFIL: run a DOS program and count at every tick of a clock where it is.
 * This file is the order of things, which is the original's: what is asked and said comes when it
 * always did. */
#include "base/dos.h"
#include "base/text.h"
#include "profil/area.h"
#include "profil/child.h"
#include "profil/clock.h"
#include "profil/count.h"
#include "profil/dialogue.h"
#include "profil/image.h"
#include "profil/message.h"
#include "profil/options.h"
#include "profil/path.h"
#include "profil/report.h"

#define PSP_TAIL 0x80
#define NO_SUCH_FILE 2
#define NO_SUCH_PATH 3
#define NO_ACCESS 5
#define NO_MEMORY 8
#define FAILED 1

static struct options options;
static char report_path[PATH_SIZE];
static char tail[TAIL_SIZE];
static struct vector divide_vector;
static unsigned exit_code; /* the program's */

static int fail(const char *message)
{
	dos_print(message);
	return FAILED;
}

static int bad_switch(const char *word)
{
	dos_print(BAD_SWITCH_BEFORE);
	dos_print(word);
	return fail(BAD_SWITCH_AFTER);
}

static int help(void)
{
	dos_print(HELP_USAGE);
	dos_print(HELP_SWITCHES);
	dos_print(HELP_END);
	return 0;
}

/* The own command line, zero-terminated. */
static const char *command_line(void)
{
	unsigned char *length = (unsigned char *)PSP_TAIL;

	length[*length + 1] = 0;
	return (const char *)length + 1;
}

/* The program's command tail: its length, the text, a CR. */
static void make_tail(const char *text)
{
	unsigned length = text_length(text);

	if (length > TAIL_SIZE - 2)
		length = TAIL_SIZE - 2;
	text_put(tail + 1, text);
	tail[0] = length;
	tail[length + 1] = '\r';
}

/* Open the program and see that its report can be written.  Returns 0 and RET_HANDLE, or what there
 * is to say. */
static const char *open_files(unsigned *ret_handle)
{
	const char *ending = path_extension(options.name);

	if (path_of_report(options.name, report_path) || dos_open(options.name, ret_handle))
		return NO_FILE;
	/* A program called .PRF would be overwritten by its own report. */
	if (text_same(ending, ".PRF") || text_same(ending, ".PR$") || report_check(report_path))
		return NO_OUTPUT;
	return 0;
}

/* Ask for what was not given.  Returns 0 and the size of the program, or FAILED for a bad .EXE. */
static int ask(unsigned program, unsigned *ret_paragraphs)
{
	if (!options.bucket_size)
		options.bucket_size = dialogue_number(ASK_BUCKET_SIZE, 1);
	if (image_size(program, options.name, ret_paragraphs))
		return FAILED;
	if (!options.microseconds)
		options.microseconds = dialogue_number(ASK_INTERVAL, 60);
	make_tail(options.asks ? dialogue_line(ASK_PARAMETERS) : options.rest);
	return 0;
}

/* What there is to say when DOS does not load the program. */
static const char *load_problem(unsigned problem)
{
	if (problem == NO_MEMORY)
		return TOO_BIG;
	if (problem == NO_SUCH_FILE || problem == NO_SUCH_PATH || problem == NO_ACCESS)
		return NO_FILE;
	return BAD_EXE;
}

/* Load the program and fill in the head of the report.  Returns 0, or what there is to say. */
static const char *prepare(unsigned paragraphs, struct child_start *start)
{
	unsigned problem;

	if (!image_is_whole())
		return BAD_EXE;
	if (!image_fits() || area_take_buckets(paragraphs, options.bucket_size))
		return TOO_BIG;
	problem = child_prepare(options.name, tail, start);
	if (problem)
		return load_problem(problem);
	area_set_program(start->psp, paragraphs);
	area_find_dos();
	if (options.has_dos_segment)
		report_header.dos_pa = options.dos_segment;
	counters_wrap = options.wrap;
	return 0;
}

/* Run the program with the clock on.  Returns whether PROFIL must stay in memory behind it;
 * RET_ABORTED as child_enter(). */
static int run(const struct child_start *start, int *ret_aborted)
{
	struct clock *clock = options.real_time_clock ? &rtc_clock : &pit_clock;
	int resident, stays;

	divide_vector.number = 0;
	divide_vector.handler = (unsigned)child_divide_error;
	clock_leave = clock->leave;
	interrupts_off();
	vector_take(&divide_vector);
	vector_take(&clock->vector);
	report_header.clock_grain = clock->on(options.microseconds);
	count_mark.self = (unsigned)&count_mark;
	count_mark.segment = own_segment;
	count_mark.header = (unsigned)&report_header;
	count_mark.buckets = bucket_segment;
	count_mark.counting = 1;
	*ret_aborted = child_enter(start);
	count_mark.counting = 0;
	clock->off();
	interrupts_on();
	resident = child_is_resident(&exit_code);
	interrupts_off();
	stays = vector_give_back(&clock->vector, resident);
	stays |= vector_give_back(&divide_vector, resident);
	interrupts_on();
	return stays;
}

/* Say how the program ended and write the report.  Returns PROFIL's own exit code. */
static int finish(int aborted)
{
	dos_print(aborted ? ABORTED : TERMINATED);
	if (counter_was_full)
		dos_print(WAS_FULL);
	if (report_write(report_path))
		return fail(NOT_WRITTEN);
	return options.exit_code ? exit_code : 0;
}

/* Measure the program whose file is open, from the first question on. */
static int measure(unsigned program)
{
	struct child_start start;
	unsigned paragraphs;
	const char *problem;
	int aborted, stays, code;

	code = ask(program, &paragraphs);
	dos_close(program);
	if (code)
		return fail(BAD_EXE);
	problem = prepare(paragraphs, &start);
	if (problem)
		return fail(problem);
	stays = run(&start, &aborted);
	code = finish(aborted);
	if (stays)
		dos_keep(code);
	return code;
}

int main(void)
{
	const char *wrong = options_read(command_line(), &options);
	const char *problem;
	unsigned program;

	if (wrong)
		return bad_switch(wrong);
	if (options.help)
		return help();
	if (options.real_time_clock && !rtc_present())
		return fail(NO_CLOCK);
	problem = open_files(&program);
	return problem ? fail(problem) : measure(program);
}
