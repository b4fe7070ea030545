internal import AnnexModel

/// The sizes that Annex accepts for an icon.
package enum IconLimits {
    /// The longest side, in pixels.
    package static let side = 1_024
    /// The longest file, in bytes.
    package static let bytes: Int64 = 1 << 20

    /// Why a file that begins with these bytes is not a valid icon; nil if it is valid.
    /// - Parameter length: the file's length in bytes.
    package static func fault(in start: [UInt8], length: Int64) -> (what: String, remedy: String)? {
        guard let header = PNGHeader(start) else { return ("is not a PNG picture", "convert it to PNG") }
        guard (1...side).contains(header.width), (1...side).contains(header.height) else {
            return (
                "claims \(header.width) × \(header.height) pixels", "make it at most \(side) pixels wide and high"
            )
        }
        guard length <= bytes else { return ("has \(length) bytes", "make it at most \(bytes) bytes long") }
        return nil
    }
}
