/* SPDX-License-Identifier: BSD-2-Clause */
/* Files a byte at a time, through a buffer, for the listing (prohst/stream.h of src). */
#ifndef FILE_H
#define FILE_H

#define FILE_BUFFER 512

struct file {
	unsigned handle;
	unsigned used, filled; /* bytes of the buffer: taken or put; read */
	int is_bad;	       /* a write failed */
	char buffer[FILE_BUFFER];
};

/* Returns 0, or DOS's error. */
unsigned file_open(struct file *file, const char *path);
unsigned file_create(struct file *file, const char *path);

/* The next byte, -1 at the end; and put one.  FILE is a struct file. */
int file_next(void *file);
void file_put(void *file, int byte);

/* Returns 0, or 1 where not everything that was put is in the file. */
int file_close(struct file *file);

#endif
