import AnnexTestSupport
import Dispatch
import Testing

@testable import AnnexLinux

@Suite(.timeLimit(.minutes(20))) struct LaneTests {
    @Test func `a lane is idle only if no job waits and none runs`() async {
        let lane = Lane("annex-test")
        #expect(lane.isIdle)
        let (waiting, goesOn) = whileAJobRuns(on: lane)
        #expect(waiting == [0, 1])
        goesOn.signal()
        await eventually { lane.isIdle }
        #expect(lane.count == 0)
    }

    /// - Returns: two counts and a semaphore. The counts state how many jobs waited besides the running job, first and
    ///   after one more job. The semaphore lets the running job continue.
    private func whileAJobRuns(on lane: Lane) -> (waiting: [Int], goesOn: DispatchSemaphore) {
        let (runs, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        lane.run {
            runs.signal()
            goesOn.wait()
        }
        runs.wait()
        var waiting = [lane.count]
        #expect(!lane.isIdle, "a job runs")
        lane.run {}
        waiting.append(lane.count)
        #expect(!lane.isIdle, "a job runs, and another waits")
        return (waiting, goesOn)
    }
}
