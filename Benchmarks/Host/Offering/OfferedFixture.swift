import AnnexHost

/// The activation rules and the items of the scene about offers, with the answer that each rule must give.
enum OfferedFixture {
    /// A rule as an `Info.plist` states it.
    struct Rule {
        let text: String
        /// Whether an extension with this rule is offered for `items`.
        let isOffered: Bool

        init(_ text: String, isOffered: Bool) {
            self.text = text
            self.isOffered = isOffered
        }
    }

    /// Rules of both kinds in alternation, as extensions have them.
    static let rules: [Rule] = [
        Rule(
            dictionary(["ImageWithMaxCount": 200, "MovieWithMaxCount": 200, "FileWithMaxCount": 200]), isOffered: true),
        Rule(
            predicate(["public.image", "public.movie"], tail: ".@count == $item.attachments.@count"), isOffered: false),
        Rule(dictionary(["ImageWithMaxCount": 9]), isOffered: false),
        Rule(predicate(["public.image", "public.movie", "public.data"], tail: ".@count >= 1"), isOffered: true),
        Rule(dictionary(["FileWithMaxCount": 100], version: 2), isOffered: true),
        Rule(
            predicate(["com.adobe.pdf", "public.plain-text", "public.audio"], tail: ".@count == 100"), isOffered: false),
        Rule(dictionary(["WebURLWithMaxCount": 1], version: 2), isOffered: false),
        Rule("<string>TRUEPREDICATE</string>", isOffered: true),
    ]

    /// A hundred items. Each has an attachment whose types differ from those of all other items.
    static func items() -> [ExtensionItem] {
        kinds.flatMap { kind in
            extras.map { extra in
                let contents = ItemContents.onDemand { _ in try ItemContents(bytes: []) }
                let types = [kind] + extra
                return ExtensionItem(attachments: [ItemProvider(contents: contents, types: types)])
            }
        }
    }

    private static let kinds = [
        "public.jpeg", "public.png", "public.heic", "com.compuserve.gif", "public.tiff", "com.adobe.pdf", "public.mp3",
        "public.mpeg-4", "com.apple.quicktime-movie", "public.plain-text", "public.html", "public.json",
        "public.zip-archive",
        "public.swift-source", "net.daringfireball.markdown", "public.vcard", "public.rtf", "org.xiph.flac",
        "public.avi", "com.microsoft.word.doc",
    ].map(TypeIdentifier.init(rawValue:))

    private static let extras = [
        [], ["public.data"], ["public.file-url"], ["com.example.document"], ["com.example.document", "public.item"],
    ].map { $0.map(TypeIdentifier.init(rawValue:)) }

    private static func dictionary(_ counts: KeyValuePairs<String, Int>, version: Int = 1) -> String {
        let keys = counts.map { "<key>NSExtensionActivationSupports\($0.key)</key><integer>\($0.value)</integer>" }
        return "<dict><key>NSExtensionActivationDictionaryVersion</key><integer>\(version)</integer>"
            + keys.joined() + "</dict>"
    }

    /// The predicate of Apple's documentation, for these types.
    private static func predicate(_ types: [String], tail: String) -> String {
        let tests = types.map { "ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO &quot;\($0)&quot;" }
        return "<string>SUBQUERY (extensionItems, $item, SUBQUERY ($item.attachments, $attachment, "
            + tests.joined(separator: " || ") + ")\(tail)).@count == extensionItems.@count</string>"
    }
}
