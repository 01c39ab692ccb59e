// SPDX-License-Identifier: BSD-2-Clause
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int array_reserve(void **items, size_t *capacity, size_t need, size_t size)
{
	size_t room = *capacity ? *capacity : 16;
	void *grown;

	if (need <= *capacity)
		return 0;
	while (room < need)
		room *= 2;
	grown = reallocarray(*items, room, size);
	if (!grown)
		return -ENOMEM;
	memset((char *)grown + *capacity * size, 0, (room - *capacity) * size);
	*items = grown;
	*capacity = room;
	return 0;
}
