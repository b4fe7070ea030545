import AnnexEmbedded
import AnnexHost
import CBenchDriver

/// The time of one decision: which of a thousand installed extensions are offered for a hundred items.
final class OffersWay: Way {
    /// Whether each decision is the first about its extensions, so that it includes reading their rules.
    private let isFirst: Bool
    private let items = OfferedFixture.items()
    private let answers = OwnAnswers()
    private let installed: ManyExtensions
    private var host: AnnexHost
    private var isFresh = true
    /// The time of the last decision alone.
    private(set) var elapsed: UInt64?

    init(isFirst: Bool) throws {
        self.isFirst = isFirst
        installed = try ManyExtensions()
        host = try AnnexHost.embedded(apps: installed.apps)
    }

    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) -> Int {
        guard request.first == UInt8(bench_wants_reply) else { return answers.answer(request, into: reply) }
        // In the driver's warm-up there is no pause between two calls.
        if isFirst, !isFresh { after() }
        isFresh = false
        do throws(BrokerError) {
            let start = bench_now()
            let offers = try host.extensionsAndWait(for: items)
            elapsed = bench_now() - start
            let isRight = Set(offers.offered.map(\.id)) == installed.offered
            guard isRight, offers.offered.count + offers.others.count == ManyExtensions.count else {
                Complaint.print("\(offers.offered.count) are offered: \(offers.others.first.map { "\($0)" } ?? "")")
                return 0
            }
            return answers.answer(request, into: reply)
        } catch {
            Complaint.print("\(error)")
            return 0
        }
    }

    func after() {
        guard isFirst else { return }
        do {
            // New files, which no host has read.
            try installed.renew()
            host = try AnnexHost.embedded(apps: installed.apps)
            isFresh = true
        } catch {
            Complaint.print("\(error)")
        }
    }
}
