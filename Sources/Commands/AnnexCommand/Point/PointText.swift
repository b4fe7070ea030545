import AnnexBundle
import AnnexPolicy
import AnnexRegistry

/// Prints extension points, as text or as JSON.
enum PointText {
    /// A point as lines, each with a key and its value.
    static func lines(_ point: ExtensionPoint, limits: PolicyLimits) -> [String] {
        let rows = [
            ("name", point.name), ("policy", point.policy), ("default", word(point.isOnByDefault)),
            ("open-url", point.openURL.rawValue), ("input", input(of: point)),
            ("entitlements", list(point.defaultEntitlements.map(\.rawValue))),
            ("may be granted", list(point.allowedEntitlements.map(\.rawValue))),
            ("media", list(point.media.map(\.rawValue))),
            (
                "attributes",
                list(point.attributes.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value.rawValue))" })
            ),
            ("messages", list(point.messages)),
            ("limits", list(limits.values.map { "\($0.name.rawValue) \($0.value.text)" })),
        ]
        let width = 16
        return [point.identifier, point.summary]
            + rows.flatMap { key, value in
                let lines = Columns.wrapped(value, width: 96)
                return lines.enumerated().map { "  \(($0.offset == 0 ? key : "").padded(to: width))\($0.element)" }
            }
    }

    private static func list(_ words: [String]) -> String { words.isEmpty ? "none" : words.joined(separator: ", ") }

    private static func input(of point: ExtensionPoint) -> String { point.hasPrivateInput ? "private" : "ordinary" }

    private static func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }

    /// - Parameters:
    ///   - isOwn: whether the point comes from one of the user's files.
    ///   - limits: all limits that hold for the point's extensions. If nil, only the limits that the point itself
    ///     states are printed.
    static func json(_ point: ExtensionPoint, isOwn: Bool, limits: PolicyLimits? = nil) -> JSON {
        let shown = limits?.values ?? LimitName.allCases.compactMap { name in point.limits[name].map { (name, $0) } }
        return .object([
            .init("identifier", value: .text(point.identifier)), .init("name", value: .text(point.name)),
            .init("summary", value: .text(point.summary)), .init("policy", value: .text(point.policy)),
            .init("default", value: .text(word(point.isOnByDefault))),
            .init("openURL", value: .text(point.openURL.rawValue)),
            .init("input", value: .text(input(of: point))),
            .init(
                "entitlements",
                value: .object([
                    .init("default", value: .texts(point.defaultEntitlements.map(\.rawValue))),
                    .init("allowed", value: .texts(point.allowedEntitlements.map(\.rawValue))),
                ])),
            .init("media", value: .texts(point.media.map(\.rawValue))),
            .init(
                "attributes",
                value: .object(
                    point.attributes.sorted { $0.key < $1.key }.map { .init($0.key, value: .text($0.value.rawValue)) })
            ),
            .init("messages", value: .texts(point.messages)),
            .init("limits", value: .object(shown.map { .init($0.name.rawValue, value: .text($0.value.text)) })),
            .init("origin", value: .text(isOwn ? "own" : "built-in")),
        ])
    }
}
