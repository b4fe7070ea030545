#include "CAnnexPolicies.h"

// Each expectation file of Policies/ must appear once here and once in the list. A test counts them.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char base[] = {
#embed "../../../Policies/base.expectations.yaml"
};
static const unsigned char com_apple_fileprovider_nonui[] = {
#embed "../../../Policies/com.apple.fileprovider-nonui.expectations.yaml"
};
static const unsigned char com_apple_fileprovider_ui[] = {
#embed "../../../Policies/com.apple.fileprovider-ui.expectations.yaml"
};
static const unsigned char com_apple_intents_service[] = {
#embed "../../../Policies/com.apple.intents-service.expectations.yaml"
};
static const unsigned char com_apple_keyboard_service[] = {
#embed "../../../Policies/com.apple.keyboard-service.expectations.yaml"
};
static const unsigned char com_apple_message_payload_provider[] = {
#embed "../../../Policies/com.apple.message-payload-provider.expectations.yaml"
};
static const unsigned char com_apple_photo_editing[] = {
#embed "../../../Policies/com.apple.photo-editing.expectations.yaml"
};
static const unsigned char com_apple_security_application_groups[] = {
#embed "../../../Policies/entitlements/com.apple.security.application-groups.expectations.yaml"
};
static const unsigned char com_apple_security_files_user_selected_read_only[] = {
#embed "../../../Policies/entitlements/com.apple.security.files.user-selected.read-only.expectations.yaml"
};
static const unsigned char com_apple_security_files_user_selected_read_write[] = {
#embed "../../../Policies/entitlements/com.apple.security.files.user-selected.read-write.expectations.yaml"
};
static const unsigned char com_apple_security_network_client[] = {
#embed "../../../Policies/entitlements/com.apple.security.network.client.expectations.yaml"
};
static const unsigned char com_apple_security_network_client_hosts[] = {
#embed "../../../Policies/entitlements/com.apple.security.network.client.hosts.expectations.yaml"
};
static const unsigned char debug[] = {
#embed "../../../Policies/allowances/debug.expectations.yaml"
};
static const unsigned char display[] = {
#embed "../../../Policies/allowances/display.expectations.yaml"
};
static const unsigned char git[] = {
#embed "../../../Policies/allowances/git.expectations.yaml"
};
static const unsigned char hosts[] = {
#embed "../../../Policies/allowances/hosts.expectations.yaml"
};
static const unsigned char ipc[] = {
#embed "../../../Policies/allowances/ipc.expectations.yaml"
};
static const unsigned char jit[] = {
#embed "../../../Policies/allowances/jit.expectations.yaml"
};
static const unsigned char loopback[] = {
#embed "../../../Policies/allowances/loopback.expectations.yaml"
};
static const unsigned char network[] = {
#embed "../../../Policies/allowances/network.expectations.yaml"
};
static const unsigned char proc[] = {
#embed "../../../Policies/allowances/proc.expectations.yaml"
};
static const unsigned char sockets[] = {
#embed "../../../Policies/allowances/sockets.expectations.yaml"
};
static const unsigned char ssh_agent[] = {
#embed "../../../Policies/allowances/ssh-agent.expectations.yaml"
};
static const unsigned char watch[] = {
#embed "../../../Policies/allowances/watch.expectations.yaml"
};
static const unsigned char com_apple_share_services[] = {
#embed "../../../Policies/com.apple.share-services.expectations.yaml"
};
static const unsigned char com_apple_ui_services[] = {
#embed "../../../Policies/com.apple.ui-services.expectations.yaml"
};
static const unsigned char com_apple_usernotifications_content_extension[] = {
#embed "../../../Policies/com.apple.usernotifications.content-extension.expectations.yaml"
};
static const unsigned char com_apple_widget_extension[] = {
#embed "../../../Policies/com.apple.widget-extension.expectations.yaml"
};
static const unsigned char compute[] = {
#embed "../../../Policies/compute.expectations.yaml"
};
static const unsigned char resources[] = {
#embed "../../../Policies/resources.expectations.yaml"
};
static const unsigned char storage[] = {
#embed "../../../Policies/storage.expectations.yaml"
};
static const unsigned char tool[] = {
#embed "../../../Policies/tool.expectations.yaml"
};
static const unsigned char transfer[] = {
#embed "../../../Policies/transfer.expectations.yaml"
};
static const unsigned char workspace[] = {
#embed "../../../Policies/workspace.expectations.yaml"
};

#define TEXT(name, bytes) {name, bytes, sizeof bytes}

static const annex_policy_text texts[] = {
    TEXT("base", base),
    TEXT("com.apple.fileprovider-nonui", com_apple_fileprovider_nonui),
    TEXT("com.apple.fileprovider-ui", com_apple_fileprovider_ui),
    TEXT("com.apple.intents-service", com_apple_intents_service),
    TEXT("com.apple.keyboard-service", com_apple_keyboard_service),
    TEXT("com.apple.message-payload-provider", com_apple_message_payload_provider),
    TEXT("com.apple.photo-editing", com_apple_photo_editing),
    TEXT("com.apple.security.application-groups", com_apple_security_application_groups),
    TEXT("com.apple.security.files.user-selected.read-only", com_apple_security_files_user_selected_read_only),
    TEXT("com.apple.security.files.user-selected.read-write", com_apple_security_files_user_selected_read_write),
    TEXT("com.apple.security.network.client", com_apple_security_network_client),
    TEXT("com.apple.security.network.client.hosts", com_apple_security_network_client_hosts),
    TEXT("com.apple.share-services", com_apple_share_services),
    TEXT("com.apple.ui-services", com_apple_ui_services),
    TEXT("com.apple.usernotifications.content-extension", com_apple_usernotifications_content_extension),
    TEXT("com.apple.widget-extension", com_apple_widget_extension),
    TEXT("compute", compute),
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
    TEXT("resources", resources),
    TEXT("storage", storage),
    TEXT("tool", tool),
    TEXT("transfer", transfer),
    TEXT("workspace", workspace),
};

annex_policy_text annex_expectations_at(size_t index) {
    if (index < sizeof texts / sizeof *texts) return texts[index];
    return (annex_policy_text){NULL, NULL, 0};
}
