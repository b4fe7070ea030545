/// A row of the built-in table: a type with its parents, its usual filename extensions and its MIME types.
struct KnownType {
    let identifier: String
    let parents: [String]
    let filenameExtensions: [String]
    let mimeTypes: [String]

    private init(
        _ identifier: String, parents: [String] = [], endings: [String] = [], mime: [String] = []
    ) {
        self.identifier = identifier
        self.parents = parents
        filenameExtensions = endings
        mimeTypes = mime
    }

    /// All rows of the table. If `TypeIdentifier` already has the type of a row, the type's parents come from
    /// `TypeIdentifier`, and the row only adds names.
    static let all = kinds + texts + pictures + sounds + archives + documents

    private static let kinds = [
        KnownType("public.directory", parents: ["public.item"], mime: ["inode/directory"]),
        KnownType("public.folder", parents: ["public.directory"]),
        KnownType("public.composite-content", parents: ["public.content"]),
        KnownType("public.archive", parents: ["public.data"]),
        KnownType("public.contact"), KnownType("public.message"), KnownType("public.calendar-event"),
        KnownType("public.font", parents: ["public.data", "public.content"]),
        KnownType("public.executable", parents: ["public.data"], mime: ["application/x-executable"]),
        KnownType("com.apple.property-list", parents: ["public.data"], endings: ["plist"]),
        KnownType(
            "com.apple.webarchive", parents: ["public.data", "public.composite-content"], endings: ["webarchive"]),
        KnownType("public.data", mime: ["application/octet-stream"]),
    ]

    private static let texts = [
        KnownType("public.plain-text", mime: ["text/plain"]),
        KnownType("public.html", mime: ["text/html"]),
        KnownType("public.source-code", parents: ["public.plain-text"]),
        KnownType("public.script", parents: ["public.source-code"]),
        KnownType(
            "public.shell-script", parents: ["public.script"], endings: ["sh"], mime: ["application/x-shellscript"]),
        KnownType("public.python-script", parents: ["public.script"], endings: ["py"], mime: ["text/x-python"]),
        KnownType("public.swift-source", parents: ["public.source-code"], endings: ["swift"], mime: ["text/x-swift"]),
        KnownType("public.c-source", parents: ["public.source-code"], endings: ["c"], mime: ["text/x-csrc"]),
        KnownType("public.xml", parents: ["public.text"], endings: ["xml"], mime: ["application/xml", "text/xml"]),
        KnownType("public.json", parents: ["public.text"], endings: ["json"], mime: ["application/json"]),
        KnownType("public.yaml", parents: ["public.text"], endings: ["yaml", "yml"], mime: ["application/yaml"]),
        KnownType("public.rtf", parents: ["public.text"], endings: ["rtf"], mime: ["application/rtf", "text/rtf"]),
        KnownType(
            "public.comma-separated-values-text", parents: ["public.plain-text"], endings: ["csv"], mime: ["text/csv"]),
        KnownType(
            "net.daringfireball.markdown", parents: ["public.plain-text"], endings: ["md", "markdown"],
            mime: ["text/markdown"]),
        KnownType(
            "public.vcard", parents: ["public.text", "public.contact"], endings: ["vcf", "vcard"],
            mime: ["text/vcard", "text/x-vcard"]),
        KnownType(
            "com.apple.ical.ics", parents: ["public.text", "public.calendar-event"], endings: ["ics"],
            mime: ["text/calendar"]),
        KnownType("org.opml.opml", parents: ["public.xml"], endings: ["opml"], mime: ["text/x-opml+xml"]),
    ]

