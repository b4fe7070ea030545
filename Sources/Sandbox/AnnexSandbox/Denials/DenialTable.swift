internal import AnnexLinux

/// What one sandbox was refused so far: one entry a kind of refusal, with its count, and never more than fit.
struct DenialTable {
    /// Kinds of calls and of paths that are kept; a program that invents new ones for ever is counted, not kept.
    static let capacity = 64
    static let pathCapacity = 256

    private(set) var denials: [Denial] = []
    private var places: [Denial.Key: Int] = [:]
    private var paths = 0
    /// All refused calls, also those whose kind found no room.
    private(set) var total = 0
    /// Refusals whose kind found no room.
    private(set) var dropped = 0
    private let begun: UInt64

    init(begun: UInt64 = MonotonicClock.now()) {
        self.begun = begun
    }

    /// - Returns: whether this is the first of its kind, and was kept.
    @discardableResult
    mutating func add(_ denial: Denial, at moment: UInt64 = MonotonicClock.now()) -> Bool {
        if !denial.isOfPath { total += 1 }
        let time = Duration.nanoseconds(Int64(clamping: moment > begun ? moment - begun : 0))
        let key = denial.key
        if let known = places[key] {
            denials[known].count += 1
            denials[known].last = time
            return false
        }
        guard hasRoom(forPath: denial.isOfPath) else {
            dropped += 1
            return false
        }
        if denial.isOfPath { paths += 1 }
        places[key] = denials.count
        denials.append(denial)
        denials[denials.count - 1].first = time
        denials[denials.count - 1].last = time
        return true
    }

    /// Who called whom, the first time that a call of this kind was refused.
    mutating func note(_ backtrace: Backtrace, of key: Denial.Key) {
        guard let known = places[key] else { return }
        denials[known].backtrace = backtrace
    }

    /// Whether a refusal of this kind would be a new entry.
    func isNew(_ key: Denial.Key) -> Bool { places[key] == nil && hasRoom(forPath: key.missing != nil) }

    private func hasRoom(forPath isPath: Bool) -> Bool {
        isPath ? paths < Self.pathCapacity : denials.count - paths < Self.capacity
    }
}
