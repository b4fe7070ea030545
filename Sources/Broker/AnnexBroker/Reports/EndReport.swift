internal import AnnexBrokerAPI
internal import AnnexLinux
internal import AnnexModel
internal import AnnexPolicy
internal import AnnexRegistry
internal import Glibc

/// The report on an end, as a file. `Docs/Reference/Reports.md` lists the keys. `annex run --report` uses the same keys
/// for the same facts. A text that an extension can influence is bounded. Names and output are the true texts, because
/// JSON escapes them. Sentences, and calls with their arguments, have escaped names.
struct EndReport {
    static let version = 1

    let name: ReportName
    /// The JSON text; at most `ReportFolder.largest` bytes.
    let bytes: [UInt8]

    init(_ end: EndedExtension, at time: WallClock) {
        name = ReportName(end.identifier, at: time)
        var bytes: [UInt8] = []
        // An extension can make some lists long. These lists are cut until the report fits.
        for room in [Room.whole, .tight, .none] {
            bytes = Array((Self.json(end, at: time, room: room).written + "\n").utf8)
            if bytes.count <= ReportFolder.largest { break }
        }
        self.bytes = bytes
    }

    /// The most entries of each list in a report.
    struct Room {
        var denials: Int
        var frames: Int
        var lines: Int

        static let whole = Room(denials: 64, frames: 32, lines: 20)
        static let tight = Room(denials: 16, frames: 4, lines: 20)
        static let none = Room(denials: 0, frames: 0, lines: 4)
    }

    private static func json(_ end: EndedExtension, at time: WallClock, room: Room) -> JSON {
        let termination = end.termination
        let members: [JSON.Member] =
            [
                .init("version", value: .number(version)),
                .init("time", value: .text(time.text)),
                .init("identifier", value: .text(Escaped(end.identifier).plain)),
                .init("instance", value: .text(Escaped("\(end.instance)", limit: 512).plain)),
                .init("policy", value: .text(Escaped(end.policy).plain)),
                .init("reason", value: .text(termination.reason.rawValue)),
                .init("detail", value: .text(termination.detail.description)),
                .init("isFailure", value: .boolean(termination.isFailure)),
            ] + termination.detail.members(room) + [
                .init("waitedSeconds", value: .time(end.waited, in: .seconds(1))),
                .init("lifetimeSeconds", value: .time(end.lifetime, in: .seconds(1))),
                .init("broker", value: .number(Int(getpid()))),
            ] + termination.usage.members + [
                .init("lastOutput", value: .texts(termination.lastOutput.suffix(room.lines).map(\.plain))),
                .init("denials", value: .list(termination.denials.prefix(room.denials).map { $0.json(room) })),
                .init("limits", value: .list(end.limits.map(\.json))),
            ] + (end.launch?.members ?? [])
        return .object(members)
    }
}

extension Termination.Detail {
    /// The parts of the detail as separate members, for programs that read the report.
    fileprivate func members(_ room: EndReport.Room) -> [JSON.Member] {
        switch self {
        case .none: []
        case .exitCode(let code): [.init("exitCode", value: .number(Int(code)))]
        case .signal(let signal):
            [
                .init("signal", value: .number(Int(signal.number))), .init("signalName", value: .text(signal.name)),
                .init("message", value: .optional(signal.message?.plain)),
                .init("backtrace", value: .texts(signal.backtrace.prefix(room.frames).map(\.plain))),
            ]
        case .limit(let text): [.init("limit", value: .text(text))]
        case .deniedCall(let call): [.init("deniedCall", value: call.json(room))]
        case .violation(let text): [.init("violation", value: .text(text.description))]
        case .step(let step):
            [
                .init("failedStep", value: .text(step.name)), .init("cause", value: .text(step.cause)),
                .init("remedy", value: .optional(step.remedy)),
            ]
        case .error(let error):
            [
                .init("errorCode", value: .numeral("\(error.code)")),
                .init("errorDomain", value: .text(Escaped(error.domain).plain)),
                .init("errorText", value: .text(Escaped(error.localizedDescription).plain)),
            ]
        }
    }
}

extension DeniedCall {
    fileprivate func json(_ room: EndReport.Room) -> JSON {
        .object([
            .init("call", value: .text(name)), .init("arguments", value: .texts(arguments.map(\.description))),
            .init("layer", value: .text(layer)), .init("remedy", value: .optional(remedy)),
            .init("count", value: .number(count)),
            .init("backtrace", value: .texts(backtrace.prefix(room.frames).map(\.plain))),
        ])
    }
}

extension Usage {
    fileprivate var members: [JSON.Member] {
        [
            .init("peakMemory", value: peakMemory.map { .numeral("\($0)") } ?? .null),
            .init("userSeconds", value: userTime.map { .time($0, in: .seconds(1)) } ?? .null),
            .init("systemSeconds", value: systemTime.map { .time($0, in: .seconds(1)) } ?? .null),
            .init("messages", value: messages?.json ?? .null),
            .init("denialCount", value: .number(denials)),
        ]
    }
}

extension SessionStatistics {
    fileprivate var json: JSON {
        .object([
            .init("sent", value: .numeral("\(messagesSent)")),
            .init("received", value: .numeral("\(messagesReceived)")),
            .init("bytesSent", value: .numeral("\(bytesSent)")),
            .init("bytesReceived", value: .numeral("\(bytesReceived)")),
        ])
    }
}

extension LaunchReport.Limit {
    fileprivate var json: JSON {
        .object([
            .init("name", value: .text(name)), .init("bound", value: .text(bound)),
            .init("enforcement", value: .text(enforcement.rawValue)),
            .init("keeper", value: .text(keeper)),
        ])
    }
}

extension LaunchReport {
    fileprivate var members: [JSON.Member] {
        [
            .init("layers", value: .texts(layers)),
            .init(
                "waived",
                value: .list(
                    waived.map { waiver in
                        .object([
                            .init("layer", value: .text(waiver.layer.rawValue)),
                            .init("cause", value: .text(waiver.cause)),
                            .init("remedy", value: .optional(waiver.remedy)),
                        ])
                    })),
            .init(
                "steps",
                value: .list(
                    steps.map { step in
                        .object([
                            .init("name", value: .text(step.name)),
                            .init("microseconds", value: .time(step.duration, in: .microseconds(1))),
                        ])
                    })),
        ]
    }
}
