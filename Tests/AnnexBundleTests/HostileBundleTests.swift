import AnnexBundle
import Foundation
import Testing

/// Hostile bundles. Each must end in one error that names rule and file, and no bundle may block the reader.
@Suite(.timeLimit(.minutes(20))) struct HostileBundleTests {
    private let editor = "PlugIns/Editor.appex/Editor"
    private let info = "PlugIns/Editor.appex/Info.plist"

    @Test func `P7: a program that is a link inside or outside the bundle is refused`() throws {
        let test = try TestApp()
        try test.remove(editor)
        symlink("/bin/true", "\(test.path)/\(editor)")
        #expect(try test.rejection().rule == .p7)
        try test.remove(editor)
        symlink("../../Pictures", "\(test.path)/\(editor)")
        #expect(try test.rejection().rule == .p7)
    }

    @Test func `P7: only a link out of the bundle is refused`() throws {
        let test = try TestApp()
        symlink("Info.plist", "\(test.path)/inside")
        symlink("nowhere", "\(test.path)/dangling")
        _ = try AppBundle.open(test.path)
        symlink("../../../../..", "\(test.path)/PlugIns/Editor.appex/up")
        let error = try test.rejection()
        #expect(error.rule == .p7 && error.file == "Pictures.app/PlugIns/Editor.appex/up")
    }

    @Test(arguments: ["/etc", "../../..", "Resources"])
    func `SEAL-09: a link in place of Frameworks is refused wherever it leads`(target: String) throws {
        let test = try TestApp()
        try test.makeFolder("Resources")
        symlink(target, "\(test.path)/Frameworks")
        let error = try test.rejection()
        #expect(error.rule == .p7 && error.file == "Pictures.app/Frameworks")
        #expect(throws: BundleError.self) { try AppBundle.open(test.path) }
    }

    @Test func `P1: a file in place of Frameworks and what a group can change in it refuse the app`() throws {
        let test = try TestApp()
        try test.write("no directory", to: "Frameworks")
        #expect(try test.rejection().rule == .p1)
        try test.remove("Frameworks")
        try test.makeFolder("Frameworks/Filters")
        try test.write("a resource", to: "Frameworks/Filters/table")
        _ = try AppBundle.open(test.path)
        chmod("\(test.path)/Frameworks/Filters/table", 0o664)
        let error = try test.rejection()
        #expect(error.rule == .p7 && error.file == "Pictures.app/Frameworks/Filters/table")
    }

    @Test func `P7: an extension whose directory is a link is refused`() throws {
        let test = try TestApp()
        symlink("Editor.appex", "\(test.path)/PlugIns/Alias.appex")
        #expect(try test.rejection().rule == .p7)
    }

    @Test(arguments: ["../../Pictures", "/bin/true", "..", ".", "\u{1B}[2J"])
    func `DEPUTY-01: the program is named by a file name and no path`(name: String) throws {
        let test = try TestApp()
        try test.write(
            TestApp.extensionInfo.replacingOccurrences(
                of: "Executable</key><string>Editor<", with: "Executable</key><string>\(name)<"),
            to: info)
        let error = try test.rejection()
        #expect(error.rule == .p7 && !error.description.contains("\u{1B}"))
    }

    @Test func `P7: a program that all users can write or none can run is refused`() throws {
        let test = try TestApp()
        chmod("\(test.path)/\(editor)", 0o757)
        #expect(try test.rejection().what == "can be changed by every user")
        chmod("\(test.path)/\(editor)", 0o644)
        #expect(try test.rejection().what == "is not executable")
    }

    @Test func `P7: a program for another machine is refused and the machine named`() throws {
        let test = try TestApp()
        try test.writeProgram(editor, machine: 243)
        #expect(try test.rejection().what.contains("RISC-V"))
        try test.writeProgram(editor, class: 1)
        #expect(try test.rejection().rule == .p7)
        try test.write("#!/bin/sh", to: editor)
        #expect(try test.rejection().what == "is not an ELF program")
        try test.write("", to: editor)
        #expect(try test.rejection().what == "is not an ELF program")
    }

    @Test func `FS-26: a pipe, a socket or a directory in place of a file is refused at once`() throws {
        let test = try TestApp()
        for file in [info, editor] {
            try test.remove(file)
            mkfifo("\(test.path)/\(file)", 0o600)
            let error = try test.rejection()
            #expect(error.rule == .p7 && error.what.contains("neither a file nor"), "\(error)")
            try test.remove(file)
            mkdir("\(test.path)/\(file)", 0o700)
            #expect(try test.rejection().what == "is not a regular file")
            try test.remove(file)
            try test.write(TestApp.extensionInfo, to: info)
        }
    }

    @Test func `P7: a pipe anywhere in an extension refuses the extension alone`() throws {
        let test = try TestApp()
        mkfifo("\(test.extensionPath)/pipe", 0o600)
        #expect(try test.rejection().file == "Pictures.app/PlugIns/Editor.appex/pipe")
        #expect(try AppBundle.open(test.path).extensions.isEmpty)
        mkfifo("\(test.path)/pipe", 0o600)
        let error = try #require(throws: BundleError.self) { _ = try AppBundle.open(test.path) }
        #expect(error.rule == .p7 && error.file == "Pictures.app/pipe")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root: nobody else can make a device node"))
    func `P7: a device node in an app is refused`() throws {
        let test = try TestApp()
        guard mknod("\(test.path)/null", S_IFCHR | 0o600, 0x103) == 0 else { return }
        #expect(try test.rejection().file == "Pictures.app/null")
    }

    @Test func `P7: a file with a second name is refused`() throws {
        let test = try TestApp()
        #expect(link("\(test.path)/\(editor)", "\(test.path)/../other") == 0)
        let error = try test.rejection()
        #expect(error.rule == .p7 && error.what.contains("2 names"), "\(error)")
        unlink("\(test.path)/../other")
        #expect(try AppBundle.open(test.path).rejected.isEmpty)
    }

    @Test(arguments: ["Info.plist", "PlugIns", "PlugIns/Editor.appex/Editor", "PlugIns/Editor.appex", ""])
    func `P7: a file that its group or every user may change is refused`(file: String) throws {
        let test = try TestApp()
        for (bit, others) in [(mode_t(0o020), "its group"), (0o002, "every user")] {
            let path = "\(test.path)/\(file)"
            chmod(path, 0o755 | bit)
            let error = try test.rejection()
            #expect(error.rule == .p7 && error.what == "can be changed by \(others)", "\(error)")
            #expect("\(test.path)/".hasSuffix("/Pictures.app/") && error.file.hasSuffix(file), "\(error)")
            chmod(path, 0o755)
        }
        #expect(try AppBundle.open(test.path).rejected.isEmpty)
    }

    @Test func `P7: a program with a set-user-ID or set-group-ID bit is refused`() throws {
        let test = try TestApp()
        chmod("\(test.path)/\(editor)", 0o4755)
        #expect(try test.rejection().what.contains("set-user-ID"))
    }

    @Test func `BOMB-16: an app with too many files is refused`() throws {
        let test = try TestApp()
        try test.makeFolder("Resources")
        for number in 0..<20_000 { symlink("x", "\(test.path)/Resources/\(number)") }
        let error = try test.rejection()
        #expect(error.rule == .p1 && error.what == "is too long" && error.remedy.contains("names"), "\(error)")
    }

    @Test func `TTY-03: a file whose name could steer a terminal is refused and shown escaped`() throws {
        let test = try TestApp()
        try test.write("", to: "red\u{1B}[31m")
        let error = try test.rejection()
        #expect(error.rule == .p1 && error.file.contains("u{1b}") && !error.file.contains("\u{1B}"), "\(error)")
    }

    @Test func `BOMB-16: a huge or deeply nested property list is refused`() throws {
        let test = try TestApp()
        try test.write(String(repeating: " ", count: (1 << 20) + 1), to: info)
        #expect(try test.rejection().what == "is too long")
        let deep = String(repeating: "<array>", count: 10_000)
        try test.write("<plist version=\"1.0\">\(deep)", to: info)
        #expect(try test.rejection().what.contains("nested deeper than"))
    }

    @Test func `FS-25: names that cannot be shown are refused or escaped`() throws {
        let test = try TestApp()
        let name = (Array("\(test.path)/".utf8) + [0xFF, 0]).map { CChar(bitPattern: $0) }
        let made = name.withUnsafeBufferPointer { bytes in bytes.baseAddress.map { creat($0, 0o600) } }
        #expect(made ?? -1 >= 0)
        defer { close(made ?? -1) }
        #expect(try test.rejection().what.contains("not UTF-8"))
    }

    @Test func `TTY-03: a name that could steer a terminal or pose as another is refused`() throws {
        for name in ["red\u{9B}31m", "\u{202E}gpj.exe", "two\nlines", "soft\u{AD}hyphen"] {
            let test = try TestApp()
            try test.write(
                TestApp.appInfo.replacingOccurrences(
                    of: "<string>Pictures</string>\n<key>CFB", with: "<string>\(name)</string>\n<key>CFB"),
                to: "Info.plist")
            let error = try test.rejection()
            #expect(error.key == "CFBundleName" && !error.description.contains(name))
        }
    }
}
