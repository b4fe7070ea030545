import AnnexHost
import CBenchDriver

/// The steps of a launch from `clone3` to `execve`, as the launch report states them.
final class CloneWay: Way {
    private let launcher: Launcher
    private let answers = OwnAnswers()
    private(set) var elapsed: UInt64?

    init(_ launcher: Launcher) {
        self.launcher = launcher
    }

    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) -> Int {
        guard request.first == UInt8(bench_wants_reply) else { return answers.answer(request, into: reply) }
        do {
            let session = try launcher.launch()
            let steps = session.launchReport.steps.drop { $0.name != "clone" }.prefix { $0.name != "hello" }
            let time = steps.reduce(Duration.zero) { $0 + $1.duration }.components
            elapsed = UInt64(clamping: time.seconds * 1_000_000_000 + time.attoseconds / 1_000_000_000)
            _ = session.completeAndWait()
            return answers.answer(request, into: reply)
        } catch {
            Complaint.print("\(error)")
            return 0
        }
    }
}
