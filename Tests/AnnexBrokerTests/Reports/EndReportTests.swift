import AnnexBrokerAPI
import AnnexLinux
import AnnexModel
import AnnexPolicy
import Testing

@testable import AnnexBroker
@testable import AnnexChannel

@Suite struct EndReportTests {
    private let time = WallClock(microseconds: 1_795_330_714_012_345)

    private func json(_ end: EndedExtension) throws -> JSON {
        try JSON(reading: EndReport(end, at: time).bytes, file: "report")
    }

    private func number(_ json: JSON?) -> Double? { json?.double }

    @Test(arguments: Termination.Reason.allCases)
    func `L6: a report keeps the reason, the extension and the time of every end`(reason: Termination.Reason) throws {
        let json = try json(.example("com.example.a", Termination(reason)))
        #expect(json["reason"]?.text == reason.rawValue)
        #expect(json["identifier"]?.text == "com.example.a" && json["policy"]?.text == "compute")
        #expect(json["time"]?.text == "2026-11-22T06:58:34.012345Z")
        #expect(json["isFailure"] == .boolean(Termination(reason).isFailure))
        #expect(number(json["lifetimeSeconds"]) == 1.5 && number(json["waitedSeconds"]) == 0.012)
    }

    @Test func `L6: a report keeps every detail whole and in parts`() throws {
        let call = DeniedCall(
            "socket", arguments: [Escaped("AF_INET")], layer: "seccomp", remedy: "socket: allow", count: 3,
            backtrace: [Escaped("main")])
        let cases: [(Termination.Detail, String, JSON)] = [
            (.exitCode(3), "exitCode", .numeral("3")),
            (.signal(Signal(11)), "signalName", .text("SIGSEGV")),
            (.signal(Signal(4, message: Escaped("Fatal\u{1B}"))), "message", .text("Fatal\u{1B}")),
            (.signal(Signal(4, backtrace: [Escaped("a\n")])), "backtrace", .texts(["a\n"])),
            (.limit("64 MiB"), "limit", .text("64 MiB")),
            (.violation(Escaped("two hellos")), "violation", .text("two hellos")),
            (.step(LaunchStep("pivot_root", cause: "EPERM", remedy: "ask root")), "remedy", .text("ask root")),
            (.error(ExtensionError(code: 7, domain: "d", localizedDescription: "no")), "errorText", .text("no")),
        ]
        for (detail, key, value) in cases {
            let json = try json(.example("a", Termination(.crashed, detail: detail)))
            #expect(json[key] == value, "\(detail)")
            #expect(json["detail"]?.text == detail.description)
        }
        let denied = try json(.example("a", Termination(.deniedOperation, detail: .deniedCall(call), denials: [call])))
        for found in [denied["deniedCall"], denied["denials"]?.items.first] {
            #expect(found?["call"]?.text == "socket" && found?["remedy"]?.text == "socket: allow")
            #expect(number(found?["count"]) == 3 && found?["backtrace"]?.items == [.text("main")])
        }
    }

    @Test func `L6: a report keeps usage, launch and limits`() throws {
        var counters = ChannelCounters()
        counters.framesSent = 7
        counters.bytesReceived = .max
        let usage = Usage(
            peakMemory: .max, userTime: .milliseconds(250), systemTime: nil, messages: SessionStatistics(counters),
            denials: 9)
        let json = try json(
            .example("a", Termination(.completed, usage: usage, lastOutput: [Escaped("\\u{1b}\u{1B}")])))
        #expect(json["peakMemory"] == .numeral("\(UInt64.max)") && json["systemSeconds"] == .null)
        #expect(number(json["userSeconds"]) == 0.25 && number(json["denialCount"]) == 9)
        #expect(number(json["messages"]?["sent"]) == 7)
        #expect(json["messages"]?["bytesReceived"] == .numeral("\(UInt64.max)"))
        #expect(json["lastOutput"]?.items == [.text("\\u{1b}\u{1B}")])
        #expect(json["limits"]?.items.first?["keeper"]?.text == "control group")
        #expect(json["layers"]?.items == [.text("user namespace")])
        #expect(json["waived"]?.items.first?["layer"]?.text == "landlock")
        #expect(number(json["steps"]?.items.first?["microseconds"]) == 123.456)
    }

    @Test func `TTY-03: a report is printable ASCII and bounded for any output`() throws {
        let bytes = (0..<400).map { UInt8(truncatingIfNeeded: $0) }
        let lines = (0..<20).map { _ in Escaped(bytes, limit: 400) }
        let wide = Escaped(String(repeating: "語", count: 300), limit: 512)
        let calls = (0..<64).map { number in
            DeniedCall(
                "call\(number)", arguments: [wide], layer: "seccomp", backtrace: (0..<32).map { _ in wide })
        }
        let termination = Termination(
            .deniedOperation, detail: .deniedCall(calls[0]), lastOutput: lines, denials: calls)
        let report = EndReport(.example("com.example.\u{1B}[31m", termination), at: time)
        #expect(report.bytes.count <= ReportFolder.largest)
        #expect(report.bytes.allSatisfy { $0 == 0x0A || ($0 >= 0x20 && $0 < 0x7F) })
        let json = try JSON(reading: report.bytes, file: "report")
        #expect(json["reason"]?.text == "deniedOperation" && json["deniedCall"]?["call"]?.text == "call0")
    }
}
