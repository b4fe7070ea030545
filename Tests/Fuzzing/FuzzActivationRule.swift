import AnnexActivation
import AnnexBundle
import AnnexModel

/// Any property list must give a rule with a decision, and must declare types without a trap. The reader of bundles
/// reads the property list.
enum FuzzActivationRule {
    private static let items = OfferedItems(
        attachments: [[[.jpeg, .url], [.plainText], [.pdf]]], types: .builtIn)

    static func main() {
        Fuzzer.run { bytes, count in
            FuzzActivationRule.read(Fuzzer.bytes(bytes, count))
            return 0
        }
    }

    private static func read(_ bytes: [UInt8]) {
        guard let list = try? PropertyListValue(bytes) else { return }
        let value = ItemValue(list)
        let rule = ActivationRule(attributes: [ActivationRule.key: value], point: ActivationRule.photoPoint)
        Fuzzer.expect(rule.decide(items).why?.isEmpty != true, "a reason has no words")
        guard let values = value.dictionary else { return }
        _ = ActivationRule(attributes: values, point: ActivationRule.photoPoint).decide(items)
        let table = TypeTable.builtIn.adding([TypeDeclarations(info: values)])
        Fuzzer.expect(!table.conforms(.png, to: .movie), "an app has taken over a type")
    }
}
