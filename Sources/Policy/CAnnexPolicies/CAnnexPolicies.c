#include "CAnnexPolicies.h"

// Each policy file of Policies/ must appear once here and once in the list. A test counts them.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char base[] = {
#embed "../../../Policies/base.yaml"
};
static const unsigned char com_apple_fileprovider_nonui[] = {
#embed "../../../Policies/com.apple.fileprovider-nonui.yaml"
};
static const unsigned char com_apple_fileprovider_ui[] = {
#embed "../../../Policies/com.apple.fileprovider-ui.yaml"
};
static const unsigned char com_apple_intents_service[] = {
#embed "../../../Policies/com.apple.intents-service.yaml"
};
static const unsigned char com_apple_keyboard_service[] = {
#embed "../../../Policies/com.apple.keyboard-service.yaml"
};
static const unsigned char com_apple_message_payload_provider[] = {
#embed "../../../Policies/com.apple.message-payload-provider.yaml"
};
static const unsigned char com_apple_photo_editing[] = {
#embed "../../../Policies/com.apple.photo-editing.yaml"
};
static const unsigned char com_apple_share_services[] = {
#embed "../../../Policies/com.apple.share-services.yaml"
};
static const unsigned char com_apple_ui_services[] = {
#embed "../../../Policies/com.apple.ui-services.yaml"
};
static const unsigned char com_apple_usernotifications_content_extension[] = {
#embed "../../../Policies/com.apple.usernotifications.content-extension.yaml"
};
static const unsigned char com_apple_widget_extension[] = {
#embed "../../../Policies/com.apple.widget-extension.yaml"
};
static const unsigned char compute[] = {
#embed "../../../Policies/compute.yaml"
};
static const unsigned char resources[] = {
#embed "../../../Policies/resources.yaml"
};
static const unsigned char storage[] = {
#embed "../../../Policies/storage.yaml"
};
static const unsigned char tool[] = {
#embed "../../../Policies/tool.yaml"
};
static const unsigned char transfer[] = {
#embed "../../../Policies/transfer.yaml"
};
static const unsigned char workspace[] = {
#embed "../../../Policies/workspace.yaml"
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
    TEXT("com.apple.share-services", com_apple_share_services),
    TEXT("com.apple.ui-services", com_apple_ui_services),
    TEXT("com.apple.usernotifications.content-extension", com_apple_usernotifications_content_extension),
    TEXT("com.apple.widget-extension", com_apple_widget_extension),
    TEXT("compute", compute),
    TEXT("resources", resources),
    TEXT("storage", storage),
    TEXT("tool", tool),
    TEXT("transfer", transfer),
    TEXT("workspace", workspace),
};

annex_policy_text annex_policy_at(size_t index) {
    if (index < sizeof texts / sizeof *texts) return texts[index];
    return (annex_policy_text){NULL, NULL, 0};
}
