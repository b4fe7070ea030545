internal import AnnexBundle

/// The folder of an app that was replaced or removed. It stays until no extension runs from it: a running extension
/// holds its bundle.
struct Leaving: Sendable {
    private struct Held: Sendable {
        weak let bundle: ExtensionBundle?
    }

    let app: StoreIndex.App
    private let held: [Held]

    init(_ app: StoreIndex.App, heldBy bundles: [ExtensionBundle]) {
        self.app = app
        held = bundles.map { Held(bundle: $0) }
    }

    var isHeld: Bool { held.contains { $0.bundle != nil } }
}
