internal import AnnexChannel
package import AnnexModel

/// The wire form of an installed extension.
struct InstalledExtensionMessage: Message {
    let value: InstalledExtension

    init(_ value: InstalledExtension) {
        self.value = value
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(value.id, as: 1)
        encoder.encode(value.displayName, as: 2)
        encoder.encode(value.extensionPoint, as: 3)
        encoder.encode(value.containingApp, as: 4)
        encoder.encode(value.isEnabled, as: 5)
        encoder.encode(value.rejection.map(BrokerErrorMessage.init), as: 6)
        encoder.encode(value.team.map(SigningTeamMessage.init), as: 7)
        encoder.encode(value.build.version, as: 8)
        encoder.encode(value.build.digest, as: 9)
        encoder.encode(value.build.isPinned, as: 10)
        encoder.encode(list: value.build.otherVersions, as: 11)
        encoder.encode(list: value.entitlements.map(EntitlementMessage.init), as: 12)
        encoder.encode(value.summary, as: 13)
        encoder.encode(list: value.endedGrants, as: 14)
        encoder.encode(value.surfaces.rawValue, as: 15)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let id = try decoder.decode(1, as: String.self)
        let name = try decoder.decode(2, as: String.self)
        let point = try decoder.decode(3, as: String.self)
        let app = try decoder.decode(4, as: String.self)
        let isEnabled = try decoder.decode(5, as: Bool.self)
        let rejection = try decoder.decodeIfPresent(6, as: BrokerErrorMessage.self)?.value
        let team = try decoder.decodeIfPresent(7, as: SigningTeamMessage.self)?.value
        var value = InstalledExtension(
            id: id, displayName: name, extensionPoint: point, containingApp: app, isEnabled: isEnabled,
            rejection: rejection, build: try Self.build(from: &decoder))
        value.team = team
        // A daemon of wire version 7 does not send entitlements.
        value.entitlements = try decoder.decodeList(12, of: EntitlementMessage.self).map(\.value)
        value.summary = try decoder.decodeIfPresent(13, as: String.self)
        value.endedGrants = try decoder.decodeList(14)
        // A newer daemon may know further surfaces.
        let surfaces = WidgetSurfaces(rawValue: try decoder.decodeIfPresent(15) ?? 0)
        value.surfaces = surfaces.intersection(.all)
        self.value = value
    }

    /// A daemon of wire version 6 does not send these fields.
    private static func build(
        from decoder: inout MessageDecoder
    ) throws(DecodingFailure) -> InstalledExtension.Build {
        guard let version = try decoder.decodeIfPresent(8, as: String.self) else { return InstalledExtension.Build() }
        let digest = try decoder.decodeIfPresent(9, as: String.self)
        let isPinned = try decoder.decode(10, as: Bool.self)
        return InstalledExtension.Build(
            version: version, digest: digest, isPinned: isPinned, otherVersions: try decoder.decodeList(11))
    }
}

/// The wire form of an extension's entitlement.
private struct EntitlementMessage: Message {
    let value: InstalledExtension.Entitlement

    init(_ value: InstalledExtension.Entitlement) {
        self.value = value
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(value.name, as: 1)
        encoder.encode(value.isAllowed, as: 2)
        encoder.encode(value.isGranted, as: 3)
        encoder.encode(list: value.hosts, as: 4)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let name = try decoder.decode(1, as: String.self)
        let isAllowed = try decoder.decode(2, as: Bool.self)
        let isGranted = try decoder.decode(3, as: Bool.self)
        // A daemon of wire version 14 does not send machines.
        value = InstalledExtension.Entitlement(
            name: name, isAllowed: isAllowed, isGranted: isGranted, hosts: try decoder.decodeList(4))
    }
}

/// The wire form of a team that signed an app.
struct SigningTeamMessage: Message {
    let value: SigningTeam

