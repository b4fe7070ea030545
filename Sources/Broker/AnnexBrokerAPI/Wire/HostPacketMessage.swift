package import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import AnnexPortal

/// The wire form of a host's packet. A daemon trusts no field of it.
package struct HostPacketMessage: Message {
    package let packet: HostPacket

    package init(_ packet: HostPacket) {
        self.packet = packet
    }

    private enum Tag {
        static let kind: UInt16 = 1
        static let number: UInt16 = 2
        static let text: UInt16 = 3
        static let flag: UInt16 = 4
        static let request: UInt16 = 5
        static let nanoseconds: UInt16 = 6
        static let claimed: UInt16 = 7
        static let purpose: UInt16 = 8
        static let counters: UInt16 = 9
        static let sent: UInt16 = 10
        static let received: UInt16 = 11
        static let bytesSent: UInt16 = 12
        static let bytesReceived: UInt16 = 13
        static let point: UInt16 = 14
        static let oldestVersion: UInt16 = 15
        static let app: UInt16 = 16
        static let version: UInt16 = 17
        static let entitlements: UInt16 = 18
        static let languages: UInt16 = 19
        static let offset: UInt16 = 20
        static let origin: UInt16 = 21
        static let hosts: UInt16 = 22
    }

    fileprivate enum Kind: UInt8, FieldValue {
        case hello = 1
        case install, remove, setEnabled, list, terms, launch, claim, trust, pin, setGranted, installGranting
        case listTranslated, icon, attributes, typeDeclarations, open, transfer, setGrantedHosts
        case saidHello = 32
        case requestBegan, overstayed, gaveSign, activityBegan, activityEnded, violated, channelClosed, dismissed,
            parked
        case requestEnded, pingPassedOn, userActed, answered
        /// The same value as `PortalHello.kind`.
        case portal = 64
    }

    // MARK: Writing

    package func encode(into encoder: inout MessageEncoder) {
        switch packet {
        case .hello(let versions):
            head(.hello, number: versions.upperBound, into: &encoder)
            encoder.encode(versions.lowerBound, as: Tag.oldestVersion)
        case .portal(let app):
            PortalHello(app: app).encode(into: &encoder)
        case .request(let number, let request): encode(request, number: number, into: &encoder)
        case .notice(let number, let notice, let counts):
            encode(notice, number: number, into: &encoder)
            encode(counts, into: &encoder)
        }
    }

    private func head(_ kind: Kind, number: UInt64, into encoder: inout MessageEncoder) {
        encoder.encode(kind, as: Tag.kind)
        encoder.encode(number, as: Tag.number)
    }

    private func encode(_ request: ServiceRequest, number: UInt64, into encoder: inout MessageEncoder) {
        func named(_ kind: Kind, text: String) {
            head(kind, number: number, into: &encoder)
            encoder.encode(text, as: Tag.text)
        }
        switch request {
        case .install(let name, let granting):
            // If a packet was cut short, it must not be read as another request. So an installation with grants has its
            // own kind.
            named(granting.isEmpty ? .install : .installGranting, text: name)
            if !granting.isEmpty { encoder.encode(granting.joined(separator: " "), as: Tag.entitlements) }
        case .uninstall(let app): named(.remove, text: app)
        case .setEnabled(let isEnabled, let identifier):
            named(.setEnabled, text: identifier)
            encoder.encode(isEnabled, as: Tag.flag)
        case .setGranted(let isGranted, let entitlements, let hosts, let identifier):
            // A daemon that knows no machines must not read this as a grant for all of them. So such a grant has its own
            // kind.
            named(hosts.isEmpty ? .setGranted : .setGrantedHosts, text: identifier)
            encoder.encode(isGranted, as: Tag.flag)
            encoder.encode(entitlements.joined(separator: " "), as: Tag.entitlements)
            if !hosts.isEmpty { encoder.encode(hosts.joined(separator: " "), as: Tag.hosts) }
        case .pin(let app, let version):
            named(.pin, text: app)
            encoder.encode(version ?? "", as: Tag.version)
        case .trust(let key, let app):
            named(.trust, text: key)
            // This field is always sent. Otherwise a packet that was cut short could be read as another request.
            encoder.encode(app ?? "", as: Tag.app)
        case .list(let last, let withDisabled, let languages):
            named(languages == nil ? .list : .listTranslated, text: last)
            encoder.encode(withDisabled, as: Tag.flag)
            if let languages { encoder.encode(languages.joined(separator: " "), as: Tag.languages) }
        case .icon(let identifier, let offset):
            named(.icon, text: identifier)
            encoder.encode(offset, as: Tag.offset)
        case .attributes(let identifier): named(.attributes, text: identifier)
        case .typeDeclarations(let identifier): named(.typeDeclarations, text: identifier)
        case .open(let url): named(.open, text: url)
        case .transfer(let request):
            named(.transfer, text: request.word)
            encoder.encode(request.number, as: Tag.request)
            encoder.encode(request.receipt, as: Tag.app)
        case .terms(let identifier): named(.terms, text: identifier)
        case .claim(let launched):
            head(.claim, number: number, into: &encoder)
            encoder.encode(launched, as: Tag.claimed)
        case .launch(let identifier, let point, let purpose, let limit, let origin, let counters):
            named(.launch, text: identifier)
            encoder.encode(point, as: Tag.point)
            encoder.encode(limit?.wireNanoseconds, as: Tag.nanoseconds)
            encoder.encode(purpose, as: Tag.purpose)
            // The last field is always sent. So a packet that was cut short never loses only an optional field.
            encoder.encode(origin, as: Tag.origin)
            encoder.encode(counters, as: Tag.counters)
        }
    }

    private func encode(_ notice: ExtensionNotice, number: UInt64, into encoder: inout MessageEncoder) {
        head(Kind(notice), number: number, into: &encoder)
        switch notice {
        case .requestBegan(let request), .requestEnded(let request): encoder.encode(request, as: Tag.request)
        case .activityBegan(let reason): encoder.encode(reason, as: Tag.text)
        case .violated(let violation):
            encoder.encode(violation.text, as: Tag.text)
            encoder.encode(violation.isBudget, as: Tag.flag)
        case .dismissed(let dismissal): encoder.encode(dismissal, as: Tag.flag)
        case .saidHello, .answered, .overstayed, .gaveSign, .pingPassedOn, .activityEnded, .userActed, .channelClosed,
            .parked:
            break
        }
    }

    private func encode(_ counts: SessionStatistics, into encoder: inout MessageEncoder) {
        encoder.encode(counts.messagesSent, as: Tag.sent)
        encoder.encode(counts.messagesReceived, as: Tag.received)
        encoder.encode(counts.bytesSent, as: Tag.bytesSent)
        encoder.encode(counts.bytesReceived, as: Tag.bytesReceived)
    }

    // MARK: Reading

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let kind = try decoder.decode(Tag.kind, as: Kind.self)
        let number = try decoder.decode(Tag.number, as: UInt64.self)
        switch kind {
        case .hello:
            // A host of version 3 supports only that version, and sends only one number.
            let oldest = try decoder.decodeIfPresent(Tag.oldestVersion, as: UInt64.self) ?? number
            guard oldest <= number else {
                throw decoder.failure(Tag.oldestVersion, reason: .rejected("is higher than the newest version"))
            }
            packet = .hello(versions: ClosedRange(uncheckedBounds: (oldest, number)))
        case .portal: packet = .portal(app: try Self.text(&decoder))
        default:
            if let request = try Self.request(kind, from: &decoder) {
                packet = .request(number, request)
            } else {
                packet = .notice(number, try Self.notice(kind, from: &decoder), counts: try Self.counts(&decoder))
            }
        }
    }

    /// - Returns: nil if `kind` is not a kind of request.
    private static func request(
        _ kind: Kind, from decoder: inout MessageDecoder
    ) throws(DecodingFailure) -> ServiceRequest? {
        switch kind {
        case .install: return .install(name: try text(&decoder))
        case .installGranting:
            let name = try text(&decoder)
            return .install(name: name, granting: try entitlements(&decoder))
        case .remove: return .uninstall(app: try text(&decoder))
        case .setEnabled:
            let identifier = try text(&decoder)
            return .setEnabled(try decoder.decode(Tag.flag), extension: identifier)
        case .setGranted:
            let identifier = try text(&decoder)
            let isGranted = try decoder.decode(Tag.flag, as: Bool.self)
            return .setGranted(isGranted, entitlements: try entitlements(&decoder), extension: identifier)
        case .setGrantedHosts:
            let identifier = try text(&decoder)
            let isGranted = try decoder.decode(Tag.flag, as: Bool.self)
            let entitlements = try entitlements(&decoder)
            return .setGranted(
                isGranted, entitlements: entitlements, hosts: try hosts(&decoder), extension: identifier)
        case .pin:
            let app = try text(&decoder)
            let version = try decoder.decode(Tag.version, as: String.self)
            return .pin(app: app, version: version.isEmpty ? nil : version)
        case .trust:
            let key = try text(&decoder)
            let app = try decoder.decode(Tag.app, as: String.self)
            return .trust(key: key, app: app.isEmpty ? nil : app)
        case .list:
            let last = try text(&decoder)
            return .list(after: last, withDisabled: try decoder.decode(Tag.flag))
        case .listTranslated:
            let last = try text(&decoder)
            let withDisabled = try decoder.decode(Tag.flag, as: Bool.self)
            return .list(after: last, withDisabled: withDisabled, languages: try languages(&decoder))
        case .icon:
            let identifier = try text(&decoder)
            return .icon(extension: identifier, from: try decoder.decode(Tag.offset))
        case .attributes: return .attributes(extension: try text(&decoder))
        case .typeDeclarations: return .typeDeclarations(extension: try text(&decoder))
        case .open: return .open(url: try text(&decoder))
        case .transfer: return try transfer(from: &decoder)
        case .terms: return .terms(extension: try text(&decoder))
        case .claim: return .claim(try decoder.decode(Tag.claimed))
        case .launch: return try launch(from: &decoder)
        default: return nil
        }
    }

    private static func transfer(from decoder: inout MessageDecoder) throws(DecodingFailure) -> ServiceRequest {
        let word = try text(&decoder)
        let number = try decoder.decode(Tag.request, as: UInt64.self)
        let receipt = try decoder.decode(Tag.app, as: String.self)
        guard let request = TransferRequest(word: word, number: number, receipt: receipt) else {
            throw decoder.failure(Tag.text, reason: .rejected("is no request about transfers"))
        }
        return .transfer(request)
    }

    private static func launch(from decoder: inout MessageDecoder) throws(DecodingFailure) -> ServiceRequest {
        let identifier = try text(&decoder)
        let limit = try decoder.decodeIfPresent(Tag.nanoseconds, as: UInt64.self).map { Duration(wire: $0) }
        let purpose = try decoder.decode(Tag.purpose, as: LaunchPurpose.self)
        let counters = try decoder.decode(Tag.counters, as: UInt64.self)
        let point = try decoder.decodeIfPresent(Tag.point, as: String.self)
        return .launch(
            extension: identifier, as: point, for: purpose, timeLimit: limit, origin: try origin(&decoder),
            counters: counters)
    }

    private static func origin(_ decoder: inout MessageDecoder) throws(DecodingFailure) -> String? {
        let origin = try decoder.decodeIfPresent(Tag.origin, as: String.self)
        guard (origin?.utf8.count ?? 0) <= ServiceWire.longestOrigin else {
            throw decoder.failure(Tag.origin, reason: .tooLong(limit: ServiceWire.longestOrigin))
        }
        return origin
    }

    private static func notice(
        _ kind: Kind, from decoder: inout MessageDecoder
    ) throws(DecodingFailure) -> ExtensionNotice {
        switch kind {
        case .saidHello: return .saidHello
        case .requestBegan: return .requestBegan(try decoder.decode(Tag.request))
        case .requestEnded: return .requestEnded(try decoder.decode(Tag.request))
        case .answered: return .answered
        case .overstayed: return .overstayed
        case .gaveSign: return .gaveSign
        case .pingPassedOn: return .pingPassedOn
        case .activityBegan: return .activityBegan(try text(&decoder))
        case .activityEnded: return .activityEnded
        case .userActed: return .userActed
        case .violated:
            let text = try text(&decoder)
            return .violated(ProtocolViolation(text, isBudget: try decoder.decode(Tag.flag)))
        case .channelClosed: return .channelClosed
        case .dismissed: return .dismissed(try decoder.decode(Tag.flag))
        case .parked: return .parked
        case .hello, .install, .remove, .setEnabled, .trust, .list, .terms, .launch, .claim, .pin, .setGranted,
            .installGranting, .setGrantedHosts, .listTranslated, .icon, .attributes, .typeDeclarations, .open,
            .transfer, .portal:
            throw decoder.failure(Tag.kind, reason: .rejected("is not a kind of notice"))
        }
    }

    private static func counts(_ decoder: inout MessageDecoder) throws(DecodingFailure) -> SessionStatistics {
        let sent = try decoder.decode(Tag.sent, as: UInt64.self)
        let received = try decoder.decode(Tag.received, as: UInt64.self)
        let bytesSent = try decoder.decode(Tag.bytesSent, as: UInt64.self)
        return SessionStatistics(
            messagesSent: sent, messagesReceived: received, bytesSent: bytesSent,
            bytesReceived: try decoder.decode(Tag.bytesReceived))
    }

    private static func entitlements(_ decoder: inout MessageDecoder) throws(DecodingFailure) -> [String] {
        try words(Tag.entitlements, most: ServiceWire.mostEntitlements, from: &decoder)
    }

    private static func hosts(_ decoder: inout MessageDecoder) throws(DecodingFailure) -> [String] {
        let hosts = try words(Tag.hosts, most: ServiceWire.mostHosts, from: &decoder)
        guard !hosts.isEmpty else { throw decoder.failure(Tag.hosts, reason: .rejected("names no machine")) }
        return hosts
    }

    private static func languages(_ decoder: inout MessageDecoder) throws(DecodingFailure) -> [String] {
        try words(Tag.languages, most: ServiceWire.mostLanguages, from: &decoder)
    }

    /// Reads a text in which spaces separate names. No name contains a space.
    private static func words(
        _ tag: UInt16, most: Int, from decoder: inout MessageDecoder
    ) throws(DecodingFailure) -> [String] {
        let text = try decoder.decode(tag, as: String.self)
        let names = text.split(separator: " ").map(String.init)
        guard text.utf8.count <= ServiceWire.longestText, names.count <= most else {
            throw decoder.failure(tag, reason: .tooLong(limit: ServiceWire.longestText))
        }
        return names
    }

    private static func text(_ decoder: inout MessageDecoder) throws(DecodingFailure) -> String {
        let text = try decoder.decode(Tag.text, as: String.self)
        guard text.utf8.count <= ServiceWire.longestText else {
            throw decoder.failure(Tag.text, reason: .tooLong(limit: ServiceWire.longestText))
        }
        return text
    }
}

extension HostPacketMessage.Kind {
    fileprivate init(_ notice: ExtensionNotice) {
        self =
            switch notice {
            case .saidHello: .saidHello
            case .requestBegan: .requestBegan
            case .requestEnded: .requestEnded
            case .answered: .answered
            case .overstayed: .overstayed
            case .gaveSign: .gaveSign
            case .pingPassedOn: .pingPassedOn
            case .activityBegan: .activityBegan
            case .activityEnded: .activityEnded
            case .userActed: .userActed
            case .violated: .violated
            case .channelClosed: .channelClosed
            case .dismissed: .dismissed
            case .parked: .parked
            }
    }
}

extension Duration {
    /// The duration in whole nanoseconds, clamped to the range of the field. A negative duration becomes 0.
    var wireNanoseconds: UInt64 { MonotonicClock.nanoseconds(self) }

    init(wire nanoseconds: UInt64) {
        self = .nanoseconds(Int64(clamping: nanoseconds))
    }
}
