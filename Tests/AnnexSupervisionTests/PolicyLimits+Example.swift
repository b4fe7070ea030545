import AnnexPolicy

extension PolicyLimits {
    static func example(
        memory: UInt64 = 100 << 20, request: Duration = .seconds(10), watchdog: Duration = .seconds(4),
        processes: Int = 1
    ) -> PolicyLimits {
        PolicyLimits(
            memory: memory, launch: .seconds(1), request: request, watchdog: watchdog, grace: .seconds(1),
            processor: .seconds(2), processes: processes, descriptors: 64, file: 1 << 20, output: 64 << 10,
            messages: 100, inFlight: 1 << 20, openCalls: 8, denials: 4, instances: 3, keepAlive: .zero)
    }
}
