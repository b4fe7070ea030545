import AnnexActivation
import AnnexModel

/// For any text, the reader returns a predicate or an error with a column inside the text. The decision about a
/// predicate must stay within its limit of steps.
enum FuzzPredicate {
    /// Two items with several types, so that subqueries have elements to test.
    private static let items = OfferedItems(
        attachments: [[[.jpeg, .url], [.plainText]], [[.pdf], [TypeIdentifier(rawValue: "aaaaaaaaaaaaaaaa")]]],
        types: .builtIn)

    static func main() {
        Fuzzer.run { bytes, count in
            FuzzPredicate.read(String(decoding: Fuzzer.bytes(bytes, count), as: UTF8.self))
            return 0
        }
    }

    private static func read(_ text: String) {
        do throws(PredicateError) {
            let predicate = try ActivationPredicate(text)
            let first = try? predicate.holds(for: items)
            Fuzzer.expect(first == (try? predicate.holds(for: items)), "a predicate is decided in two ways")
            if predicate.isAlwaysTrue { Fuzzer.expect(first != false, "a predicate that is always true is false") }
        } catch {
            let isInside = (1...(text.utf8.count + 2)).contains(error.column)
            Fuzzer.expect(isInside && !error.remedy.isEmpty, "an error has no place or remedy")
        }
    }
}
