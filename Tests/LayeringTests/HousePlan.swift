/// The house plan: what each target may import. Arrows go down only; a target that is not here may not exist.
enum HousePlan {
    static let arrows: [String: Set<String>] = [
        // Kernel
        "CAnnexLinux": [],
        "CAnnexSeccomp": [],
        "CAnnexYAML": [],
        "AnnexLinux": ["CAnnexLinux"],
        // Channel
        "AnnexChannel": ["AnnexLinux", "CAnnexLinux"],
        // Sandbox
        "AnnexWarden": [],
        "AnnexPolicy": ["CAnnexSeccomp", "CAnnexYAML", "AnnexLinux", "CAnnexLinux", "EmbedPolicies"],
        "AnnexSandbox": ["Logging", "AnnexPolicy", "AnnexLinux", "CAnnexLinux", "AnnexWarden", "EmbedProgram"],
        // Trials
        "AnnexTrials": ["AnnexSandbox", "AnnexPolicy", "AnnexLinux", "EmbedProgram"],
        // Model
        "AnnexModel": ["AnnexChannel", "AnnexLinux"],
        "AnnexExtension": ["AnnexModel", "AnnexChannel", "AnnexLinux"],
        "AnnexBundle": ["AnnexModel", "AnnexPolicy", "AnnexLinux"],
        // Broker and host
        "AnnexService": ["AnnexModel", "AnnexChannel"],
        "AnnexBroker": [
            "AnnexBundle", "AnnexSandbox", "AnnexPolicy", "AnnexService", "AnnexModel", "AnnexChannel", "AnnexLinux",
        ],
        "AnnexHost": ["AnnexService", "AnnexModel", "AnnexChannel", "AnnexLinux"],
        "AnnexEmbedded": ["AnnexHost", "AnnexBroker", "AnnexService"],
        // Programs
        "annex": [
            "Logging", "AnnexEmbedded", "AnnexHost", "AnnexSandbox", "AnnexPolicy", "AnnexLinux", "ArgumentParser",
        ],
        // Build plugins
        "EmbedProgram": ["embed-bytes"],
        "EmbedPolicies": ["embed-bytes"],
        "embed-bytes": [],
    ]

    /// What an extension links must start in a millisecond and run without a file of the system.
    static let withoutFoundation: Set<String> = [
        "CAnnexLinux", "AnnexLinux", "AnnexChannel", "AnnexModel", "AnnexExtension",
    ]
}
