// libFuzzer as a library. The package manager itself names the `main` of a program, so the `main` of libFuzzer cannot
// be used.
#ifndef C_LIB_FUZZER_H
#define C_LIB_FUZZER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*test)(const uint8_t *bytes, size_t size));

#endif
