/* SPDX-License-Identifier: BSD-2-Clause */
#include "prohst/file.h"

#include "base/dos.h"

static void begin(struct file *file)
{
	file->used = 0;
	file->filled = 0;
	file->is_bad = 0;
}

unsigned file_open(struct file *file, const char *path)
{
	begin(file);
	return dos_open(path, &file->handle);
}

unsigned file_create(struct file *file, const char *path)
{
	begin(file);
	return dos_create(path, &file->handle);
}

int file_next(void *context)
{
	struct file *file = context;

	if (file->used == file->filled) {
		file->filled = dos_read(file->handle, file->buffer, FILE_BUFFER);
		file->used = 0;
	}
	return file->filled ? file->buffer[file->used++] & 0xff : -1;
}

static void flush(struct file *file)
{
	if (file->used && dos_write(file->handle, own_segment, (unsigned)file->buffer, file->used))
		file->is_bad = 1;
	file->used = 0;
}

void file_put(void *context, int byte)
{
	struct file *file = context;

	file->buffer[file->used++] = byte;
	if (file->used == FILE_BUFFER)
		flush(file);
}

int file_close(struct file *file)
{
	if (!file->filled)
		flush(file);
	return dos_close(file->handle) || file->is_bad;
}
