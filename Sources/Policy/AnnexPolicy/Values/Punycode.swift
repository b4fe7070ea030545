/// Punycode (RFC 3492): how a label of other letters than ASCII stands in the Domain Name System.
enum Punycode {
    private static let (base, least, most, skew, damp): (UInt64, UInt64, UInt64, UInt64, UInt64) = (36, 1, 26, 38, 700)
    private static let (firstBias, firstScalar): (UInt64, UInt64) = (72, 0x80)
    private static let delimiter = UInt8(ascii: "-")

    /// The punycode of a label, without the prefix `xn--`.
    /// - Parameter label: at most some hundred letters. The time grows with the square of their number.
    static func encode(_ label: [Unicode.Scalar]) -> [UInt8] {
        let letters = label.map { UInt64($0.value) }
        var output = letters.filter { $0 < firstScalar }.map { UInt8($0) }
        let plain = UInt64(output.count)
        if plain > 0 { output.append(delimiter) }
        var (handled, scalar, bias, delta) = (plain, firstScalar, firstBias, UInt64(0))
        while let next = letters.filter({ $0 >= scalar }).min() {
            delta += (next - scalar) * (handled + 1)
            scalar = next
            for letter in letters {
                if letter < scalar { delta += 1 }
                guard letter == scalar else { continue }
                append(delta, bias: bias, to: &output)
                bias = adapted(to: delta, count: handled + 1, isFirst: handled == plain)
                (delta, handled) = (0, handled + 1)
            }
            (delta, scalar) = (delta + 1, scalar + 1)
        }
        return output
    }

    /// The label of a punycode text without its prefix; nil if the text is no punycode.
    static func decode(_ text: [UInt8]) -> [Unicode.Scalar]? {
        let end = text.lastIndex(of: delimiter)
        var label = text[..<(end ?? 0)].map { UInt64($0) }
        var rest = text[(end.map { $0 + 1 } ?? 0)...]
        var (scalar, place, bias) = (firstScalar, UInt64(0), firstBias)
        while !rest.isEmpty {
            let before = place
            guard let delta = number(from: &rest, bias: bias) else { return nil }
            place += delta
            let count = UInt64(label.count) + 1
            bias = adapted(to: delta, count: count, isFirst: before == 0)
            (scalar, place) = (scalar + place / count, place % count)
            guard scalar <= 0x10FFFF else { return nil }
            label.insert(scalar, at: Int(place))
            place += 1
        }
        let scalars = label.compactMap { Unicode.Scalar(UInt32($0)) }
        return scalars.count == label.count ? scalars : nil
    }

    private static func append(_ delta: UInt64, bias: UInt64, to output: inout [UInt8]) {
        var (rest, step) = (delta, base)
        while true {
            let threshold = threshold(at: step, bias: bias)
            guard rest >= threshold else { return output.append(letter(for: rest)) }
            output.append(letter(for: threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            step += base
        }
    }

    /// Reads one number of variable length. No number of a real label is larger than `mostDelta`.
    private static func number(from text: inout ArraySlice<UInt8>, bias: UInt64) -> UInt64? {
        var (number, weight, step) = (UInt64(0), UInt64(1), base)
        while let byte = text.popFirst() {
            guard let digit = digit(of: byte) else { return nil }
            number += digit * weight
            guard number <= mostDelta else { return nil }
            let threshold = threshold(at: step, bias: bias)
            if digit < threshold { return number }
            weight = min(weight * (base - threshold), mostDelta)
            step += base
        }
        return nil
    }

    private static let mostDelta: UInt64 = 0x11_0000 * 256

    private static func threshold(at step: UInt64, bias: UInt64) -> UInt64 {
        step <= bias + least ? least : min(step - bias, most)
    }

    private static func adapted(to delta: UInt64, count: UInt64, isFirst: Bool) -> UInt64 {
        var (delta, step) = (isFirst ? delta / damp : delta / 2, UInt64(0))
        delta += delta / count
        while delta > (base - least) * most / 2 {
            delta /= base - least
            step += base
        }
        return step + (base - least + 1) * delta / (delta + skew)
    }

    private static func letter(for digit: UInt64) -> UInt8 {
        digit < 26 ? UInt8(ascii: "a") + UInt8(digit) : UInt8(ascii: "0") + UInt8(digit - 26)
    }

    private static func digit(of byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt64(byte - UInt8(ascii: "a"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt64(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0")) + 26
        default: nil
        }
    }
}
