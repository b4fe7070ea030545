// swift-format-ignore-file
// Made by `make policies` out of Policies/: change the texts there, never this file.

/// The shipped policies, compiled and proven.
enum CompiledPolicies {
    /// Every policy's name.
    static let names = [
        "base",
        "com.apple.fileprovider-nonui",
        "com.apple.fileprovider-nonui+com.apple.security.application-groups",
        "com.apple.fileprovider-nonui+com.apple.security.application-groups+com.apple.security.network.client",
        "com.apple.fileprovider-nonui+com.apple.security.network.client",
        "com.apple.fileprovider-ui",
        "com.apple.fileprovider-ui+com.apple.security.application-groups",
        "com.apple.fileprovider-ui+com.apple.security.application-groups+com.apple.security.network.client",
        "com.apple.fileprovider-ui+com.apple.security.network.client",
        "com.apple.intents-service",
        "com.apple.intents-service+com.apple.security.application-groups",
        "com.apple.intents-service+com.apple.security.application-groups+com.apple.security.network.client",
        "com.apple.intents-service+com.apple.security.network.client",
        "com.apple.keyboard-service",
        "com.apple.keyboard-service+com.apple.security.application-groups",
        "com.apple.keyboard-service+com.apple.security.application-groups+com.apple.security.network.client",
        "com.apple.keyboard-service+com.apple.security.network.client",
        "com.apple.message-payload-provider",
        "com.apple.message-payload-provider+com.apple.security.application-groups",
        "com.apple.message-payload-provider+com.apple.security.application-groups+com.apple.security.network.client",
        "com.apple.message-payload-provider+com.apple.security.network.client",
        "com.apple.photo-editing",
        "com.apple.photo-editing+com.apple.security.application-groups",
        "com.apple.photo-editing+com.apple.security.application-groups+com.apple.security.network.client",
        "com.apple.photo-editing+com.apple.security.network.client",
        "com.apple.share-services",
        "com.apple.share-services+com.apple.security.application-groups",
        "com.apple.share-services+com.apple.security.application-groups+com.apple.security.network.client",
        "com.apple.share-services+com.apple.security.network.client",
        "com.apple.ui-services",
        "com.apple.ui-services+com.apple.security.application-groups",
        "com.apple.ui-services+com.apple.security.application-groups+com.apple.security.network.client",
        "com.apple.ui-services+com.apple.security.network.client",
        "com.apple.usernotifications.content-extension",
        "com.apple.usernotifications.content-extension+com.apple.security.application-groups",
        "com.apple.usernotifications.content-extension+com.apple.security.application-groups+com.apple.security.network.client",
        "com.apple.usernotifications.content-extension+com.apple.security.network.client",
        "com.apple.widget-extension",
        "com.apple.widget-extension+com.apple.security.application-groups",
        "com.apple.widget-extension+com.apple.security.application-groups+com.apple.security.network.client",
        "com.apple.widget-extension+com.apple.security.network.client",
        "compute",
        "resources",
        "storage",
        "tool",
        "tool+jit",
        "tool+jit+loopback",
        "tool+jit+network",
        "tool+jit+sockets",
        "tool+loopback",
        "tool+loopback+network",
        "tool+loopback+sockets",
        "tool+network",
        "tool+network+sockets",
        "tool+sockets",
        "workspace",
    ]

    /// What compiled the filters. Another compiler may say the same in other instructions.
    static let compiler = "libseccomp 2.5.4 on x86"

