/// The kinds of attachments that a dictionary rule names. The most specific kind comes first.
package enum ItemKind: String, Sendable, CaseIterable {
    case image, movie, webPage, webURL, text, file

    /// The key with which a dictionary rule states how many attachments of this kind an extension takes.
    package var key: String {
        switch self {
        case .image: "NSExtensionActivationSupportsImageWithMaxCount"
        case .movie: "NSExtensionActivationSupportsMovieWithMaxCount"
        case .webPage: "NSExtensionActivationSupportsWebPageWithMaxCount"
        case .webURL: "NSExtensionActivationSupportsWebURLWithMaxCount"
        case .text: "NSExtensionActivationSupportsText"
        case .file: "NSExtensionActivationSupportsFileWithMaxCount"
        }
    }

    /// The place of this kind among all kinds. The most specific kind has the lowest rank.
    var rank: Int {
        switch self {
        case .image: 0
        case .movie: 1
        case .webPage: 2
        case .webURL: 3
        case .text: 4
        case .file: 5
        }
    }

    /// The kind in words, in the plural.
    var words: String {
        switch self {
        case .image: "pictures"
        case .movie: "movies"
        case .webPage: "web pages"
        case .webURL: "web addresses"
        case .text: "texts"
        case .file: "files"
        }
    }

    /// Whether a type is of this kind.
    ///
    /// - Parameters:
    ///   - ancestors: the type and all types that it is a kind of, in lower case.
    ///   - isText: whether the type belongs to an item's own text. Such a text does not count as a file.
    func includes(_ ancestors: Set<String>, isText: Bool) -> Bool {
        switch self {
        case .image: ancestors.contains("public.image")
        case .movie: ancestors.contains("public.movie")
        case .webPage: Self.pages.contains(where: ancestors.contains)
        case .webURL: ancestors.contains("public.url") && !ancestors.contains("public.file-url")
        case .text: ancestors.contains("public.text")
        case .file:
            !isText && Self.files.contains(where: ancestors.contains)
                && (ancestors.contains("public.file-url") || !ancestors.contains("public.url"))
        }
    }

    /// The types in which a browser offers a page: data that a script collected in the page, an archive of the page,
    /// or the page's source.
    private static let pages = ["com.apple.property-list", "com.apple.webarchive", "public.html"]
    private static let files = ["public.data", "public.directory", "public.item"]
}

/// A set of kinds of attachments.
struct ItemKinds: Sendable, Hashable {
    private var bits: UInt8 = 0

    init() {}

    mutating func insert(_ kind: ItemKind) { bits |= 1 << kind.rank }

    func contains(rank: Int) -> Bool { bits >> rank & 1 == 1 }

    func intersection(_ other: ItemKinds) -> ItemKinds {
        var common = self
        common.bits &= other.bits
        return common
    }

    /// The rank of the most specific kind; nil if the set is empty.
    var first: Int? { bits == 0 ? nil : bits.trailingZeroBitCount }
}

/// The kinds that include a type.
struct TypeKinds: Sendable {
    /// The kinds that include the type if it belongs to an attachment.
    private(set) var ofAttachment = ItemKinds()
    /// The kinds that include the type if it belongs to an item's own text.
    private(set) var ofText = ItemKinds()

    init(_ ancestors: Set<String>) {
        for kind in ItemKind.allCases {
            if kind.includes(ancestors, isText: false) { ofAttachment.insert(kind) }
            if kind.includes(ancestors, isText: true) { ofText.insert(kind) }
        }
    }
}
