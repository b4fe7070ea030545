import AnnexModel

@testable import AnnexActivation

/// Items for the tests: photos, pages and other things that a host may offer. They use only the built-in types.
enum Offers {
    static func one(_ attachments: TypeIdentifier...) -> OfferedItems {
        OfferedItems(attachments: [attachments.map { [$0] }], types: .builtIn)
    }

    static func photos(_ count: Int) -> OfferedItems {
        OfferedItems(attachments: [Array(repeating: [.jpeg], count: count)], types: .builtIn)
    }

    static let text = OfferedItems([ExtensionItem(contentText: "hello")], types: .builtIn)
    static let nothing = OfferedItems([], types: .builtIn)

    /// One typical item of each kind, with its name.
    static let typical: [(name: String, items: OfferedItems)] = [
        ("text", text), ("address", one(.url)), ("page", one(TypeIdentifier(rawValue: "com.apple.property-list"))),
        ("picture", one(.jpeg)), ("ten pictures", photos(10)), ("movie", one(.mpeg4Movie)), ("file", one(.pdf)),
        ("picture and file", one(.png, .pdf)),
    ]
}

extension ActivationRule {
    /// The rule of a share extension.
    init(_ rule: ItemValue) {
        self.init(attributes: [Self.key: rule], point: "com.apple.share-services")
    }
}
