import AnnexBundle

/// Entitlements files. The groups in the result must be valid names of groups, and the names of entitlements must be
/// sorted.
enum FuzzEntitlements {
    static func main() {
        Fuzzer.run { start, count in
            guard let found = try? EntitlementsReader.read(Fuzzer.bytes(start, count), file: "fuzz") else { return 0 }
            Fuzzer.expect(found.applicationGroups.count <= 32, "more groups than allowed")
            Fuzzer.expect(
                found.applicationGroups.allSatisfy {
                    $0.utf8.starts(with: "group.".utf8) && !$0.utf8.contains(UInt8(ascii: "/"))
                }, "a group with another name")
            Fuzzer.expect(found.names == found.names.sorted(), "names in disorder")
            return 0
        }
    }
}
