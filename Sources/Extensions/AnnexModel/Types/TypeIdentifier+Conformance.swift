extension TypeIdentifier {
    /// Whether this type is the other type or a kind of it: `public.png` conforms to `public.image`.
    public func conforms(to other: TypeIdentifier) -> Bool {
        self == other || parents.contains { $0.conforms(to: other) }
    }

    /// The types that this type directly conforms to. An unknown type has none, and conforms only to itself.
    private var parents: [TypeIdentifier] {
        switch self {
        case .content, .data: [.item]
        case .text, .image, .audiovisualContent, .pdf: [.data, .content]
        case .plainText, .html: [.text]
        case .utf8PlainText: [.plainText]
        case .url: [.data]
        case .fileURL: [.url]
        case .png, .jpeg, .tiff, .gif, .webP, .svg: [.image]
        case .movie, .audio: [.audiovisualContent]
        case .mpeg4Movie: [.movie]
        default: []
        }
    }
}

extension TypeIdentifier {
    /// The type of a file with this extension (without the dot, in any case); nil if the extension is not known.
    public init?(filenameExtension: String) {
        let lower = filenameExtension.lowercased()
        guard let row = Self.filenameExtensions.first(where: { $0.spellings.contains(lower) }) else { return nil }
        self = row.type
    }

    /// The usual file extension of this type, without the dot; nil if it is not known.
    public var preferredFilenameExtension: String? {
        Self.filenameExtensions.first { $0.type == self }?.spellings.first
    }

    /// The first spelling of a row is the preferred one.
    private static let filenameExtensions: [(type: TypeIdentifier, spellings: [String])] = [
        (.png, ["png"]), (.jpeg, ["jpg", "jpeg", "jpe"]), (.tiff, ["tiff", "tif"]), (.gif, ["gif"]),
        (.webP, ["webp"]), (.svg, ["svg"]), (.plainText, ["txt", "text"]), (.html, ["html", "htm"]),
        (.mpeg4Movie, ["mp4"]), (.pdf, ["pdf"]),
    ]
}
