// The program of extensions that are installed and never launched. It is small, because there are a thousand copies.
_Noreturn void _start(void) { __builtin_trap(); }
