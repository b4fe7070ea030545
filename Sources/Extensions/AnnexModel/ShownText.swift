/// Decides which characters of another program's text a user may see, and makes a whole text safe to draw.
package enum ShownText {
    /// The most marks on one letter. Languages need at most four. A larger number of marks would cover other lines.
    private static let mostMarks = 8

    /// Whether the character may be part of a name.
    ///
    /// The two joiners shape letters and emoji, so they are allowed. Other format characters could make one name look
    /// like another.
    package static func isShowable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
        case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
        default: true
        }
    }

    /// The text in a form that a host may draw. Letters stay as they are, and the text needs no further escape on a
    /// terminal.
    ///
    /// Control characters, bidirectional overrides and invisible characters become `U+FFFD`. Tabs become spaces.
    /// Excess marks are left out. If `hasLines` is true, a line break stays a line break. Otherwise it becomes a
    /// space.
    package static func harmless(_ text: String, hasLines: Bool) -> String {
        var result = String.UnicodeScalarView()
        var (marks, isAfterReturn) = (0, false)
        for scalar in text.unicodeScalars {
            // Some systems end a line with a carriage return and a line feed. The two count as one line break.
            let isSecondHalf = isAfterReturn && scalar == "\n"
            isAfterReturn = scalar == "\r"
            marks = isMark(scalar) ? marks + 1 : 0
            guard !isSecondHalf, marks <= mostMarks else { continue }
            result.append(drawn(scalar, lineBreak: hasLines ? "\n" : " "))
        }
        return String(result)
    }

    private static func drawn(_ scalar: Unicode.Scalar, lineBreak: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar {
        case " "..."~": scalar
        case "\n", "\r": lineBreak
        case "\t": " "
        default: isDrawable(scalar) ? scalar : "\u{FFFD}"
        }
    }

    /// Whether the character may be drawn. Invisible characters, and characters whose meaning depends on the font,
    /// could hide text, so they may not be drawn.
    private static func isDrawable(_ scalar: Unicode.Scalar) -> Bool {
        guard isShowable(scalar), scalar.properties.generalCategory != .privateUse else { return false }
        return !scalar.properties.isDefaultIgnorableCodePoint || isShaping(scalar)
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        return switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: isShaping(scalar)
        }
    }

    /// Whether the character is one of the two joiners, or of the two selectors that choose a letter's form as text
    /// or as emoji.
    private static func isShaping(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{200C}", "\u{200D}", "\u{FE0E}", "\u{FE0F}": true
        default: false
        }
    }
}
