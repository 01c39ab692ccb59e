/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>

/* The historical calls, each as its system declares it; programs see them by their own names
 * through include/profil/DIALECT.  struct prof is each system's own. */
struct prof;

int profil(unsigned short *buffer, size_t size, size_t offset, unsigned int scale);
int profil_linux(unsigned short *buffer, size_t size, size_t offset, unsigned int scale);
int profil_irix(unsigned short *buffer, size_t size, size_t offset, unsigned int scale);
int profil_bsd(char *samples, size_t size, unsigned long offset, unsigned int scale);
int profil_linux099(char *buffer, size_t size, unsigned long offset, unsigned int scale);
int profil_v7(void *buffer, size_t size, unsigned long offset, unsigned int scale);
int profil_aix(void *buffer, size_t size, unsigned long offset, unsigned int scale);
void profil_hpux(unsigned short *buffer, size_t size, size_t offset, unsigned int scale);
void profil_svr4(unsigned short *buffer, size_t size, size_t offset, unsigned int scale);

int sprofil(struct prof *profp, int count, struct timeval *tvp, unsigned int flags);
int sprofil_linux(struct prof *profp, int count, struct timeval *tvp, unsigned int flags);
int sprofil_irix(struct prof *profp, int count, struct timeval *tvp, unsigned int flags);
int sprofil_hpux(struct prof *profp, int count, struct timeval *tvp, unsigned int flags);

long pcsample(uintptr_t samples[], long count);
long pcsample_svr4(uintptr_t samples[], long count);
