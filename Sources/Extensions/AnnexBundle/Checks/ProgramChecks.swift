internal import AnnexLinux
internal import AnnexModel

/// The programs of a bundle: the program that this machine runs, and the processors for which there is a program.
///
/// `CFBundleExecutable` names the program. The file of that name in the bundle's own directory serves the processor
/// that it is built for. If there are programs for several processors, they lie in directories named after the
/// processors, `x86_64` and `aarch64`.
struct BundlePrograms: ~Copyable {
    /// The program for this machine; nil if there is no such program, or if the program has a fault.
    var own: BundleFile?
    /// The processors for which there is a program. Only the validation checks the programs of other machines.
    fileprivate(set) var processors: Set<ElfProcessor> = []

    /// Removes and returns the program for this machine.
    mutating func takeOwn() -> BundleFile? { own.take() }
}

/// Checks the programs of one bundle.
struct ProgramChecks {
    enum Owner {
        /// A containing app's own program runs without a sandbox.
        case app
        case `extension`
    }

    static let key = "CFBundleExecutable"

    let owner: Owner
    let findings: FindingCollector

    private var rule: BundleRule { owner == .app ? .p4 : .p7 }

    /// The programs of a bundle. Faults are among the findings.
    /// - Parameter info: the bundle's property list, which names the program.
    func programs(of bundle: borrowing BundleDirectory, info: InfoDictionary) -> BundlePrograms {
        var programs = BundlePrograms()
        let name = findings.attempt { () throws(BundleError) in try fileName(info) }
        guard let name else { return programs }
        for processor in ElfProcessor.supported {
            guard let directory = processor.directory else { continue }
            add("\(directory)/\(name)", for: processor, in: bundle, to: &programs)
        }
        if programs.own == nil || findings.isValidating { addPlain(name, in: bundle, to: &programs) }
        return programs
    }

    private func fileName(_ info: InfoDictionary) throws(BundleError) -> String {
        let name = try info.requiredText(Self.key, rule: rule)
        guard !name.contains("/"), name != ".", name != ".." else {
            throw info.fault(
                Self.key, what: "is \(Escaped(name)), not a file's name", rule: .p7, remedy: "name a file of the bundle"
            )
        }
        return name
    }

    /// Adds the program in a processor's directory, if the directory has a program.
    private func add(
        _ path: String, for processor: ElfProcessor, in bundle: borrowing BundleDirectory,
        to programs: inout BundlePrograms
    ) {
        let opened = findings.find { () throws(BundleError) in
            try bundle.openIfPresent(path, rule: .p7, kind: .regular)
        }
        guard let file = opened else { return }
        guard processor == .own || findings.isValidating else {
            programs.processors.insert(processor)
            return
        }
        let shown = bundle.shown(path)
        guard let program = check(file, shown: shown) else { return }
        guard program.processor == processor else {
            findings.report(
                BundleError(
                    .p11, file: shown, what: "is for \(program.processor.name), not for \(processor.name)",
                    remedy: "put a program for \(processor.name) there"))
            return
        }
        programs.processors.insert(processor)
        if processor == .own { programs.own = consume file }
    }

    /// Adds the program in the bundle's own directory. If no processor's directory has a program, this program must
    /// exist.
    private func addPlain(_ name: String, in bundle: borrowing BundleDirectory, to programs: inout BundlePrograms) {
        let shown = bundle.shown(name)
        let hasOthers = !programs.processors.isEmpty
        let opened = findings.find { () throws(BundleError) -> BundleFile? in
            if hasOthers { return try bundle.openIfPresent(name, rule: rule, kind: .regular) }
            return try bundle.open(name, rule: rule, kind: .regular)
        }
        guard let file = opened else {
            if hasOthers, programs.own == nil { findings.report(foreign(programs.processors, shown: shown)) }
            return
        }
        guard let program = check(file, shown: shown) else { return }
        if programs.processors.contains(program.processor) {
            findings.warn(
                BundleError(
                    .p11, file: shown, what: "never runs: there is another program for \(program.processor.name)",
                    remedy: "remove one of the two"))
        }
        programs.processors.insert(program.processor)
        guard programs.own == nil else { return }
        if program.processor == .own {
            programs.own = consume file
        } else {
            findings.report(foreign(programs.processors, shown: shown))
        }
    }

