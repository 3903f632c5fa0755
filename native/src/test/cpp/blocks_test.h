/* Tests of the check of blocks. */
#ifndef WEFT_BLOCKS_TEST_H
#define WEFT_BLOCKS_TEST_H

void test_blocks();

#endif
