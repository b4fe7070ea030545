/// Shows the demo's results as they come.
protocol DemoPrinter: AnyObject {
    func show(_ edit: PictureEdit.Result)
    func show(_ trial: Trial.Result)
    /// After all of it: whether the same host still gets a picture edited.
    func showHostLives(_ lives: Bool)
    func finish()
}
