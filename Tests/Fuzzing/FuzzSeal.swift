import AnnexSigning

/// The seal of an app that is not trusted. An accepted seal must have only one form in bytes. Only the key can make a
/// valid signature. The first byte chooses the reader.
enum FuzzSeal {
    static func main() {
        Fuzzer.run { start, count in
            FuzzSeal.read(Fuzzer.bytes(start, count))
            return 0
        }
    }

    private static func read(_ bytes: [UInt8]) {
        switch bytes.first {
        case 0:
            guard let seal = Seal(bytes.dropFirst()) else { return }
            Fuzzer.expect(seal.encoded.elementsEqual(bytes.dropFirst()), "a second spelling of a seal")
            Fuzzer.expect(seal.entries.count <= Seal.mostEntries, "more entries than are allowed")
            Fuzzer.expect(seal.entries.map(\.path) == seal.entries.map(\.path).sorted(), "entries out of order")
            for entry in seal.entries {
                Fuzzer.expect(seal.content(of: entry.path.text) == entry.content, "an entry that is not found")
                let names = entry.path.text.split(separator: "/", omittingEmptySubsequences: false)
                Fuzzer.expect(!names.contains("..") && !names.contains(""), "a path that leads elsewhere")
            }
        case 1:
            Fuzzer.expect(SealFile(verifying: Array(bytes.dropFirst())) == nil, "a forged signature")
        default:
            let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
            guard let trust = try? TeamTrust(text: text, place: "fuzz") else { return }
            let again = try? TeamTrust(text: trust.text, place: "fuzz")
            Fuzzer.expect(again == trust, "trust that is lost when it is written")
        }
    }
}
