// The app around the widgets of News. The app itself has no task.
print("News shows its headlines in the Today view: annex today")
