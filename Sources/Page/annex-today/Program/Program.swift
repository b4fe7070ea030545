import AnnexTodayProgram

/// The program `annex-today`. It shows the Today view as a page in the browser.
@main
enum Program {
    static func main() async { await AnnexTodayProgram.main(servedBy: LocalServer.self) }
}
