public import AnnexLinux
internal import AnnexPolicy

/// A denial in the form that JSON and logs use. Keys are never renamed or removed, but new keys may be added. Every
/// text that a sandboxed program can influence is escaped. In JSON, texts of the type `Escaped` are the true texts.
public struct DenialRecord: Codable, Sendable, Hashable {
    /// `call`, `path` or `host`.
    public let kind: String
    /// The call's name, for example `socket`.
    public let call: String
    /// The call with its arguments.
    public let text: String
    /// `denied`, `ended`, or, if the sandbox only reports, `passed`.
    public let answer: String
    /// The errno with which the call failed, for example `EPERM`. For `passed`, the errno with which it would have
    /// failed.
    public let errno: String?
    /// The layers that deny the call or path. Each layer would be sufficient by itself.
    public let layers: [String]
    /// The line of the policy that decides this denial.
    public let line: String?
    /// The reason that the policy states on that line.
    public let reason: String?
    /// The policy entry that would allow the call or path.
    public let remedy: Escaped?
    /// The option of `annex run` that would allow the path or the machine.
    public private(set) var option: Escaped?
    public let path: Escaped?
    /// The machine that the program asked for: its name or its address.
    public let host: String?
    /// The port of the refused connection.
    public let port: UInt16?
    /// `true` if the path is not UTF-8. Then JSON has the escaped form of the path, in which each backslash is doubled.
    public let isEscaped: Bool?
    /// The rights that the call needed: `read`, `write`, `execute`. Empty if the call only needed the path to exist.
    public let needs: [String]?
    /// The rights in `needs` that the policy does not grant.
    public let missing: [String]?
    public let process: UInt32?
    public let thread: UInt32
    public let executable: Escaped?
    /// `true` if mode `enforce` denies the call without a report, because programs work without this call.
    public let quiet: Bool?
    public let count: Int
    /// The times of the first and the last occurrence, in seconds since the start of the sandbox's listener.
    public let first: Double
    public let last: Double
    public let backtrace: [FrameRecord]?
    /// Why there is no backtrace.
    public let backtraceMissing: String?
}

/// A frame of a backtrace as JSON contains it.
public struct FrameRecord: Codable, Sendable, Hashable {
    /// The address in hexadecimal, with `0x`.
    public let address: String
    public let module: Escaped?
    public let offset: String?
    public let function: Escaped?
    /// The distance from the function's beginning in bytes.
    public let distance: UInt64?
    /// The function's name as the file spells it, if that differs from `function`.
    public let symbol: Escaped?
}

extension DenialRecord {
    public init(_ denial: Denial) {
        let path: DeniedPath? = if case .path(let path) = denial.subject { path } else { nil }
        let host: DeniedHost? = if case .host(let host) = denial.subject { host } else { nil }
        kind = path != nil ? "path" : host != nil ? "host" : "call"
        call = denial.call
        text = denial.text
        (answer, errno) = Self.answer(denial.answer)
        layers = denial.layers.map(\.rawValue)
        line = denial.policyLine
        reason = denial.reason
        remedy = denial.remedy?.text.map { Escaped($0, limit: 8_192) }
        option = (path?.option ?? host?.option).map { Escaped($0, limit: 8_192) }
        (self.host, port) = (host?.host, host?.port)
        self.path = path?.shown
        isEscaped = path?.shown.isUTF8 == false ? true : nil
        needs = path?.needed.words
        missing = path?.missing.words
        process = denial.caller.process
        thread = denial.caller.thread
        executable = denial.caller.executable
        quiet = denial.isQuiet ? true : nil
        count = denial.count
        first = denial.first.seconds
        last = denial.last.seconds
        backtrace = denial.backtrace.flatMap { $0.frames.isEmpty ? nil : $0.frames.map(FrameRecord.init) }
        backtraceMissing = denial.backtrace?.missing
    }

    /// The same record without an option, for readers that would apply it.
    package var withoutOption: DenialRecord {
        var record = self
        record.option = nil
        return record
    }

    private static func answer(_ answer: Denial.Answer) -> (String, String?) {
        switch answer {
        case .denied(let errno): ("denied", Errno.name(errno))
        case .ended: ("ended", nil)
        case .passed(let errno): ("passed", errno.map { Errno.name($0) })
        }
    }
}

extension FrameRecord {
    package init(_ frame: Backtrace.Frame) {
        address = "0x" + String(frame.address, radix: 16)
        module = frame.module
        offset = frame.offset.map { "0x" + String($0, radix: 16) }
        function = frame.function
        distance = frame.distance
        symbol = frame.symbol
    }
}

extension PathRights {
    fileprivate var words: [String] { each.map { String("\($0)".dropFirst().dropLast()) } }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
