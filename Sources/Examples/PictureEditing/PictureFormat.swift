/// The kinds of picture files that can be edited.
public enum PictureFormat: Sendable, Hashable {
    case png
    case jpeg

    /// Detects the format by the file's first bytes. The file's name does not count.
    public init(of file: [UInt8]) throws(PictureError) {
        if file.isEmpty { throw PictureError("the picture is empty: the file has no bytes") }
        if file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if file.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else {
            throw PictureError("the file is neither a PNG nor a JPEG picture")
        }
    }
}
