import AnnexModel
import AnnexTestSupport
import Testing

@testable import AnnexTodayPage

/// The forms of the page.
@Suite(.timeLimit(.minutes(20))) struct PageWishTests {
    private func wish(_ form: String) -> PageWish? { PageWish(form: Array(form.utf8)) }

    @Test func `each form of the page is a wish`() {
        let widget = "widget=com.example.a"
        #expect(wish("\(widget)&do=update") == .update("com.example.a"))
        #expect(wish("do=expand&\(widget)") == .setExpanded(true, "com.example.a"))
        #expect(wish("do=collapse&\(widget)") == .setExpanded(false, "com.example.a"))
        #expect(wish("do=add&\(widget)") == .setAdded(true, "com.example.a"))
        #expect(wish("do=remove&\(widget)") == .setAdded(false, "com.example.a"))
        #expect(wish("do=move%3A3&\(widget)") == .move("com.example.a", to: 3))
        #expect(wish("do=width%3a288") == .width(288))
        let action = ContentAction(identifier: "a-b.c_d")
        #expect(wish("\(widget)&do=perform:a-b.c_d") == .perform(action, in: "com.example.a"))
        let option = ContentAction(identifier: "a", option: 7)
        #expect(wish("\(widget)&do=perform:a:7") == .perform(option, in: "com.example.a"))
    }

    @Test(arguments: [
        "", "do", "do=", "do=other", "update", "do=update&do=remove", "do=%", "do=%4", "do=%zz", "do=%+1", "do=%FF",
        "do=move:-1",
        "do=move:x", "do=move", "do=width:0", "do=width:10001", "do=width:99999999999999999999", "do=perform",
        "do=perform:a:b", "do=perform:a:4294967296", "do=perform:a:1:2", "do=update:1", "=&do=update&=",
    ])
    func `a form that the page does not have is refused`(form: String) {
        #expect(wish(form) == nil)
    }

    @Test func `a form that is too long is refused`() {
        #expect(wish("do=update&widget=" + String(repeating: "a", count: 4080)) == nil)
    }

    @Test(arguments: 0..<200)
    func `any bytes are a wish or none`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let words = Array("do=perform:a&widget=%3A+\u{0}".utf8)
        for _ in 0..<100 {
            let form = (0..<Int.random(in: 0...40, using: &random)).map { _ in words.randomElement(using: &random) ?? 0
            }
            _ = PageWish(form: form)
        }
    }
}
