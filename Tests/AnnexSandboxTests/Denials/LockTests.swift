import Foundation
import Glibc
import Synchronization
import Testing

@testable import AnnexLaunch

/// The locks that a sandbox holds, and the locks that it may still take.
@Suite struct LockTests {
    private static let pause = UInt64(LockBudget.pause / .nanoseconds(1))

    /// Counts this process's locks until a count reaches the given number, at most a hundred times.
    ///
    /// Other tests release their locks during a count. This shifts lines of the kernel's list out of the page that is
    /// read next. If a count misses locks for another reason, it misses them each time.
    private static func count(reaching wanted: Int) -> Int? {
        var highest: Int?
        for _ in 0..<100 {
            guard let counted = HeldLocks.count(besides: UInt32(getpid())) else { return highest }
            highest = max(highest ?? 0, counted)
            if counted >= wanted { break }
            usleep(10_000)
        }
        return highest
    }

    private static func spend(_ budget: inout LockBudget, at now: UInt64) -> Int {
        var passed = 0
        while case .pass = budget.step(at: now) { passed += 1 }
        return passed
    }

    @Test func `each call counts as the most locks that it can add`() {
        var budget = LockBudget()
        #expect(Self.spend(&budget, at: 0) == LockBudget.most / LockBudget.addedByOneCall)
        #expect(budget.step(at: 0) == .count(at: 0))
    }

    @Test func `locks that were released can be taken again`() {
        var budget = LockBudget()
        _ = Self.spend(&budget, at: 0)
        budget.counted(96, at: 10)
        #expect(Self.spend(&budget, at: 11) == (LockBudget.most - 96) / LockBudget.addedByOneCall)
        // Counting delays every lock of the machine. So there is always some time between two counts.
        #expect(budget.step(at: 12) == .count(at: 10 + Self.pause))
    }

    @Test(arguments: [LockBudget.most, LockBudget.most + 1, LockBudget.most - 1, nil])
    func `a sandbox that holds as many locks as it may is refused more`(held: Int?) {
        var budget = LockBudget()
        _ = Self.spend(&budget, at: 0)
        budget.counted(held, at: 10)
        budget.counted(held, at: 10 + Self.pause)
        #expect(budget.isFull)
        #expect(budget.step(at: 11 + Self.pause) == .count(at: 10 + 2 * Self.pause))
        budget.counted(0, at: 11 + 2 * Self.pause)
        #expect(!budget.isFull && budget.step(at: 11 + 2 * Self.pause) == .pass)
    }

    @Test func `a single count that may contain lines twice refuses no lock`() {
        var budget = LockBudget()
        _ = Self.spend(&budget, at: 0)
        budget.counted(LockBudget.most, at: 10)
        #expect(!budget.isFull && budget.step(at: 11) == .count(at: 10 + Self.pause))
        budget.counted(LockBudget.most / 2, at: 10 + Self.pause)
        #expect(!budget.isFull && budget.step(at: 11 + Self.pause) == .pass)
        // Two full counts in a row are needed. Two full counts with another count between them are not enough.
        budget.counted(LockBudget.most, at: 10 + 2 * Self.pause)
        #expect(!budget.isFull)
    }

    @Test(
        arguments: [
            ("1: POSIX  ADVISORY  WRITE 7162 fe:00:1234 0 EOF", 7162), ("12: POSIX  ADVISORY  READ 1 00:2a:9 1 2", 1),
            ("1: -> POSIX  ADVISORY  WRITE 7162 fe:00:1234 0 EOF", nil),
            ("2: FLOCK  ADVISORY  WRITE 44 fe:00:7 0 EOF", nil),
            ("3: OFDLCK ADVISORY  WRITE -1 fe:00:7 0 EOF", nil), ("4: LEASE  ACTIVE    READ 5 fe:00:7 0 EOF", nil),
            ("1: POSIX  ADVISORY  WRITE 99999999999 fe:00:1 0 EOF", nil), ("", nil), ("1: POSIX", nil),
        ] as [(String, Int32?)])
    func `a line in the list of locks of the kernel gives its owner`(line: String, owner: Int32?) {
        #expect(HeldLocks.owner(of: Array(line.utf8)) == owner)
    }

    @Test(
        arguments: [
            (2, true), (6, true), (1 << 32 | 2, true), (1, false), (5, false), (8, false), (12, false), (3, false),
            (10, false),
            (0, false), (34, false),
        ] as [(UInt64, Bool)])
    func `the broker takes only exclusive locks of whole files for a sandbox`(operation: UInt64, isTaken: Bool) {
        let call = HeldCall(id: 1, thread: 1, architecture: 0, number: 0, arguments: [3, operation, 0, 0, 0, 0])
        #expect(WholeFileLock.isAsked(by: call) == isTaken)
    }

    /// Locks of other processes are also in this process's namespace.
    @Test func `held locks are counted`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "annex-locks-\(UUID().uuidString)").path
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer {
            close(file)
            unlink(path)
        }
        for place in 0..<500 {
            var range = Glibc.flock()
            range.l_type = Int16(F_WRLCK)
            range.l_start = off_t(2 * place)
            range.l_len = 1
            try #require(fcntl(file, F_SETLK, &range) == 0)
        }
        #expect(try #require(Self.count(reaching: 500)) >= 500)
        #expect(HeldLocks.count(besides: UInt32(Int32.max)) == nil)
    }

    /// Two threads with separate tables of descriptors hold the same ranges. So the kernel's lines for them are equal.
    @Test func `equal locks of threads with their own descriptors all count`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "annex-tables-\(UUID().uuidString)").path
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer {
            close(file)
            unlink(path)
        }
        // Swift's import of the C library lacks `unshare`. The number 0x400 is CLONE_FILES.
        typealias Unshare = @convention(c) (Int32) -> Int32
        let unshare = unsafeBitCast(try #require(dlsym(nil, "unshare")), to: Unshare.self)
        let (isLocked, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let failures = Mutex(0)
        for _ in 0..<2 {
            Thread.detachNewThread {
                if unshare(0x400) != 0 { failures.withLock { $0 += 1 } }
                for place in 0..<2_500 {
                    var range = Glibc.flock()
                    range.l_type = Int16(F_RDLCK)
                    range.l_start = off_t(2 * place)
                    range.l_len = 1
                    if fcntl(file, F_SETLK, &range) != 0 { failures.withLock { $0 += 1 } }
                }
                isLocked.signal()
                mayEnd.wait()
            }
        }
        for _ in 0..<2 { isLocked.wait() }
        let counted = Self.count(reaching: 5_000)
        for _ in 0..<2 { mayEnd.signal() }
        try #require(failures.withLock { $0 } == 0)
        #expect(try #require(counted) >= 5_000)
    }
}
