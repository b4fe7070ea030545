public import AnnexGroups

/// The place whose weather the user wants to know. The app and its widget share the place in the shared defaults of
/// their group.
public struct WeatherPlace: Sendable {
    public static let group = "group.com.example.weather"
    /// The widget that shows the weather of the place.
    public static let widget = "com.example.weather.today"
    private static let place = DefaultsKey("place", default: "")

    private let defaults: SharedDefaults

    public init() throws(PortalError) {
        defaults = try SharedDefaults(suiteName: Self.group)
    }

    /// The name of the place; nil if the user has named no place.
    public var name: String? {
        let name = defaults[Self.place]
        return name.isEmpty ? nil : name
    }

    /// - Parameter name: the name of the place. If it is nil, the place is forgotten.
    public func set(_ name: String?) throws(PortalError) { try defaults.set(name ?? "", for: Self.place) }

    /// A stream that gives a value after each change from now on.
    public func changes() -> AsyncStream<Set<String>> { defaults.changes() }
}

/// The weather of one hour. It is made up from the name of the place, because this example has no network.
public struct Weather: Sendable, Hashable {
    public enum Sky: String, Sendable, CaseIterable {
        case sunny, cloudy, rainy
    }

    public let sky: Sky
    /// The temperature in degrees Celsius.
    public let temperature: Int
    /// The probability of rain, from 0 to 1.
    public let rain: Double

    /// - Parameter hour: the number of hours since 1970.
    public init(in place: String, at hour: Int) {
        // The hash FNV-1a gives every program the same weather. Swift's own hash differs from process to process.
        let seed = place.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let wave = Int((seed >> 8) % 12)
        let daily = abs((hour + 20) % 24 - 12)
        temperature = 8 + Int(seed % 12) + (12 - daily) * 2 / 3
        let phase = (hour / 3 + wave) % 7
        sky = phase < 3 ? .sunny : phase < 5 ? .cloudy : .rainy
        rain = [0.05, 0, 0.1, 0.3, 0.4, 0.75, 0.9][phase]
    }
}
