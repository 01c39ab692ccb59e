// SPDX-License-Identifier: BSD-2-Clause
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

int error_set(struct error *reterr, int code, const char *format, ...)
{
	va_list args;

	if (!reterr)
		return code;
	va_start(args, format);
	(void)vsnprintf(reterr->text, sizeof(reterr->text), format, args);
	va_end(args);
	return code;
}
