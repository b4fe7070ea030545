import AnnexLinux
import Glibc
import Synchronization

@testable import AnnexChannel

/// The outcomes of all operations that a host began. Each call and each wait on a stream must end exactly once.
final class Verdicts: Sendable {
    private struct Counts {
        var begun = 0
        var ended: [String: Int] = [:]
    }

    private let counts = Mutex(Counts())

    /// Counts the outcome of `body`. Every error has a known type, because a body with an unknown error type would
    /// not compile.
    func note<Value, Failure: Error>(_ what: String, _ body: () throws(Failure) -> Value) -> Value? {
        counts.withLock { $0.begun += 1 }
        do throws(Failure) {
            let value = try body()
            end(what + " done")
            return value
        } catch {
            end(Self.name(of: error))
            return nil
        }
    }

    func note<Value>(_ what: String, _ body: () async throws(CallFailure) -> Value) async {
        counts.withLock { $0.begun += 1 }
        do throws(CallFailure) {
            _ = try await body()
            end(what + " done")
        } catch {
            end(Self.name(of: error))
        }
    }

    private func end(_ how: String) {
        counts.withLock { $0.ended[how, default: 0] += 1 }
    }

    var begun: Int { counts.withLock { $0.begun } }
    var ended: Int { counts.withLock { $0.ended.values.reduce(0, +) } }

    func count(_ part: String) -> Int {
        counts.withLock { $0.ended.reduce(0) { $1.key.contains(part) ? $0 + $1.value : $0 } }
    }

    var text: String {
        counts.withLock { counts in
            counts.ended.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        }
    }

    /// The name of an error without the values that a peer chose: `violated length`, `deadlineExceeded`.
    static func name(of error: any Error) -> String {
        let words = "\(Mirror(reflecting: error).children.first?.label ?? "\(error)")"
        guard let inner = Mirror(reflecting: error).children.first?.value else { return words }
        if let violation = inner as? ChannelViolation { return "\(words) \(name(of: violation))" }
        if let failure = inner as? CallFailure { return "\(words) \(name(of: failure))" }
        return words
    }
}
