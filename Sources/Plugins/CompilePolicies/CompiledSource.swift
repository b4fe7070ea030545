import AnnexPolicy

/// Writes the Swift files that contain a library's policies: one file for each policy, and one file that finds the
/// policies by name.
enum CompiledSource {
    private static let head = """
        // swift-format-ignore-file
        // Made by `make policies` out of Policies/: change the texts there, never this file.
        """

    /// The text of each file, by its name.
    static func files(of library: PolicyLibrary) throws(PolicyError) -> [String: String] {
        let names = try library.namesToCompile()
        var files = ["CompiledPolicies.swift": list(names)]
        for name in names { files["\(name).swift"] = try policy(named: name, from: library) }
        return files
    }

    private static func list(_ names: [String]) -> String {
        let cases = names.map { "        case \(SwiftText.text($0)): `\($0)`\n" }.joined()
        return """
            \(head)

            /// The shipped policies, compiled and proven.
            enum CompiledPolicies {
                /// Every policy's name.
                static let names = [
            \(names.map { "        \(SwiftText.text($0)),\n" }.joined())    ]

                /// What compiled the filters. Another compiler may say the same in other instructions.
                static let compiler = \(SwiftText.text(SeccompFilter.compiler))

                static func named(_ name: String) -> CompiledPolicy? {
                    switch name {
            \(cases)        default: nil
                    }
                }
            }

            """
    }

    /// One policy, with the filter of each architecture.
    private static func policy(named name: String, from library: PolicyLibrary) throws(PolicyError) -> String {
        var filters = ""
        for architecture in Architecture.allCases {
            let policy = try library.policy(named: name, for: architecture)
            for reporting in FilterReports.allCases { try FilterProof.prove(policy, reporting: reporting) }
            let rows = SwiftText.rows(try policy.filter().template)
            filters += "        \(architecture): \"\"\"\n\(rows)            \"\"\",\n"
        }
        let policy = try library.policy(named: name)
        let digest = String(try library.digest(ofPolicy: name), radix: 16)
        return """
            \(head)
            internal import AnnexPolicy

            extension CompiledPolicies {
                static let `\(name)` = CompiledPolicy(
                    digest: 0x\(digest), allowsEveryExec: \(try policy.filter().allowsEveryExec),
            \(filters)        policy: { architecture, filter in
            \(PolicySource.expression(policy))
                    })
            }

            """
    }
}
