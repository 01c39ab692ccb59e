/* SPDX-License-Identifier: BSD-2-Clause */
/* A program's code, followed from where functions seem to begin, and the tables that it jumps by.
 */

#include "fuzz.h"
#include "unwind/framed.h"
#include "unwind/walk.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { FIRST = 72, STEP = 37, PLACES = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = open(fuzz_file("code", bytes, size), O_RDONLY | O_CLOEXEC);
	struct unwind_answers answers = {0};

	if (fd < 0)
		abort();
	for (unsigned i = 0; i < PLACES; i++) {
		const struct unwind_answer *answer = unwind_answer(
			&answers, fd, 0, FIRST + i * STEP, i & 1, /* may_follow= */ true);

		if (!answer ||
		    (answer->has_rule && answer->rule.saved[UNWIND_RETURN].where != UNWIND_AT_CFA))
			abort();
	}
	unwind_answers_done(&answers);
	close(fd);
	return 0;
}
