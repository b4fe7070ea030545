import CBenchDriver

/// One way to call, with bytes that the driver wrote and will check.
protocol Way {
    /// - Returns: the answer's length, 0 for a failure.
    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) -> Int

    /// The address of the last answer until the next call; nil if it was copied.
    var place: UnsafeRawPointer? { get }

    /// The time of the last call in nanoseconds. It is nil if that time is simply the time from the call's beginning to
    /// its end.
    var elapsed: UInt64? { get }

    /// Runs between two calls, while the clock does not run.
    func after()
}

extension Way {
    var place: UnsafeRawPointer? { nil }
    var elapsed: UInt64? { nil }

    func after() {}
}

/// The driver's loops, in Swift: the same steps as `measure.c`, without a call through a pointer.
struct Measurement: ~Copyable {
    let plan: Plan
    /// The driver's own state.
    let run: UnsafeMutablePointer<bench_run>
    let request: UnsafeRawBufferPointer
    let reply: UnsafeMutableRawBufferPointer
    /// The way in which the driver itself asks the other side.
    private let link: DriverLink

    init?(_ plan: Plan, asking way: any Way) {
        self.plan = plan
        link = DriverLink(way)
        run = .allocate(capacity: 1)
        guard bench_begin(run, plan.pointer) else { return nil }
        request = UnsafeRawBufferPointer(start: run.pointee.request, count: plan.request)
        reply = UnsafeMutableRawBufferPointer(start: run.pointee.reply, count: run.pointee.room)
    }

    /// The whole measurement.
    /// - Returns: the program's exit status.
    static func of(_ plan: Plan, asking way: any Way, _ body: (borrowing Measurement) -> Bool) -> Int32 {
        guard let measurement = Measurement(plan, asking: way), measurement.settle(), body(measurement)
        else { return 1 }
        return measurement.finish()
    }

    func settle() -> Bool { bench_settle(run, DriverLink.call, DriverLink.place, link.pointer) }
    func drain() -> Bool { bench_drain(DriverLink.call, link.pointer) }
    func finish() -> Int32 { bench_finish(run, DriverLink.call, link.pointer) }

    /// Runs each phase that the plan asks for. `body` measures with `batch` calls in a sample.
    func phases(_ body: (_ batch: UInt64) -> Bool) -> Bool {
        if plan.isOneWay { return phase(plan.batch, body) }
        if plan.batch > 1, !phase(plan.batch, body) { return false }
        return phase(1, body)
    }

    private func phase(_ batch: UInt64, _ body: (UInt64) -> Bool) -> Bool {
        bench_phase(run, batch)
        defer { bench_phase_end(run) }
        return body(batch)
    }

    func calls(_ batch: UInt64, asking way: some Way) -> Bool {
        var start: UInt64 = 0
        while bench_due(run, &start) {
            for _ in 0..<batch {
                write()
                let count = way.call(request, into: reply)
                guard count > 0 else { return false }
                bench_note(run, count, way.place)
            }
            bench_record(run, way.elapsed ?? bench_now() - start)
            way.after()
        }
        return true
    }

    @inline(__always)
    func write() {
        bench_write(run.pointee.request, request.count, run.pointee.number, true)
    }
}
