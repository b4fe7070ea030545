internal import AnnexBrokerAPI
internal import AnnexLinux

/// Does jobs that may block, one after another, on a thread of its own. A task that needs the result of a job is
/// suspended until the job is done.
struct BlockingWork: Sendable {
    private let lane = Lane("annex-today")

    /// Does work that asks the broker. Throws the error of the broker if there is one.
    func asking<Answer: Sendable>(
        _ work: @escaping @Sendable () throws(BrokerError) -> Answer
    ) async throws(BrokerError) -> Answer {
        try await doing { () -> Result<Answer, BrokerError> in
            do throws(BrokerError) {
                return .success(try work())
            } catch {
                return .failure(error)
            }
        }.get()
    }

    func doing<Answer: Sendable>(_ work: @escaping @Sendable () -> Answer) async -> Answer {
        await withCheckedContinuation { continuation in
            lane.run { continuation.resume(returning: work()) }
        }
    }
}
