package import AnnexPolicy

/// A machine that a program asked for, and to which it may not connect.
package struct HostRefusal: Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        /// No rule names the machine.
        case unnamed
        /// A rule names the machine, but with other ports.
        case port
        /// No rule names the address, and no lookup of the program had it as its answer.
        case unknownAddress
        /// The name leads to an address that names must not lead to.
        case barred(InternetAddress, InternetAddress.Barrier)
        /// The beginning of the connection does not name a machine of the rules.
        case greeting(Greeting)
    }

    /// What is wrong with the beginning of a connection.
    package enum Greeting: Sendable, Hashable {
        /// The TLS client calls another machine.
        case called(HostName)
        case unreadable(ClientHello.Refusal)
        case request(ProxyRequest.Refusal)
    }

    package enum Host: Sendable, Hashable {
        case name(HostName)
        case address([UInt8])
    }

    package let host: Host
    /// The port of the connection; nil if the program only asked for the addresses of the name.
    package let port: UInt16?
    package let reason: Reason

    package init(_ host: Host, port: UInt16? = nil, reason: Reason) {
        (self.host, self.port, self.reason) = (host, port, reason)
    }

    /// The rule that would allow it; nil if no rule may.
    package var rule: HostRule? {
        switch (host, reason) {
        case (.name(let name), .unnamed), (.name(let name), .port): HostRule(.name(name), port: port)
        case (.address, .greeting): nil
        case (.address(let bytes), _): HostRule(.address(bytes), port: port)
        // The rule would have to name the address, and the program would have to use it.
        case (.name, .barred(let address, let barrier)):
            barrier == .many ? nil : HostRule(.address(HostAddress.plain(address.host)), port: port)
        case (.name(let name), .greeting(.called)): HostRule(.name(name), port: port)
        case (.name, .greeting), (.name, .unknownAddress): nil
        }
    }

    /// The host and the port, as rules state them.
    package var place: String {
        switch host {
        case .name(let name): HostRule(.name(name), port: port).description
        case .address(let bytes): HostRule(.address(bytes), port: port).description
        }
    }

    /// Why it is refused, for people.
    package var words: String {
        switch reason {
        case .unnamed: "no rule names this host"
        case .port: "the rules name this host with other ports"
        case .unknownAddress: "no rule names this address, and it is no address of a name that the program looked up"
        case .barred(let address, let barrier):
            "the name has the address \(HostAddress.text(of: address.host)), and \(barrier.rawValue)"
        case .greeting(.called):
            "the connection leads to a host of the rules, and the TLS client calls this one, which no rule names"
        case .greeting(.unreadable(let refusal)): refusal.words
        case .greeting(.request(let refusal)): refusal.words
        }
    }
}

extension HostRefusal.Host: CustomStringConvertible {
    package var description: String {
        switch self {
        case .name(let name): name.text
        case .address(let bytes): HostAddress.text(of: bytes)
        }
    }
}
