internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel

/// The wire form of an extension's end. It lacks the counts of the channel, because the host itself counts the
/// channel's messages and bytes.
struct TerminationMessage: Message {
    let value: Termination

    init(_ value: Termination) {
        self.value = value
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(value.reason.rawValue, as: 1)
        encoder.encode(TerminationDetailMessage(value.detail), as: 2)
        encoder.encode(value.usage.peakMemory, as: 3)
        encoder.encode(value.usage.userTime?.wireNanoseconds, as: 4)
        encoder.encode(value.usage.systemTime?.wireNanoseconds, as: 5)
        encoder.encode(list: value.lastOutput.map(\.description), as: 6)
        encoder.encode(list: value.denials.map(DeniedCallMessage.init), as: 7)
        encoder.encode(UInt64(clamping: value.usage.denials), as: 8)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        guard let reason = Termination.Reason(rawValue: try decoder.decode(1, as: String.self)) else {
            throw decoder.failure(1, reason: .rejected("is no known reason"))
        }
        let detail = try decoder.decode(2, as: TerminationDetailMessage.self)
        let memory = try decoder.decodeIfPresent(3, as: UInt64.self)
        let user = try decoder.decodeIfPresent(4, as: UInt64.self)
        let system = try decoder.decodeIfPresent(5, as: UInt64.self)
        let output = try decoder.decodeList(6, of: String.self)
        value = Termination(
            reason, detail: detail.value,
            usage: Usage(
                peakMemory: memory, userTime: user.map { Duration(wire: $0) },
                systemTime: system.map { Duration(wire: $0) },
                denials: Int(clamping: try decoder.decodeIfPresent(8, as: UInt64.self) ?? 0)),
            lastOutput: output.map { Escaped(escapedBefore: $0) },
            denials: try decoder.decodeList(7, of: DeniedCallMessage.self).map(\.value))
    }
}

/// The wire form of the details of an extension's end.
struct TerminationDetailMessage: Message {
    let value: Termination.Detail

    init(_ value: Termination.Detail) {
        self.value = value
    }

    private enum Kind: UInt8, FieldValue {
        case none, exitCode, signal, limit, deniedCall, violation, step, error
    }

    private enum Tag {
        static let kind: UInt16 = 1
        static let number: UInt16 = 2
        static let text: UInt16 = 3
        static let call: UInt16 = 4
        static let cause: UInt16 = 5
        static let remedy: UInt16 = 6
        static let error: UInt16 = 7
        static let backtrace: UInt16 = 8
    }

    func encode(into encoder: inout MessageEncoder) {
        switch value {
        case .none: encoder.encode(Kind.none, as: Tag.kind)
        case .exitCode(let code):
            encoder.encode(Kind.exitCode, as: Tag.kind)
            encoder.encode(code, as: Tag.number)
        case .signal(let signal):
            encoder.encode(Kind.signal, as: Tag.kind)
            encoder.encode(signal.number, as: Tag.number)
            encoder.encode(signal.message?.description, as: Tag.text)
            encoder.encode(list: signal.backtrace.map(\.description), as: Tag.backtrace)
        case .limit(let text):
            encoder.encode(Kind.limit, as: Tag.kind)
            encoder.encode(text, as: Tag.text)
        case .deniedCall(let call):
            encoder.encode(Kind.deniedCall, as: Tag.kind)
            encoder.encode(DeniedCallMessage(call), as: Tag.call)
        case .violation(let text):
            encoder.encode(Kind.violation, as: Tag.kind)
            encoder.encode(text.description, as: Tag.text)
        case .step(let step):
            encoder.encode(Kind.step, as: Tag.kind)
            encoder.encode(step.name, as: Tag.text)
            encoder.encode(step.cause, as: Tag.cause)
            encoder.encode(step.remedy, as: Tag.remedy)
        case .error(let error):
            encoder.encode(Kind.error, as: Tag.kind)
            encoder.encode(error, as: Tag.error)
        }
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        switch try decoder.decode(Tag.kind, as: Kind.self) {
        case .none: value = .none
        case .exitCode: value = .exitCode(try decoder.decode(Tag.number))
        case .signal:
            let number = try decoder.decode(Tag.number, as: Int32.self)
            let text = try decoder.decodeIfPresent(Tag.text, as: String.self)
            let frames = try decoder.decodeList(Tag.backtrace, of: String.self)
            value = .signal(
                Signal(
                    number, message: text.map { Escaped(escapedBefore: $0) },
                    backtrace: frames.map { Escaped(escapedBefore: $0) }))
        case .limit: value = .limit(try decoder.decode(Tag.text))
        case .deniedCall: value = .deniedCall(try decoder.decode(Tag.call, as: DeniedCallMessage.self).value)
        case .violation: value = .violation(Escaped(escapedBefore: try decoder.decode(Tag.text)))
        case .step:
            let name = try decoder.decode(Tag.text, as: String.self)
            let cause = try decoder.decode(Tag.cause, as: String.self)
            value = .step(LaunchStep(name, cause: cause, remedy: try decoder.decodeIfPresent(Tag.remedy)))
        case .error: value = .error(try decoder.decode(Tag.error))
        }
    }
}

/// The wire form of a denied call.
struct DeniedCallMessage: Message {
    let value: DeniedCall

    init(_ value: DeniedCall) {
        self.value = value
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(value.name, as: 1)
        encoder.encode(list: value.arguments.map(\.description), as: 2)
        encoder.encode(value.layer, as: 3)
        encoder.encode(value.remedy, as: 4)
        encoder.encode(UInt64(clamping: value.count), as: 5)
        encoder.encode(list: value.backtrace.map(\.description), as: 6)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let name = try decoder.decode(1, as: String.self)
        let arguments = try decoder.decodeList(2, of: String.self)
        let layer = try decoder.decode(3, as: String.self)
        let line = try decoder.decodeIfPresent(4, as: String.self)
        let count = Int(clamping: try decoder.decode(5, as: UInt64.self))
        value = DeniedCall(
            name, arguments: arguments.map { Escaped(escapedBefore: $0) }, layer: layer, remedy: line,
            count: count, backtrace: try decoder.decodeList(6, of: String.self).map { Escaped(escapedBefore: $0) })
    }
}
