/// Shows the demo's results as they come.
protocol DemoPrinter: AnyObject {
    func show(_ edit: PictureEdit.Result)
    func show(_ trial: Trial.Result)
    /// After all of it: why the same host does not get another picture edited; nil if it does.
    func showHost(_ failure: String?)
    func finish()
}
