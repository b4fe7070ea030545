import Testing

@testable import AnnexPortalServer

@Suite(.timeLimit(.minutes(20))) struct PortalBudgetTests {
    @Test func `a second has room for so many requests and the next second again`() {
        var budget = PortalBudget()
        for _ in 0..<PortalBudget.perSecond {
            #expect(budget.take(bytes: 1, at: 5) == nil)
            budget.finish(bytes: 1)
        }
        #expect(budget.take(bytes: 1, at: 5)?.contains("in one second") ?? false)
        budget.finish(bytes: 1)
        #expect(budget.take(bytes: 1, at: 1_000_000_005) == nil)
    }

    @Test func `requests without an answer and their bytes are bounded`() {
        var many = PortalBudget()
        for _ in 0..<PortalBudget.mostOpen { #expect(many.take(bytes: 0, at: 0) == nil) }
        #expect(many.take(bytes: 0, at: 0)?.contains("open portal requests") ?? false)
        var large = PortalBudget()
        #expect(large.take(bytes: PortalBudget.mostBytes, at: 0) == nil)
        #expect(large.take(bytes: 1, at: 0)?.contains("KiB") ?? false)
    }

    @Test func `news that follow closely are joined`() {
        var news = PortalNewsState()
        #expect(news.ask(at: 1000) == 1000)
        #expect(news.ask(at: 1001) == nil, "they wait already")
        news.sent(at: 1002)
        #expect(news.ask(at: 1003) == 1002 + PortalNewsState.pause)
        news.sent(at: 1002 + PortalNewsState.pause)
        #expect(news.ask(at: 1002 + 9 * PortalNewsState.pause) == 1002 + 9 * PortalNewsState.pause)
    }
}
