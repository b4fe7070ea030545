public import AnnexLinux
public import AnnexModel
internal import Glibc

/// The icon of an installed extension: a picture in sealed memory, which no process can change.
///
/// Only the picture's header, which states its size and kind, was checked. All other parts of the picture are
/// untrusted, like all contents of a bundle. A host must decode the picture in a sandbox.
public struct ExtensionIcon: ~Copyable, Sendable {
    /// The picture in sealed memory, at most 1 MiB. The descriptor's offset is at the start of the picture.
    public let file: Descriptor
    /// The size of the picture in bytes.
    public let byteCount: Int
    /// The kind of the picture. It is always `public.png`.
    public let type: TypeIdentifier
    /// The width in pixels, 1 to 1,024, as the header states it.
    public let width: Int
    /// The height in pixels, 1 to 1,024, as the header states it.
    public let height: Int
    /// Whether a host draws the icon in one colour. In that case, only the shape of its opaque parts matters.
    public let isTemplate: Bool

    /// Copies a picture into sealed memory.
    package init(_ picture: IconPicture) throws(BrokerError) {
        do throws(SystemError) {
            let memory = try Descriptor.sealed("annex-icon", holding: picture.bytes)
            _ = try SystemError.check("lseek", Int32(clamping: lseek(memory.number, 0, SEEK_SET)))
            file = memory
        } catch {
            throw BrokerError(.system, what: "\(error.cause)", place: "icon", remedy: error.remedy)
        }
        byteCount = picture.bytes.count
        type = .png
        width = picture.width
        height = picture.height
        isTemplate = picture.isTemplate
    }

    /// All bytes of the picture.
    /// - Throws: a `BrokerError` if the machine has no free memory.
    public func bytes() throws(BrokerError) -> [UInt8] {
        do throws(SystemError) {
            return try file.read(at: 0, count: byteCount)
        } catch {
            throw BrokerError(.system, what: "\(error.cause)", place: "icon", remedy: error.remedy)
        }
    }
}

/// An icon whose header was checked, as a copy of its file.
package struct IconPicture: Sendable, Hashable {
    package let bytes: [UInt8]
    package let width: Int
    package let height: Int
    package let isTemplate: Bool

    package init(bytes: [UInt8], width: Int, height: Int, isTemplate: Bool) {
        self.bytes = bytes
        self.width = width
        self.height = height
        self.isTemplate = isTemplate
    }
}
