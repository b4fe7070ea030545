internal import AnnexLaunch

/// The probe's report from inside a sandbox: the ways to a user namespace of its own that it tried.
package struct ProbeReport: Sendable, Hashable {
    /// Whether the probe's code ran at all.
    let hasRun: Bool
    /// The errno of each attempt, by call; 0 if a namespace was made.
    let tries: [String: Int32]

    /// - Parameter output: a few words, such as `probe clone3=38 clone=1 unshare=1`. The program is ours, but its
    ///   sandbox is under test, so any other text counts as no report.
    init(_ output: [UInt8]) {
        let words = String(decoding: output.prefix(256), as: UTF8.self).split { $0 == " " || $0 == "\n" }
        hasRun = words.first == "probe"
        var tries: [String: Int32] = [:]
        for word in words.dropFirst() {
            let parts = word.split(separator: "=")
            if parts.count == 2, let errno = Int32(parts[1]) { tries[String(parts[0])] = errno }
        }
        self.tries = tries
    }

    /// The calls by which the probe made a namespace that it must not be able to make.
    var escapes: [String] { tries.filter { $0.value == 0 }.map(\.key).sorted() }
}
