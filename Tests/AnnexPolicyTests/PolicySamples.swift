@testable import AnnexPolicy

/// Policies for tests: the parts that every policy must state, and additional entries about calls.
enum PolicySamples {
    static let frame = """
        policy: frame
        summary: What every policy must state.
        unlisted: { known: EPERM, unknown: ENOSYS }
        paths: { bundle: [read, execute], private: none, proc: none }
        devices: []
        network: none
        write-xor-execute: off
        environment: { pass: [LANG], set: { SWIFT_ROOT: / } }
        limits:
          memory: 64M
          launch: 1s
          request: 10s
          grace: 500ms
          processor: 1min
          processes: 1
          descriptors: 32
          file: 16M
          output: 64K
          messages: 1000
          in-flight: 1M
          open-calls: 64
          watchdog: 10s
          denials: 100
          instances: 4
          keep-alive: 0s
        """

    /// A policy `test` that includes the frame. `text` starts at line 4.
    static func policy(
        _ text: String, with others: [String: String] = [:], for architecture: Architecture = .current
    ) throws(PolicyError) -> Policy {
        var texts = others
        texts["frame"] = frame
        texts["test"] = "policy: test\nsummary: For a test.\nincludes: [frame]\n" + text
        return try PolicyLibrary(texts: texts).policy(named: "test", for: architecture)
    }

    /// The error for a text; nil if the text is a policy.
    static func error(_ text: String, with others: [String: String] = [:]) -> PolicyError? {
        do {
            _ = try policy(text, with: others).filter()
            return nil
        } catch {
            return error
        }
    }
}
