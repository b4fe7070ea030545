#define _GNU_SOURCE
#include "CConduct.h"

#include <errno.h>
#include <stddef.h>

// A sandbox shows an extension neither its own file nor that file's name. So the tests write the conduct over the dots,
// in a copy of the executable. It is volatile, so that the compiler reads what the copy contains.
static const volatile char slot[] = "@conduct=" "................................................";

const char *conduct_name(void) {
    static char name[sizeof slot];
    size_t length = 0;
    for (const volatile char *next = slot + sizeof "@conduct=" - 1; *next && *next != '.'; next++) name[length++] = *next;
    return length > 0 ? name : program_invocation_short_name;
}
