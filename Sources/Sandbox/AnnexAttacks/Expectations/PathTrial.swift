internal import AnnexPolicy
internal import AnnexPolicyTools
internal import Glibc

/// Opens a path inside a sandbox with the rights of an expectation.
struct PathTrial: Sendable {
    let policy: Policy
    let sandbox: TrialSandbox

    func result(
        of expectation: Expectation, path: String, rights: PathRights
    ) async throws(TrialFailure) -> ExpectationResult {
        if rights.contains(.execute) {
            let reason = "to execute is not tried: it would take the place of the program that tells"
            return ExpectationResult(expectation, failure: nil, live: .notTried(reason))
        }
        let isDirectory = Self.isDirectory(path)
        if isDirectory == nil, expectation.wanted == .allowed, !Self.isMadeInside(path) {
            return ExpectationResult(expectation, failure: nil, live: .notTried("this machine has no such file"))
        }
        var failures: [String] = []
        for right in [PathRights.read, .write] where rights.contains(right) {
            let seen = try await opened(path, right: right, isDirectory: isDirectory ?? Self.isMadeInside(path))
            if let failure = Self.failure(of: expectation.wanted, seen) {
                failures.append(failure)
            } else if expectation.wanted != .allowed {
                return ExpectationResult(expectation, failure: nil, live: .tried)
            }
        }
        return ExpectationResult(expectation, failure: failures.first, live: .tried)
    }

    /// Opens the path with one right.
    /// - Returns: the errno; nil if opening succeeded.
    private func opened(_ path: String, right: PathRights, isDirectory: Bool) async throws(TrialFailure) -> Int32? {
        var script = TrialScript()
        let step: Int
        if right == .read {
            step = script.call("openat", with: .number(AT_FDCWD), script.text(path), .number(O_RDONLY | O_CLOEXEC))
        } else if isDirectory {
            // To test the right to write in a directory, the script creates a file in it and removes the file again.
            let name = script.text(path + "/annex-policy-test")
            step = script.call(
                "openat", with: .number(AT_FDCWD), name, .number(O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC), 0o600)
            script.call("unlinkat", with: .number(AT_FDCWD), name, 0, after: step)
        } else {
            step = script.call("openat", with: .number(AT_FDCWD), script.text(path), .number(O_WRONLY | O_CLOEXEC))
        }
        let outcome = try await sandbox.run(script, under: policy, watchdog: .seconds(60))
        try ExpectationTrial.checkStarted(outcome)
        return outcome.answers.succeeded(step) ? nil : outcome.answers.errno(step) ?? EPERM
    }

    private static func failure(of wanted: Expectation.Wanted, _ errno: Int32?) -> String? {
        switch wanted {
        case .allowed:
            return errno.map { "live: opening it failed with \(Expectation.Answer.errno($0).word)" }
        case .denied(let answer, _):
            guard let errno else { return "live: it was opened" }
            guard let answer, answer != .errno(errno) else { return nil }
            return "live: \(Expectation.Answer.errno(errno).word) instead of \(answer.word)"
        }
    }

    /// Whether the path is a directory of the host; nil if the host does not have the path.
    private static func isDirectory(_ path: String) -> Bool? {
        var status = stat()
        // SAFETY: the path is a NUL-terminated copy, and the structure belongs to this frame.
        guard unsafe stat(path, &status) == 0 else { return nil }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether the sandbox itself creates the path, regardless of the host's files.
    private static func isMadeInside(_ path: String) -> Bool {
        ["/bundle", "/private", "/proc", "/tmp"].contains { path == $0 || path.hasPrefix($0 + "/") }
    }
}
