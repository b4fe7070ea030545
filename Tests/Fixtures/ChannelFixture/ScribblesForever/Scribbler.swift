import AnnexLinux

/// The values that are written, and their places.
enum Scribbling: String {
    /// Random bytes everywhere.
    case everything
    /// Random values in the words that have a meaning: positions, flags, headers.
    case words
    /// Nearly correct values in the same words.
    case nearly
    /// The present value with one bit changed, anywhere.
    case bits
    /// All bytes except headers and words. The host reads these bytes while they change.
    case payloads
    /// The words that name the sleepers: flags and hints.
    case flags
}

/// Writes over a region without end.
final class Scribbler: Sendable {
    private let region: Mapping
    private let what: Scribbling

    // The offsets are from `Docs/Design/Channel.md`.
    private static let words = [128, 256, 260, 264]
    private static let ring = 4096

    init(_ memory: borrowing Descriptor, _ what: Scribbling) throws {
        region = try Mapping(memory, size: Int(memory.status().size), writable: true)
        self.what = what
    }

    func run(seed: UInt64) {
        var random = seed
        while true {
            // This is SplitMix64, because no generator of the library is as fast.
            random &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (random ^ (random >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            scribble(mixed ^ (mixed >> 31))
        }
    }

    private func scribble(_ random: UInt64) {
        let place = Int(truncatingIfNeeded: random >> 33) % (region.size / 8) * 8
        switch what {
        case .everything: store(random &* 0x2545_F491_4F6C_DD1D, at: place)
        case .words: store(half: UInt32(truncatingIfNeeded: random), at: meaningful(random))
        case .nearly: store(half: Self.nearly(random), at: meaningful(random))
        case .bits: store(load(place) ^ 1 << (random & 63), at: place)
        case .payloads: if place >= Self.ring, place & 63 >= 16 { store(random, at: place) }
        case .flags: store(half: Self.nearly(random) & 7, at: Self.words[1 + Int(random >> 40) % 3])
        }
    }

    /// A word of the first page, or half of the first word of a line of the ring.
    private func meaningful(_ random: UInt64) -> Int {
        let choice = Int(truncatingIfNeeded: random >> 40)
        if choice & 3 == 0 { return Self.words[(choice >> 2) & 3] }
        let lines = (region.size - Self.ring) / 64
        return Self.ring + (choice >> 2) % lines * 64 + (choice >> 12 & 3) * 4
    }

    private static func nearly(_ random: UInt64) -> UInt32 {
        let small = UInt32(truncatingIfNeeded: random >> 8) & 0x3F
        switch random & 7 {
        case 0: return small * 64
        case 1: return 0
        case 2: return .max - small
        case 3: return 1 << 31 | small
        case 4: return (small % 14) | small << 16
        case 5: return 1 << (small & 31)
        default: return small
        }
    }

    private func load(_ place: Int) -> UInt64 {
        SharedBytes.load(UnsafePointer((region.start + place).assumingMemoryBound(to: UInt64.self)))
    }

    private func store(_ value: UInt64, at place: Int) {
        store(half: UInt32(truncatingIfNeeded: value), at: place)
        store(half: UInt32(truncatingIfNeeded: value >> 32), at: place + 4)
    }

    private func store(half value: UInt32, at place: Int) {
        WritableWord((region.start + place).assumingMemoryBound(to: UInt32.self)).storeRelaxed(value)
    }
}
