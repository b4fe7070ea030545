internal import CPicture

/// A decoded picture: rows of 8-bit pixels, and the file's information on how to show them.
@safe public struct Picture: ~Copyable {
    /// The C library's picture. Its pixels are freed with this value.
    private var raw: picture
    /// The format of the file from which the picture was decoded. The picture is encoded in the same format.
    public let format: PictureFormat

    /// The longest side, in pixels.
    private static let longestSide: UInt32 = 20_000
    /// The most pixels of a picture. 40 million pixels are 160 MB with alpha.
    private static let mostPixels: UInt64 = 40_000_000
    /// A JPEG's quality on libjpeg's scale, as most cameras use it.
    private static let quality: Int32 = 90

    /// Decodes a PNG or JPEG file that is not trusted.
    public init(decoding file: [UInt8]) throws(PictureError) {
        let format = try PictureFormat(of: file)
        unsafe raw = try Self.decode(file, as: format)
        self.format = format
    }

    private static func decode(_ file: [UInt8], as format: PictureFormat) throws(PictureError) -> picture {
        var limits = picture_limits(side: longestSide, pixels: mostPixels)
        var decoded = unsafe picture()
        // SAFETY: the file's bytes outlive the call. The call fills `decoded` only if it succeeds.
        try unsafe run { error in
            unsafe file.withUnsafeBufferPointer { bytes in
                switch format {
                case .png: unsafe picture_decode_png(bytes.baseAddress, bytes.count, &limits, &decoded, error)
                case .jpeg: unsafe picture_decode_jpeg(bytes.baseAddress, bytes.count, &limits, &decoded, error)
                }
            }
        }
        return unsafe decoded
    }

    deinit {
        // SAFETY: only this owner has the pixels, and no borrow of them is left.
        var freed = unsafe raw
        unsafe picture_free(&freed)
    }

    public var width: Int { unsafe Int(raw.width) }
    public var height: Int { unsafe Int(raw.height) }
    /// The number of channels: 3 for red, green and blue, or 4 with alpha.
    public var channels: Int { unsafe Int(raw.channels) }

    /// Encodes the picture into an open file, from its current offset on.
    ///
    /// - Parameter limit: the most bytes to write. A longer result is an error.
    public func encode(into descriptor: Int32, limit: UInt64) throws(PictureError) {
        // SAFETY: the encoders read the pixels and keep no pointer to them.
        try unsafe Self.run { error in
            unsafe withUnsafePointer(to: raw) { picture in
                switch format {
                case .png: unsafe picture_encode_png(picture, descriptor, limit, error)
                case .jpeg: unsafe picture_encode_jpeg(picture, Self.quality, descriptor, limit, error)
                }
            }
        }
    }

    /// Lends the pixels for reading and changing in place.
    mutating func withPixels(_ body: (inout MutableSpan<UInt8>) -> Void) {
        // SAFETY: the library allocated exactly this many bytes, and they live as long as this owner.
        let count = width * height * channels
        guard let start = unsafe raw.pixels else { return }
        let buffer = unsafe UnsafeMutableBufferPointer(start: start, count: count)
        var span = unsafe buffer.mutableSpan
        body(&span)
    }

    /// Runs a call of the library. If the call fails, this function throws the library's line of text.
    private static func run(_ body: (UnsafeMutablePointer<CChar>) -> Int32) throws(PictureError) {
        var text = [CChar](repeating: 0, count: Int(PICTURE_ERROR_SIZE))
        // SAFETY: the library writes at most PICTURE_ERROR_SIZE bytes and ends them with a zero.
        let result = unsafe text.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe body($0) } ?? -1
        }
        guard result == 0 else {
            throw PictureError(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
    }
}

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

/// The reason why a picture cannot be edited, in one line for the user.
public struct PictureError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
