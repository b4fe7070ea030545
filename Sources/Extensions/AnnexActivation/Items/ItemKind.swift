/// The kinds of attachments that a dictionary rule names, the most special one first.
package enum ItemKind: String, Sendable, CaseIterable {
    case image, movie, webPage, webURL, text, file

    /// The key of a dictionary rule that states the most attachments of this kind.
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

    /// Its place among all kinds. The most special kind has the lowest.
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
    ///   - isText: whether it is the text of an item, which is no file.
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

    /// A page of a browser is offered as what its script collected, as an archive or as its source.
    private static let pages = ["com.apple.property-list", "com.apple.webarchive", "public.html"]
    private static let files = ["public.data", "public.directory", "public.item"]
}

/// Some kinds of attachments.
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

    /// The rank of the most special kind; nil if there is none.
    var first: Int? { bits == 0 ? nil : bits.trailingZeroBitCount }
}

/// The kinds that include a type.
struct TypeKinds: Sendable {
    /// If the type is that of an attachment.
    private(set) var ofAttachment = ItemKinds()
    /// If the type is that of an item's own text.
    private(set) var ofText = ItemKinds()

    init(_ ancestors: Set<String>) {
        for kind in ItemKind.allCases {
            if kind.includes(ancestors, isText: false) { ofAttachment.insert(kind) }
            if kind.includes(ancestors, isText: true) { ofText.insert(kind) }
        }
    }
}
