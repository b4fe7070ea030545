import CBenchDriver

/// One way to call, with bytes that the driver wrote and will check.
protocol Way {
    /// - Returns: the answer's length, 0 for a failure.
    func call(_ request: UnsafeRawBufferPointer, _ reply: UnsafeMutableRawBufferPointer) -> Int
}

/// The driver's loops, in Swift: the same steps as `measure.c`, without a call through a pointer.
struct Measurement: ~Copyable {
    let plan: Plan
    /// The driver's own state.
    let run: UnsafeMutablePointer<bench_run>
    let request: UnsafeRawBufferPointer
    let reply: UnsafeMutableRawBufferPointer

    init?(_ plan: Plan) {
        self.plan = plan
        run = .allocate(capacity: 1)
        guard bench_begin(run, plan.pointer) else { return nil }
        request = UnsafeRawBufferPointer(start: run.pointee.request, count: plan.request)
        reply = UnsafeMutableRawBufferPointer(start: run.pointee.reply, count: run.pointee.room)
    }

    /// Each phase that the plan asks for; `body` measures with so many calls in a sample.
    func phases(_ body: (_ batch: UInt64) -> Bool) -> Bool {
        if plan.batch > 1, !phase(plan.batch, body) { return false }
        return plan.isOneWay ? true : phase(1, body)
    }

    private func phase(_ batch: UInt64, _ body: (UInt64) -> Bool) -> Bool {
        bench_phase(run, batch)
        defer { bench_phase_end(run) }
        return body(batch)
    }

    func calls(_ batch: UInt64, _ way: some Way) -> Bool {
        var start: UInt64 = 0
        while bench_due(run, &start) {
            for _ in 0..<batch {
                write()
                guard check(way.call(request, reply)) else { return false }
            }
            bench_record(run, bench_now() - start)
        }
        return true
    }

    @inline(__always)
    func write() {
        bench_write(run.pointee.request, request.count, run.pointee.number, true)
    }

    @inline(__always)
    func check(_ count: Int) -> Bool {
        guard count > 0 else { return false }
        if count != plan.reply || !bench_check(run.pointee.reply, count, run.pointee.number) { run.pointee.wrong += 1 }
        run.pointee.number += 1
        return true
    }
}
