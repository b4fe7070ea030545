internal import AnnexLaunch
internal import AnnexPolicy

/// Attacks on the Today view and its page.
extension Catalogue {
    /// Attacks by a widget on the Today view, and attacks by other programs and sites on the page of the view. Each
    /// attack needs a view, so tests perform it. `make browser` also tries the attacks on the page in a real browser.
    static let today: [Attack] = [
        Attack(
            "TODAY-01", technique: "Texts of a widget that pose as markup, script or terminal commands", addition: true,
            trial: .drivenBy([
                "AnnexTodayPageTests/MarkupTests: no text of a widget becomes markup",
                "EndToEndTests/WidgetTests: a text of a widget has no terminal escapes",
            ])),
        Attack(
            "TODAY-02", technique: "A widget of any height, or with very much text", addition: true,
            trial: .drivenBy([
                "EndToEndTests/WidgetTests: the height of a widget stays within the limits of its surface",
                "AnnexTodayPageTests/MarkupTests: a card with very much text is cut",
                "AnnexCommandTests/TodayScreenTests: any keys on any cards give a screen that fits the terminal",
            ])),
        Attack(
            "TODAY-03", technique: "A widget that hangs, crashes or fails again and again", addition: true,
            trial: .drivenBy([
                "AnnexTodayTests/TodayViewTests: a widget that hangs or crashes keeps its last content",
                "AnnexTodayTests/WidgetScheduleTests: any order of events keeps the rules",
                "AnnexTodayTests/TodayViewTests: a crash during an update counts once",
            ])),
        Attack(
            "TODAY-04", technique: "A snapshot that was changed, or is no file", addition: true,
            trial: .drivenBy([
                "AnnexTodayTests/TodayFolderTests: a snapshot with any changed byte is whole, or counts as absent",
                "AnnexTodayTests/TodayFolderTests: a file that is too long, a folder and a pipe count as absent",
                "AnnexTodayTests/TodayFolderTests: a snapshot of an impossible date counts as absent",
                "AnnexTodayTests/TodayFolderTests: a folder that others can write to is refused",
            ])),
        Attack(
            "TODAY-05", technique: "The page without its token, or under another host's name", addition: true,
            trial: .drivenBy([
                "AnnexTodayPageTests/PageGuardTests: a path without the token is refused",
                "AnnexTodayPageTests/PageGuardTests: a host that is not this server is refused",
            ])),
        Attack(
            "TODAY-06", technique: "Another site that reads the page, acts on it or frames it", addition: true,
            trial: .drivenBy([
                "AnnexTodayPageTests/PageGuardTests: another origin is refused",
                "AnnexTodayPageTests/PageGuardTests: the site that the browser names counts",
            ])),
        Attack(
            "TODAY-07", technique: "Another user of the machine that connects to the page", addition: true,
            trial: .drivenBy([
                "AnnexLinuxTests/LoopbackPeerTests: the kernel knows the user of a connection, and of none that was closed"
            ])),
        Attack(
            "TODAY-08", technique: "A form that the page does not have", addition: true,
            trial: .drivenBy([
                "AnnexTodayPageTests/PageWishTests: a form that the page does not have is refused",
                "AnnexTodayPageTests/PageWishTests: any bytes are a wish or none",
            ])),
        Attack(
            "TODAY-09", technique: "A widget that opens apps without an action of the user", addition: true,
            trial: .drivenBy([
                "EndToEndTests/OpeningTests: S6: a widget opens an app only after the user has acted in it",
                "AnnexTodayTests/TodayViewTests: a tap on a lock screen, and one that waited too long, opens no app",
            ])),
        Attack(
            "TODAY-10", technique: "A widget that asks to open apps faster than they open", addition: true,
            trial: .drivenBy([
                "AnnexPortalServerTests/Opening/OpeningServiceTests: requests to open beyond the budget are refused while the first ones wait"
            ])),
        Attack(
            "TODAY-11", technique: "A widget that vanishes just when the user presses a key", addition: true,
            trial: .drivenBy([
                "AnnexCommandTests/TodayScreenTests: a key that was meant for a card that goes does not act on the next one"
            ])),
        Attack(
            "TODAY-12", technique: "Private content of a widget on a lock screen", addition: true,
            trial: .drivenBy([
                "AnnexTodayTests/TodayViewTests: a lock screen shows no widget that has not said so, and adds, moves and removes none"
            ])),
    ]
}
