/* SPDX-License-Identifier: BSD-2-Clause */
#include "profil/child.h"

#include "base/dos.h"

/* In a PSP. */
#define PSP_INT_22 0x0a
#define PSP_INT_23 0x0e
#define PSP_FCB1 0x5c
#define PSP_FCB2 0x6c
#define PSP_TAIL 0x80

#define INVALID_DRIVE 0xff
#define RESIDENT 3

/* DOS has made the new program the current process. */
static unsigned current_psp(void)
{
	struct dos_registers registers;

	registers.ax = 0x5100;
	registers.ds = own_segment;
	registers.es = own_segment;
	dos_call(&registers);
	return registers.bx;
}

static void set_vector(unsigned number, void (*handler)(void))
{
	struct dos_registers registers;

	registers.ax = 0x2500 | number;
	registers.dx = (unsigned)handler;
	registers.ds = own_segment;
	registers.es = own_segment;
	dos_call(&registers);
}

/* Parse the name at TEXT into the FCB at PSP:OFFSET.  Returns 0xff for a wrong drive, otherwise 0,
 * and in RET_NEXT where the text goes on. */
static unsigned parse_fcb(const char *text, unsigned psp, unsigned offset, const char **ret_next)
{
	struct dos_registers registers;

	registers.ax = 0x2901; /* skip blanks and separators in front */
	registers.si = (unsigned)text;
	registers.di = offset;
	registers.ds = own_segment;
	registers.es = psp;
	dos_call(&registers);
	*ret_next = (const char *)registers.si;
	return (registers.ax & 0xff) == INVALID_DRIVE ? INVALID_DRIVE : 0;
}

/* Both FCBs, as COMMAND.COM makes them.  Returns AX as a program finds it. */
static unsigned parse_fcbs(const char *tail, unsigned psp)
{
	const char *next;
	unsigned first = parse_fcb(tail + 1, psp, PSP_FCB1, &next);

	return first | parse_fcb(next, psp, PSP_FCB2, &next) << 8;
}

/* INT 22h and 23h, in the vectors and where DOS keeps them for the end of the program. */
static void lead_home(unsigned psp)
{
	set_vector(0x22, child_ended);
	set_vector(0x23, child_ctrl_c);
	far_poke(psp, PSP_INT_22, (unsigned)child_ended);
	far_poke(psp, PSP_INT_22 + 2, own_segment);
	far_poke(psp, PSP_INT_23, (unsigned)child_ctrl_c);
	far_poke(psp, PSP_INT_23 + 2, own_segment);
}

/* DOS's own place for data of the program, and its current process should it not be that yet. */
static void make_current(unsigned psp)
{
	struct dos_registers registers;

	registers.ax = 0x5000;
	registers.bx = psp;
	registers.ds = own_segment;
	registers.es = own_segment;
	dos_call(&registers);
	registers.ax = 0x1a00;
	registers.dx = PSP_TAIL;
	registers.ds = psp;
	dos_call(&registers);
}

unsigned child_prepare(const char *path, const char *tail, struct child_start *start)
{
	struct child_block block;
	unsigned problem;

	block.environment = 0;
	block.tail_offset = (unsigned)tail;
	block.tail_segment = own_segment;
	block.fcb1_offset = PSP_FCB1;
	block.fcb1_segment = own_segment;
	block.fcb2_offset = PSP_FCB2;
	block.fcb2_segment = own_segment;
	problem = child_load(path, &block);
	if (problem)
		return problem;
	start->psp = current_psp();
	start->entry_offset = block.entry_offset;
	start->entry_segment = block.entry_segment;
	/* The word on top is DOS's idea of AX, which is not the same with every DOS. */
	start->stack_offset = block.stack_offset + 2;
	start->stack_segment = block.stack_segment;
	start->ax = parse_fcbs(tail, start->psp);
	make_current(start->psp);
	lead_home(start->psp);
	return 0;
}

int child_is_resident(unsigned *ret_code)
{
	struct dos_registers registers;

	registers.ax = 0x4d00;
	registers.ds = own_segment;
	registers.es = own_segment;
	dos_call(&registers);
	*ret_code = registers.ax & 0xff;
	return registers.ax >> 8 == RESIDENT;
}
