/* SPDX-License-Identifier: BSD-2-Clause */
/* What PROFIL says.  Those of the original are its own to the letter, and those after them are for
 * what it did not have. */
#ifndef MESSAGE_H
#define MESSAGE_H

#define NEW_LINE "\r\n"

#define ASK_BUCKET_SIZE "Number of paragraphs (16 bytes) per bucket? "
#define ASK_INTERVAL "Sample time (micro-sec) >= 60 ? "
#define ASK_PARAMETERS "Parameters to program? "
#define NO_FILE "File not found" NEW_LINE
#define NO_OUTPUT "Cannot open output file" NEW_LINE
#define BAD_EXE "EXE file bad" NEW_LINE
#define TOO_BIG "Program too big" NEW_LINE
#define TERMINATED NEW_LINE "Program terminated normally" NEW_LINE
#define ABORTED NEW_LINE "Program aborted" NEW_LINE

#define NOT_WRITTEN "Cannot write output file" NEW_LINE
#define WAS_FULL "A counter was full: what came after 65534 is not counted" NEW_LINE
#define NO_CLOCK "PROFIL: /R: this machine has no CMOS clock: leave /R out" NEW_LINE
#define BAD_SWITCH_BEFORE "PROFIL: "
#define BAD_SWITCH_AFTER ": not a switch, or not its range: see PROFIL /?" NEW_LINE

#define HELP_USAGE                                                                               \
	"Counts where a .EXE or .COM program spends its time, and writes fname.PRF." NEW_LINE    \
		NEW_LINE "  PROFIL fname.ext                     asks for all it needs" NEW_LINE \
	"  PROFIL /B:n /T:n fname.ext [params]  asks nothing" NEW_LINE NEW_LINE
#define HELP_SWITCHES                                                                \
	"  /B:n    paragraphs (16 bytes) per bucket, 1 to 65529" NEW_LINE            \
	"  /T:n    microseconds between samples, 60 to 65529" NEW_LINE               \
	"  /D:seg  where DOS begins, in hexadecimal: hits below it are I/O" NEW_LINE \
	"  /E      end with the program's exit code" NEW_LINE                        \
	"  /R      the CMOS clock (IRQ 8), for programs that use the timer" NEW_LINE \
	"  /W      a full counter starts again at 0" NEW_LINE
#define HELP_END NEW_LINE "PROHST makes a histogram of fname.PRF." NEW_LINE

#endif
