/// A model of a terminal: what its screen shows after some output. It knows the sequences by which a program can change
/// where and how later text appears.
struct ScreenModel {
    private struct Cell {
        var character: Character = " "
        var isGuarded = false
    }

    private struct Page {
        var cells: [[Cell]]
        /// Whether a line is drawn at twice its height or width.
        var isWide: [Bool]
    }

    private enum State {
        case ground, escape, string
        /// The bytes of a control sequence so far.
        case control(String)
        /// A sequence with one more byte after this one, such as the choice of a character set.
        case one(Character)
    }

    let rows: Int
    let columns: Int
    private var main: Page
    private var alternate: Page
    private var status = ""
    private var state = State.ground
    private var (row, column) = (0, 0)
    /// The modes that differ from the usual ones, by the sequence that sets them.
    private(set) var modes: Set<String> = []
    private var (top, bottom, left, right): (Int, Int, Int, Int)
    private var attributes: Set<Int> = []
    private var isGuarding = false

    init(rows: Int = 24, columns: Int = 80) {
        (self.rows, self.columns) = (rows, columns)
        let blank = Page(
            cells: Array(repeating: Array(repeating: Cell(), count: columns), count: rows),
            isWide: Array(repeating: false, count: rows))
        (main, alternate) = (blank, blank)
        (top, bottom, left, right) = (0, rows - 1, 0, columns - 1)
    }

