import AnnexModel
import Testing

@testable import AnnexActivation

@Suite struct DictionaryRuleTests {
    private static let images = "NSExtensionActivationSupportsImageWithMaxCount"
    private static let files = "NSExtensionActivationSupportsFileWithMaxCount"
    private static let texts = "NSExtensionActivationSupportsText"
    private static let version = "NSExtensionActivationDictionaryVersion"
    private static let strict = "NSExtensionActivationUsesStrictMatching"
    private static let most = "NSExtensionActivationSupportsAttachmentsWithMaxCount"
    private static let fewest = "NSExtensionActivationSupportsAttachmentsWithMinCount"

    private func why(_ rule: ItemValue, for items: OfferedItems) -> String? {
        ActivationRule(rule).decide(items).why
    }

    @Test func `A1: a rule of nine pictures takes nine and neither ten nor a page nor a file`() {
        let rule: ItemValue = [Self.images: 9]
        #expect(why(rule, for: Offers.photos(1)) == nil)
        #expect(why(rule, for: Offers.photos(9)) == nil)
        #expect(why(rule, for: Offers.photos(10)) == "it takes 9 pictures at most, not 10")
        #expect(why(rule, for: Offers.one(TypeIdentifier(rawValue: "com.apple.property-list"))) != nil)
        #expect(why(rule, for: Offers.one(.pdf)) == "its rule takes no com.adobe.pdf")
        #expect(why(rule, for: Offers.one(.url)) != nil)
        #expect(why(rule, for: Offers.text) != nil)
        #expect(why(rule, for: Offers.nothing) == "there is nothing to take")
    }

    @Test func `A1: version 1 needs one attachment that matches and version 2 needs all`() {
        let mixed = Offers.one(.png, .pdf)
        #expect(why([Self.images: 1], for: mixed) == nil)
        #expect(why([Self.images: 1, Self.version: 1], for: mixed) == nil)
        #expect(why([Self.images: 1, Self.version: 2], for: mixed) == "its rule takes no com.adobe.pdf")
        #expect(why([Self.images: 1, Self.files: 1, Self.version: 2], for: mixed) == nil)
    }

    @Test func `A1: strict matching needs each type of an attachment`() {
        let twofold = OfferedItems(attachments: [[[.png, .url]]], types: .builtIn)
        #expect(why([Self.images: 1, Self.version: 2], for: twofold) == nil)
        #expect(why([Self.images: 1, Self.version: 2, Self.strict: true], for: twofold) != nil)
        #expect(
            why(
                [
                    Self.images: 1, Self.strict: true,
                    "NSExtensionActivationSupportsWebURLWithMaxCount": 1,
                ], for: twofold) == nil)
    }

    @Test func `A1: attachments are counted in all, at most and at least`() {
        #expect(why([Self.images: 9, Self.most: 2], for: Offers.photos(3)) == "it takes 2 attachments at most, not 3")
        #expect(
            why([Self.images: 9, Self.fewest: 2], for: Offers.photos(1)) == "it takes 2 attachments at least, not 1")
        #expect(why([Self.images: 9, Self.fewest: 2, Self.most: 2], for: Offers.photos(2)) == nil)
        #expect(why([Self.most: 2], for: Offers.one(.pdf, .url)) == nil)
        #expect(why([:], for: Offers.photos(1)) == "its rule names no kind of attachments")
    }

    @Test func `A1: a picture counts as a file only if the rule does not name pictures`() {
        #expect(why([Self.files: 1], for: Offers.photos(1)) == nil)
        #expect(why([Self.files: 1, Self.images: 0], for: Offers.photos(1)) != nil)
        #expect(why([Self.files: 1], for: Offers.one(.url)) != nil)
        #expect(why([Self.files: 1], for: Offers.one(.fileURL)) == nil)
    }

    @Test func `A1: the text of an item counts if the item has no attachment`() {
        #expect(why([Self.texts: true], for: Offers.text) == nil)
        #expect(why([Self.texts: 1], for: Offers.one(.plainText)) == nil)
        #expect(why([Self.texts: false], for: Offers.text) != nil)
        #expect(why([Self.files: 5], for: Offers.text) != nil)
    }

    @Test func `A1: unknown keys of a rule are named and change nothing`() {
        let rule = DictionaryRule([Self.images: 1, "NSExtensionActivationSupportsWebURL": true])
        #expect(rule.unknownKeys == ["NSExtensionActivationSupportsWebURL"] && rule.fault == nil)
        #expect(rule.mismatch(with: Offers.photos(1)) == nil)
    }

    @Test(
        arguments: [
            [images: -1], [images: "9"], [version: 3], [texts: 2], [strict: []], [most: true],
        ] as [ItemValue])
    func `A1: a rule with a wrong value offers nothing and names the key`(rule: ItemValue) {
        let why = why(rule, for: Offers.photos(1)) ?? ""
        #expect(why.hasPrefix("its rule cannot be used: NSExtensionActivation"), "\(why)")
    }

    @Test func `A4: a photo editor takes one medium that it names`() {
        func why(_ types: ItemValue?, for items: OfferedItems) -> String? {
            let attributes = types.map { [ActivationRule.photoKey: $0] } ?? [:]
            return ActivationRule(attributes: attributes, point: ActivationRule.photoPoint).decide(items).why
        }
        #expect(why(nil, for: Offers.photos(1)) == nil)
        #expect(why(nil, for: Offers.photos(2)) != nil)
        #expect(why(nil, for: Offers.one(.movie)) == "it edits only pictures")
        #expect(why(["Video"], for: Offers.one(.mpeg4Movie)) == nil)
        #expect(why(["Video"], for: Offers.photos(1)) == "it edits only movies")
        #expect(why(7, for: Offers.photos(1)) != nil)
    }

    @Test func `A1: an extension without a rule is not offered`() {
        let rule = ActivationRule(attributes: [:], point: "com.apple.share-services")
        #expect(rule.decide(Offers.photos(1)).why == "it has no NSExtensionActivationRule")
        #expect(ActivationRule(7).decide(Offers.photos(1)).why != nil)
    }
}
