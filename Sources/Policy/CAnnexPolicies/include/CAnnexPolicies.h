// The texts of the shipped policies, stored as bytes. They are in C, because Swift cannot embed a file.
#ifndef C_ANNEX_POLICIES_H
#define C_ANNEX_POLICIES_H

#include <stddef.h>

typedef struct {
    const char *name;
    const unsigned char *bytes;
    size_t size;
} annex_policy_text;

// The text at `index`. If `index` is behind the last text, the name of the result is NULL.
annex_policy_text annex_policy_at(size_t index);

// The fragments, in the same form. A fragment holds the additions of an entitlement or an allowance to a policy.
annex_policy_text annex_fragment_at(size_t index);

// The expectations about the policies and the fragments, in the same form.
annex_policy_text annex_expectations_at(size_t index);

// The texts of the extension points, in the same form.
annex_policy_text annex_point_at(size_t index);

// The tables of hints after a failed run, in the same form.
annex_policy_text annex_hints_at(size_t index);

// The lists of protected parts and of places that hold credentials, in the same form.
annex_policy_text annex_parts_at(size_t index);

// The shipped policies in compiled form: the file that `make policies` writes.
annex_policy_text annex_compiled_policies(void);

#endif
