internal import AnnexLinux

/// One entry of `network: hosts`: machines to which a program may connect.
public struct HostRule: Sendable, Hashable {
    /// The machines.
    public enum Target: Sendable, Hashable {
        /// The machine of this name.
        case name(HostName)
        /// All machines whose names end with a dot and this name.
        case below(HostName)
        /// The machine at an address, of 4 or 16 bytes.
        case address([UInt8])
    }

    public let target: Target
    /// The TCP port; nil for all ports.
    public let port: UInt16?

    public init(_ target: Target, port: UInt16?) {
        self.target = target
        self.port = port
    }

    /// Whether the rule allows connections to a machine of this name.
    /// - Parameters:
    ///   - name: the machine's name.
    ///   - port: nil to ask whether there is any port.
    public func allows(_ name: HostName, port: UInt16? = nil) -> Bool {
        switch target {
        case .name(let own): own == name && allows(port)
        case .below(let suffix): name.isBelow(suffix) && allows(port)
        case .address: false
        }
    }

    /// Whether the rule names the address itself.
    package func allows(address: [UInt8], port: UInt16) -> Bool { target == .address(address) && allows(port) }

    private func allows(_ asked: UInt16?) -> Bool { port == nil || asked == nil || port == asked }
}

extension HostRule {
    /// Reads a rule as policies and `--allow-host` state it: `NAME`, `*.NAME`, `ADDRESS` or `[ADDRESS]`, and `:PORT`
    /// behind it. For example `code.example.org:443`.
    /// - Throws: the mistake, and what to write instead.
    public init(_ text: String) throws(PolicyError) {
        if let mistake = Self.mistake(in: text) { throw PolicyError(mistake) }
        let (host, digits) = Self.parts(of: text)
        port = try digits.map { digits throws(PolicyError) in try Self.port(digits, of: text) }
        if let address = HostAddress.bytes(of: host) {
            if let barrier = HostAddress.barrier(before: address) {
                throw PolicyError("`\(Escaped(text))`: \(barrier)")
            }
            target = .address(address)
        } else if host.hasPrefix("*.") {
            target = .below(try HostName(String(host.dropFirst(2))))
        } else {
            let name = try HostName(host)
            // The C library takes such a name for an address: `1.2.3`, `0x7f000001`.
            if HostAddress.isNumber(name.text) {
                throw PolicyError("`\(Escaped(text))` is neither a host name nor an address")
            }
            if name.text == "localhost" || name.text.hasSuffix(".localhost") {
                throw PolicyError("`\(Escaped(text))`: \(HostAddress.own)")
            }
            target = .name(name)
        }
    }

    private static func mistake(in text: String) -> String? {
        let shown = "`\(Escaped(text, limit: 200))`"
        if text.isEmpty { return "a host is empty: name one, for example `code.example.org:443`" }
        if let range = text.firstRange(of: "://") {
            let host = text[range.upperBound...].prefix { $0 != "/" }
            return "\(shown) is a URL: name its host alone, `\(Escaped(String(host), limit: 200))`"
        }
        if text.contains("/") { return "\(shown) has a `/`: name a host or one address, and no path or range" }
        if text == "*" || text.hasPrefix("*:") {
            return "`*` alone names every machine: name hosts, or allow the whole network (`--allow network`)"
        }
        if text.dropFirst().contains("*") || text.hasPrefix("*") && !text.hasPrefix("*.") {
            return "\(shown): a `*` stands for the first parts of a name only, as in `*.example.org`"
        }
        let rest = text.hasPrefix("[") ? text.firstIndex(of: "]").map { text[$0...].dropFirst() } : ""
        if rest == nil || rest?.isEmpty == false && rest?.first != ":" {
            return "\(shown): an address in brackets is closed by `]`, and a colon comes before the port"
        }
        return nil
    }

    /// The host, and the digits behind its colon. An address of IPv6 without brackets has more than one colon.
    package static func parts(of text: String) -> (host: String, digits: Substring?) {
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            let rest = text[text.index(after: end)...]
            return (String(text[text.index(after: text.startIndex)..<end]), rest.isEmpty ? nil : rest.dropFirst())
        }
        guard let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") else { return (text, nil) }
        return (String(text[..<colon]), text[text.index(after: colon)...])
    }

    private static func port(_ digits: Substring, of text: String) throws(PolicyError) -> UInt16 {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits), port > 0 else {
            throw PolicyError(
                "`\(Escaped(text, limit: 200))`: the port is a number from 1 to 65535, as in `code.example.org:443`")
        }
        return port
    }
}

extension HostRule: CustomStringConvertible {
    /// The rule as policies state it, for example `*.packages.example:443`.
    public var description: String { text { $0.text } }

    /// The rule for people, with the letters of other scripts in its names.
    public var words: String { text { $0.words } }

    private func text(_ name: (HostName) -> String) -> String {
        let end = port.map { ":\($0)" } ?? ""
        return switch target {
        case .name(let own): name(own) + end
        case .below(let suffix): "*." + name(suffix) + end
        case .address(let bytes): HostAddress.text(of: bytes, isBracketed: port != nil) + end
        }
    }
}

/// The machines of `network: hosts`, and how far the broker checks what a program says to them.
public struct HostRules: Sendable, Hashable {
    /// Where the broker compares the name that a TLS client calls (SNI) with the rules. A machine can have many names,
    /// and only that name says which of them is meant.
    public enum Check: String, Sendable, Hashable, CaseIterable {
        /// At the usual ports of TLS: 443 and 8443.
        case usual = "tls-ports"
        /// At all ports. Then every connection to a named machine must be one of TLS.
        case sni
        /// Nowhere.
        case none

        /// Whether the broker compares the name at a port.
        package func isForName(atPort port: UInt16) -> Bool {
            switch self {
            case .usual: port == 443 || port == 8443
            case .sni: true
            case .none: false
            }
        }
    }

    /// The most rules of one program.
    package static let most = 256

    public private(set) var list: [HostRule]
    public internal(set) var check: Check

    public init(_ list: [HostRule] = [], check: Check = .usual) {
        self.list = []
        self.check = check
        add(list)
    }

    /// Adds rules. A rule that is there already is not added again.
    mutating func add(_ rules: [HostRule]) {
        for rule in rules where !list.contains(rule) { list.append(rule) }
    }
}
