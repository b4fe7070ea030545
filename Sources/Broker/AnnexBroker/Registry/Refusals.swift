internal import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexShippedPolicies

// Extensions that are installed but cannot be begun, because they break a rule. A daemon lists 64 extensions in one
// packet, so the text about each is bounded, whatever its property list holds.

extension ExtensionBundle {
    /// Why hosts cannot begin the extension; nil if its point is one of those that Annex declares.
    var refusal: BrokerError? {
        guard !ExtensionPoints.declared.contains(extensionPoint) else { return nil }
        let near = ExtensionPoints.nearest(to: extensionPoint).map { "did you mean \($0)? " } ?? ""
        let error = pointFault(
            "is \(extensionPoint), which is no extension point",
            remedy: "\(near)The points are \(ExtensionPoints.declared.sorted().joined(separator: ", "))")
        return BrokerError(.unknownPoint, "\(error)".shortened(to: 800), place: identifier)
    }

    /// The extension's entry in the list of installed extensions.
    func described(isEnabled: Bool) -> InstalledExtension {
        let refusal = refusal
        return InstalledExtension(
            id: identifier, displayName: refusal == nil ? displayName : displayName.shortened(to: 256),
            extensionPoint: extensionPoint, containingApp: containingApp, isEnabled: isEnabled, refusal: refusal)
    }
}

extension RefusedExtension {
    /// The extension's entry in the list of installed extensions. It is named by its path in its app, because its
    /// property list may be wrong.
    func described(in app: AppBundle) -> InstalledExtension {
        let name = "\(app.identifier)/\(place)"
        let refusal = BrokerError(.invalidBundle, "\(error)".shortened(to: 800), place: app.identifier)
        return InstalledExtension(
            id: name, displayName: place, extensionPoint: "", containingApp: app.identifier, refusal: refusal)
    }
}

extension String {
    /// The string, cut to `most` bytes and marked with "…" if it is longer.
    fileprivate func shortened(to most: Int) -> String {
        utf8.count <= most ? self : String(decoding: utf8.prefix(most), as: UTF8.self) + "…"
    }
}
