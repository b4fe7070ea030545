// Serves items, typed requests, notices and streams in one process. The first word of a request's text says what the
// extension does.
import AnnexChannel
import AnnexExtension
import Conducts
import Synchronization

final class ServesEverything: AppExtension {
    private let counter = Counter()

    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        let words = (items.first?.contentText ?? "").split(separator: " ").map(String.init)
        let last = words.last ?? ""
        switch words.first {
        case "asks": return [ExtensionItem(contentText: try await context.call(Translation(of: Word(last))).text)]
        case "asks-often":
            for _ in 0..<(Int(last) ?? 0) { _ = try await context.call(Translation(of: Word("abc"))) }
        case "reports": return report(to: context)
        case "floods":
            for step in 0..<100_000 { context.report(progress: Double(step) / 100_000, text: "\(step)") }
        case "naps": try await Task.sleep(for: .milliseconds(Int(last) ?? 0))
        case "waits": try await wait(context)
        case "mixes": return [ExtensionItem(contentText: await mix())]
        case "remarks": try context.sendAndWait(Remark(last))
        case "writes": return [ExtensionItem(contentText: try await write(last, context))]
        case "cancellations": return [ExtensionItem(contentText: "\(cancellations.withLock { $0 })")]
        case "throws": throw ExtensionError(code: 5, domain: "com.example", localizedDescription: last)
        case "crashes": await crash()
        default: break
        }
        return [ExtensionItem(contentText: last)]
    }

    private func report(to context: ExtensionContext) -> [ExtensionItem] {
        context.report(progress: -1, text: "begins")
        context.report(progress: .nan, text: "lost")
        context.report(progress: 0.5, text: String(repeating: "é", count: 200))
        context.report(progress: 7)
        return [ExtensionItem(contentText: "reported")]
    }

    private func wait(_ context: ExtensionContext) async throws {
        do {
            try await Task.sleep(for: .seconds(100_000))
        } catch {
            try context.sendAndWait(Remark("cancelled \(context.isCancelled)"))
            throw error
        }
    }

    /// All parts of Swift that usually use other threads.
    private func mix() async -> String {
        let counter = counter
        async let one = counter.next()
        let two = await Task.detached { 20 }.value
        let three = await MainActor.run { 300 }
        let four = await withTaskGroup(of: Int.self) { group in
            for number in 0..<4 { group.addTask { number * 1000 } }
            return await group.reduce(0, +)
        }
        await Task.yield()
        return "\(await one + two + three + four)"
    }

    /// Sends the letters of a word through a new stream, and returns the bytes that the host sends back.
    private func write(_ word: String, _ context: ExtensionContext) async throws -> String {
        let stream = try context.openStream(Diary.self, arguments: Word(word))
        for letter in word { try await stream.send(Word(String(letter))) }
        try stream.finish()
        var text = ""
        for try await word in stream { text += word.text }
        return text
    }

    private func crash() async {
        await Task.yield()
        let none = [Int](repeating: 0, count: Int.random(in: 0...0))
        print(none[1])
    }

    static func register(in service: inout ChannelService) {
        service.serve(Word.self) { word, context async throws in
            let translated = try await context.call(Translation(of: word))
            return Word(translated.text + "!")
        }
        service.serve(Translation.self) { request, context in
            while !context.isCancelled {}
            throw HandlerFailure(code: 8, text: "cancelled")
        }
        service.handleStreams(Echo.method) { stream in
            while let message = try? stream.receiveAndWait() { try? stream.sendAndWait(message + [9]) }
            try? stream.finish()
        }
        service.handleStreams(Dialogue.self) { stream async throws in try await talk(on: stream) }
        service.handleStreams(Steps.self) { stream in
            while let word = try stream.receiveAndWait() { try stream.sendAndWait(word) }
            try stream.finish()
        }
        service.handleStreams(Babble.method) { stream in
            try? stream.sendAndWait([1, 2])
            _ = try? stream.receiveAndWait()
        }
    }

    private static func talk(on stream: TypedExtensionStream<Dialogue>) async throws {
        let words = stream.arguments.text.split(separator: " ").map(String.init)
        switch words.first {
        case "counts":
            for number in 0..<(Int(words.last ?? "") ?? 0) {
                try await stream.send(Word("\(number)" + String(repeating: "x", count: 1000)))
            }
        case "crashes":
            try await stream.send(Word("last"))
            await ServesEverything().crash()
        case "sleeps":
            defer { if Task.isCancelled { cancellations.withLock { $0 += 1 } } }
            try await Task.sleep(for: .seconds(100_000))
        case "throws": throw HandlerFailure(code: 9, text: "not today")
        default: for try await word in stream { try await stream.send(Word(word.text + "!")) }
        }
        try stream.finish()
    }
}

/// The number of cancelled tasks of streams.
private let cancellations = Mutex(0)

private actor Counter {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}
