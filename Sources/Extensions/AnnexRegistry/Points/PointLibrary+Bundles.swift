package import AnnexBundle

/// Why an extension cannot be used with a library's points.
package enum PointFault: Error, Sendable, Hashable {
    /// The extension names a point that is not declared.
    case unsupportedPoint(BundleError)
    /// An attribute is of another kind than the point says, or the extension asks for an entitlement that the point
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
    /// - Throws: a `PointFault` if the extension names no declared point, if one of its attributes is wrong, or if it
    ///   asks for an entitlement that the point does not allow. It reads the extension's `Info.plist` if the point has
    ///   attributes.
    package func point(of bundle: ExtensionBundle) throws(PointFault) -> ExtensionPoint {
        guard let point = point(bundle.extensionPoint) else { throw .unsupportedPoint(undeclared(bundle)) }
        if let first = point.faults(of: bundle).first { throw .wrongAttribute(first) }
        return point
    }

    /// Everything that is wrong with an extension under the rules of its point, for the author.
    ///
    /// An undeclared point is a warning: its host may declare it.
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

    /// - Parameter advice: the end of the remedy.
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
    /// Everything that is wrong with an extension under the rules of this point: attributes first, then entitlements.
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
