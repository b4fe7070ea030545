public import AnnexModel
public import AnnexPortal

extension SharedDefaults {
    /// The text of a key; nil if the key has no text.
    public func string(forKey key: String) -> String? { value(forKey: key)?.string }

    /// The whole number of a key; nil if the key has no whole number.
    public func integer(forKey key: String) -> Int64? { value(forKey: key)?.integer }

    /// The number of a key; nil if the key has no number.
    public func double(forKey key: String) -> Double? { value(forKey: key)?.double }

    /// The truth value of a key; nil if the key has no truth value.
    public func bool(forKey key: String) -> Bool? { value(forKey: key)?.bool }

    /// The date of a key; nil if the key has no date.
    public func date(forKey key: String) -> ItemDate? { value(forKey: key)?.date }

    /// The bytes of a key; nil if the key has no bytes.
    public func data(forKey key: String) -> [UInt8]? { value(forKey: key)?.data }

    /// The list of a key; nil if the key has no list.
    public func array(forKey key: String) -> [ItemValue]? { value(forKey: key)?.list }

    /// The dictionary of a key; nil if the key has no dictionary.
    public func dictionary(forKey key: String) -> [String: ItemValue]? { value(forKey: key)?.dictionary }
}

/// A key whose values have one type, with the default that replaces a missing value.
///
/// ```swift
/// extension DefaultsKey<Bool> { static var isSorted: Self { Self("sorted", default: true) } }
/// if defaults[.isSorted] { sort() }
/// try defaults.set(false, for: .isSorted)
/// ```
public struct DefaultsKey<Value: DefaultsValue>: Sendable {
    public let name: String
    public let defaultValue: Value

    public init(_ name: String, default defaultValue: Value) {
        self.name = name
        self.defaultValue = defaultValue
    }
}

extension SharedDefaults {
    /// The value of a typed key. If the key has no value, or a value of another type, the result is the key's
    /// default.
    public subscript<Value>(key: DefaultsKey<Value>) -> Value {
        value(forKey: key.name).flatMap(Value.init(itemValue:)) ?? key.defaultValue
    }

    /// Changes the value of a typed key, starting from the current value. If another process changes the values
    /// meanwhile, the body runs again with the new value. So no change is lost.
    public func update<Value>(_ key: DefaultsKey<Value>, _ body: (inout Value) -> Void) throws(PortalError) {
        try update { values in
            var value = values[key.name].flatMap(Value.init(itemValue:)) ?? key.defaultValue
            body(&value)
            return [key.name: value.itemValue]
        }
    }

    /// Sets the value of a typed key.
    public func set<Value>(_ value: Value, for key: DefaultsKey<Value>) throws(PortalError) {
        try set(value.itemValue, forKey: key.name)
    }
}

/// A type whose values shared defaults can store.
public protocol DefaultsValue: Sendable {
    /// Creates a value of this type; nil if the item value is of another kind.
    init?(itemValue: ItemValue)
    var itemValue: ItemValue { get }
}

extension String: DefaultsValue {
    public init?(itemValue: ItemValue) {
        guard let text = itemValue.string else { return nil }
        self = text
    }

    public var itemValue: ItemValue { .string(self) }
}

extension Int: DefaultsValue {
    public init?(itemValue: ItemValue) {
        guard let number = itemValue.integer.flatMap(Int.init(exactly:)) else { return nil }
        self = number
    }

    public var itemValue: ItemValue { .integer(Int64(self)) }
}

extension Double: DefaultsValue {
    public init?(itemValue: ItemValue) {
        guard let number = itemValue.double else { return nil }
        self = number
    }

    public var itemValue: ItemValue { .double(self) }
}

extension Bool: DefaultsValue {
    public init?(itemValue: ItemValue) {
        guard let truth = itemValue.bool else { return nil }
        self = truth
    }

    public var itemValue: ItemValue { .bool(self) }
}

extension ItemDate: DefaultsValue {
    public init?(itemValue: ItemValue) {
        guard let date = itemValue.date else { return nil }
        self = date
    }

    public var itemValue: ItemValue { .date(self) }
}

/// An array can be stored if its elements can be stored. Bytes, `[UInt8]`, are stored as data.
extension Array: DefaultsValue where Element: DefaultsElement {
    public init?(itemValue: ItemValue) {
        guard let list = Element.list(in: itemValue) else { return nil }
        self = list
    }

    public var itemValue: ItemValue { Element.itemValue(of: self) }
}

/// A type whose arrays shared defaults can store.
public protocol DefaultsElement: Sendable {
    /// The elements of a value; nil if the value is not a list of elements of this type.
    static func list(in value: ItemValue) -> [Self]?
    static func itemValue(of list: [Self]) -> ItemValue
}

extension UInt8: DefaultsElement {
    public static func list(in value: ItemValue) -> [UInt8]? { value.data }
    public static func itemValue(of list: [UInt8]) -> ItemValue { .data(list) }
}

extension DefaultsElement where Self: DefaultsValue {
    public static func list(in value: ItemValue) -> [Self]? {
        guard let values = value.list else { return nil }
        let list = values.compactMap(Self.init(itemValue:))
        return list.count == values.count ? list : nil
    }

    public static func itemValue(of list: [Self]) -> ItemValue { .list(list.map(\.itemValue)) }
}

extension String: DefaultsElement {}
extension Int: DefaultsElement {}
extension Double: DefaultsElement {}
extension Bool: DefaultsElement {}
extension ItemDate: DefaultsElement {}
