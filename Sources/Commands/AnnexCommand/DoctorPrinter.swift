internal import AnnexDoctor
import AnnexHost
import AnnexLaunch

/// Prints a diagnosis for a person at a terminal: first each fault with its remedy, then the policies.
struct DoctorPrinter {
    private let style: Style
    private let showsAll: Bool

    init(style: Style, showsAll: Bool) {
        self.style = style
        self.showsAll = showsAll
    }

    func show(_ diagnosis: Diagnosis) {
        let place = diagnosis.container == "none" ? "" : ", inside \(diagnosis.container)"
        print("\(diagnosis.system), as uid \(diagnosis.user)\(place)")
        for topic in Finding.Topic.allCases { show(topic, findings: diagnosis.findings.filter { $0.topic == topic }) }
        heading("Policies", text: "a small program was launched under each")
        for policy in diagnosis.policies { show(policy) }
        print("\n\(sentence(diagnosis))")
    }

    private func show(_ topic: Finding.Topic, findings: [Finding]) {
        guard !findings.isEmpty else { return }
        let well = findings.filter { $0.level == .works }.count
        heading(topic.rawValue.capitalizedFirst, text: "\(well) of \(findings.count) as they should be")
        for finding in findings where showsAll || finding.level != .works { show(finding) }
    }

    private func show(_ finding: Finding) {
        print("\(mark(finding.level)) \(finding.title.padded(to: 40)) \(style.faint(finding.seen))")
        detail("means", text: finding.meaning)
        detail("remedy", text: finding.remedy)
    }

    private func show(_ policy: PolicyReadiness) {
        let took = policy.launchMicroseconds.map { Duration.microseconds(Int64($0)).short.aligned(to: 10) } ?? ""
        print("\(mark(policy.state)) \(policy.policy.padded(to: 40)) \(word(policy))\(took)")
        detail("cause", text: policy.cause)
        detail("remedy", text: policy.remedy)
        for missing in policy.missing where policy.state == .waivable {
            detail("missing", text: "\(missing.layer): \(missing.cause)")
            detail("remedy", text: missing.remedy)
        }
        if showsAll, let nested = policy.nestedNamespaces { detail("nested", text: nested) }
    }

    private func word(_ policy: PolicyReadiness) -> String {
        switch policy.state {
        case .ready: style.good("ready") + ", \(policy.layers.count) layers"
        case .weaker: "runs with weaker protection, \(policy.layers.count) layers"
        case .waivable: style.bad("cannot run") + " unless its host waives \(policy.missing.count) layers"
        case .unable: style.bad("cannot run")
        }
    }

    private func sentence(_ diagnosis: Diagnosis) -> String {
        switch diagnosis.outcome {
        case .ready: style.good("Every policy runs, with every layer and every limit enforced.")
        case .weaker: style.bold("Every policy runs, but some protection is weaker than it could be.")
        case .unable: style.bad("At least one policy cannot run on this machine as it is.")
        }
    }

    private func mark(_ level: Finding.Level) -> String {
        switch level {
        case .works: style.good("✓")
        case .note: style.faint("·")
        case .weaker: style.bold("!")
        case .missing: style.bad("✗")
        }
    }

    private func mark(_ state: PolicyReadiness.State) -> String {
        switch state {
        case .ready: mark(Finding.Level.works)
        case .weaker: mark(Finding.Level.weaker)
        case .waivable, .unable: mark(Finding.Level.missing)
        }
    }

    private func detail(_ name: String, text: String?) {
        guard let text else { return }
        for (index, line) in Columns.wrapped(text, width: 88).enumerated() {
            print("    \((index == 0 ? name : "").padded(to: 8))\(line)")
        }
    }

    private func heading(_ name: String, text: String) {
        print("\n\(style.bold(name.padded(to: 16)))\(text)")
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
