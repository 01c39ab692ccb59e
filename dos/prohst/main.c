/* SPDX-License-Identifier: BSD-2-Clause */
/* PROHST: list what PROFIL has written.  The listing is src/dos/prohst's. */
#include "base/dos.h"
#include "base/text.h"
#include "prohst/file.h"
#include "dos/prohst/listing.h"
#include "prohst/names.h"

#define TAIL_LENGTH 0x80
#define TAIL 0x81
#define TAIL_MAX 127

#define FAILED 1

static struct names names;
static struct file sums, rows, modules, lines, listing;

static int fail(const char *what, const char *name)
{
	dos_print(what);
	dos_print(name);
	dos_print("\r\n");
	return FAILED;
}

/* The words behind "PROHST", without a /M, which is looked for in front of them. */
static const char *command_line(char *line, int *ret_mended)
{
	unsigned i, length = far_peek(own_segment, TAIL_LENGTH) & 0xff;
	const char *start = line;

	for (i = 0; i < length && i < TAIL_MAX; i++)
		line[i] = far_peek(own_segment, TAIL + i) & 0xff;
	line[i] = 0;
	while (*start == ' ' || *start == 9)
		start++;
	*ret_mended = *start == '/' && text_upper(start[1]) == 'M';
	return *ret_mended ? start + 2 : start;
}

static int open_twice(struct file *first, struct file *second, const char *name)
{
	if (file_open(first, name) || file_open(second, name))
		return fail("Cannot open ", name);
	return 0;
}

static void say(void *context, const char *text)
{
	(void)context;
	dos_print(text);
	dos_print("\r\n");
}

static int list(struct prohst_files *files, int mended)
{
	int bad;

	if (file_create(&listing, names.name[NAME_LISTING]))
		return fail("Cannot create ", names.name[NAME_LISTING]);
	bad = prohst_list(files, !mended, /* unix_text= */ 0);
	if (file_close(&listing) && bad == 0) {
		dos_remove(names.name[NAME_LISTING]);
		return fail("Cannot write ", names.name[NAME_LISTING]);
	}
	if (bad == 0)
		return 0;
	dos_remove(names.name[NAME_LISTING]);
	return fail("Shorter than its header says: ", names.name[NAME_PROFILE]);
}

static void connect(struct prohst_input *input, struct file *file)
{
	input->next = file_next;
	input->context = file;
}

static int run(int mended)
{
	static struct prohst_files files;
	static struct prohst_complaint complaint;
	int has_map = !name_is_device(names.name[NAME_MAP], "NUL");

	if (name_is_device(names.name[NAME_MAP], "CON") ||
	    name_is_device(names.name[NAME_MAP], "USER"))
		return fail("Map file must not be terminal", "");
	if (name_is_device(names.name[NAME_LISTING], "NUL"))
		return fail("No histogram file specified", "");
	if (open_twice(&sums, &rows, names.name[NAME_PROFILE]) ||
	    (has_map && open_twice(&modules, &lines, names.name[NAME_MAP])))
		return FAILED;
	connect(&files.sums, &sums);
	connect(&files.rows, &rows);
	if (has_map) {
		connect(&files.modules, &modules);
		connect(&files.lines, &lines);
	}
	files.listing.put = file_put;
	files.listing.context = &listing;
	complaint.say = say;
	files.complaint = &complaint;
	return list(&files, mended);
}

int main(void)
{
	static char line[TAIL_MAX + 1];
	const char *words;
	int mended;

	dos_print("    Profile Histogram Utility - Version 1.0\r\n\r\n"
		  "         Copyright - Microsoft, 1983\r\n");
	words = command_line(line, &mended);
	if (names_read(&names, words))
		return FAILED;
	return run(mended);
}
