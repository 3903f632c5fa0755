/* Tests of gathers. */
#ifndef WEFT_GATHER_TEST_H
#define WEFT_GATHER_TEST_H

void test_gathers();

#endif
