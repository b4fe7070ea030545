// A broker's book of transfers, with members and an agent that act by chance. After a number of steps, the process kills
// itself. Arguments: the folder of private directories, the folder of the book, a seed, and the number of steps.
import AnnexLinux
import AnnexPortal
import AnnexPortalServer
import AnnexTestSupport
import AnnexTransferWire
import Foundation
import Synchronization
import TransferWorlds

enum KeepsTransfers {
    static func run() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let seed = UInt64(arguments[3]), let most = Int(arguments[4]) else { exit(2) }
        let steps = Mutex(0)
        let world = try TransferWorld(groups: arguments[1], book: arguments[2]) { _ in
            let count = steps.withLock { count in
                count += 1
                return count
            }
            if count == most { kill(getpid(), SIGKILL) }
        }
        var life = RandomLife(world: world, random: SeededRandom(seed: seed))
        guard try world.desk.recover().isEmpty else { exit(3) }
        for _ in 0..<60 { try life.act() }
        say("done")
    }
}

/// Chooses what happens next.
private struct RandomLife {
    let world: TransferWorld
    var random: SeededRandom
    var files = 0
    /// What the agent works on.
    var held: [BookedTask] = []

    mutating func act() throws {
        let session = try world.session()
        switch Int.random(in: 0..<10, using: &random) {
        case 0: try begin(TransferWorld.upload, files: [newFile()])
        case 1: try begin(TransferWorld.form, files: [newFile(), newFile()])
        case 2: try begin(TransferWorld.download, files: ["got-\(files)"])
        case 3, 4:
            guard let task = try any(.queued), let taken = try world.desk.take(task, boot: "boot") else { return }
            held.append(taken)
        case 5, 6: try endOne()
        case 7: if let task = try any(.running) ?? any(.queued) { try world.desk.end(task, as: .cancelled) }
        case 8:
            if let task = try any(.suspended) { return try world.desk.resume(task) }
            if let task = try any(.running) ?? any(.queued) { try world.desk.suspend(task) }
        default:
            guard let task = try any(.ended) else { return }
            say("noting \(task.number)")
            try world.desk.note([task.number], of: session.number)
        }
    }

    private func any(_ state: TaskState) throws -> BookedTask? { try world.tasks().first { $0.state == state } }

    private mutating func newFile() throws -> String {
        files += 1
        let name = "file-\(files)"
        try world.write(name, to: name)
        say("file \(name)")
        return name
    }

    private mutating func begin(_ job: TransferJob, files paths: [String]) throws {
        files += 1
        let number = try world.desk.begin(
            job, files: paths, in: world.session(), by: "com.example.todo.share", room: 1 << 20)
        say("answered \(number) \(paths.joined(separator: " "))")
    }

    private mutating func endOne() throws {
        guard let place = held.indices.randomElement(using: &random) else { return }
        let task = held.remove(at: place)
        let answer = TransferAnswer(status: 200, headers: [])
        let (error, retry): (TransferError?, TransferRetry) =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: (.connectFailed, .later)
            case 1: (.badAnswer, .never)
            default: (nil, .never)
            }
        let state = try world.desk.book.task(task.number)?.state
        if task.job.work.isDownload, error == nil, state == .running || state == .suspended {
            try world.desk.staging(of: task)?.destination(keeping: false).writeAll(Array(TransferWorld.film.utf8))
        }
        try world.desk.ended(
            TransferEnd(
                key: task.key, sent: 1, received: 1, answer: error == nil ? answer : nil, error: error, retry: retry,
                validator: nil))
    }
}
