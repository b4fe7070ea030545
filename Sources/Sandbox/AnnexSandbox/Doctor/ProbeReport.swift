/// What the probe said from inside a sandbox: which ways to a user namespace of its own it tried.
struct ProbeReport: Sendable, Hashable {
    /// Whether its code ran at all.
    let hasRun: Bool
    /// By call, the errno of each try; 0 where a namespace was made.
    let tries: [String: Int32]

    /// - Parameter output: a few words, `probe clone3=38 clone=1 unshare=1`; the program is ours, its sandbox is what is
    ///   being tried, so anything else is read as nothing said.
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

    /// The calls by which it made a namespace that it must not make.
    var escapes: [String] { tries.filter { $0.value == 0 }.map(\.key).sorted() }
}
