// SPDX-License-Identifier: BSD-2-Clause
#include "dos/prf.h"

#include "base/write_all.h"
#include "format/format.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The .PRF of MS-DOS's PROFIL on disk: nine words, then as many as the second one says. */

#define HEADER_WORDS 9

void prf_done(struct prf *prf)
{
	free(prf->buckets);
	prf->buckets = NULL;
}

static int read_words(FILE *file, uint16_t *words, size_t count)
{
	if (fread(words, sizeof(*words), count, file) != count)
		return ferror(file) ? -EIO : -EBADMSG;
	for (size_t i = 0; i < count; i++)
		words[i] = le16toh(words[i]);
	return 0;
}

static int read_header(FILE *file, struct prf *prf)
{
	uint16_t words[HEADER_WORDS];
	int ret = read_words(file, words, HEADER_WORDS);

	if (ret)
		return ret;
	*prf = (struct prf){
		.clock_grain = words[0],
		.bucket_num = words[1],
		.bucket_siz = words[2],
		.prog_low_pa = words[3],
		.prog_high_pa = words[4],
		.dos_pa = words[5],
		.hit_io = words[6],
		.hit_dos = words[7],
		.hit_high = words[8],
	};
	return prf->bucket_siz ? 0 : -EBADMSG;
}

static int read_prf(FILE *file, struct prf *prf)
{
	int ret = read_header(file, prf);

	if (ret)
		return ret;
	prf->buckets = calloc(prf->bucket_num + 1u, sizeof(*prf->buckets));
	if (!prf->buckets)
		return -ENOMEM;
	ret = read_words(file, prf->buckets, prf->bucket_num);
	return ret || getc(file) == EOF ? ret : -EBADMSG;
}

int prf_load(const char *path, struct prf *ret_prf, struct error *reterr)
{
	struct prf prf = {0};
	FILE *file = fopen(path, "re");
	int ret = file ? read_prf(file, &prf) : -errno;

	if (file)
		(void)fclose(file);
	if (!ret) {
		*ret_prf = prf;
		return 0;
	}
	prf_done(&prf);
	if (ret == -EBADMSG)
		return error_set(reterr, ret,
				 "%s: its length is not what its header says: is it a .PRF of "
				 "PROFIL?",
				 path);
	return error_set(reterr, ret, "%s: %s: name a file that can be read", path, strerror(-ret));
}

static int put_words(int fd, const uint16_t *words, size_t count)
{
	uint16_t *little = calloc(count + 1, sizeof(*little));
	int ret = little ? 0 : -ENOMEM;

	for (size_t i = 0; little && i < count; i++)
		little[i] = htole16(words[i]);
	if (!ret)
		ret = write_all(fd, little, count * sizeof(*words));
	free(little);
	return ret;
}

int prf_put(int fd, const struct prf *prf)
{
	const uint16_t words[HEADER_WORDS] = {
		prf->clock_grain, prf->bucket_num,   prf->bucket_siz,
		prf->prog_low_pa, prf->prog_high_pa, prf->dos_pa,
		prf->hit_io,	  prf->hit_dos,	     prf->hit_high,
	};
	int ret = put_words(fd, words, HEADER_WORDS);

	return ret ? ret : put_words(fd, prf->buckets, prf->bucket_num);
}
