import AnnexBundle

/// Property lists of both forms. A reader's result must stay within the limits. Each value counts as often as it
/// appears.
enum FuzzPropertyList {
    /// The limits are small, so that inputs of a kilobyte reach them.
    private static let limits = PropertyListLimits(bytes: 1_024, values: 96, depth: 8, key: 48)

    static func main() {
        Fuzzer.run { start, count in
            let bytes = Fuzzer.bytes(start, count)
            FuzzPropertyList.read(bytes)
            _ = try? PropertyListValue(bytes)
            return 0
        }
    }

    private static func read(_ bytes: [UInt8]) {
        guard let value = try? PropertyListValue(bytes, within: limits) else { return }
        var found = Found()
        found.add(value, depth: 1)
        Fuzzer.expect(found.values <= limits.values, "more values than allowed")
        // A UTF-16 unit has two bytes in the file, and up to three as UTF-8.
        Fuzzer.expect(found.bytes <= limits.bytes * 3 / 2, "more text than allowed")
        Fuzzer.expect(found.depth <= limits.depth, "nested deeper than allowed")
        Fuzzer.expect(found.key <= limits.key, "a longer key than allowed")
    }

    private struct Found {
        var values = 0
        var bytes = 0
        var depth = 0
        var key = 0

        mutating func add(_ value: PropertyListValue, depth: Int) {
            values += 1
            self.depth = max(self.depth, depth)
            switch value {
            case .string(let text), .dateText(let text): bytes += text.utf8.count
            case .data(let data): bytes += data.count
            case .array(let values): for value in values { add(value, depth: depth + 1) }
            case .dictionary(let values):
                for (key, value) in values {
                    self.key = max(self.key, key.utf8.count)
                    add(value, depth: depth + 1)
                }
            case .integer, .real, .boolean, .date: break
            }
        }
    }
}
