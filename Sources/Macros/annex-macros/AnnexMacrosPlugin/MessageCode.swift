internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// The extension that `@Message` adds to a struct.
struct MessageCode {
    let type: String
    /// Whether the extension states the conformance to `Message`. Otherwise the struct itself states it.
    let conforms: Bool
    /// The access level before each function.
    let access: String
    /// The fields in no particular order; nil if the struct has mistakes.
    let fields: [MessageField]?

    /// The whole extension. Its names include their modules, because the program may have other types with these names.
    func `extension`() throws -> ExtensionDeclSyntax {
        try ExtensionDeclSyntax(
            """
            extension \(raw: type)\(raw: conforms ? ": AnnexMessages.Message" : "") {
                \(raw: access)func encode(into encoder: inout AnnexMessages.MessageEncoder) {
            \(raw: lines(of: sorted?.map(\.encoding) ?? []))
                }

                \(raw: access)init(from decoder: inout AnnexMessages.MessageDecoder) throws(AnnexMessages.DecodingFailure) {
            \(raw: lines(of: sorted?.map(\.decoding) ?? [withoutFields]))
                }
            }
            """)
    }

    /// The fields in the order of their tags. With this order, readers need one pass and no search.
    private var sorted: [MessageField]? { fields?.sorted { $0.tag < $1.tag } }

    /// A struct with mistakes still gets the conformance, so that the compiler reports only the mistakes. The
    /// initialiser only throws this error, so it needs no fields.
    private var withoutFields: String { "throw AnnexMessages.DecodingFailure(offset: 0, reason: .missingField)" }

    private func lines(of statements: [String]) -> String {
        statements.map { "        " + $0 }.joined(separator: "\n")
    }
}

/// One stored property of a message with its tag.
struct MessageField {
    /// The name as it is written. It may be between backticks.
    let name: String
    let tag: Int
    let shape: FieldShape

    /// The statement that writes the property.
    fileprivate var encoding: String {
        switch shape {
        case .required, .defaulted, .optional: "encoder.encode(self.\(name), as: \(tag))"
        case .list: "encoder.encode(list: self.\(name), as: \(tag))"
        }
    }

    /// The statement that reads the property.
    fileprivate var decoding: String {
        switch shape {
        case .required: "self.\(name) = try decoder.decode(\(tag))"
        // The property already has its default, because its declaration sets the default. So the expression of the
        // default is not copied, and its names keep their meaning.
        case .defaulted: "self.\(name) = try decoder.decode(\(tag), default: self.\(name))"
        case .optional: "self.\(name) = try decoder.decodeIfPresent(\(tag))"
        case .list: "self.\(name) = try decoder.decodeList(\(tag))"
        }
    }
}
