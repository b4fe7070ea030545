#include "CAnnexPolicies.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char compiled[] = {
#embed "../../../Policies/compiled.bin"
};

annex_policy_text annex_compiled_policies(void) {
    return (annex_policy_text){"compiled", compiled, sizeof compiled};
}
