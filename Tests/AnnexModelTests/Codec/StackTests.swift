import AnnexChannel
import AnnexModel
import Dispatch
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20))) struct StackTests {
    @Test func `BOMB-16: the deepest message is read on a small stack`() throws {
        var value: ItemValue = 1
        // Each list is a value in a list, which is itself a value.
        for _ in 0..<31 { value = .list([value]) }
        let bytes = try value.encoded()
        let read = DispatchSemaphore(value: 0)
        let thread = Thread {
            // If the decoder overran the stack, the test's process would end.
            _ = try? ItemValue(decoding: bytes)
            read.signal()
        }
        thread.stackSize = 256 << 10
        thread.start()
        read.wait()
        #expect(try ItemValue(decoding: bytes) == value)
        #expect(throws: EncodingFailure.tooDeep(limit: 64)) { try ItemValue.list([.list([value])]).encoded() }
    }
}
