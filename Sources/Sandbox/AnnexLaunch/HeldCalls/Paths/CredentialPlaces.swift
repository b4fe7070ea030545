internal import AnnexLinux
internal import AnnexPolicy

/// The shipped list of places that hold credentials, wherever they can be seen. A link or a mount can show such a place at
/// another path.
package struct CredentialPlaces {
    private let mounts = MountTable.read()
    /// The names of each path of the list, and of the place to which its links lead. They can contain `*`. A home is no such
    /// place here, because people work in homes.
    private static let patterns: [[[UInt8]]] = {
        let all = (try? ShippedParts.credentials()) ?? []
        // The homes of all users, also if this one has no HOME.
        let others = all.filter { $0.group == "homes" }.map(\.path)
        let homes = others + (UserEnvironment.path("HOME").map { [$0] } ?? [])
        let paths = all.filter { $0.group != "homes" }.flatMap { part -> [String] in
            guard part.parts.first == "~" else { return [part.path] }
            return homes.map { "/" + (PathText.parts($0) + part.parts.dropFirst()).joined(separator: "/") }
        }
        let places = paths.filter { !$0.contains("*") }.compactMap { try? HostPath.leading($0).place }
        return Set((paths + places).map { path in PathText.parts(path).map { Array($0.utf8) } }).map { $0 }
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

    /// Whether a path is such a place, lies in one, or holds or shows one that exists.
    package func concern(_ path: String) -> Bool {
        if hold(path) { return true }
        let lookup = HostLookup { _ in false }
        let isAbove = names(of: path).contains { names in
            Self.patterns.contains { pattern in
                guard pattern.count >= names.count,
                    zip(pattern, names).allSatisfy({ PathPattern.glob($0, name: $1) })
                else { return false }
                // What stands before the next `*`. The entries of this directory are not listed.
                let plain = names + pattern.dropFirst(names.count).prefix { !$0.contains(UInt8(ascii: "*")) }
                let path = "/" + plain.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
                return lookup.follow(path) != .missing
            }
        }
        let shown = mounts?.views(within: Array(PathText.resolved(path).utf8)).dropFirst() ?? []
        return isAbove || shown.contains { hold(PathText.text($0.point)) }
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
