/// Decides whether a request comes from the page of this program's user.
///
/// Every program of the machine can connect to the port, and every site that the user visits can send requests there. The token in the
/// address keeps the programs of other users out. The checks of `Host`, `Origin` and `Sec-Fetch-Site` keep sites out, also one whose
/// name leads to this machine (DNS rebinding).
package struct PageGuard: Sendable {
    private let token: [UInt8]

    /// - Parameter token: the first part of each path.
    package init(token: String) { self.token = Array(token.utf8) }

    /// 128 random bits.
    package static func newToken() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// - Returns: the part of the path behind the token, or the answer to a request from elsewhere.
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

    /// Browsers leave out the port of HTTP.
    private func isHost(_ header: String, named name: String, at port: Int) -> Bool {
        header == "\(name):\(port)" || port == 80 && header == name
    }

    enum Refusal: Error, Hashable {
        case host, token, origin

        var answer: PageAnswer {
            switch self {
            case .host: .plain(421, saying: "This server has no such host.")
            // The same words as for a path that does not exist.
            case .token: .plain(404, saying: "There is no such page.")
            case .origin: .plain(403, saying: "Requests of other sites are refused.")
            }
        }
    }

    /// All bytes are compared, so that the time tells nothing of where the first difference is.
    private func isToken(_ word: Substring) -> Bool {
        let bytes = Array(word.utf8)
        guard bytes.count == token.count else { return false }
        return zip(bytes, token).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private func isOwn(_ request: PageRequest, host: String) -> Bool {
        let (origins, sites) = (request.values(of: "origin"), request.values(of: "sec-fetch-site"))
        // A person who types the address has no site.
        guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" && request.method == "GET" }) else { return false }
        guard origins.allSatisfy({ $0.lowercased() == "http://" + host.lowercased() }) else { return false }
        // Only reading works without an origin: browsers send none with it.
        return request.method == "GET" || origins.count == 1
    }
}
