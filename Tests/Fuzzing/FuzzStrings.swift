import AnnexBundle

/// Files of translated texts, in all their forms. The reader's result must stay within the limits.
enum FuzzStrings {
    static func main() {
        Fuzzer.run { start, count in
            guard let texts = try? StringsFile.texts(Fuzzer.bytes(start, count)) else { return 0 }
            let limits = PropertyListLimits.strings
            Fuzzer.expect(texts.count <= limits.values, "more texts than allowed")
            Fuzzer.expect(texts.allSatisfy { $0.key.utf8.count <= limits.key }, "a longer key than allowed")
            return 0
        }
    }
}
