import AnnexChannel
import CBenchDriver

/// One way to call from a task.
protocol TaskWay {
    /// - Returns: the answer's length, 0 for a failure.
    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) async -> Int
}

/// The asynchronous call, made from a task.
struct AsyncWay: TaskWay {
    let channel: HostEndpoint

    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) async -> Int {
        do throws(CallFailure) {
            let answer = try await channel.call(Request(method: Method.raw, payload: Array(request)))
            guard answer.payload.count <= reply.count else { return 0 }
            reply.copyBytes(from: answer.payload)
            return answer.payload.count
        } catch {
            Complaint.print("\(error)")
            return 0
        }
    }
}

extension Measurement {
    /// The same phases and calls as in a synchronous measurement, but made from a task.
    func phases(_ way: some TaskWay) async -> Bool {
        if plan.batch > 1, await !phase(plan.batch, asking: way) { return false }
        return await phase(1, asking: way)
    }

    private func phase(_ batch: UInt64, asking way: some TaskWay) async -> Bool {
        bench_phase(run, batch)
        defer { bench_phase_end(run) }
        var start: UInt64 = 0
        while bench_due(run, &start) {
            for _ in 0..<batch {
                write()
                let count = await way.call(request, into: reply)
                guard count > 0 else { return false }
                bench_note(run, count, nil)
            }
            bench_record(run, bench_now() - start)
        }
        return true
    }
}
