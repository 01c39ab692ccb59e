/* SPDX-License-Identifier: BSD-2-Clause */
#include "profil/vector.h"

#include "base/dos.h"

/* The table of vectors is read and written itself, for INT 21h may not be called by who must not be
 * interrupted. */
#define TABLE 0

void vector_take(struct vector *vector)
{
	unsigned place = vector->number * 4;

	vector->old_offset = far_peek(TABLE, place);
	vector->old_segment = far_peek(TABLE, place + 2);
	far_poke(TABLE, place, vector->handler);
	far_poke(TABLE, place + 2, own_segment);
}

int vector_give_back(struct vector *vector, int resident)
{
	unsigned place = vector->number * 4;
	int ours = far_peek(TABLE, place) == vector->handler &&
		   far_peek(TABLE, place + 2) == own_segment;

	if (!ours && resident)
		return 1;
	far_poke(TABLE, place, vector->old_offset);
	far_poke(TABLE, place + 2, vector->old_segment);
	return 0;
}
