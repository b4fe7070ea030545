import AnnexChannel

/// The synchronous call with owned bytes.
struct CallWay: Way {
    let channel: HostEndpoint

    func call(_ request: UnsafeRawBufferPointer, _ reply: UnsafeMutableRawBufferPointer) -> Int {
        do throws(CallFailure) {
            let answer = try channel.call(Request(method: 7, payload: Array(request)), timeout: .seconds(20))
            guard answer.payload.count <= reply.count else { return 0 }
            reply.copyBytes(from: answer.payload)
            return answer.payload.count
        } catch {
            Complaint.print("\(error)")
            return 0
        }
    }
}
