import Glibc

/// A random sequence that can be had again: `ANNEX_SEED` in the environment sets it for every test.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    static func fresh() -> UInt64 {
        if let text = getenv("ANNEX_SEED"), let seed = UInt64(String(cString: text)) { return seed }
        return UInt64.random(in: 0...UInt64.max)
    }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
