import AnnexChannel
import CBenchDriver

extension Measurement {
    /// Sends one-way messages. Then a question asks the extension whether all messages have arrived.
    func posts(_ batch: UInt64, over channel: HostEndpoint) -> Bool {
        var start: UInt64 = 0
        while bench_due(run, &start) {
            for index in 1...batch {
                bench_write(run.pointee.request, request.count, run.pointee.number, false)
                run.pointee.number += 1
                do throws(CallFailure) {
                    let isLast = index.isMultiple(of: plan.flush) || index == batch
                    try channel.post(Method.raw, payload: request.bytes, flush: isLast)
                } catch {
                    Complaint.print("\(error)")
                    return false
                }
            }
            bench_record(run, bench_now() - start)
        }
        return true
    }
}
