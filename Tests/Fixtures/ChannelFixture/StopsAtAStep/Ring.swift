import AnnexLinux
import Glibc

/// Both regions and the control socket. The code follows the page about the channel and does not use the library's
/// channel.
final class Ring {
    static let control: Int32 = 3
    private static let first = 4096
    let socket = ControlSocket(owning: Descriptor(owning: Ring.control))
    private let host: Mapping
    private let own: Mapping
    private let hostCapacity: Int
    private let capacity: Int

    init() throws {
        let hostRegion = Descriptor(owning: 4)
        let ownRegion = Descriptor(owning: 5)
        host = try Mapping(hostRegion, size: Int(hostRegion.status().size), writable: false)
        own = try Mapping(ownRegion, size: Int(ownRegion.status().size), writable: true)
        hostCapacity = Int((host.start + 8).load(as: UInt32.self))
        capacity = Int((host.start + 12).load(as: UInt32.self))
    }

    /// A word of the extension's first page.
    func word(_ offset: Int) -> WritableWord {
        WritableWord((own.start + offset).assumingMemoryBound(to: UInt32.self))
    }

    /// A word of the host's first page.
    func hostWord(_ offset: Int) -> SharedWord {
        SharedWord(UnsafePointer((host.start + offset).assumingMemoryBound(to: UInt32.self)))
    }

    /// The place of the host's next header.
    func bed(_ position: Int) -> SharedWord { hostWord(Ring.first + position % hostCapacity) }

    func hostBytes(_ position: Int) -> UnsafeMutableRawPointer { host.start + Ring.first + position % hostCapacity }

    func hostNumber(_ position: Int) -> UInt64 {
        SharedBytes.load(UnsafePointer(hostBytes(position).assumingMemoryBound(to: UInt64.self)))
    }

    /// The position of the frame after this one.
    func next(after position: Int, length: Int, turns: Bool) -> Int {
        let end = position + (16 + length + 63) / 64 * 64
        return turns ? (end + hostCapacity - 1) / hostCapacity * hostCapacity : end
    }

    func ownBytes(_ position: Int) -> UnsafeMutableRawPointer { own.start + Ring.first + position % capacity }

    func ownHeader(_ position: Int) -> WritableWord { word(Ring.first + position % capacity) }
}
