internal import AnnexLinux
internal import AnnexModel

extension BundleDirectory {
    /// Refuses a directory whose name does not end in `suffix`, such as `.app`.
    func checkName(suffix: String) throws(BundleError) {
        guard shown.hasSuffix(suffix), shown.utf8.count > suffix.utf8.count else {
            throw BundleError(.p1, file: shown, "is not called Name\(suffix)", remedy: "rename the directory")
        }
    }

    /// Reads the bundle's `Info.plist`.
    func info() throws(BundleError) -> InfoDictionary {
        let (bytes, status) = try read("Info.plist", atMost: PropertyListLimits.info.bytes, rule: .p2)
        return try InfoDictionary(bytes, file: "\(shown)/Info.plist", status: status)
    }

    /// Opens the program that `CFBundleExecutable` names. It must lie in the bundle's own directory and be built for
    /// this machine.
    func executable(_ info: InfoDictionary, rule: BundleRule) throws(BundleError) -> BundleFile {
        let key = "CFBundleExecutable"
        let name = try info.requiredText(key, rule: rule)
        guard !name.contains("/"), name != ".", name != ".." else {
            throw info.fault(
                key, "is \(Escaped(name)), not a file's name", rule: .p7, remedy: "name a file of the bundle")
        }
        let shown = "\(self.shown)/\(Escaped(name))"
        let file = try open(name, rule: rule, kind: .regular)
        let status = try Self.check(file, shown: shown, rule: .p7, kind: .regular)
        guard status.mode & 0o111 != 0 else {
            throw BundleError(.p7, file: shown, "is not executable", remedy: "chmod +x it")
        }
        let header: [UInt8]
        do throws(SystemError) {
            header = try file.read(at: 0, count: ExecutableHeader.size)
        } catch {
            throw Self.fault(error, shown: shown, rule: .p7)
        }
        if let fault = ExecutableHeader.fault(in: header) {
            throw BundleError(.p7, file: shown, fault, remedy: "build it for this machine")
        }
        return BundleFile(descriptor: file, status: status, path: "\(path)/\(name)")
    }

    /// Refuses a program that needs an interpreter from outside its bundle, because its sandbox has no such file.
    func checkInterpreter(of program: borrowing BundleFile) throws(BundleError) {
        let shown = "\(self.shown)/\(Escaped(String(program.path.dropFirst(path.count + 1))))"
        let interpreter: String?
        do throws(SystemError) {
            interpreter = try ProgramInterpreter.path(in: program.descriptor)
        } catch {
            throw Self.fault(error, shown: shown, rule: .p7)
        }
        guard let interpreter, !interpreter.hasPrefix("/bundle/") else { return }
        throw BundleError(
            .p7, file: shown,
            "is linked dynamically: it needs the interpreter \(Escaped(interpreter)), which no sandbox of an extension has",
            remedy: "link it with -static-executable")
    }
}
