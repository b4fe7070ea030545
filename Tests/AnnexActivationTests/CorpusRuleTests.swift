import AnnexBundle
import AnnexModel
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexActivation

/// The activation rules of real extensions against typical items. The property lists lie outside the repository, in the
/// folder `ANNEX_CORPUS`. Without this variable, they lie in `../shared/corpus`.
@Suite struct CorpusRuleTests {
    @Test(.enabled(if: Corpus.propertyLists != nil, "no corpus of real property lists: set ANNEX_CORPUS to its folder"))
    func `A1, A2: each real rule is read and decides about typical items`() throws {
        let folder = try #require(Corpus.propertyLists)
        var table: [String: String] = [:]
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let list = try PropertyListValue([UInt8](Data(contentsOf: file))).dictionary?["NSExtension"]?.dictionary
            guard let value = list?["NSExtensionAttributes"]?.dictionary?[ActivationRule.key] else { continue }
            let rule = ActivationRule(ItemValue(value))
            if case .faulty(let fault) = rule { Issue.record("\(file.lastPathComponent): \(fault)") }
            // The string has one letter for each typical item for which the extension is offered.
            table[String(file.lastPathComponent.prefix(3))] = String(
                zip("taupTmfb", Offers.typical).map { rule.decide($1.items) == .offered ? $0 : "-" })
        }
        let wrong = table.filter { CorpusRules.expected[$0.key] != $0.value }
        #expect(wrong.isEmpty, "\(wrong.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \"\($0.value)\"" })")
        #expect(table.count == CorpusRules.expected.count)
    }
}
