// The texts of the shipped policies, carried as bytes. C, because Swift cannot take in a file; and not by a build plugin,
// because the tool that compiles these policies when Annex is built carries them too.
#ifndef C_ANNEX_POLICIES_H
#define C_ANNEX_POLICIES_H

#include <stddef.h>

typedef struct {
    const char *name;
    const unsigned char *bytes;
    size_t size;
} annex_policy_text;

// The text at `index`; name NULL behind the last.
annex_policy_text annex_policy_at(size_t index);

// What is expected of the policies, in the same way.
annex_policy_text annex_expectations_at(size_t index);

#endif
