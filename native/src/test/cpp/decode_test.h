/* Tests of decoding blocks. */
#ifndef WEFT_DECODE_TEST_H
#define WEFT_DECODE_TEST_H

void test_decoding();

#endif
