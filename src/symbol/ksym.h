/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* "name+0xoffset/0xsize [module]": what the BPF object answers. */
#define KSYM_TEXT 640
