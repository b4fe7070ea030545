internal import AnnexModel

/// The view of a widget as HTML. Buttons belong to the form that surrounds the view, and each picture has an address of
/// its own.
struct ContentMarkup {
    private let identifier: String
    private var buttons = 0
    private(set) var pictures: [[UInt8]] = []
    private(set) var markup = Markup()

    /// - Parameter identifier: the widget's identifier. The addresses of pictures are `picture/IDENTIFIER/NUMBER`.
    init(_ tree: ContentTree, of identifier: String) {
        self.identifier = identifier
        if case .list(let nodes) = tree.root {
            for node in nodes { add(node) }
        } else {
            add(tree.root)
        }
    }

    private mutating func add(_ node: ContentNode) {
        switch node {
        case .text(let text, let style):
            markup.add("p", with: [("class", style == .secondary ? "secondary" : nil), ("dir", "auto")]) {
                $0.add(text)
            }
        case .image(let bytes, let description): add(picture: bytes, describedAs: description)
        case .progress(let fraction, let label): addProgress(fraction, labelled: label)
        case .choice(let title, let action, let options, let chosen):
            addChoice(titled: title, asking: action, options: options, chosen: chosen)
        case .button(let title, let action): markup.add(button(title, asking: "perform:\(action)"))
        case .row(let nodes): add(nodes, in: "row")
        case .list(let nodes): add(nodes, in: "list")
        }
    }

    private mutating func add(_ nodes: [ContentNode], in kind: String) {
        // While `markup.add` writes, its closure cannot change `self`, because `markup` is a part of `self`. So the
        // inner markup is made before the call.
        let outer = markup
        markup = Markup()
        for node in nodes { add(node) }
        let inner = markup
        markup = outer
        markup.add("div", with: [("class", kind)]) { $0.add(inner) }
    }

    private mutating func add(picture: [UInt8], describedAs description: String) {
        guard let size = PictureHeader(picture) else { return }
        // If the picture changes, its fingerprint changes the address. The stated size reserves room for the picture,
        // so the page does not move when the picture arrives.
        let address = "picture/\(identifier)/\(pictures.count)?\(Fingerprint(of: picture))"
        pictures.append(picture)
        markup.addEmpty(
            "img",
            with: [("src", address), ("alt", description), ("width", "\(size.width)"), ("height", "\(size.height)")])
    }

    private mutating func addProgress(_ fraction: Double?, labelled label: String) {
        markup.add("label", with: [("class", "progress")]) { markup in
            markup.add("span", with: [("dir", "auto")]) { $0.add(label.isEmpty ? "Progress" : label) }
            markup.add("progress", with: [("max", "1"), ("value", fraction.map { "\($0)" })]) { _ in }
        }
    }

    private mutating func addChoice(titled title: String, asking action: String, options: [String], chosen: Int?) {
        let marks = options.enumerated().map { index, option in
            button(option, asking: "perform:\(action):\(index)", isPressed: index == chosen)
        }
        markup.add("fieldset") { markup in
            markup.add("legend", with: [("dir", "auto")]) { $0.add(title) }
            for mark in marks { markup.add(mark) }
        }
    }

    private mutating func button(_ title: String, asking wish: String, isPressed: Bool? = nil) -> Markup {
        buttons += 1
        // A screen reader could not read out a button without a name.
        let name = title.allSatisfy(\.isWhitespace) ? "Button" : title
        var button = Markup()
        button.add(
            "button",
            with: [
                // After a change of the card, the button with the same number gets the focus.
                ("id", "pick-\(buttons)-\(identifier)"), ("name", "do"), ("value", wish), ("dir", "auto"),
                ("aria-pressed", isPressed.map { $0 ? "true" : "false" }),
            ]
        ) { $0.add(name) }
        return button
    }
}

/// A short word that nearly always differs if the bytes differ (FNV-1a). But an attacker can find different bytes
/// with the same word.
struct Fingerprint: CustomStringConvertible {
    private let value: UInt64

    init(of bytes: some Sequence<UInt8>) {
        value = bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    var description: String { String(value, radix: 36) }
}
