internal import AnnexLinux
internal import AnnexModel

/// A bundle's `Info.plist` while the bundle is checked.
///
/// After the check, Annex keeps only the values that it needs, and not this whole object. The whole objects could
/// take much memory: hundreds of bundles may be installed, and each author chooses the length of this file.
public struct InfoDictionary: Sendable, Hashable {
    /// All keys and values of the file.
    public let values: [String: PropertyListValue]
    /// The file's path, for messages.
    let file: String
    /// The file's status when it was read.
    let status: FileStatus

    /// The longest text that Annex accepts as the value of a key, in bytes.
    private static let longestText = 1_024

    private init(_ values: [String: PropertyListValue], file: String, status: FileStatus) {
        self.values = values
        self.file = file
        self.status = status
    }

    init(_ bytes: [UInt8], file: String, status: FileStatus) throws(BundleError) {
        let value: PropertyListValue
        do throws(PropertyListFailure) {
            value = try PropertyListValue(bytes, within: .info)
        } catch {
            throw BundleError(
                .p2, file: file, what: "is not a property list: \(Self.line(of: error, in: bytes))\(error)",
                remedy: "write it as an XML or binary property list")
        }
        guard let values = value.dictionary else {
            throw BundleError(.p2, file: file, what: "is \(value.kind)", remedy: "make it a dictionary")
        }
        self.init(values, file: file, status: status)
    }

    /// The line of a fault in a text, for an editor; empty for a binary property list.
    private static func line(of failure: PropertyListFailure, in bytes: [UInt8]) -> String {
        guard !bytes.starts(with: "bplist".utf8) else { return "" }
        return "line \(bytes.prefix(failure.offset).count { $0 == UInt8(ascii: "\n") } + 1), "
    }

    /// Every value that still contains a placeholder of a build setting, such as `$(PRODUCT_NAME)`, by its key path.
    public var placeholders: [String: String] {
        var found: [String: String] = [:]
        Self.collect(.dictionary(values), path: "", into: &found)
        return found
    }

    private static func collect(_ value: PropertyListValue, path: String, into found: inout [String: String]) {
        switch value {
        case .string(let text) where isPlaceholder(text): found[path] = Escaped(text).description
        case .dictionary(let values):
            for (key, value) in values {
                let name = Escaped(key).description
                collect(value, path: path.isEmpty ? name : "\(path).\(name)", into: &found)
            }
        case .array(let values):
            for (index, value) in values.enumerated() { collect(value, path: "\(path)[\(index)]", into: &found) }
        default: break
        }
    }

    private static func isPlaceholder(_ text: String) -> Bool {
        text.utf8.indices.contains {
            text.utf8[$0...].starts(with: "$(".utf8) || text.utf8[$0...].starts(with: "${".utf8)
        }
    }
}

extension InfoDictionary {
    /// The text of a key; nil if the key is missing.
    func text(_ key: String, rule: BundleRule = .p2) throws(BundleError) -> String? {
        guard let value = values[key] else { return nil }
        guard let text = value.string else {
            throw fault(key, what: "is \(value.kind), not a string", rule: rule, remedy: "make it a string")
        }
        guard !Self.isPlaceholder(text) else {
            throw fault(
                key, what: "is the placeholder \(Escaped(text)) of a build setting", rule: .p2,
                remedy: "write the value that the build would put there")
        }
        guard !text.isEmpty, text.utf8.count <= Self.longestText else {
            throw fault(
                key, what: "is empty or longer than \(Self.longestText) bytes", rule: rule, remedy: "give it a text")
        }
        guard text.unicodeScalars.allSatisfy(ShownText.isShowable) else {
            throw fault(
                key, what: "is \(Escaped(text)), which holds characters that cannot be shown", rule: rule,
                remedy: "remove control characters and marks that change the direction of writing")
        }
        return text
    }

    /// The text of a required key.
    func requiredText(_ key: String, rule: BundleRule = .p2) throws(BundleError) -> String {
        guard let text = try text(key, rule: rule) else {
            throw fault(key, what: "is missing", rule: rule, remedy: "add it")
        }
        return text
    }

    /// The text of a required key whose value must be an identifier.
    func identifier(_ key: String) throws(BundleError) -> String {
        let text = try requiredText(key)
        guard BundleIdentifier.isWellFormed(text) else {
            throw fault(
                key, what: "is \(Escaped(text)), which is not an identifier", rule: .p2,
                remedy: "use reverse DNS: letters, digits and hyphens between dots")
        }
        return text
    }

    /// A dictionary inside this dictionary; nil if the key is missing.
    func dictionary(_ key: String) throws(BundleError) -> InfoDictionary? {
        guard let value = values[key] else { return nil }
        guard let values = value.dictionary else {
            throw fault(key, what: "is \(value.kind), not a dictionary", rule: .p2, remedy: "make it a dictionary")
        }
        return InfoDictionary(values, file: file, status: status)
    }

    func fault(_ key: String, what: String, rule: BundleRule, remedy: String) -> BundleError {
        BundleError(rule, file: file, key: key, what: what, remedy: remedy)
    }
}

/// The rule for bundle identifiers. Identifiers become part of paths, reports and names of control groups.
package enum BundleIdentifier {
    /// Whether the text is reverse DNS: letters, digits and hyphens between single dots. No part may be empty or start
    /// with a hyphen. The text has at most 155 bytes, so that a file can be named after it.
    package static func isWellFormed(_ text: String) -> Bool {
        guard (1...155).contains(text.utf8.count) else { return false }
        return text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { part in
            part.first != nil && part.first != UInt8(ascii: "-") && part.allSatisfy(isAllowed)
        }
    }

    /// The form in which identifiers are compared. Apple ignores the case of letters in this comparison.
    package static func folded(_ text: String) -> String { text.lowercased() }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
