internal import AnnexNames
internal import AnnexPolicy
internal import AnnexTransferWire

/// The machine and the port that a transfer reaches.
struct TransferPlace: Sendable, Hashable {
    let host: HostRefusal.Host
    let port: UInt16

    /// - Returns: nil if the text is neither the name of a machine nor an address.
    init?(host: String, port: UInt16) {
        if let bytes = HostAddress.bytes(of: host) {
            self.host = .address(bytes)
        } else if let name = try? HostName(host) {
            self.host = .name(name)
        } else {
            return nil
        }
        self.port = port
    }

    /// The place that the agent asks for first if it gets this URL. The agent reads the URL by itself. So this place is
    /// for early answers only, and each question of the agent is checked anew.
    /// - Returns: nil if the URL names no machine, or names it in a way that rules cannot state.
    init?(url: String) {
        guard let mark = url.firstRange(of: "://") else { return nil }
        let usual: UInt16
        switch url[..<mark.lowerBound].lowercased() {
        case "https": usual = 443
        case "http": usual = 80
        default: return nil
        }
        let place = url[mark.upperBound...].prefix { !"/?#".contains($0) }
        guard !place.contains("@") else { return nil }
        let (host, digits) = HostRule.parts(of: place.lowercased())
        let plain = host.hasSuffix(".") ? String(host.dropLast()) : host
        guard TransferQuestion.isHost(plain) else { return nil }
        guard let digits, !digits.isEmpty else {
            self.init(host: plain, port: usual)
            return
        }
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits), port > 0 else {
            return nil
        }
        self.init(host: plain, port: port)
    }

    func isNamed(by rules: [HostRule]) -> Bool {
        rules.contains { rule in
            switch host {
            case .name(let name): rule.allows(name, port: port)
            case .address(let bytes): rule.allows(address: bytes, port: port)
            }
        }
    }

    /// The rule that names the place alone.
    var rule: HostRule {
        switch host {
        case .name(let name): HostRule(.name(name), port: port)
        case .address(let bytes): HostRule(.address(bytes), port: port)
        }
    }
}
