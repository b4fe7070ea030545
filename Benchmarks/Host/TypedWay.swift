import AnnexChannel
import BenchMessages

/// The synchronous call with typed messages. The host encodes each request, and the extension decodes it and answers.
/// The answer is encoded and decoded in the same way.
struct TypedWay: Way {
    let channel: HostEndpoint

    @inline(__always)
    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) -> Int {
        do throws(CallFailure) {
            return try channel.callAndWait(Words(request)).copy(to: reply)
        } catch {
            Complaint.print("\(error)")
            return 0
        }
    }
}

extension Words {
    /// - Returns: the number of bytes; 0 if there is too little room.
    @inline(__always)
    func copy(to reply: UnsafeMutableRawBufferPointer) -> Int {
        withBytes { words in
            guard words.count <= reply.count else { return 0 }
            reply.copyMemory(from: words)
            return words.count
        }
    }
}
