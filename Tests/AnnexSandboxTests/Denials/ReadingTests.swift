import AnnexLinux
import Foundation
import Synchronization
import Testing

@testable import AnnexLaunch

/// The kernel's text about a hostile process must be either parsed correctly or ignored.
@Suite struct ReadingTests {
    @Test func `mappings are read as the kernel writes them`() throws {
        let text = """
            00400000-00452000 r-xp 00001000 08:02 173521      /usr/bin/a b\\012c
            7ffd4a5c1000-7ffd4a5e2000 rw-p 00000000 00:00 0                          [stack]
            7f0000000000-7f0000001000 r--s 00000000 00:01 77
            """
        let areas = MemoryArea.read(Array(text.utf8))
        try #require(areas.count == 3)
        #expect(areas[0].start == 0x400000 && areas[0].end == 0x452000 && areas[0].offset == 0x1000)
        #expect(areas[0].isExecutable && areas[0].inode == 173521)
        #expect(areas[0].name == Array("/usr/bin/a b\\012c".utf8))
        #expect(areas[0].contains(0x451FFF) && !areas[0].contains(0x452000))
        #expect(!areas[1].isExecutable && areas[1].name == Array("[stack]".utf8))
        #expect(areas[2].name.isEmpty)
    }

    @Test(arguments: [
        "", "\n\n", "x", "1-2", "2-1 r-xp 0 0:0 0", "1-1 r-xp 0 0:0 0", "11111111111111111-2 r-xp 0 0:0 0",
        "1-2 r-xp 0 0:0 99999999999999999999999", "1-2 r-xp -1 0:0 0", "1-2 r-xp 0 0:0 +1", "1-2-3 r-xp 0 0:0 0",
    ])
    func `DEPUTY-07: lines that the kernel would not write are left out`(line: String) {
        #expect(MemoryArea.read(Array(line.utf8)).isEmpty)
    }

    @Test func `DEPUTY-07: the list of mappings of a process is cut at a fixed number`() {
        let many = [[UInt8]](repeating: Array("1-2 r-xp 0 0:0 0\n".utf8), count: 10_000).flatMap(\.self)
        #expect(MemoryArea.read(many).count == MemoryArea.most)
    }

    @Test(
        arguments: [
            ("41 0x2 0x1 0x0 0x0 0x0 0x0 0x7ffe10 0x401136\n", 0x7FFE10, 0x401136), ("-1 0x10 0x20\n", 0x10, 0x20),
        ] as [(String, UInt64, UInt64)])
    func `the stack pointer and instruction of a stopped thread are read`(
        line: String, stack: UInt64, instruction: UInt64
    ) {
        #expect(StoppedThread.read(Array(line.utf8)) == StoppedThread(stackPointer: stack, instruction: instruction))
    }

    @Test(arguments: [
        "running\n", "", "1 2", "41 0x2 0x1 0x0 0x0 0x0 0x0 0x7ffe10 zz", "-1 0x 0x1", "-1 0x1 0x11111111111111111",
    ])
    func `a line without registers gives no stopped thread`(line: String) {
        #expect(StoppedThread.read(Array(line.utf8)) == nil)
    }

    /// The kernel reports a held call before its thread has fallen asleep.
    @Test func `a thread that still runs is read again until it waits`() throws {
        let thread = Running()
        let pipe = try DescriptorPair.pipe()
        let end = pipe.first.number
        Thread.detachNewThread {
            let number = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            thread.folder.withLock { $0 = number.map { "/proc/\($0)" } ?? "" }
            while !thread.mayWait.load(ordering: .sequentiallyConsistent) {}
            let deadline = MonotonicClock.deadline(after: .milliseconds(30))
            while MonotonicClock.now() < deadline {}
            var byte: UInt8 = 0
            _ = read(end, &byte, 1)
            thread.hasEnded.store(true, ordering: .sequentiallyConsistent)
        }
        while thread.folder.withLock({ $0 == nil }) { usleep(100) }
        let folder = try #require(thread.folder.withLock { $0 })
        #expect(StoppedThread.waiting(folder, within: .zero) == nil)
        thread.mayWait.store(true, ordering: .sequentiallyConsistent)
        #expect(StoppedThread.waiting(folder, within: .seconds(3600)) != nil)
        try pipe.second.writeAll([1])
        while !thread.hasEnded.load(ordering: .sequentiallyConsistent) { usleep(100) }
    }

    private final class Running: Sendable {
        let folder = Mutex<String?>(nil)
        let mayWait = Atomic<Bool>(false)
        let hasEnded = Atomic<Bool>(false)
    }

    @Test func `a process number comes from the kernel and not from the name`() {
        let text = "Name:\tTgid:\t1\\nTgid:\t2\nUmask:\t0022\nTgid:\t77\nTgid:\t78\n"
        #expect(ProcessStatus.read(Array(text.utf8))?.process == 77)
        #expect(ProcessStatus.read(Array("Tgid:\t5\n".utf8)) == nil)
        #expect(ProcessStatus.read(Array("Name:\tx\nTgid:\t4294967296\n".utf8)) == nil)
    }

