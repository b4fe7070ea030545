internal import AnnexBrokerAPI
internal import AnnexLinux
internal import AnnexModel
internal import AnnexPolicy
internal import Glibc

/// The report on an end, as a file. `Docs/Reference/Reports.md` lists the keys; `annex run --report` uses the same keys
/// for the same facts. Text that an extension can influence is escaped.
struct EndReport {
    static let version = 1

    let name: ReportName
    /// The JSON text; at most `ReportFolder.largest` bytes.
    let bytes: [UInt8]

    init(_ end: EndedExtension, at time: WallClock) {
        name = ReportName(end.identifier, at: time)
        var bytes: [UInt8] = []
        // Lists that an extension can make long are cut until the report fits.
        for room in [Room.whole, .tight, .none] {
            bytes = Array((Self.json(end, time, room).written + "\n").utf8)
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

    private static func json(_ end: EndedExtension, _ time: WallClock, _ room: Room) -> JSON {
        let termination = end.termination
        let members: [JSON.Member] =
            [
                .init("version", .number(version)),
                .init("time", .text(time.text)),
                .init("identifier", .text(Escaped(end.identifier).description)),
                .init("policy", .text(Escaped(end.policy).description)),
                .init("reason", .text(termination.reason.rawValue)),
                .init("detail", .text(termination.detail.description)),
                .init("isFailure", .boolean(termination.isFailure)),
            ] + termination.detail.members(room) + [
                .init("waitedSeconds", .time(end.waited, in: .seconds(1))),
                .init("lifetimeSeconds", .time(end.lifetime, in: .seconds(1))),
                .init("broker", .number(Int(getpid()))),
            ] + termination.usage.members + [
                .init("lastOutput", .texts(termination.lastOutput.suffix(room.lines).map(\.description))),
                .init("denials", .list(termination.denials.prefix(room.denials).map { $0.json(room) })),
                .init("limits", .list(end.limits.map(\.json))),
            ] + (end.launch?.members ?? [])
        return .object(members)
    }
}

extension Termination.Detail {
    /// The parts of the detail as separate members, for programs that read the report.
    fileprivate func members(_ room: EndReport.Room) -> [JSON.Member] {
        switch self {
        case .none: []
        case .exitCode(let code): [.init("exitCode", .number(Int(code)))]
        case .signal(let signal):
            [
                .init("signal", .number(Int(signal.number))), .init("signalName", .text(signal.name)),
                .init("message", .optional(signal.message?.description)),
                .init("backtrace", .texts(signal.backtrace.prefix(room.frames).map(\.description))),
            ]
        case .limit(let text): [.init("limit", .text(text))]
        case .deniedCall(let call): [.init("deniedCall", call.json(room))]
        case .violation(let text): [.init("violation", .text(text.description))]
        case .step(let step):
            [
                .init("failedStep", .text(step.name)), .init("cause", .text(step.cause)),
                .init("remedy", .optional(step.remedy)),
            ]
        case .error(let error):
            [
                .init("errorCode", .numeral("\(error.code)")),
                .init("errorDomain", .text(Escaped(error.domain).description)),
                .init("errorText", .text(Escaped(error.localizedDescription).description)),
            ]
        }
    }
}

extension DeniedCall {
    fileprivate func json(_ room: EndReport.Room) -> JSON {
        .object([
            .init("call", .text(name)), .init("arguments", .texts(arguments.map(\.description))),
            .init("layer", .text(layer)), .init("remedy", .optional(remedy)), .init("count", .number(count)),
            .init("backtrace", .texts(backtrace.prefix(room.frames).map(\.description))),
        ])
    }
}

extension Usage {
    fileprivate var members: [JSON.Member] {
        [
            .init("peakMemory", peakMemory.map { .numeral("\($0)") } ?? .null),
            .init("userSeconds", userTime.map { .time($0, in: .seconds(1)) } ?? .null),
            .init("systemSeconds", systemTime.map { .time($0, in: .seconds(1)) } ?? .null),
            .init("messages", messages?.json ?? .null),
            .init("denialCount", .number(denials)),
        ]
    }
}

extension SessionStatistics {
    fileprivate var json: JSON {
        .object([
            .init("sent", .numeral("\(messagesSent)")), .init("received", .numeral("\(messagesReceived)")),
            .init("bytesSent", .numeral("\(bytesSent)")), .init("bytesReceived", .numeral("\(bytesReceived)")),
        ])
    }
}

extension LaunchReport.Limit {
    fileprivate var json: JSON {
        .object([
            .init("name", .text(name)), .init("bound", .text(bound)), .init("enforcement", .text(enforcement.rawValue)),
            .init("keeper", .text(keeper)),
        ])
    }
}

extension LaunchReport {
    fileprivate var members: [JSON.Member] {
        [
            .init("layers", .texts(layers)),
            .init(
                "waived",
                .list(
                    waived.map { waiver in
                        .object([
                            .init("layer", .text(waiver.layer.rawValue)), .init("cause", .text(waiver.cause)),
                            .init("remedy", .optional(waiver.remedy)),
                        ])
                    })),
            .init(
                "steps",
                .list(
                    steps.map { step in
                        .object([
                            .init("name", .text(step.name)),
                            .init("microseconds", .time(step.duration, in: .microseconds(1))),
                        ])
                    })),
        ]
    }
}
