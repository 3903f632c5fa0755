/* Lines of coordinates and a value, as text, to columns of numbers. */
#ifndef WEFT_TEXT_H
#define WEFT_TEXT_H

#include <stdint.h>

namespace weft {

/* Has a kernel's form. Reads whole lines into columns until there is no line or no room left, or a
 * line comes that it leaves to the caller: a malformed one, a coordinate too large for its column or
 * its mode, a number that is not finite or that 64-bit arithmetic cannot round.
 *
 *   args[0] out: 0 all lines read, 1 no room, 2 the line at args[1] is the caller's
 *   args[1] in and out: address of the next line
 *   args[2] end of the lines, behind a line feed; 16 readable bytes follow
 *   args[3] number of coordinates in a line
 *   args[4] value: 0 a real number, 1 an integer, 2 none (1 is stored), 3 an integer that is stored
 *           as one
 *   args[5] 1 or -1: an entry (i, j) with i != j stands for (j, i) with the same or the opposite
 *           value too, which follows it; 0: it does not
 *   args[6] first bytes of comment lines: one, and another times 256
 *   args[7] the first coordinate of every mode
 *   args[8] in and out: number of entries in the columns
 *   args[9] most entries that they hold
 *   args[10], args[11] in and out: entries and lines read, counted on
 *   args[12] address of the values: doubles, or 64-bit integers
 *   args[13] address of powers of five from 5^-342 to 5^308: the upper 64 bits of each, normalized,
 *            then the next 64; rounded up below 5^0 and down above
 *   args[14] a double: values of a larger magnitude are the caller's, unless they are stored as
 *            integers
 *   args[15 + 4 m] address of column m; args[16 + 4 m] bytes of its elements: 4 or 8;
 *   args[17 + 4 m] the largest coordinate allowed; args[18 + 4 m] in and out: the largest found
 *
 * Coordinates are counted from 0 in the columns. Numbers are read as org.weft.storage.text reads
 * them, in every locale, and doubles rounded correctly. */
void parse_lines(int64_t *args);

}  // namespace weft

#endif
