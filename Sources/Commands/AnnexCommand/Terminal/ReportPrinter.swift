import AnnexPolicy

/// Prints the findings of the tools for policies.
struct ReportPrinter {
    let style: Style

    func show(_ lines: [ReportLine]) {
        for line in lines {
            let text = String(repeating: "  ", count: line.indent) + line.text
            switch line.tone {
            case .plain: print(text)
            case .heading: print(style.bold(text))
            case .good: print(style.good("✓ ") + text)
            case .bad: print(style.bad("✗ ") + text)
            case .faint: print(style.faint(text))
            }
        }
    }
}
