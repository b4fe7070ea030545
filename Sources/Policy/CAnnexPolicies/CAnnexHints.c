#include "CAnnexPolicies.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char run[] = {
#embed "../../../Policies/hints/run.yaml"
};

annex_policy_text annex_hints_at(size_t index) {
    if (index == 0) return (annex_policy_text){"run", run, sizeof run};
    return (annex_policy_text){NULL, NULL, 0};
}
