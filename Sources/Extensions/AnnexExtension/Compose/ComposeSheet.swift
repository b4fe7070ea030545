internal import AnnexChannel
internal import AnnexModel

/// The compose sheet that the host shows for a `ShareExtension`, as the extension sees it.
public final class ComposeSheet: DialogueSheet {
    /// The request with the items to share. The answer to the request closes the sheet.
    public let context: ExtensionContext
    /// The text in the sheet. An extension may replace it.
    public var contentText: String { didSet { isTextReplaced = true } }
    /// The number of characters that the user may still write; negative if there are too many. If the value is nil,
    /// the sheet shows no number. Set this property in `isContentValid(in:)`.
    public var charactersRemaining: Int?

    private let principal: any ShareExtension
    private var items: [ConfigurationItem] = []
    private var isTextReplaced = false
    /// The number of the last change that this object made for the host.
    private var changes: UInt64 = 0

    init(_ context: ExtensionContext, principal: any ShareExtension) {
        self.context = context
        contentText = ""
        self.principal = principal
    }

    /// Checks again whether the user may post, for example when a picture has loaded, and shows the result in the
    /// sheet.
    public func validateContent() { send(change()) }

    /// Asks the principal object for its settings again, and shows these settings in the sheet.
    public func reloadConfigurationItems() { send(changeWithItems()) }

    private func send(_ change: ComposeChange) {
        guard context.isOpen else { return }
        do {
            try context.sendAndWait(change)
        } catch {
            // If the text is too large for a notice, the next answer carries the text. If the host is gone, the
            // change is no longer needed.
            isTextReplaced = isTextReplaced || change.contentText != nil
        }
    }
}

// The events that the host reports.
extension ComposeSheet {
    func presentationAnimationDidFinish() async { await principal.presentationAnimationDidFinish(in: self) }

    func answer(_ event: ComposeEvent) -> ComposeAnswer {
        switch event {
        case .opened(let text):
            _ = edit(text)
            return ComposeAnswer(open())
        // The notices of the task that has begun may reach the host after this answer.
        case .presented: return ComposeAnswer(changeWithItems())
        case .edited(let text): return ComposeAnswer(edit(text))
        case .tapped(let item): return ComposeAnswer(change(), options: options(of: item))
        case .chose(let option, let item): return ComposeAnswer(choose(option, of: item))
        case .acted(let action): return ComposeAnswer(act(action))
        case .posted: return ComposeAnswer(post())
        case .cancelled: return ComposeAnswer(cancel())
        }
    }

    private func open() -> ComposeChange {
        var change = changeWithItems()
        change.placeholder = principal.placeholder
        change.view = view()
        return change
    }

    private func edit(_ text: String) -> ComposeChange {
        contentText = text
        isTextReplaced = false
        return change()
    }

    /// The options of a setting; nil if the user cannot change it.
    private func options(of item: UInt32) -> ComposeOptions? {
        guard items.indices.contains(Int(item)) else { return nil }
        let item = items[Int(item)]
        return item.options.map { options in
            let titles = options()
            return ComposeOptions(titles: titles, chosen: titles.firstIndex(of: item.value))
        }
    }

    /// Applies the user's choice. A host that shows an old list may name a setting or an option that no longer
    /// exists. In this case nothing is chosen.
    private func choose(_ option: UInt32, of item: UInt32) -> ComposeChange {
        if items.indices.contains(Int(item)), let options = items[Int(item)].options?(),
            options.indices.contains(Int(option))
        {
            items[Int(item)].choose(Int(option))
        }
        return changeWithItems()
    }

    private func act(_ action: ContentAction) -> ComposeChange {
        principal.perform(action, in: self)
        var change = change()
        change.view = view()
        return change
    }

    private func post() -> ComposeChange {
        let change = change()
        if change.isContentValid { principal.didSelectPost(in: self) }
        return change
    }

    private func cancel() -> ComposeChange {
        principal.didSelectCancel(in: self)
        return ComposeChange()
    }

    private func change() -> ComposeChange {
        changes += 1
        var change = ComposeChange(number: changes)
        change.isContentValid = principal.isContentValid(in: self)
        change.charactersRemaining = charactersRemaining
        if isTextReplaced { change.contentText = contentText }
        isTextReplaced = false
        return change
    }

    private func changeWithItems() -> ComposeChange {
        items = principal.configurationItems(in: self)
        var change = change()
        change.configurationItems = items.map {
            ComposeState.ConfigurationItem(title: $0.title, value: $0.value, isTappable: $0.options != nil)
        }
        return change
    }

    private func view() -> ContentMessage? { principal.view(in: self).flatMap(context.viewToShow) }
}

extension ExtensionContext {
    /// Encodes a view for the host. If the view exceeds a limit, the request fails, because the author of the
    /// extension must see this fault.
    func viewToShow(_ node: ContentNode) -> ContentMessage? {
        do {
            return try ContentMessage(node)
        } catch {
            cancelRequest(with: error)
            return nil
        }
    }
}
