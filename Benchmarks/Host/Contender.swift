import AnnexChannel
import AnnexHost
import CBenchDriver

/// The ways to call an extension that are measured.
enum Contender: String, CaseIterable {
    case call = "annex-call"
    case async = "annex-async"

    var about: String {
        switch self {
        case .call: "a sandboxed extension, synchronous, owned bytes"
        case .async: "a sandboxed extension, async"
        }
    }

    /// - Returns: the program's exit status.
    func measure(_ plan: Plan, _ sandboxed: Sandboxed) async -> Int32 {
        let channel = sandboxed.session.channel
        let link = DriverLink(CallWay(channel: channel))
        guard let measurement = Measurement(plan), bench_settle(measurement.run, DriverLink.call, link.pointer)
        else { return 1 }
        let isDone =
            switch self {
            case .call: measurement.phases { measurement.calls($0, CallWay(channel: channel)) }
            case .async: await measurement.phases(AsyncWay(channel: channel))
            }
        guard isDone else { return 1 }
        return bench_finish(measurement.run, DriverLink.call, link.pointer)
    }
}
