internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// The part of the caller's environment that depends on what the caller handed over. The policy names further
/// variables, which the program gets in any case.
///
/// - `PATH` keeps those of its directories in which the program may execute files, in their order. An activated virtual
///   environment that was handed over thus stays in force. The directories of the policy's own `PATH` come last.
/// - A variable whose value is an absolute path stays if the path was handed over, such as `VIRTUAL_ENV`. The same holds
///   for lists of paths, such as `PYTHONPATH`, from which other paths are removed.
struct CallersEnvironment {
    /// The values that replace or add to those of the policy.
    let values: [String: [UInt8]]
    private let path: Path

    /// - Parameters:
    ///   - policy: the policy with everything that the caller handed over.
    ///   - directory: the working directory that the caller demanded for the program; nil if there is none.
    init(_ policy: Policy, directory: String?) {
        path = Path(policy)
        var values: [String: [UInt8]] = [:]
        if let own = policy.environment.fixed["PATH"] { values["PATH"] = path.list(endingWith: own) }
        let given = policy.paths.grants.filter(\.isHandedOver).map(\.path)
        let stated = Set(policy.environment.passed).union(policy.environment.fixed.keys)
        for (name, value) in Self.variables() where !stated.contains(name) && !Self.isDecidedElsewhere(name) {
            if let kept = Self.paths(of: value, within: given) { values[name] = kept }
        }
        // A program of another directory would take the caller's own working directory for its own.
        if directory != nil { values["PWD"] = nil }
        self.values = values
    }

    // MARK: - Variables

    /// The variables whose values are decided in other places, and those of the dynamic loader. The loader would run
    /// other code in the program.
    private static func isDecidedElsewhere(_ name: String) -> Bool {
        ["PATH", "HOME", "TMPDIR", "_"].contains(name) || name.hasPrefix("LD_") || name.hasPrefix("ANNEX_")
    }

    /// The largest environment that is looked at. The kernel allows no larger one with its usual limits.
    private static let largest = 8 << 20

    private static func variables() -> [(name: String, value: [UInt8])] {
        guard let bytes = try? Descriptor.open("/proc/self/environ", O_RDONLY).readAll(atMost: largest) else {
            return []
        }
        return bytes.split(separator: 0).compactMap { entry in
            guard let sign = entry.firstIndex(of: UInt8(ascii: "=")),
                let name = String(validating: entry[..<sign], as: UTF8.self), !name.isEmpty
            else { return nil }
            return (name, Array(entry[entry.index(after: sign)...]))
        }
    }

    /// The paths of a list that lie in one of the places; nil if the value is no list of absolute paths, or if no path
    /// lies in such a place.
    private static func paths(of value: [UInt8], within places: [String]) -> [UInt8]? {
        guard value.first == slash, let text = String(validating: value, as: UTF8.self) else { return nil }
        let parts = text.split(separator: ":").map(String.init)
        guard parts.allSatisfy({ $0.hasPrefix("/") }) else { return nil }
        let kept = parts.filter { part in places.contains { isPath(part, within: $0) } }
        return kept.isEmpty ? nil : Array(kept.joined(separator: ":").utf8)
    }

    private static let slash = UInt8(ascii: "/")

    private static func isPath(_ path: String, within place: String) -> Bool {
        !PathText.parts(path).contains("..") && PathText.resolved(path).isWithin(place)
    }

    // MARK: - The search path

    /// The caller's `PATH`, and the directories in which the program may execute files.
    private struct Path {
        private let kept: [String]
        private let grants: [PathGrant]

        init(_ policy: Policy) {
            let grants = policy.paths.grants
            self.grants = grants
            let bytes = OwnEnvironment.bytes(of: "PATH") ?? []
            kept = bytes.split(separator: UInt8(ascii: ":")).compactMap { String(validating: $0, as: UTF8.self) }
                .filter { Self.allowsExecution(in: $0, grants) }
        }

        /// The innermost grant around a directory decides.
        private static func allowsExecution(in directory: String, _ grants: [PathGrant]) -> Bool {
            guard directory.hasPrefix("/"), !PathText.parts(directory).contains("..") else { return false }
            let plain = PathText.resolved(directory)
            let around = grants.filter { plain.isWithin($0.path) }
            return around.max { $0.path.utf8.count < $1.path.utf8.count }?.rights.contains(.execute) ?? false
        }

        func allowsExecution(in directory: String) -> Bool { Self.allowsExecution(in: directory, grants) }

        func list(endingWith own: String) -> [UInt8] {
            let colon = UInt8(ascii: ":")
            let rest = own.utf8.split(separator: colon).map { String(Substring($0)) }.filter { !kept.contains($0) }
            var list: [UInt8] = []
            for directory in kept + rest {
                if !list.isEmpty { list.append(colon) }
                list += directory.utf8
            }
            return list
        }
    }

    // MARK: - Notes

    /// Sentences about what the program lacks of the caller's environment, and how it gets it.
    /// - Parameter program: the program as it was found.
    func notes(_ program: borrowing LocatedProgram, named name: String, under policy: Policy) -> [String] {
        [lostDirectory(program, named: name)].compactMap { $0 } + Self.lostCertificates(under: policy)
    }

    /// A program that was found on `PATH` as a link, if the sandbox lacks the directory of the link. The program itself
    /// runs then. But it does not find the environment to which the link belongs, and its children find other programs
    /// of the same name. The same holds for a virtual environment of Python whose own interpreter lies elsewhere.
    private func lostDirectory(_ program: borrowing LocatedProgram, named name: String) -> String? {
        guard let directory = program.searched, Self.isLink("\(directory)/\(name)") else { return nil }
        var lost = directory
        if path.allowsExecution(in: directory) {
            lost = program.path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
            // SAFETY: the call reads one text and keeps nothing.
            guard !path.allowsExecution(in: lost), unsafe access("\(directory)/../pyvenv.cfg", F_OK) == 0 else {
                return nil
            }
        }
        let roots = ["VIRTUAL_ENV", "CONDA_PREFIX"].compactMap { UserEnvironment.path($0) }
        let place = roots.first { lost.isWithin($0) } ?? (lost.hasSuffix("/bin") ? String(lost.dropLast(4)) : lost)
        let option = GrantOption.danger(of: place, [.read, .execute]) == nil ? place : lost
        return "\(PathText.shown("\(directory)/\(name)", limit: 500)) ran without \(PathText.shown(lost, limit: 500)), "
            + "which the sandbox lacks: add --execute \(ShellText.shown(option))"
    }

    private static func isLink(_ path: String) -> Bool {
        (try? Descriptor.open(path, Descriptor.pathOnly | O_NOFOLLOW).status().kind) == .symbolicLink
    }

    /// The variables that name certificates for the network.
    private static let ofCertificates = [
        "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
        "GIT_SSL_CAINFO",
    ]

    private static func lostCertificates(under policy: Policy) -> [String] {
        ofCertificates.filter(policy.environment.passed.contains).flatMap { name -> [String] in
            let value = UserEnvironment.path(name) ?? ""
            return value.split(separator: ":").map(String.init).filter { place in
                unsafe access(place, F_OK) == 0 && !policy.paths.grants.contains { isPath(place, within: $0.path) }
            }.map { place in
                "\(name) names \(PathText.shown(place, limit: 500)), which was not handed over: add --read "
                    + ShellText.shown(place)
            }
        }
    }
}
