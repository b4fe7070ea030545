internal import AnnexPolicy

/// The proxies of HTTP through which the caller's programs reach other machines, as its environment names them. A
/// program in the sandbox reaches named hosts through them too.
package struct HostProxies: Sendable, Hashable {
    struct Proxy: Sendable, Hashable {
        let host: HostRefusal.Host
        let port: UInt16
    }

    let list: [Proxy]

    /// The variables that name proxies.
    package static let variables = ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]

    /// - Parameter values: what the variables say. A value that names no proxy of HTTP is skipped, as is its proxy.
    package init(_ values: [String] = []) {
        var list: [Proxy] = []
        for proxy in values.flatMap(Self.proxies) where !list.contains(proxy) { list.append(proxy) }
        self.list = list
    }

    /// The proxies that a value can mean. Programs disagree about the port of a proxy that is named without one.
    private static func proxies(_ value: String) -> [Proxy] {
        var text = Substring(value)
        if let scheme = text.firstRange(of: "://") {
            guard text[..<scheme.lowerBound].lowercased() == "http" else { return [] }
            text = text[scheme.upperBound...]
        }
        text = text.prefix { $0 != "/" }
        if let user = text.lastIndex(of: "@") { text = text[text.index(after: user)...] }
        let (name, digits) = HostRule.parts(of: String(text))
        guard let host = host(name) else { return [] }
        let ports: [UInt16] = if let digits { [UInt16(digits) ?? 0] } else { [80, 1_080] }
        return ports.filter { $0 > 0 }.map { Proxy(host: host, port: $0) }
    }

    private static func host(_ name: String) -> HostRefusal.Host? {
        if let address = HostAddress.bytes(of: name) { return .address(address) }
        return (try? HostName(name)).map { .name($0) }
    }

    private static let loopback: [[UInt8]] = [[127, 0, 0, 1], [UInt8](repeating: 0, count: 15) + [1]]

    /// Whether a proxy has a name.
    func include(_ name: HostName) -> Bool { list.contains { $0.host == .name(name) } }

    /// How a proxy at an address and port was found: by its address, or by one of its names; nil if none is there.
    /// - Parameter names: the names of the address.
    func find(_ address: InternetAddress, named names: [HostName]) -> HostRefusal.Host? {
        let host = HostAddress.plain(address.host)
        for proxy in list where proxy.port == address.port {
            switch proxy.host {
            case .address(let own): if own == host { return proxy.host }
            case .name(let own):
                if names.contains(own) { return proxy.host }
                // Programs may look this name up by themselves.
                if own.text == "localhost", Self.loopback.contains(host) { return .address(host) }
            }
        }
        return nil
    }
}
