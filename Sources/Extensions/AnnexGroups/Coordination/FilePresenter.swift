public import AnnexPortal

/// Presents a file or a folder to the user. A presenter is told of the changes that others make to the item through a
/// `FileCoordinator`. Apple's counterpart is `NSFilePresenter`.
///
/// The methods of one presenter are called one after another, in the order of the changes. If a presenter makes
/// changes through a coordinator that was created for it, the presenter is not told of these changes. No presenter is
/// told of changes that are made without a coordinator.
///
/// Changes that follow one another closely may be reported as one change. A method is called after the change, and no
/// member waits for the method. To read a state that no other member changes meanwhile, use a coordinator.
///
/// ```swift
/// final class ListView: FilePresenter {
///     let presentedItemPath = "list.txt"
///     func presentedItemDidChange() async { await reload() }
/// }
/// try FileCoordinator.addFilePresenter(view, in: group)
/// ```
public protocol FilePresenter: AnyObject, Sendable {
    /// The path of the item, relative to the container or absolute. This property is read once, when the presenter is
    /// added. Later moves of the item are tracked.
    var presentedItemPath: String { get }

    /// The item, or a folder that contains it, was written or replaced.
    func presentedItemDidChange() async
    /// The item was moved, alone or with a folder that contains it.
    /// - Parameter path: the new absolute path of the item.
    func presentedItemDidMove(to path: String) async
    /// The item, or a folder that contains it, was deleted.
    func presentedItemWasDeleted() async

    /// An item in the presented folder was written or created.
    func presentedSubitemDidChange(at path: String) async
    /// An item in the presented folder was moved. Its old place or its new place may lie outside of the folder.
    func presentedSubitem(at path: String, didMoveTo target: String) async
    /// An item in the presented folder was deleted.
    func presentedSubitemWasDeleted(at path: String) async
}

extension FilePresenter {
    public func presentedItemDidChange() async {}
    public func presentedItemDidMove(to path: String) async {}
    public func presentedItemWasDeleted() async {}
    public func presentedSubitemDidChange(at path: String) async {}
    public func presentedSubitem(at path: String, didMoveTo target: String) async {}
    public func presentedSubitemWasDeleted(at path: String) async {}
}

extension FileCoordinator {
    /// Adds a presenter. From now on the presenter is told of changes, and it is retained until it is removed. A
    /// second call for the same presenter does nothing.
    /// - Throws: `invalid` if the presenter's path is not in the container; `gone` if the broker has ended.
    public static func addFilePresenter(_ presenter: any FilePresenter, in group: AppGroup) throws(PortalError) {
        try GroupCoordination.of(group.joined).presenters.add(presenter)
    }

    /// Removes a presenter. After this call none of the presenter's methods begins, but a method that already runs may
    /// run to its end.
    public static func removeFilePresenter(_ presenter: any FilePresenter, in group: AppGroup) {
        GroupCoordination.of(group.joined).presenters.remove(presenter)
    }
}

/// An event that a presenter is told of.
enum PresenterEvent: Sendable, Hashable {
    case changed
    case moved(to: String)
    case deleted
    case subitemChanged(String)
    case subitemMoved(String, to: String)
    case subitemDeleted(String)

    func tell(_ presenter: any FilePresenter) async {
        switch self {
        case .changed: await presenter.presentedItemDidChange()
        case .moved(let path): await presenter.presentedItemDidMove(to: path)
        case .deleted: await presenter.presentedItemWasDeleted()
        case .subitemChanged(let path): await presenter.presentedSubitemDidChange(at: path)
        case .subitemMoved(let path, let target): await presenter.presentedSubitem(at: path, didMoveTo: target)
        case .subitemDeleted(let path): await presenter.presentedSubitemWasDeleted(at: path)
        }
    }
}
