/// Decides whether a request comes from the page of this program's user.
///
/// Every program of the machine can connect to the port. Every site that the user visits can make the browser send
/// requests to the port. The token in the address keeps the programs of other users out. The checks of `Host`,
/// `Origin` and `Sec-Fetch-Site` keep sites out. They also refuse a site whose name resolves to this machine (DNS
/// rebinding).
package struct PageGuard: Sendable {
    private let token: [UInt8]

    /// - Parameter token: the secret word that is the first part of each path.
    package init(token: String) { self.token = Array(token.utf8) }

    /// A token of 128 random bits, as hexadecimal digits.
    package static func newToken() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// - Returns: the part of the path after the token; or the refusal if the request does not come from the page.
    func path(of request: PageRequest) -> Result<String, Refusal> {
        let host = request.values(of: "host")
        guard host.count == 1,
            ["127.0.0.1", "localhost"].contains(where: { isHost(host[0].lowercased(), named: $0, at: request.port) })
        else { return .failure(.host) }
        let path = request.target.prefix { $0 != "?" && $0 != "#" }
        let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).dropFirst()
        guard let rest = parts.first?.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false),
            rest.count == 2, isToken(rest[0])
        else { return .failure(.token) }
        guard isOwn(request, host: host[0]) else { return .failure(.origin) }
        return .success(String(rest[1]))
    }

    /// Whether the header `Host` names this host and port. Browsers leave out port 80, the default port of HTTP.
    private func isHost(_ header: String, named name: String, at port: Int) -> Bool {
        header == "\(name):\(port)" || port == 80 && header == name
    }

    enum Refusal: Error, Hashable {
        case host, token, origin

        var answer: PageAnswer {
            switch self {
            case .host: .plain(421, saying: "This server has no such host.")
            // The answer is the same as for a path that does not exist.
            case .token: .plain(404, saying: "There is no such page.")
            case .origin: .plain(403, saying: "Requests of other sites are refused.")
            }
        }
    }

    /// Whether the word is the token. All bytes are compared, so the time of the comparison does not reveal where the
    /// first difference is.
    private func isToken(_ word: Substring) -> Bool {
        let bytes = Array(word.utf8)
        guard bytes.count == token.count else { return false }
        return zip(bytes, token).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private func isOwn(_ request: PageRequest, host: String) -> Bool {
        let (origins, sites) = (request.values(of: "origin"), request.values(of: "sec-fetch-site"))
        // If a person types the address, the browser sends `none`, because no site caused the request.
        guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" && request.method == "GET" }) else { return false }
        guard origins.allSatisfy({ $0.lowercased() == "http://" + host.lowercased() }) else { return false }
        // Browsers leave out the origin only in requests that read. So a request without an origin may only read.
        return request.method == "GET" || origins.count == 1
    }
}
