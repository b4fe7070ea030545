/// One line of the table of paths: how to derive a `PathUse` from a call's registers.
struct PathRule: Sendable, Hashable {
    enum Need: Sendable, Hashable {
        case rights(PathRights)
        /// The rights for the flags of open(2) in the register.
        case open(Int)
        case openHow(Int)
        /// The rights for the mode of access(2) in the register.
        case access(Int)
    }

    enum Link: Sendable, Hashable {
        case follow, keep
        /// Follows the link if the register has one of these bits.
        case followWith(Int, UInt64)
        case keepWith(Int, UInt64)
    }

    /// A condition for the whole line. It holds if the register has this value within `mask`.
    struct Condition: Sendable, Hashable {
        let register: Int
        let mask: UInt64
        let value: UInt64
    }

    let call: String
    let text: PathUse.Text
    let directory: Int?
    let need: Need
    let link: Link
    let makesEntry: Bool
    let condition: Condition?

    /// The use of a path; nil if these registers do not name a path. They do not name a path if the pointer is null, or
    /// if the line's condition does not hold.
    func use(_ arguments: [UInt64], architecture: Architecture) -> PathUse? {
        func register(_ index: Int) -> UInt64 { index < arguments.count ? arguments[index] : 0 }
        if let condition, register(condition.register) & condition.mask != condition.value { return nil }
        guard register(pointer) != 0 else { return nil }
        let flags: OpenFlags? =
            if case .open(let index) = need { OpenFlags(register(index), architecture: architecture) } else { nil }
        let follows =
            switch link {
            case .follow: flags?.followsLink ?? true
            case .keep: false
            case .followWith(let index, let bits): register(index) & bits != 0
            case .keepWith(let index, let bits): register(index) & bits == 0
            }
        let wanted: PathUse.Need =
            switch need {
            case .rights(let rights): .rights(rights)
            case .open: .rights(flags?.rights ?? .read)
            case .openHow(let index): .openHow(register: index)
            case .access(let index): .rights(Self.rights(access: register(index)))
            }
        return PathUse(
            text: text, directory: directory, need: wanted, followsLink: follows,
            makesEntry: flags?.makesEntry ?? makesEntry)
    }

    private var pointer: Int {
        switch text {
        case .path(let register), .socketAddress(let register, _): register
        }
    }

    private static func rights(access mode: UInt64) -> PathRights {
        var rights: PathRights = []
        if mode & 4 != 0 { rights.insert(.read) }
        if mode & 2 != 0 { rights.insert(.write) }
        if mode & 1 != 0 { rights.insert(.execute) }
        return rights
    }
}

extension PathRule {
    /// Reads one line of the table; nil if the line has another form.
    init?(line: Substring) {
        let words = line.parts(between: .space)
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

    /// Reads the place of a path, as `table` describes it: `1`, `1@0` or `address:1:2`.
    private static func place(_ word: Substring) -> (PathUse.Text, Int?)? {
        if word.hasPrefix("address:") {
            guard let numbers = numbers(word), numbers.count == 2 else { return nil }
            return (.socketAddress(register: Int(numbers[0]), size: Int(numbers[1])), nil)
        }
        let sides = word.parts(between: UInt8(ascii: "@"))
        guard let register = Int(sides[0]), sides.count <= 2 else { return nil }
        guard sides.count == 2 else { return (.path(register: register), nil) }
        guard let directory = Int(sides[1]) else { return nil }
        return (.path(register: register), directory)
    }

    /// The numbers after a word's first colon.
    fileprivate static func numbers(_ word: Substring) -> [UInt64]? {
        let parts = word.parts(between: UInt8(ascii: ":")).dropFirst()
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
