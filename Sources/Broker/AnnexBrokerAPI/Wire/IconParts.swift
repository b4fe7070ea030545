internal import AnnexChannel

// A daemon sends an icon in parts, and the host writes them into its own sealed memory. If the daemon sent a descriptor
// of its own memory instead, a host could keep any number of descriptors. Then the daemon's use of memory would have no
// limit.

/// A part of an icon, with facts about the whole icon.
package struct IconPart: Sendable, Hashable {
    /// The width of the icon in pixels.
    package let width: UInt32
    package let height: UInt32
    package let isTemplate: Bool
    /// The size of the whole icon in bytes.
    package let size: UInt64
    /// A digest of the bytes of the whole icon. Parts with different digests are never joined.
    package let digest: [UInt8]
    /// The bytes of this part. They are empty if the icon ends at or before the offset that the host asked for.
    package let bytes: [UInt8]

    package init(width: UInt32, height: UInt32, isTemplate: Bool, size: UInt64, digest: [UInt8], bytes: [UInt8]) {
        self.width = width
        self.height = height
        self.isTemplate = isTemplate
        self.size = size
        self.digest = digest
        self.bytes = bytes
    }

    /// The part of a picture that begins at an offset.
    package init(of picture: IconPicture, digest: [UInt8], from offset: UInt64) {
        self.init(
            width: UInt32(clamping: picture.width), height: UInt32(clamping: picture.height),
            isTemplate: picture.isTemplate, size: UInt64(picture.bytes.count), digest: digest,
            bytes: Array(picture.bytes.dropFirst(Int(clamping: offset)).prefix(ServiceWire.iconPart)))
    }

    fileprivate func isOfSameIcon(as other: IconPart) -> Bool {
        (width, height, isTemplate) == (other.width, other.height, other.isTemplate) && size == other.size
            && digest == other.digest
    }
}

/// Joins the parts of an icon, in order. It trusts no number in a part.
package struct IconAssembly: Sendable {
    package enum Progress: Sendable, Hashable {
        /// The next part begins at this offset.
        case next(UInt64)
        case complete(IconPicture)
        /// The part belongs to another icon, because an update happened in between. The caller must begin again.
        case changed
        /// The part cannot belong to any icon.
        case malformed
    }

    private var first: IconPart?
    private var bytes: [UInt8] = []

    package init() {}

    package mutating func add(_ part: IconPart) -> Progress {
        if let first, !first.isOfSameIcon(as: part) { return .changed }
        let side = 1...ServiceWire.longestIconSide
        guard side.contains(part.width), side.contains(part.height), part.size <= ServiceWire.largestIcon,
            !part.bytes.isEmpty, UInt64(part.bytes.count) <= part.size - UInt64(bytes.count)
        else { return .malformed }
        first = first ?? part
        bytes += part.bytes
        guard UInt64(bytes.count) == part.size else { return .next(UInt64(bytes.count)) }
        return .complete(
            IconPicture(
                bytes: bytes, width: Int(part.width), height: Int(part.height), isTemplate: part.isTemplate))
    }
}

/// The wire form of a part of an icon.
struct IconPartMessage: Message {
    let value: IconPart

    init(_ value: IconPart) {
        self.value = value
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(value.width, as: 1)
        encoder.encode(value.height, as: 2)
        encoder.encode(value.isTemplate, as: 3)
        encoder.encode(value.size, as: 4)
        encoder.encode(value.digest, as: 5)
        encoder.encode(value.bytes, as: 6)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let width = try decoder.decode(1, as: UInt32.self)
        let height = try decoder.decode(2, as: UInt32.self)
        let isTemplate = try decoder.decode(3, as: Bool.self)
        let size = try decoder.decode(4, as: UInt64.self)
        let digest = try decoder.decode(5, as: [UInt8].self)
        value = IconPart(
            width: width, height: height, isTemplate: isTemplate, size: size, digest: digest,
            bytes: try decoder.decode(6))
    }
}
