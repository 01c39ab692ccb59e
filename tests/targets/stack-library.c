// SPDX-License-Identifier: BSD-2-Clause
/* Two libraries of one layout, of which one function NAME with ROOM bytes of its own is all. */

void NAME(void (*end)(void));

__attribute__((visibility("default"))) void NAME(void (*end)(void))
{
	volatile char room[ROOM];

	room[0] = 1;
	end();
	room[ROOM - 1] = room[0];
}
