import AnnexChannel
import AnnexLinux
import AnnexTestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct ExecutorTests {
    @Test func `tasks on the executor of a channel run on the thread that reads it`() async throws {
        let loop = try EventLoop()
        let ends = try HostEndpoint.make(configuration: .patient, eventLoop: loop)
        let host = ends.host
        let thread = ExtensionThread.echoing(ends.descriptors)
        await withTaskExecutorPreference(host.executor) {
            #expect(loop.isCurrent)
            for index in 0..<200 {
                let payload = [UInt8(index % 256)]
                let answer = try? await host.call(Request(method: 1, payload: payload), timeout: .patience).payload
                #expect(answer == payload && loop.isCurrent)
            }
        }
        #expect(!loop.isCurrent)
        host.finish(thread)
    }
}
