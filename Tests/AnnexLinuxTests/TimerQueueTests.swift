import Testing

@testable import AnnexLinux

@Suite struct TimerQueueTests {
    @Test func `timers leave the queue in order and cancelled timers never`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var queue = TimerQueue()
            var left: [UInt64: UInt64] = [:]
            for token in 1...UInt64(50) {
                let deadline = UInt64.random(in: 0..<40, using: &random)
                queue.insert(token, deadline: deadline)
                left[token] = deadline
            }
            for token in 1...UInt64(50) where Bool.random(using: &random) {
                let removals = (queue.remove(token), queue.remove(token))
                #expect(removals == (true, false))
                left[token] = nil
            }
            var last: UInt64 = 0
            while let token = queue.takeDue(by: 39) {
                #expect(left[token] ?? 0 >= last)
                last = left.removeValue(forKey: token) ?? 0
            }
            #expect(left.isEmpty)
            #expect(queue.count == 0)
        }
    }

    @Test func `no timer is due before its time`() {
        var queue = TimerQueue()
        queue.insert(1, deadline: 10)
        #expect(queue.takeDue(by: 9) == nil)
        #expect(queue.earliest == 10)
        #expect(queue.takeDue(by: 10) == 1)
    }
}
