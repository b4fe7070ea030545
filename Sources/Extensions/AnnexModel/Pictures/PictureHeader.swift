/// The kind and the size of a picture, as its header states them. The picture itself is not decoded.
///
/// The bytes after the header are still untrusted. A host should decode them in a sandbox.
public struct PictureHeader: Sendable, Hashable {
    /// The kind of the picture: `public.png` or `public.jpeg`.
    public let type: TypeIdentifier
    /// The width in pixels; at least 1.
    public let width: Int
    /// The height in pixels; at least 1.
    public let height: Int

    /// Reads the header.
    ///
    /// - Parameter bytes: the whole picture. In a JPEG picture, the size may be far from the start.
    /// - Returns: nil if the bytes are neither a PNG nor a JPEG picture, or state no size.
    public init?(_ bytes: [UInt8]) {
        if let header = PNGHeader(bytes) {
            self.init(.png, width: header.width, height: header.height)
        } else if let header = JPEGHeader(bytes) {
            self.init(.jpeg, width: header.width, height: header.height)
        } else {
            return nil
        }
    }

    private init?(_ type: TypeIdentifier, width: Int, height: Int) {
        guard width > 0, height > 0 else { return nil }
        self.type = type
        self.width = width
        self.height = height
    }
}
