import AnnexLinux
import Glibc

@testable import AnnexChannel

/// A peer that writes any bytes into the extension's region, without the rules of the library.
final class RawPeer: Sendable {
    let control: ControlSocket
    let region: Mapping
    let host: Mapping
    let capacity: UInt32
    private let memory: Descriptor

    init(_ descriptors: consuming ExtensionDescriptors, capacity: UInt32 = 65536) throws {
        let size = RegionLayout.size(capacity: capacity)
        region = try Mapping(descriptors.extensionRegion, size: size, writable: true)
        host = try Mapping(
            descriptors.hostRegion, size: RegionLayout.size(capacity: WireFormat.smallestCapacity), writable: false)
        control = ControlSocket(owning: try descriptors.control.duplicate())
        self.capacity = capacity
        memory = try descriptors.extensionRegion.duplicate()
    }

    /// The whole region, including the arena behind its ring.
    func arena() throws -> Mapping {
        try Mapping(memory, size: Int(memory.status().size), writable: true)
    }

    func store(_ value: UInt32, at offset: Int) {
        WritableWord((region.start + offset).assumingMemoryBound(to: UInt32.self)).storeRelease(value)
    }

    func load(host offset: Int) -> UInt32 {
        SharedWord(UnsafePointer((host.start + offset).assumingMemoryBound(to: UInt32.self))).loadAcquire()
    }

    /// Writes bytes directly into the ring.
    func write(_ bytes: [UInt8], at position: UInt32) {
        for (index, byte) in bytes.enumerated() {
            region.start.storeBytes(of: byte, toByteOffset: place(position &+ UInt32(index)), as: UInt8.self)
        }
    }

    /// The offset of a position in the region.
    func place(_ position: UInt32) -> Int {
        RegionLayout.ring + Int(position & (capacity - 1))
    }

    /// The word on which the host sleeps when it has read up to this position.
    func header(at position: UInt32) -> WritableWord {
        WritableWord((region.start + place(position)).assumingMemoryBound(to: UInt32.self))
    }

    /// Shows frames that begin at this position. Like an honest writer, it stores the first word of the first header
    /// last.
    func show(_ bytes: [UInt8], at position: UInt32) {
        write([UInt8](repeating: 0, count: 8), at: position &+ UInt32(bytes.count))
        write(Array(bytes.dropFirst(8)), at: position &+ 8)
        // The word is stored in one access, so a host that reads at the same time sees all of the word or nothing.
        Processor.fence()
        region.start.storeBytes(
            of: WireBytes.number(bytes, at: 0) ?? 0, toByteOffset: place(position), as: UInt64.self)
    }

    /// Shows frames, wakes a host that sleeps at this position, and rings the doorbell. So the host reads even if no
    /// caller waits.
    func publish(_ bytes: [UInt8], at position: UInt32) {
        show(bytes, at: position)
        header(at: position).wake()
        try? control.send(WireFormat.doorbell)
    }

    static func header(
        length: UInt32, kind: UInt8, descriptors: UInt8 = 0, method: UInt16 = 0, call: UInt64 = 0
    ) -> [UInt8] {
        [kind, descriptors] + WireBytes.bytes(method) + WireBytes.bytes(length) + WireBytes.bytes(call)
    }

    /// A valid frame.
    static func frame(
        _ kind: UInt8, _ payload: [UInt8] = [], descriptors: UInt8 = 0, method: UInt16 = 0, call: UInt64 = 0
    ) -> [UInt8] {
        let bytes =
            header(
                length: UInt32(payload.count), kind: kind, descriptors: descriptors, method: method, call: call)
            + payload
        return bytes + [UInt8](repeating: 0, count: (64 - bytes.count % 64) % 64)
    }

    static let hello = frame(
        1,
        WireBytes.bytes(WireFormat.magic) + WireBytes.bytes(WireFormat.version)
            + WireBytes.bytes(WireFeatures.streams.rawValue))
}

/// Writes frames one after another.
struct RawWriter {
    let peer: RawPeer
    var position: UInt32 = 0

    init(_ peer: RawPeer) {
        self.peer = peer
    }

    /// Appends bytes to the ring and publishes them.
    mutating func send(_ bytes: [UInt8]) {
        peer.publish(bytes, at: position)
        position &+= UInt32(bytes.count)
    }

    mutating func sendHello() {
        send(RawPeer.hello)
    }
}
