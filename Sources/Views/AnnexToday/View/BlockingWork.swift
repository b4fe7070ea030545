internal import AnnexBrokerAPI
internal import AnnexLinux

/// Does work that may block, on a thread of its own. Each piece of work waits for the piece before it. A task that
/// needs the result is suspended meanwhile.
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
