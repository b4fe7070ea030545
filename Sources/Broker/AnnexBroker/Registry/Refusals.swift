internal import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexShippedPolicies

// An extension that is installed and not on offer, since it breaks a rule. A daemon tells of 64 in one packet: what is
// said of each is bounded, whatever its property list holds.

extension ExtensionBundle {
    /// Why the extension is not on offer; nil if its point is one of those that Annex declares.
    var refusal: BrokerError? {
        guard !ExtensionPoints.declared.contains(extensionPoint) else { return nil }
        let near = ExtensionPoints.nearest(to: extensionPoint).map { "did you mean \($0)? " } ?? ""
        let error = pointFault(
            "is \(extensionPoint), which is no extension point",
            remedy: "\(near)The points are \(ExtensionPoints.declared.sorted().joined(separator: ", "))")
        return BrokerError(.unknownPoint, "\(error)".shortened(to: 800), place: identifier)
    }

    /// The extension as it is listed.
    func described(isEnabled: Bool) -> InstalledExtension {
        let refusal = refusal
        return InstalledExtension(
            id: identifier, displayName: refusal == nil ? displayName : displayName.shortened(to: 256),
            extensionPoint: extensionPoint, containingApp: containingApp, isEnabled: isEnabled, refusal: refusal)
    }
}

extension RefusedExtension {
    /// The extension as it is listed: by its place in its app, since its own words cannot be relied on.
    func described(in app: AppBundle) -> InstalledExtension {
        let name = "\(app.identifier)/\(place)"
        let refusal = BrokerError(.invalidBundle, "\(error)".shortened(to: 800), place: app.identifier)
        return InstalledExtension(
            id: name, displayName: place, extensionPoint: "", containingApp: app.identifier, refusal: refusal)
    }
}

extension String {
    /// At most so many bytes, and a mark if some are left out.
    fileprivate func shortened(to most: Int) -> String {
        utf8.count <= most ? self : String(decoding: utf8.prefix(most), as: UTF8.self) + "…"
    }
}
