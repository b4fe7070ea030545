import AnnexBrokerAPI
import AnnexModel
import Testing

@testable import AnnexHost

/// The activation rules that a host caches.
@Suite struct KeptRulesTests {
    private func one(_ id: String = "com.example.a", digest: String? = nil, number: UInt64? = nil) -> InstalledExtension
    {
        var one = InstalledExtension(
            id: id, displayName: "A", extensionPoint: "com.apple.ui-services", containingApp: "com.example",
            build: InstalledExtension.Build(version: "1", digest: digest))
        one.installation = number
        return one
    }

    private func rule(length: Int = 20) -> ActivationRule {
        let text = "TRUEPREDICATE" + String(repeating: " ", count: length - 13)
        return ActivationRule(attributes: [ActivationRule.key: .string(text)], point: "com.apple.ui-services")
    }

    private func isKept(_ one: InstalledExtension, in rules: KeptRules) -> Bool { rules.rule(of: one) != nil }

    @Test func `a rule is kept only for files that are known to be the same`() {
        let rules = KeptRules()
        for each in [one(), one(digest: "0123"), one(number: 7)] { rules.keep(rule(), of: each) }
        #expect(!isKept(one(), in: rules))
        #expect(isKept(one(digest: "0123"), in: rules) && !isKept(one(digest: "4567"), in: rules))
        #expect(isKept(one(number: 7), in: rules) && !isKept(one(number: 8), in: rules))
        // The same files have the same rule, even if they are installed several times.
        #expect(isKept(one(digest: "0123", number: 9), in: rules))
    }

    @Test func `a thousand usual rules are kept, and few of the longest`() {
        let rules = KeptRules()
        func kept(_ length: Int) -> Int {
            let all = (1...1_000).map { one("com.example.\(length).a\($0)", number: UInt64($0)) }
            for each in all { rules.keep(rule(length: length), of: each) }
            return all.count { isKept($0, in: rules) }
        }
        #expect(kept(500) == 1_000)
        #expect((1...65).contains(kept(16_000)))
    }
}
