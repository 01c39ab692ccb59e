// SPDX-License-Identifier: BSD-2-Clause
#include "view/canvas.h"

#include <errno.h>

/* Stands in for png.c in a build without Cairo. */

static int png_open(struct canvas *canvas, struct error *reterr)
{
	return error_set(reterr, -ENOTSUP,
			 "--png: this profil was built without Cairo, which draws it: take --svg");
}

static void png_close(struct canvas *canvas)
{
}

const struct canvas_ops canvas_png = {
	.open = png_open,
	.close = png_close,
};
