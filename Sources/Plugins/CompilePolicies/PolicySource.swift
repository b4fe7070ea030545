import AnnexPolicy

/// Writes a policy as a Swift expression. The expression uses the names `architecture` and `filter`.
enum PolicySource {
    static func expression(_ policy: Policy) -> String {
        let (unlisted, places) = policy.foundations
        let sections = places.map { (section($0.key), place($0.value)) }.sorted { $0.0 < $1.0 }
        return """
                        Policy(
                            shipped: \(SwiftText.text(policy.name)),
                            summary: \(SwiftText.text(policy.summary)),
                            architecture: architecture,
                            limits: \(limits(policy.limits)),
                            paths: \(paths(policy.paths)),
                            devices: \(SwiftText.list(policy.devices.map { ".\($0)" })),
                            network: .\(policy.network),
                            writeXorExecute: \(policy.writeXorExecute),
                            environment: \(environment(policy.environment)),
                            unlisted: UnlistedCalls(
                                known: \(unlisted.known), unknown: \(unlisted.unknown), place: \(place(unlisted.place))),
                            places: [
            \(sections.map { "                    \($0.0): \($0.1),\n" }.joined())                ],
                            filter: filter)
            """
    }

    private static func limits(_ limits: PolicyLimits) -> String {
        let values: [(String, String)] = [
            ("memory", "\(limits.memory)"), ("launch", SwiftText.duration(limits.launch)),
            ("request", SwiftText.duration(limits.request)), ("watchdog", SwiftText.duration(limits.watchdog)),
            ("grace", SwiftText.duration(limits.grace)),
            ("processor", SwiftText.duration(limits.processor)), ("processes", "\(limits.processes)"),
            ("descriptors", "\(limits.descriptors)"), ("file", "\(limits.file)"), ("output", "\(limits.output)"),
            ("messages", "\(limits.messages)"), ("inFlight", "\(limits.inFlight)"),
            ("openCalls", "\(limits.openCalls)"), ("denials", "\(limits.denials)"),
            ("instances", "\(limits.instances)"), ("keepAlive", SwiftText.duration(limits.keepAlive)),
        ]
        let lines = values.map { "                    \($0.0): \($0.1)" }
        return "PolicyLimits(\n\(lines.joined(separator: ",\n")))"
    }

    private static func paths(_ paths: PolicyPaths) -> String {
        let kinds = [("scratch", paths.scratch), ("persistent", paths.persistent)]
        let directories = kinds.compactMap { kind, directory in directory.map { "\(kind): \(privateDirectory($0)), " } }
        return
            "PolicyPaths(bundle: \(rights(paths.bundle)), \(directories.joined())processFiles: .\(paths.processFiles), "
            + "etcFiles: .\(paths.etcFiles), grants: \(SwiftText.list(paths.grants.map(grant))))"
    }

    private static func privateDirectory(_ directory: PolicyPaths.PrivateDirectory) -> String {
        "PolicyPaths.PrivateDirectory(path: \(SwiftText.text(directory.path)), size: \(directory.size), "
            + "inodes: \(directory.inodes))"
    }

    private static func grant(_ grant: PathGrant) -> String {
        "PathGrant(path: \(SwiftText.text(grant.path)), rights: \(rights(grant.rights)), "
            + "isOptional: \(grant.isOptional), reason: \(SwiftText.text(grant.reason)), "
            + "place: \(grant.place.map(place) ?? "nil"))"
    }

    private static func rights(_ rights: PathRights) -> String { "PathRights(rawValue: \(rights.rawValue))" }

    private static func environment(_ environment: PolicyEnvironment) -> String {
        let fixed = environment.fixed.sorted { $0.key < $1.key }
            .map { (SwiftText.text($0.key), SwiftText.text($0.value)) }
        return "PolicyEnvironment(passed: \(SwiftText.list(environment.passed.map(SwiftText.text))), "
            + "fixed: \(SwiftText.mapping(fixed)))"
    }

    private static func section(_ section: PolicySection) -> String {
        if case .limit(let name) = section { ".limit(.\(name))" } else { ".\(section)" }
    }

    private static func place(_ place: PolicyPlace) -> String {
        "PolicyPlace(file: \(SwiftText.text(place.file)), line: \(place.line), column: \(place.column))"
    }
}

/// Writes values as Swift source.
enum SwiftText {
    /// A string literal for any text.
    static func text(_ value: String) -> String {
        let letters = value.unicodeScalars.map { scalar in
            let isPlain = scalar.value >= 0x20 && scalar.value < 0x7F && scalar != "\"" && scalar != "\\"
            return isPlain ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
        return "\"\(letters.joined())\""
    }

    static func list(_ items: [String]) -> String { "[\(items.joined(separator: ", "))]" }

    static func mapping(_ entries: [(String, String)]) -> String {
        entries.isEmpty ? "[:]" : list(entries.map { "\($0.0): \($0.1)" })
    }

    static func duration(_ value: Duration) -> String {
        let (seconds, attoseconds) = value.components
        guard attoseconds != 0 else { return ".seconds(\(seconds))" }
        return "Duration(secondsComponent: \(seconds), attosecondsComponent: \(attoseconds))"
    }

    /// Instructions as hexadecimal digits: six instructions in each row, with a space between two instructions.
    static func rows(_ bytes: [UInt8]) -> String {
        let words = stride(from: 0, to: bytes.count, by: 8).map { hexadecimal(bytes[$0..<min($0 + 8, bytes.count)]) }
        return stride(from: 0, to: words.count, by: 6).map { start in
            "            \(words[start..<min(start + 6, words.count)].joined(separator: " "))\n"
        }.joined()
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
