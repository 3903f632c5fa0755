/* Tests of the steps of packing. */
#ifndef WEFT_PACKING_TEST_H
#define WEFT_PACKING_TEST_H

void test_packing();

#endif
