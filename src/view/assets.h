/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What is embedded in pages and pictures, made in the build of the files of these names. */

extern const char html_css[], html_js[], flame_js[], parts_js[], live_js[];

/* SHA-256 of a script on a page, in base64. */
extern const char html_js_hash[], flame_js_hash[], parts_js_hash[], live_js_hash[];
