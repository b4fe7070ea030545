package import AnnexBundle

/// Writes property lists in their XML form, as Xcode does: keys sorted, and one value in each line.
package enum PropertyListText {
    /// The whole file.
    package static func written(_ value: PropertyListValue) -> String {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """
        write(value, into: &text, indent: "")
        return text + "</plist>\n"
    }

    private static func write(_ value: PropertyListValue, into text: inout String, indent: String) {
        switch value {
        case .array(let values) where !values.isEmpty:
            text += "\(indent)<array>\n"
            for value in values { write(value, into: &text, indent: indent + "\t") }
            text += "\(indent)</array>\n"
        case .dictionary(let values) where !values.isEmpty:
            text += "\(indent)<dict>\n"
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                text += "\(indent)\t<key>\(escaped(key))</key>\n"
                write(value, into: &text, indent: indent + "\t")
            }
            text += "\(indent)</dict>\n"
        default: text += "\(indent)\(scalar(value))\n"
        }
    }

    private static func scalar(_ value: PropertyListValue) -> String {
        switch value {
        case .string(let text): "<string>\(escaped(text))</string>"
        case .integer(let number): "<integer>\(number)</integer>"
        case .real(let number): "<real>\(number)</real>"
        case .boolean(let truth): truth ? "<true/>" : "<false/>"
        case .date(let seconds): "<date>\(DateText.written(secondsSince2001: seconds))</date>"
        case .dateText(let text): "<date>\(escaped(text))</date>"
        case .data(let bytes): "<data>\(base64(bytes))</data>"
        case .array: "<array/>"
        case .dictionary: "<dict/>"
        }
    }

    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x26 || $0 == 0x3C || $0 == 0x3E }) else { return text }
        return text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for place in 0..<4 {
                text.append(place <= part.count ? digits[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Writes points in time as ISO 8601 text.
enum DateText {
    private static let day = 86_400
    /// The number of days from 1 March of the year 0 to 2001-01-01, in the proleptic Gregorian calendar.
    private static let daysTo2001 = 730_791

    /// - Parameter seconds: the seconds since 2001-01-01 00:00 UTC. Points in time outside of the years 1 to 9999 are
    ///   set to the nearest bound.
    static func written(secondsSince2001 seconds: Double) -> String {
        let bounds = (-63_113_904_000.0, 252_423_993_599.0)
        let whole = seconds.isNaN ? 0 : Int(min(max(seconds, bounds.0), bounds.1).rounded(.down))
        let days = (whole >= 0 ? whole : whole - day + 1) / day
        let rest = whole - days * day
        let (year, month, date) = civil(days + daysTo2001)
        let parts = [(year, 4), (month, 2), (date, 2), (rest / 3600, 2), (rest / 60 % 60, 2), (rest % 60, 2)].map {
            padded($0.0, to: $0.1)
        }
        return "\(parts[0])-\(parts[1])-\(parts[2])T\(parts[3]):\(parts[4]):\(parts[5])Z"
    }

    /// The date of a day, counted from 1 March of year 0. The years of this count begin in March, so that a leap day is
    /// the last day of its year.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let era = days / 146_097
        let ofEra = days % 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * ofYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func padded(_ number: Int, to width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
