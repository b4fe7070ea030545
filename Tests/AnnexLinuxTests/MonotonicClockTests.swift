import AnnexLinux
import Testing

@Suite struct MonotonicClockTests {
    @Test func `durations that do not fit are held at the ends`() {
        #expect(MonotonicClock.nanoseconds(.seconds(-1)) == 0)
        #expect(MonotonicClock.nanoseconds(.milliseconds(-1)) == 0)
        #expect(MonotonicClock.nanoseconds(.nanoseconds(7)) == 7)
        #expect(MonotonicClock.nanoseconds(.seconds(Int64.max)) == .max)
        #expect(MonotonicClock.deadline(after: .seconds(Int64.max)) == .max)
    }

    @Test func `LIFE-07: no time remains until a moment that has passed`() {
        let now = MonotonicClock.now()
        #expect(MonotonicClock.remaining(until: now) == 0)
        #expect(MonotonicClock.remaining(until: .max) > 0)
        #expect(MonotonicClock.now() >= now)
    }
}
