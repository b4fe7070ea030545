import AnnexHost
import BenchMessages

/// The call that the documentation shows to a host's author: a typed call with the extension point's limit. A thread
/// makes the call.
struct SessionWay: Way {
    let session: ExtensionSession

    @inline(__always)
    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) -> Int {
        do throws(HostError) {
            return try session.callAndWait(Words(request)).copy(to: reply)
        } catch {
            Complaint.print("\(error)")
            return 0
        }
    }
}

/// The same call as `SessionWay`, made from a task.
struct SessionTaskWay: TaskWay {
    let session: ExtensionSession

    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) async -> Int {
        do throws(HostError) {
            return try await session.call(Words(request)).copy(to: reply)
        } catch {
            Complaint.print("\(error)")
            return 0
        }
    }
}
