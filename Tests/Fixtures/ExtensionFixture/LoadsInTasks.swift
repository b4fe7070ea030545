// Loads the attachments of its first item in tasks. The item's text says what the extension does. The last attachment
// has a part of its own in some conducts.
import AnnexExtension

final class LoadsInTasks: AppExtension {
    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        let attachments = items.first?.attachments ?? []
        let text =
            switch items.first?.contentText {
            case "loads all": try await all(attachments)
            case "watches": await watches(attachments)
            case "hurries": await hurries(attachments)
            case "gives up": try await givesUp(attachments)
            case "gives up one of two": try await givesUpOneOfTwo(attachments)
            case "blocks meanwhile": try await blocksMeanwhile(attachments)
            case "crashes meanwhile": try await crashesMeanwhile(attachments)
            case "reads pieces": try await pieces(attachments)
            case "loads late": try await loadsLate(attachments, context)
            default: "no such conduct"
            }
        return [ExtensionItem(contentText: text)]
    }

    private func all(_ attachments: [ItemProvider]) async throws -> String {
        try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for (place, attachment) in attachments.enumerated() {
                group.addTask { (place, try await attachment.loadObject(ofType: String.self)) }
            }
            var texts = [String](repeating: "", count: attachments.count)
            for try await (place, text) in group { texts[place] = text }
            return texts.joined(separator: ",")
        }
    }

    /// Loads with progress reports, and cancels at nine tenths.
    private func watches(_ attachments: [ItemProvider]) async -> String {
        var seen: [Double] = []
        do {
            let item = try await attachments.first?.loadItem(forType: .data) { progress in
                if progress != seen.last { seen.append(progress) }
                return progress < 0.9
            }
            return "loaded \(String(decoding: try item?.load() ?? [], as: UTF8.self)) \(seen)"
        } catch {
            return "\(error) \(seen)"
        }
    }

    private func hurries(_ attachments: [ItemProvider]) async -> String {
        do {
            _ = try await attachments.first?.loadItem(forType: .data, timeout: .milliseconds(50))
            return "loaded"
        } catch {
            return "\(error)"
        }
    }

    /// Begins all loads but the last, gives them up, and makes the last. Tells whether a descriptor has leaked.
    private func givesUp(_ attachments: [ItemProvider]) async throws -> String {
        let before = try nextDescriptor()
        let failures = await loads(attachments.dropLast()) { group in group.cancelAll() }
        let given = failures.filter { $0 == .cancelled }.count
        let last = try await attachments.last?.loadObject(ofType: String.self) ?? ""
        return "\(given) cancelled, \(last), \(try nextDescriptor() - before) leaked"
    }

    /// Loads the first attachment twice at once, and gives up one of the loads. After that, loads the other attachment.
    private func givesUpOneOfTwo(_ attachments: [ItemProvider]) async throws -> String {
        let attachment = attachments[0]
        let (begun, begins) = AsyncStream.makeStream(of: Int.self)
        async let other = load(attachment, place: 1, telling: begins)
        let failures = await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask { try await load(attachment, place: 0, telling: begins) }
            await until(2, of: begun)
            group.cancelAll()
            return await group.nextResult()
        }
        _ = try await attachments[1].loadData(forType: .data)
        return "\(failures.map { "\($0)" } ?? "") \(try await other)"
    }

    /// Loads the last attachment in the blocking form while tasks load the others.
    private func blocksMeanwhile(_ attachments: [ItemProvider]) async throws -> String {
        let last = attachments[attachments.count - 1]
        var text = ""
        let failures = try await loads(attachments.dropLast()) { _ in text = try blocking(last) }
        return "\(text), \(failures.count) failed"
    }

    private func blocking(_ attachment: ItemProvider) throws -> String {
        try attachment.loadObject(ofType: String.self)
    }

    private func crashesMeanwhile(_ attachments: [ItemProvider]) async throws -> String {
        _ = await loads(attachments[...]) { _ in fatalError("as told") }
        return "still here"
    }

    /// Reads pieces of contents that are opened by the first piece.
    private func pieces(_ attachments: [ItemProvider]) async throws -> String {
        var sizes: [Int] = []
        for try await piece in attachments[0].contents.chunks(of: 10) { sizes.append(piece.count) }
        return "\(sizes)"
    }

    /// Loads after the request has its answer.
    private func loadsLate(_ attachments: [ItemProvider], _ context: ExtensionContext) async throws -> String {
        context.completeRequest(returning: [ExtensionItem(contentText: "early")])
        _ = try? await attachments[0].loadData(forType: .data)
        return "late"
    }

    /// Begins loads, and runs a body when the host reports progress of each of them.
    /// - Returns: the errors of the loads.
    private func loads<Failure: Error>(
        _ attachments: ArraySlice<ItemProvider>, _ body: (inout TaskGroup<ItemFailure?>) throws(Failure) -> Void
    ) async throws(Failure) -> [ItemFailure] {
        let (begun, begins) = AsyncStream.makeStream(of: Int.self)
        let result: Result<[ItemFailure], Failure> = await withTaskGroup(of: ItemFailure?.self) { group in
            for (place, attachment) in attachments.enumerated() {
                group.addTask {
                    do throws(ItemFailure) {
                        _ = try await load(attachment, place: place, telling: begins)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            await until(attachments.count, of: begun)
            do throws(Failure) { try body(&group) } catch { return .failure(error) }
            var failures: [ItemFailure] = []
            for await failure in group { if let failure { failures.append(failure) } }
            return .success(failures)
        }
        return try result.get()
    }

    /// The number that the next descriptor gets. It grows if a descriptor leaks.
    private func nextDescriptor() throws -> CInt { try ItemContents(bytes: [1]).withFileDescriptor { $0 } }
}

private func load(
    _ attachment: ItemProvider, place: Int, telling begins: AsyncStream<Int>.Continuation
) async throws(ItemFailure) -> Int {
    let item = try await attachment.loadItem(forType: .data) { progress in
        if progress > 0 { begins.yield(place) }
        return true
    }
    return try item.count
}

/// Waits until the host has reported progress of so many loads.
private func until(_ count: Int, of begun: AsyncStream<Int>) async {
    var places: Set<Int> = []
    for await place in begun where places.insert(place).inserted && places.count == count { return }
}
