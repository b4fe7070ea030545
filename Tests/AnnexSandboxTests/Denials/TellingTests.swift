import AnnexLinux
import Foundation
import Logging
import Synchronization
import Testing

@testable import AnnexLaunch
@testable import AnnexPolicy

@Suite struct TellingTests {
    private static let use = CallUse(
        number: SystemCall(named: "socket")?.number ?? -1, arguments: [2, 1, 0, 0, 0, 0])
    private static let call = Denial(
        subject: .call(use), call: "socket", text: "socket(AF_INET, SOCK_STREAM, 0)", answer: .denied(errno: 1),
        layers: [.seccomp], policyLine: "base.yaml:98:5", reason: "The network.",
        remedy: (try? Policy.shipped(named: "compute"))?
            .verdict(number: use.number, arguments: use.arguments).remedy,
        caller: Caller(thread: 12, process: 11, executable: Escaped("tool")))

    private static let path = Denial(
        subject: .path(
            DeniedPath(
                path: "/srv/a b\u{1B}", needed: [.read, .write], missing: .write, makesEntry: false,
                grant: (try? Policy.shipped(named: "tool")).flatMap {
                    GrantOption(for: "/srv/a b", rights: .write, beside: $0)
                })),
        call: "openat", text: "openat(…)", answer: .passed(errno: 30), layers: [.mount, .landlock], policyLine: nil,
        reason: nil, remedy: nil, caller: Caller(thread: 12))

    @Test func `the keys of a denial record are kept`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = String(decoding: try encoder.encode(DenialRecord(Self.call)), as: UTF8.self)
        #expect(
            json == #"{"answer":"denied","call":"socket","count":1,"errno":"EPERM","executable":"tool","first":0,"#
                + #""kind":"call","last":0,"layers":["seccomp"],"line":"base.yaml:98:5","process":11,"#
                + #""reason":"The network.","remedy":"- { call: socket, when: { domain: AF_INET } }","#
                + #""text":"socket(AF_INET, SOCK_STREAM, 0)","thread":12}"#)
        let path = DenialRecord(Self.path)
        #expect(path.kind == "path" && path.answer == "passed" && path.errno == "EROFS")
        #expect(path.path?.description == #"/srv/a b\u{1b}"#)
        #expect(path.needs == ["read", "write"] && path.missing == ["write"])
        #expect(path.option?.description == "--write '/srv/a b'")
        let decoded = try JSONDecoder().decode(DenialRecord.self, from: JSONEncoder().encode(path))
        #expect(decoded == path)
    }

    @Test func `TTY-03: JSON has the true names and a log the escaped ones`() throws {
        let json = try JSONEncoder().encode(DenialRecord(Self.path))
        let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        #expect(object["path"] as? String == "/srv/a b\u{1B}" && object["isEscaped"] == nil)
        let odd = DeniedPath(
            path: PathText.text([0x2F, 0x5C, 0xFF]), needed: .read, missing: .read, makesEntry: false, grant: nil)
        let denial = Denial(
            subject: .path(odd), call: "openat", text: "openat(…)", answer: .denied(errno: 2), layers: [.root],
            policyLine: nil, reason: nil, remedy: nil, caller: Caller(thread: 12))
        let record =
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(DenialRecord(denial))) as? [String: Any]
        #expect(record?["path"] as? String == #"/\\\x{ff}"# && record?["isEscaped"] as? Bool == true)
        #expect(denial.headline.hasPrefix(#"read /\\\x{ff}: denied by"#))
    }

    @Test func `a headline names the call, its answer, its layer and its remedy`() {
        #expect(Self.call.headline == "socket(AF_INET, SOCK_STREAM, 0): denied by seccomp with EPERM")
        #expect(
            Self.path.headline
                == #"write /srv/a b\u{1b}: performed; an enforcing sandbox denies it (mount namespace, EROFS)"#
        )
        #expect(Self.path.remedyText == "--write '/srv/a b'")
        #expect(Self.call.remedyText == "- { call: socket, when: { domain: AF_INET } }")
    }

    @Test func `BOMB-07: a flood of denials becomes few lines with a count of the rest`() {
        let second: UInt64 = 1_000_000_000
        var budget = LineBudget(at: 0)
        let taken = (0..<10_000).filter { _ in budget.acquire(at: 1) }.count
        #expect(taken == Int(LineBudget.atOnce))
        let suppressed = [budget.takeSuppressed(), budget.takeSuppressed()]
        #expect(suppressed == [10_000 - taken, 0])
        // The same flood continues for ten more seconds.
        var later = 0
        for moment in stride(from: second, to: 11 * second, by: 1_000_000) where budget.acquire(at: moment) {
            later += 1
        }
        #expect(later <= 11 * Int(LineBudget.perSecond))
        #expect(later >= 9 * Int(LineBudget.perSecond))
        // If a clock stands still or goes wrong, no line is granted, and the code does not trap.
        let isGranted = budget.acquire(at: 0)
        #expect(!isGranted)
        _ = budget.acquire(at: .max)
        _ = budget.acquire(at: .max)
    }

    @Test func `the log has the keys of the record`() throws {
        let lines = Lines()
        let logger = Logger(label: DenialLog.label) { _ in Collector(lines: lines) }
        var log = DenialLog(sandbox: "com.example\n", mode: .permissive, logger: logger, at: 0)
        log.write(Self.call, at: 1)
        for _ in 0..<100 { log.write(Self.path, at: 2) }
        var summary = DenialSummary()
        summary.denials = [Self.call]
        summary.total = 7
        log.close(summary)
        let seen = lines.all
        #expect(seen.count == 1 + Int(LineBudget.atOnce) + 1)
        #expect(seen[0].level == .warning)
        #expect(seen[1].level == .debug && seen[1].message == Self.call.headline)
        #expect(seen[1].metadata["call"] == "socket" && seen[1].metadata["sandbox"] == #"com.example\n"#)
        #expect(seen[1].metadata["mode"] == "permissive")
        #expect(seen[2].metadata["missing"] == .array(["write"]))
        #expect(seen.last?.metadata["suppressed"] == "81")
        #expect(seen.last?.metadata["total"] == "7")
    }

    private struct Line: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: Logger.Metadata
    }

    private final class Lines: Sendable {
        private let state = Mutex<[Line]>([])
        var all: [Line] { state.withLock { $0 } }
        func add(_ line: Line) { state.withLock { $0.append(line) } }
    }

    private struct Collector: LogHandler {
        let lines: Lines
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        init(lines: Lines) { self.lines = lines }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
            lines.add(Line(level: event.level, message: "\(event.message)", metadata: all))
        }
    }
}
