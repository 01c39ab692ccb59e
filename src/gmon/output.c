// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BUFFER_SIZE 65536
#define TEMPORARY_TRIES 1000

static struct text unfinished;

void text_add(struct text *text, const char *more)
{
	size_t length = strlen(more);

	if (text->length + length >= sizeof(text->start)) {
		text->is_cut = true;
		return;
	}
	memcpy(text->start + text->length, more, length + 1);
	text->length += length;
}

void text_add_number(struct text *text, unsigned long number)
{
	char digits[24] = {0}, *first = digits + sizeof(digits) - 1;

	do {
		*--first = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	text_add(text, first);
}

/* There is nobody to tell that nobody can be told. */
void output_complain(const char *what, const char *why, const char *what_to_do)
{
	struct text line = {.length = 0};
	int code = errno;

	text_add(&line, "profil: ");
	text_add(&line, what);
	text_add(&line, ": ");
	text_add(&line, why);
	text_add(&line, ": ");
	text_add(&line, what_to_do);
	text_add(&line, "\n");
	if (write(STDERR_FILENO, line.start, line.length) < 0)
		errno = code;
	errno = code;
}

/* Beside PATH, for only there can it take its place. */
static void name_temporary(struct text *temporary, const struct text *path, unsigned attempt)
{
	const char *slash = strrchr(path->start, '/');
	size_t folder = slash ? (size_t)(slash - path->start) + 1 : 0;

	memcpy(temporary->start, path->start, folder);
	temporary->start[folder] = '\0';
	temporary->length = folder;
	temporary->is_cut = path->is_cut;
	text_add(temporary, ".gmon-");
	text_add_number(temporary, (unsigned long)getpid());
	text_add(temporary, "-");
	text_add_number(temporary, attempt);
}

static int open_temporary(struct output *output, const struct text *path)
{
	for (unsigned attempt = 0; attempt < TEMPORARY_TRIES; attempt++) {
		name_temporary(&output->temporary, path, attempt);
		if (output->temporary.is_cut)
			return -ENAMETOOLONG;
		/* Known before it is there, to a signal that comes right then. */
		unfinished = output->temporary;
		output->fd = open(output->temporary.start,
				  O_WRONLY | O_CREAT | O_EXCL | O_NOCTTY | O_CLOEXEC, 0666);
		if (output->fd >= 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

int output_open(struct output *output, const struct text *path)
{
	void *buffer =
		mmap(NULL, BUFFER_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ret;

	output->fd = -1;
	output->error = 0;
	output->used = 0;
	if (buffer == MAP_FAILED)
		return -ENOMEM;
	output->buffer = buffer;
	ret = open_temporary(output, path);
	if (ret)
		(void)munmap(buffer, BUFFER_SIZE);
	return ret;
}

static void flush(struct output *output)
{
	for (size_t done = 0; done < output->used && !output->error;) {
		ssize_t ret = write(output->fd, output->buffer + done, output->used - done);

		if (ret >= 0)
			done += (size_t)ret;
		else if (errno != EINTR)
			output->error = -errno;
	}
	output->used = 0;
}

void output_bytes(struct output *output, const void *bytes, size_t size)
{
	const char *from = bytes;

	while (size) {
		size_t fits = BUFFER_SIZE - output->used;

		fits = size < fits ? size : fits;
		memcpy(output->buffer + output->used, from, fits);
		output->used += fits;
		from += fits;
		size -= fits;
		if (output->used == BUFFER_SIZE)
			flush(output);
	}
}

int output_close(struct output *output, const struct text *path)
{
	flush(output);
	(void)munmap(output->buffer, BUFFER_SIZE);
	if (close(output->fd) && !output->error)
		output->error = -errno;
	if (!output->error && rename(output->temporary.start, path->start))
		output->error = -errno;
	if (output->error)
		(void)unlink(output->temporary.start);
	return output->error;
}

void output_unfinished(struct text *ret_temporary)
{
	*ret_temporary = unfinished;
}

/* One that has been put in its place has no other name any more. */
void output_remove(const struct text *temporary)
{
	if (temporary->length)
		(void)unlink(temporary->start);
}
