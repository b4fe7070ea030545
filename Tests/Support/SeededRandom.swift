/// A random sequence that can be repeated (SplitMix64). The same seed gives the same numbers on every machine.
package struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// The seed from `ANNEX_SEED` in the environment, or a new seed without this variable. A test prints the seed if it
    /// fails.
    package static func fresh() -> UInt64 {
        GivenNumber.of("ANNEX_SEED") ?? UInt64.random(in: 0...UInt64.max)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
