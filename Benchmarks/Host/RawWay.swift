import AnnexChannel

/// The synchronous call with borrowed bytes: it allocates no memory.
struct RawWay: Way {
    let channel: HostEndpoint

    @inline(__always)
    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) -> Int {
        do throws(CallFailure) {
            var span = reply.mutableBytes
            return try channel.callAndWait(Method.raw, payload: request.bytes, into: &span)
        } catch {
            Complaint.print("\(error)")
            return 0
        }
    }
}
