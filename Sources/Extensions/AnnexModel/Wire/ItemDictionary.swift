package import AnnexChannel

/// A dictionary on the wire. Its entries are sorted by key, so that equal dictionaries have equal bytes.
package struct ItemDictionary: Message {
    package let values: [String: ItemValue]

    package init(values: [String: ItemValue]) {
        self.values = values
    }

    package func encode(into encoder: inout MessageEncoder) {
        let entries = values.sorted { $0.key < $1.key }
        encoder.encode(list: entries.lazy.map { Entry(key: $0.key, value: $0.value) }, as: 1)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        var values: [String: ItemValue] = [:]
        for entry in try decoder.decodeList(1, of: Entry.self) {
            // If a key appeared twice, one reader could check one value and another reader use the other.
            guard values.updateValue(entry.value, forKey: entry.key) == nil else {
                throw decoder.failure(1, .refused("a key appears twice"))
            }
        }
        self.values = values
    }

    private struct Entry: Message {
        let key: String
        let value: ItemValue

        init(key: String, value: ItemValue) {
            self.key = key
            self.value = value
        }

        func encode(into encoder: inout MessageEncoder) {
            encoder.encode(key, as: 1)
            encoder.encode(value, as: 2)
        }

        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
            key = try decoder.decode(1)
            value = try decoder.decode(2)
        }
    }
}
