extension PathRule {
    /// Reads one line of the table; nil if the line has another form.
    init?(line: Substring) {
        let words = line.split(separator: " ")
        guard words.count >= 4, let (text, directory) = Self.place(words[1]), let need = Need(word: words[2]),
            let link = Link(word: words[3])
        else { return nil }
        var makesEntry = false
        var condition: Condition?
        for word in words.dropFirst(4) {
            if word == "makes" {
                makesEntry = true
            } else if let read = Condition(word: word) {
                condition = read
            } else {
                return nil
            }
        }
        self.init(
            call: String(words[0]), text: text, directory: directory, need: need, link: link, makesEntry: makesEntry,
            condition: condition)
    }

    /// Reads a place: `1`, `1@0` or `address:1:2`.
    private static func place(_ word: Substring) -> (PathUse.Text, Int?)? {
        if word.hasPrefix("address:") {
            guard let numbers = numbers(word), numbers.count == 2 else { return nil }
            return (.socketAddress(register: Int(numbers[0]), size: Int(numbers[1])), nil)
        }
        let sides = word.split(separator: "@")
        guard let register = Int(sides[0]), sides.count <= 2 else { return nil }
        guard sides.count == 2 else { return (.path(register: register), nil) }
        guard let directory = Int(sides[1]) else { return nil }
        return (.path(register: register), directory)
    }

    /// The numbers after a word's first colon.
    fileprivate static func numbers(_ word: Substring) -> [UInt64]? {
        let parts = word.split(separator: ":").dropFirst()
        let numbers = parts.compactMap { WholeNumber.parse($0) }
        return numbers.count == parts.count ? numbers : nil
    }
}

extension PathRule.Need {
    fileprivate init?(word: Substring) {
        switch word {
        case "exists": self = .rights([])
        case "read": self = .rights(.read)
        case "write": self = .rights(.write)
        case "execute": self = .rights(.execute)
        case "load": self = .rights([.read, .execute])
        default:
            guard let register = PathRule.numbers(word)?.first.map(Int.init) else { return nil }
            switch word.prefix(while: { $0 != ":" }) {
            case "open": self = .open(register)
            case "how": self = .openHow(register)
            case "access": self = .access(register)
            default: return nil
            }
        }
    }
}

extension PathRule.Link {
    fileprivate init?(word: Substring) {
        guard let numbers = PathRule.numbers(word) else { return nil }
        switch (word.prefix(while: { $0 != ":" }), numbers.count) {
        case ("follow", 0): self = .follow
        case ("keep", 0): self = .keep
        case ("follow", 2): self = .followWith(Int(numbers[0]), numbers[1])
        case ("keep", 2): self = .keepWith(Int(numbers[0]), numbers[1])
        default: return nil
        }
    }
}

extension PathRule.Condition {
    fileprivate init?(word: Substring) {
        guard word.hasPrefix("if:"), let numbers = PathRule.numbers(word), numbers.count == 3 else { return nil }
        self.init(register: Int(numbers[0]), mask: numbers[1], value: numbers[2])
    }
}