    @Test(
        arguments: [
            ("Uid:\t1000\t0\t0\t0\nNSpid:\t77\t2\n", true), ("Uid:\t1001\t1000\t1000\t1000\nNSpid:\t77\t2\n", false),
            ("Uid:\t1000\t0\t0\t0\nNSpid:\t77\n", false), ("Uid:\t1000\t0\t0\t0\n", true), ("NSpid:\t77\t2\n", true),
        ] as [(String, Bool)])
    func `KOBJ-01: a process that cannot be examined belongs to no sandbox of another user or depth`(
        text: String, mayShare: Bool
    ) throws {
        let own = try #require(
            ProcessStatus.read(Array("Name:\tx\nTgid:\t9\nUid:\t1000\t1000\t1000\t1000\nNSpid:\t9\t3\n".utf8)))
        let other = try #require(ProcessStatus.read(Array(("Name:\tx\nTgid:\t77\n" + text).utf8)))
        #expect(other.mayShareNamespaces(with: own) == mayShare)
    }

    @Test func `a number beyond the end of the bytes is missing`() {
        let words = LittleEndian([1, 2, 3, 4, 5, 6, 7, 8])
        #expect(words.number(UInt64.self, at: 0) == 0x0807_0605_0403_0201)
        #expect(words.number(UInt16.self, at: 6) == 0x0807)
        #expect(words.number(UInt16.self, at: 7) == nil)
        #expect(words.number(UInt8.self, at: -1) == nil)
        #expect(words.number(UInt32.self, at: .max) == nil)
    }

    @Test func `only a socket address with a path gives a path`() {
        #expect(NamedPath.socketPath([1, 0] + Array("/run/x".utf8) + [0, 9]) == Array("/run/x".utf8))
        #expect(NamedPath.socketPath([1, 0, 0] + Array("abstract".utf8)) == nil)
        #expect(NamedPath.socketPath([2, 0, 0, 80, 127, 0, 0, 1]) == nil)
        #expect(NamedPath.socketPath([1]) == nil)
        #expect(NamedPath.socketPath([1, 0]) == nil)
    }

    @Test(
        arguments: [
            ("$s4main5ShoutV3runyyF", "main.Shout.run"), ("main", "main"), ("$ss5print_9separator", "Swift.print"),
            ("$s1a2f3yyAA1SVyADyADyS2iGAEGAFGF", "a.f3"), ("$sSS4mainE3fooyyF", "Swift.String.foo"),
            ("$s10AnnexModel0B5ErrorV4textSSvg", "AnnexModel.ModelError.text"), ("$s", "$s"), ("$s9x", "$s9x"),
            ("$s00x", "$s00x"), ("_Z3fooi", "_Z3fooi"), ("$s99999999999999999999x", "$s99999999999999999999x"),
        ])
    func `DEPUTY-07: Swift names are made readable in one pass`(symbol: String, readable: String) {
        #expect(String(decoding: SymbolName.readable(Array(symbol.utf8)), as: UTF8.self) == readable)
    }

    /// The names are spelled as the compiler spells them.
    @Test(
        arguments: [
            ("$s7HostileAAC12beginRequest4with3forS2i_SStF", "Hostile.Hostile.beginRequest"),
            ("$s7HostileAAC7hostileyS2iyXEF", "Hostile.Hostile.hostile"), ("$s7HostileAACABycfC", "Hostile.Hostile"),
            ("$s7HostileAAC5InnerV6DeeperV4diveyS2iF", "Hostile.Hostile.Inner.Deeper.dive"),
            ("$s7HostileAAC5InnerV6DeeperVAAO5twiceyS2iFZ", "Hostile.Hostile.Inner.Deeper.Hostile.twice"),
            (
                "$s7HostileAAC5quiet33_92F1BB29E951C71918B516D683EE8B76LLyS2iF", "Hostile.Hostile.quiet"
            ),
            (
                "$s7Hostile6Secret33_92F1BB29E951C71918B516D683EE8B76LLV4tell2toS2i_tF", "Hostile.Secret.tell"
            ),
            ("$s7Hostile9HostilityPAAE4rage2atS2i_tF", "Hostile.Hostility.rage"),
            ("$sSS7HostileE5shout5twiceSSSb_tF", "Swift.String.shout"),
            ("$s7Hostile5start4withS2i_tF", "Hostile.start"),
        ])
    func `names that repeat an earlier part are read`(symbol: String, readable: String) {
        #expect(String(decoding: SymbolName.readable(Array(symbol.utf8)), as: UTF8.self) == readable)
    }

    @Test(
        arguments: [
            "$sA", "$sAA", "$s1aA", "$s1aAB", "$s1aAa", "$s1aAaaaa", "$s1aCAB", "$sLL", "$s1aLL", "$sE", "$s1aE",
            "$sA_",
            "$s1aA9999999999999999999a", "$s1a" + String(repeating: "Aa", count: 10_000),
            "$s1a" + String(repeating: "C", count: 100_000),
            "$s250" + String(repeating: "b", count: 250) + "A"
                + String(repeating: "a", count: 100_000),
        ])
    func `DEPUTY-07: a name that refers to nothing or to itself ends there`(symbol: String) {
        let readable = SymbolName.readable(Array(symbol.utf8))
        #expect(readable.count <= max(symbol.utf8.count, SymbolName.limit))
        #expect(symbol.utf8.count < 1_000 || readable.count <= SymbolName.limit)
    }

    @Test func `DEPUTY-07: no name makes itself longer than a line`() {
        let word = "$s200" + String(repeating: "Ab", count: 100)
        let hostile = word + String(repeating: "0aaaaaaaaaaaaaaaaA0", count: 100)
        #expect(SymbolName.readable(Array(hostile.utf8)).count <= 1_024)
    }

    @Test func `words for a shell are quoted`() {
        #expect(ShellText.quoted("/usr/lib/x-1_2.so:3") == "/usr/lib/x-1_2.so:3")
        #expect(ShellText.quoted("/a b") == "'/a b'")
        #expect(ShellText.quoted("/a'$(x)") == #"'/a'\''$(x)'"#)
        #expect(ShellText.quoted("") == "''")
    }
}
