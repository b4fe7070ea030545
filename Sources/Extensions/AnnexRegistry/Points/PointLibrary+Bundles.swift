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
        do throws(BundleError) {
            try check(bundle, by: point)
            try point.checkEntitlements(of: bundle)
        } catch {
            throw .wrongAttribute(error)
        }
        return point
    }

    private func undeclared(_ bundle: ExtensionBundle) -> BundleError {
        let near = nearest(to: bundle.extensionPoint).map { "did you mean \($0)? " } ?? ""
        let most = 20
        let rest = names.count > most ? " and \(names.count - most) more" : ""
        return bundle.fault(
            "NSExtensionPointIdentifier", what: "is \(bundle.extensionPoint), which is not an extension point",
            remedy: "\(near)The points are \(names.prefix(most).joined(separator: ", "))\(rest)")
    }

    private func check(_ bundle: ExtensionBundle, by point: ExtensionPoint) throws(BundleError) {
        guard !point.attributes.isEmpty else { return }
        let values = try bundle.attributes()
        for (key, kind) in point.attributes.sorted(by: { $0.key < $1.key }) {
            guard let value = values[key], !kind.accepts(value) else { continue }
            throw bundle.fault(
                "NSExtensionAttributes.\(key)", what: "is \(value.kind)",
                remedy: "make it \(kind.words), as the extension point \(point.identifier) says")
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
