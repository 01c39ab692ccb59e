/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers, as the original PROFIL reads them. */
#ifndef NUMBER_H
#define NUMBER_H

/* Read decimal digits at TEXT up to the first other character.
 * Returns 0, the number in RET_NUMBER and where it ends in RET_END; or 1 when there is no digit,
 * when the number is below MINIMUM, or when a digit follows 6553 or more: the largest number is
 * 65,529. */
int number_read(const char *text, unsigned minimum, unsigned *ret_number, const char **ret_end);

/* The same for one to four hexadecimal digits. */
int number_read_hex(const char *text, unsigned *ret_number, const char **ret_end);

#endif
