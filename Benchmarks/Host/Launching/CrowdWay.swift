import AnnexHost
import CBenchDriver
import Dispatch

/// A hundred launches at once. The measurement ends when the last extension is ready.
final class CrowdWay: Way {
    private static let count = 100
    private let launcher: Launcher
    private let answers = OwnAnswers()
    private var crowd = Crowd()

    init(_ launcher: Launcher) {
        self.launcher = launcher
    }

    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) -> Int {
        guard request.first == UInt8(bench_wants_reply) else { return answers.answer(request, into: reply) }
        crowd = Crowd.launched(Self.count, by: launcher)
        guard crowd.sessions.count == Self.count else { return 0 }
        return answers.answer(request, into: reply)
    }

    func after() {
        crowd.end()
        crowd = Crowd()
    }
}

/// Extensions that were launched at once.
struct Crowd: Sendable {
    private(set) var sessions: [ExtensionSession] = []

    /// Starts one task for each launch. The caller waits on its own thread.
    static func launched(_ count: Int, by launcher: Launcher) -> Crowd {
        waited {
            await withTaskGroup(of: ExtensionSession?.self) { group in
                for _ in 0..<count { group.addTask { await launcher.launchInTask() } }
                return await group.reduce(into: Crowd()) { crowd, session in
                    if let session { crowd.sessions.append(session) }
                }
            }
        }
    }

    func end() {
        _ = Self.waited {
            await withTaskGroup(of: Void.self) { group in
                for session in sessions { group.addTask { _ = await session.complete() } }
            }
            return Crowd()
        }
    }

    private static func waited(_ body: @escaping @Sendable () async -> Crowd) -> Crowd {
        let done = DispatchSemaphore(value: 0)
        // SAFETY: the value is written before the signal and read after the wait.
        nonisolated(unsafe) var crowd = Crowd()
        Task.detached {
            crowd = await body()
            done.signal()
        }
        done.wait()
        return crowd
    }
}
