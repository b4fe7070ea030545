internal import AnnexLinux
internal import AnnexPolicy

/// The shipped list of places that hold credentials, wherever they can be seen. A link or a mount can show such a place at
/// another path.
package struct CredentialPlaces {
    private let mounts = MountTable.read()
    /// The names of each path of the list. They can contain `*`.
    private static let patterns: [[[UInt8]]] = {
        let home = UserEnvironment.path("HOME")
        let homes = Set([home, home.flatMap { try? HostPath.leading($0).place }].compactMap { $0 })
        return ((try? ShippedParts.credentials()) ?? []).flatMap { part -> [[[UInt8]]] in
            let names = part.parts.map { Array($0.utf8) }
            guard part.parts.first == "~" else { return [names] }
            return homes.map { home in PathText.parts(home).map { Array($0.utf8) } + names.dropFirst() }
        }
    }()

    package init() {}

    /// Whether a path is such a place, or lies in one.
    package func hold(_ path: String) -> Bool {
        names(of: path).contains { names in
            Self.patterns.contains { pattern in
                pattern.count <= names.count && zip(pattern, names).allSatisfy { PathPattern.glob($0, name: $1) }
            }
        }
    }

    /// Whether a path is such a place, lies in one, or is a directory above one that exists.
    package func concern(_ path: String) -> Bool {
        if hold(path) { return true }
        let lookup = HostLookup { _ in false }
        return names(of: path).contains { names in
            Self.patterns.contains { pattern in
                guard pattern.starts(with: names) else { return false }
                // What stands before the first `*`.
                let plain = pattern.prefix { !$0.contains(UInt8(ascii: "*")) }
                let path = "/" + plain.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
                return plain.count > names.count && lookup.follow(path) != .missing
            }
        }
    }

    /// The names of each path at which the mounts show the same.
    private func names(of path: String) -> [[[UInt8]]] {
        var paths = [Array(PathText.resolved(path).utf8)]
        if case .found(let real) = HostLookup(isWritable: { _ in false }).follow(PathText.resolved(path)) {
            paths += mounts?.names(of: Array(real.utf8)) ?? [Array(real.utf8)]
        }
        return paths.map { $0.split(separator: UInt8(ascii: "/")).map(Array.init) }
    }
}