    /// What the user sees, without spaces at the ends of lines and without empty lines at the end.
    var lines: [String] {
        var lines = page.cells.map { line in
            let text = String(line.map(\.character))
            return String(text.reversed().drop { $0 == " " }.reversed())
        }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    /// Why later text would not appear as usual text on the whole screen; empty if it does.
    var oddities: [String] {
        var found = modes.sorted()
        if page.isWide.contains(true) { found.append("wide lines") }
        if !attributes.isEmpty { found.append("attributes \(attributes.sorted())") }
        if isGuarding { found.append("guarded area") }
        if (top, bottom, left, right) != (0, rows - 1, 0, columns - 1) { found.append("margins") }
        if !status.isEmpty { found.append("status line: \(status)") }
        if case .string = state { found.append("an unfinished string") }
        return found
    }

    private var page: Page {
        get { modes.contains("?1049") ? alternate : main }
        set { if modes.contains("?1049") { alternate = newValue } else { main = newValue } }
    }

    mutating func feed(_ text: String) {
        for scalar in text.unicodeScalars { feed(Character(scalar)) }
    }

    private mutating func feed(_ character: Character) {
        if character == "\u{18}" { return state = .ground }
        if character == "\u{1B}" { return state = .escape }
        switch state {
        case .string: if character == "\u{07}" { state = .ground }
        case .ground: print(character)
        case .escape: escape(character)
        case .one(let kind):
            state = .ground
            select(kind, character)
        case .control(let text):
            guard ("\u{40}"..."\u{7E}").contains(character) else { return state = .control(text + String(character)) }
            state = .ground
            control(text, final: character)
        }
    }

    // MARK: - Text

    private mutating func print(_ character: Character) {
        switch character {
        case "\r": column = 0
        case "\n": index()
        case "\u{0E}": modes.insert("shifted out")
        case "\u{0F}": modes.remove("shifted out")
        case " "...: put(character)
        default: break
        }
    }

    private mutating func put(_ character: Character) {
        if modes.contains("status display") { return status.append(character) }
        if modes.contains("?2026") { return }
        if column > right {
            if modes.contains("no wrap") {
                column = right
            } else {
                column = left
                index()
            }
        }
        if modes.contains("4") {
            page.cells[row].insert(Cell(), at: column)
            page.cells[row].removeLast()
        }
        let isGraphic = modes.contains("graphics") || modes.contains("shifted out")
        let isHidden = attributes.contains(8) || modes.contains("palette")
        page.cells[row][column] = Cell(
            character: isHidden ? " " : isGraphic && character.isLowercase ? "#" : character, isGuarded: isGuarding)
        column += 1
    }

    private mutating func index() {
        guard row == bottom else { return row = min(row + 1, rows - 1) }
        page.cells.remove(at: top)
        page.cells.insert(Array(repeating: Cell(), count: columns), at: bottom)
        page.isWide.remove(at: top)
        page.isWide.insert(false, at: bottom)
    }

    private mutating func erase(_ range: Range<Int>) {
        for place in range where !page.cells[place / columns][place % columns].isGuarded {
            page.cells[place / columns][place % columns] = Cell()
        }
    }

    // MARK: - Sequences

    private mutating func escape(_ character: Character) {
        state = .ground
        if modes.contains("?2") {
            if character == "<" { modes.remove("?2") }
            return
        }
        switch character {
        case "[": state = .control("")
        case "]", "P", "_", "^", "X": state = .string
        case "(", ")", "*", "+", "#", "%", " ": state = .one(character)
        case "V": isGuarding = true
        case "W": isGuarding = false
        case "D": index()
        case "=": modes.insert("keypad")
        case ">": modes.remove("keypad")
        default: break
        }
    }

    private mutating func select(_ kind: Character, _ character: Character) {
        switch (kind, character) {
        case ("(", "B"): modes.remove("graphics")
        case ("(", _): modes.insert("graphics")
        case ("#", "3"), ("#", "4"), ("#", "6"): page.isWide[row] = true
        case ("#", "5"): page.isWide[row] = false
        case ("#", "8"):
            for place in page.cells.indices {
                page.cells[place] = Array(repeating: Cell(character: "E"), count: columns)
            }
        case ("%", "@"): modes.insert("no UTF-8")
        case ("%", "G"): modes.remove("no UTF-8")
        default: break
        }
    }

    private mutating func control(_ text: String, final: Character) {
        if modes.contains("?2") { return }
        let numbers = text.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        func number(_ place: Int, or other: Int) -> Int {
            numbers.indices.contains(place) && numbers[place] > 0 ? numbers[place] : other
        }
        switch final {
        case "H":
            let isRelative = modes.contains("?6")
            row = min(number(0, or: 1) - 1 + (isRelative ? top : 0), isRelative ? bottom : rows - 1)
            column = min(number(1, or: 1) - 1 + (isRelative ? left : 0), isRelative ? right : columns - 1)
        case "J":
            let here = row * columns + min(column, columns - 1)
            erase(numbers.first == 2 ? 0..<rows * columns : here..<rows * columns)
        case "K": erase(row * columns + min(column, columns - 1)..<(row + 1) * columns)
        case "r":
            (top, bottom) = (number(0, or: 1) - 1, min(number(1, or: rows), rows) - 1)
            (row, column) = (0, 0)
        case "s" where modes.contains("?69"): (left, right) = (number(0, or: 1) - 1, number(1, or: columns) - 1)
        case "m" where text.allSatisfy({ $0.isNumber || $0 == ";" }):
            for one in numbers { if one == 0 { attributes = [] } else { attributes.insert(one) } }
        case "p" where text == "!": softReset()
        case "h", "l": set(text, isOn: final == "h")
        case "u" where text.hasPrefix(">"): modes.insert("keyboard")
        case "u" where text.hasPrefix("=0"): modes.remove("keyboard")
        case "}" where text.hasSuffix("$"):
            if text.hasPrefix("1") { modes.insert("status display") } else { modes.remove("status display") }
        case "~" where text == "0$": status = ""
        default: break
        }
    }

    private mutating func set(_ text: String, isOn: Bool) {
        // These modes are usually on. The name says what is missing without them.
        let usual = ["?7": "no wrap", "?25": "no cursor", "12": "local echo", "8": "explicit order"]
        for part in text.drop(while: { $0 == "?" }).split(separator: ";") {
            let name = (text.hasPrefix("?") ? "?" : "") + part
            let mode = usual[name] ?? name
            let isOdd = usual[name] == nil ? isOn : !isOn
            if isOdd { modes.insert(mode) } else { modes.remove(mode) }
            if name == "?69", !isOn { (left, right) = (0, columns - 1) }
            if name == "?6" { (row, column) = isOn ? (top, left) : (0, 0) }
        }
    }

    /// As on terminals of DEC, this switches wrapping off.
    private mutating func softReset() {
        modes.subtract(["4", "?6", "no cursor", "graphics", "shifted out", "?1", "keypad"])
        modes.insert("no wrap")
        attributes = []
        isGuarding = false
        (top, bottom) = (0, rows - 1)
    }
}
