/* SPDX-License-Identifier: BSD-2-Clause */
#include "profil/area.h"

#include "base/dos.h"
#include "profil/count.h"

#define PSP_PARAGRAPHS 0x10
#define COUNTERS_PER_PARAGRAPH 8
#define INT_20_SEGMENT 0x82

static unsigned bucket_paragraphs;

int area_take_buckets(unsigned paragraphs, unsigned bucket_size)
{
	report_header.bucket_siz = bucket_size;
	report_header.bucket_num = paragraphs / bucket_size + 1;
	if (!report_header.bucket_num) /* 65,536 of them */
		return 1;
	bucket_segment = own_segment + own_paragraphs;
	bucket_paragraphs = (report_header.bucket_num - 1) / COUNTERS_PER_PARAGRAPH + 1;
	return dos_resize(own_paragraphs + bucket_paragraphs) != 0;
}

void area_set_program(unsigned psp, unsigned paragraphs)
{
	report_header.prog_low_pa = psp + PSP_PARAGRAPHS;
	report_header.prog_high_pa = report_header.prog_low_pa + paragraphs;
	far_clear(bucket_segment, bucket_paragraphs);
}

/* DOS 5 and later say so; others take no notice of the call, or say that they do not know it. */
static int dos_in_high_memory(void)
{
	struct dos_registers registers;

	registers.ax = 0x3306;
	registers.bx = 0;
	registers.dx = 0;
	registers.ds = own_segment;
	registers.es = own_segment;
	if (dos_call(&registers) || (registers.bx & 0xff) < 5)
		return 0;
	return (registers.dx & 0x1000) != 0;
}

static unsigned list_of_lists_segment(void)
{
	struct dos_registers registers;

	registers.ax = 0x5200;
	registers.ds = own_segment;
	registers.es = own_segment;
	dos_call(&registers);
	return registers.es;
}

void area_find_dos(void)
{
	unsigned segment = far_peek(0, INT_20_SEGMENT);

	dos_is_high = dos_in_high_memory();
	if (dos_is_high || segment == 0 || segment >= report_header.prog_low_pa)
		segment = list_of_lists_segment();
	report_header.dos_pa = segment;
}
