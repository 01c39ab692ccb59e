/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_SVR4_PCSAMPLE_H
#define PROFIL_SVR4_PCSAMPLE_H

/* <pcsample.h> as SVR4's heirs have it. */

#pragma GCC system_header

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

extern long pcsample(uintptr_t __samples[], long __nsamples) __asm__("pcsample_svr4");

#ifdef __cplusplus
}
#endif

#endif
