#include "CAnnexPolicies.h"

// Each file of Policies/points/ must appear once here and once in the list. A test counts them.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char com_apple_fileprovider_nonui[] = {
#embed "../../../Policies/points/com.apple.fileprovider-nonui.yaml"
};
static const unsigned char com_apple_fileprovider_ui[] = {
#embed "../../../Policies/points/com.apple.fileprovider-ui.yaml"
};
static const unsigned char com_apple_intents_service[] = {
#embed "../../../Policies/points/com.apple.intents-service.yaml"
};
static const unsigned char com_apple_keyboard_service[] = {
#embed "../../../Policies/points/com.apple.keyboard-service.yaml"
};
static const unsigned char com_apple_message_payload_provider[] = {
#embed "../../../Policies/points/com.apple.message-payload-provider.yaml"
};
static const unsigned char com_apple_photo_editing[] = {
#embed "../../../Policies/points/com.apple.photo-editing.yaml"
};
static const unsigned char com_apple_share_services[] = {
#embed "../../../Policies/points/com.apple.share-services.yaml"
};
static const unsigned char com_apple_ui_services[] = {
#embed "../../../Policies/points/com.apple.ui-services.yaml"
};
static const unsigned char com_apple_usernotifications_content_extension[] = {
#embed "../../../Policies/points/com.apple.usernotifications.content-extension.yaml"
};
static const unsigned char com_apple_widget_extension[] = {
#embed "../../../Policies/points/com.apple.widget-extension.yaml"
};

#define TEXT(name, bytes) {name, bytes, sizeof bytes}

static const annex_policy_text texts[] = {
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
};

annex_policy_text annex_point_at(size_t index) {
    if (index < sizeof texts / sizeof *texts) return texts[index];
    return (annex_policy_text){NULL, NULL, 0};
}