    init(_ value: SigningTeam) {
        self.value = value
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(value.name, as: 1)
        encoder.encode(value.identifier, as: 2)
        encoder.encode(value.publicKey, as: 3)
        encoder.encode(value.isTrusted, as: 4)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let name = try decoder.decode(1, as: String.self)
        let identifier = try decoder.decode(2, as: String.self)
        let key = try decoder.decode(3, as: String.self)
        value = SigningTeam(
            name: name, identifier: identifier, publicKey: key, isTrusted: try decoder.decode(4, as: Bool.self))
    }
}

/// The wire form of the limits that a policy sets for a host. The host chooses every other setting of the channel.
struct SessionTermsMessage: Message {
    let value: SessionTerms

    init(_ value: SessionTerms) {
        self.value = value
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(value.channel.hostCapacity, as: 1)
        encoder.encode(value.channel.extensionCapacity, as: 2)
        encoder.encode(UInt64(clamping: value.channel.mostOpenCalls), as: 3)
        encoder.encode(value.channel.framesPerSecond, as: 4)
        encoder.encode(value.channel.controlMessagesPerSecond, as: 5)
        if let limit = value.channel.callLimit { encoder.encode(limit.wireNanoseconds, as: 6) }
        encoder.encode(value.keepAlive.wireNanoseconds, as: 7)
        encoder.encode(value.channel.hostArena, as: 8)
        encoder.encode(value.channel.extensionArena, as: 9)
        encoder.encode(value.channel.largestMessage, as: 10)
        encoder.encode(value.channel.unreadLimit.wireNanoseconds, as: 11)
        if value.hasPrivateInput { encoder.encode(true, as: 12) }
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        var value = SessionTerms()
        value.channel.hostCapacity = try decoder.decode(1)
        value.channel.extensionCapacity = try decoder.decode(2)
        value.channel.mostOpenCalls = Int(clamping: try decoder.decode(3, as: UInt64.self))
        value.channel.framesPerSecond = try decoder.decode(4)
        value.channel.controlMessagesPerSecond = try decoder.decode(5)
        value.channel.callLimit = try decoder.decodeIfPresent(6, as: UInt64.self).map { Duration(wire: $0) }
        value.keepAlive = Duration(wire: try decoder.decode(7))
        try Self.readSizes(&value.channel, from: &decoder)
        value.hasPrivateInput = try decoder.decodeIfPresent(12) ?? false
        self.value = value
    }

    /// A daemon of wire version 3 does not send these fields. In that case, the library's defaults apply.
    private static func readSizes(
        _ channel: inout ChannelConfiguration, from decoder: inout MessageDecoder
    ) throws(DecodingFailure) {
        if let size = try decoder.decodeIfPresent(8, as: UInt32.self) { channel.hostArena = size }
        if let size = try decoder.decodeIfPresent(9, as: UInt32.self) { channel.extensionArena = size }
        if let size = try decoder.decodeIfPresent(10, as: UInt32.self) { channel.largestMessage = size }
        if let limit = try decoder.decodeIfPresent(11, as: UInt64.self) { channel.unreadLimit = Duration(wire: limit) }
    }
}

extension ServiceWire {
    /// Whether the attributes of an extension fit in a daemon's packet.
    package static func carries(attributes: [String: ItemValue]) -> Bool {
        guard let bytes = try? DaemonPacket.answer(.max, .attributes(attributes)).encoded() else { return false }
        return (try? DaemonPacketMessage(decoding: bytes, within: fromDaemon)) != nil
    }
}

/// The wire form of a `BrokerError`.
struct BrokerErrorMessage: Message {
    let value: BrokerError

    init(_ value: BrokerError) {
        self.value = value
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(value.code.rawValue, as: 1)
        encoder.encode(value.what, as: 2)
        encoder.encode(value.place, as: 3)
        encoder.encode(value.remedy, as: 4)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        // A newer daemon may send a code that this host does not know.
        let code = BrokerError.Code(rawValue: try decoder.decode(1, as: String.self)) ?? .system
        let what = try decoder.decode(2, as: String.self)
        value = BrokerError(
            code, what: what, place: try decoder.decode(3, as: String.self),
            remedy: try decoder.decodeIfPresent(4, as: String.self))
    }
}
