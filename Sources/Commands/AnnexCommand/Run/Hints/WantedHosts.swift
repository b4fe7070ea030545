import AnnexPolicy

/// The machines that a program without a network named: in its errors, or in its arguments.
struct WantedHosts {
    /// What the program printed, in lower case.
    let errors: String
    let arguments: [String]

    /// The most machines that are named.
    private static let most = 3

    private static let ports: [String: UInt16] = [
        "http": 80, "https": 443, "ssh": 22, "git": 9_418, "ftp": 21, "git+ssh": 22, "ws": 80, "wss": 443,
    ]
    /// Words of errors behind which a name stands.
    private static let lead = [
        "could not resolve host: ", "could not resolve hostname ", "unable to resolve host address ",
        "dial tcp: lookup ",
        "getaddrinfo enotfound ", "getaddrinfo eai_again ", "failed to resolve '", "temporary failure resolving '",
    ]

    /// The rules that let the program reach these machines, without those of this machine.
    var rules: [HostRule] {
        var found: [HostRule] = []
        for rule in ([errors] + arguments).flatMap(Self.named) + Self.unresolved(in: errors) {
            let isKnown = found.contains { $0.target == rule.target }
            if !isKnown, !Self.isLocal(rule) { found.append(rule) }
        }
        return Array(found.prefix(Self.most))
    }

    private static func isLocal(_ rule: HostRule) -> Bool {
        guard case .name(let name) = rule.target else { return false }
        return name.text == "localhost" || name.text.hasSuffix(".localhost")
    }

    /// The machines of the addresses with a scheme in a text.
    private static func named(in text: String) -> [HostRule] {
        text.ranges(of: "://").compactMap { range in
            let scheme = text[..<range.lowerBound].reversed().prefix { $0.isLetter || $0 == "+" }.reversed()
            guard let port = ports[String(scheme).lowercased()] else { return nil }
            var place = text[range.upperBound...].prefix { !"/?#'\"`<>),; \t\n".contains($0) }
            if let user = place.lastIndex(of: "@") { place = place[place.index(after: user)...] }
            return rule(String(place), port: port)
        }
    }

    private static func rule(_ place: String, port: UInt16) -> HostRule? {
        (try? HostRule(place)).map { HostRule($0.target, port: $0.port ?? port) }
    }

    /// The names that the program could not resolve.
    private static func unresolved(in text: String) -> [HostRule] {
        lead.flatMap { words in
            text.ranges(of: words).compactMap { range in
                let name = text[range.upperBound...].prefix { $0.isLetter || $0.isNumber || "-._".contains($0) }
                let plain = name.hasSuffix(".") ? name.dropLast() : name
                return plain.contains(".") ? try? HostRule(String(plain)) : nil
            }
        }
    }
}