    private static let pictures = [
        KnownType("public.png", mime: ["image/png"]), KnownType("public.jpeg", mime: ["image/jpeg", "image/jpg"]),
        KnownType("public.tiff", mime: ["image/tiff"]), KnownType("com.compuserve.gif", mime: ["image/gif"]),
        KnownType("org.webmproject.webp", mime: ["image/webp"]),
        KnownType("public.svg-image", mime: ["image/svg+xml"]),
        KnownType("public.heif-standard", parents: ["public.image"]),
        KnownType("public.heif", parents: ["public.heif-standard"], endings: ["heif"], mime: ["image/heif"]),
        KnownType("public.heic", parents: ["public.heif-standard"], endings: ["heic"], mime: ["image/heic"]),
        KnownType("public.avif", parents: ["public.heif-standard"], endings: ["avif"], mime: ["image/avif"]),
        KnownType("com.microsoft.bmp", parents: ["public.image"], endings: ["bmp"], mime: ["image/bmp"]),
        KnownType("com.microsoft.ico", parents: ["public.image"], endings: ["ico"], mime: ["image/vnd.microsoft.icon"]),
        KnownType("public.camera-raw-image", parents: ["public.image"]),
        KnownType(
            "com.adobe.raw-image", parents: ["public.camera-raw-image"], endings: ["dng"], mime: ["image/x-adobe-dng"]),
    ]

    private static let sounds = [
        KnownType("public.video", parents: ["public.movie"]),
        KnownType("public.mpeg-4", mime: ["video/mp4"]),
        KnownType("public.mpeg", parents: ["public.video"], endings: ["mpg", "mpeg"], mime: ["video/mpeg"]),
        KnownType(
            "com.apple.quicktime-movie", parents: ["public.video"], endings: ["mov", "qt"], mime: ["video/quicktime"]),
        KnownType("com.apple.m4v-video", parents: ["public.mpeg-4"], endings: ["m4v"], mime: ["video/x-m4v"]),
        KnownType("public.avi", parents: ["public.video"], endings: ["avi"], mime: ["video/x-msvideo"]),
        KnownType("org.webmproject.webm", parents: ["public.video"], endings: ["webm"], mime: ["video/webm"]),
        KnownType("org.matroska.mkv", parents: ["public.video"], endings: ["mkv"], mime: ["video/x-matroska"]),
        KnownType("public.mp3", parents: ["public.audio"], endings: ["mp3"], mime: ["audio/mpeg"]),
        KnownType("public.mpeg-4-audio", parents: ["public.audio"], endings: ["m4a"], mime: ["audio/mp4"]),
        KnownType("com.microsoft.waveform-audio", parents: ["public.audio"], endings: ["wav"], mime: ["audio/x-wav"]),
        KnownType("org.xiph.flac", parents: ["public.audio"], endings: ["flac"], mime: ["audio/flac"]),
        KnownType("org.xiph.ogg-audio", parents: ["public.audio"], endings: ["ogg", "oga"], mime: ["audio/ogg"]),
    ]

    private static let archives = [
        KnownType(
            "public.zip-archive", parents: ["public.archive"], endings: ["zip"], mime: ["application/zip"]),
        KnownType("public.tar-archive", parents: ["public.archive"], endings: ["tar"], mime: ["application/x-tar"]),
        KnownType("org.gnu.gnu-zip-archive", parents: ["public.archive"], endings: ["gz"], mime: ["application/gzip"]),
        KnownType(
            "org.gnu.gnu-zip-tar-archive", parents: ["org.gnu.gnu-zip-archive"], endings: ["tgz", "tar.gz"],
            mime: ["application/x-compressed-tar"]),
    ]

    private static let documents = [
        KnownType("com.adobe.pdf", mime: ["application/pdf"]),
        KnownType(
            "org.idpf.epub-container", parents: ["public.data", "public.composite-content"], endings: ["epub"],
            mime: ["application/epub+zip"]),
        KnownType(
            "org.oasis-open.opendocument.text", parents: ["public.data", "public.composite-content"], endings: ["odt"],
            mime: ["application/vnd.oasis.opendocument.text"]),
        KnownType(
            "org.openxmlformats.wordprocessingml.document", parents: ["public.data", "public.composite-content"],
            endings: ["docx"],
            mime: ["application/vnd.openxmlformats-officedocument.wordprocessingml.document"]),
        KnownType(
            "com.microsoft.word.doc", parents: ["public.data", "public.content"], endings: ["doc"],
            mime: ["application/msword"]),
        KnownType(
            "public.email-message", parents: ["public.data", "public.message"], endings: ["eml"],
            mime: ["message/rfc822"]),
    ]
}
