/// One line of the table of paths: how to derive a `PathUse` from a call's registers.
struct PathRule: Sendable, Hashable {
    enum Need: Sendable, Hashable {
        case rights(PathRights)
        /// The rights that the register's flags of open(2) need.
        case open(Int)
        case openHow(Int)
        /// The rights in the register's mode of access(2).
        case access(Int)
    }

    enum Link: Sendable, Hashable {
        case follow, keep
        /// Follows the link if the register has one of these bits.
        case followWith(Int, UInt64)
        case keepWith(Int, UInt64)
    }

    /// A condition for the whole line: within `mask`, the register has this value.
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

    /// The use of a path; nil if these registers name none: for a null pointer, or if the line's condition does not
    /// hold.
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
