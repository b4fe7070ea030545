import AnnexHost
import Glibc

/// A picture as this app stores it, for example `beach.ppm`. If an extension edited the picture, the files
/// `beach.ppm.original` and `beach.ppm.adjustments` lie beside it.
struct KeptPicture {
    let editable: EditablePicture
    private let picture: ItemContents
    private let original: ItemContents

    init(_ path: String) throws {
        picture = try ItemContents(path: path)
        var editable = EditablePicture(Self.provider(picture))
        // An edit can be continued only if both files are there.
        let kept = try? (
            ItemContents(path: path + ".original"), ItemContents(path: path + ".adjustments").load(limit: 1 << 20)
        )
        original = kept?.0 ?? picture
        if let (original, edit) = kept {
            editable.original = Self.provider(original)
            editable.adjustmentData = try AdjustmentData(archive: edit)
        }
        self.editable = editable
    }

    /// Keeps an edited picture under a new name.
    /// - Parameter continues: whether the edit replaced the earlier edit. If not, the edit was applied to the result
    ///   of the earlier edit.
    func keep(_ edited: ContentEditingOutput, continues: Bool, as path: String) throws {
        try Self.create(path, holding: edited.renderedContent.load())
        try Self.create(path + ".original", holding: (continues ? original : picture).load())
        try Self.create(path + ".adjustments", holding: edited.adjustmentData.archived())
    }

    private static func provider(_ contents: ItemContents) -> ItemProvider {
        ItemProvider(contents: contents, types: [.pbm])
    }

    private static func create(_ path: String, holding bytes: [UInt8]) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o666)
        guard file >= 0 else { throw NotWritten(path: path) }
        defer { close(file) }
        var done = 0
        while done < bytes.count {
            let written = bytes[done...].withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            guard written > 0 else { throw NotWritten(path: path) }
            done += written
        }
    }
}

/// An error for a file that exists already or cannot be written.
struct NotWritten: Error, CustomStringConvertible {
    let path: String
    var description: String { "\(path) is there already, or cannot be written" }
}
