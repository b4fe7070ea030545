import Testing

@testable import AnnexCommand

/// Whether the parent of `annex run --end-with-parent` can be watched. RunParentTests tests the watch itself.
@Suite(.timeLimit(.minutes(20))) struct ParentWatchTests {
    @Test func `a parent outside the container cannot be watched`() {
        let problem = ParentWatch.problem(parent: 0, isOfOwnSession: false)
        #expect("\(String(describing: problem))".contains("outside this container"))
    }

    @Test func `the first process is a parent only for processes of its own session`() {
        #expect(ParentWatch.problem(parent: 1, isOfOwnSession: true) == nil)
        let problem = ParentWatch.problem(parent: 1, isOfOwnSession: false)
        #expect("\(String(describing: problem))".contains("ended before"))
        #expect(ParentWatch.problem(parent: 7, isOfOwnSession: false) == nil)
    }
}
