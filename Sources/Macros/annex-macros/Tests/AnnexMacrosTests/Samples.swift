import AnnexMacros

/// Random values and random bytes from a seed. The same seed gives the same values, so that a failure can be repeated.
struct Samples: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// The next number, by SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number {
        Number(truncatingIfNeeded: next())
    }

    mutating func count(below most: Int) -> Int { Int.random(in: 0..<most, using: &self) }

    mutating func bytes(below most: Int = 9) -> [UInt8] { (0..<count(below: most)).map { _ in number() } }

    mutating func text() -> String {
        String(["", "a", "\u{0}", "fade", "é", "🙂", "a longer text with more than fifteen bytes"][count(below: 7)])
    }

    mutating func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &self) ? value : nil }
}

/// A message with random values for tests.
protocol HasSamples: HasTwin {
    static func sample(_ samples: inout Samples) -> Self
}

extension Frame: HasSamples {
    static func sample(_ samples: inout Samples) -> Frame { Frame(at: samples.number(), image: samples.bytes()) }
}

extension Fade: HasSamples {
    static func sample(_ samples: inout Samples) -> Fade {
        var fade = Fade(
            level: samples.number(), name: samples.maybe(samples.text()),
            frames: (0..<samples.count(below: 4)).map { _ in Frame.sample(&samples) },
            key: samples.maybe(Frame.sample(&samples)), default: samples.maybe(samples.bytes()),
            decoder: (0..<samples.count(below: 3)).map { _ in samples.bytes() })
        if Bool.random(using: &samples) { fade.speed = Double(samples.number(Int16.self)) / 8 }
        if Bool.random(using: &samples) { fade.ease = .linear }
        if Bool.random(using: &samples) { fade.encoder = samples.text() }
        return fade
    }
}

extension Tree: HasSamples {
    static func sample(_ samples: inout Samples) -> Tree {
        let count = samples.count(below: 3) * samples.count(below: 2)
        return Tree(isLeaf: count == 0, branches: (0..<count).map { _ in Tree.sample(&samples) })
    }
}

extension Numbers: HasSamples {
    static func sample(_ samples: inout Samples) -> Numbers {
        Numbers(
            a: samples.number(), b: samples.number(), c: samples.maybe(samples.number()), d: samples.number(),
            e: (0..<samples.count(below: 3)).map { _ in samples.number() }, f: samples.number(),
            g: Float(samples.number(Int16.self)) / 4, h: Bool.random(using: &samples))
    }
}

extension Page<String>: HasSamples {
    static func sample(_ samples: inout Samples) -> Page<String> {
        Page(first: samples.text(), others: (0..<samples.count(below: 3)).map { _ in samples.text() })
    }
}
