import AnnexTestSupport
import Testing

@testable import AnnexToday

/// The user's order of the widgets: a pure value.
@Suite(.timeLimit(.minutes(20))) struct WidgetOrderTests {
    private func order(_ identifiers: String...) -> WidgetOrder {
        var order = WidgetOrder()
        order.take(identifiers, by: identifiers, asOf: 0)
        return order
    }

    @Test func `widgets without a place follow in the order of their list`() {
        var order = WidgetOrder()
        order.take(["a", "b", "c", "d"], by: ["d", "x", "b", "d"], asOf: 0)
        #expect(order.identifiers == ["d", "b", "a", "c"])
    }

    @Test func `a move counts the cards only, and widgets without a card keep their places`() {
        var order = order("a", "hidden", "b", "c")
        #expect(order.move("c", to: 1, among: ["a", "b", "c"]) == true)
        #expect(order.identifiers == ["a", "hidden", "c", "b"])
        #expect(order.move("a", to: 9, among: ["a", "c", "b"]) == true)
        #expect(order.identifiers == ["hidden", "c", "b", "a"])
        #expect(order.move("unknown", to: 0, among: ["c", "b", "a"]) == false)
        #expect(order.moves == 2)
    }

    @Test func `an order that was read before a move does not undo it`() {
        var order = order("a", "b")
        let moves = order.moves
        #expect(order.move("b", to: 0, among: ["a", "b"]) == true)
        order.take(["a", "b", "c"], by: ["a", "b"], asOf: moves)
        #expect(order.identifiers == ["b", "a", "c"])
        order.take(["a", "b", "c"], by: ["c", "a", "b"], asOf: order.moves)
        #expect(order.identifiers == ["c", "a", "b"])
    }

    @Test(arguments: 0..<100)
    func `a widget that is moved stands at its place among the cards, and no widget is lost`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let all = (0..<8).map { "w\($0)" }
        var order = WidgetOrder()
        order.take(all, by: [], asOf: 0)
        for _ in 0..<30 {
            let hidden = Set(all.filter { _ in Bool.random(using: &random) })
            let shown = order.identifiers.filter { !hidden.contains($0) }
            guard let one = shown.randomElement(using: &random) else { continue }
            let place = Int.random(in: 0...10, using: &random)
            let others = order.identifiers.filter { $0 != one }
            #expect(order.move(one, to: place, among: shown) == true)
            #expect(order.identifiers.filter { $0 != one } == others)
            let found = order.identifiers.filter { !hidden.contains($0) }.firstIndex(of: one)
            #expect(found == min(place, shown.count - 1))
        }
    }
}
