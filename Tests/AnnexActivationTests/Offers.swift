import AnnexModel

@testable import AnnexActivation

/// Items of the tests: photos, pages and whatever else a host may offer, with the built-in types only.
enum Offers {
    static func one(_ attachments: TypeIdentifier...) -> OfferedItems {
        OfferedItems(attachments: [attachments.map { [$0] }], types: .builtIn)
    }

    static func photos(_ count: Int) -> OfferedItems {
        OfferedItems(attachments: [Array(repeating: [.jpeg], count: count)], types: .builtIn)
    }

    static let text = OfferedItems([ExtensionItem(contentText: "hello")], types: .builtIn)
    static let nothing = OfferedItems([], types: .builtIn)

    /// A typical item of each kind, by its name.
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
