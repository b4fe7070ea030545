internal import AnnexModel

/// The style sheet of the page.
enum PageStyle {
    /// The largest height of an expanded widget, in points.
    static let expandedHeight = 600
    private static let step = 10
    private static let insetStep = 4
    private static let mostInset = 48

    /// The class for a height. The height is rounded up to the next height that has a class.
    static func heightClass(_ points: Int) -> String {
        let height = min(max(points, 0), expandedHeight)
        return "h\((height + step - 1) / step * step)"
    }

    /// The class for the inset of one side. The inset is rounded down to an inset that has a class.
    static func insetClass(_ side: String, points: Int) -> String {
        "i\(side)\(min(max(points, 0), mostInset) / insetStep * insetStep)"
    }

    static let sheet = base + sizes

    private static var sizes: String {
        let heights = stride(from: 0, through: expandedHeight, by: step).map { ".h\($0){height:\($0)px}" }
        let sides = [("t", "top"), ("l", "left"), ("b", "bottom"), ("r", "right")]
        let insets = sides.flatMap { side, name in
            stride(from: 0, through: mostInset, by: insetStep).map { ".i\(side)\($0){padding-\(name):\($0)px}" }
        }
        return (heights + insets).joined(separator: "\n")
    }

    private static let base = """
        :root {
          color-scheme: light dark;
          --page: #f2f3f5; --card: #fff; --text: #17191c; --faint: #555b63; --line: #d4d7dc; --bad: #a3161b; --accent: #0b57b0;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #16181b; --card: #212428; --text: #eef0f2; --faint: #a9b0b9; --line: #3a3f46; --bad: #ff9a94;
            --accent: #8ab8ff;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 1080px; padding: 16px; background: var(--page); color: var(--text);
          font: 16px/20px system-ui, sans-serif; }
        h1 { font-size: 28px; line-height: 34px; margin: 8px 0 16px; }
        h2 { font-size: 16px; line-height: 20px; margin: 0 0 8px; overflow-wrap: anywhere; }
        p { margin: 0; }
        #state:empty { display: none; }
        #cards { display: grid; gap: 16px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 320px), 1fr));
          align-items: start; }
        article, #offers { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 12px 16px;
          min-width: 0; }
        .failed { border-color: var(--bad); }
        .content { overflow: hidden; overflow-wrap: anywhere; white-space: pre-line; }
        .secondary, .remark { color: var(--faint); }
        .failed .remark { color: var(--bad); }
        .remark { font-size: 14px; line-height: 18px; margin-top: 8px; overflow-wrap: anywhere; }
        .row { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; }
        .list { padding-inline-start: 16px; }
        .progress { display: flex; gap: 12px; align-items: center; }
        .progress span { min-width: 0; }
        progress { flex: 1; min-width: 80px; accent-color: var(--accent); }
        img { max-width: 100%; height: auto; max-height: 100px; object-fit: contain; vertical-align: middle; }
        fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
        legend { padding: 0; }
        button { font: inherit; color: var(--accent); background: none; border: 1px solid var(--line); border-radius: 8px;
          padding: 3px 10px; cursor: pointer; max-width: 100%; overflow-wrap: anywhere; text-align: start; }
        button:hover { border-color: var(--accent); }
        button[aria-pressed="true"] { background: var(--accent); color: var(--card); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .controls { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 10px; padding-top: 8px;
          border-top: 1px solid var(--line); }
        .controls button, summary { font-size: 14px; line-height: 18px; min-height: 24px; }
        .controls .controls { border: 0; margin: 0; }
        details[open] { flex-basis: 100%; }
        summary { color: var(--faint); cursor: pointer; padding: 4px 8px; border-radius: 8px; }
        #offers form { margin-top: 8px; }

        """
}
