#include "CLibFuzzer.h"

// In a debug build, the package manager gives the program's `main` another name until it is linked. So the linker also
// takes the `main` of libFuzzer, which is never called, and which needs this function.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    __builtin_trap();
}
