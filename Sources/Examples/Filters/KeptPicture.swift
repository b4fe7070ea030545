import AnnexHost
import Glibc

/// A picture as this app keeps it: `beach.ppm`, and beside it, if an extension edited it, the files `beach.ppm.original` and
/// `beach.ppm.adjustments`.
struct KeptPicture {
    let editable: EditablePicture
    private let original: ItemContents

    init(_ path: String) throws {
        let picture = try ItemContents(path: path)
        var editable = EditablePicture(Self.provider(picture))
        original = (try? ItemContents(path: path + ".original")) ?? picture
        if let bytes = try? ItemContents(path: path + ".adjustments").load(limit: 1 << 16) {
            editable.original = Self.provider(original)
            editable.adjustmentData = try AdjustmentData(archive: bytes)
        }
        self.editable = editable
    }

    /// Keeps an edited picture under a new name.
    func keep(_ edited: ContentEditingOutput, as path: String) throws {
        try Self.create(path, holding: edited.renderedContent.load())
        try Self.create(path + ".original", holding: original.load())
        try Self.create(path + ".adjustments", holding: edited.adjustmentData.archived())
    }

    private static func provider(_ contents: ItemContents) -> ItemProvider {
        ItemProvider(contents: contents, types: [.pbm])
    }

    private static func create(_ path: String, holding bytes: [UInt8]) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o666)
        defer { close(file) }
        guard file >= 0, write(file, bytes, bytes.count) == bytes.count else { throw NotWritten(path: path) }
    }
}

/// A file that is there already, or cannot be written.
struct NotWritten: Error, CustomStringConvertible {
    let path: String
    var description: String { "\(path) is there already, or cannot be written" }
}
