/* SPDX-License-Identifier: BSD-2-Clause */
/* DOS, as a program in C calls it: INT 21h since DOS 2.0, and memory in other segments.
 * An unsigned has 16 bits.  Nothing here may be called from an interrupt but far_peek() and
 * far_poke(), for DOS itself cannot. */
#ifndef DOS_H
#define DOS_H

/* Set by start.s: the segment of code, data, stack and PSP, and how many paragraphs from there on
 * the program takes. */
extern unsigned own_segment;
extern unsigned own_paragraphs;

/* The registers of one call, in the order that call.s knows. */
struct dos_registers {
	unsigned ax, bx, cx, dx, si, di, ds, es;
};

/* Call INT 21h with REGISTERS and put there what they are afterwards, but for DS.
 * Returns 0, or 1 when DOS came back with the carry set, AX being its error. */
int dos_call(struct dos_registers *registers);

/* The word at SEGMENT:OFFSET. */
unsigned far_peek(unsigned segment, unsigned offset);
void far_poke(unsigned segment, unsigned offset, unsigned word);

/* Set COUNT paragraphs of 16 bytes from SEGMENT on to zero. */
void far_clear(unsigned segment, unsigned count);

void interrupts_off(void);
void interrupts_on(void);

/* Write the zero-terminated TEXT to standard output. */
void dos_print(const char *text);

/* Read a line with DOS's own editing into LINE, whose first byte is its size with the CR; the text
 * follows from line[2] on and ends with a CR. */
void dos_read_line(char *line);

/* Open PATH for reading, or create it empty for writing.
 * Returns 0 and the handle in RET_HANDLE, or DOS's error. */
unsigned dos_open(const char *path, unsigned *ret_handle);
unsigned dos_create(const char *path, unsigned *ret_handle);

void dos_remove(const char *path);

/* Give FROM the name TO, which must not be there, on the same drive.  Returns 0, or DOS's error. */
unsigned dos_rename(const char *from, const char *to);

/* Whether PATH is there and cannot be written: a folder, or a file for reading only. */
int dos_is_protected(const char *path);

/* Returns 0, or DOS's error: what was written is only sure after this. */
unsigned dos_close(unsigned handle);

/* Read up to SIZE bytes; returns how many, 0 when there are no more or an error. */
unsigned dos_read(unsigned handle, char *buffer, unsigned size);

/* Write SIZE bytes at SEGMENT:OFFSET.  Returns 0, or 1 when they were not all written. */
int dos_write(unsigned handle, unsigned segment, unsigned offset, unsigned size);

/* The length of an open file in bytes; moves its position to the end. */
void dos_length(unsigned handle, unsigned *ret_low, unsigned *ret_high);

/* The current drive, 0 for A:, and the current folder of DRIVE without the backslash in front;
 * FOLDER has room for 64 bytes. */
unsigned dos_drive(void);
void dos_folder(unsigned drive, char *folder);

/* Make the block of memory at the own PSP PARAGRAPHS long.  Returns 0, or DOS's error. */
unsigned dos_resize(unsigned paragraphs);

/* End the program with CODE and leave it in memory, but for what is above own_paragraphs.  Does not
 * return. */
void dos_keep(unsigned code);

#endif
