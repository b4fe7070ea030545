// A widget whose texts look like markup. It also states a false size and changes all the time.
import AnnexExtension

final class WritesMarkup: WidgetExtension {
    private var count = 0

    private static let texts = [
        "<script>window.pwned = 1</script>", "<img src=x onerror=\"window.pwned=2\">",
        "</p></div><iframe src=\"//evil.example\">",
        "\"><style>body{display:none}</style>", "&lt;b&gt;", "javascript:window.pwned=3", "\u{202E}desrever",
        "\u{1B}[2J",
    ]

    /// Only the header of a picture of 2,000 × 2,000 pixels. No data follows it.
    private static let lie: [UInt8] =
        [
            0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 7, 0xD0, 0, 0, 7,
            0xD0,
        ]
        + [8, 6, 0, 0, 0, 0, 0, 0, 0]

    func widgetWillAppear(in widget: WidgetContext) {
        widget.reloadView(afterEachOf: AsyncStream { () -> Int? in 0 })
    }

    func view(in widget: WidgetContext) -> ContentNode {
        count += 1
        widget.preferredHeight = count % 2 == 0 ? 1 << 31 : -1
        return .list(
            [.text("\(count)")] + Self.texts.map { .text($0) } + [
                .button("<b onclick=pwned=4>press</b>", action: "a"),
                .image(Self.lie, description: "\" onerror=\"pwned=5"),
                .choice(
                    "</fieldset><script>", action: "c", options: ["\" autofocus onfocus=\"pwned=6", "two"], chosen: 1),
            ])
    }
}
