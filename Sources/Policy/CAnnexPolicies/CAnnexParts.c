#include "CAnnexPolicies.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char protected_parts[] = {
#embed "../../../Policies/parts/protected.yaml"
};
static const unsigned char credentials[] = {
#embed "../../../Policies/parts/credentials.yaml"
};

annex_policy_text annex_parts_at(size_t index) {
    if (index == 0) return (annex_policy_text){"protected", protected_parts, sizeof protected_parts};
    if (index == 1) return (annex_policy_text){"credentials", credentials, sizeof credentials};
    return (annex_policy_text){NULL, NULL, 0};
}
