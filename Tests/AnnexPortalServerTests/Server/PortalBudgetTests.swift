import Testing

@testable import AnnexPortalServer

@Suite(.timeLimit(.minutes(20))) struct PortalBudgetTests {
    @Test func `a period has room for so many requests and the next period again`() {
        var budget = PortalBudget()
        let begin = PortalBudget.period * 3
        for _ in 0..<PortalBudget.perPeriod {
            #expect(budget.pace(at: begin) == .now)
            budget.take(bytes: 1)
            budget.finish(bytes: 1)
        }
        #expect(budget.pace(at: begin + 5) == .at(begin + PortalBudget.period))
        #expect(budget.pace(at: begin + PortalBudget.period) == .now)
    }

    @Test func `requests without an answer and their bytes are bounded`() {
        var many = PortalBudget()
        for _ in 0..<PortalBudget.mostOpen { many.take(bytes: 0) }
        #expect(many.pace(at: 0) == .afterAnswer)
        many.finish(bytes: 0)
        #expect(many.pace(at: 0) == .now)
        var large = PortalBudget()
        large.take(bytes: PortalBudget.mostBytes)
        #expect(large.pace(at: 0) == .afterAnswer)
        large.finish(bytes: PortalBudget.mostBytes)
        #expect(large.pace(at: 0) == .now)
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
