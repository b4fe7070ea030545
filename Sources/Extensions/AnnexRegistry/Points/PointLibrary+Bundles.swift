package import AnnexBundle

/// Why an extension cannot be used with the points of a library.
package enum PointFault: Error, Sendable, Hashable {
    /// The extension names a point that the library does not declare.
    case unsupportedPoint(BundleError)
    /// An attribute has another kind than the point states, or the extension asks for an entitlement that the point
    /// does not allow.
    case wrongAttribute(BundleError)

    package var error: BundleError {
        switch self {
        case .unsupportedPoint(let error), .wrongAttribute(let error): error
        }
    }
}

extension PointLibrary {
    /// The declared point of an extension.
    ///
    /// - Throws: a `PointFault` if the extension does not name a declared point, or if one of its attributes is
    ///   wrong. A `PointFault` is also thrown if the extension asks for an entitlement that the point does not allow.
    ///   If the point lists attributes, this function reads the extension's `Info.plist`.
    package func point(of bundle: ExtensionBundle) throws(PointFault) -> ExtensionPoint {
        guard let point = point(bundle.extensionPoint) else { throw .unsupportedPoint(undeclared(bundle)) }
        if let first = point.faults(of: bundle).first { throw .wrongAttribute(first) }
        return point
    }

    /// All faults of an extension under the rules of its point, for the extension's author.
    ///
    /// An undeclared point is only a warning, because a host may declare the point.
    package func findings(about bundle: ExtensionBundle) -> [BundleFinding] {
        guard let point = point(bundle.extensionPoint) else {
            return [
                BundleFinding(
                    .warning, fault: undeclared(bundle, or: ". If a host declares it, name the host's folder of points")
                )
            ]
        }
        return point.faults(of: bundle).map { BundleFinding(.error, fault: $0) }
    }

    /// - Parameter advice: a text for the end of the remedy.
    private func undeclared(_ bundle: ExtensionBundle, or advice: String = "") -> BundleError {
        let near = nearest(to: bundle.extensionPoint).map { "did you mean \($0)? " } ?? ""
        let most = 20
        let rest = names.count > most ? " and \(names.count - most) more" : ""
        return bundle.fault(
            "NSExtensionPointIdentifier", what: "is \(bundle.extensionPoint), which is not an extension point",
            remedy: "\(near)The points are \(names.prefix(most).joined(separator: ", "))\(rest)\(advice)")
    }

}

extension ExtensionPoint {
    /// All faults of an extension under the rules of this point. The faults of attributes come first, then the faults
    /// of entitlements.
    fileprivate func faults(of bundle: ExtensionBundle) -> [BundleError] {
        do throws(BundleError) {
            return try attributeFaults(of: bundle) + entitlementFaults(of: bundle)
        } catch {
            return [error]
        }
    }

    private func attributeFaults(of bundle: ExtensionBundle) throws(BundleError) -> [BundleError] {
        guard !attributes.isEmpty else { return [] }
        let values = try bundle.attributes()
        return attributes.sorted { $0.key < $1.key }.compactMap { key, kind in
            guard let value = values[key], !kind.accepts(value) else { return nil }
            return bundle.fault(
                "NSExtensionAttributes.\(key)", what: "is \(value.kind)",
                remedy: "make it \(kind.words), as the extension point \(identifier) says")
        }
    }
}

extension AttributeKind {
    func accepts(_ value: PropertyListValue) -> Bool {
        switch (self, value) {
        case (.any, _), (.string, .string), (.boolean, .boolean), (.integer, .integer), (.number, .integer),
            (.number, .real), (.array, .array), (.dictionary, .dictionary):
            true
        default: false
        }
    }

    /// The kind in words, with its article.
    fileprivate var words: String {
        switch self {
        case .array, .integer: "an \(rawValue)"
        case .any, .string, .boolean, .number, .dictionary: "a \(rawValue)"
        }
    }
}
