internal import AnnexBundle

/// An app's folder that counts no more. It stays until no extension runs from it: whatever runs holds its bundle.
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
