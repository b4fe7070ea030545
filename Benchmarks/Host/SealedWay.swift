import AnnexChannel

/// The answer is sealed memory that the extension hands over. The driver verifies the answer where it is mapped.
final class SealedWay: Way {
    private let channel: HostEndpoint
    private let accepts: DescriptorAllowance
    /// The last answer, which stays mapped until the next call.
    private var memory: SealedBytes?

    init(_ channel: HostEndpoint, plan: Plan) {
        self.channel = channel
        accepts = DescriptorAllowance(pieces: 1, bytes: UInt64(plan.reply))
    }

    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) -> Int {
        memory = nil
        do throws(CallFailure) {
            let answer = try channel.callAndWait(
                Request(method: Method.sealed, payload: Array(request), accepts: accepts), timeout: .seconds(20))
            memory = answer.sealed.first
            guard memory == nil else { return memory?.count ?? 0 }
            reply.copyBytes(from: answer.payload.prefix(reply.count))
            return answer.payload.count
        } catch {
            Complaint.print("\(error)")
            return 0
        }
    }

    // The sealed memory stays mapped for as long as the object lives, which is until the next call.
    var place: UnsafeRawPointer? { memory?.withBytes { $0.withUnsafeBytes(\.baseAddress) } }
}
