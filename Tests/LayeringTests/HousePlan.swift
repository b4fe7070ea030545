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
        "CAnnexPolicies": [],
        "AnnexPolicy": ["CAnnexSeccomp", "CAnnexYAML", "CAnnexPolicies", "AnnexLinux", "CAnnexLinux"],
        "AnnexPolicies": ["AnnexPolicy"],
        "AnnexSandbox": ["Logging", "AnnexPolicy", "AnnexLinux", "CAnnexLinux", "AnnexWarden", "EmbedProgram"],
        // Trials
        "AnnexTrials": ["AnnexSandbox", "AnnexPolicy", "AnnexLinux", "CAnnexLinux", "EmbedProgram"],
        // Model
        "AnnexModel": ["AnnexChannel", "AnnexLinux"],
        "AnnexExtension": ["AnnexModel", "AnnexChannel", "AnnexLinux"],
        "AnnexBundle": ["AnnexModel", "AnnexPolicy", "AnnexLinux"],
        // Broker and host
        "AnnexService": ["AnnexModel", "AnnexChannel", "AnnexLinux"],
        "AnnexBroker": [
            "AnnexBundle", "AnnexSandbox", "AnnexPolicies", "AnnexPolicy", "AnnexService", "AnnexModel", "AnnexChannel",
            "AnnexLinux", "Logging",
        ],
        "AnnexHost": ["AnnexService", "AnnexModel", "AnnexChannel", "AnnexLinux"],
        "AnnexEmbedded": ["AnnexHost", "AnnexBroker", "AnnexService"],
        "AnnexDaemon": [
            "Logging", "AnnexBroker", "AnnexService", "AnnexBundle", "AnnexModel", "AnnexChannel", "AnnexLinux",
            "CAnnexLinux",
        ],
        "AnnexTelemetry": ["AnnexHost", "AnnexService", "AnnexModel", "CoreMetrics", "Tracing"],
        // Programs
        "annexd": [
            "Logging", "ServiceLifecycle", "AnnexDaemon", "AnnexBroker", "AnnexService", "AnnexLinux",
            "ArgumentParser",
        ],
        "annex": [
            "Logging", "AnnexEmbedded", "AnnexBroker", "AnnexHost", "AnnexTrials", "AnnexSandbox", "AnnexPolicies",
            "AnnexPolicy",
            "AnnexChannel", "AnnexLinux", "ArgumentParser",
        ],
        // Tools and build plugins
        "compile-policies": ["AnnexPolicy"],
        "EmbedProgram": [],
    ]

    /// What an extension links must start in a millisecond and run without a file of the system.
    static let withoutFoundation: Set<String> = [
        "CAnnexLinux", "AnnexLinux", "AnnexChannel", "AnnexModel", "AnnexExtension",
    ]
}
