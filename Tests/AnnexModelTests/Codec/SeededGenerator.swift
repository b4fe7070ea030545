import Glibc

/// Random numbers that can be had again: the seed is printed with every failure.
struct SeededGenerator: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    /// From `ANNEX_SEED` where that is set, else a new one.
    init() {
        let given = getenv("ANNEX_SEED").flatMap { UInt64(String(cString: $0)) }
        seed = given ?? UInt64.random(in: .min ... .max)
        state = seed
        print("seed: ANNEX_SEED=\(seed)")
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
