/* Tests of groups, tasks and loops. */
#ifndef WEFT_TASKS_TEST_H
#define WEFT_TASKS_TEST_H

void test_tasks();

#endif
