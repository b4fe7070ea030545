import AnnexLinux
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexLaunch

/// A path that a program has printed or named. Another user may exchange the file at any moment. A file that is not
/// regular is never opened, because its opening can have effects or can wait.
@Suite(
    .timeLimit(.minutes(20)),
    .enabled(if: OpeningWatch.isReliable, "before Linux 6.8, the kernel reports openings that give no access"))
struct PrintedPathTests {
    private let folder: TemporaryFolder
    private var path: String { folder.url.path }

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o755)
        try #require(mkfifo(folder.url.path + "/pipe", 0o777) == 0)
        chmod(folder.url.path + "/pipe", 0o777)
        try Data("#!/bin/sh\n".utf8).write(to: folder.url.appending(path: "file"))
        chmod(folder.url.path + "/file", 0o755)
    }

    @Test func `a program that becomes a pipe during the look at it is not opened`() throws {
        let place = folder.url.resolvingSymlinksInPath().path
        let watch = try OpeningWatch(of: place + "/pipe")
        let isOver = Switch()
        Thread.detachNewThread {
            while !isOver.value.load(ordering: .relaxed) {
                try? Descriptor.directory(place).exchange("file", with: "pipe")
            }
        }
        let examination = PathExamination(try Policy.shipped(named: "compute"))
        var programs = 0
        for _ in 0..<20_000 {
            let finding = examination.finding(place + "/file", errno: ENOENT, makesFile: false)
            if finding?.grant?.name == "--execute" { programs += 1 }
        }
        isOver.value.store(true, ordering: .relaxed)
        // The look has met the program, so it was made while the files changed places.
        #expect(programs > 0 && !watch.hasOpening)
    }

    @Test func `a linker that a program names is not opened unless it is a regular file`() throws {
        let watch = try OpeningWatch(of: path + "/pipe")
        #expect(try ProgramHeaders(of: Descriptor.reference(to: path + "/pipe")) == nil)
        #expect(!watch.hasOpening)
        // The watch sees an opening.
        _ = try Descriptor.open(path + "/pipe", O_RDONLY | O_NONBLOCK)
        #expect(watch.hasOpening)
    }
}

private final class Switch: Sendable {
    let value = Atomic(false)
}

/// Sees whether a file is opened for reading or writing.
private struct OpeningWatch {
    private let queue: Int32

    init(of path: String) throws {
        queue = inotify_init1(Int32(IN_NONBLOCK) | O_CLOEXEC)
        guard queue >= 0, inotify_add_watch(queue, path, UInt32(IN_OPEN)) >= 0 else {
            throw SystemError("inotify_add_watch", errno: errno, path: path)
        }
    }

    var hasOpening: Bool {
        var entry = pollfd(fd: queue, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Whether the kernel reports no opening that gives no access to the file.
    static var isReliable: Bool {
        guard let folder = try? TemporaryFolder(), let watch = try? OpeningWatch(of: folder.url.path) else {
            return false
        }
        _ = try? Descriptor.reference(to: folder.url.path)
        return !watch.hasOpening
    }
}
