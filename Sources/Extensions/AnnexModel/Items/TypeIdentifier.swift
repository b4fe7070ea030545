public import AnnexChannel

/// A uniform type identifier. It names a kind of content, for example `public.jpeg`.
public struct TypeIdentifier: RawRepresentable, Sendable, Hashable, Comparable {
    /// The identifier in reverse DNS, for example `com.example.pictures.sketch`.
    public let rawValue: String

    /// Accepts any text. `isWellFormed` says whether the text can name a type.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Whether the text can name a type: 1 to 255 ASCII letters, digits, hyphens and dots.
    public var isWellFormed: Bool {
        let bytes = rawValue.utf8
        guard !bytes.isEmpty, bytes.count <= 255 else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
    }

    public static func < (left: TypeIdentifier, right: TypeIdentifier) -> Bool { left.rawValue < right.rawValue }
}

extension TypeIdentifier: CustomStringConvertible {
    /// The identifier, escaped because the text may come from another program.
    public var description: String { Escaped(rawValue, limit: 255).description }
}

extension TypeIdentifier {
    public static let item = TypeIdentifier(rawValue: "public.item")
    public static let content = TypeIdentifier(rawValue: "public.content")
    public static let data = TypeIdentifier(rawValue: "public.data")
    public static let text = TypeIdentifier(rawValue: "public.text")
    public static let plainText = TypeIdentifier(rawValue: "public.plain-text")
    public static let utf8PlainText = TypeIdentifier(rawValue: "public.utf8-plain-text")
    public static let html = TypeIdentifier(rawValue: "public.html")
    public static let url = TypeIdentifier(rawValue: "public.url")
    public static let fileURL = TypeIdentifier(rawValue: "public.file-url")
    public static let image = TypeIdentifier(rawValue: "public.image")
    public static let png = TypeIdentifier(rawValue: "public.png")
    public static let jpeg = TypeIdentifier(rawValue: "public.jpeg")
    public static let tiff = TypeIdentifier(rawValue: "public.tiff")
    public static let gif = TypeIdentifier(rawValue: "com.compuserve.gif")
    public static let webP = TypeIdentifier(rawValue: "org.webmproject.webp")
    public static let svg = TypeIdentifier(rawValue: "public.svg-image")
    /// The portable bitmaps, greymaps and pixmaps of Netpbm.
    public static let pbm = TypeIdentifier(rawValue: "public.pbm")
    public static let audiovisualContent = TypeIdentifier(rawValue: "public.audiovisual-content")
    public static let movie = TypeIdentifier(rawValue: "public.movie")
    public static let mpeg4Movie = TypeIdentifier(rawValue: "public.mpeg-4")
    public static let audio = TypeIdentifier(rawValue: "public.audio")
    public static let pdf = TypeIdentifier(rawValue: "com.adobe.pdf")
}

extension TypeIdentifier: FieldValue {
    public func write(to encoder: inout MessageEncoder) {
        rawValue.write(to: &encoder)
    }

    public init(reading field: inout FieldReader) throws(DecodingFailure) {
        self.init(rawValue: try field.text())
        guard isWellFormed else { throw field.failure(.rejected("is not a type identifier")) }
    }
}

extension TypeIdentifier {
    /// Whether this type is the other type or a kind of the other type. For example, `public.png` conforms to
    /// `public.image`.
    public func conforms(to other: TypeIdentifier) -> Bool {
        self == other || parents.contains { $0.conforms(to: other) }
    }

    /// The types to which this type directly conforms, according to the built-in table. A type that is not in this
    /// table conforms only to itself.
    package var parents: [TypeIdentifier] {
        Self.builtIn[rawValue] ?? []
    }

    /// The built-in types, each with the types to which it directly conforms.
    package static let builtIn: [String: [TypeIdentifier]] = [
        item.rawValue: [], content.rawValue: [], data.rawValue: [item], text.rawValue: [data, content],
        plainText.rawValue: [text], utf8PlainText.rawValue: [plainText], html.rawValue: [text],
        url.rawValue: [data], fileURL.rawValue: [url],
        image.rawValue: [data, content], png.rawValue: [image], jpeg.rawValue: [image], tiff.rawValue: [image],
        gif.rawValue: [image], webP.rawValue: [image], svg.rawValue: [image], pbm.rawValue: [image],
        audiovisualContent.rawValue: [data, content], movie.rawValue: [audiovisualContent],
        audio.rawValue: [audiovisualContent], mpeg4Movie.rawValue: [movie], pdf.rawValue: [data, content],
    ]
}

extension TypeIdentifier {
    /// The type of a file with this filename extension; nil if the filename extension is not known. State the
    /// filename extension without the dot, in upper or lower case.
    public init?(filenameExtension: String) {
        let lower = filenameExtension.lowercased()
        guard let row = Self.filenameExtensions.first(where: { $0.spellings.contains(lower) }) else { return nil }
        self = row.type
    }

    /// The usual file extension of this type, without the dot; nil if none is known.
    public var preferredFilenameExtension: String? {
        Self.filenameExtensions.first { $0.type == self }?.spellings.first
    }

    /// The filename extensions of the types. The first spelling of a row is the preferred one.
    package static let filenameExtensions: [(type: TypeIdentifier, spellings: [String])] = [
        (.png, ["png"]), (.jpeg, ["jpg", "jpeg", "jpe"]), (.tiff, ["tiff", "tif"]), (.gif, ["gif"]),
        (.webP, ["webp"]), (.svg, ["svg"]), (.pbm, ["ppm", "pgm", "pbm", "pnm"]),
        (.plainText, ["txt", "text"]), (.html, ["html", "htm"]),
        (.mpeg4Movie, ["mp4"]), (.pdf, ["pdf"]),
    ]
}
