internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel

/// The wire form of an end. It lacks the counts of the channel, because the host counts those itself.
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
            throw decoder.failure(1, .refused("is no known reason"))
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
