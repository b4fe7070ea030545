internal import AnnexModel

/// Decides whether a text of a bundle could deceive users if it is shown as a name.
extension ShownText {
    /// The reason in words why users could mistake the name for another name; nil if there is none.
    static func deception(in name: String) -> String? {
        if let scalar = name.unicodeScalars.first(where: isCopyOfLetter) {
            return "has \(shown(scalar)), a mark that looks like an ordinary letter"
        }
        for word in name.unicodeScalars.split(whereSeparator: { !$0.properties.isAlphabetic }) {
            let scripts = Set(word.compactMap(Script.init)).map(\.rawValue).sorted()
            if scripts.count > 1 { return "mixes \(scripts.joined(separator: " and ")) letters in one word" }
        }
        return nil
    }

    /// Whether this is a variant of an ordinary letter, such as 𝐀 or Ａ. Unicode has these variants for compatibility
    /// with other character sets.
    private static func isCopyOfLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1D400...0x1D7FF, 0xFF21...0xFF3A, 0xFF41...0xFF5A, 0x2100...0x214F: scalar.properties.isAlphabetic
        default: false
        }
    }

    private static func shown(_ scalar: Unicode.Scalar) -> String {
        let number = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - number.count)) + number
    }
}

extension ShownText {
    /// The scripts with letters that look like letters of another script in this list. Letters of scripts that are not
    /// listed appear together with Latin letters in ordinary names.
    private enum Script: String {
        case latin = "Latin"
        case greek = "Greek"
        case cyrillic = "Cyrillic"
        case armenian = "Armenian"
        case cherokee = "Cherokee"
        case coptic = "Coptic"

        /// nil for letters of other scripts, and for marks that belong to no script.
        init?(_ scalar: Unicode.Scalar) {
            switch scalar.value {
            case 0x41...0x5A, 0x61...0x7A, 0xC0...0x24F, 0x1E00...0x1EFF, 0x2C60...0x2C7F, 0xA720...0xA7FF:
                self = .latin
            case 0x370...0x3E1, 0x3F0...0x3FF, 0x1F00...0x1FFF: self = .greek
            case 0x400...0x52F, 0x1C80...0x1C8F, 0x2DE0...0x2DFF, 0xA640...0xA69F: self = .cyrillic
            case 0x530...0x58F: self = .armenian
            case 0x13A0...0x13FF, 0xAB70...0xABBF: self = .cherokee
            case 0x3E2...0x3EF, 0x2C80...0x2CFF: self = .coptic
            default: return nil
            }
        }
    }
}
