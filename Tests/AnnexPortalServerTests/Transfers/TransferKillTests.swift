import AnnexLinux
import AnnexPortal
import AnnexPortalServer
import AnnexTestSupport
import AnnexTransferWire
import Foundation
import Testing
import TransferWorlds

private let lives = Repetitions("ANNEX_TRANSFER_LIVES", short: 2)

/// A broker that is killed after each single step of its work on transfers.
@Suite(.timeLimit(.minutes(lives.watchdog))) struct TransferKillTests {
    @Test func `each task ends once, after whatever step the broker is killed`() async throws {
        for _ in 0..<lives.count {
            let seed = UInt64.random(in: 1...UInt64(UInt32.max))
            var step = 1
            while try await !isOver(seed: seed, killedAfter: step) { step += 1 }
            // The life would show nothing if it had few steps.
            #expect(step > 60, "seed \(seed)")
        }
    }

    /// - Returns: whether the broker came to the end of its life before this step.
    private func isOver(seed: UInt64, killedAfter step: Int) async throws -> Bool {
        let folder = try TemporaryFolder()
        let path = folder.url.resolvingSymlinksInPath().path
        try TransferWorld.makeFolders(in: path)
        let output = "\(path)/lines"
        #expect(FileManager.default.createFile(atPath: output, contents: nil))
        let broker = try ChildProcess(
            ChildProcess.executable("keeps-transfers"),
            arguments: ["\(path)/groups", "\(path)/book", "\(seed)", "\(step)"],
            output: .file(#require(FileHandle(forWritingAtPath: output))))
        let end = await broker.ended()
        let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(end == .killed(signal: SIGKILL) || lines.last == "done", "seed \(seed), step \(step): \(end)")
        let told = Told(lines)
        let world = try TransferWorld(groups: "\(path)/groups", book: "\(path)/book")
        #expect(try world.desk.recover().isEmpty)
        let tasks = try world.tasks()
        try check(tasks, in: world, told, "seed \(seed), step \(step)")
        // A second start changes nothing.
        #expect(try world.desk.recover().isEmpty)
        #expect(try world.tasks() == tasks)
        try drain(world, "seed \(seed), step \(step)")
        return lines.last == "done"
    }

    /// What the broker's members know.
    private struct Told {
        var answered: Set<Int64> = []
        var noted: Set<Int64> = []
        var files: Set<String> = []
        /// The files of the tasks that were answered.
        var taken: [Int64: [String]] = [:]

        init(_ lines: [String]) {
            for line in lines {
                let words = line.split(separator: " ").map(String.init)
                switch words.first {
                case "answered":
                    guard let number = Int64(words[1]) else { continue }
                    answered.insert(number)
                    taken[number] = Array(words.dropFirst(2))
                case "noting": if let number = Int64(words[1]) { noted.insert(number) }
                case "file": files.insert(words[1])
                default: break
                }
            }
        }
    }

    private func check(_ tasks: [BookedTask], in world: TransferWorld, _ told: Told, _ life: Comment) throws {
        let numbers = Set(tasks.map(\.number))
        #expect(numbers.isSuperset(of: told.answered.subtracting(told.noted)), life)
        // At most one task, the last one, was stored before its member could learn of it.
        #expect(numbers.subtracting(told.answered).count <= 1, life)
        var staged: Set<String> = []
        for task in tasks {
            #expect([.queued, .suspended, .ended].contains(task.state), life)
            guard task.state != .ended else { continue }
            let staging = try #require(try world.desk.staging(of: task))
            for (index, size) in task.job.work.sizes.enumerated() {
                let bytes = try staging.file(index, size: size).readAll(atMost: 100)
                #expect(String(decoding: bytes, as: UTF8.self) == task.files[index], life)
                staged.insert(task.files[index])
            }
        }
        let over = told.answered.filter { number in !tasks.contains { $0.number == number && $0.state != .ended } }
        let gone = Set(over.flatMap { told.taken[$0] ?? [] })
        // The last file may belong to the end of a task whose member did not learn of the task.
        let open = tasks.filter { $0.state == .ended && !told.answered.contains($0.number) }.flatMap(\.files)
        for file in told.files where !gone.contains(file) && !open.contains(file) {
            #expect((world.text(file) == file) != staged.contains(file), "\(file) \(life)")
        }
        for task in tasks where task.job.work.isDownload && task.state == .ended && task.outcome?.failure == nil {
            #expect(world.text(task.files[0]) == TransferWorld.film, life)
        }
    }

    /// Ends all tasks. Afterwards no file is left.
    private func drain(_ world: TransferWorld, _ life: Comment) throws {
        for task in try world.tasks() {
            if task.state == .suspended { try world.desk.resume(task) }
            guard let taken = try world.desk.take(task, boot: "boot") else { continue }
            try world.desk.ended(
                TransferEnd(
                    key: taken.key, sent: 1, received: 1, answer: TransferAnswer(status: 404, headers: []), error: nil,
                    retry: .never, validator: nil))
            // Late news of the same attempt change nothing.
            try world.desk.ended(
                TransferEnd(
                    key: taken.key, sent: 1, received: 1, answer: nil, error: .badAnswer, retry: .never,
                    validator: nil))
            #expect(try world.desk.book.task(task.number)?.outcome?.answer?.status == 404, life)
        }
        #expect(try world.tasks().allSatisfy { $0.state == .ended } && !world.desk.book.hasWork(), life)
        #expect(try world.group.transfers.entries(atMost: 100).isEmpty, life)
        let session = try world.session()
        try world.desk.note(world.tasks().map(\.number), of: session.number, isLast: true)
        #expect(try world.tasks().isEmpty && world.desk.book.sessions().isEmpty, life)
    }
}

extension TransferWork {
    /// The sizes of the files of an upload.
    fileprivate var sizes: [UInt64] {
        switch self {
        case .download: []
        case .upload(let size): [size]
        case .form(let parts): parts.compactMap(\.size)
        }
    }
}
