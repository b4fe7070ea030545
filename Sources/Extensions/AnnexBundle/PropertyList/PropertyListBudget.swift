/// The remaining values and bytes that a reader may take from a property list.
struct PropertyListBudget {
    private let limits: PropertyListLimits
    private var values: Int
    private var bytes: Int

    init(_ limits: PropertyListLimits) {
        self.limits = limits
        values = limits.values
        bytes = limits.bytes
    }

    /// Counts one more value at this depth.
    mutating func spendValue(at offset: Int, depth: Int) throws(PropertyListFailure) {
        guard depth < limits.depth else {
            throw PropertyListFailure(at: offset, "nested deeper than \(limits.depth)")
        }
        guard values > 0 else { throw PropertyListFailure(at: offset, "more than \(limits.values) values") }
        values -= 1
    }

    /// Counts bytes of text or data. Call it before they are copied.
    mutating func spend(bytes count: Int, at offset: Int) throws(PropertyListFailure) {
        guard count <= bytes else {
            throw PropertyListFailure(at: offset, "more than \(limits.bytes) bytes of text and data")
        }
        bytes -= count
    }

    func checkKey(_ key: String, at offset: Int) throws(PropertyListFailure) {
        guard key.utf8.count <= limits.key else {
            throw PropertyListFailure(at: offset, "a key longer than \(limits.key) bytes")
        }
    }
}