    static func named(_ name: String) -> CompiledPolicy? {
        switch name {
        case "base": `base`
        case "com.apple.fileprovider-nonui": `com.apple.fileprovider-nonui`
        case "com.apple.fileprovider-nonui+com.apple.security.application-groups": `com.apple.fileprovider-nonui+com.apple.security.application-groups`
        case "com.apple.fileprovider-nonui+com.apple.security.application-groups+com.apple.security.network.client": `com.apple.fileprovider-nonui+com.apple.security.application-groups+com.apple.security.network.client`
        case "com.apple.fileprovider-nonui+com.apple.security.network.client": `com.apple.fileprovider-nonui+com.apple.security.network.client`
        case "com.apple.fileprovider-ui": `com.apple.fileprovider-ui`
        case "com.apple.fileprovider-ui+com.apple.security.application-groups": `com.apple.fileprovider-ui+com.apple.security.application-groups`
        case "com.apple.fileprovider-ui+com.apple.security.application-groups+com.apple.security.network.client": `com.apple.fileprovider-ui+com.apple.security.application-groups+com.apple.security.network.client`
        case "com.apple.fileprovider-ui+com.apple.security.network.client": `com.apple.fileprovider-ui+com.apple.security.network.client`
        case "com.apple.intents-service": `com.apple.intents-service`
        case "com.apple.intents-service+com.apple.security.application-groups": `com.apple.intents-service+com.apple.security.application-groups`
        case "com.apple.intents-service+com.apple.security.application-groups+com.apple.security.network.client": `com.apple.intents-service+com.apple.security.application-groups+com.apple.security.network.client`
        case "com.apple.intents-service+com.apple.security.network.client": `com.apple.intents-service+com.apple.security.network.client`
        case "com.apple.keyboard-service": `com.apple.keyboard-service`
        case "com.apple.keyboard-service+com.apple.security.application-groups": `com.apple.keyboard-service+com.apple.security.application-groups`
        case "com.apple.keyboard-service+com.apple.security.application-groups+com.apple.security.network.client": `com.apple.keyboard-service+com.apple.security.application-groups+com.apple.security.network.client`
        case "com.apple.keyboard-service+com.apple.security.network.client": `com.apple.keyboard-service+com.apple.security.network.client`
        case "com.apple.message-payload-provider": `com.apple.message-payload-provider`
        case "com.apple.message-payload-provider+com.apple.security.application-groups": `com.apple.message-payload-provider+com.apple.security.application-groups`
        case "com.apple.message-payload-provider+com.apple.security.application-groups+com.apple.security.network.client": `com.apple.message-payload-provider+com.apple.security.application-groups+com.apple.security.network.client`
        case "com.apple.message-payload-provider+com.apple.security.network.client": `com.apple.message-payload-provider+com.apple.security.network.client`
        case "com.apple.photo-editing": `com.apple.photo-editing`
        case "com.apple.photo-editing+com.apple.security.application-groups": `com.apple.photo-editing+com.apple.security.application-groups`
        case "com.apple.photo-editing+com.apple.security.application-groups+com.apple.security.network.client": `com.apple.photo-editing+com.apple.security.application-groups+com.apple.security.network.client`
        case "com.apple.photo-editing+com.apple.security.network.client": `com.apple.photo-editing+com.apple.security.network.client`
        case "com.apple.share-services": `com.apple.share-services`
        case "com.apple.share-services+com.apple.security.application-groups": `com.apple.share-services+com.apple.security.application-groups`
        case "com.apple.share-services+com.apple.security.application-groups+com.apple.security.network.client": `com.apple.share-services+com.apple.security.application-groups+com.apple.security.network.client`
        case "com.apple.share-services+com.apple.security.network.client": `com.apple.share-services+com.apple.security.network.client`
        case "com.apple.ui-services": `com.apple.ui-services`
        case "com.apple.ui-services+com.apple.security.application-groups": `com.apple.ui-services+com.apple.security.application-groups`
        case "com.apple.ui-services+com.apple.security.application-groups+com.apple.security.network.client": `com.apple.ui-services+com.apple.security.application-groups+com.apple.security.network.client`
        case "com.apple.ui-services+com.apple.security.network.client": `com.apple.ui-services+com.apple.security.network.client`
        case "com.apple.usernotifications.content-extension": `com.apple.usernotifications.content-extension`
        case "com.apple.usernotifications.content-extension+com.apple.security.application-groups": `com.apple.usernotifications.content-extension+com.apple.security.application-groups`
        case "com.apple.usernotifications.content-extension+com.apple.security.application-groups+com.apple.security.network.client": `com.apple.usernotifications.content-extension+com.apple.security.application-groups+com.apple.security.network.client`
        case "com.apple.usernotifications.content-extension+com.apple.security.network.client": `com.apple.usernotifications.content-extension+com.apple.security.network.client`
        case "com.apple.widget-extension": `com.apple.widget-extension`
        case "com.apple.widget-extension+com.apple.security.application-groups": `com.apple.widget-extension+com.apple.security.application-groups`
        case "com.apple.widget-extension+com.apple.security.application-groups+com.apple.security.network.client": `com.apple.widget-extension+com.apple.security.application-groups+com.apple.security.network.client`
        case "com.apple.widget-extension+com.apple.security.network.client": `com.apple.widget-extension+com.apple.security.network.client`
        case "compute": `compute`
        case "resources": `resources`
        case "storage": `storage`
        case "tool": `tool`
        case "tool+jit": `tool+jit`
        case "tool+jit+loopback": `tool+jit+loopback`
        case "tool+jit+network": `tool+jit+network`
        case "tool+jit+sockets": `tool+jit+sockets`
        case "tool+loopback": `tool+loopback`
        case "tool+loopback+network": `tool+loopback+network`
        case "tool+loopback+sockets": `tool+loopback+sockets`
        case "tool+network": `tool+network`
        case "tool+network+sockets": `tool+network+sockets`
        case "tool+sockets": `tool+sockets`
        case "workspace": `workspace`
        default: nil
        }
    }
}
