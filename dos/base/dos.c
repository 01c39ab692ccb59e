/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/dos.h"

#include "base/text.h"

#define STANDARD_OUTPUT 1

/* Attributes of a file. */
#define READ_ONLY 0x01
#define FOLDER 0x10

/* Registers for the call FUNCTION (AH and AL), with both data segments the own one. */
static void prepare(struct dos_registers *registers, unsigned function)
{
	registers->ax = function;
	registers->ds = own_segment;
	registers->es = own_segment;
}

void dos_print(const char *text)
{
	dos_write(STANDARD_OUTPUT, own_segment, (unsigned)text, text_length(text));
}

void dos_read_line(char *line)
{
	struct dos_registers registers;

	prepare(&registers, 0x0a00);
	registers.dx = (unsigned)line;
	dos_call(&registers);
}

/* A call that takes a path and an attribute or mode and returns a handle. */
static unsigned get_handle(unsigned function, const char *path, unsigned *ret_handle)
{
	struct dos_registers registers;

	prepare(&registers, function);
	registers.cx = 0;
	registers.dx = (unsigned)path;
	if (dos_call(&registers))
		return registers.ax;
	*ret_handle = registers.ax;
	return 0;
}

unsigned dos_open(const char *path, unsigned *ret_handle)
{
	return get_handle(0x3d00, path, ret_handle);
}

unsigned dos_create(const char *path, unsigned *ret_handle)
{
	return get_handle(0x3c00, path, ret_handle);
}

void dos_remove(const char *path)
{
	struct dos_registers registers;

	prepare(&registers, 0x4100);
	registers.dx = (unsigned)path;
	dos_call(&registers);
}

unsigned dos_rename(const char *from, const char *to)
{
	struct dos_registers registers;

	prepare(&registers, 0x5600);
	registers.dx = (unsigned)from;
	registers.di = (unsigned)to;
	return dos_call(&registers) ? registers.ax : 0;
}

int dos_is_protected(const char *path)
{
	struct dos_registers registers;

	prepare(&registers, 0x4300);
	registers.dx = (unsigned)path;
	return !dos_call(&registers) && (registers.cx & (READ_ONLY | FOLDER));
}

unsigned dos_close(unsigned handle)
{
	struct dos_registers registers;

	prepare(&registers, 0x3e00);
	registers.bx = handle;
	return dos_call(&registers) ? registers.ax : 0;
}

unsigned dos_read(unsigned handle, char *buffer, unsigned size)
{
	struct dos_registers registers;

	prepare(&registers, 0x3f00);
	registers.bx = handle;
	registers.cx = size;
	registers.dx = (unsigned)buffer;
	return dos_call(&registers) ? 0 : registers.ax;
}

int dos_write(unsigned handle, unsigned segment, unsigned offset, unsigned size)
{
	struct dos_registers registers;

	prepare(&registers, 0x4000);
	registers.bx = handle;
	registers.cx = size;
	registers.dx = offset;
	registers.ds = segment;
	return dos_call(&registers) || registers.ax != size;
}

void dos_length(unsigned handle, unsigned *ret_low, unsigned *ret_high)
{
	struct dos_registers registers;

	prepare(&registers, 0x4202);
	registers.bx = handle;
	registers.cx = 0;
	registers.dx = 0;
	dos_call(&registers);
	*ret_low = registers.ax;
	*ret_high = registers.dx;
}

unsigned dos_drive(void)
{
	struct dos_registers registers;

	prepare(&registers, 0x1900);
	dos_call(&registers);
	return registers.ax & 0xff;
}

void dos_folder(unsigned drive, char *folder)
{
	struct dos_registers registers;

	folder[0] = 0;
	prepare(&registers, 0x4700);
	registers.dx = drive + 1;
	registers.si = (unsigned)folder;
	dos_call(&registers);
}

unsigned dos_resize(unsigned paragraphs)
{
	struct dos_registers registers;

	prepare(&registers, 0x4a00);
	registers.bx = paragraphs;
	return dos_call(&registers) ? registers.ax : 0;
}

void dos_keep(unsigned code)
{
	struct dos_registers registers;

	prepare(&registers, 0x3100 | code);
	registers.dx = own_paragraphs;
	dos_call(&registers);
}