    private func foreign(_ processors: Set<ElfProcessor>, shown: String) -> BundleError {
        let names = processors.map(\.name).sorted().joined(separator: " and ")
        return BundleError(
            .p7, file: shown, what: "is for \(names), but this machine is \(ElfProcessor.own.name)",
            remedy: "build it for this machine")
    }
}

extension ProgramChecks {
    /// Checks one program, whichever processor it is built for.
    /// - Returns: the program's headers; nil if the file is not a program.
    private func check(_ file: borrowing BundleFile, shown: String) -> ElfProgram? {
        if let fault = BundleRights.fault(in: file.status.mode, shown: shown) { findings.report(fault) }
        if file.status.mode & 0o111 == 0 {
            findings.report(BundleError(.p7, file: shown, what: "is not executable", remedy: "chmod +x it"))
        }
        do throws(ElfFault) {
            let program = try ElfProgram(file.descriptor)
            if owner == .extension { try checkSandboxed(program, file: file, shown: shown) }
            return program
        } catch {
            findings.report(Self.error(error, shown: shown))
            return nil
        }
    }

    private static func error(_ fault: ElfFault, shown: String) -> BundleError {
        switch fault {
        case .system(let error): BundleDirectory.fault(error, shown: shown, rule: .p7)
        case .content(let what): BundleError(.p7, file: shown, what: what, remedy: "build it for this machine")
        }
    }

    /// Reports the faults of a program that would run in a sandbox.
    private func checkSandboxed(
        _ program: ElfProgram, file: borrowing BundleFile, shown: String
    ) throws(ElfFault) {
        if let interpreter = try program.interpreter(in: file.descriptor), !interpreter.hasPrefix("/bundle/") {
            findings.report(
                BundleError(
                    .p7, file: shown,
                    what:
                        "is linked dynamically: its interpreter \(Escaped(interpreter)) is not in an extension's sandbox",
                    remedy: "link it with -static-executable"))
        }
        guard findings.isValidating else { return }
        try checkLibraries(program, file: file, shown: shown)
        checkMemory(program, shown: shown)
        try checkSymbols(file, shown: shown)
    }

    private func checkLibraries(
        _ program: ElfProgram, file: borrowing BundleFile, shown: String
    ) throws(ElfFault) {
        for library in try program.neededLibraries(in: file.descriptor) {
            findings.warn(
                BundleError(
                    .p7, file: shown, what: "needs the shared library \(Escaped(library, limit: 100))",
                    remedy: "link the library's archive into the program"))
        }
    }

    /// Reports memory that is writable and executable, and an executable stack. Under each policy that forbids writable
    /// code, the launch rejects such a program. All shipped policies forbid writable code.
    private func checkMemory(_ program: ElfProgram, shown: String) {
        if program.hasWritableCode {
            findings.report(
                BundleError(
                    .p7, file: shown, what: "asks for memory that is writable and executable",
                    remedy: "link it without -N and without writable code sections"))
        }
        switch program.hasExecutableStack {
        case true?:
            findings.report(
                BundleError(
                    .p7, file: shown, what: "asks for an executable stack", remedy: "link it with -z noexecstack"))
        case nil:
            findings.warn(
                BundleError(
                    .p7, file: shown, what: "does not say that its stack holds no code",
                    remedy: "link it with -z noexecstack"))
        case false?: break
        }
    }

    private func checkSymbols(_ file: borrowing BundleFile, shown: String) throws(ElfFault) {
        let symbols = try ElfSymbols(named: ForbiddenSymbol.all.map(\.name), in: file.descriptor)
        for symbol in ForbiddenSymbol.all {
            let names = symbol.isInEveryProgram ? symbols.taken : symbols.found
            guard names.contains(symbol.name) else { continue }
            findings.warn(
                BundleError(
                    .restrictions, file: shown,
                    what: "links \(symbol.name), which \(symbol.purpose): the sandbox denies that",
                    remedy: "remove the code that calls \(symbol.name)"))
        }
    }
}
