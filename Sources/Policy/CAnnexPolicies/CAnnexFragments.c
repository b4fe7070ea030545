#include "CAnnexPolicies.h"

// Each file of Policies/entitlements/ and Policies/allowances/ must appear once here and once in the list. A test
// counts them.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char com_apple_security_application_groups[] = {
#embed "../../../Policies/entitlements/com.apple.security.application-groups.yaml"
};
static const unsigned char com_apple_security_files_user_selected_read_only[] = {
#embed "../../../Policies/entitlements/com.apple.security.files.user-selected.read-only.yaml"
};
static const unsigned char com_apple_security_files_user_selected_read_write[] = {
#embed "../../../Policies/entitlements/com.apple.security.files.user-selected.read-write.yaml"
};
static const unsigned char com_apple_security_network_client[] = {
#embed "../../../Policies/entitlements/com.apple.security.network.client.yaml"
};
static const unsigned char com_apple_security_network_client_hosts[] = {
#embed "../../../Policies/entitlements/com.apple.security.network.client.hosts.yaml"
};
static const unsigned char debug[] = {
#embed "../../../Policies/allowances/debug.yaml"
};
static const unsigned char display[] = {
#embed "../../../Policies/allowances/display.yaml"
};
static const unsigned char git[] = {
#embed "../../../Policies/allowances/git.yaml"
};
static const unsigned char hosts[] = {
#embed "../../../Policies/allowances/hosts.yaml"
};
static const unsigned char ipc[] = {
#embed "../../../Policies/allowances/ipc.yaml"
};
static const unsigned char jit[] = {
#embed "../../../Policies/allowances/jit.yaml"
};
static const unsigned char loopback[] = {
#embed "../../../Policies/allowances/loopback.yaml"
};
static const unsigned char network[] = {
#embed "../../../Policies/allowances/network.yaml"
};
static const unsigned char proc[] = {
#embed "../../../Policies/allowances/proc.yaml"
};
static const unsigned char sockets[] = {
#embed "../../../Policies/allowances/sockets.yaml"
};
static const unsigned char ssh_agent[] = {
#embed "../../../Policies/allowances/ssh-agent.yaml"
};
static const unsigned char watch[] = {
#embed "../../../Policies/allowances/watch.yaml"
};

#define TEXT(name, bytes) {name, bytes, sizeof bytes}

static const annex_policy_text texts[] = {
    TEXT("com.apple.security.application-groups", com_apple_security_application_groups),
    TEXT("com.apple.security.files.user-selected.read-only", com_apple_security_files_user_selected_read_only),
    TEXT("com.apple.security.files.user-selected.read-write", com_apple_security_files_user_selected_read_write),
    TEXT("com.apple.security.network.client", com_apple_security_network_client),
    TEXT("com.apple.security.network.client.hosts", com_apple_security_network_client_hosts),
    TEXT("debug", debug),
    TEXT("display", display),
    TEXT("git", git),
    TEXT("hosts", hosts),
    TEXT("ipc", ipc),
    TEXT("jit", jit),
    TEXT("loopback", loopback),
    TEXT("network", network),
    TEXT("proc", proc),
    TEXT("sockets", sockets),
    TEXT("ssh-agent", ssh_agent),
    TEXT("watch", watch),
};

annex_policy_text annex_fragment_at(size_t index) {
    if (index < sizeof texts / sizeof *texts) return texts[index];
    return (annex_policy_text){NULL, NULL, 0};
}
