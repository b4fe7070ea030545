internal import AnnexLinux
public import AnnexPolicy

/// The denials of one sandbox so far: one entry for each kind, with a count, and a bounded number of entries.
struct DenialTable {
    /// The most kinds of calls and the most paths that get an entry. If a program keeps causing new kinds of denials,
    /// the further denials are only counted.
    static let capacity = 64
    static let pathCapacity = 256
    /// The most kinds of quiet denials (`Denial.isQuiet`) that get an entry. This bound leaves room for the other
    /// denials.
    static let quietCapacity = 32

    private(set) var denials: [Denial] = []
    private var places: [Denial.Key: Int] = [:]
    private var paths = 0
    private var quiet = 0
    /// The number of all denied calls, including calls without an entry. Calls that are denied quietly do not count.
    private(set) var total = 0
    /// The number of denials without an entry, because there was no room for their kind.
    private(set) var dropped = 0
    private let begun: UInt64

    init(begun: UInt64 = MonotonicClock.now()) {
        self.begun = begun
    }

    /// - Returns: whether this is the first denial of its kind and has got an entry.
    @discardableResult
    mutating func add(_ denial: Denial, at moment: UInt64 = MonotonicClock.now()) -> Bool {
        if !denial.isOfPath, !denial.isQuiet { total += 1 }
        let time = Duration.nanoseconds(Int64(clamping: moment > begun ? moment - begun : 0))
        let key = denial.key
        if let known = places[key] {
            denials[known].count += 1
            denials[known].last = time
            return false
        }
        guard hasRoom(forPath: denial.isOfPath), !denial.isQuiet || quiet < Self.quietCapacity else {
            dropped += 1
            return false
        }
        if denial.isOfPath { paths += 1 }
        if denial.isQuiet { quiet += 1 }
        places[key] = denials.count
        denials.append(denial)
        denials[denials.count - 1].first = time
        denials[denials.count - 1].last = time
        return true
    }

    /// Adds the backtrace of the first denial of this kind.
    mutating func record(_ backtrace: Backtrace, of key: Denial.Key) {
        guard let known = places[key] else { return }
        denials[known].backtrace = backtrace
    }

    /// Whether a denial of this kind would add an entry.
    func isNew(_ key: Denial.Key) -> Bool { places[key] == nil && hasRoom(forPath: key.missing != nil) }

    private func hasRoom(forPath isPath: Bool) -> Bool {
        isPath ? paths < Self.pathCapacity : denials.count - paths < Self.capacity
    }
}

/// All denials of one sandbox, after it has ended.
public struct DenialSummary: Sendable, Hashable {
    /// The mode of the sandbox.
    public internal(set) var mode = DenialMode.enforce
    /// One entry for each kind, in the order of first occurrence.
    public internal(set) var denials: [Denial] = []
    /// The number of denied calls.
    public internal(set) var total = 0
    /// The number of denials that have no entry in `denials`, because there was no room for their kind.
    public internal(set) var dropped = 0
    /// The number of denials and crashes without a backtrace, because too many stacks were waiting to be walked.
    public internal(set) var lostStacks = 0
    /// The program's calls and paths, recorded in mode `learn`; nil in other modes.
    public internal(set) var recording: Recording?
    /// The backtrace of the program's abort or fault; nil if the program had no abort or fault, or did not report it.
    package internal(set) var crash: Crash?
    /// Why the broker stopped receiving denials, as the kernel reports it. After that moment, calls were refused or
    /// waited. nil if all calls were received.
    public internal(set) var missing: String?

    public init() {}
}

extension DenialSummary {
    /// Adds the names of functions to all backtraces.
    mutating func name(by program: ProgramFile) {
        var backtraces = denials.map(\.backtrace)
        if let crash { backtraces.append(crash.backtrace) }
        program.name(&backtraces)
        for index in denials.indices { denials[index].backtrace = backtraces[index] }
        if crash != nil, let last = backtraces.last, let last { crash?.backtrace = last }
    }
}
