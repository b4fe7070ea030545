package import AnnexChannel
internal import AnnexModel

/// The wire form of a daemon's packet.
package struct DaemonPacketMessage: Message {
    package let packet: DaemonPacket

    package init(_ packet: DaemonPacket) {
        self.packet = packet
    }

    private enum Tag {
        static let kind: UInt16 = 1
        static let number: UInt16 = 2
        static let value: UInt16 = 3
        static let flag: UInt16 = 4
        static let window: UInt16 = 5
    }

    private enum Kind: UInt8, FieldValue {
        case welcome = 1
        case rejected, leaving, done, extensions, terms, claimed, failed, trusted, changed, icon, attributes, opened
        case ready = 32
        case ping, memoryWarning, goodbye, endIsNear, ended
    }

    // MARK: Writing

    package func encode(into encoder: inout MessageEncoder) {
        switch packet {
        case .welcome(let version, let window):
            encoder.encode(Kind.welcome, as: Tag.kind)
            // The last field is always sent. So a packet that was cut short never loses only the window.
            if window > 0 { encoder.encode(window, as: Tag.window) }
            encoder.encode(version, as: Tag.number)
        case .rejected(let error):
            head(.rejected, number: 0, into: &encoder)
            encoder.encode(BrokerErrorMessage(error), as: Tag.value)
        case .leaving: head(.leaving, number: 0, into: &encoder)
        case .changed(let number): head(.changed, number: number, into: &encoder)
        case .answer(let number, let answer): encode(answer, number: number, into: &encoder)
        case .event(let number, let event): encode(event, number: number, into: &encoder)
        }
    }

    private func head(_ kind: Kind, number: UInt64, into encoder: inout MessageEncoder) {
        encoder.encode(kind, as: Tag.kind)
        encoder.encode(number, as: Tag.number)
    }

    private func encode(_ answer: ServiceAnswer, number: UInt64, into encoder: inout MessageEncoder) {
        switch answer {
        case .done: head(.done, number: number, into: &encoder)
        case .extensions(let extensions, let isAll):
            head(.extensions, number: number, into: &encoder)
            encoder.encode(list: extensions.map(InstalledExtensionMessage.init), as: Tag.value)
            encoder.encode(isAll, as: Tag.flag)
        case .terms(let terms):
            head(.terms, number: number, into: &encoder)
            encoder.encode(SessionTermsMessage(terms), as: Tag.value)
        case .trusted(let team):
            head(.trusted, number: number, into: &encoder)
            encoder.encode(SigningTeamMessage(team), as: Tag.value)
        case .opened(let app):
            head(.opened, number: number, into: &encoder)
            encoder.encode(app, as: Tag.value)
        case .icon(let part):
            head(.icon, number: number, into: &encoder)
            // This flag is always sent. Without it, a truncated packet would look like the answer that there is no
            // icon.
            encoder.encode(part != nil, as: Tag.flag)
            encoder.encode(part.map(IconPartMessage.init), as: Tag.value)
        case .attributes(let values):
            head(.attributes, number: number, into: &encoder)
            encoder.encode(ItemDictionary(values: values), as: Tag.value)
        case .claimed(let isYours):
            head(.claimed, number: number, into: &encoder)
            encoder.encode(isYours, as: Tag.flag)
        case .failed(let error):
            head(.failed, number: number, into: &encoder)
            encoder.encode(BrokerErrorMessage(error), as: Tag.value)
        }
    }

    private func encode(_ event: ExtensionEvent, number: UInt64, into encoder: inout MessageEncoder) {
        switch event {
        case .ready(let report):
            head(.ready, number: number, into: &encoder)
            encoder.encode(LaunchReportMessage(report), as: Tag.value)
        case .ping: head(.ping, number: number, into: &encoder)
        case .memoryWarning: head(.memoryWarning, number: number, into: &encoder)
        case .goodbye: head(.goodbye, number: number, into: &encoder)
        case .endIsNear: head(.endIsNear, number: number, into: &encoder)
        case .ended(let termination):
            head(.ended, number: number, into: &encoder)
            encoder.encode(TerminationMessage(termination), as: Tag.value)
        }
    }

    // MARK: Reading

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let kind = try decoder.decode(Tag.kind, as: Kind.self)
        let number = try decoder.decode(Tag.number, as: UInt64.self)
        switch kind {
        case .welcome:
            packet = .welcome(version: number, window: try decoder.decodeIfPresent(Tag.window, as: UInt64.self) ?? 0)
        case .rejected: packet = .rejected(try Self.error(&decoder))
        case .leaving: packet = .leaving
        case .changed: packet = .changed(number)
        case .done: packet = .answer(number, .done)
        case .extensions:
            let list = try decoder.decodeList(Tag.value, of: InstalledExtensionMessage.self)
            packet = .answer(number, .extensions(list.map(\.value), isAll: try decoder.decode(Tag.flag)))
        case .terms:
            packet = .answer(number, .terms(try decoder.decode(Tag.value, as: SessionTermsMessage.self).value))
        case .trusted:
            packet = .answer(number, .trusted(try decoder.decode(Tag.value, as: SigningTeamMessage.self).value))
        case .opened: packet = .answer(number, .opened(app: try decoder.decode(Tag.value, as: String.self)))
        case .icon:
            let hasIcon = try decoder.decode(Tag.flag, as: Bool.self)
            let part = hasIcon ? try decoder.decode(Tag.value, as: IconPartMessage.self).value : nil
            packet = .answer(number, .icon(part))
        case .attributes:
            packet = .answer(number, .attributes(try decoder.decode(Tag.value, as: ItemDictionary.self).values))
        case .claimed: packet = .answer(number, .claimed(isYours: try decoder.decode(Tag.flag)))
        case .failed: packet = .answer(number, .failed(try Self.error(&decoder)))
        case .ready: packet = .event(number, .ready(try decoder.decode(Tag.value, as: LaunchReportMessage.self).value))
        case .ping: packet = .event(number, .ping)
        case .memoryWarning: packet = .event(number, .memoryWarning)
        case .goodbye: packet = .event(number, .goodbye)
        case .endIsNear: packet = .event(number, .endIsNear)
        case .ended: packet = .event(number, .ended(try decoder.decode(Tag.value, as: TerminationMessage.self).value))
        }
    }

    private static func error(_ decoder: inout MessageDecoder) throws(DecodingFailure) -> BrokerError {
        try decoder.decode(Tag.value, as: BrokerErrorMessage.self).value
    }
}

extension DaemonPacket {
    /// The bytes of the packet. If an extension's end does not fit in a packet, the end is sent with fewer details. The
    /// extension influences those details, and must not be able to break its host's connection by long details.
    package func encoded() throws(EncodingFailure) -> [UInt8] {
        guard case .event(let number, .ended(let termination)) = self else { return try packed() }
        for end in [termination, termination.shortened] {
            if let bytes = try? DaemonPacket.event(number, .ended(end)).packed() { return bytes }
        }
        return try DaemonPacket.event(number, .ended(termination.bare)).packed()
    }

    private func packed() throws(EncodingFailure) -> [UInt8] {
        try DaemonPacketMessage(self).encoded(within: ServiceWire.fromDaemon)
    }
}

extension Termination {
    fileprivate var shortened: Termination {
        Termination(
            reason, detail: detail, usage: usage, lastOutput: lastOutput.suffix(5),
            denials: denials.prefix(16).map {
                DeniedCall(
                    $0.name, arguments: $0.arguments, layer: $0.layer, remedy: $0.remedy, count: $0.count)
            })
    }

    fileprivate var bare: Termination {
        Termination(reason, detail: detail, usage: usage, lastOutput: lastOutput.suffix(5))
    }
}
