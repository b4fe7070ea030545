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
