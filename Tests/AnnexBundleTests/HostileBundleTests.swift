import AnnexBundle
import Foundation
import Testing

/// Hostile bundles. Each ends in one error that names rule and file, and none keeps the reader waiting.
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

    @Test func `FS-26: a pipe or directory in place of a file is refused at once`() throws {
        let test = try TestApp()
        try test.remove(info)
        mkfifo("\(test.path)/\(info)", 0o600)
        #expect(try test.rejection().what == "is not a regular file")
        try test.remove(info)
        mkdir("\(test.path)/\(info)", 0o700)
        #expect(try test.rejection().what == "is not a regular file")
        try test.remove(editor)
        mkfifo("\(test.path)/\(editor)", 0o777)
        chmod("\(test.path)/\(editor)", 0o755)
        #expect(try test.rejection().what == "is not a regular file")
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
