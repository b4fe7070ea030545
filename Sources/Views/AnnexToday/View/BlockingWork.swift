internal import AnnexBrokerAPI
internal import AnnexLinux

/// Does work that may block on a thread of its own, one piece after another, while tasks wait for it.
struct BlockingWork: Sendable {
    private let lane = Lane("annex-today")

    /// Asks the broker.
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
