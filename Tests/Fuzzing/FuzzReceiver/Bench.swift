import AnnexLinux
import Glibc
import Synchronization

@testable import AnnexChannel

/// The objects that all runs share, because creating them again would take longer than a run.
final class Bench: Sendable {
    static let capacity: UInt32 = 4096
    /// The number of places in each side's arena. A message of three pieces needs one place twice.
    static let places = 2
    static let piece = Int(WireFormat.pieceSize)
    private static let arena = UInt32(places * piece)
    private static let ring = RegionLayout.size(capacity: capacity)
    private static let size = RegionLayout.size(capacity: capacity, arena: arena)

    let loop: LoopByHand
    let hostMapping: Mapping
    let extensionMapping: Mapping
    private let hostMemory: Descriptor
    private let extensionMemory: Descriptor
    private let pieces: [PeerAct.Piece: Int32]
    /// The acts that the peer's own thread performs while the host works.
    private let acts = Mutex<[(FakePeer, PeerAct)]>([])
    private let mayAct = Parker()
    private let isActing = Atomic<Bool>(false)
    private let runs = Atomic<UInt64>(0)
    /// The number of open descriptors between two runs.
    private let open: Int

    init() throws {
        loop = try LoopByHand()
        hostMemory = try Descriptor.memfd("fuzz-host", size: Int64(Bench.size))
        extensionMemory = try Descriptor.memfd("fuzz-extension", size: Int64(Bench.size))
        hostMapping = try Mapping(hostMemory, size: Bench.size, writable: true)
        extensionMapping = try Mapping(extensionMemory, size: Bench.size, writable: true)
        pieces = try Bench.makePieces()
        _ = SharedSlot(CounterLayout.file, texts: [])
        open = Bench.countOpen()
        _ = try WorkerThread("fuzz-peer") { [self] in act() }
    }

    /// A new channel over memory that is restored to its first state.
    func makeHost(
        _ configuration: ChannelConfiguration, _ handlers: ChannelHandlers
    ) throws -> (HostEndpoint, FakePeer) {
        // The arenas are not restored. They are much larger, and their contents do not affect a run.
        memset(hostMapping.start, 0, Bench.ring)
        memset(extensionMapping.start, 0, Bench.ring)
        let own = OwnRegion(
            try Mapping(hostMemory, size: Bench.size, writable: true), capacity: Bench.capacity,
            arena: configuration.hostArena)
        let peer = PeerRegion(
            // A host also maps the extension's region writable, because the host must ring the bell.
            try Mapping(extensionMemory, size: Bench.size, writable: true), capacity: Bench.capacity,
            arena: configuration.extensionArena)
        let sockets = try ControlSocketPair()
        _ = sockets.host.setPassRights(false)
        let host = HostEndpoint(
            configuration: configuration, handlers: handlers, loop: loop.loop,
            control: ControlSocket(owning: try sockets.host.descriptor.duplicate()), own: own, peer: peer,
            mostDescriptors: ControlSocket.mostDescriptors, tap: nil)
        return (host, FakePeer(self, control: try sockets.peer.descriptor.duplicate()))
    }

    func make(_ piece: PeerAct.Piece) throws -> Descriptor {
        Descriptor(owning: dup(pieces[piece] ?? -1))
    }

    /// Lets the peer do some of its acts while the caller continues.
    func meanwhile(_ peer: FakePeer, _ acts: [PeerAct]) {
        self.acts.withLock { $0 = acts.map { (peer, $0) } }
        isActing.store(true, ordering: .sequentiallyConsistent)
        mayAct.unpark()
    }

    func waitForPeer() {
        while isActing.load(ordering: .sequentiallyConsistent) { sched_yield() }
    }

    private func act() {
        while true {
            mayAct.park(until: nil)
            let acts = acts.withLock { acts in
                defer { acts = [] }
                return acts
            }
            // Parking may end without a reason.
            guard !acts.isEmpty else { continue }
            for (peer, act) in acts { peer.perform(act, patience: 100) }
            isActing.store(false, ordering: .sequentiallyConsistent)
        }
    }

    /// From time to time, checks that no descriptor of a peer is still open. If the number never becomes stable, the
    /// engine's own time limit ends the run.
    func expectNothingOpen() {
        guard runs.add(1, ordering: .relaxed).newValue % 1024 == 0 else { return }
        while Bench.countOpen() > open { usleep(100) }
    }

    /// Counts descriptors from peers and of channels. The engine also has other descriptors.
    private static func countOpen() -> Int {
        (0..<256).filter { number in
            var target = [CChar](repeating: 0, count: 64)
            let count = readlink("/proc/self/fd/\(number)", &target, target.count)
            let text = String(decoding: target.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return text.hasPrefix("/memfd:fuzz-piece") || text.hasPrefix("socket:")
        }.count
    }

    private static func makePieces() throws -> [PeerAct.Piece: Int32] {
        func memory(_ bytes: [UInt8], size: Int64 = 0, _ seals: Seals) throws -> Int32 {
            let memory = try Descriptor.memfd("fuzz-piece", size: size)
            if !bytes.isEmpty { try memory.writeAll(bytes) }
            try memory.addSeals(seals)
            return memory.release()
        }
        return try [
            .sealed: memory([1, 2, 3], .immutable), .unsealed: memory([1], []),
            .holes: memory([], size: 9000, .immutable), .empty: memory([], .immutable),
            .pipe: DescriptorPair.pipe().first.duplicate().release(),
            .socket: DescriptorPair.sockets().first.duplicate().release(),
            .null: Descriptor.open("/dev/null", O_RDONLY).release(),
        ]
    }
}
